/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "loss-recovery.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(LossRecovery);

namespace
{

constexpr uint8_t MAX_STRETCH = 20; //!< timeouts stay far from overflow

} // namespace

TypeId
LossRecovery::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::LossRecovery")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddAttribute("Timeout",
                          "Retransmission timeout; it doubles with every timeout in a row. 0: the "
                          "strategy's own: go-back-N takes 16.8 ms (IBTA's 4.096 us x 2^12), "
                          "selective repeat 320 us (RTO_high of IRN). A queue pair with a long "
                          "path doubles it until its shortest timeout is at least twice the round "
                          "trip of the idle path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&LossRecovery::SetTimeout, &LossRecovery::GetTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("AckInterval",
                          "Packets per acknowledgement; the last packet of a message is always "
                          "acknowledged. Keep it at or below the window in packets.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&LossRecovery::m_ackInterval),
                          MakeUintegerChecker<uint32_t>(1, 1 << 16))
            .AddAttribute("RetryLimit",
                          "Timeouts in a row after which a queue pair reports an error. 0: at the "
                          "first one.",
                          UintegerValue(7),
                          MakeUintegerAccessor(&LossRecovery::m_retryLimit),
                          MakeUintegerChecker<uint32_t>(0, 254))
            .AddAttribute("BackoffLimit",
                          "Most doublings of the timeout.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&LossRecovery::m_backoffLimit),
                          MakeUintegerChecker<uint32_t>(0, 16));
    return tid;
}

LossRecovery::LossRecovery()
    : m_defaultTimeout(NanoSeconds(16777216).GetTimeStep()),
      m_timeoutTicks(0),
      m_backoffLimit(0),
      m_retryLimit(0)
{
}

void
LossRecovery::NotifyConstructionCompleted()
{
    Object::NotifyConstructionCompleted();
    MIXNET_CHECK(m_timeoutTicks > 0, "retransmission timeout below a tick of the clock");
}

void
LossRecovery::SetTimeout(Time timeout)
{
    m_timeoutTicks = timeout.IsZero() ? m_defaultTimeout : timeout.GetTimeStep();
}

Time
LossRecovery::GetTimeout() const
{
    return TimeStep(static_cast<uint64_t>(m_timeoutTicks));
}

bool
LossRecovery::OnTimeout(SendState& state)
{
    if (state.retries >= m_retryLimit)
    {
        return false;
    }
    ++state.retries;
    DoTimeout(state);
    return true;
}

SimTick
LossRecovery::GetShortest() const
{
    return m_shortPackets > 0 ? std::min(m_shortTicks, m_timeoutTicks) : m_timeoutTicks;
}

SimTick
LossRecovery::GetCheckTime(const SendState& state, SimTick now) const
{
    // an acknowledgement ends the back-off, and may leave few packets under way
    const SimTick early = GetShortest() << state.stretch;
    const SimTick deadline = GetDeadline(state);
    const SimTick first = state.timedAt + early;
    return std::min(deadline, first > now ? first : now + early);
}

uint8_t
LossRecovery::GetStretch(SimTick roundTrip) const
{
    uint8_t stretch = 0;
    while (stretch < MAX_STRETCH && GetShortest() << stretch < 2 * roundTrip)
    {
        ++stretch;
    }
    return stretch;
}

void
LossRecovery::Store(ReceiveState& state, uint64_t psn, const StoredPacket& packet)
{
    OpenBuffer(state).Store(psn, packet);
}

StoredPacket
LossRecovery::TakeStored(ReceiveState& state)
{
    ReorderBuffer& buffer = m_buffers.Get(state.buffer);
    const StoredPacket packet = buffer.Take();
    if (buffer.IsEmpty())
    {
        CloseReceiver(state);
    }
    return packet;
}

ReorderBuffer&
LossRecovery::OpenBuffer(ReceiveState& state)
{
    if (state.buffer == 0)
    {
        state.buffer = m_buffers.Take();
        m_buffers.Get(state.buffer).SetFront(state.expected);
    }
    return m_buffers.Get(state.buffer);
}

void
LossRecovery::CloseReceiver(ReceiveState& state)
{
    if (state.buffer != 0)
    {
        ReorderBuffer& buffer = m_buffers.Get(state.buffer);
        if (!buffer.IsEmpty())
        {
            buffer.Clear();
        }
        m_buffers.Give(state.buffer);
        state.buffer = 0;
    }
}

} // namespace ns3
