/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Timer and completions of RdmaNic. A queue pair may be gone after any call of a sink or trace.

#include "go-back-n.h"
#include "rdma-nic.h"

#include "ns3/boolean.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3
{

TypeId
RdmaNic::GetTypeId()
{
    static TypeId tid =
        AddOptionAttributes(AddCongestionAttributes(TypeId("ns3::RdmaNic")
                                                        .SetParent<Object>()
                                                        .SetGroupName("Mixnet")
                                                        .AddConstructor<RdmaNic>()))
            .AddAttribute("LossRecovery",
                          "TypeId of the loss recovery of all queue pairs.",
                          TypeIdValue(GoBackN::GetTypeId()),
                          MakeTypeIdAccessor(&RdmaNic::m_recoveryType),
                          MakeTypeIdChecker())
            .AddAttribute("PayloadSize",
                          "Largest payload of a packet, bytes.",
                          UintegerValue(4096),
                          MakeUintegerAccessor(&RdmaNic::m_payload),
                          MakeUintegerChecker<uint32_t>(256, 9000))
            .AddAttribute("Ecn",
                          "Send data as ECN-capable.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&RdmaNic::m_ecn),
                          MakeBooleanChecker())
            .AddAttribute("RelayEcnThreshold",
                          "Bytes waiting to be relayed by a port above which frames are marked CE; "
                          "0: never.",
                          UintegerValue(1 << 20),
                          MakeUintegerAccessor(&RdmaNic::m_relayEcnThreshold),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("RelayPauseThreshold",
                          "Bytes waiting to be relayed that came in by one port above which it "
                          "pauses its sender; 0: never (rings of circuits could deadlock).",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaNic::m_relayPauseThreshold),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Lookahead",
                          "How late the NIC may look at arrivals that end no message, while nobody "
                          "observes it (at most one tick less than its shortest cable). No result "
                          "depends on it; 0s gives every arrival an event of its own.",
                          TimeValue(Seconds(1)),
                          MakeTimeAccessor(&RdmaNic::m_lookahead),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("SendCompletion",
                            "A message was acknowledged, or given up.",
                            MakeTraceSourceAccessor(&RdmaNic::m_sendTrace),
                            "ns3::RdmaNic::SendTracedCallback")
            .AddTraceSource("ReceiveCompletion",
                            "The last byte of a message was delivered.",
                            MakeTraceSourceAccessor(&RdmaNic::m_receiveTrace),
                            "ns3::RdmaNic::ReceiveTracedCallback")
            .AddTraceSource("Timeout",
                            "A retransmission timer ran out.",
                            MakeTraceSourceAccessor(&RdmaNic::m_timeoutTrace),
                            "ns3::RdmaNic::TimeoutTracedCallback")
            .AddTraceSource("WindowLimit",
                            "A queue pair may have fewer packets under way than its path holds: "
                            "the cap of 2^23 - 1 packets, or the bitmap, limits its rate.",
                            MakeTraceSourceAccessor(&RdmaNic::m_windowTrace),
                            "ns3::RdmaNic::WindowTracedCallback");
    return tid;
}

void
RdmaNic::Arm(QpSender& qp, SimTick now)
{
    qp.armed = true;
    m_core->table.Cold(qp.number).ackedBefore = qp.send.acked;
    SimTick check = m_recovery->GetCheckTime(qp.send, now);
    const SimTick half = m_recovery->GetHalfTime(qp.send);
    check = half > now ? std::min(check, half) : check;
    m_deadlines.Push(std::max(check, now), qp.number & QpTable::SLOT_MASK);
    m_timer->Arm(m_deadlines.GetTime());
}

void
RdmaNic::OnTimer(uint32_t)
{
    const SimTick now = Simulator::Now().GetTimeStep();
    m_element->Advance(now); // an acknowledgment at this instant is in time
    while (!m_deadlines.IsEmpty() && m_deadlines.GetTime() <= now)
    {
        CheckDeadline(m_core->table.Sender(m_deadlines.Pop()), now);
    }
    if (!m_deadlines.IsEmpty())
    {
        m_timer->Arm(m_deadlines.GetTime());
    }
}

void
RdmaNic::CheckDeadline(QpSender& qp, SimTick now)
{
    qp.armed = false;
    if (qp.number == 0)
    {
        return;
    }
    RdmaPort& port = GetRdmaPort(qp.port);
    port.GetPort().Settle(now);
    if (qp.armed || !qp.send.IsWaiting())
    {
        return;
    }
    if (m_recovery->GetDeadline(qp.send) > now)
    {
        Arm(qp, now);
        return;
    }
    if (m_core->table.Cold(qp.number).ackedBefore != qp.send.acked)
    {
        LossRecovery::Restart(qp.send, now);
        Arm(qp, now);
        return;
    }
    const uint32_t number = qp.number;
    const uint32_t retries = qp.send.retries + 1U;
    if (!m_recovery->OnTimeout(qp.send))
    {
        Fail(number);
        return;
    }
    ++m_core->counters.timeouts;
    m_core->governor.ReportTimeout(qp, now);
    if (qp.send.IsWaiting())
    {
        Arm(qp, now);
    }
    port.Wake(qp, now);
    m_timeoutTrace(number, retries);
}

void
RdmaNic::Acknowledged(uint32_t qp)
{
    for (;;)
    {
        QpSender* sender = m_core->table.FindSender(qp);
        if (!sender || sender->send.acked < sender->oldestEnd)
        {
            return;
        }
        QpCold& cold = m_core->table.Cold(qp);
        const SendRequest request = cold.queue.Front();
        cold.queue.Pop();
        sender->oldestEnd =
            cold.queue.IsEmpty() ? std::numeric_limits<uint64_t>::max() : cold.queue.Front().end;
        const SendCompletion done{qp, request.id, ByteCount(request.bytes), WorkStatus::SUCCESS};
        WorkSink* sink = cold.sink;
        m_sendTrace(done);
        if (sink)
        {
            sink->OnSend(*this, done);
        }
    }
}

void
RdmaNic::Delivered(uint32_t qp)
{
    QpReceiver& receiver = m_core->table.Receiver(qp);
    const ReceiveCompletion done{qp, receiver.messages, ByteCount(receiver.bytes)};
    ++receiver.messages;
    receiver.bytes = 0;
    WorkSink* sink = m_core->table.Cold(qp).sink;
    m_receiveTrace(done);
    if (sink)
    {
        sink->OnReceive(*this, done);
    }
}

void
RdmaNic::DeliverStored(uint32_t qp, uint32_t packets)
{
    for (uint32_t i = 0; i < packets; ++i)
    {
        QpReceiver* receiver = m_core->table.FindReceiver(qp);
        if (!receiver)
        {
            return;
        }
        const StoredPacket packet = m_recovery->TakeStored(receiver->state);
        receiver->bytes += packet.payload;
        receiver->delivered += packet.payload;
        if (packet.flags >> PATH_SHIFT)
        {
            m_core->BookPath(packet.flags, packet.payload, qp);
        }
        if (packet.flags & FRAME_SOLICITED)
        {
            Delivered(qp);
        }
    }
}

void
RdmaNic::Fail(uint32_t qp)
{
    QpSender& sender = Get(qp);
    m_recovery->CloseSender(sender.send);
    sender.send.next = sender.send.acked;
    sender.send.end = sender.send.acked;
    sender.send.sent = sender.send.acked;
    sender.oldestEnd = std::numeric_limits<uint64_t>::max();
    m_core->table.Cold(qp).failed = true;
    FlushFailed(qp, WorkStatus::RETRY_EXCEEDED);
}

void
RdmaNic::FlushFailed(uint32_t qp, WorkStatus status)
{
    if (!HasQp(qp) || m_core->table.Cold(qp).queue.IsEmpty())
    {
        return;
    }
    QpCold& cold = m_core->table.Cold(qp);
    const SendRequest request = cold.queue.Front();
    cold.queue.Pop();
    if (!cold.queue.IsEmpty())
    {
        Simulator::ScheduleNow(&RdmaNic::FlushFailed, this, qp, WorkStatus::FLUSHED);
    }
    const SendCompletion done{qp, request.id, ByteCount(request.bytes), status};
    WorkSink* sink = cold.sink;
    m_sendTrace(done);
    if (sink)
    {
        sink->OnSend(*this, done);
    }
}

} // namespace ns3
