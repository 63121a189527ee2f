/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-simulation-world.h"

#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

FlowSimulationWorld::FlowSimulationWorld(const WorldConfig& config,
                                         Ptr<FabricGraph> graph,
                                         Ptr<FabricRouter> router)
    : m_transport(CreateObject<FlowTransport>()),
      m_control(CreateObject<FlowFabricControl>())
{
    m_transport->SetAttribute(
        "LoadBalance",
        StringValue(ns3::GetLoadBalance(config) == LoadBalance::IDEAL ? "ideal" : "per-flow"));
    m_transport->SetAttribute("PayloadBytes", UintegerValue(config.payload.Get()));
    m_transport->SetGraph(graph);
    m_transport->SetRouter(router);
    m_control->SetGraph(graph);
    m_control->SetTransport(m_transport);
}

FlowSimulationWorld::~FlowSimulationWorld()
{
    m_control->Dispose();
    m_transport->Dispose();
}

Ptr<Transport>
FlowSimulationWorld::GetTransport() const
{
    return m_transport;
}

Ptr<FabricControl>
FlowSimulationWorld::GetControl() const
{
    return m_control;
}

uint64_t
FlowSimulationWorld::GetWireBytes(ChannelId c) const
{
    return m_transport->GetWireBytes(c).Get();
}

uint64_t
FlowSimulationWorld::GetNumaBytes(uint32_t link) const
{
    return m_transport->GetNumaBytes(link).Get();
}

std::vector<std::string>
FlowSimulationWorld::GetNotes() const
{
    return {};
}

std::vector<DropCount>
FlowSimulationWorld::GetDrops() const
{
    return {};
}

int64_t
FlowSimulationWorld::AssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3
