/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-resources.h"

#include "ns3/mixnet-error.h"

#include <optional>

namespace ns3
{

const char*
GetName(FabricResourceKind k)
{
    static constexpr const char* names[] =
        {"", "gpu", "scale-up", "numa", "nic", "link", "circuit"};
    return names[static_cast<std::size_t>(k)];
}

FabricResources::FabricResources(Ptr<const FabricGraph> graph)
    : m_graph(graph),
      m_paths(*graph)
{
}

uint32_t
FabricResources::GetN() const
{
    return GetNumaNumber(static_cast<uint32_t>(m_paths.GetNumaLinks().size()));
}

uint32_t
FabricResources::GetNumber(ChannelId channel)
{
    return channel.Get();
}

uint32_t
FabricResources::GetNumber(GpuId gpu, bool egress) const
{
    return 2 * m_graph->GetNEdges() + 2 * gpu.Get() + (egress ? 0 : 1);
}

uint32_t
FabricResources::GetNumaNumber(uint32_t link) const
{
    return 2 * m_graph->GetNEdges() + 2 * m_graph->GetNGpus() + link;
}

FabricResourceKind
FabricResources::GetKind(uint32_t number) const
{
    if (number >= GetNumaNumber(0))
    {
        return FabricResourceKind::NUMA;
    }
    if (number >= 2 * m_graph->GetNEdges())
    {
        return FabricResourceKind::SCALE_UP;
    }
    const ChannelId channel(number);
    if (m_graph->GetSpec(FabricGraph::GetEdgeOf(channel)).kind == EdgeKind::FIBER)
    {
        return FabricResourceKind::CIRCUIT;
    }
    const bool inner = m_graph->GetKind(m_graph->GetSource(channel)) == VertexKind::SWITCH &&
                       m_graph->GetKind(m_graph->GetTarget(channel)) == VertexKind::SWITCH;
    return inner ? FabricResourceKind::LINK : FabricResourceKind::NIC;
}

DataRate
FabricResources::GetRate(uint32_t number) const
{
    return number < 2 * m_graph->GetNEdges()
               ? m_graph->GetSpec(FabricGraph::GetEdgeOf(ChannelId(number))).rate
               : GetBuiltRate(number);
}

DataRate
FabricResources::GetBuiltRate(uint32_t number) const
{
    if (number >= GetNumaNumber(0))
    {
        return m_paths.GetNumaLinks()[number - GetNumaNumber(0)].rate;
    }
    if (number >= 2 * m_graph->GetNEdges())
    {
        const GpuId gpu((number - 2 * m_graph->GetNEdges()) / 2);
        return m_graph->GetServerSpec(m_graph->GetServerOf(gpu)).scaleUpRate;
    }
    return m_graph->GetBuiltRate(FabricGraph::GetEdgeOf(ChannelId(number)));
}

bool
FabricResources::IsOut(ChannelId channel) const
{
    return m_graph->GetKind(m_graph->GetSource(channel)) == VertexKind::SERVER;
}

FabricResource
FabricResources::Describe(uint32_t number) const
{
    FabricResource resource{GetKind(number), number, FabricResource::ALL};
    if (resource.kind == FabricResourceKind::NUMA)
    {
        resource.index -= GetNumaNumber(0);
    }
    else if (resource.kind == FabricResourceKind::SCALE_UP)
    {
        resource.index -= 2 * m_graph->GetNEdges();
    }
    else if (resource.kind == FabricResourceKind::CIRCUIT)
    {
        const ChannelId channel(number);
        const EdgeId edge = FabricGraph::GetEdgeOf(channel);
        const bool out = IsOut(channel);
        const VertexId ocs = out ? m_graph->GetTarget(channel) : m_graph->GetSource(channel);
        const uint32_t port = m_graph->GetPortAt(edge, ocs);
        const auto other = out ? m_graph->GetPeer(ocs, port) : m_graph->GetFeeder(ocs, port);
        if (other)
        {
            const ChannelId there = m_graph->GetEgress(ocs, *other);
            resource.index = out ? number : FabricGraph::GetReverse(there).Get();
            resource.peer = out ? there.Get() : number;
        }
    }
    return resource;
}

std::string
FabricResources::GetGpuName(GpuId gpu) const
{
    return m_graph->GetName(m_graph->GetVertex(m_graph->GetServerOf(gpu))) + " gpu " +
           std::to_string(m_graph->GetLocalIndex(gpu));
}

std::string
FabricResources::GetNicName(ChannelId channel, bool out) const
{
    const VertexId server = out ? m_graph->GetSource(channel) : m_graph->GetTarget(channel);
    return m_graph->GetName(server) + " nic " +
           std::to_string(m_graph->GetPortAt(FabricGraph::GetEdgeOf(channel), server));
}

std::string
FabricResources::GetName(const FabricResource& resource) const
{
    const uint32_t i = resource.index;
    if (resource.kind == FabricResourceKind::NONE)
    {
        return "";
    }
    if (i == FabricResource::ALL)
    {
        return resource.kind == FabricResourceKind::SCALE_UP ? "scale-up domains" : "all";
    }
    switch (resource.kind)
    {
    case FabricResourceKind::GPU:
        return GetGpuName(GpuId(i));
    case FabricResourceKind::SCALE_UP:
        return GetGpuName(GpuId(i / 2)) +
               (i % 2 == 0 ? " to its scale-up domain" : " from its scale-up domain");
    case FabricResourceKind::NUMA: {
        const NumaLink& link = m_paths.GetNumaLinks()[i];
        return m_graph->GetName(m_graph->GetVertex(link.server)) + " NUMA node " +
               std::to_string(link.from) + " -> " + std::to_string(link.to);
    }
    case FabricResourceKind::CIRCUIT:
        if (resource.peer != FabricResource::ALL)
        {
            return GetNicName(ChannelId(i), true) + " -> " +
                   GetNicName(ChannelId(resource.peer), false);
        }
        break;
    default:
        break;
    }
    const ChannelId channel(i);
    const VertexId from = m_graph->GetSource(channel);
    const VertexId to = m_graph->GetTarget(channel);
    const bool fromServer = m_graph->GetKind(from) == VertexKind::SERVER;
    const bool toServer = m_graph->GetKind(to) == VertexKind::SERVER;
    const std::string port =
        fromServer || toServer
            ? ""
            : " port " + std::to_string(m_graph->GetPortAt(FabricGraph::GetEdgeOf(channel), from));
    return (fromServer ? GetNicName(channel, true) : m_graph->GetName(from) + port) + " -> " +
           (toServer ? GetNicName(channel, false) : m_graph->GetName(to));
}

} // namespace ns3
