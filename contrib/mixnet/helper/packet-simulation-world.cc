/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-simulation-world.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/optical-switch.h"
#include "ns3/queue-size.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

PacketSimulationWorld::PacketSimulationWorld(const WorldConfig& config,
                                             Ptr<FabricGraph> graph,
                                             Ptr<FabricRouter> router)
    : m_graph(graph),
      m_world(CreateObject<PacketWorld>()),
      m_transport(CreateObject<PacketTransport>()),
      m_control(CreateObject<PacketFabricControl>())
{
    m_world->SetNicAttribute("PayloadSize", UintegerValue(config.payload.Get()));
    const auto bytes = [](ByteCount size) {
        return QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, static_cast<uint32_t>(size.Get())));
    };
    m_world->SetNicAttribute("CongestionControl", StringValue(config.congestionType));
    m_world->SetNicAttribute("LossRecovery", StringValue(config.recoveryType));
    m_world->SetNicAttribute("AutoWindow", BooleanValue(config.window != "none"));
    m_world->SetNicAttribute("VariableWindow", BooleanValue(config.window == "variable"));
    m_world->SetSwitchAttribute("EcnKmin", bytes(config.ecnKmin));
    m_world->SetSwitchAttribute("EcnKmax", bytes(config.ecnKmax));
    m_world->SetSwitchAttribute("EcnPmax", DoubleValue(config.ecnPmax));
    m_world->SetSwitchAttribute("BufferSize", bytes(config.switchBuffer));
    m_world->SetOcsFactory(MakeCallback(&PacketSimulationWorld::MakeOpticalSwitch, this));
    m_world->Build(graph);
    for (uint32_t s = 0; s < graph->GetNServers(); ++s)
    {
        RdmaNic& nic = m_world->GetNic(ServerId(s));
        nic.GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(config.ackInterval));
        for (const auto& [name, value] : config.congestion)
        {
            nic.GetCongestionControl()->SetAttribute(name, StringValue(value));
        }
        for (const auto& [name, value] : config.recovery)
        {
            nic.GetLossRecovery()->SetAttribute(name, StringValue(value));
        }
    }
    m_installer = std::make_unique<ForwardingInstaller>(router);
    for (uint32_t v = 0; v < graph->GetNVertices(); ++v)
    {
        if (graph->GetKind(VertexId(v)) == VertexKind::SWITCH)
        {
            m_installer->Add(VertexId(v), Ptr<PacketSwitch>(&m_world->GetSwitch(VertexId(v))));
        }
    }
    m_transport->SetAttribute(
        "LoadBalance",
        StringValue(ns3::GetLoadBalance(config) == LoadBalance::IDEAL ? "ideal" : "per-flow"));
    m_transport->SetWorld(m_world, router);
    m_control->SetWorld(m_world, m_transport);
}

PacketSimulationWorld::~PacketSimulationWorld()
{
    m_control->Dispose();
    m_transport->Dispose();
    m_installer.reset();
    m_world->Dispose();
}

Ptr<Object>
PacketSimulationWorld::MakeOpticalSwitch(VertexId ocs,
                                         Ptr<Node> node,
                                         const std::vector<Ptr<MixnetPort>>& ports)
{
    const Ptr<OpticalSwitch> device = CreateObject<OpticalSwitch>();
    device->Setup(m_graph, ocs, node->GetId());
    for (const auto& port : ports)
    {
        device->AddPort(port);
    }
    return device;
}

Ptr<Transport>
PacketSimulationWorld::GetTransport() const
{
    return m_transport;
}

Ptr<FabricControl>
PacketSimulationWorld::GetControl() const
{
    return m_control;
}

Ptr<PacketWorld>
PacketSimulationWorld::GetPacketWorld() const
{
    return m_world;
}

uint64_t
PacketSimulationWorld::GetWireBytes(ChannelId c) const
{
    const VertexId source = m_graph->GetSource(c);
    const uint32_t port = m_graph->GetPortAt(FabricGraph::GetEdgeOf(c), source);
    return m_world->GetPort(source, port).GetCounters().txBytes;
}

std::vector<std::string>
PacketSimulationWorld::GetNotes() const
{
    std::vector<std::string> notes;
    const RdmaCounters counters = m_world->GetCounters();
    std::ostringstream line;
    line << "frames dropped: " << m_world->GetFabric().GetTotalDrops()
         << ", retransmitted: " << counters.dataResent;
    notes.push_back(line.str());
    return notes;
}

int64_t
PacketSimulationWorld::AssignStreams(int64_t stream)
{
    m_installer->UpdateSeeds();
    return m_world->AssignStreams(stream);
}

} // namespace ns3
