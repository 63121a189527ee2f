/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pass-runner.h"

#include "ns3/compute-load.h"
#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

PassRunner::PassRunner(StageScope& scope, PassOwner& owner)
    : m_scope(scope),
      m_owner(owner),
      m_speeds(scope.context.variation, *scope.context.layout, scope.replica, scope.stage),
      m_onLight(MakeCallback(&PassRunner::OnLight, this).Bind(m_generation))
{
    if (!scope.crossings.GetBlocks().empty())
    {
        m_crossed = std::make_unique<CrossedCompute>(scope.context,
                                                     scope.host,
                                                     scope.meter,
                                                     scope.crossings,
                                                     MakeCallback(&PassRunner::OnCrossed, this));
    }
}

void
PassRunner::Open(const PipelinePass& pass)
{
    MIXNET_CHECK(IsIdle(), "a pass of stage " << m_scope.stage << " that is still busy");
    m_pass = pass;
    m_step = 0;
    m_state = State::AWAITING_ARRIVAL;
    if (!pass.backward)
    {
        m_scope.traffic.Open(pass.chunk, pass.microBatch, m_scope.programs[pass.chunk].slots);
    }
    // What precedes a pass is the wait for its input: it starts now.
    if (!GetProgram().empty() && IsAllToAll(GetProgram().front().kind))
    {
        Announce(GetProgram().front());
    }
}

void
PassRunner::Run(uint32_t predecessor, const std::vector<uint32_t>& others)
{
    m_lastOp = predecessor;
    m_others = others;
    RunStep();
}

void
PassRunner::Abort()
{
    ++m_generation;
    m_onLight = MakeCallback(&PassRunner::OnLight, this).Bind(m_generation);
    m_state = State::IDLE;
    m_lastOp = OpRecord::NONE;
    m_others.clear();
    m_requested.clear();
    if (m_crossed)
    {
        m_crossed->Abort();
    }
}

void
PassRunner::RunStep()
{
    if (m_scope.context.stopped)
    {
        m_state = State::IDLE;
        return;
    }
    const std::vector<StageStep>& program = GetProgram();
    if (m_step == program.size())
    {
        m_scope.turn.Release(*this, m_lastOp);
        m_state = State::IDLE;
        m_owner.OnPassDone(*this);
        return;
    }
    if (m_pass.backward && m_step == 0)
    {
        m_scope.context.phases.Reach(m_scope.context.iteration, JobPhase::BACKWARD);
    }
    if (IsAllToAll(program[m_step].kind))
    {
        m_scope.turn.Release(*this, m_lastOp);
        StartAllToAll(program[m_step]);
        return;
    }
    if (program[m_step].kind == OpKind::CONTEXT_EXCHANGE)
    {
        m_scope.turn.Release(*this, m_lastOp);
        StartContextExchange(program[m_step]);
        return;
    }
    m_state = State::AWAITING_TURN;
    if (m_scope.turn.Take(*this))
    {
        StartCompute();
    }
}

void
PassRunner::OnTurn(uint32_t op)
{
    if (m_scope.context.stopped)
    {
        m_state = State::IDLE;
        return;
    }
    m_others.push_back(m_lastOp);
    m_lastOp = op;
    StartCompute();
}

void
PassRunner::EndStep()
{
    const std::vector<StageStep>& program = GetProgram();
    const uint32_t layer = program[m_step].layer;
    const bool ends = ++m_step == program.size() || program[m_step].layer != layer;
    const bool gradients = m_pass.backward && m_pass.part != BackwardPart::INPUT;
    if (gradients && ends && layer != OpRecord::NONE)
    {
        m_scope.host.OnLayerGradients(m_scope.replica, m_scope.stage, layer, m_lastOp);
    }
    RunStep();
}

PassKind
PassRunner::GetKind(const StageStep& step) const
{
    return step.recomputed ? PassKind::FORWARD : m_pass.GetKind();
}

bool
PassRunner::HasCollectives(const StageStep& step) const
{
    return !step.recomputed || m_scope.context.times->RepeatsCollectives();
}

const ComputeBlock&
PassRunner::GetBlock(const StageStep& step) const
{
    const JobTimes& times = *m_scope.context.times;
    return step.recomputed ? times.GetRecomputedBlock(step.kind)
                           : times.GetBlock(step.kind, m_pass.GetKind());
}

void
PassRunner::FillBlocks(const StageStep& step)
{
    if (step.kind == OpKind::EXPERT)
    {
        m_blocks = GetTraffic(step).experts[static_cast<std::size_t>(GetKind(step))];
        for (ComputeBlock& block : m_blocks)
        {
            block = HasCollectives(step) ? block : ComputeBlock{Time(), block.compute, Time()};
        }
    }
    else
    {
        m_blocks.assign(m_scope.group.expertRanks.size(), GetBlock(step));
    }
    if (!m_speeds.IsOff())
    {
        m_speeds.Apply(m_blocks, step.kind != OpKind::EXPERT);
    }
    m_block = *std::max_element(
        m_blocks.begin(),
        m_blocks.end(),
        [](const ComputeBlock& a, const ComputeBlock& b) { return a.GetTotal() < b.GetTotal(); });
}

ByteCount
PassRunner::GetTensorBytes(const StageStep& step)
{
    const JobTimes& times = *m_scope.context.times;
    if (!HasCollectives(step))
    {
        return ByteCount(0);
    }
    if (step.kind != OpKind::EXPERT)
    {
        return times.GetTensorBytes(step.kind, GetKind(step)) * m_scope.group.ranks.size();
    }
    if (GetKind(step) == PassKind::WEIGHT_GRADIENT)
    {
        return ByteCount(0);
    }
    uint64_t copies = 0;
    for (const uint64_t c : GetTraffic(step).matrix.GetExpertCopies())
    {
        copies += c;
    }
    return times.GetExpertTensorBytes(copies);
}

void
PassRunner::StartCompute()
{
    const std::vector<StageStep>& program = GetProgram();
    const StageStep& step = program[m_step];
    m_stepStart = Simulator::Now();
    m_state = State::COMPUTING;
    if (m_step + 1 < program.size() && IsAllToAll(program[m_step + 1].kind))
    {
        Announce(program[m_step + 1]);
    }
    const ByteCount tensor = GetTensorBytes(step);
    if (m_crossed)
    {
        FillBlocks(step);
        const ByteCount inside = tensor - std::min(tensor, m_crossed->GetBytes(m_blocks));
        m_scope.context.ledger.AddScaleUpBytes(TrafficClass::TP, inside);
        m_crossed->Start(m_blocks);
        return;
    }
    m_scope.context.ledger.AddScaleUpBytes(TrafficClass::TP, tensor);
    if (step.kind == OpKind::EXPERT || !m_speeds.IsOff())
    {
        FillBlocks(step);
        m_load = GetComputeLoad(m_blocks, m_scope.group.expertRanks);
        m_scope.meter.StartBlocks(m_stepStart, m_blocks);
    }
    else
    {
        m_block = GetBlock(step);
        m_load = GetComputeLoad(m_block.compute, m_scope.group.expertRanks.size());
        m_scope.meter.StartBlock(m_stepStart, m_block);
    }
    Simulator::Schedule(m_block.GetTotal(), &PassRunner::OnComputeDone, this, m_generation);
}

OpRecord
PassRunner::MakeOp(OpKind kind, Time start, Time end) const
{
    OpRecord op;
    op.predecessor = m_lastOp;
    op.replica = m_scope.replica;
    op.stage = m_scope.stage;
    op.layer = GetProgram()[m_step].layer;
    op.microBatch = m_pass.microBatch;
    op.kind = kind;
    op.backward = m_pass.backward;
    op.weightGradient = m_pass.GetKind() == PassKind::WEIGHT_GRADIENT;
    op.recomputed = GetProgram()[m_step].recomputed;
    op.start = start;
    op.end = end;
    return op;
}

void
PassRunner::OnCrossed(const ComputeBlock& block)
{
    m_block = block;
    m_crossed->FillTaken(m_blocks);
    m_load = GetComputeLoad(m_blocks, m_scope.group.expertRanks);
    OnComputeDone(m_generation);
}

void
PassRunner::Record(const OpRecord& op)
{
    m_lastOp = m_scope.context.ledger.AddOp(op, m_others);
    m_others.clear();
}

void
PassRunner::RecordTensor(bool after, Time start, Time end)
{
    OpRecord op = MakeOp(OpKind::TENSOR_COLLECTIVE, start, end);
    const bool crossed = m_crossed && m_crossed->GetLoad(after).most.alike > 0;
    op.load = crossed ? m_crossed->GetLoad(after) : GetScaleUpLoad(end - start);
    Record(op);
}

void
PassRunner::OnComputeDone(uint64_t generation)
{
    if (generation != m_generation)
    {
        return;
    }
    const Time compute = m_stepStart + m_block.gather;
    const Time scatter = compute + m_block.compute;
    const Time end = scatter + m_block.scatter;
    if (m_block.gather > Time())
    {
        RecordTensor(false, m_stepStart, compute);
    }
    OpRecord op = MakeOp(GetProgram()[m_step].kind, compute, scatter);
    op.load = m_load;
    Record(op);
    if (m_block.scatter > Time())
    {
        RecordTensor(true, scatter, end);
    }
    EndStep();
}

const std::vector<StageStep>&
PassRunner::GetProgram() const
{
    return m_scope.programs[m_pass.chunk].Get(m_pass.GetKind());
}

LayerTraffic&
PassRunner::GetTraffic(const StageStep& step)
{
    return m_scope.traffic.Get(m_pass.chunk, m_pass.microBatch, step);
}

std::string
PassRunner::Describe() const
{
    static constexpr const char* states[] = {"idle",
                                             "awaiting input of",
                                             "awaiting its turn to compute in",
                                             "computing",
                                             "awaiting circuits of",
                                             "exchanging"};
    static constexpr const char* names[] = {" forward",
                                            " backward",
                                            " backward (inputs)",
                                            " backward (weights)"};
    std::string text = states[static_cast<std::size_t>(m_state)];
    if (m_state == State::IDLE)
    {
        return text;
    }
    text += " micro-batch " + std::to_string(m_pass.microBatch) +
            names[static_cast<std::size_t>(m_pass.GetKind())];
    if (m_state != State::AWAITING_ARRIVAL)
    {
        const StageStep& step = GetProgram()[m_step];
        text += std::string(", ") + GetName(step.kind);
        text += step.layer == OpRecord::NONE ? "" : " of layer " + std::to_string(step.layer);
    }
    return text;
}

} // namespace ns3
