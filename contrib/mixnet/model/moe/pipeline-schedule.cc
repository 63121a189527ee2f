/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pipeline-schedule.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PipelineSchedule);
NS_OBJECT_ENSURE_REGISTERED(OneForwardOneBackwardSchedule);
NS_OBJECT_ENSURE_REGISTERED(GpipeSchedule);

TypeId
PipelineSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PipelineSchedule").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

double
PipelineSchedule::GetBubbleFraction(uint32_t stages, uint32_t microBatches)
{
    return (stages - 1.0) / (double(microBatches) + stages - 1.0);
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
OneForwardOneBackwardSchedule::GetOrder(uint32_t stage,
                                        uint32_t stages,
                                        uint32_t microBatches) const
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
GpipeSchedule::GetOrder(uint32_t /* stage */, uint32_t /* stages */, uint32_t microBatches) const
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

} // namespace ns3
