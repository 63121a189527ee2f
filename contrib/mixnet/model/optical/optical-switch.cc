/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-switch.h"

#include "ns3/log.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("OpticalSwitch");

NS_OBJECT_ENSURE_REGISTERED(OpticalSwitch);

TypeId
OpticalSwitch::GetTypeId()
{
    static TypeId tid = TypeId("ns3::OpticalSwitch")
                            .SetParent<Object>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<OpticalSwitch>()
                            .AddTraceSource("Lost",
                                            "A frame was lost in the dark, at which port.",
                                            MakeTraceSourceAccessor(&OpticalSwitch::m_lostTrace),
                                            "ns3::OpticalSwitch::LostTracedCallback");
    return tid;
}

OpticalSwitch::OpticalSwitch()
{
    NS_LOG_FUNCTION(this);
}

OpticalSwitch::~OpticalSwitch()
{
    NS_LOG_FUNCTION(this);
}

Ptr<Object>
OpticalSwitch::Make(Ptr<FabricGraph> graph,
                    VertexId ocs,
                    Ptr<Node> node,
                    const std::vector<Ptr<MixnetPort>>& ports)
{
    const Ptr<OpticalSwitch> device = CreateObject<OpticalSwitch>();
    device->Setup(graph, ocs, node->GetId());
    for (const auto& port : ports)
    {
        device->AddPort(port);
    }
    return device;
}

void
OpticalSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (const Ptr<MixnetPort>& port : m_ports)
    {
        port->Dispose();
    }
    m_ports.clear();
    m_light.clear();
    m_graph = nullptr;
    Object::DoDispose();
}

void
OpticalSwitch::Setup(Ptr<FabricGraph> graph, VertexId ocs, uint32_t context)
{
    NS_LOG_FUNCTION(this << ocs.Get() << context);
    MIXNET_CHECK(!m_graph, "an optical switch is set up once");
    m_graph = graph;
    m_ocs = ocs;
    m_element = std::make_unique<FabricElement>(context);
    graph->Subscribe(GraphPhase::WORLD, MakeCallback(&OpticalSwitch::Follow, this));
}

void
OpticalSwitch::AddPort(Ptr<MixnetPort> port)
{
    NS_LOG_FUNCTION(this << port);
    port->SetReceiver(this, PortRole::OPTICAL);
    const uint32_t index = port->JoinElement(m_element.get());
    MIXNET_CHECK(index == m_ports.size(), "ports of an optical switch are its own");
    m_ports.push_back(port);
    m_light.emplace_back();
    m_light.back().peer = Look(index);
    if (const auto feeder = m_graph->GetFeeder(m_ocs, index); feeder && *feeder < index)
    {
        m_light[*feeder].peer = Look(*feeder);
    }
}

FabricElement&
OpticalSwitch::GetElement()
{
    return *m_element;
}

bool
OpticalSwitch::IsLit(uint32_t port) const
{
    return m_light[port].peer != DARK;
}

uint64_t
OpticalSwitch::GetForwarded() const
{
    return m_forwarded;
}

uint64_t
OpticalSwitch::GetLost() const
{
    return m_lost;
}

uint32_t
OpticalSwitch::Look(uint32_t port) const
{
    const auto peer = m_graph->GetPeer(m_ocs, port);
    const bool lit = peer && *peer < m_ports.size() &&
                     m_graph->IsUp(m_graph->GetEdge(m_ocs, port)) &&
                     m_graph->IsUp(m_graph->GetEdge(m_ocs, *peer));
    return lit ? *peer : DARK;
}

void
OpticalSwitch::Follow(const GraphChange& change)
{
    if (!m_graph || m_ports.empty())
    {
        return;
    }
    NS_LOG_FUNCTION(this);
    const SimTick now = Simulator::Now().GetTimeStep();
    const auto update = [&](uint32_t port) {
        const uint32_t peer = Look(port);
        if (peer != m_light[port].peer)
        {
            m_element->Advance(now);
            m_light[port] = {peer, now};
        }
    };
    const auto updateBoth = [&](uint32_t port) {
        update(port);
        if (const auto feeder = m_graph->GetFeeder(m_ocs, port))
        {
            update(*feeder);
        }
    };
    for (const auto* edges : {&change.up, &change.down})
    {
        for (const EdgeId e : *edges)
        {
            if (m_graph->GetEndA(e) == m_ocs || m_graph->GetEndB(e) == m_ocs)
            {
                updateBoth(m_graph->GetPortAt(e, m_ocs));
            }
        }
    }
    for (const auto* circuits : {&change.added, &change.removed})
    {
        for (const Circuit& c : *circuits)
        {
            if (c.ocs == m_ocs)
            {
                update(c.portA);
                update(c.portB);
            }
        }
    }
}

bool
OpticalSwitch::IsWhole(const Frame& frame, const MixnetPort& in, SimTick since, SimTick now)
{
    const SimTick first = now - in.GetSerialization(frame.wireBytes);
    if (first >= since)
    {
        return true;
    }
    // Serialization is rounded up to the tick, so the first byte may seem to come one tick early.
    const uint64_t ticks = static_cast<uint64_t>(Seconds(1).GetTimeStep()) * 8;
    return first + 1 == since && frame.wireBytes * ticks % in.GetRate().GetBitRate() != 0;
}

void
OpticalSwitch::ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now)
{
    const Light& light = m_light[in.GetIndex()];
    if (light.peer == DARK || !IsWhole(*frame, in, light.since, now))
    {
        ++m_lost;
        m_lostTrace(*frame, in.GetIndex());
        in.Drop(frame, DropReason::DARK);
        return;
    }
    ++m_forwarded;
    m_ports[light.peer]->Inject(frame, now);
}

MixnetPort*
OpticalSwitch::FindNext(const Frame&, const MixnetPort& in)
{
    const uint32_t peer = m_light[in.GetIndex()].peer;
    return peer == DARK ? nullptr : PeekPointer(m_ports[peer]);
}

} // namespace ns3
