/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OPTICAL_TECHNOLOGY_H
#define OPTICAL_TECHNOLOGY_H

#include "ns3/nstime.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// A kind of optical circuit switch (paper, Table 2).
struct OpticalTechnology
{
    std::string name;    //!< as in scenarios, e.g. "piezo"
    std::string product; //!< the device that the numbers are of
    uint32_t ports{0};   //!< duplex ports of one switch; 0: as many as asked for ("abstract")
    std::optional<Time> switchingDelay; //!< upper end of what is published; none: not reported
    std::optional<Time> fastest{};      //!< lower end, where a range is published

    /// @param portsPerServer optical ports of a server, above zero
    /// @return servers that fit on one switch; UINT32_MAX when unlimited
    uint32_t CountServers(uint32_t portsPerServer) const;

    /**
     * @param servers servers of a region
     * @param portsPerServer optical ports of each
     * @param switches switches of the region, above zero; the ports of a server are spread over
     * them
     * @param where file and key, for the message
     * @throws InputError when a switch has too few ports; it says how many servers fit
     */
    void CheckFit(uint32_t servers,
                  uint32_t portsPerServer,
                  uint32_t switches,
                  const std::string& where) const;
};

/// @return all kinds, largest first, "abstract" last
std::vector<OpticalTechnology> GetOpticalTechnologies();

/**
 * @param name of a kind
 * @param where file and key, for the message
 * @return the kind
 * @throws InputError that lists all names
 */
OpticalTechnology FindOpticalTechnology(const std::string& name, const std::string& where);

} // namespace ns3

#endif // OPTICAL_TECHNOLOGY_H
