/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tensor-crossing.h"

#include "ns3/even-part.h"

#include <algorithm>

namespace ns3
{

TensorCrossings::TensorCrossings(const ParallelLayout& layout,
                                 const StageGroup& group,
                                 uint32_t channels)
    : m_rate(layout.GetScaleUpRate())
{
    const auto& moved = layout.GetMap().moved;
    if (moved.empty() || layout.GetDegrees().tensor < 2)
    {
        return;
    }
    for (uint32_t rank = 0; rank < group.ranks.size(); ++rank)
    {
        const GpuId home = group.ranks[rank];
        const auto it = moved.lower_bound(home);
        if (it != moved.end() && it->first.Get() - home.Get() < layout.GetDegrees().tensor)
        {
            BrokenBlock block;
            block.rank = rank;
            FindCrossings(layout, home, channels, block);
            m_blocks.push_back(std::move(block));
        }
    }
}

void
TensorCrossings::FindCrossings(const ParallelLayout& layout,
                               GpuId home,
                               uint32_t channels,
                               BrokenBlock& block) const
{
    const uint32_t tensor = layout.GetDegrees().tensor;
    std::vector<GpuId> gpus;    // who does the work of each lane
    std::vector<uint32_t> kept; // GPUs that have stayed, by number within the server
    const auto number = [&layout](GpuId gpu) { return layout.GetLocalIndex(gpu); };
    for (uint32_t lane = 0; lane < tensor; ++lane)
    {
        const GpuId own(home.Get() + lane);
        gpus.push_back(layout.GetMap().Find(own));
        if (gpus.back() == own)
        {
            kept.push_back(number(own));
        }
    }
    if (kept.empty())
    {
        kept.push_back(number(home)); // all lanes are away: one channel
    }
    kept.resize(channels == 0 ? kept.size() : std::min<std::size_t>(channels, kept.size()));
    const auto find = [&](GpuId gpu, uint32_t local) {
        return GpuId(gpu.Get() - number(gpu) + local);
    };
    for (uint32_t lane = 0; lane < tensor; ++lane)
    {
        const GpuId from = gpus[lane];
        const GpuId to = gpus[(lane + 1) % tensor];
        if (layout.GetServer(from) == layout.GetServer(to))
        {
            continue;
        }
        BrokenBlock::Crossing crossing;
        for (const uint32_t local : kept)
        {
            crossing.emplace_back(find(from, local), find(to, local));
        }
        block.crossings.push_back(std::move(crossing));
    }
}

ByteCount
TensorCrossings::GetEdgeBytes(Time closedForm) const
{
    const double bytes = closedForm.GetSeconds() * static_cast<double>(m_rate.GetBitRate()) / 8;
    return ByteCount(static_cast<uint64_t>(bytes + 0.5));
}

void
TensorCrossings::Append(TransferGraph& graph, const BrokenBlock& block, Time closedForm) const
{
    graph.AddLocal({closedForm, ByteCount(0)});
    const uint64_t bytes = GetEdgeBytes(closedForm).Get();
    for (const BrokenBlock::Crossing& crossing : block.crossings)
    {
        const uint64_t channels = crossing.size();
        for (uint64_t c = 0; c < channels; ++c)
        {
            Transfer t;
            t.source = crossing[c].first;
            t.destination = crossing[c].second;
            t.bytes = ByteCount(GetEvenPart(bytes, channels, c));
            t.trafficClass = TrafficClass::TP;
            graph.AddTransfer(t);
        }
    }
}

} // namespace ns3
