/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-graph.h"

#include "ns3/mixnet-error.h"

#include <tuple>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricGraph);

const char*
GetName(CircuitKind kind)
{
    return kind == CircuitKind::DUPLEX ? "duplex" : "simplex";
}

bool
Circuit::operator<(const Circuit& o) const
{
    return std::tie(ocs, portA, portB, kind) < std::tie(o.ocs, o.portA, o.portB, o.kind);
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
    m_feeder.emplace_back();
    return v;
}

ServerId
FabricGraph::AddServer(const ServerSpec& spec)
{
    if (spec.gpus == 0 || spec.numaNodes == 0)
    {
        throw InputError("server", "a server without GPUs or NUMA nodes", "at least one of each");
    }
    if (spec.numaLinkDelay.IsStrictlyNegative())
    {
        throw InputError("server", "a NUMA link of negative delay", "a delay of at least zero");
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
    m_feeder[v.Get()].assign(ports, NO_PEER);
    return v;
}

EdgeId
FabricGraph::AddEdge(VertexId a, VertexId b, const EdgeSpec& spec)
{
    MIXNET_CHECK(a.Get() < GetNVertices() && b.Get() < GetNVertices() && a != b, "bad edge ends");
    if (spec.rate.GetBitRate() == 0 || spec.delay.IsStrictlyNegative())
    {
        throw InputError(GetName(a) + " to " + GetName(b),
                         "an edge of rate zero or negative delay",
                         "a positive rate and a delay of at least zero");
    }
    const bool fiber = m_kind[a.Get()] == VertexKind::OCS || m_kind[b.Get()] == VertexKind::OCS;
    const bool server =
        m_kind[a.Get()] == VertexKind::SERVER || m_kind[b.Get()] == VertexKind::SERVER;
    if (fiber != (spec.kind == EdgeKind::FIBER) || (fiber && !server))
    {
        throw InputError(GetName(a) + " to " + GetName(b),
                         "an edge of the wrong kind",
                         "fibers between a server and an OCS, packet links elsewhere");
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

} // namespace ns3
