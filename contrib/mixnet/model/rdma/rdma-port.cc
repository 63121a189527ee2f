/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-port.h"

#include "rdma-nic.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

RdmaPort::RdmaPort(RdmaNic& nic, RdmaCore& core, Ptr<MixnetPort> port)
    : m_nic(nic),
      m_core(core),
      m_port(port),
      m_address(port->GetNicAddress()),
      m_dataBit(static_cast<uint8_t>(1U << core.dataClass))
{
    port->SetReceiver(this, PortRole::NIC);
    port->SetRelaying(true);
    port->SetEgressSource(this);
}

void
RdmaPort::SetHeld(bool held, SimTick now)
{
    m_port->Settle(now);
    m_held = held;
    if (!held)
    {
        m_port->Kick(now);
    }
}

Frame*
RdmaPort::Pull(uint8_t openClasses, SimTick now, SimTick& retry)
{
    retry = NEVER;
    if (m_options && !m_held)
    {
        return PullWithOptions(openClasses, now, retry);
    }
    if (m_held || (openClasses & m_dataBit) == 0)
    {
        return nullptr;
    }
    QpSender* qp = m_scheduler.Take(m_core.table, now);
    if (!qp)
    {
        retry = m_scheduler.GetNext();
        return nullptr;
    }
    Frame* frame = MakeData(*qp, now);
    if (qp->send.HasPacket())
    {
        m_scheduler.Add(*qp);
    }
    m_scheduler.FetchNext(m_core.table, *m_core.congestion);
    return frame;
}

void
RdmaPort::LoadMessage(QpSender& qp)
{
    const SendRequest& request = m_core.table.Cold(qp.number).queue.Find(qp.send.next);
    qp.messageFirst = request.first;
    qp.messageEnd = request.end;
    qp.messageBytes = request.bytes;
}

Frame*
RdmaPort::MakeData(QpSender& qp, SimTick now)
{
    static constexpr FrameOpcode opcodes[] = {FrameOpcode::DATA_MIDDLE,
                                              FrameOpcode::DATA_LAST,
                                              FrameOpcode::DATA_FIRST,
                                              FrameOpcode::DATA_ONLY};
    const uint64_t psn = qp.send.next;
    if (psn < qp.messageFirst || psn >= qp.messageEnd)
    {
        LoadMessage(qp);
    }
    const uint64_t index = psn - qp.messageFirst;
    const PacketSlice slice = m_core.layout.GetSlice(qp.messageBytes, index);
    const bool again = qp.send.OnSent(now);

    Frame* frame = m_core.pool->Allocate();
    frame->timestamp = now;
    frame->source = qp.source;
    frame->destination = qp.destination;
    frame->destinationQp = qp.peer;
    frame->psn = PsnToWire(psn);
    frame->payloadBytes = static_cast<uint16_t>(slice.payload);
    frame->sourcePort = qp.sourcePort;
    frame->opcode = opcodes[2 * slice.firstOfSegment + slice.lastOfSegment];
    frame->wireBytes = WireBytes(frame->opcode, frame->payloadBytes);
    frame->ecn = m_core.ecn;
    frame->trafficClass = qp.trafficClass;
    frame->flags = qp.path;
    if (slice.firstOfSegment)
    {
        frame->aux = index == 0 ? 0 : m_core.layout.GetOffset(index);
        frame->messageBytes = m_core.layout.GetSegmentBytes(qp.messageBytes, index);
    }
    if (slice.lastOfMessage)
    {
        frame->flags |= FRAME_ACK_REQUEST | FRAME_SOLICITED;
    }
    else if (qp.send.next - qp.send.acked >= qp.send.window)
    {
        frame->flags |= FRAME_ACK_REQUEST; // the window is full: nothing goes on without an answer
    }
    ++m_core.counters.dataSent;
    m_core.counters.payloadSent += slice.payload;
    if (again)
    {
        frame->flags |= FRAME_RETRANSMISSION;
        ++m_core.counters.dataResent;
        m_core.counters.payloadResent += slice.payload;
        m_core.recovery->OnResent(qp.send);
    }
    if (m_core.telemetryRoom > 0)
    {
        SendGovernor::StartTelemetry(*frame, m_core.telemetryRoom);
    }
    const SimTick gap =
        m_core.congestion->OnSent(qp.number & QpTable::SLOT_MASK, frame->wireBytes, now);
    qp.nextAt = now + gap;
    if (!qp.armed)
    {
        m_nic.Arm(qp, now);
    }
    return frame;
}

void
RdmaPort::ReceiveFrame(Frame* frame, MixnetPort&, SimTick now)
{
    if (frame->destination != m_address || frame->destinationQp <= QpTable::SLOT_MASK)
    {
        m_nic.Relay(frame, *this, now);
    }
    else if (IsData(frame->opcode))
    {
        if (m_options && m_options->bus)
        {
            m_options->bus->Receive(frame, now);
            return;
        }
        ReceiveData(frame, now);
    }
    else if (frame->opcode == FrameOpcode::CNP)
    {
        ReceiveCnp(frame, now);
    }
    else
    {
        ReceiveAck(frame, now);
    }
}

MixnetPort*
RdmaPort::FindNext(const Frame& frame, const MixnetPort&)
{
    const bool own = frame.destination == m_address && frame.destinationQp > QpTable::SLOT_MASK;
    return own ? nullptr : m_nic.GetRelay().FindPort(frame);
}

bool
RdmaPort::IsUrgent(const Frame& frame) const
{
    if (frame.destination != m_address || frame.opcode == FrameOpcode::CNP)
    {
        return false;
    }
    if (IsData(frame.opcode))
    {
        return (frame.flags & FRAME_SOLICITED) != 0;
    }
    // oldestEnd only grows until then, so what completes nothing now will not do so
    const QpSender* qp = m_core.table.FindSender(frame.destinationQp);
    return qp && PsnFromWire(frame.psn, qp->send.acked) + 1 >= qp->oldestEnd;
}

void
RdmaPort::LinkChanged(MixnetPort&, bool)
{
    m_nic.ForgetPause(*this);
}

void
RdmaPort::DropStray(Frame* frame)
{
    ++m_core.counters.strays;
    m_core.pool->Free(frame);
}

void
RdmaPort::ReceiveData(Frame* frame, SimTick now)
{
    QpReceiver* qp = m_core.table.FindReceiver(frame->destinationQp);
    if (!qp)
    {
        DropStray(frame);
        return;
    }
    RdmaCounters& counters = m_core.counters;
    const uint64_t psn = PsnFromWire(frame->psn, qp->state.expected);
    const bool last = (frame->flags & FRAME_SOLICITED) != 0;
    ++counters.dataReceived;
    const bool asked = (frame->flags & FRAME_ACK_REQUEST) != 0;
    const ReceiveVerdict verdict = m_core.recovery->OnData(qp->state, psn, asked);
    if (verdict.accept)
    {
        ++counters.dataAccepted;
        counters.payloadAccepted += frame->payloadBytes;
        qp->bytes += frame->payloadBytes;
        qp->delivered += frame->payloadBytes;
        if (frame->flags >> PATH_SHIFT)
        {
            m_core.BookPath(frame->flags, frame->payloadBytes, qp->number);
        }
    }
    else
    {
        SetAside(*frame, *qp, psn, verdict);
    }
    if (frame->ecn == FrameEcn::CE && now - qp->notifiedAt >= m_core.notifyInterval)
    {
        Notify(*frame, *qp, now);
    }
    const uint32_t number = qp->number;
    if (verdict.reply == ReceiveVerdict::Reply::NONE)
    {
        m_core.pool->Free(frame);
    }
    else
    {
        Answer(frame, *qp, verdict, now);
    }
    if (verdict.accept && last)
    {
        m_nic.Delivered(number);
    }
    if (verdict.ready > 0)
    {
        m_nic.DeliverStored(number, verdict.ready);
    }
}

void
RdmaPort::SetAside(const Frame& frame, QpReceiver& qp, uint64_t psn, const ReceiveVerdict& verdict)
{
    RdmaCounters& counters = m_core.counters;
    if (verdict.store)
    {
        ++counters.dataAccepted;
        ++counters.dataStored;
        counters.payloadAccepted += frame.payloadBytes;
        m_core.recovery->Store(qp.state, psn, {frame.payloadBytes, frame.flags, true});
        return;
    }
    const bool duplicate = verdict.duplicate || psn < qp.state.expected;
    ++(duplicate ? counters.dataDuplicate : counters.dataOutOfOrder);
}

void
RdmaPort::Notify(const Frame& frame, QpReceiver& qp, SimTick now)
{
    qp.notifiedAt = now;
    ++m_core.counters.cnpsSent;
    Frame* cnp = m_core.pool->Allocate();
    cnp->source = m_address;
    cnp->destination = frame.source;
    cnp->destinationQp = qp.peer;
    cnp->sourcePort = frame.sourcePort;
    cnp->opcode = FrameOpcode::CNP;
    cnp->wireBytes = WireBytes(FrameOpcode::CNP, 0);
    cnp->trafficClass = m_core.controlClass;
    SendAnswer(cnp, qp, now);
}

void
RdmaPort::Answer(Frame* frame, const QpReceiver& qp, const ReceiveVerdict& verdict, SimTick now)
{
    const bool ack = verdict.reply == ReceiveVerdict::Reply::ACK;
    m_core.counters.acksSent += ack ? 1 : 0;
    m_core.counters.nacksSent += ack ? 0 : 1;
    frame->destination = frame->source;
    frame->source = m_address;
    frame->destinationQp = qp.peer;
    // the answer to a stored packet names it, too, where an AETH has the message number
    frame->messageBytes = verdict.store || verdict.duplicate ? frame->psn : 0;
    // an ACK names the last packet that arrived in order, a NACK the missing one
    frame->psn = PsnToWire(verdict.psn - (ack ? 1 : 0));
    frame->opcode = ack ? FrameOpcode::ACK : FrameOpcode::NACK;
    frame->wireBytes = WireBytes(FrameOpcode::ACK, 0);
    frame->payloadBytes = 0;
    frame->aux = 0;
    frame->flags &= FRAME_TELEMETRY;
    frame->flags |= frame->ecn == FrameEcn::CE ? FRAME_ECN_ECHO : 0;
    frame->ecn = FrameEcn::NOT_ECT;
    frame->trafficClass = m_core.controlClass;
    if (frame->flags & FRAME_TELEMETRY)
    {
        SendGovernor::KeepTelemetry(*frame);
    }
    SendAnswer(frame, qp, now);
}

void
RdmaPort::SendAnswer(Frame* frame, const QpReceiver& qp, SimTick now)
{
    if (m_core.detours)
    {
        const QpCold& cold = m_core.table.Cold(qp.number);
        if (cold.answerPort != QpCold::NO_PORT)
        {
            frame->destination = cold.answerAddress;
            m_nic.GetRdmaPort(cold.answerPort).GetPort().Enqueue(frame, now);
            return;
        }
    }
    m_port->Enqueue(frame, now);
}

void
RdmaPort::ReceiveAck(Frame* frame, SimTick now)
{
    QpSender* qp = m_core.table.FindSender(frame->destinationQp);
    if (!qp)
    {
        DropStray(frame);
        return;
    }
    RdmaPort& port = m_nic.GetRdmaPort(qp->port);
    port.m_port->Settle(now);
    const bool nack = frame->opcode == FrameOpcode::NACK;
    const uint64_t psn = PsnFromWire(frame->psn, qp->send.acked) + (nack ? 0 : 1);
    const uint64_t before = qp->send.acked;
    const bool fresh =
        nack ? m_core.recovery->OnNack(qp->send, psn, PsnFromWire(frame->messageBytes, before))
             : m_core.recovery->OnAck(qp->send, psn);
    m_core.counters.nacksReceived += nack ? 1 : 0;
    m_core.counters.acksReceived += nack ? 0 : 1;
    if (nack || m_core.reportAcks)
    {
        m_core.governor.Report(*qp, *frame, before, now);
    }
    m_core.pool->Free(frame);
    port.Wake(*qp, now);
    if (fresh && qp->send.acked >= qp->oldestEnd)
    {
        m_nic.Acknowledged(qp->number);
    }
}

void
RdmaPort::ReceiveCnp(Frame* frame, SimTick now)
{
    QpSender* qp = m_core.table.FindSender(frame->destinationQp);
    if (!qp)
    {
        DropStray(frame);
        return;
    }
    m_nic.GetRdmaPort(qp->port).m_port->Settle(now);
    ++m_core.counters.cnpsReceived;
    CongestionFeedback feedback;
    feedback.kind = CongestionFeedback::Kind::CNP;
    m_core.congestion->OnFeedback(qp->number & QpTable::SLOT_MASK, feedback, now);
    m_core.pool->Free(frame);
}

} // namespace ns3
