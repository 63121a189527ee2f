/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "send-governor.h"

#include "ns3/frame-pool.h"
#include "ns3/mixnet-port.h"
#include "ns3/path-probe.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

void
SendGovernor::Setup(CongestionControl& congestion,
                    const LossRecovery& recovery,
                    const WindowOptions& options,
                    uint32_t payload)
{
    m_congestion = &congestion;
    m_recovery = &recovery;
    m_options = options;
    m_payload = static_cast<uint16_t>(payload);
    m_wantsPath = options.automatic || congestion.WantsPath();
    m_active = options.automatic || options.variable || congestion.HasWindow();
}

CongestionPath
SendGovernor::MakePath(DataRate rate) const
{
    CongestionPath path(rate);
    path.frameBytes = m_frameBytes;
    path.baseRtt = m_options.baseRtt;
    return path;
}

void
SendGovernor::Open(QpSender& qp, DataRate rate, SimTick now)
{
    const uint32_t slot = qp.number & QpTable::SLOT_MASK;
    const uint32_t room = m_congestion->GetTelemetryRoom();
    const uint32_t header = room > 0 ? FrameTelemetry::WireBytes(room) : 0;
    m_frameBytes = WireBytes(FrameOpcode::DATA_MIDDLE, m_payload) + header;
    m_answerBytes = WireBytes(FrameOpcode::ACK, 0) + header;
    if (m_active || m_wantsPath)
    {
        if (slot >= m_limits.size())
        {
            m_limits.resize(slot + 1);
        }
        const auto line = static_cast<double>(rate.GetBitRate());
        UintegerValue interval(1);
        m_recovery->GetAttributeFailSafe("AckInterval", interval);
        m_limits[slot] = {qp.send.window,
                          qp.send.window,
                          static_cast<uint32_t>(interval.Get()),
                          false,
                          line};
    }
    m_congestion->Open(slot, MakePath(rate), now);
}

void
SendGovernor::Restart(QpSender& qp, MixnetPort& port, SimTick now)
{
    if (m_active || m_wantsPath)
    {
        Probe(qp, port, now);
    }
    else
    {
        m_congestion->Open(qp.number & QpTable::SLOT_MASK, MakePath(port.GetRate()), now);
    }
    qp.nextAt = std::min(qp.nextAt, now);
}

void
SendGovernor::Move(QpSender& qp, const MixnetPort& from, MixnetPort& to, SimTick now)
{
    if (m_active || m_wantsPath || from.GetRate() != to.GetRate())
    {
        Restart(qp, to, now);
    }
}

void
SendGovernor::Probe(QpSender& qp, MixnetPort& port, SimTick now)
{
    Frame frame;
    frame.source = qp.source;
    frame.destination = qp.destination;
    frame.destinationQp = qp.peer;
    frame.sourcePort = qp.sourcePort;
    frame.wireBytes = static_cast<uint16_t>(m_frameBytes);
    const PathProbe probe = PathProbe::Follow(port, frame, m_answerBytes);
    const uint32_t slot = qp.number & QpTable::SLOT_MASK;
    CongestionPath path = MakePath(port.GetRate());
    if (probe.complete)
    {
        path.baseRtt = path.baseRtt > 0 ? path.baseRtt : probe.roundTrip;
        path.hops = probe.hops;
    }
    Limit& limit = m_limits[slot];
    limit.known = probe.complete;
    limit.line = static_cast<double>(path.lineRate.GetBitRate());
    limit.packets = limit.given;
    if (m_options.automatic && path.baseRtt > 0)
    {
        const auto second = static_cast<double>(Seconds(1).GetTimeStep());
        const double bytes = limit.line / 8 * (static_cast<double>(path.baseRtt) / second);
        const double packets = std::ceil(bytes / m_frameBytes) + (limit.interval - 1.0);
        limit.packets = static_cast<uint32_t>(std::min<double>(packets, limit.given));
    }
    m_congestion->Open(slot, path, now);
    Refresh(qp, now);
}

void
SendGovernor::Refresh(QpSender& qp, SimTick now)
{
    if (!m_active)
    {
        return;
    }
    const uint32_t slot = qp.number & QpTable::SLOT_MASK;
    const Limit& limit = m_limits[slot];
    double packets = limit.packets;
    if (m_options.variable)
    {
        const auto rate = static_cast<double>(m_congestion->GetRate(slot, now).GetBitRate());
        packets = std::ceil(packets * (rate / limit.line));
    }
    if (m_congestion->HasWindow())
    {
        const auto bytes = static_cast<double>(m_congestion->GetWindow(slot));
        packets = std::min(packets, std::ceil(bytes / m_frameBytes));
    }
    qp.send.window = static_cast<uint32_t>(std::max(packets, 1.0));
    const uint64_t waiting = qp.send.next - qp.send.acked;
    if (waiting >= qp.send.window && waiting < limit.interval)
    {
        // the receiver may wait for more: one goes, and asks for the acknowledgement
        qp.send.window = static_cast<uint32_t>(waiting + 1);
    }
}

void
SendGovernor::Report(QpSender& qp, const Frame& frame, uint64_t before, SimTick now)
{
    CongestionFeedback feedback;
    feedback.kind = frame.opcode == FrameOpcode::NACK ? CongestionFeedback::Kind::NACK
                                                      : CongestionFeedback::Kind::ACK;
    feedback.marked = (frame.flags & FRAME_ECN_ECHO) != 0;
    feedback.packets = static_cast<uint32_t>(qp.send.acked - before);
    feedback.roundTrip = now - frame.timestamp;
    feedback.acked = qp.send.acked;
    feedback.next = qp.send.gaps != 0 ? qp.send.sent : qp.send.next;
    if (frame.flags & FRAME_TELEMETRY)
    {
        feedback.telemetry = &FramePool::GetTelemetry(const_cast<Frame*>(&frame));
    }
    m_congestion->OnFeedback(qp.number & QpTable::SLOT_MASK, feedback, now);
    Refresh(qp, now);
}

void
SendGovernor::ReportTimeout(QpSender& qp, SimTick now)
{
    CongestionFeedback feedback;
    feedback.kind = CongestionFeedback::Kind::TIMEOUT;
    feedback.acked = qp.send.acked;
    feedback.next = qp.send.gaps != 0 ? qp.send.sent : qp.send.next;
    m_congestion->OnFeedback(qp.number & QpTable::SLOT_MASK, feedback, now);
    Refresh(qp, now);
}

void
SendGovernor::StartTelemetry(Frame& frame, uint32_t room)
{
    FrameTelemetry& telemetry = FramePool::GetTelemetry(&frame);
    telemetry.hops = 0;
    telemetry.room = room;
    frame.flags |= FRAME_TELEMETRY;
    frame.wireBytes += FrameTelemetry::WireBytes(room);
}

void
SendGovernor::KeepTelemetry(Frame& frame)
{
    frame.wireBytes += FrameTelemetry::WireBytes(FramePool::GetTelemetry(&frame).room);
}

} // namespace ns3
