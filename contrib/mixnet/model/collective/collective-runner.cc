/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-runner.h"

#include "moved-lanes.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CollectiveRunner);

namespace
{

/// @return tag of a transfer
uint64_t
MakeTag(CollectiveRunner::Run run, TransferGraph::Node node)
{
    return (uint64_t(run) << 32) | node;
}

} // namespace

TypeId
CollectiveRunner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CollectiveRunner")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<CollectiveRunner>()
            .AddTraceSource("Collective",
                            "A collective has ended.",
                            MakeTraceSourceAccessor(&CollectiveRunner::m_collectiveTrace),
                            "ns3::CollectiveRunner::CollectiveTracedCallback");
    return tid;
}

void
CollectiveRunner::DoDispose()
{
    m_transport = nullptr;
    m_runs.clear();
    m_free.clear();
    Object::DoDispose();
}

void
CollectiveRunner::SetTransport(Ptr<Transport> transport)
{
    m_transport = transport;
}

CollectiveRunner::Run
CollectiveRunner::Open()
{
    if (m_free.empty())
    {
        m_runs.push_back(std::make_unique<State>());
        return static_cast<Run>(m_runs.size() - 1);
    }
    const Run run = m_free.back();
    m_free.pop_back();
    m_runs[run]->graph.Clear();
    return run;
}

TransferGraph&
CollectiveRunner::GetGraph(Run run)
{
    return m_runs[run]->graph;
}

void
CollectiveRunner::Start(Run run, CollectiveSink& sink, uint64_t tag)
{
    MIXNET_CHECK(m_transport, "a collective without a transport");
    State& state = *m_runs[run];
    state.sink = &sink;
    state.result = CollectiveResult();
    state.result.tag = tag;
    state.result.started = Simulator::Now();
    LoadMeter* meter = m_transport->GetLoadMeter();
    state.account = meter ? meter->Open() : LoadMeter::NONE;
    state.local = 0;
    state.localTime = Time();
    state.open = state.graph.GetNNodes();
    state.pending = 0;
    state.dropped = false;
    state.parts.assign(m_moved.empty() ? 0 : state.open, 0);
    ++m_active;
    if (state.open == 0)
    {
        ++state.pending;
        Simulator::ScheduleNow(&CollectiveRunner::FinishEmpty, this, run);
        return;
    }
    if (state.graph.IsFlat())
    {
        state.waits.clear();
        m_batch = state.graph.GetTransfers();
        for (TransferGraph::Node n = 0; n < state.open; ++n)
        {
            m_batch[n].tag = MakeTag(run, n);
            m_batch[n].account = state.account;
        }
        Send(run);
        return;
    }
    state.graph.Seal();
    state.waits = state.graph.GetPredecessorCounts();
    m_ready.clear();
    for (TransferGraph::Node n = 0; n < state.open; ++n)
    {
        if (state.waits[n] == 0)
        {
            m_ready.push_back(n);
        }
    }
    Release(run);
}

void
CollectiveRunner::Send(Run run)
{
    if (!m_moved.empty())
    {
        CutMoved(run);
    }
    m_runs[run]->pending += static_cast<uint32_t>(m_batch.size());
    m_transport->Send(m_batch, *this);
}

void
CollectiveRunner::Release(Run run)
{
    State& state = *m_runs[run];
    const TransferGraph& graph = state.graph;
    m_batch.clear();
    for (const TransferGraph::Node n : m_ready)
    {
        if (graph.IsLocal(n))
        {
            ++state.pending;
            if (state.local++ == 0)
            {
                state.localBegin = Simulator::Now();
            }
            Simulator::Schedule(graph.GetLocal(n).duration,
                                &CollectiveRunner::OnLocal,
                                this,
                                run,
                                n);
        }
        else
        {
            m_batch.push_back(graph.GetTransfer(n));
            m_batch.back().tag = MakeTag(run, n);
            m_batch.back().account = state.account;
        }
    }
    if (!m_batch.empty())
    {
        Send(run);
    }
}

void
CollectiveRunner::CutMoved(Run run)
{
    std::vector<uint32_t>& parts = m_runs[run]->parts;
    m_cut.clear();
    for (const Transfer& t : m_batch)
    {
        const std::size_t before = m_cut.size();
        AppendCut(t, m_moved, m_cut);
        parts[static_cast<TransferGraph::Node>(t.tag)] =
            static_cast<uint32_t>(m_cut.size() - before);
    }
    m_batch.swap(m_cut);
}

bool
CollectiveRunner::EndPending(Run run)
{
    State& state = *m_runs[run];
    --state.pending;
    if (state.dropped && state.pending == 0)
    {
        CloseLoad(state);
        m_free.push_back(run);
    }
    return state.dropped;
}

std::size_t
CollectiveRunner::AbortAll()
{
    for (const auto& state : m_runs)
    {
        if (state->sink != nullptr && !state->dropped)
        {
            state->dropped = true;
            state->sink = nullptr;
            --m_active;
        }
    }
    return m_transport->AbortAll(*this);
}

void
CollectiveRunner::SetMoved(std::map<GpuId, GpuId> moved)
{
    m_moved = std::move(moved);
}

void
CollectiveRunner::OnCompletion(const Completion& completion)
{
    const auto run = static_cast<Run>(completion.tag >> 32);
    const auto node = static_cast<TransferGraph::Node>(completion.tag);
    if (EndPending(run))
    {
        return;
    }
    State& state = *m_runs[run];
    CollectiveResult& result = state.result;
    ++result.transfers;
    result.bytes += completion.bytes;
    if (completion.status != TransferStatus::DELIVERED)
    {
        ++result.lost;
    }
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        result.bytesByPath[p] += completion.bytesByPath[p];
    }
    if (state.parts.empty() || --state.parts[node] == 0)
    {
        EndNode(run, node);
    }
}

void
CollectiveRunner::OnLocal(Run run, TransferGraph::Node node)
{
    if (EndPending(run))
    {
        return;
    }
    State& state = *m_runs[run];
    state.result.bytesByPath[static_cast<std::size_t>(PathClass::SCALE_UP)] +=
        state.graph.GetLocal(node).scaleUpBytes;
    if (--state.local == 0)
    {
        state.localTime += Simulator::Now() - state.localBegin;
    }
    EndNode(run, node);
}

void
CollectiveRunner::EndNode(Run run, TransferGraph::Node node)
{
    State& state = *m_runs[run];
    if (--state.open == 0)
    {
        Finish(run);
        return;
    }
    if (state.waits.empty())
    {
        return;
    }
    m_ready.clear();
    const auto [begin, end] = state.graph.GetSuccessors(node);
    for (const TransferGraph::Node* s = begin; s != end; ++s)
    {
        if (--state.waits[*s] == 0)
        {
            m_ready.push_back(*s);
        }
    }
    if (!m_ready.empty())
    {
        Release(run);
    }
}

OperationLoad
CollectiveRunner::CloseLoad(State& state)
{
    if (state.account == LoadMeter::NONE)
    {
        return OperationLoad();
    }
    OperationLoad load = m_transport->GetLoadMeter()->Close(state.account);
    ResourceLoad local;
    local.resource.kind = FabricResourceKind::SCALE_UP;
    local.time = state.localTime;
    local.alike = 1;
    if (local.time > load.most.time)
    {
        load.next = load.most;
        load.most = local;
    }
    else if (local.time > load.next.time)
    {
        load.next = local;
    }
    return load;
}

void
CollectiveRunner::FinishEmpty(Run run)
{
    if (!EndPending(run))
    {
        Finish(run);
    }
}

void
CollectiveRunner::Finish(Run run)
{
    State& state = *m_runs[run];
    state.result.finished = Simulator::Now();
    state.result.load = CloseLoad(state);
    const CollectiveResult result = state.result;
    CollectiveSink* sink = state.sink;
    state.sink = nullptr;
    --m_active;
    m_free.push_back(run);
    m_collectiveTrace(result);
    sink->OnCollective(result);
}

} // namespace ns3
