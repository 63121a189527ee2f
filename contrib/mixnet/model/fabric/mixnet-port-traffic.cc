/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/// @file
/// The hot side of MixnetPort: choosing, sending and receiving frames.

#include "mixnet-port.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param value any @return it, or the largest that fits
uint32_t
Saturate(uint64_t value)
{
    return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX));
}

} // namespace

SimTick
MixnetPort::SlowSerialization(uint32_t bytes) const
{
    return (ByteCount(bytes) / m_link->GetRate()).GetTimeStep();
}

SimTick
MixnetPort::AdvanceClock(uint32_t bytes, SimTick now)
{
    return m_clock->Advance(ByteCount(bytes), TimeStep(static_cast<uint64_t>(now))).GetTimeStep();
}

void
MixnetPort::Decide(SimTick now)
{
    // Busy while choosing: whoever is told of a departure may queue a PFC frame here, not send it.
    m_busyUntil = NEVER;
    *m_decideAt = NEVER;
    SimTick retry = NEVER;
    if (m_pauseTimers)
    {
        m_paused = m_pauseTimers->Apply(m_paused, now);
    }
    if (Frame* frame = m_up ? Choose(now, retry) : nullptr)
    {
        Transmit(frame, now);
    }
    else
    {
        m_busyUntil = now;
        if (m_pauseTimers)
        {
            retry = std::min(retry, m_pauseTimers->GetNext());
        }
        *m_decideAt = retry;
        if (retry != NEVER)
        {
            ExpectRetry(retry + m_delay);
        }
    }
    m_element->ExpectDecision(*m_decideAt);
}

void
MixnetPort::ExpectRetry(SimTick arrival)
{
    if (m_peer->m_arrivals.IsEmpty())
    {
        m_peer->m_element->ExpectArrival(m_peer->m_index, arrival);
    }
    if (m_feedsNic && m_peer->m_element->IsLateNic())
    {
        m_peer->m_element->ExpectFrame(arrival, false, true);
    }
}

Frame*
MixnetPort::Choose(SimTick now, SimTick& retry)
{
    if (!m_control.IsEmpty())
    {
        return m_control.Pop();
    }
    const uint8_t open = ~(m_paused | m_held);
    Frame* frame = nullptr;
    if (!m_source || !m_sourceTurn)
    {
        frame = m_queues.Pop(open);
    }
    if (!frame && m_source)
    {
        m_sourceTurn = false;
        frame = m_source->Pull(open, now, retry);
        if (frame)
        {
            return frame;
        }
        frame = m_queues.Pop(open);
    }
    if (frame)
    {
        m_sourceTurn = true;
        if ((frame->flags & FRAME_TELEMETRY) && IsData(frame->opcode))
        {
            Stamp(*frame, now);
        }
        if (m_observer)
        {
            m_observer->FrameLeaves(*frame, *this, now);
        }
    }
    return frame;
}

void
MixnetPort::Stamp(Frame& frame, SimTick now)
{
    FrameTelemetry& telemetry = m_fabric->GetPool().GetTelemetry(&frame);
    const uint32_t index = telemetry.hops++;
    if (index < telemetry.room)
    {
        telemetry.hop[index] = {now,
                                m_counters.txBytes,
                                this,
                                Saturate(m_queues.GetBytes(frame.trafficClass)),
                                Saturate(m_link->GetRate().GetBitRate() / 1000)};
    }
}

void
MixnetPort::Transmit(Frame* frame, SimTick now)
{
    const uint32_t bytes = frame->wireBytes;
    m_busyUntil = now + (m_ticksPerByte > 0 ? bytes * m_ticksPerByte : AdvanceClock(bytes, now));
    *m_decideAt = m_busyUntil;
    frame->time = m_busyUntil + m_delay;
    ++m_counters.txFrames;
    m_counters.txBytes += bytes;
    if (m_observers > 0)
    {
        m_dequeueTrace(*frame);
        Sniff(*frame, false);
    }
    Deliver(frame);
}

void
MixnetPort::Deliver(Frame* frame)
{
    MixnetPort& peer = *m_peer;
    const bool first = peer.m_arrivals.IsEmpty();
    MIXNET_CHECK(first || peer.m_arrivals.Back()->time <= frame->time, "a frame overtakes another");
    peer.m_arrivals.Push(frame);
    if (first)
    {
        peer.m_element->ExpectArrival(peer.m_index, frame->time);
    }
    if (m_feedsNic && peer.m_element->IsLateNic())
    {
        peer.m_element->ExpectFrame(frame->time, peer.IsUrgent(*frame), *m_decideAt != NEVER);
    }
}

void
MixnetPort::EnqueueSettled(Frame* frame, SimTick now)
{
    if (!m_up)
    {
        if (m_observer)
        {
            m_observer->FrameLeaves(*frame, *this, now);
        }
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    if (m_observers > 0)
    {
        m_enqueueTrace(*frame);
    }
    m_queues.Push(frame);
    if (m_busyUntil <= now)
    {
        Decide(now);
    }
}

void
MixnetPort::SendPfc(uint8_t classes, bool pause, SimTick now, uint16_t quanta)
{
    if (!m_up)
    {
        return;
    }
    Settle(now);
    Frame* frame = m_fabric->GetPool().Allocate();
    frame->opcode = pause ? FrameOpcode::PFC_PAUSE : FrameOpcode::PFC_RESUME;
    frame->psn = classes;
    frame->sourcePort = quanta;
    frame->wireBytes = WireBytes(frame->opcode, 0);
    frame->trafficClass = N_PRIORITIES - 1;
    m_counters.pausesSent += pause ? 1 : 0;
    if (m_observers > 0)
    {
        m_pfcSentTrace(classes, pause);
    }
    m_control.Push(frame);
    if (m_busyUntil <= now)
    {
        Decide(now);
    }
}

void
MixnetPort::Inject(Frame* frame, SimTick now)
{
    if (!m_up)
    {
        Drop(frame, DropReason::LINK_DOWN);
        return;
    }
    frame->time = now + m_delay;
    ++m_counters.txFrames;
    m_counters.txBytes += frame->wireBytes;
    if (m_observers > 0)
    {
        m_dequeueTrace(*frame);
        Sniff(*frame, false);
    }
    Deliver(frame);
}

bool
MixnetPort::IsUrgent(const Frame& frame) const
{
    switch (frame.opcode)
    {
    case FrameOpcode::PFC_PAUSE:
    case FrameOpcode::PFC_RESUME:
        return false;
    case FrameOpcode::ETHERNET:
        return true;
    default:
        return m_receiver && m_receiver->IsUrgent(frame);
    }
}

SimTick
MixnetPort::GetNextArrival() const
{
    if (!m_arrivals.IsEmpty())
    {
        const Frame* first = m_arrivals.Front();
        __builtin_prefetch(first->next); // the next one's turn comes when other ports had theirs
        return first->time;
    }
    const SimTick decision = m_peer ? *m_peer->m_decideAt : NEVER;
    return decision == NEVER ? NEVER : decision + m_delay;
}

void
MixnetPort::Receive(Frame* frame, SimTick now)
{
    if (m_hasErrors && m_link->IsCorrupt(*frame, m_peer))
    {
        Drop(frame, DropReason::CORRUPT);
        return;
    }
    ++m_counters.rxFrames;
    m_counters.rxBytes += frame->wireBytes;
    if (m_observers > 0)
    {
        m_receiveTrace(*frame);
        Sniff(*frame, true);
    }
    if (m_role != PortRole::OPTICAL)
    {
        if (frame->opcode == FrameOpcode::PFC_PAUSE || frame->opcode == FrameOpcode::PFC_RESUME)
        {
            ReceivePfc(frame, now);
            return;
        }
        if (m_role == PortRole::NIC)
        {
            if (frame->opcode == FrameOpcode::ETHERNET)
            {
                ReceivePacket(frame);
                return;
            }
            if (frame->destination != m_nicAddress && !m_relaying)
            {
                Drop(frame, DropReason::UNWANTED);
                return;
            }
            Settle(now);
        }
    }
    if (m_receiver)
    {
        m_receiver->ReceiveFrame(frame, *this, now);
    }
    else
    {
        Drop(frame, DropReason::UNWANTED);
    }
}

void
MixnetPort::ForgetPauses(SimTick now)
{
    Settle(now);
    m_paused = 0;
    m_pauseTimers.reset();
    Kick(now);
}

void
MixnetPort::HoldClasses(uint8_t classes, SimTick now)
{
    m_element->CatchUp(now);
    Settle(now);
    m_held = classes;
    Kick(now);
}

void
MixnetPort::ReceivePfc(Frame* frame, SimTick now)
{
    const auto classes = static_cast<uint8_t>(frame->psn);
    const bool pause = frame->opcode == FrameOpcode::PFC_PAUSE;
    const SimTick lasts = pause && frame->sourcePort > 0
                              ? GetSerialization(QUANTUM_BYTES * frame->sourcePort)
                              : NEVER;
    m_fabric->GetPool().Free(frame);
    Settle(now);
    if (lasts != NEVER || m_pauseTimers || m_pfcResponse.IsStrictlyPositive())
    {
        m_pauseTimers = m_pauseTimers ? std::move(m_pauseTimers) : std::make_unique<PauseTimers>();
        m_pauseTimers->Receive(classes, pause, now + m_pfcResponse.GetTimeStep(), lasts);
        m_paused = m_pauseTimers->Apply(m_paused, now);
    }
    else
    {
        m_paused = pause ? (m_paused | classes) : (m_paused & ~classes);
    }
    m_counters.pausesReceived += pause ? 1 : 0;
    if (m_observers > 0)
    {
        m_pfcReceivedTrace(classes, pause);
    }
    if (m_busyUntil <= now)
    {
        Decide(now);
    }
}

} // namespace ns3
