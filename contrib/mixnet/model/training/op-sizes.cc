/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-sizes.h"

#include "ns3/job-times.h"
#include "ns3/stage-program.h"

namespace ns3
{

namespace
{

/// @return an operation that every token takes part in
OpSize
MakeTokenOp(const JobTimes& times,
            Recompute recompute,
            OpKind kind,
            uint32_t layers,
            const OpWork& work)
{
    OpSize size;
    size.kind = kind;
    size.layers = layers;
    size.flops = work.flops;
    size.memoryBytes = work.bytes;
    size.tensorBytes = times.GetTensorBytes(kind, PassKind::FORWARD);
    size.forward = times.GetBlock(kind, PassKind::FORWARD).GetTotal();
    size.recomputed =
        IsRecomputed(recompute, kind) ? times.GetRecomputedBlock(kind).GetTotal() : Time();
    size.backward = times.GetBlock(kind, PassKind::BACKWARD).GetTotal() + size.recomputed;
    size.weightGradient = times.GetBlock(kind, PassKind::WEIGHT_GRADIENT).GetTotal();
    return size;
}

/// @return the experts of the EP rank that has most, with balanced experts
OpSize
MakeExpertOp(const JobTimes& times, const TrainingJob& job, const ExpertPlacement& placement)
{
    const uint64_t copies = job.GetCopies() * placement.GetNRanks();
    const uint64_t each = (copies + placement.GetNSlots() - 1) / placement.GetNSlots();
    const std::vector<uint64_t> balanced(placement.GetNSlots(), each);
    uint32_t rank = 0;
    for (uint32_t r = 1; r < placement.GetNRanks(); ++r)
    {
        rank = placement.GetNSlots(r) > placement.GetNSlots(rank) ? r : rank;
    }
    const auto time = [&](PassKind pass) {
        std::vector<ComputeBlock> blocks;
        times.GetExpertBlocks(balanced, pass, blocks);
        return blocks[rank].GetTotal();
    };
    const OpWork work = MakeExpertWork(job, each);
    OpSize size;
    size.kind = OpKind::EXPERT;
    size.layers = job.model.moeLayers;
    size.flops = work.flops * placement.GetNSlots(rank);
    size.memoryBytes = work.bytes * placement.GetNSlots(rank);
    size.tensorBytes = times.GetExpertTensorBytes(each * placement.GetNSlots(rank));
    size.forward = time(PassKind::FORWARD);
    if (IsRecomputed(job.recompute, OpKind::EXPERT))
    {
        std::vector<ComputeBlock> blocks;
        times.GetExpertBlocks(balanced, PassKind::FORWARD, blocks);
        size.recomputed = times.RepeatsCollectives() ? size.forward : blocks[rank].compute;
    }
    size.backward = time(PassKind::BACKWARD) + size.recomputed;
    size.weightGradient = time(PassKind::WEIGHT_GRADIENT);
    return size;
}

} // namespace

std::vector<OpSize>
ListOpSizes(const TrainingJob& job, const ParallelLayout& layout, const ComputeModel& compute)
{
    const JobTimes times(job, layout, compute);
    const ModelSpec& m = job.model;
    std::vector<OpSize> sizes;
    if (job.degrees.context > 1)
    {
        OpSize exchange;
        exchange.kind = OpKind::CONTEXT_EXCHANGE;
        exchange.layers = m.layers;
        exchange.contextBytes = ByteCount((job.degrees.context - 1) * job.GetKeyBytes());
        sizes.push_back(exchange);
    }
    sizes.push_back(
        MakeTokenOp(times, job.recompute, OpKind::ATTENTION, m.layers, MakeAttentionWork(job)));
    if (m.GetDenseLayers() > 0)
    {
        sizes.push_back(MakeTokenOp(times,
                                    job.recompute,
                                    OpKind::DENSE,
                                    m.GetDenseLayers(),
                                    MakeDenseWork(job)));
    }
    if (m.moeLayers > 0)
    {
        sizes.push_back(
            MakeTokenOp(times, job.recompute, OpKind::GATE, m.moeLayers, MakeGateWork(job)));
        sizes.push_back(MakeExpertOp(times, job, layout.GetPlacement()));
        if (m.sharedFfnHidden > 0)
        {
            sizes.push_back(MakeTokenOp(times,
                                        job.recompute,
                                        OpKind::SHARED,
                                        m.moeLayers,
                                        MakeSharedWork(job)));
        }
    }
    if (m.vocabulary > 0)
    {
        sizes.push_back(MakeTokenOp(times, job.recompute, OpKind::HEAD, 1, MakeHeadWork(job)));
    }
    return sizes;
}

} // namespace ns3
