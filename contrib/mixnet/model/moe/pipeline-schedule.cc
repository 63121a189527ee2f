/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);
NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);
NS_OBJECT_ENSURE_REGISTERED(GpipeSchedule);
NS_OBJECT_ENSURE_REGISTERED(InterleavedSchedule);

TypeId
PipelineSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PipelineSchedule").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

double
PipelineSchedule::GetBubbleFraction(uint32_t stages, uint32_t microBatches, uint32_t chunks)
{
    return (stages - 1.0) / (double(microBatches) * chunks + stages - 1.0);
}

bool
PipelineSchedule::Interleaves() const
{
    return false;
}

std::vector<PipelinePass>
PipelineSchedule::GetOrder(uint32_t stage,
                           uint32_t stages,
                           uint32_t microBatches,
                           uint32_t chunks) const
{
    if (chunks > 1 && !Interleaves())
    {
        throw InputError("parallel.vpp",
                         std::to_string(chunks) + " virtual stages with " +
                             GetInstanceTypeId().GetName(),
                         "1, or schedule interleaved");
    }
    return DoGetOrder(stage, stages, microBatches, chunks);
}

TypeId
OneForwardOneBackwardSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OneForwardOneBackwardSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<OneForwardOneBackwardSchedule>();
    return tid;
}

std::vector<PipelinePass>
OneForwardOneBackwardSchedule::DoGetOrder(uint32_t stage,
                                          uint32_t stages,
                                          uint32_t microBatches,
                                          uint32_t /* chunks */) const
{
    std::vector<PipelinePass> order;
    order.reserve(2 * std::size_t(microBatches));
    const uint32_t ahead = std::min(stages - 1 - stage, microBatches);
    for (uint32_t m = 0; m < ahead; ++m)
    {
        order.push_back({m, false});
    }
    for (uint32_t m = ahead; m < microBatches; ++m)
    {
        order.push_back({m, false});
        order.push_back({m - ahead, true});
    }
    for (uint32_t m = microBatches - ahead; m < microBatches; ++m)
    {
        order.push_back({m, true});
    }
    return order;
}

TypeId
GpipeSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::GpipeSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<GpipeSchedule>();
    return tid;
}

std::vector<PipelinePass>
GpipeSchedule::DoGetOrder(uint32_t /* stage */,
                          uint32_t /* stages */,
                          uint32_t microBatches,
                          uint32_t /* chunks */) const
{
    std::vector<PipelinePass> order;
    order.reserve(2 * std::size_t(microBatches));
    for (const bool backward : {false, true})
    {
        for (uint32_t m = 0; m < microBatches; ++m)
        {
            order.push_back({m, backward});
        }
    }
    return order;
}

TypeId
InterleavedSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::InterleavedSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<InterleavedSchedule>();
    return tid;
}

bool
InterleavedSchedule::Interleaves() const
{
    return true;
}

std::vector<PipelinePass>
InterleavedSchedule::DoGetOrder(uint32_t stage,
                                uint32_t stages,
                                uint32_t microBatches,
                                uint32_t chunks) const
{
    if (microBatches % stages != 0)
    {
        throw InputError("batch.microBatches",
                         std::to_string(microBatches) + " micro-batches on " +
                             std::to_string(stages) + " interleaved stages",
                         "a multiple of " + std::to_string(stages));
    }
    const uint32_t round = stages * chunks;
    const uint32_t total = microBatches * chunks;
    const auto pass = [&](uint32_t k, bool backward) {
        const uint32_t chunk = k % round / stages;
        return PipelinePass{k / round * stages + k % stages,
                            backward,
                            backward ? chunks - 1 - chunk : chunk};
    };
    const uint32_t ahead = microBatches == stages
                               ? total
                               : std::min(2 * (stages - 1 - stage) + (chunks - 1) * stages, total);
    std::vector<PipelinePass> order;
    order.reserve(2 * std::size_t(total));
    for (uint32_t k = 0; k < ahead; ++k)
    {
        order.push_back(pass(k, false));
    }
    for (uint32_t k = ahead; k < total; ++k)
    {
        order.push_back(pass(k, false));
        order.push_back(pass(k - ahead, true));
    }
    for (uint32_t k = total - ahead; k < total; ++k)
    {
        order.push_back(pass(k, true));
    }
    return order;
}

} // namespace ns3
