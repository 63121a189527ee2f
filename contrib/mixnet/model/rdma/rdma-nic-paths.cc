/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ways of RdmaNic's queue pairs: round trips, moves, pauses and relays.

#include "rdma-nic.h"

#include "ns3/log.h"
#include "ns3/mixnet-link.h"
#include "ns3/path-probe.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaNic");

void
RdmaNic::AdaptTimeout(QpSender& qp)
{
    MixnetPort& port = GetRdmaPort(qp.port).GetPort();
    Frame frame;
    frame.source = qp.source;
    frame.destination = qp.destination;
    frame.destinationQp = qp.peer;
    frame.sourcePort = qp.sourcePort;
    frame.wireBytes = WireBytes(FrameOpcode::DATA_MIDDLE, static_cast<uint16_t>(m_payload));
    const PathProbe path = PathProbe::Follow(port, frame, WireBytes(FrameOpcode::ACK, 0));
    const SimTick cable = 2 * port.GetLink()->GetDelay().GetTimeStep();
    const SimTick network =
        (path.complete ? path.roundTrip : 0) + m_core->table.Cold(qp.number).answerTicks;
    const SimTick roundTrip = std::max({m_baseRtt.GetTimeStep(), cable, network});
    qp.send.stretch = m_recovery->GetStretch(roundTrip);
    // a window below rate x round trip leaves the path dry
    const double bits = static_cast<double>(port.GetRate().GetBitRate()) *
                        TimeStep(static_cast<uint64_t>(roundTrip)).GetSeconds();
    const double held = bits / 8 / frame.wireBytes;
    if (qp.send.window == m_recovery->GetWindowLimit() && held > qp.send.window)
    {
        NS_LOG_WARN("queue pair " << qp.number << ": at most " << qp.send.window
                                  << " packets may be under way, its path holds " << held);
        m_windowTrace(qp.number, qp.send.window, static_cast<uint64_t>(held));
    }
}

void
RdmaNic::SetPath(uint32_t qp, uint32_t port, uint32_t destination, uint16_t sourcePort)
{
    QpSender& sender = Get(qp);
    const SimTick now = Present();
    RdmaPort& from = GetRdmaPort(sender.port);
    RdmaPort& to = GetRdmaPort(port);
    from.GetPort().Settle(now);
    to.GetPort().Settle(now);
    QpScheduler::Remove(sender); // it may wait for the time of its old rate
    sender.port = static_cast<uint8_t>(port);
    sender.source = to.GetAddress();
    sender.destination = destination;
    sender.sourcePort = sourcePort;
    sender.path = EncodePath(++m_core->table.Cold(qp).paths);
    m_core->table.Cold(qp).answerTicks = 0;
    m_core->governor.Move(sender, from.GetPort(), to.GetPort(), now);
    AdaptTimeout(sender);
    to.Wake(sender, now);
}

void
RdmaNic::SetAnswerAddress(uint32_t qp, uint32_t address)
{
    QpSender& sender = Get(qp);
    GetRdmaPort(sender.port).GetPort().Settle(Present());
    sender.source = address;
}

void
RdmaNic::SetDataEnd(uint32_t qp, uint32_t address, uint32_t peer)
{
    QpSender& sender = Get(qp);
    GetRdmaPort(sender.port).GetPort().Settle(Present());
    sender.destination = address;
    sender.peer = peer;
}

void
RdmaNic::SetAnswerEnd(uint32_t qp, uint32_t peer)
{
    Present();
    m_core->table.Receiver(qp).peer = peer;
}

void
RdmaNic::Resend(uint32_t qp)
{
    QpSender& sender = Get(qp);
    RdmaPort& port = GetRdmaPort(sender.port);
    const SimTick now = Present();
    port.GetPort().Settle(now);
    if (!sender.send.IsWaiting())
    {
        return;
    }
    sender.send.retries = 0;
    m_recovery->OnTimeout(sender.send);
    sender.send.retries = 0;
    if (sender.send.IsWaiting() && !sender.armed)
    {
        Arm(sender, now);
    }
    port.Wake(sender, now);
}

void
RdmaNic::SetAnswerWay(uint32_t qp, uint32_t port, uint32_t address)
{
    Present();
    QpCold& cold = m_core->table.Cold(qp);
    cold.answerPort = static_cast<uint8_t>(port);
    cold.answerAddress = address;
    m_core->detours = true;
}

void
RdmaNic::StretchTimeout(uint32_t qp, SimTick answerTicks)
{
    QpSender& sender = Get(qp);
    GetRdmaPort(sender.port).GetPort().Settle(Present());
    m_core->table.Cold(qp).answerTicks = answerTicks;
    AdaptTimeout(sender);
}

void
RdmaNic::SetOneWay(uint32_t port, bool oneWay)
{
    GetRdmaPort(port).SetOneWay(oneWay);
    m_relay.SetOneWay(port, oneWay);
}

void
RdmaNic::HoldQp(uint32_t qp, bool held)
{
    QpSender& sender = Get(qp);
    RdmaPort& port = GetRdmaPort(sender.port);
    const SimTick now = Present();
    port.GetPort().Settle(now);
    sender.held = held;
    port.Wake(sender, now);
}

void
RdmaNic::HoldPort(uint32_t port, bool held)
{
    GetRdmaPort(port).SetHeld(held, Present());
}

RdmaRelay&
RdmaNic::GetRelay()
{
    Present();
    return m_relay;
}

uint32_t
RdmaNic::GetIndex(const RdmaPort& port) const
{
    uint32_t index = 0;
    while (m_ports[index].get() != &port)
    {
        ++index;
    }
    return index;
}

void
RdmaNic::ForgetPause(RdmaPort& port)
{
    port.ForgetPauses();
    m_relay.ForgetPause(GetIndex(port));
}

void
RdmaNic::ChangePeer(uint32_t port)
{
    ForgetPause(GetRdmaPort(port));
    GetPort(port).ForgetPauses(Present());
}

void
RdmaNic::Relay(Frame* frame, RdmaPort& in, SimTick now)
{
    if (m_relay.Forward(frame, GetIndex(in), now))
    {
        ++m_core->counters.relayed;
    }
    else
    {
        in.GetPort().Drop(frame, DropReason::UNWANTED);
    }
}

} // namespace ns3
