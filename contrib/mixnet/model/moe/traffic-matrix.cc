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
TrafficMatrix::Assign(const Matrix<uint32_t>& tokens, const EvenSplit& experts, uint64_t copyBytes)
{
    const uint32_t ranks = experts.GetParts();
    const uint32_t total = experts.GetTotal();
    MIXNET_CHECK(tokens.Rows() == ranks && tokens.Columns() == total,
                 "tokens of " << tokens.Rows() << " ranks and " << tokens.Columns() << " experts");
    if (m_bytes.Rows() != ranks || m_bytes.Columns() != ranks)
    {
        m_bytes = Matrix<uint64_t>(ranks, ranks);
    }
    m_expertCopies.assign(total, 0);
    for (uint32_t s = 0; s < ranks; ++s)
    {
        uint32_t expert = 0;
        for (uint32_t d = 0; d < ranks; ++d)
        {
            uint64_t copies = 0;
            for (const uint32_t end = expert + experts.GetCount(d); expert < end; ++expert)
            {
                copies += tokens(s, expert);
                m_expertCopies[expert] += tokens(s, expert);
            }
            m_bytes(s, d) = copies * copyBytes;
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
