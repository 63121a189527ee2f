/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-fabric-control.h"

#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PacketFabricControl);

TypeId
PacketFabricControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PacketFabricControl")
                            .SetParent<FabricControl>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PacketFabricControl>();
    return tid;
}

PacketFabricControl::PacketFabricControl() = default;
PacketFabricControl::~PacketFabricControl() = default;

void
PacketFabricControl::DoDispose()
{
    for (auto& [token, draining] : m_draining)
    {
        draining.check.Cancel();
    }
    m_draining.clear();
    m_transport = nullptr;
    m_world = nullptr;
    FabricControl::DoDispose();
}

void
PacketFabricControl::SetWorld(Ptr<PacketWorld> world, Ptr<PacketTransport> transport)
{
    m_world = world;
    m_transport = transport;
    SetGraph(world->GetGraph());
    SetAwaiting(transport);
}

void
PacketFabricControl::HoldPorts(const std::vector<EdgeId>& edges, bool held)
{
    const FabricGraph& graph = *GetGraph();
    const SimTick now = Simulator::Now().GetTimeStep();
    const auto ordinary = static_cast<uint8_t>(1U << m_world->GetFabric().GetBestEffortClass());
    for (const EdgeId e : edges)
    {
        for (const VertexId v : {graph.GetEndA(e), graph.GetEndB(e)})
        {
            if (graph.GetKind(v) == VertexKind::SERVER)
            {
                const uint32_t index = graph.GetPortAt(e, v);
                m_world->GetNic(graph.GetServer(v)).HoldPort(index, held);
                MixnetPort& port = m_world->GetPort(v, index);
                port.HoldClasses(held ? ordinary : 0, now);
            }
        }
    }
}

void
PacketFabricControl::DoQuiesce(Token token, const std::vector<EdgeId>& edges)
{
    HoldPorts(edges, true);
    if (m_transport)
    {
        m_transport->Hold(edges);
    }
    Draining& draining = m_draining[token];
    draining.edges = GetEdges(token);
    draining.check = Simulator::ScheduleNow(&PacketFabricControl::Check, this, token);
}

void
PacketFabricControl::DoResume(Token token, const std::vector<EdgeId>& edges)
{
    const auto it = m_draining.find(token);
    if (it != m_draining.end())
    {
        it->second.check.Cancel();
        m_draining.erase(it);
    }
    HoldPorts(edges, false);
    if (m_transport)
    {
        m_transport->Release(edges);
    }
}

Time
PacketFabricControl::GetBusy(EdgeId e)
{
    const FabricGraph& graph = *GetGraph();
    const MixnetLink& link = m_world->GetLink(e);
    const SimTick now = Simulator::Now().GetTimeStep();
    Time last(0);
    bool queued = false;
    const int ordinary = 1 << m_world->GetFabric().GetBestEffortClass();
    for (const VertexId v : {graph.GetEndA(e), graph.GetEndB(e)})
    {
        MixnetPort& port = m_world->GetPort(v, graph.GetPortAt(e, v));
        port.GetElement()->Advance(now);
        port.Settle(now);
    }
    for (const VertexId v : {graph.GetEndA(e), graph.GetEndB(e)})
    {
        MixnetPort& port = m_world->GetPort(v, graph.GetPortAt(e, v));
        last = Max(last, link.GetLastArrival(&port));
        queued = queued || (port.GetQueues().GetBacklog() & ~ordinary) != 0;
    }
    if (last.IsStrictlyPositive())
    {
        return last;
    }
    // what is queued behind a pause is looked at once per round trip
    return queued ? Simulator::Now() + 2 * link.GetDelay() + TimeStep(1) : Time(0);
}

void
PacketFabricControl::Check(Token token)
{
    Draining& draining = m_draining[token];
    Time next(0);
    for (const EdgeId e : draining.edges)
    {
        next = Max(next, GetBusy(e));
    }
    if (next.IsStrictlyPositive())
    {
        draining.check = Simulator::Schedule(Max(next - Simulator::Now(), Time(0)),
                                             &PacketFabricControl::Check,
                                             this,
                                             token);
        return;
    }
    m_draining.erase(token);
    Drained(token);
}

} // namespace ns3
