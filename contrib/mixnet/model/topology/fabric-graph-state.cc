/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-graph.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <set>
#include <tuple>

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

std::optional<uint32_t>
FabricGraph::GetFeeder(VertexId ocs, uint32_t port) const
{
    const uint32_t feeder = m_feeder[ocs.Get()][port];
    return feeder == NO_PEER ? std::nullopt : std::optional<uint32_t>(feeder);
}

bool
FabricGraph::IsOneWay(VertexId ocs, uint32_t port) const
{
    return m_match[ocs.Get()][port] != m_feeder[ocs.Get()][port];
}

bool
FabricGraph::HasOneWay() const
{
    return m_oneWay > 0;
}

bool
FabricGraph::IsMatched(const Circuit& c) const
{
    const auto& match = m_match[c.ocs.Get()];
    return match[c.portA] == c.portB &&
           (c.kind == CircuitKind::SIMPLEX || match[c.portB] == c.portA);
}

bool
FabricGraph::IsLit(const Circuit& c) const
{
    return IsMatched(c) && IsUp(GetEdge(c.ocs, c.portA)) && IsUp(GetEdge(c.ocs, c.portB));
}

std::vector<Circuit>
FabricGraph::GetCircuits(VertexId ocs) const
{
    std::vector<Circuit> circuits;
    const auto& match = m_match[ocs.Get()];
    for (uint32_t port = 0; port < match.size(); ++port)
    {
        const uint32_t peer = match[port];
        const bool both = peer != NO_PEER && match[peer] == port;
        if (peer != NO_PEER && (!both || port < peer))
        {
            circuits.push_back(
                {ocs, port, peer, both ? CircuitKind::DUPLEX : CircuitKind::SIMPLEX});
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
            const uint32_t feeder = m_feeder[end.vertex.Get()][end.port];
            TouchPeer(end, peer);
            TouchPeer(end, feeder == peer ? NO_PEER : feeder);
        }
    }
}

void
FabricGraph::TouchPeer(const End& end, uint32_t peer)
{
    if (peer != NO_PEER)
    {
        const auto& far = m_ends[GetEdge(end.vertex, peer).Get()];
        const End& other = far[0].vertex == end.vertex ? far[1] : far[0];
        ++m_serverVersion[m_ordinal[other.vertex.Get()]];
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
    const bool duplex = c.kind == CircuitKind::DUPLEX;
    if (std::max(c.portA, c.portB) >= GetNPorts(c.ocs) || c.portA == c.portB ||
        (duplex && c.portA > c.portB))
    {
        return std::string("needs two different ports with fibers") +
               (duplex ? ", the lower one first" : "");
    }
    return "";
}

void
FabricGraph::CheckMatching(const std::vector<Circuit>& added,
                           const std::vector<Circuit>& removed) const
{
    const auto refuse = [this](const Circuit& c, const std::string& problem) {
        const std::string ocs = c.ocs.Get() < GetNVertices() ? GetName(c.ocs) : "no vertex";
        const char* way = c.kind == CircuitKind::DUPLEX ? "-" : "->";
        throw InputError(ocs + ", circuit " + std::to_string(c.portA) + way +
                             std::to_string(c.portB),
                         problem);
    };
    // transmitters are told from receivers by the last member
    using Fiber = std::tuple<VertexId, uint32_t, bool>;
    std::set<Fiber> freed;
    for (const auto& c : removed)
    {
        const std::string problem = CheckPair(c);
        if (!problem.empty() || !IsMatched(c))
        {
            refuse(c, problem.empty() ? "is not matched" : problem);
        }
        for (uint32_t i = 0; i < c.GetNDirections(); ++i)
        {
            const auto [from, to] = c.GetDirection(i);
            freed.emplace(c.ocs, from, true);
            freed.emplace(c.ocs, to, false);
        }
    }
    std::set<Fiber> taken;
    for (const auto& c : added)
    {
        const std::string problem = CheckPair(c);
        if (!problem.empty())
        {
            refuse(c, problem);
        }
        const auto take = [&](uint32_t port, bool out) {
            const bool matched = (out ? m_match : m_feeder)[c.ocs.Get()][port] != NO_PEER;
            if (!taken.emplace(c.ocs, port, out).second ||
                (matched && freed.count({c.ocs, port, out}) == 0))
            {
                refuse(c, "port " + std::to_string(port) + " is already matched");
            }
        };
        for (uint32_t i = 0; i < c.GetNDirections(); ++i)
        {
            const auto [from, to] = c.GetDirection(i);
            take(from, true);
            take(to, false);
        }
    }
}

void
FabricGraph::Match(VertexId ocs, uint32_t from, uint32_t to, bool on)
{
    auto& match = m_match[ocs.Get()];
    auto& feeder = m_feeder[ocs.Get()];
    const auto oneWay = [&] {
        return (IsOneWay(ocs, from) ? 1U : 0U) + (IsOneWay(ocs, to) ? 1U : 0U);
    };
    m_oneWay -= oneWay();
    match[from] = on ? to : NO_PEER;
    feeder[to] = on ? from : NO_PEER;
    m_oneWay += oneWay();
}

void
FabricGraph::ChangeMatching(const std::vector<Circuit>& added, const std::vector<Circuit>& removed)
{
    CheckMatching(added, removed);
    const auto matchAll = [this](const Circuit& c, bool on) {
        for (uint32_t i = 0; i < c.GetNDirections(); ++i)
        {
            const auto [from, to] = c.GetDirection(i);
            Match(c.ocs, from, to, on);
        }
    };
    const auto touch = [this](const Circuit& c) {
        ++m_opticalVersion;
        for (const uint32_t port : {c.portA, c.portB})
        {
            const EdgeId e = GetEdge(c.ocs, port);
            const VertexId a = GetEndA(e);
            ++m_serverVersion[m_ordinal[(a == c.ocs ? GetEndB(e) : a).Get()]];
        }
    };
    for (const auto& c : removed)
    {
        MIXNET_CHECK(IsMatched(c), "a circuit is removed twice");
        touch(c);
        matchAll(c, false);
    }
    for (const auto& c : added)
    {
        matchAll(c, true);
        touch(c);
    }
    GraphChange change;
    change.added = added;
    change.removed = removed;
    Notify(change);
}

void
FabricGraph::SetHeld(const std::vector<EdgeId>& edges, bool held)
{
    std::vector<ChannelId> channels;
    for (const EdgeId e : edges)
    {
        channels.emplace_back(2 * e.Get());
        channels.emplace_back(2 * e.Get() + 1);
    }
    SetHeld(channels, held);
}

void
FabricGraph::SetHeld(const std::vector<ChannelId>& channels, bool held)
{
    m_held.resize(2 * std::size_t(GetNEdges()), false);
    for (const ChannelId c : channels)
    {
        MIXNET_CHECK(GetEdgeOf(c).Get() < GetNEdges(), "no channel " << c);
        if (m_held[c.Get()] != held)
        {
            m_held[c.Get()] = held;
            Touch(GetEdgeOf(c));
        }
    }
}

bool
FabricGraph::IsHeld(EdgeId e) const
{
    return IsHeld(ChannelId(2 * e.Get())) || IsHeld(ChannelId(2 * e.Get() + 1));
}

bool
FabricGraph::IsHeld(ChannelId c) const
{
    return c.Get() < m_held.size() && m_held[c.Get()];
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
    if (change.up.empty() && change.down.empty() && change.added.empty() &&
        change.removed.empty() && change.broken.empty() && change.mended.empty() &&
        change.rated.empty())
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
