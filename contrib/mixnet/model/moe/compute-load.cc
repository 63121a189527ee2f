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

/// @param load in: what was found so far; out: of times below the limit, the largest
void
FindMost(const std::vector<ComputeBlock>& blocks,
         const std::vector<GpuId>& gpus,
         Time limit,
         ResourceLoad& load)
{
    for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    {
        const Time time = blocks[rank].compute;
        if (time >= limit || time < load.time)
        {
            continue;
        }
        if (time > load.time || load.alike == 0)
        {
            load.resource = {FabricResourceKind::GPU, gpus[rank].Get(), FabricResource::ALL};
            load.time = time;
            load.alike = 0;
        }
        ++load.alike;
    }
}

} // namespace

OperationLoad
GetComputeLoad(const std::vector<ComputeBlock>& blocks, const std::vector<GpuId>& gpus)
{
    OperationLoad load;
    FindMost(blocks, gpus, Time::Max(), load.most);
    FindMost(blocks, gpus, load.most.time, load.next);
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
