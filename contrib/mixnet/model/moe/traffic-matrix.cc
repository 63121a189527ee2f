/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "traffic-matrix.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

void
TrafficMatrix::Assign(const Matrix<uint32_t>& tokens,
                      const ExpertPlacement& placement,
                      uint64_t copyBytes,
                      uint32_t layer)
{
    const uint32_t ranks = placement.GetNRanks();
    const uint32_t experts = placement.GetNExperts();
    MIXNET_CHECK(tokens.Rows() == ranks && tokens.Columns() == experts,
                 "tokens of " << tokens.Rows() << " ranks and " << tokens.Columns() << " experts");
    if (m_bytes.Rows() != ranks || m_bytes.Columns() != ranks)
    {
        m_bytes = Matrix<uint64_t>(ranks, ranks);
    }
    else
    {
        m_bytes.Data().assign(m_bytes.Data().size(), 0);
    }
    m_expertCopies.assign(placement.GetNSlots(), 0);
    for (uint32_t s = 0; s < ranks; ++s)
    {
        for (uint32_t expert = 0; expert < experts; ++expert)
        {
            const SlotRange slots = placement.GetSlots(layer, expert);
            for (uint32_t i = 0; i < slots.count; ++i)
            {
                const uint32_t slot = slots.first[i];
                const uint64_t copies = slots.GetShare(tokens(s, expert), s, i);
                m_expertCopies[slot] += copies;
                m_bytes(s, placement.GetRank(slot)) += copies * copyBytes;
            }
        }
    }
}

ByteCount
TrafficMatrix::GetCrossing() const
{
    uint64_t bytes = 0;
    for (std::size_t s = 0; s < m_bytes.Rows(); ++s)
    {
        for (std::size_t d = 0; d < m_bytes.Columns(); ++d)
        {
            bytes += s == d ? 0 : m_bytes(s, d);
        }
    }
    return ByteCount(bytes);
}

uint32_t
TrafficMatrix::GetNPairs() const
{
    uint32_t pairs = 0;
    for (std::size_t s = 0; s < m_bytes.Rows(); ++s)
    {
        for (std::size_t d = 0; d < m_bytes.Columns(); ++d)
        {
            pairs += s != d && m_bytes(s, d) > 0;
        }
    }
    return pairs;
}

void
TrafficMatrix::GetDemand(const GroupRegion& region, bool transposed, DemandMatrix& demand) const
{
    if (demand.Rows() != region.servers || demand.Columns() != region.servers)
    {
        demand = DemandMatrix(region.servers, region.servers);
    }
    else
    {
        demand.Data().assign(demand.Data().size(), 0);
    }
    const std::size_t ranks = m_bytes.Rows();
    for (std::size_t s = 0; s < ranks; ++s)
    {
        const uint32_t from = region.serverOfRank[s];
        for (std::size_t d = 0; d < ranks && from != GroupRegion::OUTSIDE; ++d)
        {
            const uint32_t to = region.serverOfRank[d];
            if (to != GroupRegion::OUTSIDE && to != from)
            {
                demand(from, to) += transposed ? m_bytes(d, s) : m_bytes(s, d);
            }
        }
    }
}

} // namespace ns3
