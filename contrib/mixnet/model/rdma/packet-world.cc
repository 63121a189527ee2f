/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-world.h"

#include "ns3/data-rate.h"
#include "ns3/mixnet-error.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PacketWorld);

TypeId
PacketWorld::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PacketWorld")
                            .SetParent<Object>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PacketWorld>();
    return tid;
}

PacketWorld::PacketWorld()
{
    m_nicFactory.SetTypeId(RdmaNic::GetTypeId());
    m_switchFactory.SetTypeId(PacketSwitch::GetTypeId());
    m_portFactory.SetTypeId(MixnetPort::GetTypeId());
}

PacketWorld::~PacketWorld() = default;

void
PacketWorld::DoDispose()
{
    // nodes live until Simulator::Destroy; what belongs to the fabric ends here
    for (std::size_t v = 0; v < m_models.size(); ++v)
    {
        if (m_graph->GetKind(VertexId(static_cast<uint32_t>(v))) == VertexKind::OCS && m_models[v])
        {
            m_models[v]->Dispose();
        }
    }
    if (m_graph)
    {
        m_graph->Unsubscribe(GraphPhase::WORLD, MakeCallback(&PacketWorld::Follow, this));
    }
    m_ocsFactory.Nullify();
    m_nics.clear();
    m_links.clear();
    m_models.clear();
    m_ports.clear();
    m_servers = NodeContainer();
    m_nodes = NodeContainer();
    m_fabric = nullptr;
    m_graph = nullptr;
    Object::DoDispose();
}

void
PacketWorld::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nicFactory.Set(name, value);
}

void
PacketWorld::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switchFactory.Set(name, value);
}

void
PacketWorld::SetPortAttribute(const std::string& name, const AttributeValue& value)
{
    m_portFactory.Set(name, value);
}

void
PacketWorld::SetServerNodes(const NodeContainer& nodes)
{
    m_servers = nodes;
}

void
PacketWorld::SetOcsFactory(const OcsFactory& factory)
{
    m_ocsFactory = factory;
}

void
PacketWorld::Build(Ptr<FabricGraph> graph)
{
    MIXNET_CHECK(!m_graph, "a packet world is built once");
    m_graph = graph;
    m_fabric = CreateObject<PacketFabricContext>();
    uint32_t address = 0;
    for (uint32_t s = 0; s < graph->GetNServers(); ++s)
    {
        m_firstAddress.push_back(address);
        address += graph->GetNPorts(graph->GetVertex(ServerId(s)));
    }
    m_nics.assign(graph->GetNServers(), nullptr);
    m_ports.resize(graph->GetNVertices());
    m_models.resize(graph->GetNVertices());
    m_nodes = MakeNodes();
    for (uint32_t v = 0; v < graph->GetNVertices(); ++v)
    {
        BuildVertex(VertexId(v));
    }
    for (uint32_t e = 0; e < graph->GetNEdges(); ++e)
    {
        BuildLink(EdgeId(e));
    }
    for (uint32_t v = 0; v < graph->GetNVertices(); ++v)
    {
        if (graph->GetKind(VertexId(v)) == VertexKind::SWITCH)
        {
            GetSwitch(VertexId(v)).Configure();
        }
    }
    for (uint32_t s = 0; graph->HasOneWay() && s < graph->GetNServers(); ++s)
    {
        for (const uint32_t nic : graph->GetNics(ServerId(s), EdgeKind::FIBER))
        {
            FollowDirections(graph->GetEdge(graph->GetVertex(ServerId(s)), nic));
        }
    }
    graph->Subscribe(GraphPhase::WORLD, MakeCallback(&PacketWorld::Follow, this));
}

void
PacketWorld::FollowDirections(EdgeId fiber)
{
    const bool first = m_graph->GetKind(m_graph->GetEndA(fiber)) == VertexKind::OCS;
    const VertexId ocs = first ? m_graph->GetEndA(fiber) : m_graph->GetEndB(fiber);
    const VertexId server = first ? m_graph->GetEndB(fiber) : m_graph->GetEndA(fiber);
    GetNic(m_graph->GetServer(server))
        .SetOneWay(m_graph->GetPortAt(fiber, server),
                   m_graph->IsOneWay(ocs, m_graph->GetPortAt(fiber, ocs)));
}

NodeContainer
PacketWorld::MakeNodes() const
{
    const uint32_t given = m_servers.GetN();
    if (given > 0 && given != m_graph->GetNServers())
    {
        throw InputError("packet world",
                         std::to_string(given) + " nodes for " +
                             std::to_string(m_graph->GetNServers()) + " servers",
                         "one node for each server");
    }
    NodeContainer nodes;
    for (uint32_t v = 0; v < m_graph->GetNVertices(); ++v)
    {
        const bool server = m_graph->GetKind(VertexId(v)) == VertexKind::SERVER;
        nodes.Add(server && given > 0 ? m_servers.Get(m_graph->GetServer(VertexId(v)).Get())
                                      : CreateObject<Node>());
    }
    return nodes;
}

void
PacketWorld::BuildVertex(VertexId v)
{
    const Ptr<Node> node = m_nodes.Get(v.Get());
    std::vector<Ptr<MixnetPort>>& ports = m_ports[v.Get()];
    const VertexKind kind = m_graph->GetKind(v);
    for (uint32_t p = 0; p < m_graph->GetNPorts(v); ++p)
    {
        const auto port = m_portFactory.Create<MixnetPort>();
        port->SetFabric(m_fabric);
        node->AddDevice(port);
        if (kind == VertexKind::SERVER)
        {
            port->SetNicAddress(GetAddress(m_graph->GetServer(v), p));
        }
        ports.push_back(port);
    }
    if (kind == VertexKind::SERVER)
    {
        const auto nic = m_nicFactory.Create<RdmaNic>();
        node->AggregateObject(nic);
        for (const auto& port : ports)
        {
            nic->AddPort(port);
        }
        m_models[v.Get()] = nic;
        m_nics[m_graph->GetServer(v).Get()] = PeekPointer(nic);
    }
    else if (kind == VertexKind::SWITCH)
    {
        const auto model = m_switchFactory.Create<PacketSwitch>();
        model->SetName(m_graph->GetName(v));
        node->AggregateObject(model);
        for (const auto& port : ports)
        {
            model->AddPort(port);
        }
        m_models[v.Get()] = model;
    }
    else
    {
        if (m_ocsFactory.IsNull())
        {
            throw InputError("packet world", m_graph->GetName(v) + " is optical", "an OCS factory");
        }
        m_models[v.Get()] = m_ocsFactory(v, node, ports);
    }
}

void
PacketWorld::BuildLink(EdgeId e)
{
    const EdgeSpec& spec = m_graph->GetSpec(e);
    const auto link = CreateObject<MixnetLink>();
    link->SetAttribute("DataRate", DataRateValue(spec.rate));
    link->SetAttribute("Delay", TimeValue(spec.delay));
    const VertexId a = m_graph->GetEndA(e);
    const VertexId b = m_graph->GetEndB(e);
    link->Attach(&GetPort(a, m_graph->GetPortAt(e, a)), &GetPort(b, m_graph->GetPortAt(e, b)));
    link->SetUp(CarriesFrames(e));
    m_links.push_back(link);
}

bool
PacketWorld::CarriesFrames(EdgeId e) const
{
    return !m_graph->IsBroken(e) && !m_graph->HasCause(e, EdgeCause::FAILURE) &&
           !m_graph->HasCause(e, EdgeCause::ADMINISTRATIVE) &&
           (!m_graph->HasCause(e, EdgeCause::OPTICAL) ||
            m_graph->GetSpec(e).kind == EdgeKind::FIBER);
}

void
PacketWorld::Follow(const GraphChange& change)
{
    for (const Circuit& c : change.removed)
    {
        for (const uint32_t port : {c.portA, c.portB})
        {
            const EdgeId e = m_graph->GetEdge(c.ocs, port);
            const VertexId a = m_graph->GetEndA(e);
            const VertexId v = a == c.ocs ? m_graph->GetEndB(e) : a;
            if (m_graph->GetKind(v) == VertexKind::SERVER)
            {
                GetNic(m_graph->GetServer(v)).ChangePeer(m_graph->GetPortAt(e, v));
            }
        }
    }
    for (const auto* circuits : {&change.removed, &change.added})
    {
        for (const Circuit& c : *circuits)
        {
            FollowDirections(m_graph->GetEdge(c.ocs, c.portA));
            FollowDirections(m_graph->GetEdge(c.ocs, c.portB));
        }
    }
    for (const auto* edges : {&change.down, &change.broken, &change.up, &change.mended})
    {
        for (const EdgeId e : *edges)
        {
            m_links[e.Get()]->SetUp(CarriesFrames(e));
        }
    }
    for (const EdgeId e : change.rated)
    {
        m_links[e.Get()]->SetRate(m_graph->GetSpec(e).rate);
    }
}

Ptr<FabricGraph>
PacketWorld::GetGraph() const
{
    return m_graph;
}

PacketFabricContext&
PacketWorld::GetFabric() const
{
    return *m_fabric;
}

const NodeContainer&
PacketWorld::GetNodes() const
{
    return m_nodes;
}

Ptr<Node>
PacketWorld::GetNode(VertexId v) const
{
    return m_nodes.Get(v.Get());
}

MixnetPort&
PacketWorld::GetPort(VertexId v, uint32_t port) const
{
    return *m_ports[v.Get()][port];
}

MixnetLink&
PacketWorld::GetLink(EdgeId e) const
{
    return *m_links[e.Get()];
}

RdmaNic&
PacketWorld::GetNic(ServerId s) const
{
    return *m_nics[s.Get()];
}

PacketSwitch&
PacketWorld::GetSwitch(VertexId v) const
{
    MIXNET_CHECK(m_graph->GetKind(v) == VertexKind::SWITCH, m_graph->GetName(v) << " is no switch");
    return static_cast<PacketSwitch&>(*m_models[v.Get()]);
}

Ptr<Object>
PacketWorld::GetOcs(VertexId v) const
{
    return m_models[v.Get()];
}

uint32_t
PacketWorld::GetAddress(ServerId s, uint32_t nic) const
{
    return m_firstAddress[s.Get()] + nic;
}

uint64_t
PacketWorld::GetWireBytes(ChannelId c) const
{
    const VertexId source = m_graph->GetSource(c);
    return GetPort(source, m_graph->GetPortAt(FabricGraph::GetEdgeOf(c), source))
        .GetCounters()
        .txBytes;
}

RdmaCounters
PacketWorld::GetCounters() const
{
    RdmaCounters sum;
    for (RdmaNic* nic : m_nics)
    {
        sum += nic->GetCounters();
    }
    return sum;
}

int64_t
PacketWorld::AssignStreams(int64_t stream)
{
    int64_t used = 0;
    for (uint32_t v = 0; v < m_graph->GetNVertices(); ++v)
    {
        if (m_graph->GetKind(VertexId(v)) == VertexKind::SWITCH)
        {
            used += GetSwitch(VertexId(v)).AssignStreams(stream + used);
        }
    }
    return used;
}

} // namespace ns3
