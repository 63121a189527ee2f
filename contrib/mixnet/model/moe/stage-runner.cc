/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-runner.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t HELD = OpRecord::NONE - 1; //!< arrival that needs no hand-over

} // namespace

StageRunner::StageRunner(StageContext& context,
                         StageHost& host,
                         uint32_t replica,
                         uint32_t stage,
                         std::vector<PipelinePass> order)
    : m_context(context),
      m_host(host),
      m_replica(replica),
      m_stage(stage),
      m_group(context.layout->GetGroups()[context.layout->GetGroupIndex(replica, stage)]),
      m_order(std::move(order)),
      m_meter(context.layout->GetDegrees().expert),
      m_speeds(context.variation, *context.layout, replica, stage),
      m_onLight(MakeCallback(&StageRunner::OnLight, this)),
      m_trafficOf(std::size_t(context.job->microBatches) * context.job->degrees.chunks)
{
    for (uint32_t chunk = 0; chunk < context.job->degrees.chunks; ++chunk)
    {
        m_programs.push_back(MakeStageProgram(context.job->model,
                                              *context.layout,
                                              context.layout->GetPart(stage, chunk)));
    }
}

uint32_t
StageRunner::GetPart(const PipelinePass& pass) const
{
    return m_context.layout->GetPart(m_stage, pass.chunk);
}

bool
StageRunner::HandsOver(const PipelinePass& pass) const
{
    const uint32_t last = m_context.job->degrees.GetParts() - 1;
    return GetPart(pass) != (pass.backward ? 0 : last);
}

std::size_t
StageRunner::GetIndex(uint32_t chunk, uint32_t microBatch) const
{
    return std::size_t(chunk) * m_context.job->microBatches + microBatch;
}

void
StageRunner::SetNeighbors(StageRunner* previous, StageRunner* next)
{
    m_previous = previous;
    m_next = next;
}

void
StageRunner::Start()
{
    MIXNET_CHECK(m_state == State::IDLE, "stage " << m_stage << " is still busy");
    const ParallelDegrees& degrees = m_context.job->degrees;
    for (const bool backward : {false, true})
    {
        m_arrived[backward].assign(m_trafficOf.size(), OpRecord::NONE);
        const uint32_t chunk = backward ? degrees.chunks - 1 : 0;
        if (m_context.layout->GetPart(m_stage, chunk) == (backward ? degrees.GetParts() - 1 : 0))
        {
            const auto first = m_arrived[backward].begin() + GetIndex(chunk, 0);
            std::fill(first, first + m_context.job->microBatches, HELD);
        }
    }
    m_pass = 0;
    m_lastOp = OpRecord::NONE;
    m_meter.Start(Simulator::Now());
    NextPass();
}

void
StageRunner::NextPass()
{
    if (m_context.stopped)
    {
        m_state = State::IDLE;
        return;
    }
    if (m_pass == m_order.size())
    {
        m_state = State::IDLE;
        m_host.OnStageDone(*this);
        return;
    }
    const PipelinePass& pass = m_order[m_pass];
    m_step = 0;
    if (!pass.backward)
    {
        if (m_freeTraffic.empty())
        {
            m_freeTraffic.push_back(static_cast<uint32_t>(m_traffic.size()));
            m_traffic.emplace_back();
        }
        const uint32_t entry = m_freeTraffic.back();
        m_trafficOf[GetIndex(pass.chunk, pass.microBatch)] = entry;
        m_freeTraffic.pop_back();
        m_traffic[entry].resize(
            std::max<std::size_t>(m_traffic[entry].size(), m_programs[pass.chunk].slots));
        for (LayerTraffic& traffic : m_traffic[entry])
        {
            traffic.known = false;
        }
    }
    // What precedes a pass is the wait for its input: it starts now.
    if (!GetProgram().empty() && IsAllToAll(GetProgram().front().kind))
    {
        Announce(GetProgram().front());
    }
    const uint32_t arrival = m_arrived[pass.backward][GetIndex(pass.chunk, pass.microBatch)];
    if (arrival == OpRecord::NONE)
    {
        m_state = State::AWAITING_ARRIVAL;
        return;
    }
    RunStep();
}

void
StageRunner::Arrive(const PipelinePass& pass, uint32_t op)
{
    m_arrived[pass.backward][GetIndex(pass.chunk, pass.microBatch)] = op;
    if (m_state == State::AWAITING_ARRIVAL && m_order[m_pass] == pass && !m_context.stopped)
    {
        m_lastOp = op;
        RunStep();
    }
}

void
StageRunner::RunStep()
{
    if (m_context.stopped)
    {
        m_state = State::IDLE;
        return;
    }
    const std::vector<StageStep>& program = GetProgram();
    if (m_step == program.size())
    {
        EndPass();
        return;
    }
    m_stepStart = Simulator::Now();
    const StageStep& step = program[m_step];
    if (IsAllToAll(step.kind))
    {
        StartAllToAll(step);
        return;
    }
    if (m_step + 1 < program.size() && IsAllToAll(program[m_step + 1].kind))
    {
        Announce(program[m_step + 1]);
    }
    StartCompute(step);
}

void
StageRunner::EndStep()
{
    ++m_step;
    RunStep();
}

void
StageRunner::EndPass()
{
    const PipelinePass pass = m_order[m_pass];
    if (pass.backward)
    {
        m_freeTraffic.push_back(m_trafficOf[GetIndex(pass.chunk, pass.microBatch)]);
    }
    if (HandsOver(pass))
    {
        HandOver(pass.backward ? m_previous : m_next);
    }
    ++m_pass;
    NextPass();
}

void
StageRunner::FillBlocks(const StageStep& step)
{
    const bool backward = m_order[m_pass].backward;
    if (step.kind == OpKind::EXPERT)
    {
        m_blocks = GetTraffic(step).experts[backward];
    }
    else
    {
        m_blocks.assign(m_group.ranks.size(), m_context.times->GetBlock(step.kind, backward));
    }
    if (!m_speeds.IsOff())
    {
        m_speeds.Apply(m_blocks);
    }
    m_block = *std::max_element(
        m_blocks.begin(),
        m_blocks.end(),
        [](const ComputeBlock& a, const ComputeBlock& b) { return a.GetTotal() < b.GetTotal(); });
}

void
StageRunner::StartCompute(const StageStep& step)
{
    const bool backward = m_order[m_pass].backward;
    const Time now = Simulator::Now();
    m_state = State::COMPUTING;
    if (step.kind == OpKind::EXPERT)
    {
        uint64_t copies = 0;
        for (const uint64_t c : GetTraffic(step).matrix.GetExpertCopies())
        {
            copies += c;
        }
        m_context.ledger.AddScaleUpBytes(TrafficClass::TP,
                                         m_context.times->GetExpertTensorBytes(copies));
    }
    else
    {
        m_context.ledger.AddScaleUpBytes(TrafficClass::TP,
                                         m_context.times->GetTensorBytes(step.kind, backward) *
                                             m_group.ranks.size());
    }
    if (step.kind == OpKind::EXPERT || !m_speeds.IsOff())
    {
        FillBlocks(step);
        m_meter.StartBlocks(now, m_blocks);
    }
    else
    {
        m_block = m_context.times->GetBlock(step.kind, backward);
        m_meter.StartBlock(now, m_block);
    }
    Simulator::Schedule(m_block.GetTotal(), &StageRunner::OnComputeDone, this);
}

OpRecord
StageRunner::MakeOp(OpKind kind, Time start, Time end) const
{
    OpRecord op;
    op.predecessor = m_lastOp;
    op.replica = m_replica;
    op.stage = m_stage;
    op.layer = GetProgram()[m_step].layer;
    op.microBatch = m_order[m_pass].microBatch;
    op.kind = kind;
    op.backward = m_order[m_pass].backward;
    op.start = start;
    op.end = end;
    return op;
}

void
StageRunner::OnComputeDone()
{
    const Time compute = m_stepStart + m_block.gather;
    const Time scatter = compute + m_block.compute;
    const Time end = scatter + m_block.scatter;
    if (m_block.gather > Time())
    {
        m_lastOp = m_context.ledger.AddOp(MakeOp(OpKind::TENSOR_COLLECTIVE, m_stepStart, compute));
    }
    m_lastOp = m_context.ledger.AddOp(MakeOp(GetProgram()[m_step].kind, compute, scatter));
    if (m_block.scatter > Time())
    {
        m_lastOp = m_context.ledger.AddOp(MakeOp(OpKind::TENSOR_COLLECTIVE, scatter, end));
    }
    EndStep();
}

const std::vector<StageStep>&
StageRunner::GetProgram() const
{
    const StageProgram& program = m_programs[m_order[m_pass].chunk];
    return m_order[m_pass].backward ? program.backward : program.forward;
}

StageRunner::LayerTraffic&
StageRunner::GetTraffic(const StageStep& step)
{
    const PipelinePass& pass = m_order[m_pass];
    const uint32_t microBatch = pass.microBatch;
    LayerTraffic& traffic = m_traffic[m_trafficOf[GetIndex(pass.chunk, microBatch)]][step.slot];
    if (!traffic.known)
    {
        const uint64_t dropped =
            m_context.gate->Route({m_context.iteration, step.moeLayer, m_replica, microBatch},
                                  m_tokens);
        traffic.matrix.Assign(m_tokens,
                              m_context.layout->GetPlacement(),
                              m_context.job->GetCopyBytes(),
                              step.moeLayer);
        uint64_t accepted = 0;
        for (const uint64_t copies : traffic.matrix.GetExpertCopies())
        {
            accepted += copies;
        }
        m_context.ledger.AddTokenCopies(accepted + dropped, dropped);
        for (const bool backward : {false, true})
        {
            m_context.times->GetExpertBlocks(traffic.matrix.GetExpertCopies(),
                                             backward,
                                             traffic.experts[backward]);
        }
        traffic.known = true;
    }
    return traffic;
}

} // namespace ns3
