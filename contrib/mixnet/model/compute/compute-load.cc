/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "compute-load.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param limit longest time with TP collectives that counts, exclusive
/// @return load of the rank that takes longest, by its compute time
ResourceLoad
FindSlowest(const std::vector<ComputeBlock>& blocks, const std::vector<GpuId>& gpus, Time limit)
{
    ResourceLoad load;
    Time longest;
    for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    {
        const Time total = blocks[rank].GetTotal();
        if (total >= limit || (load.alike > 0 && total < longest))
        {
            continue;
        }
        if (load.alike == 0 || total > longest)
        {
            load.resource = {FabricResourceKind::GPU, gpus[rank].Get(), FabricResource::ALL};
            load.time = blocks[rank].compute;
            load.alike = 0;
            longest = total;
        }
        ++load.alike;
    }
    return load;
}

} // namespace

OperationLoad
GetComputeLoad(const std::vector<ComputeBlock>& blocks, const std::vector<GpuId>& gpus)
{
    Time longest;
    for (const ComputeBlock& block : blocks)
    {
        longest = Max(longest, block.GetTotal());
    }
    OperationLoad load;
    load.most = FindSlowest(blocks, gpus, Time::Max());
    load.next = FindSlowest(blocks, gpus, longest);
    load.next.time = Min(load.next.time, load.most.time);
    if (load.most.alike == blocks.size())
    {
        load.most.resource.index = FabricResource::ALL;
    }
    return load;
}

OperationLoad
GetComputeLoad(Time time, std::size_t ranks)
{
    OperationLoad load;
    load.most.resource.kind = FabricResourceKind::GPU;
    load.most.time = time;
    load.most.alike = static_cast<uint32_t>(ranks);
    return load;
}

OperationLoad
GetScaleUpLoad(Time time)
{
    OperationLoad load;
    load.most.resource.kind = FabricResourceKind::SCALE_UP;
    load.most.time = time;
    load.most.alike = 1;
    return load;
}

} // namespace ns3
