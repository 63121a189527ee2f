/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of PassRunner that talks to the network: all-to-alls.

#include "pass-runner.h"

#include "ns3/simulator.h"

namespace ns3
{

AllToAllId
PassRunner::GetId(const StageStep& step) const
{
    AllToAllId id;
    id.iteration = m_scope.context.iteration;
    id.layer = step.moeLayer;
    id.microBatch = m_pass.microBatch;
    id.phase = step.phase;
    id.group = m_scope.context.layout->GetGroupIndex(m_scope.replica, m_scope.stage);
    return id;
}

RegionalController*
PassRunner::GetController(std::size_t part) const
{
    const auto& controllers = m_scope.context.controllers;
    const uint32_t region = m_scope.group.regions[part].region.Get();
    return region < controllers.size() ? PeekPointer(controllers[region]) : nullptr;
}

bool
PassRunner::FillDemand(std::size_t part, const StageStep& step)
{
    GetTraffic(step).matrix.GetDemand(m_scope.group.regions[part],
                                      IsTransposed(step.phase),
                                      m_demand);
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
PassRunner::Announce(const StageStep& step)
{
    for (std::size_t part = 0; part < m_scope.group.regions.size(); ++part)
    {
        RegionalController* controller = GetController(part);
        if (controller && FillDemand(part, step))
        {
            controller->Announce(GetId(step), m_demand);
        }
    }
}

void
PassRunner::StartAllToAll(const StageStep& step)
{
    m_stepStart = Simulator::Now();
    m_scope.context.phases.Reach(m_scope.context.iteration,
                                 step.kind == OpKind::DISPATCH ? JobPhase::DISPATCH
                                                               : JobPhase::COMBINE);
    m_scope.meter.BeginCommunication(m_stepStart, TrafficClass::EP);
    m_requested.clear();
    m_dark = 1; // held until all are asked
    for (std::size_t part = 0; part < m_scope.group.regions.size(); ++part)
    {
        RegionalController* controller = GetController(part);
        if (controller && FillDemand(part, step))
        {
            m_requested.push_back(part);
            ++m_dark;
            controller->Request(GetId(step), m_demand, m_onLight);
        }
    }
    m_state = State::AWAITING_LIGHT;
    if (!m_requested.empty())
    {
        m_scope.meter.SetWaiting(m_stepStart, true);
    }
    OnLight(m_generation);
}

void
PassRunner::OnLight(uint64_t generation)
{
    if (generation == m_generation && --m_dark == 0)
    {
        Launch();
    }
}

void
PassRunner::Launch()
{
    const StageStep& step = GetProgram()[m_step];
    StageContext& context = m_scope.context;
    m_state = State::EXCHANGING;
    m_launched = Simulator::Now();
    if (!m_requested.empty())
    {
        m_scope.meter.SetWaiting(m_launched, false);
        const AllToAllId id = GetId(step);
        for (const std::size_t part : m_requested)
        {
            GetController(part)->Begin(id);
        }
    }
    const TrafficMatrix& matrix = GetTraffic(step).matrix;
    const bool back = IsTransposed(step.phase);
    const CollectiveRunner::Run run = context.runner->Open();
    context.allToAll->Append(context.runner->GetGraph(run),
                             {m_scope.group.expertRanks,
                              context.job->degrees.GetExpertTensor(),
                              TrafficClass::EP,
                              matrix.GetBytes(back),
                              back,
                              matrix.GetServerBytes(back)});
    context.runner->Start(run, *this, m_generation);
}

void
PassRunner::OnCollective(const CollectiveResult& result)
{
    if (result.tag != m_generation)
    {
        return;
    }
    const StageStep& step = GetProgram()[m_step];
    if (step.kind == OpKind::CONTEXT_EXCHANGE)
    {
        EndContextExchange(result);
        return;
    }
    IterationLedger& ledger = m_scope.context.ledger;
    const Time now = Simulator::Now();
    ledger.AddTransfers(result.transfers);
    m_scope.meter.EndCommunication(now, TrafficClass::EP);
    ledger.AddBytes(TrafficClass::EP, result.bytesByPath);
    ledger.AddAllToAll();
    OpRecord op = MakeOp(step.kind, m_stepStart, now);
    op.waited = m_launched - m_stepStart;
    op.load = result.load;
    Record(op);
    ReportAllToAll(result);
    if (result.lost > 0)
    {
        m_scope.host.OnLoss("all-to-all of replica " + std::to_string(m_scope.replica) +
                            ", stage " + std::to_string(m_scope.stage) + ": " + Describe());
        return;
    }
    const AllToAllId id = GetId(step);
    for (const std::size_t part : m_requested)
    {
        GetController(part)->Finish(id);
    }
    EndStep();
}

void
PassRunner::ReportAllToAll(const CollectiveResult& result)
{
    const StageStep& step = GetProgram()[m_step];
    const TrafficMatrix& matrix = GetTraffic(step).matrix;
    AllToAllRecord record;
    record.id = GetId(step);
    record.replica = m_scope.replica;
    record.stage = m_scope.stage;
    record.ready = m_stepStart;
    record.launched = m_launched;
    record.finished = Simulator::Now();
    record.bytes = matrix.GetCrossing(IsTransposed(step.phase));
    record.transfers = result.transfers;
    record.transposed = IsTransposed(step.phase);
    record.matrix = &matrix.GetBytes(record.transposed);
    m_scope.host.OnAllToAll(record);
}

} // namespace ns3
