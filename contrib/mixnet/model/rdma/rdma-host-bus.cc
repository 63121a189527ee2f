/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-host-bus.h"

#include "rdma-port.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param clock of a direction @param bytes that cross @param start when @return when they are over
SimTick
Cross(RateClock& clock, uint32_t bytes, SimTick start)
{
    const Time from = TimeStep(static_cast<uint64_t>(start));
    return (from + clock.Advance(ByteCount(bytes), from)).GetTimeStep();
}

} // namespace

RdmaHostBus::RdmaHostBus(DataRate rate, ByteCount buffer, RdmaPort& port)
    : m_port(port),
      m_txClock(rate),
      m_rxClock(rate),
      m_buffer(buffer.Get())
{
}

RdmaHostBus::~RdmaHostBus()
{
    m_event.Cancel();
    FramePool& pool = m_port.GetPort().GetFabric().GetPool();
    while (!m_waiting.IsEmpty())
    {
        pool.Free(m_waiting.Pop());
    }
}

void
RdmaHostBus::OnSent(uint32_t payload, SimTick now)
{
    m_txReady = Cross(m_txClock, payload, std::max(m_txReady, now));
}

void
RdmaHostBus::Receive(Frame* frame, SimTick now)
{
    if (m_backlog + frame->payloadBytes > m_buffer)
    {
        m_port.GetPort().Drop(frame, DropReason::BUFFER);
        return;
    }
    m_backlog += frame->payloadBytes;
    const auto bit = static_cast<uint8_t>(1U << frame->trafficClass);
    if (m_backlog > m_buffer / 2 && (m_paused & bit) == 0 && !m_port.IsOneWay())
    {
        m_paused |= bit;
        ++m_pauses;
        m_port.GetPort().SendPfc(bit, true, now);
    }
    m_rxFree = Cross(m_rxClock, frame->payloadBytes, std::max(m_rxFree, now));
    frame->time = m_rxFree;
    const bool first = m_waiting.IsEmpty();
    m_waiting.Push(frame);
    if (first)
    {
        Schedule();
    }
}

void
RdmaHostBus::Schedule()
{
    const SimTick wait = m_waiting.Front()->time - Simulator::Now().GetTimeStep();
    m_event = Simulator::Schedule(TimeStep(static_cast<uint64_t>(std::max<SimTick>(wait, 0))),
                                  &RdmaHostBus::Finish,
                                  this);
}

void
RdmaHostBus::Finish()
{
    const SimTick now = Simulator::Now().GetTimeStep();
    MixnetPort& port = m_port.GetPort();
    port.Settle(now);
    Frame* frame = m_waiting.Pop();
    if (!m_waiting.IsEmpty())
    {
        Schedule();
    }
    m_backlog -= frame->payloadBytes;
    if (m_paused != 0 && m_backlog <= m_buffer / 4)
    {
        port.SendPfc(m_paused, false, now);
        m_paused = 0;
    }
    m_port.ReceiveData(frame, now);
}

} // namespace ns3
