/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "stage-runner.h"

#include "ns3/collective-builders.h"
#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t HELD = OpRecord::NONE - 1; //!< arrival that needs no hand-over

/// @return true when its backward passes are split
bool
IsSplit(const std::vector<PipelinePass>& order)
{
    return std::any_of(order.begin(), order.end(), [](const PipelinePass& pass) {
        return pass.part != BackwardPart::WHOLE;
    });
}

} // namespace

StageRunner::StageRunner(StageContext& context,
                         StageHost& host,
                         uint32_t replica,
                         uint32_t stage,
                         std::vector<PipelinePass> order)
    : m_scope{context,
              host,
              replica,
              stage,
              context.layout->GetGroups()[context.layout->GetGroupIndex(replica, stage)],
              ExposureMeter(context.layout->GetDegrees().GetExpertRanks()),
              StageTraffic(context, replica, stage, IsSplit(order)),
              ComputeTurn(),
              TensorCrossings(
                  *context.layout,
                  context.layout->GetGroups()[context.layout->GetGroupIndex(replica, stage)],
                  context.tensorChannels),
              MovedDemand(
                  *context.layout,
                  context.layout->GetGroups()[context.layout->GetGroupIndex(replica, stage)],
                  m_scope.crossings),
              {}},
      m_order(std::move(order))
{
    for (uint32_t chunk = 0; chunk < context.job->degrees.chunks; ++chunk)
    {
        m_scope.programs.push_back(MakeStageProgram(context.job->model,
                                                    *context.layout,
                                                    context.layout->GetPart(stage, chunk),
                                                    context.job->recompute));
    }
    PassOwner& owner = *this;
    for (uint32_t lane = 0; lane < GetLanes(m_order); ++lane)
    {
        m_pass.push_back(std::make_unique<PassRunner>(m_scope, owner));
    }
}

uint32_t
StageRunner::GetLanes(const std::vector<PipelinePass>& order)
{
    uint32_t lanes = 0;
    uint32_t most = 0;
    for (const PipelinePass& pass : order)
    {
        lanes = pass.beside ? lanes + 1 : 1;
        most = std::max(most, lanes);
    }
    return most;
}

void
StageRunner::SetStream(int64_t stream, int64_t stride)
{
    for (const auto& pass : m_pass)
    {
        pass->SetStream(stream);
        stream += stride;
    }
}

void
StageRunner::UpdateSpeeds()
{
    for (const auto& pass : m_pass)
    {
        pass->UpdateSpeeds();
    }
}

uint32_t
StageRunner::GetPart(const PipelinePass& pass) const
{
    return m_scope.context.layout->GetPart(m_scope.stage, pass.chunk);
}

bool
StageRunner::HandsOver(const PipelinePass& pass) const
{
    if (pass.part == BackwardPart::WEIGHT)
    {
        return false;
    }
    const uint32_t last = m_scope.context.job->degrees.GetParts() - 1;
    return GetPart(pass) != (pass.backward ? 0 : last);
}

std::size_t
StageRunner::GetIndex(uint32_t chunk, uint32_t microBatch) const
{
    return std::size_t(chunk) * m_scope.context.job->microBatches + microBatch;
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
    MIXNET_CHECK(m_open == 0, "stage " << m_scope.stage << " is still busy");
    const TrainingJob& job = *m_scope.context.job;
    m_scope.context.phases.Reach(m_scope.context.iteration, JobPhase::START);
    for (const bool backward : {false, true})
    {
        m_arrived[backward].assign(std::size_t(job.microBatches) * job.degrees.chunks,
                                   OpRecord::NONE);
        const uint32_t chunk = backward ? job.degrees.chunks - 1 : 0;
        if (!HandsOver({0, !backward, chunk}))
        {
            const auto first = m_arrived[backward].begin() + GetIndex(chunk, 0);
            std::fill(first, first + job.microBatches, HELD);
        }
    }
    m_cursor = 0;
    m_lastOp = OpRecord::NONE;
    m_group.clear();
    m_scope.meter.Start(Simulator::Now());
    NextPasses();
}

void
StageRunner::Abort()
{
    ++m_generation;
    for (const auto& pass : m_pass)
    {
        pass->Abort();
    }
    m_scope.turn.Reset();
    m_scope.traffic.Reset();
    m_handOvers.clear();
    m_free.clear();
    m_cursor = 0;
    m_open = 0;
    m_lastOp = OpRecord::NONE;
}

void
StageRunner::NextPasses()
{
    if (m_scope.context.stopped)
    {
        return;
    }
    if (m_cursor == m_order.size())
    {
        m_scope.host.OnStageDone(*this);
        return;
    }
    const std::size_t first = m_cursor++;
    while (m_cursor < m_order.size() && m_order[m_cursor].beside)
    {
        ++m_cursor;
    }
    const auto passes = static_cast<uint32_t>(m_cursor - first);
    const uint32_t before = m_lastOp;
    m_before.swap(m_group);
    m_group.clear();
    m_open = passes; // before any is run: one may be over at once
    for (uint32_t lane = 0; lane < passes; ++lane)
    {
        const PipelinePass& pass = m_order[first + lane];
        m_pass[lane]->Open(pass);
        const uint32_t arrival = m_arrived[pass.backward][GetIndex(pass.chunk, pass.microBatch)];
        if (arrival != OpRecord::NONE)
        {
            std::vector<uint32_t> others = m_before;
            others.push_back(arrival == HELD ? OpRecord::NONE : arrival);
            m_pass[lane]->Run(before, others);
        }
    }
}

void
StageRunner::Arrive(const PipelinePass& pass, uint32_t op)
{
    m_arrived[pass.backward][GetIndex(pass.chunk, pass.microBatch)] = op;
    for (const auto& lane : m_pass)
    {
        if (lane->IsAwaiting(pass) && !m_scope.context.stopped)
        {
            lane->Run(op, m_before);
            return;
        }
    }
}

void
StageRunner::OnPassDone(PassRunner& runner)
{
    const PipelinePass pass = runner.GetPass();
    m_lastOp = runner.GetLastOp();
    m_group.push_back(m_lastOp);
    if (pass.backward && pass.part != BackwardPart::INPUT)
    {
        m_scope.traffic.Close(pass.chunk, pass.microBatch);
    }
    if (HandsOver(pass))
    {
        StartHandOver(pass, m_lastOp);
    }
    if (--m_open == 0)
    {
        NextPasses();
    }
}

void
StageRunner::StartHandOver(const PipelinePass& pass, uint32_t op)
{
    StageRunner* peer = pass.backward ? m_previous : m_next;
    const StageContext& context = m_scope.context;
    const uint64_t bytes = context.job->GetStageBytes();
    const CollectiveRunner::Run run = context.runner->Open();
    for (std::size_t rank = 0; rank < m_scope.group.ranks.size(); ++rank)
    {
        AppendPointToPoint(context.runner->GetGraph(run),
                           m_scope.group.ranks[rank],
                           peer->m_scope.group.ranks[rank],
                           context.job->degrees.tensor,
                           TrafficClass::PP,
                           ByteCount(bytes));
    }
    GetMeter().BeginCommunication(Simulator::Now(), TrafficClass::PP);
    peer->GetMeter().BeginCommunication(Simulator::Now(), TrafficClass::PP);
    if (m_free.empty())
    {
        m_free.push_back(static_cast<uint32_t>(m_handOvers.size()));
        m_handOvers.emplace_back();
    }
    const uint32_t entry = m_free.back();
    m_free.pop_back();
    m_handOvers[entry] = {pass, op};
    context.runner->Start(run, *this, (uint64_t(m_generation) << 32) | entry);
}

void
StageRunner::OnCollective(const CollectiveResult& result)
{
    if (result.tag >> 32 != m_generation)
    {
        return;
    }
    const auto entry = static_cast<uint32_t>(result.tag);
    PipelinePass pass = m_handOvers[entry].pass;
    m_free.push_back(entry);
    StageRunner* peer = pass.backward ? m_previous : m_next;
    IterationLedger& ledger = m_scope.context.ledger;
    ledger.AddTransfers(result.transfers);
    GetMeter().EndCommunication(Simulator::Now(), TrafficClass::PP);
    peer->GetMeter().EndCommunication(Simulator::Now(), TrafficClass::PP);
    ledger.AddBytes(TrafficClass::PP, result.bytesByPath);
    OpRecord op;
    op.predecessor = m_handOvers[entry].op;
    op.replica = m_scope.replica;
    op.stage = m_scope.stage;
    op.microBatch = pass.microBatch;
    op.kind = OpKind::STAGE_TRANSFER;
    op.backward = pass.backward;
    op.start = result.started;
    op.end = Simulator::Now();
    op.load = result.load;
    const uint32_t id = ledger.AddOp(op);
    if (result.lost > 0)
    {
        m_scope.host.OnLoss("hand-over from stage " + std::to_string(m_scope.stage) +
                            " of replica " + std::to_string(m_scope.replica));
        return;
    }
    // Around the stages the chunk changes.
    const bool around = pass.backward ? m_scope.stage == 0 : peer->m_scope.stage == 0;
    pass.chunk += !around ? 0 : pass.backward ? -1 : 1;
    peer->Arrive(pass, id);
}

std::string
StageRunner::Describe() const
{
    std::string text;
    for (const auto& pass : m_pass)
    {
        if (!pass->IsIdle())
        {
            text += (text.empty() ? "" : "; ") + pass->Describe();
        }
    }
    return "replica " + std::to_string(m_scope.replica) + ", stage " +
           std::to_string(m_scope.stage) + ": " + (text.empty() ? "idle" : text);
}

} // namespace ns3
