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
            const Time gather = GetGatherTime(job.degrees.tensor, job.GetTokens());
            block.gather = job.sequenceParallel ? gather : Time();
            block.scatter = job.sequenceParallel ? gather : gather * 2;
            const ByteCount bytes =
                AllReduceTraffic(job.degrees.tensor,
                                 ByteCount(job.GetTokens() * job.GetTokenBytes()));
            m_bytes[at(kind)] = {bytes, bytes, bytes, ByteCount(0)};
        }
        m_blocks[at(kind)] = {block, block, block, ComputeBlock()};
        for (std::size_t pass = 0; pass < N_PASS_KINDS; ++pass)
        {
            m_blocks[at(kind)][pass].compute = GetTime(work, static_cast<PassKind>(pass));
        }
    };
    for (const WorkKind kind : GetWorkKinds(job))
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
        case WorkKind::ATTENTION_CORE:
            m_core.compute = GetTime(MakeAttentionCoreWork(job), PassKind::FORWARD);
            break;
        case WorkKind::EXPERT:
            break; // follows the tokens
        }
    }
    auto& head = m_blocks[at(OpKind::HEAD)];
    head[0].scatter = Time();
    for (std::size_t pass = 1; pass < N_PASS_KINDS; ++pass)
    {
        head[pass].gather = Time();
    }
    const ByteCount half =
        GatherTraffic(job.degrees.tensor, ByteCount(job.GetTokens() * job.GetTokenBytes()));
    const ByteCount back = job.sequenceParallel ? half : half * 2;
    m_bytes[at(OpKind::HEAD)] = {job.sequenceParallel ? half : ByteCount(0),
                                 back,
                                 back,
                                 ByteCount(0)};
}

Time
JobTimes::GetTime(const OpWork& work, PassKind pass) const
{
    switch (pass)
    {
    case PassKind::FORWARD:
        return m_compute.GetForwardTime(work);
    case PassKind::BACKWARD:
        return m_compute.GetBackwardTime(work);
    case PassKind::INPUT_GRADIENT:
        return m_compute.GetBackwardTime(work) - m_compute.GetWeightGradientTime(work);
    case PassKind::WEIGHT_GRADIENT:
        return m_compute.GetWeightGradientTime(work);
    }
    return Time();
}

Time
JobTimes::GetGatherTime(uint32_t gpus, uint64_t tokens) const
{
    return AllGatherTime(gpus, ByteCount(tokens * m_job.GetTokenBytes()), m_rate);
}

ByteCount
JobTimes::GetExpertTensorBytes(uint64_t copies) const
{
    return AllReduceTraffic(m_job.degrees.GetExpertTensor(),
                            ByteCount(copies * m_job.GetTokenBytes()));
}

ComputeBlock
JobTimes::GetExpertBlock(uint32_t rank, const std::vector<uint64_t>& copies, PassKind pass) const
{
    ComputeBlock block;
    uint64_t received = 0;
    const uint32_t first = m_placement.GetFirstSlot(rank);
    for (uint32_t i = first; i < first + m_placement.GetNSlots(rank); ++i)
    {
        received += copies[i];
        block.compute += GetTime(MakeExpertWork(m_job, copies[i]), pass);
    }
    if (pass != PassKind::WEIGHT_GRADIENT)
    {
        const Time gather = GetGatherTime(m_job.degrees.GetExpertTensor(), received);
        const bool sharded = m_job.tensorShards == TensorShards::SHARDED;
        block.gather = sharded ? gather : Time();
        block.scatter = sharded ? gather : gather * 2;
    }
    return block;
}

void
JobTimes::GetExpertBlocks(const std::vector<uint64_t>& copies,
                          PassKind pass,
                          std::vector<ComputeBlock>& blocks) const
{
    blocks.resize(m_placement.GetNRanks());
    for (uint32_t rank = 0; rank < m_placement.GetNRanks(); ++rank)
    {
        blocks[rank] = GetExpertBlock(rank, copies, pass);
    }
}

} // namespace ns3
