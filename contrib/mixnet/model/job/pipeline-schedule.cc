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
NS_OBJECT_ENSURE_REGISTERED(OverlappedSchedule);
NS_OBJECT_ENSURE_REGISTERED(ZeroBubbleSchedule);

namespace
{

/// @return pass `k` of one direction of a stage whose chunks take turns
PipelinePass
TakeTurn(uint32_t k, bool backward, uint32_t stages, uint32_t chunks)
{
    const uint32_t round = stages * chunks;
    const uint32_t chunk = k % round / stages;
    return {k / round * stages + k % stages, backward, backward ? chunks - 1 - chunk : chunk};
}

/// @throws InputError when chunks cannot take turns
void
RequireRounds(uint32_t stages, uint32_t microBatches)
{
    if (microBatches % stages != 0)
    {
        throw InputError("batch.microBatches",
                         std::to_string(microBatches) + " micro-batches on " +
                             std::to_string(stages) + " interleaved stages",
                         "a multiple of " + std::to_string(stages));
    }
}

} // namespace

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

bool
PipelineSchedule::Overlaps() const
{
    return false;
}

bool
PipelineSchedule::SplitsBackward() const
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
                         "1, or schedule interleaved or 1f1b-overlap");
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
    RequireRounds(stages, microBatches);
    const uint32_t total = microBatches * chunks;
    const auto pass = [&](uint32_t k, bool backward) {
        return TakeTurn(k, backward, stages, chunks);
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

TypeId
OverlappedSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OverlappedSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<OverlappedSchedule>();
    return tid;
}

bool
OverlappedSchedule::Interleaves() const
{
    return true;
}

bool
OverlappedSchedule::Overlaps() const
{
    return true;
}

std::vector<PipelinePass>
OverlappedSchedule::DoGetOrder(uint32_t stage,
                               uint32_t stages,
                               uint32_t microBatches,
                               uint32_t chunks) const
{
    if (chunks > 1)
    {
        RequireRounds(stages, microBatches);
    }
    const uint32_t total = microBatches * chunks;
    const uint32_t ahead = std::min(2 * (stages - 1 - stage) + (chunks - 1) * stages + 1, total);
    std::vector<PipelinePass> order;
    order.reserve(2 * std::size_t(total));
    for (uint32_t k = 0; k < total; ++k)
    {
        order.push_back(TakeTurn(k, false, stages, chunks));
        if (k >= ahead)
        {
            order.push_back(TakeTurn(k - ahead, true, stages, chunks));
            order.back().beside = true;
        }
    }
    for (uint32_t k = total - ahead; k < total; ++k)
    {
        order.push_back(TakeTurn(k, true, stages, chunks));
    }
    return order;
}

TypeId
ZeroBubbleSchedule::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ZeroBubbleSchedule")
                            .SetParent<PipelineSchedule>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<ZeroBubbleSchedule>();
    return tid;
}

bool
ZeroBubbleSchedule::SplitsBackward() const
{
    return true;
}

std::vector<PipelinePass>
ZeroBubbleSchedule::DoGetOrder(uint32_t stage,
                               uint32_t stages,
                               uint32_t microBatches,
                               uint32_t /* chunks */) const
{
    std::vector<PipelinePass> order;
    order.reserve(3 * std::size_t(microBatches));
    const auto backward = [&order](uint32_t microBatch, BackwardPart part) {
        order.push_back({microBatch, true, 0, false, part});
    };
    const uint32_t ahead = std::min(stages - stage, microBatches);
    for (uint32_t m = 0; m < ahead; ++m)
    {
        order.push_back({m, false});
    }
    for (uint32_t m = 0; m < microBatches; ++m)
    {
        backward(m, BackwardPart::INPUT);
        if (m >= stage)
        {
            backward(m - stage, BackwardPart::WEIGHT);
        }
        if (m + ahead < microBatches)
        {
            order.push_back({m + ahead, false});
        }
    }
    for (uint32_t m = microBatches - std::min(stage, microBatches); m < microBatches; ++m)
    {
        backward(m, BackwardPart::WEIGHT);
    }
    return order;
}

} // namespace ns3
