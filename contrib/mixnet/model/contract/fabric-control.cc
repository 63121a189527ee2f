/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-control.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

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
    m_promises.clear();
    m_awaiting = nullptr;
    m_graph = nullptr;
    Object::DoDispose();
}

void
FabricControl::SetEdges(const std::vector<EdgeId>& edges, EdgeCause cause, bool up)
{
    m_graph->SetEdges(edges, cause, up);
    if (!m_promises.empty())
    {
        UpdateAwaited();
    }
}

void
FabricControl::SetBroken(const std::vector<EdgeId>& edges, bool broken)
{
    m_graph->SetBroken(edges, broken);
}

void
FabricControl::SetRate(const std::vector<EdgeId>& edges, DataRate rate)
{
    m_graph->SetRate(edges, rate);
}

bool
FabricControl::SetBitErrors(const std::vector<EdgeId>& /* edges */,
                            double /* rate */,
                            int64_t /* stream */)
{
    return false;
}

FabricLosses
FabricControl::GetLosses() const
{
    return {};
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
    std::vector<ChannelId> channels;
    channels.reserve(2 * edges.size());
    for (const EdgeId e : edges)
    {
        channels.emplace_back(2 * e.Get());
        channels.emplace_back(2 * e.Get() + 1);
    }
    return QuiesceChannels(channels, timeout, drained);
}

FabricControl::Token
FabricControl::QuiesceChannels(const std::vector<ChannelId>& channels,
                               Time timeout,
                               const DrainedCallback& drained)
{
    const Token token = m_next++;
    m_holders.resize(2 * std::size_t(m_graph->GetNEdges()), 0);
    std::vector<ChannelId> fresh;
    for (const ChannelId c : channels)
    {
        if (m_holders[c.Get()]++ == 0)
        {
            fresh.push_back(c);
        }
    }
    Pending& pending = m_pending[token];
    pending.channels = channels;
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
    std::vector<ChannelId> freed;
    for (const ChannelId c : it->second.channels)
    {
        if (--m_holders[c.Get()] == 0)
        {
            freed.push_back(c);
        }
    }
    m_pending.erase(it);
    m_graph->SetHeld(freed, false);
    DoResume(token, freed);
}

void
FabricControl::SetAwaiting(Ptr<Transport> transport)
{
    m_awaiting = transport;
}

FabricControl::Token
FabricControl::Promise(const std::vector<Circuit>& circuits)
{
    const Token promise = m_next++;
    m_promises[promise] = circuits;
    UpdateAwaited();
    return promise;
}

void
FabricControl::EndPromise(Token promise)
{
    MIXNET_CHECK(m_promises.erase(promise) == 1, "end of an unknown promise " << promise);
    UpdateAwaited();
}

bool
FabricControl::AreJoined(ServerId a, ServerId b) const
{
    for (const uint32_t nic : m_graph->GetNics(a, EdgeKind::FIBER))
    {
        const auto peer = m_graph->GetLitPeer(a, nic);
        if (peer && peer->first == b &&
            !m_graph->IsHeld(m_graph->GetEgress(m_graph->GetVertex(a), nic)) &&
            !m_graph->IsHeld(
                FabricGraph::GetReverse(m_graph->GetEgress(m_graph->GetVertex(b), peer->second))))
        {
            return true;
        }
    }
    return false;
}

void
FabricControl::UpdateAwaited()
{
    if (!m_awaiting)
    {
        return;
    }
    std::vector<std::pair<ServerId, ServerId>> pairs;
    const auto findServer = [this](const Circuit& c, uint32_t port) {
        const EdgeId e = m_graph->GetEdge(c.ocs, port);
        const VertexId a = m_graph->GetEndA(e);
        return m_graph->GetServer(a == c.ocs ? m_graph->GetEndB(e) : a);
    };
    for (const auto& [promise, circuits] : m_promises)
    {
        for (const Circuit& c : circuits)
        {
            const bool failed =
                m_graph->HasCause(m_graph->GetEdge(c.ocs, c.portA), EdgeCause::FAILURE) ||
                m_graph->HasCause(m_graph->GetEdge(c.ocs, c.portB), EdgeCause::FAILURE);
            for (uint32_t i = 0; i < c.GetNDirections(); ++i)
            {
                const auto [from, to] = c.GetDirection(i);
                const ServerId a = findServer(c, from);
                const ServerId b = findServer(c, to);
                if (!failed && a != b && !AreJoined(a, b))
                {
                    pairs.emplace_back(a, b);
                }
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    m_awaiting->SetAwaited(m_graph, pairs);
}

bool
FabricControl::IsQuiesced(EdgeId e) const
{
    const std::size_t first = 2 * std::size_t(e.Get());
    return first < m_holders.size() && m_holders[first] + m_holders[first + 1] > 0;
}

const std::vector<ChannelId>&
FabricControl::GetChannels(Token token) const
{
    return m_pending.at(token).channels;
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
