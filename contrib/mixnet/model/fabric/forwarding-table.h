/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FORWARDING_TABLE_H
#define MIXNET_FORWARDING_TABLE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// Equal-cost egress ports of a switch, by index.
using PortGroup = std::vector<uint16_t>;

/// NIC addresses first to last (both included) leave by one of the ports of a group.
struct RouteRange
{
    uint32_t first{0}; //!< first NIC address
    uint32_t last{0};  //!< last NIC address
    uint32_t group{0}; //!< index of the port group
};

/// The equal-cost ports to a destination, inside the table; valid until its routes change.
struct PortChoice
{
    const uint16_t* ports{nullptr}; //!< by index below count
    uint32_t count{0};              //!< number of ports; zero: no route
    uint32_t group{0};              //!< names the group among those of the table

    /// @param hash 32 well-mixed bits @return a port, each with the same share of the hashes
    uint16_t Pick(uint32_t hash) const
    {
        return ports[(uint64_t{hash} * count) >> 32];
    }
};

/**
 * @ingroup mixnet
 * Which ports lead to a NIC: sorted ranges of the dense NIC addresses, so its size follows the
 * number of ranges (in a fat tree the switch's radix), never the number of NICs squared.
 */
class ForwardingTable
{
  public:
    /**
     * Replace everything.
     *
     * @param ranges disjoint ranges in any order; addresses in none have no route, nor have those
     * whose group is empty; neighbours with one group are merged
     * @param groups port groups that the ranges name
     * @throws InputError when ranges overlap, are reversed or name no group
     */
    void SetRoutes(std::vector<RouteRange> ranges, const std::vector<PortGroup>& groups);

    /// @param destination NIC address @return its equal-cost ports; empty when there is no route
    PortGroup Lookup(uint32_t destination) const;

    /**
     * @param destination NIC address
     * @param hash 32 well-mixed bits of the flow and the switch's seed
     * @return the egress port, NO_PORT when there is no route
     */
    uint16_t Choose(uint32_t destination, uint32_t hash) const
    {
        const Span span = Find(destination);
        if (span.count == 0)
        {
            return NO_PORT;
        }
        return m_ports[span.offset + ((uint64_t{hash} * span.count) >> 32)];
    }

    /// @param destination NIC address @return its equal-cost ports
    PortChoice GetChoice(uint32_t destination) const
    {
        const Span span = Find(destination);
        return {m_ports.data() + span.offset, span.count, span.offset};
    }

    /// @return number of ranges after merging, those without a route included
    std::size_t GetSize() const
    {
        return m_first.size();
    }

    static constexpr uint16_t NO_PORT = UINT16_MAX; //!< no route

  private:
    /// A port group inside m_ports.
    struct Span
    {
        uint32_t offset{0}; //!< first port
        uint32_t count{0};  //!< number of ports
    };

    /// @param destination NIC address @return its group
    Span Find(uint32_t destination) const
    {
        const uint32_t* base = m_first.data();
        std::size_t n = m_first.size();
        if (n == 0)
        {
            return {};
        }
        while (n > 1)
        {
            const std::size_t half = n / 2;
            base = base[half] <= destination ? base + half : base;
            n -= half;
        }
        return m_span[base - m_first.data()];
    }

    std::vector<uint32_t> m_first; //!< by range: first address, ascending from 0
    std::vector<Span> m_span;      //!< by range: its group
    std::vector<uint16_t> m_ports; //!< ports of all groups
};

} // namespace ns3

#endif // MIXNET_FORWARDING_TABLE_H
