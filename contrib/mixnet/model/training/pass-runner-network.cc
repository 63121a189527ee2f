/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The part of PassRunner that talks to the network: all-to-alls.

#include "pass-runner.h"

#include "ns3/simulator.h"

#include <algorithm>

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
    const GroupRegion& region = m_scope.group.regions[part];
    GetTraffic(step).matrix.GetDemand(region, IsTransposed(step.phase), m_demand);
    if (!m_scope.moved.IsEmpty())
    {
        AddMovedDemand(region, step);
    }
    for (const uint64_t bytes : m_demand.Data())
    {
        if (bytes > 0)
        {
            return true;
        }
    }
    return false;
}

const ComputeBlock&
PassRunner::GetBlockOf(const StageStep& step, uint32_t rank)
{
    if (step.kind != OpKind::EXPERT)
    {
        return GetBlock(step);
    }
    const auto& experts = GetTraffic(step).experts[static_cast<std::size_t>(GetKind(step))];
    const uint32_t size = m_scope.context.job->degrees.ranksPerBlock;
    return *std::max_element(
        experts.begin() + std::size_t(rank) * size,
        experts.begin() + std::size_t(rank + 1) * size,
        [](const ComputeBlock& a, const ComputeBlock& b) { return a.GetTotal() < b.GetTotal(); });
}

void
PassRunner::AddMovedDemand(const GroupRegion& region, const StageStep& step)
{
    m_scope.moved.MoveShares(region, GetTraffic(step).matrix, IsTransposed(step.phase), m_demand);
    // TP collectives of the layer in this pass: as many with each of its all-to-alls.
    const TensorCrossings& crossings = m_scope.crossings;
    m_edges.assign(crossings.GetBlocks().size(), ByteCount());
    uint64_t allToAlls = 0;
    for (const StageStep& other : GetProgram())
    {
        if (other.layer != step.layer || other.kind == OpKind::HEAD ||
            other.kind == OpKind::CONTEXT_EXCHANGE)
        {
            continue;
        }
        if (IsAllToAll(other.kind))
        {
            ++allToAlls;
            continue;
        }
        for (std::size_t b = 0; b < m_edges.size() && HasCollectives(other); ++b)
        {
            const ComputeBlock& block = GetBlockOf(other, crossings.GetBlocks()[b].rank);
            m_edges[b] +=
                crossings.GetEdgeBytes(block.gather) + crossings.GetEdgeBytes(block.scatter);
        }
    }
    for (ByteCount& edge : m_edges)
    {
        edge = ByteCount(edge.Get() / allToAlls);
    }
    m_scope.moved.AddTensor(region, m_edges, m_demand);
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
