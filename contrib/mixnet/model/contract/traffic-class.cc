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
    static constexpr const char* names[] = {"tp", "ep", "dp", "pp", "other", "cp"};
    return names[static_cast<std::size_t>(c)];
}

std::optional<TrafficClass>
FindTrafficClass(const std::string& name)
{
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        if (name == GetName(static_cast<TrafficClass>(c)))
        {
            return static_cast<TrafficClass>(c);
        }
    }
    return std::nullopt;
}

std::string
GetTrafficClassNames()
{
    std::string names;
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        names += std::string(c == 0 ? "" : ", ") + GetName(static_cast<TrafficClass>(c));
    }
    return names;
}

const char*
GetName(PathClass c)
{
    static constexpr const char* names[] = {"scale-up", "circuit", "packet"};
    return names[static_cast<std::size_t>(c)];
}

} // namespace ns3
