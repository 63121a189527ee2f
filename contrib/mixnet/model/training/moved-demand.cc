/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moved-demand.h"

#include "ns3/even-part.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Move bytes between server pairs; those inside of a server or with an end elsewhere are no
/// demand.
void
Move(DemandMatrix& demand,
     std::pair<uint32_t, uint32_t> from,
     std::pair<uint32_t, uint32_t> to,
     uint64_t bytes)
{
    const auto counts = [](const std::pair<uint32_t, uint32_t>& pair) {
        return pair.first != pair.second && pair.first != GroupRegion::OUTSIDE &&
               pair.second != GroupRegion::OUTSIDE;
    };
    if (counts(from))
    {
        demand(from.first, from.second) -= bytes;
    }
    if (counts(to))
    {
        demand(to.first, to.second) += bytes;
    }
}

} // namespace

MovedDemand::MovedDemand(const ParallelLayout& layout,
                         const StageGroup& group,
                         const TensorCrossings& crossings)
    : m_layout(layout),
      m_group(group),
      m_crossings(crossings)
{
    const auto& moved = layout.GetMap().moved;
    for (std::size_t rank = 0; rank < group.expertRanks.size() && !moved.empty(); ++rank)
    {
        const GpuId first = group.expertRanks[rank];
        const auto it = moved.lower_bound(first);
        if (it != moved.end() &&
            it->first.Get() - first.Get() < layout.GetDegrees().GetExpertTensor())
        {
            m_moved.push_back(rank);
        }
    }
}

uint32_t
MovedDemand::FindServer(const GroupRegion& region, std::size_t rank, uint32_t lane) const
{
    const GpuId own(m_group.expertRanks[rank].Get() + lane);
    return region.Find(m_layout.GetServer(m_layout.GetMap().Find(own)));
}

void
MovedDemand::MovePair(const GroupRegion& region,
                      std::size_t s,
                      std::size_t d,
                      uint64_t bytes,
                      DemandMatrix& demand) const
{
    const uint32_t lanes = m_layout.GetDegrees().GetExpertTensor();
    for (uint32_t lane = 0; lane < lanes && bytes > 0; ++lane)
    {
        Move(demand,
             {region.serverOfRank[s], region.serverOfRank[d]},
             {FindServer(region, s, lane), FindServer(region, d, lane)},
             GetEvenPart(bytes, lanes, lane));
    }
}

void
MovedDemand::MoveShares(const GroupRegion& region,
                        const TrafficMatrix& traffic,
                        bool back,
                        DemandMatrix& demand) const
{
    if (traffic.GetServerBytes(back) != nullptr)
    {
        return;
    }
    const Matrix<uint64_t>& bytes = traffic.GetBytes(back);
    for (std::size_t s = 0; s < bytes.Rows(); ++s)
    {
        const bool moves = std::binary_search(m_moved.begin(), m_moved.end(), s);
        for (std::size_t d = 0; d < bytes.Columns(); ++d)
        {
            if (s != d && (moves || std::binary_search(m_moved.begin(), m_moved.end(), d)))
            {
                MovePair(region, back ? d : s, back ? s : d, bytes(s, d), demand);
            }
        }
    }
}

void
MovedDemand::AddTensor(const GroupRegion& region,
                       const std::vector<ByteCount>& edges,
                       DemandMatrix& demand) const
{
    for (std::size_t b = 0; b < edges.size(); ++b)
    {
        for (const BrokenBlock::Crossing& crossing : m_crossings.GetBlocks()[b].crossings)
        {
            const uint32_t from = region.Find(m_layout.GetServer(crossing.front().first));
            const uint32_t to = region.Find(m_layout.GetServer(crossing.front().second));
            if (from != GroupRegion::OUTSIDE && to != GroupRegion::OUTSIDE)
            {
                demand(from, to) += edges[b].Get();
            }
        }
    }
}

} // namespace ns3
