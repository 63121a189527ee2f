/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-graph.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricGraph);

bool
Circuit::operator<(const Circuit& o) const
{
    return std::tie(ocs, portA, portB) < std::tie(o.ocs, o.portA, o.portB);
}

TypeId
FabricGraph::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FabricGraph")
                            .SetParent<Object>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<FabricGraph>();
    return tid;
}

FabricGraph::FabricGraph() = default;

void
FabricGraph::DoDispose()
{
    for (auto& phase : m_listeners)
    {
        phase.clear();
    }
    Object::DoDispose();
}

VertexId
FabricGraph::AddVertex(VertexKind kind, const std::string& name)
{
    const VertexId v(static_cast<uint32_t>(m_kind.size()));
    m_kind.push_back(kind);
    m_name.push_back(name);
    m_ordinal.push_back(0);
    m_ports.emplace_back();
    m_match.emplace_back();
    return v;
}

ServerId
FabricGraph::AddServer(const ServerSpec& spec)
{
    if (spec.gpus == 0 || spec.numaNodes == 0)
    {
        throw InputError("server", "a server without GPUs or NUMA nodes", "at least one of each");
    }
    const ServerId s(GetNServers());
    const VertexId v = AddVertex(VertexKind::SERVER, "server " + std::to_string(s.Get()));
    m_ordinal[v.Get()] = s.Get();
    m_serverVertex.push_back(v);
    m_serverSpec.push_back(spec);
    m_firstGpu.emplace_back(GetNGpus());
    m_serverRegion.emplace_back();
    m_serverVersion.push_back(1);
    m_nics.emplace_back();
    m_owner.emplace_back();
    m_gpuServer.insert(m_gpuServer.end(), spec.gpus, s);
    return s;
}

VertexId
FabricGraph::AddSwitch(uint32_t tier, const std::string& name)
{
    const VertexId v = AddVertex(VertexKind::SWITCH, name);
    m_ordinal[v.Get()] = tier;
    return v;
}

VertexId
FabricGraph::AddOcs(uint32_t ports, const std::string& name)
{
    const VertexId v = AddVertex(VertexKind::OCS, name);
    m_match[v.Get()].assign(ports, NO_PEER);
    return v;
}

EdgeId
FabricGraph::AddEdge(VertexId a, VertexId b, const EdgeSpec& spec)
{
    MIXNET_CHECK(a.Get() < GetNVertices() && b.Get() < GetNVertices() && a != b, "bad edge ends");
    if (spec.rate.GetBitRate() == 0 || spec.delay.IsNegative())
    {
        throw InputError(GetName(a) + " to " + GetName(b),
                         "an edge of rate zero or negative delay",
                         "a positive rate and a delay of at least zero");
    }
    const EdgeId e(GetNEdges());
    std::array<End, 2> ends{End{a, GetNPorts(a)}, End{b, GetNPorts(b)}};
    for (const auto& end : ends)
    {
        const uint32_t v = end.vertex.Get();
        if (m_kind[v] == VertexKind::OCS && end.port >= m_match[v].size())
        {
            throw InputError(m_name[v],
                             "needs more than its " + std::to_string(m_match[v].size()) + " ports",
                             "a switch with more ports, or fewer fibers");
        }
        m_ports[v].push_back(e);
        if (m_kind[v] == VertexKind::SERVER)
        {
            m_nics[m_ordinal[v]][static_cast<size_t>(spec.kind)].push_back(end.port);
        }
    }
    m_ends.push_back(ends);
    m_spec.push_back(spec);
    m_down.push_back(0);
    return e;
}

void
FabricGraph::SetNicOwner(ServerId server, uint32_t nic, uint32_t localGpu, uint32_t numaNode)
{
    const ServerSpec& spec = GetServerSpec(server);
    MIXNET_CHECK(localGpu < spec.gpus && numaNode < spec.numaNodes, "NIC owner out of range");
    auto& owner = m_owner[server.Get()];
    if (owner.size() <= nic)
    {
        owner.resize(nic + 1, {UINT32_MAX, UINT32_MAX});
    }
    owner[nic] = {localGpu, numaNode};
}

RegionId
FabricGraph::AddRegion(const std::vector<ServerId>& servers, const std::vector<VertexId>& ocs)
{
    const RegionId r(GetNRegions());
    for (const ServerId s : servers)
    {
        MIXNET_CHECK(!m_serverRegion[s.Get()].IsValid(), "server " << s << " is in two regions");
        m_serverRegion[s.Get()] = r;
    }
    m_regionServers.push_back(servers);
    m_regionOcs.push_back(ocs);
    return r;
}

uint32_t
FabricGraph::GetNVertices() const
{
    return static_cast<uint32_t>(m_kind.size());
}

uint32_t
FabricGraph::GetNServers() const
{
    return static_cast<uint32_t>(m_serverVertex.size());
}

uint32_t
FabricGraph::GetNGpus() const
{
    return static_cast<uint32_t>(m_gpuServer.size());
}

uint32_t
FabricGraph::GetNEdges() const
{
    return static_cast<uint32_t>(m_spec.size());
}

uint32_t
FabricGraph::GetNRegions() const
{
    return static_cast<uint32_t>(m_regionServers.size());
}

VertexKind
FabricGraph::GetKind(VertexId v) const
{
    return m_kind[v.Get()];
}

const std::string&
FabricGraph::GetName(VertexId v) const
{
    return m_name[v.Get()];
}

uint32_t
FabricGraph::GetTier(VertexId v) const
{
    return m_kind[v.Get()] == VertexKind::SWITCH ? m_ordinal[v.Get()] : 0;
}

VertexId
FabricGraph::GetVertex(ServerId s) const
{
    return m_serverVertex[s.Get()];
}

ServerId
FabricGraph::GetServer(VertexId v) const
{
    MIXNET_CHECK(m_kind[v.Get()] == VertexKind::SERVER, GetName(v) << " is no server");
    return ServerId(m_ordinal[v.Get()]);
}

const ServerSpec&
FabricGraph::GetServerSpec(ServerId s) const
{
    return m_serverSpec[s.Get()];
}

ServerId
FabricGraph::GetServerOf(GpuId g) const
{
    return m_gpuServer[g.Get()];
}

uint32_t
FabricGraph::GetLocalIndex(GpuId g) const
{
    return g.Get() - m_firstGpu[m_gpuServer[g.Get()].Get()].Get();
}

GpuId
FabricGraph::GetGpu(ServerId s, uint32_t local) const
{
    return GpuId(m_firstGpu[s.Get()].Get() + local);
}

uint32_t
FabricGraph::GetNPorts(VertexId v) const
{
    return static_cast<uint32_t>(m_ports[v.Get()].size());
}

uint32_t
FabricGraph::GetOcsPortCount(VertexId ocs) const
{
    return static_cast<uint32_t>(m_match[ocs.Get()].size());
}

EdgeId
FabricGraph::GetEdge(VertexId v, uint32_t port) const
{
    return m_ports[v.Get()][port];
}

ChannelId
FabricGraph::GetEgress(VertexId v, uint32_t port) const
{
    const EdgeId e = GetEdge(v, port);
    const auto& ends = m_ends[e.Get()];
    const bool forward = ends[0].vertex == v && ends[0].port == port;
    return ChannelId(2 * e.Get() + (forward ? 0 : 1));
}

VertexId
FabricGraph::GetEndA(EdgeId e) const
{
    return m_ends[e.Get()][0].vertex;
}

VertexId
FabricGraph::GetEndB(EdgeId e) const
{
    return m_ends[e.Get()][1].vertex;
}

uint32_t
FabricGraph::GetPortAt(EdgeId e, VertexId v) const
{
    const auto& ends = m_ends[e.Get()];
    return ends[0].vertex == v ? ends[0].port : ends[1].port;
}

const EdgeSpec&
FabricGraph::GetSpec(EdgeId e) const
{
    return m_spec[e.Get()];
}

EdgeId
FabricGraph::GetEdgeOf(ChannelId c)
{
    return EdgeId(c.Get() / 2);
}

ChannelId
FabricGraph::GetReverse(ChannelId c)
{
    return ChannelId(c.Get() ^ 1);
}

VertexId
FabricGraph::GetSource(ChannelId c) const
{
    return m_ends[c.Get() / 2][c.Get() % 2].vertex;
}

VertexId
FabricGraph::GetTarget(ChannelId c) const
{
    return m_ends[c.Get() / 2][1 - c.Get() % 2].vertex;
}

uint32_t
FabricGraph::GetNicGpu(ServerId s, uint32_t nic) const
{
    const auto& owner = m_owner[s.Get()];
    if (nic < owner.size() && owner[nic].first != UINT32_MAX)
    {
        return owner[nic].first;
    }
    const uint32_t nics = GetNPorts(GetVertex(s));
    return static_cast<uint32_t>(uint64_t(nic) * m_serverSpec[s.Get()].gpus / nics);
}

uint32_t
FabricGraph::GetNicNuma(ServerId s, uint32_t nic) const
{
    const auto& owner = m_owner[s.Get()];
    if (nic < owner.size() && owner[nic].second != UINT32_MAX)
    {
        return owner[nic].second;
    }
    const uint32_t nics = GetNPorts(GetVertex(s));
    return static_cast<uint32_t>(uint64_t(nic) * m_serverSpec[s.Get()].numaNodes / nics);
}

const std::vector<uint32_t>&
FabricGraph::GetNics(ServerId s, EdgeKind kind) const
{
    return m_nics[s.Get()][static_cast<size_t>(kind)];
}

const std::vector<ServerId>&
FabricGraph::GetRegionServers(RegionId r) const
{
    return m_regionServers[r.Get()];
}

const std::vector<VertexId>&
FabricGraph::GetRegionOcs(RegionId r) const
{
    return m_regionOcs[r.Get()];
}

RegionId
FabricGraph::GetRegion(ServerId s) const
{
    return m_serverRegion[s.Get()];
}

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
FabricGraph::ChangeMatching(const std::vector<Circuit>& added, const std::vector<Circuit>& removed)
{
    const auto where = [](const Circuit& c) {
        return "circuit " + std::to_string(c.portA) + "-" + std::to_string(c.portB);
    };
    for (const auto& c : removed)
    {
        const std::string problem = CheckPair(c);
        if (!problem.empty() || m_match[c.ocs.Get()][c.portA] != c.portB)
        {
            throw InputError(where(c), problem.empty() ? "is not matched" : problem);
        }
    }
    const auto isFreed = [&](VertexId ocs, uint32_t port) {
        return std::any_of(removed.begin(), removed.end(), [&](const Circuit& r) {
            return r.ocs == ocs && (r.portA == port || r.portB == port);
        });
    };
    std::vector<std::pair<VertexId, uint32_t>> taken;
    for (const auto& c : added)
    {
        const std::string problem = CheckPair(c);
        if (!problem.empty())
        {
            throw InputError(where(c), problem);
        }
        for (const uint32_t port : {c.portA, c.portB})
        {
            const bool twice = std::find(taken.begin(), taken.end(), std::make_pair(c.ocs, port)) !=
                               taken.end();
            if (twice || (m_match[c.ocs.Get()][port] != NO_PEER && !isFreed(c.ocs, port)))
            {
                throw InputError(where(c), "port " + std::to_string(port) + " is already matched");
            }
            taken.emplace_back(c.ocs, port);
        }
    }
    for (const auto& c : removed)
    {
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
FabricGraph::Subscribe(GraphPhase phase, const Listener& listener)
{
    m_listeners[static_cast<size_t>(phase)].push_back(listener);
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
