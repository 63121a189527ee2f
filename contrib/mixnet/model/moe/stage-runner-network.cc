/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of StageRunner that talks to the network: all-to-alls and hand-overs.

#include "stage-runner.h"

#include "ns3/collective-builders.h"
#include "ns3/simulator.h"

namespace ns3
{

namespace
{

constexpr uint64_t ALL_TO_ALL = UINT64_MAX; //!< tag; a hand-over's holds pass and predecessor

/// @return tag of a hand-over by chunk `pass.chunk`
uint64_t
MakeTag(const PipelinePass& pass, uint32_t op, uint32_t microBatches)
{
    const uint64_t index = uint64_t(pass.chunk) * microBatches + pass.microBatch;
    return (uint64_t(op) << 32) | (index << 1) | (pass.backward ? 1 : 0);
}

} // namespace

AllToAllId
StageRunner::GetId(const StageStep& step) const
{
    AllToAllId id;
    id.iteration = m_context.iteration;
    id.layer = step.moeLayer;
    id.microBatch = m_order[m_pass].microBatch;
    id.phase = step.phase;
    id.group = m_context.layout->GetGroupIndex(m_replica, m_stage);
    return id;
}

RegionalController*
StageRunner::GetController(std::size_t part) const
{
    const uint32_t region = m_group.regions[part].region.Get();
    return region < m_context.controllers.size() ? PeekPointer(m_context.controllers[region])
                                                 : nullptr;
}

bool
StageRunner::FillDemand(std::size_t part, const StageStep& step)
{
    GetTraffic(step).matrix.GetDemand(m_group.regions[part], IsTransposed(step.phase), m_demand);
    for (const uint64_t bytes : m_demand.Data())
    {
        if (bytes > 0)
        {
            return true;
        }
    }
    return false;
}

void
StageRunner::Announce(const StageStep& step)
{
    for (std::size_t part = 0; part < m_group.regions.size(); ++part)
    {
        RegionalController* controller = GetController(part);
        if (controller && FillDemand(part, step))
        {
            controller->Announce(GetId(step), m_demand);
        }
    }
}

void
StageRunner::StartAllToAll(const StageStep& step)
{
    m_meter.BeginCommunication(m_stepStart, TrafficClass::EP);
    m_requested.clear();
    m_dark = 1; // held until all are asked
    for (std::size_t part = 0; part < m_group.regions.size(); ++part)
    {
        RegionalController* controller = GetController(part);
        if (controller && FillDemand(part, step))
        {
            m_requested.push_back(part);
            ++m_dark;
            controller->Request(GetId(step), m_demand, m_onLight);
        }
    }
    if (!m_requested.empty())
    {
        m_state = State::AWAITING_LIGHT;
        m_meter.SetWaiting(m_stepStart, true);
    }
    OnLight();
}

void
StageRunner::OnLight()
{
    if (--m_dark == 0)
    {
        Launch();
    }
}

void
StageRunner::Launch()
{
    const StageStep& step = GetProgram()[m_step];
    m_state = State::EXCHANGING;
    m_launched = Simulator::Now();
    if (!m_requested.empty())
    {
        m_meter.SetWaiting(m_launched, false);
        const AllToAllId id = GetId(step);
        for (const std::size_t part : m_requested)
        {
            GetController(part)->Begin(id);
        }
    }
    const CollectiveRunner::Run run = m_context.runner->Open();
    m_context.allToAll->Append(m_context.runner->GetGraph(run),
                               {m_group.ranks,
                                m_context.job->degrees.tensor,
                                TrafficClass::EP,
                                GetTraffic(step).matrix.GetBytes(),
                                IsTransposed(step.phase)});
    m_context.runner->Start(run, *this, ALL_TO_ALL);
}

void
StageRunner::OnCollective(const CollectiveResult& result)
{
    m_context.ledger.AddTransfers(result.transfers);
    if (result.tag == ALL_TO_ALL)
    {
        EndAllToAll(result);
    }
    else
    {
        EndHandOver(result);
    }
}

void
StageRunner::EndAllToAll(const CollectiveResult& result)
{
    const StageStep& step = GetProgram()[m_step];
    const Time now = Simulator::Now();
    m_meter.EndCommunication(now, TrafficClass::EP);
    m_context.ledger.AddBytes(TrafficClass::EP, result.bytesByPath);
    m_context.ledger.AddAllToAll();
    OpRecord op = MakeOp(step.kind, m_stepStart, now);
    op.waited = m_launched - m_stepStart;
    m_lastOp = m_context.ledger.AddOp(op);

    AllToAllRecord record;
    record.id = GetId(step);
    record.replica = m_replica;
    record.stage = m_stage;
    record.ready = m_stepStart;
    record.launched = m_launched;
    record.finished = now;
    record.bytes = GetTraffic(step).matrix.GetCrossing();
    record.transfers = result.transfers;
    record.transposed = IsTransposed(step.phase);
    record.matrix = &GetTraffic(step).matrix.GetBytes();
    m_host.OnAllToAll(record);
    if (result.lost > 0)
    {
        m_host.OnLoss("all-to-all of " + Describe());
        return;
    }
    for (const std::size_t part : m_requested)
    {
        GetController(part)->Finish(record.id);
    }
    EndStep();
}

void
StageRunner::HandOver(StageRunner* peer)
{
    const PipelinePass pass = m_order[m_pass];
    const uint64_t bytes = m_context.job->GetStageBytes();
    const CollectiveRunner::Run run = m_context.runner->Open();
    for (std::size_t rank = 0; rank < m_group.ranks.size(); ++rank)
    {
        AppendPointToPoint(m_context.runner->GetGraph(run),
                           m_group.ranks[rank],
                           peer->m_group.ranks[rank],
                           m_context.job->degrees.tensor,
                           TrafficClass::PP,
                           ByteCount(bytes));
    }
    m_meter.BeginCommunication(Simulator::Now(), TrafficClass::PP);
    peer->m_meter.BeginCommunication(Simulator::Now(), TrafficClass::PP);
    m_context.runner->Start(run, *this, MakeTag(pass, m_lastOp, m_context.job->microBatches));
}

void
StageRunner::EndHandOver(const CollectiveResult& result)
{
    const auto index = static_cast<uint32_t>((result.tag & UINT32_MAX) >> 1);
    const uint32_t microBatches = m_context.job->microBatches;
    PipelinePass pass{index % microBatches, (result.tag & 1) != 0, index / microBatches};
    StageRunner* peer = pass.backward ? m_previous : m_next;
    m_meter.EndCommunication(Simulator::Now(), TrafficClass::PP);
    peer->m_meter.EndCommunication(Simulator::Now(), TrafficClass::PP);
    m_context.ledger.AddBytes(TrafficClass::PP, result.bytesByPath);
    OpRecord op;
    op.predecessor = static_cast<uint32_t>(result.tag >> 32);
    op.replica = m_replica;
    op.stage = m_stage;
    op.microBatch = pass.microBatch;
    op.kind = OpKind::STAGE_TRANSFER;
    op.backward = pass.backward;
    op.start = result.started;
    op.end = Simulator::Now();
    const uint32_t id = m_context.ledger.AddOp(op);
    if (result.lost > 0)
    {
        m_host.OnLoss("hand-over from stage " + std::to_string(m_stage) + " of replica " +
                      std::to_string(m_replica));
        return;
    }
    // Around the stages the chunk changes.
    const bool around = pass.backward ? m_stage == 0 : peer->m_stage == 0;
    pass.chunk += !around ? 0 : pass.backward ? -1 : 1;
    peer->Arrive(pass, id);
}

std::string
StageRunner::Describe() const
{
    static constexpr const char* states[] = {"idle",
                                             "awaiting input of",
                                             "computing",
                                             "awaiting circuits of",
                                             "exchanging"};
    std::string text = "replica " + std::to_string(m_replica) + ", stage " +
                       std::to_string(m_stage) + ": " + states[static_cast<std::size_t>(m_state)];
    if (m_state != State::IDLE)
    {
        const PipelinePass& pass = m_order[m_pass];
        const StageStep& step = GetProgram()[m_step];
        text += " micro-batch " + std::to_string(pass.microBatch) +
                (pass.backward ? " backward" : " forward");
        if (m_state != State::AWAITING_ARRIVAL)
        {
            text += std::string(", ") + GetName(step.kind);
            text += step.layer == OpRecord::NONE ? "" : " of layer " + std::to_string(step.layer);
        }
    }
    return text;
}

} // namespace ns3
