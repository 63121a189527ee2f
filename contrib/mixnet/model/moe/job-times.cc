/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "job-times.h"

#include "ns3/collective-cost.h"

namespace ns3
{

JobTimes::JobTimes(const TrainingJob& job,
                   const ParallelLayout& layout,
                   const ComputeModel& compute)
    : m_job(job),
      m_compute(compute),
      m_placement(layout.GetPlacement()),
      m_rate(layout.GetScaleUpRate())
{
    const auto at = [](OpKind kind) { return static_cast<std::size_t>(kind); };
    const auto set = [&](OpKind kind, const OpWork& work, bool collectives) {
        ComputeBlock block;
        if (collectives)
        {
            const Time gather = GetGatherTime(job.GetTokens());
            block.gather = job.sequenceParallel ? gather : Time();
            block.scatter = job.sequenceParallel ? gather : gather * 2;
            const ByteCount bytes = GetExpertTensorBytes(job.GetTokens());
            m_bytes[at(kind)] = {bytes, bytes};
        }
        m_blocks[at(kind)] = {block, block};
        for (const bool backward : {false, true})
        {
            m_blocks[at(kind)][backward].compute = GetTime(work, backward);
        }
    };
    for (const WorkKind kind : GetWorkKinds(job.model))
    {
        switch (kind)
        {
        case WorkKind::ATTENTION:
            set(OpKind::ATTENTION, MakeAttentionWork(job), true);
            break;
        case WorkKind::GATE:
            set(OpKind::GATE, MakeGateWork(job), false);
            break;
        case WorkKind::DENSE:
            set(OpKind::DENSE, MakeDenseWork(job), true);
            break;
        case WorkKind::SHARED:
            set(OpKind::SHARED, MakeSharedWork(job), true);
            break;
        case WorkKind::HEAD:
            set(OpKind::HEAD, MakeHeadWork(job), true);
            break;
        case WorkKind::EXPERT:
            break; // follows the tokens
        }
    }
    auto& head = m_blocks[at(OpKind::HEAD)];
    head[0].scatter = Time();
    head[1].gather = Time();
    const ByteCount half =
        GatherTraffic(job.degrees.tensor, ByteCount(job.GetTokens() * job.GetTokenBytes()));
    m_bytes[at(OpKind::HEAD)] = {job.sequenceParallel ? half : ByteCount(0),
                                 job.sequenceParallel ? half : half * 2};
}

Time
JobTimes::GetTime(const OpWork& work, bool backward) const
{
    return backward ? m_compute.GetBackwardTime(work) : m_compute.GetForwardTime(work);
}

Time
JobTimes::GetGatherTime(uint64_t tokens) const
{
    return AllGatherTime(m_job.degrees.tensor, ByteCount(tokens * m_job.GetTokenBytes()), m_rate);
}

ByteCount
JobTimes::GetExpertTensorBytes(uint64_t copies) const
{
    return AllReduceTraffic(m_job.degrees.tensor, ByteCount(copies * m_job.GetTokenBytes()));
}

void
JobTimes::GetExpertBlocks(const std::vector<uint64_t>& copies,
                          bool backward,
                          std::vector<ComputeBlock>& blocks) const
{
    blocks.resize(m_placement.GetNRanks());
    for (uint32_t rank = 0; rank < m_placement.GetNRanks(); ++rank)
    {
        ComputeBlock block;
        uint64_t received = 0;
        const uint32_t first = m_placement.GetFirstSlot(rank);
        for (uint32_t i = first; i < first + m_placement.GetNSlots(rank); ++i)
        {
            received += copies[i];
            block.compute += GetTime(MakeExpertWork(m_job, copies[i]), backward);
        }
        const Time gather = GetGatherTime(received);
        const bool sharded = m_job.tensorShards == TensorShards::SHARDED;
        block.gather = sharded ? gather : Time();
        block.scatter = sharded ? gather : gather * 2;
        blocks[rank] = block;
    }
}

} // namespace ns3
