/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-graph.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <set>

namespace ns3
{

bool
FabricGraph::IsUp(EdgeId e) const
{
    return m_down[e.Get()] == 0;
}

bool
FabricGraph::HasCause(EdgeId e, EdgeCause cause) const
{
    return (m_down[e.Get()] >> static_cast<unsigned>(cause)) & 1U;
}

std::optional<uint32_t>
FabricGraph::GetPeer(VertexId ocs, uint32_t port) const
{
    const uint32_t peer = m_match[ocs.Get()][port];
    return peer == NO_PEER ? std::nullopt : std::optional<uint32_t>(peer);
}

bool
FabricGraph::IsLit(const Circuit& c) const
{
    return m_match[c.ocs.Get()][c.portA] == c.portB && IsUp(GetEdge(c.ocs, c.portA)) &&
           IsUp(GetEdge(c.ocs, c.portB));
}

std::vector<Circuit>
FabricGraph::GetCircuits(VertexId ocs) const
{
    std::vector<Circuit> circuits;
    const auto& match = m_match[ocs.Get()];
    for (uint32_t port = 0; port < match.size(); ++port)
    {
        if (match[port] != NO_PEER && port < match[port])
        {
            circuits.push_back({ocs, port, match[port]});
        }
    }
    return circuits;
}

std::optional<std::pair<ServerId, uint32_t>>
FabricGraph::GetLitPeer(ServerId s, uint32_t nic) const
{
    const EdgeId near = GetEdge(GetVertex(s), nic);
    const auto& ends = m_ends[near.Get()];
    const End& ocsEnd = ends[0].vertex == GetVertex(s) ? ends[1] : ends[0];
    if (!IsUp(near) || m_kind[ocsEnd.vertex.Get()] != VertexKind::OCS)
    {
        return std::nullopt;
    }
    const uint32_t peer = m_match[ocsEnd.vertex.Get()][ocsEnd.port];
    if (peer == NO_PEER || !IsUp(GetEdge(ocsEnd.vertex, peer)))
    {
        return std::nullopt;
    }
    const EdgeId far = GetEdge(ocsEnd.vertex, peer);
    const auto& farEnds = m_ends[far.Get()];
    const End& serverEnd = farEnds[0].vertex == ocsEnd.vertex ? farEnds[1] : farEnds[0];
    return std::make_pair(GetServer(serverEnd.vertex), serverEnd.port);
}

uint64_t
FabricGraph::GetServerVersion(ServerId s) const
{
    return m_serverVersion[s.Get()];
}

uint64_t
FabricGraph::GetPacketVersion() const
{
    return m_packetVersion;
}

uint64_t
FabricGraph::GetOpticalVersion() const
{
    return m_opticalVersion;
}

void
FabricGraph::Touch(EdgeId e)
{
    (m_spec[e.Get()].kind == EdgeKind::PACKET ? m_packetVersion : m_opticalVersion)++;
    for (const auto& end : m_ends[e.Get()])
    {
        if (m_kind[end.vertex.Get()] == VertexKind::SERVER)
        {
            ++m_serverVersion[m_ordinal[end.vertex.Get()]];
        }
        else if (m_kind[end.vertex.Get()] == VertexKind::OCS)
        {
            const uint32_t peer = m_match[end.vertex.Get()][end.port];
            if (peer != NO_PEER)
            {
                const auto& far = m_ends[GetEdge(end.vertex, peer).Get()];
                const End& other = far[0].vertex == end.vertex ? far[1] : far[0];
                ++m_serverVersion[m_ordinal[other.vertex.Get()]];
            }
        }
    }
}

void
FabricGraph::SetEdges(const std::vector<EdgeId>& edges, EdgeCause cause, bool up)
{
    GraphChange change;
    const auto bit = static_cast<uint8_t>(1U << static_cast<unsigned>(cause));
    for (const EdgeId e : edges)
    {
        MIXNET_CHECK(e.Get() < GetNEdges(), "no edge " << e);
        uint8_t& down = m_down[e.Get()];
        const bool wasUp = down == 0;
        down = static_cast<uint8_t>(up ? down & ~bit : down | bit);
        if (wasUp != (down == 0))
        {
            (down == 0 ? change.up : change.down).push_back(e);
            Touch(e);
        }
    }
    Notify(change);
}

std::string
FabricGraph::CheckPair(const Circuit& c) const
{
    if (c.ocs.Get() >= GetNVertices() || m_kind[c.ocs.Get()] != VertexKind::OCS)
    {
        return "is not on an OCS";
    }
    if (c.portA >= c.portB || c.portB >= GetNPorts(c.ocs))
    {
        return "needs two different ports with fibers, the lower one first";
    }
    return "";
}

void
FabricGraph::CheckMatching(const std::vector<Circuit>& added,
                           const std::vector<Circuit>& removed) const
{
    const auto refuse = [this](const Circuit& c, const std::string& problem) {
        const std::string ocs = c.ocs.Get() < GetNVertices() ? GetName(c.ocs) : "no vertex";
        throw InputError(ocs + ", circuit " + std::to_string(c.portA) + "-" +
                             std::to_string(c.portB),
                         problem);
    };
    std::set<std::pair<VertexId, uint32_t>> freed;
    for (const auto& c : removed)
    {
        const std::string problem = CheckPair(c);
        if (!problem.empty() || m_match[c.ocs.Get()][c.portA] != c.portB)
        {
            refuse(c, problem.empty() ? "is not matched" : problem);
        }
        freed.emplace(c.ocs, c.portA);
        freed.emplace(c.ocs, c.portB);
    }
    std::set<std::pair<VertexId, uint32_t>> taken;
    for (const auto& c : added)
    {
        const std::string problem = CheckPair(c);
        if (!problem.empty())
        {
            refuse(c, problem);
        }
        for (const uint32_t port : {c.portA, c.portB})
        {
            const bool matched = m_match[c.ocs.Get()][port] != NO_PEER;
            if (!taken.emplace(c.ocs, port).second || (matched && !freed.count({c.ocs, port})))
            {
                refuse(c, "port " + std::to_string(port) + " is already matched");
            }
        }
    }
}

void
FabricGraph::ChangeMatching(const std::vector<Circuit>& added, const std::vector<Circuit>& removed)
{
    CheckMatching(added, removed);
    for (const auto& c : removed)
    {
        MIXNET_CHECK(m_match[c.ocs.Get()][c.portA] == c.portB, "a circuit is removed twice");
        Touch(GetEdge(c.ocs, c.portA));
        m_match[c.ocs.Get()][c.portA] = NO_PEER;
        m_match[c.ocs.Get()][c.portB] = NO_PEER;
    }
    for (const auto& c : added)
    {
        m_match[c.ocs.Get()][c.portA] = c.portB;
        m_match[c.ocs.Get()][c.portB] = c.portA;
        Touch(GetEdge(c.ocs, c.portA));
    }
    GraphChange change;
    change.added = added;
    change.removed = removed;
    Notify(change);
}

void
FabricGraph::SetHeld(const std::vector<EdgeId>& edges, bool held)
{
    m_held.resize(GetNEdges(), false);
    for (const EdgeId e : edges)
    {
        MIXNET_CHECK(e.Get() < GetNEdges(), "no edge " << e);
        if (m_held[e.Get()] != held)
        {
            m_held[e.Get()] = held;
            Touch(e);
        }
    }
}

bool
FabricGraph::IsHeld(EdgeId e) const
{
    return e.Get() < m_held.size() && m_held[e.Get()];
}

void
FabricGraph::Subscribe(GraphPhase phase, const Listener& listener)
{
    m_listeners[static_cast<size_t>(phase)].push_back(listener);
}

void
FabricGraph::Unsubscribe(GraphPhase phase, const Listener& listener)
{
    auto& all = m_listeners[static_cast<size_t>(phase)];
    all.erase(std::remove_if(all.begin(),
                             all.end(),
                             [&](const Listener& l) { return l.IsEqual(listener); }),
              all.end());
}

void
FabricGraph::Notify(const GraphChange& change)
{
    if (change.up.empty() && change.down.empty() && change.added.empty() && change.removed.empty())
    {
        return;
    }
    for (const auto& phase : m_listeners)
    {
        for (const auto& listener : phase)
        {
            listener(change);
        }
    }
}

} // namespace ns3
