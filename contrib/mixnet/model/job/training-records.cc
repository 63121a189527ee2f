/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "training-records.h"

namespace ns3
{

const char*
GetName(OpKind k)
{
    static constexpr const char* names[] = {"attention",
                                            "gate",
                                            "dispatch",
                                            "expert",
                                            "combine",
                                            "dense",
                                            "shared-experts",
                                            "head",
                                            "tensor-collective",
                                            "stage-transfer",
                                            "gradient-sync",
                                            "context-exchange",
                                            "optimizer",
                                            "parameter-gather"};
    static_assert(sizeof(names) / sizeof(names[0]) == N_OP_KINDS, "a name for every kind");
    return names[static_cast<std::size_t>(k)];
}

} // namespace ns3
