/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand.h"

namespace ns3
{

const char*
GetName(AllToAllPhase p)
{
    static constexpr const char* names[] = {"forward-dispatch",
                                            "forward-combine",
                                            "recomputed-dispatch",
                                            "recomputed-combine",
                                            "backward-combine",
                                            "backward-dispatch"};
    return names[static_cast<uint8_t>(p)];
}

} // namespace ns3
