/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-technology.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

uint32_t
OpticalTechnology::CountServers(uint32_t portsPerServer) const
{
    return ports == 0 || portsPerServer == 0 ? UINT32_MAX : ports / portsPerServer;
}

void
OpticalTechnology::CheckFit(uint32_t servers,
                            uint32_t portsPerServer,
                            uint32_t switches,
                            const std::string& where) const
{
    const uint32_t perSwitch = (portsPerServer + switches - 1) / switches;
    const uint64_t wanted = uint64_t(servers) * perSwitch;
    if (ports == 0 || wanted <= ports)
    {
        return;
    }
    const std::string spread =
        switches == 1 ? "" : " spread over " + std::to_string(switches) + " switches";
    throw InputError(where,
                     std::to_string(servers) + " servers with " + std::to_string(portsPerServer) +
                         " optical ports" + spread + " need " + std::to_string(wanted) +
                         " ports, one '" + name + "' switch has " + std::to_string(ports),
                     "up to " + std::to_string(perSwitch == 0 ? 0 : ports / perSwitch) +
                         " servers, more switches, or 'abstract'");
}

std::vector<OpticalTechnology>
GetOpticalTechnologies()
{
    // "minutes" is all that is published of the robotic switch: the least that can be.
    return {
        {"robotic", "Telescent", 1008, Minutes(1)},
        {"piezo", "Polatis", 576, MilliSeconds(25), MilliSeconds(10)},
        {"mems", "Calient 3D MEMS", 320, MilliSeconds(15), MilliSeconds(10)},
        {"palomar", "Google Palomar", 136, std::nullopt},
        {"infocus", "RotorNet InFocus", 128, MicroSeconds(10)},
        {"silicon-photonics", "Lightmatter", 32, MicroSeconds(7)},
        {"plzt", "EpiPhotonics PLZT", 16, NanoSeconds(10)},
        {"abstract", "any", 0, std::nullopt},
    };
}

OpticalTechnology
FindOpticalTechnology(const std::string& name, const std::string& where)
{
    std::string names;
    for (const OpticalTechnology& t : GetOpticalTechnologies())
    {
        if (t.name == name)
        {
            return t;
        }
        names += (names.empty() ? "" : ", ") + t.name;
    }
    throw InputError(where, "no optical technology '" + name + "'", names);
}

} // namespace ns3
