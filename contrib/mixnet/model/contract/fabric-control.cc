/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-control.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricControl);

TypeId
FabricControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricControl").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

void
FabricControl::SetGraph(Ptr<FabricGraph> graph)
{
    m_graph = graph;
}

Ptr<FabricGraph>
FabricControl::GetGraph() const
{
    return m_graph;
}

void
FabricControl::DoDispose()
{
    for (auto& [token, pending] : m_pending)
    {
        pending.timeout.Cancel();
    }
    m_pending.clear();
    m_graph = nullptr;
    Object::DoDispose();
}

void
FabricControl::SetEdges(const std::vector<EdgeId>& edges, EdgeCause cause, bool up)
{
    m_graph->SetEdges(edges, cause, up);
}

void
FabricControl::Connect(const std::vector<Circuit>& added, const std::vector<Circuit>& removed)
{
    m_graph->ChangeMatching(added, removed);
}

FabricControl::Token
FabricControl::Quiesce(const std::vector<EdgeId>& edges,
                       Time timeout,
                       const DrainedCallback& drained)
{
    const Token token = m_next++;
    m_holders.resize(m_graph->GetNEdges(), 0);
    std::vector<EdgeId> fresh;
    for (const EdgeId e : edges)
    {
        if (m_holders[e.Get()]++ == 0)
        {
            fresh.push_back(e);
        }
    }
    Pending& pending = m_pending[token];
    pending.edges = edges;
    pending.drained = drained;
    if (timeout.IsStrictlyPositive())
    {
        pending.timeout = Simulator::Schedule(timeout, &FabricControl::Tell, this, token, false);
    }
    m_graph->SetHeld(fresh, true);
    DoQuiesce(token, fresh);
    return token;
}

void
FabricControl::Resume(Token token)
{
    const auto it = m_pending.find(token);
    MIXNET_CHECK(it != m_pending.end(), "resume of an unknown quiesce " << token);
    it->second.timeout.Cancel();
    std::vector<EdgeId> freed;
    for (const EdgeId e : it->second.edges)
    {
        if (--m_holders[e.Get()] == 0)
        {
            freed.push_back(e);
        }
    }
    m_pending.erase(it);
    m_graph->SetHeld(freed, false);
    DoResume(token, freed);
}

bool
FabricControl::IsQuiesced(EdgeId e) const
{
    return e.Get() < m_holders.size() && m_holders[e.Get()] > 0;
}

const std::vector<EdgeId>&
FabricControl::GetEdges(Token token) const
{
    return m_pending.at(token).edges;
}

void
FabricControl::Drained(Token token)
{
    Tell(token, true);
}

void
FabricControl::Tell(Token token, bool empty)
{
    const auto it = m_pending.find(token);
    if (it == m_pending.end() || it->second.drained.IsNull())
    {
        return;
    }
    it->second.timeout.Cancel();
    const DrainedCallback drained = it->second.drained;
    it->second.drained = DrainedCallback();
    drained(empty);
}

} // namespace ns3
