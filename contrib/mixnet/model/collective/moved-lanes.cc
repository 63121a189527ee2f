/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moved-lanes.h"

#include "ns3/even-part.h"

namespace ns3
{

namespace
{

/// @return true when one of the lanes from `first` on has moved
bool
HasMoved(const std::map<GpuId, GpuId>& moved, GpuId first, uint32_t lanes)
{
    const auto it = moved.lower_bound(first);
    return it != moved.end() && it->first.Get() - first.Get() < lanes;
}

/// @return who has the work of a GPU
GpuId
Find(const std::map<GpuId, GpuId>& moved, GpuId first, uint32_t lane)
{
    const GpuId gpu(first.Get() + lane);
    const auto it = moved.find(gpu);
    return it == moved.end() ? gpu : it->second;
}

} // namespace

void
AppendCut(const Transfer& transfer,
          const std::map<GpuId, GpuId>& moved,
          std::vector<Transfer>& parts)
{
    if (!HasMoved(moved, transfer.source, transfer.lanes) &&
        !HasMoved(moved, transfer.destination, transfer.lanes))
    {
        parts.push_back(transfer);
        return;
    }
    for (uint32_t lane = 0; lane < transfer.lanes; ++lane)
    {
        const GpuId source = Find(moved, transfer.source, lane);
        const GpuId destination = Find(moved, transfer.destination, lane);
        const ByteCount bytes = GetEvenPart(transfer.bytes, transfer.lanes, lane);
        const bool follows =
            lane > 0 && source == GpuId(parts.back().source.Get() + parts.back().lanes) &&
            destination == GpuId(parts.back().destination.Get() + parts.back().lanes);
        const bool moves = source.Get() != transfer.source.Get() + lane ||
                           destination.Get() != transfer.destination.Get() + lane;
        if (follows && !moves)
        {
            ++parts.back().lanes;
            parts.back().bytes += bytes;
            continue;
        }
        parts.push_back(transfer);
        parts.back().source = source;
        parts.back().destination = destination;
        parts.back().lanes = 1;
        parts.back().bytes = bytes;
    }
}

} // namespace ns3
