/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-phase.h"

#include "ns3/compute-load.h"
#include "ns3/gradient-sync.h"
#include "ns3/simulator.h"

namespace ns3
{

GradientPhase::GradientPhase(StageContext& context,
                             const std::vector<std::unique_ptr<StageRunner>>& stages,
                             GradientHost& host,
                             uint32_t steppedUpTo)
    : m_context(context),
      m_runners(stages),
      m_host(host),
      m_steppedUpTo(steppedUpTo),
      m_passes(context.layout->GetDegrees().data *
               (context.job->gradientOverlap ? context.job->microBatches : 1)),
      m_replicas(context.layout->GetDegrees().data),
      m_bucketOf(context.job->model.layers, OpRecord::NONE),
      m_stages(context.layout->GetDegrees().pipeline)
{
    for (uint32_t index = 0; index < m_stages.size(); ++index)
    {
        Stage& stage = m_stages[index];
        stage.whole = GetWholeBucket(*context.job, *context.layout, index);
        for (auto& layers : MakeGradientBuckets(*context.job, *context.layout, index))
        {
            if (context.job->gradientOverlap)
            {
                m_bucketOf[layers.layers.back()] = static_cast<uint32_t>(stage.buckets.size());
            }
            Bucket bucket;
            bucket.layers = std::move(layers);
            stage.buckets.push_back(std::move(bucket));
        }
    }
}

GradientPhase::~GradientPhase()
{
    Abort();
}

void
GradientPhase::Abort()
{
    for (Stage& stage : m_stages)
    {
        stage.optimizer.Cancel();
    }
}

void
GradientPhase::Freeze()
{
    m_frozen = true;
}

void
GradientPhase::Start()
{
    m_frozen = false;
    m_open = static_cast<uint32_t>(m_stages.size());
    for (Stage& stage : m_stages)
    {
        stage.next = 0;
        stage.busy = false;
        stage.lastOp = OpRecord::NONE;
        stage.waits.clear();
        for (Bucket& bucket : stage.buckets)
        {
            bucket.passes = 0;
            bucket.waits.assign(m_replicas, OpRecord::NONE);
        }
    }
}

ExposureMeter&
GradientPhase::GetMeter(uint32_t index, uint32_t replica) const
{
    return m_runners[m_context.layout->GetGroupIndex(replica, index)]->GetMeter();
}

void
GradientPhase::OnLayer(uint32_t replica, uint32_t stage, uint32_t layer, uint32_t op)
{
    if (m_bucketOf[layer] != OpRecord::NONE)
    {
        Deliver(replica, stage, m_bucketOf[layer], op);
    }
}

void
GradientPhase::OnStageDone(uint32_t replica, uint32_t stage, uint32_t op)
{
    if (!m_context.job->gradientOverlap)
    {
        Deliver(replica, stage, 0, op);
    }
}

void
GradientPhase::Deliver(uint32_t replica, uint32_t index, std::size_t bucket, uint32_t op)
{
    Stage& stage = m_stages[index];
    Bucket& b = stage.buckets[bucket];
    b.replica = replica;
    b.predecessor = op;
    b.waits[replica] = op;
    if (++b.passes == m_passes && bucket == stage.next && !stage.busy && !m_frozen)
    {
        stage.replica = b.replica;
        stage.waits = b.waits;
        stage.waits.push_back(stage.lastOp);
        stage.lastOp = b.predecessor;
        StartStep(index, b.layers, GetGradientStep(*m_context.job));
    }
}

void
GradientPhase::StartStep(uint32_t index, const GradientBucket& bucket, ReduceStep step)
{
    Stage& stage = m_stages[index];
    stage.busy = true;
    stage.step = step;
    m_context.phases.Reach(m_context.iteration, JobPhase::GRADIENTS);
    const CollectiveRunner::Run run = m_context.runner->Open();
    AppendGradientStep(m_context.runner->GetGraph(run),
                       *m_context.job,
                       *m_context.layout,
                       bucket,
                       step,
                       m_steppedUpTo);
    for (uint32_t replica = 0; replica < m_replicas; ++replica)
    {
        GetMeter(index, replica).BeginCommunication(Simulator::Now(), TrafficClass::DP);
    }
    m_context.runner->Start(run, *this, index);
}

void
GradientPhase::OnCollective(const CollectiveResult& result)
{
    const auto index = static_cast<uint32_t>(result.tag);
    Stage& stage = m_stages[index];
    const bool gathers = stage.step == ReduceStep::ALL_GATHER;
    m_context.ledger.AddTransfers(result.transfers);
    m_context.ledger.AddBytes(TrafficClass::DP, result.bytesByPath);
    for (uint32_t replica = 0; replica < m_replicas; ++replica)
    {
        GetMeter(index, replica).EndCommunication(Simulator::Now(), TrafficClass::DP);
    }
    if (result.lost > 0)
    {
        m_host.OnLoss((gathers ? "parameter all-gather of stage " : "gradients of stage ") +
                      std::to_string(index));
        return;
    }
    AddOp(index,
          gathers ? OpKind::PARAMETER_GATHER : OpKind::GRADIENT_SYNC,
          result.started,
          result.load);
    stage.busy = false;
    if (m_context.stopped || m_frozen)
    {
        return;
    }
    if (gathers)
    {
        EndStage(index);
        return;
    }
    if (++stage.next == stage.buckets.size())
    {
        StartOptimizer(index);
        return;
    }
    const Bucket& next = stage.buckets[stage.next];
    if (next.passes == m_passes)
    {
        stage.waits = next.waits;
        StartStep(index, next.layers, stage.step);
    }
}

void
GradientPhase::StartOptimizer(uint32_t index)
{
    const Time duration = m_context.job->optimizerTime;
    if (duration.IsZero())
    {
        EndOptimizer(index);
        return;
    }
    m_stages[index].start = Simulator::Now();
    ComputeBlock block;
    block.compute = duration;
    for (uint32_t replica = 0; replica < m_replicas; ++replica)
    {
        GetMeter(index, replica).StartBlock(Simulator::Now(), block);
    }
    m_stages[index].optimizer =
        Simulator::Schedule(duration, &GradientPhase::EndOptimizer, this, index);
}

void
GradientPhase::EndOptimizer(uint32_t index)
{
    if (m_context.stopped || m_frozen)
    {
        return;
    }
    if (m_context.job->optimizerTime.IsStrictlyPositive())
    {
        AddOp(index,
              OpKind::OPTIMIZER,
              m_stages[index].start,
              GetComputeLoad(m_context.job->optimizerTime,
                             m_replicas * m_context.job->degrees.expert));
    }
    if (m_context.job->optimizerSharding == OptimizerSharding::ZERO1)
    {
        StartStep(index, m_stages[index].whole, ReduceStep::ALL_GATHER);
        return;
    }
    EndStage(index);
}

void
GradientPhase::AddOp(uint32_t index, OpKind kind, Time start, const OperationLoad& load)
{
    Stage& stage = m_stages[index];
    OpRecord op;
    op.predecessor = stage.lastOp;
    op.replica = stage.replica;
    op.stage = index;
    op.kind = kind;
    op.backward = true;
    op.start = start;
    op.end = Simulator::Now();
    op.load = load;
    stage.lastOp = m_context.ledger.AddOp(op, stage.waits);
    stage.waits.clear();
}

void
GradientPhase::EndStage(uint32_t index)
{
    if (--m_open == 0)
    {
        m_host.OnUpdated(m_stages[index].lastOp);
    }
}

} // namespace ns3
