/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-helper.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-port.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"
#include "ns3/topology-generator.h"

#include <iomanip>
#include <sstream>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaHelper");

NS_OBJECT_ENSURE_REGISTERED(RdmaFabric);

TypeId
RdmaFabric::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFabric")
                            .SetParent<Object>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RdmaFabric>();
    return tid;
}

RdmaFabric::RdmaFabric() = default;
RdmaFabric::~RdmaFabric() = default;

void
RdmaFabric::Setup(Ptr<FabricGraph> graph, Ptr<FabricRouter> router, Ptr<PacketWorld> world)
{
    m_graph = graph;
    m_router = router;
    m_world = world;
    m_installer = std::make_unique<ForwardingInstaller>(router);
    for (uint32_t v = 0; v < graph->GetNVertices(); ++v)
    {
        if (graph->GetKind(VertexId(v)) == VertexKind::SWITCH)
        {
            m_installer->Add(VertexId(v), Ptr<PacketSwitch>(&world->GetSwitch(VertexId(v))));
        }
    }
    Simulator::ScheduleDestroy(&Object::Dispose, Ptr<Object>(this));
}

void
RdmaFabric::DoDispose()
{
    m_installer.reset();
    if (m_world)
    {
        m_world->Dispose();
        m_router->Dispose();
        m_graph->Dispose();
    }
    m_world = nullptr;
    m_router = nullptr;
    m_graph = nullptr;
    Object::DoDispose();
}

Ptr<FabricGraph>
RdmaFabric::GetGraph() const
{
    return m_graph;
}

Ptr<PacketWorld>
RdmaFabric::GetWorld() const
{
    return m_world;
}

int64_t
RdmaFabric::AssignStreams(int64_t stream)
{
    const int64_t router = m_router->AssignStreams(stream);
    m_installer->UpdateSeeds();
    return router + m_world->AssignStreams(stream + router);
}

RdmaHelper::RdmaHelper()
{
    m_topology.SetTypeId("ns3::FatTreeTopology");
}

void
RdmaHelper::SetTopology(const std::string& typeId)
{
    m_topology = ObjectFactory();
    m_topology.SetTypeId(typeId);
}

void
RdmaHelper::SetTopologyAttribute(const std::string& name, const AttributeValue& value)
{
    m_topology.Set(name, value);
}

void
RdmaHelper::SetNicAttribute(const std::string& name, const AttributeValue& value)
{
    m_nic.emplace_back(name, value.Copy());
}

void
RdmaHelper::SetSwitchAttribute(const std::string& name, const AttributeValue& value)
{
    m_switch.emplace_back(name, value.Copy());
}

void
RdmaHelper::SetPortAttribute(const std::string& name, const AttributeValue& value)
{
    m_port.emplace_back(name, value.Copy());
}

NetDeviceContainer
RdmaHelper::Install(const NodeContainer& servers)
{
    return Install(servers, ClusterSpec(servers.GetN(), 1));
}

NetDeviceContainer
RdmaHelper::Install(const NodeContainer& servers, const ClusterSpec& cluster)
{
    const Ptr<FabricGraph> graph = m_topology.Create<TopologyGenerator>()->Build(cluster);
    const Ptr<FabricRouter> router = CreateObject<FabricRouter>();
    router->SetGraph(graph);
    const Ptr<PacketWorld> world = CreateObject<PacketWorld>();
    for (const auto& [name, value] : m_nic)
    {
        world->SetNicAttribute(name, *value);
    }
    for (const auto& [name, value] : m_switch)
    {
        world->SetSwitchAttribute(name, *value);
    }
    for (const auto& [name, value] : m_port)
    {
        world->SetPortAttribute(name, *value);
    }
    world->SetServerNodes(servers);
    world->Build(graph);
    m_fabric = CreateObject<RdmaFabric>();
    m_fabric->Setup(graph, router, world);
    NetDeviceContainer devices;
    for (uint32_t s = 0; s < graph->GetNServers(); ++s)
    {
        const VertexId v = graph->GetVertex(ServerId(s));
        for (uint32_t port = 0; port < graph->GetNPorts(v); ++port)
        {
            devices.Add(Ptr<NetDevice>(&world->GetPort(v, port)));
        }
    }
    return devices;
}

Ptr<RdmaFabric>
RdmaHelper::GetFabric() const
{
    return m_fabric;
}

int64_t
RdmaHelper::AssignStreams(int64_t stream) const
{
    return m_fabric->AssignStreams(stream);
}

void
RdmaHelper::EnablePcapInternal(std::string prefix,
                               Ptr<NetDevice> device,
                               bool promiscuous,
                               bool explicitFilename)
{
    const Ptr<MixnetPort> port = DynamicCast<MixnetPort>(device);
    if (!port)
    {
        NS_LOG_INFO("no MixnetPort: " << device);
        return;
    }
    PcapHelper pcap;
    const std::string name = explicitFilename ? prefix : pcap.GetFilenameFromDevice(prefix, device);
    // microseconds would give all frames of a burst one time
    const Ptr<PcapFileWrapper> file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(name, std::ios::out);
    if (file->Fail())
    {
        throw InputError(name, "cannot be written", "a path in a folder that exists");
    }
    file->Init(PcapHelper::DLT_EN10MB);
    pcap.HookDefaultSink<MixnetPort>(port, promiscuous ? "PromiscSniffer" : "Sniffer", file);
}

namespace
{

/// @param stream out @param event what happened @param port where @return stream, behind both
std::ostream&
WriteEvent(const Ptr<OutputStreamWrapper>& stream, char event, const MixnetPort* port)
{
    std::ostringstream time;
    time << std::fixed << std::setprecision(12) << Simulator::Now().GetSeconds();
    return *stream->GetStream() << event << " " << time.str() << " /NodeList/"
                                << port->GetNode()->GetId() << "/DeviceList/" << port->GetIfIndex()
                                << " ";
}

/// @param stream out @param event what happened @param port where @param frame to what
void
WriteFrame(Ptr<OutputStreamWrapper> stream, char event, const MixnetPort* port, const Frame& frame)
{
    WriteEvent(stream, event, port) << frame << "\n";
}

/// @param stream out @param port where @param frame dropped @param reason why
void
WriteDrop(Ptr<OutputStreamWrapper> stream,
          const MixnetPort* port,
          const Frame& frame,
          DropReason reason)
{
    WriteEvent(stream, 'd', port) << frame << " " << GetName(reason) << "\n";
}

} // namespace

void
RdmaHelper::EnableAsciiInternal(Ptr<OutputStreamWrapper> stream,
                                std::string prefix,
                                Ptr<NetDevice> device,
                                bool explicitFilename)
{
    const Ptr<MixnetPort> port = DynamicCast<MixnetPort>(device);
    if (!port)
    {
        NS_LOG_INFO("no MixnetPort: " << device);
        return;
    }
    if (!stream)
    {
        AsciiTraceHelper ascii;
        stream = ascii.CreateFileStream(
            explicitFilename ? prefix : ascii.GetFilenameFromDevice(prefix, device));
    }
    const MixnetPort* at = PeekPointer(port);
    const std::pair<const char*, char> events[] = {{"Enqueue", '+'},
                                                   {"Dequeue", '-'},
                                                   {"Receive", 'r'}};
    for (const auto& [name, event] : events)
    {
        port->TraceConnectWithoutContext(name, MakeBoundCallback(&WriteFrame, stream, event, at));
    }
    port->TraceConnectWithoutContext("Drop", MakeBoundCallback(&WriteDrop, stream, at));
}

} // namespace ns3
