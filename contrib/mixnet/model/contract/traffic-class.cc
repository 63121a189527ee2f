/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-class.h"

namespace ns3
{

const char*
GetName(TrafficClass c)
{
    static constexpr const char* names[] = {"tp", "ep", "dp", "pp", "other"};
    return names[static_cast<std::size_t>(c)];
}

const char*
GetName(PathClass c)
{
    static constexpr const char* names[] = {"scale-up", "circuit", "packet"};
    return names[static_cast<std::size_t>(c)];
}

} // namespace ns3
