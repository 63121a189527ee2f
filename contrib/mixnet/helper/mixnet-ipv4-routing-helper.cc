/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-ipv4-routing-helper.h"

#include "packet-simulation-world.h"

#include "ns3/fabric-ipv4-routing.h"
#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

/// @param fabric a fabric @return its packet world
Ptr<PacketWorld>
GetPacketWorld(const MixnetFabric& fabric)
{
    const auto* world = dynamic_cast<const PacketSimulationWorld*>(&fabric.GetWorld());
    if (world == nullptr)
    {
        throw InputError("MixnetIpv4RoutingHelper",
                         "sockets do not run on this fabric",
                         "fidelity packet");
    }
    return world->GetPacketWorld();
}

} // namespace

MixnetIpv4RoutingHelper::MixnetIpv4RoutingHelper(Ptr<PacketWorld> world, Ptr<FabricRouter> router)
    : m_world(world),
      m_router(router),
      m_directory(ns3::Create<FabricIpv4Directory>())
{
    m_factory.SetTypeId(FabricIpv4Routing::GetTypeId());
}

MixnetIpv4RoutingHelper::MixnetIpv4RoutingHelper(const MixnetFabric& fabric)
    : MixnetIpv4RoutingHelper(ns3::GetPacketWorld(fabric), fabric.GetRouter())
{
}

void
MixnetIpv4RoutingHelper::Set(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

NodeContainer
MixnetIpv4RoutingHelper::GetServers() const
{
    const FabricGraph& graph = *m_world->GetGraph();
    NodeContainer nodes;
    for (uint32_t s = 0; s < graph.GetNServers(); ++s)
    {
        nodes.Add(m_world->GetNode(graph.GetVertex(ServerId(s))));
    }
    return nodes;
}

NetDeviceContainer
MixnetIpv4RoutingHelper::GetNics() const
{
    const FabricGraph& graph = *m_world->GetGraph();
    NetDeviceContainer devices;
    for (uint32_t s = 0; s < graph.GetNServers(); ++s)
    {
        const VertexId vertex = graph.GetVertex(ServerId(s));
        for (uint32_t port = 0; port < graph.GetNPorts(vertex); ++port)
        {
            devices.Add(Ptr<NetDevice>(&m_world->GetPort(vertex, port)));
        }
    }
    return devices;
}

MixnetIpv4RoutingHelper*
MixnetIpv4RoutingHelper::Copy() const
{
    return new MixnetIpv4RoutingHelper(*this);
}

Ptr<Ipv4RoutingProtocol>
MixnetIpv4RoutingHelper::Create(Ptr<Node> /* node */) const
{
    const auto protocol = m_factory.Create<FabricIpv4Routing>();
    protocol->SetRouter(m_router, m_directory);
    return protocol;
}

} // namespace ns3
