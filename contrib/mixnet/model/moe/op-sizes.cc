/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "op-sizes.h"

#include "job-times.h"

namespace ns3
{

namespace
{

/// @return an operation that every token takes part in
OpSize
MakeTokenOp(const JobTimes& times, OpKind kind, uint32_t layers, const OpWork& work)
{
    OpSize size;
    size.kind = kind;
    size.layers = layers;
    size.flops = work.flops;
    size.memoryBytes = work.bytes;
    size.tensorBytes = times.GetTensorBytes(kind, false);
    size.forward = times.GetBlock(kind, false).GetTotal();
    size.backward = times.GetBlock(kind, true).GetTotal();
    return size;
}

/// @return the experts of the first EP rank, which has most, with balanced experts
OpSize
MakeExpertOp(const JobTimes& times, const TrainingJob& job, const EvenSplit& experts)
{
    const uint64_t copies = job.GetCopies() * experts.GetParts();
    const uint64_t each = (copies + experts.GetTotal() - 1) / experts.GetTotal();
    const std::vector<uint64_t> balanced(experts.GetTotal(), each);
    std::vector<ComputeBlock> forward;
    std::vector<ComputeBlock> backward;
    times.GetExpertBlocks(balanced, false, forward);
    times.GetExpertBlocks(balanced, true, backward);
    const OpWork work = MakeExpertWork(job, each);
    OpSize size;
    size.kind = OpKind::EXPERT;
    size.layers = job.model.moeLayers;
    size.flops = work.flops * experts.GetCount(0);
    size.memoryBytes = work.bytes * experts.GetCount(0);
    size.tensorBytes = times.GetExpertTensorBytes(each * experts.GetCount(0));
    size.forward = forward[0].GetTotal();
    size.backward = backward[0].GetTotal();
    return size;
}

} // namespace

std::vector<OpSize>
ListOpSizes(const TrainingJob& job, const ParallelLayout& layout, const ComputeModel& compute)
{
    const JobTimes times(job, layout, compute);
    const ModelSpec& m = job.model;
    std::vector<OpSize> sizes;
    sizes.push_back(MakeTokenOp(times, OpKind::ATTENTION, m.layers, MakeAttentionWork(job)));
    if (m.GetDenseLayers() > 0)
    {
        sizes.push_back(MakeTokenOp(times, OpKind::DENSE, m.GetDenseLayers(), MakeDenseWork(job)));
    }
    if (m.moeLayers > 0)
    {
        sizes.push_back(MakeTokenOp(times, OpKind::GATE, m.moeLayers, MakeGateWork(job)));
        sizes.push_back(MakeExpertOp(times, job, layout.GetExperts()));
        if (m.sharedFfnHidden > 0)
        {
            sizes.push_back(MakeTokenOp(times, OpKind::SHARED, m.moeLayers, MakeSharedWork(job)));
        }
    }
    if (m.vocabulary > 0)
    {
        sizes.push_back(MakeTokenOp(times, OpKind::HEAD, 1, MakeHeadWork(job)));
    }
    return sizes;
}

} // namespace ns3
