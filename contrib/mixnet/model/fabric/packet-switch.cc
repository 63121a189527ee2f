/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-switch.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PacketSwitch");

NS_OBJECT_ENSURE_REGISTERED(PacketSwitch);

PacketSwitch::PacketSwitch()
{
    NS_LOG_FUNCTION(this);
}

PacketSwitch::~PacketSwitch()
{
    NS_LOG_FUNCTION(this);
}

void
PacketSwitch::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& port : m_ports)
    {
        port->SetReceiver(nullptr, PortRole::SWITCH);
        port->SetEgressObserver(nullptr);
    }
    m_refresher.reset();
    m_element.reset();
    m_ports.clear();
    m_state.clear();
    Object::DoDispose();
}

void
PacketSwitch::DoInitialize()
{
    if (!m_configured)
    {
        Configure();
    }
    Object::DoInitialize();
}

uint32_t
PacketSwitch::AddPort(Ptr<MixnetPort> port)
{
    NS_LOG_FUNCTION(this << port);
    if (!m_element)
    {
        const auto node = GetObject<Node>();
        MIXNET_CHECK(node, "a switch is aggregated to its node before it gets ports");
        m_element = std::make_unique<FabricElement>(node->GetId());
    }
    port->SetReceiver(this, PortRole::SWITCH);
    port->SetEgressObserver(this);
    m_ports.push_back(port);
    PortState state;
    state.random = CreateObject<UniformRandomVariable>();
    m_state.push_back(state);
    return port->JoinElement(m_element.get());
}

uint32_t
PacketSwitch::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

MixnetPort*
PacketSwitch::GetPort(uint32_t index) const
{
    return PeekPointer(m_ports.at(index));
}

void
PacketSwitch::SetRoutes(const std::vector<RouteRange>& ranges, const std::vector<PortGroup>& groups)
{
    NS_LOG_FUNCTION(this);
    if (m_element)
    {
        m_element->Advance(Simulator::Now().GetTimeStep());
    }
    m_table.SetRoutes(ranges, groups);
    if (m_balancer)
    {
        m_balancer->ForgetRoutes();
    }
}

const ForwardingTable&
PacketSwitch::GetTable() const
{
    return m_table;
}

void
PacketSwitch::SetEcmpSeed(uint64_t seed)
{
    m_hashSeed = seed;
}

void
PacketSwitch::SetPauseObserver(PauseObserver* observer)
{
    m_pauseObserver = observer;
}

Ptr<PortBalancer>
PacketSwitch::GetBalancer() const
{
    return m_balancer;
}

void
PacketSwitch::SetQuantum(uint8_t priority, uint32_t quantum)
{
    for (auto& port : m_ports)
    {
        port->GetQueues().SetQuantum(priority, quantum);
    }
}

const SharedBuffer&
PacketSwitch::GetBuffer()
{
    const SimTick now = Simulator::Now().GetTimeStep();
    m_element->Advance(now);
    m_element->SettlePorts(now);
    return m_buffer;
}

uint8_t
PacketSwitch::GetPausedNeighbor(uint32_t port)
{
    GetBuffer();
    return m_state.at(port).pausedNeighbor;
}

int64_t
PacketSwitch::AssignStreams(int64_t stream)
{
    MIXNET_CHECK(m_configured || m_balancerFactory.GetTypeId() == EcmpBalancer::GetTypeId(),
                 "a switch with a balancer is configured before its streams are assigned");
    for (auto& state : m_state)
    {
        state.random->SetStream(stream++);
    }
    const auto used = static_cast<int64_t>(m_state.size());
    return used + (m_balancer ? m_balancer->AssignStreams(stream) : 0);
}

void
PacketSwitch::ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now)
{
    const uint16_t egress = m_balancer
                                ? Balance(*frame, now)
                                : m_table.Choose(frame->destination, FlowHash(*frame, m_hashSeed));
    if (egress == ForwardingTable::NO_PORT)
    {
        in.Drop(frame, DropReason::NO_ROUTE);
        return;
    }
    MixnetPort& out = *m_ports[egress];
    if (!out.IsLinkUp())
    {
        in.Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    out.Settle(now);
    const uint32_t bytes = frame->wireBytes - ETHERNET_GAP_BYTES;
    const uint32_t ingress = in.GetIndex();
    const uint8_t priority = frame->trafficClass;
    const uint64_t queued = out.GetQueues().GetBytes(priority);
    frame->ingress = static_cast<uint16_t>(ingress);
    frame->time = now;
    if (m_buffer.FitsEasily(ingress, priority, bytes, queued))
    {
        m_buffer.Charge(ingress, priority, bytes);
    }
    else if (!AdmitCarefully(frame, in, out, bytes, now))
    {
        return;
    }
    if (m_ecn && m_ecnPoint == ECN_ENQUEUE)
    {
        Mark(*frame, out, queued);
    }
    out.EnqueueSettled(frame, now);
}

uint16_t
PacketSwitch::Balance(const Frame& frame, SimTick now)
{
    const PortChoice choice = m_table.GetChoice(frame.destination);
    if (choice.count < 2)
    {
        return choice.count == 0 ? ForwardingTable::NO_PORT : choice.ports[0];
    }
    return m_balancer->Choose(frame, FlowHash(frame, m_hashSeed), choice, now);
}

MixnetPort*
PacketSwitch::FindNext(const Frame& frame, const MixnetPort&)
{
    const uint16_t egress = m_table.Choose(frame.destination, FlowHash(frame, m_hashSeed));
    return egress == ForwardingTable::NO_PORT ? nullptr : PeekPointer(m_ports[egress]);
}

bool
PacketSwitch::AdmitCarefully(Frame* frame,
                             MixnetPort& in,
                             MixnetPort& out,
                             uint32_t bytes,
                             SimTick now)
{
    // What has left by now must not count; see FabricElement.
    m_element->SettlePorts(now);
    const uint32_t ingress = in.GetIndex();
    const uint8_t priority = frame->trafficClass;
    const auto verdict =
        m_buffer.Admit(ingress, priority, bytes, out.GetQueues().GetBytes(priority));
    if (m_buffer.IsLossless(priority) && m_buffer.ShouldPause(ingress, priority))
    {
        TellNeighbor(in, priority, true, now);
    }
    if (verdict == SharedBuffer::Verdict::ADMIT)
    {
        return true;
    }
    in.Drop(frame,
            verdict == SharedBuffer::Verdict::DROP_HEADROOM ? DropReason::HEADROOM
                                                            : DropReason::BUFFER);
    return false;
}

void
PacketSwitch::FrameLeaves(Frame& frame, MixnetPort& port, SimTick now)
{
    const uint8_t priority = frame.trafficClass;
    m_buffer.Release(frame.ingress, priority, frame.wireBytes - ETHERNET_GAP_BYTES);
    if (m_ecn && m_ecnPoint == ECN_DEQUEUE)
    {
        Mark(frame, port, port.GetQueues().GetBytes(priority));
    }
    if ((m_state[frame.ingress].pausedNeighbor >> priority & 1) &&
        m_buffer.ShouldResume(frame.ingress, priority))
    {
        TellNeighbor(*m_ports[frame.ingress], priority, false, now);
    }
}

void
PacketSwitch::Mark(Frame& frame, MixnetPort& port, uint64_t bytes)
{
    PortState& state = m_state[port.GetIndex()];
    const auto verdict = state.marker.Judge(bytes);
    if (verdict == EcnMarker::Verdict::NEVER || frame.ecn == FrameEcn::NOT_ECT ||
        frame.ecn == FrameEcn::CE)
    {
        return;
    }
    if (verdict == EcnMarker::Verdict::ALWAYS ||
        state.random->GetValue(0, 1) < state.marker.GetProbability(bytes))
    {
        frame.ecn = FrameEcn::CE;
        port.NoteMark(frame);
    }
}

void
PacketSwitch::TellNeighbor(MixnetPort& port, uint8_t priority, bool pause, SimTick now)
{
    uint8_t& paused = m_state[port.GetIndex()].pausedNeighbor;
    const auto bit = static_cast<uint8_t>(1U << priority);
    if (((paused & bit) != 0) == pause)
    {
        return;
    }
    paused ^= bit;
    m_pauses += pause ? 1 : -1;
    m_element->SetOrdered(m_pauses > 0);
    if (pause && m_pauseObserver)
    {
        m_pauseObserver->NeighborPaused();
    }
    if (m_refresher)
    {
        WatchPause(port, priority, pause, now);
    }
    if (pause || m_pfcRelease != PFC_QUANTA)
    {
        port.SendPfc(bit, pause, now, m_refresher ? m_pfcQuanta : 0);
    }
}

void
PacketSwitch::WatchPause(MixnetPort& port, uint8_t priority, bool pause, SimTick now)
{
    if (pause)
    {
        m_refresher->Watch(port.GetIndex(), priority, now + GetRefreshInterval(port));
    }
    else
    {
        m_refresher->Forget(port.GetIndex(), priority);
    }
}

void
PacketSwitch::RefreshPause(uint32_t index, uint8_t priority)
{
    const SimTick now = Simulator::Now().GetTimeStep();
    m_element->Advance(now);
    m_element->SettlePorts(now);
    if (m_state[index].pausedNeighbor >> priority & 1)
    {
        WatchPause(*m_ports[index], priority, true, now);
        m_ports[index]->SendPfc(static_cast<uint8_t>(1U << priority), true, now, m_pfcQuanta);
    }
}

void
PacketSwitch::LinkChanged(MixnetPort& port, bool up)
{
    uint8_t& paused = m_state[port.GetIndex()].pausedNeighbor;
    m_pauses -= static_cast<uint32_t>(__builtin_popcount(paused));
    paused = 0;
    for (uint8_t c = 0; m_refresher && c < N_PRIORITIES; ++c)
    {
        m_refresher->Forget(port.GetIndex(), c);
    }
    m_element->SetOrdered(m_pauses > 0);
}

} // namespace ns3
