/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PacketTransport: what transfers load, for the load meter.

#include "packet-transport.h"

#include "ns3/flow-wire.h"
#include "ns3/packet-switch.h"

namespace ns3
{

std::unique_ptr<LoadMeter>
PacketTransport::DoMakeLoadMeter()
{
    m_innerBalance = LoadBalance::PER_FLOW;
    for (uint32_t v = 0; v < m_world->GetNodes().GetN(); ++v)
    {
        const VertexId vertex(v);
        if (m_graph->GetKind(vertex) == VertexKind::SWITCH &&
            m_world->GetSwitch(vertex).GetBalancer())
        {
            m_innerBalance = LoadBalance::IDEAL;
        }
    }
    return std::make_unique<LoadMeter>(m_graph);
}

void
PacketTransport::Meter(const PacketPart& part, uint32_t account, uint64_t payload)
{
    if (payload == 0)
    {
        return;
    }
    LoadMeter& meter = *GetLoadMeter();
    const FabricResources& resources = meter.GetResources();
    RouteQuery lane;
    lane.source = part.source;
    lane.destination = part.destination;
    lane.balance = m_innerBalance;
    lane.hash = GetEntropy(part);
    LaneRoute way;
    way.legs = part.legs;
    m_router->ResolveWay(lane, way, m_load);
    const FlowWire wire(m_world->GetNic(ServerId(0)).GetPayloadSize());
    const auto bytes = static_cast<double>(payload);
    const auto onWire = static_cast<double>(wire.GetLane(payload));
    for (const ChannelShare& use : m_load.channels)
    {
        meter.Add(account, FabricResources::GetNumber(use.channel), use.share * onWire);
    }
    for (const ScaleUpShare& use : m_load.scaleUp)
    {
        meter.Add(account, resources.GetNumber(use.gpu, use.egress), use.share * bytes);
    }
    for (const NumaShare& use : m_load.numa)
    {
        meter.Add(account, resources.GetNumaNumber(use.link), use.share * bytes);
    }
}

void
PacketTransport::MeterArrived(PacketPart& part)
{
    const uint32_t account = Get(part.transfer).transfer.account;
    if (account == LoadMeter::NONE)
    {
        return;
    }
    RdmaNic& to = m_world->GetNic(m_graph->GetServerOf(part.destination));
    const uint64_t received = to.GetReceived(part.peer).Get();
    Meter(part, account, received - part.metered);
    part.metered = received;
}

} // namespace ns3
