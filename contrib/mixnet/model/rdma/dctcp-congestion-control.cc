/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dctcp-congestion-control.h"

#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DctcpCongestionControl);

TypeId
DctcpCongestionControl::GetTypeId()
{
    using Self = DctcpCongestionControl;
    static TypeId tid = TypeId("ns3::DctcpCongestionControl")
                            .SetParent<CongestionControl>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<DctcpCongestionControl>()
                            .AddAttribute("Gain",
                                          "g, weight of a new share of marks.",
                                          DoubleValue(1.0 / 16),
                                          MakeDoubleAccessor(&Self::m_gain),
                                          MakeDoubleChecker<double>(0, 1))
                            .AddAttribute("MinWindow",
                                          "Least window, packets.",
                                          DoubleValue(1),
                                          MakeDoubleAccessor(&Self::m_minWindow),
                                          MakeDoubleChecker<double>(1));
    return tid;
}

DctcpCongestionControl::DctcpCongestionControl()
{
    m_wantsAcks = true;
    m_hasWindow = true;
    m_wantsPath = true;
}

void
DctcpCongestionControl::NotifyConstructionCompleted()
{
    CongestionControl::NotifyConstructionCompleted();
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
}

void
DctcpCongestionControl::Open(uint32_t slot, const CongestionPath& path, SimTick)
{
    MakeRoom(slot, m_states);
    State state;
    state.line = static_cast<double>(path.lineRate.GetBitRate()) / 8 / m_ticksPerSecond;
    state.frameBytes = path.frameBytes;
    state.rtt = static_cast<double>(path.baseRtt);
    if (path.baseRtt > 0)
    {
        state.window = std::max(state.line * state.rtt / state.frameBytes, m_minWindow);
    }
    m_states[slot] = state;
}

SimTick
DctcpCongestionControl::OnSent(uint32_t, uint32_t, SimTick)
{
    return 0;
}

void
DctcpCongestionControl::OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick)
{
    State& state = m_states[slot];
    if (feedback.roundTrip > 0)
    {
        state.rtt = static_cast<double>(feedback.roundTrip);
        if (state.window == 0)
        {
            state.window = std::max(state.line * state.rtt / state.frameBytes, m_minWindow);
        }
    }
    if (state.window == 0)
    {
        return;
    }
    if (feedback.kind == CongestionFeedback::Kind::ACK && feedback.packets > 0)
    {
        OnAcked(state, feedback);
    }
    else if (feedback.kind == CongestionFeedback::Kind::NACK && !state.halved)
    {
        state.halved = true;
        state.window /= 2;
        state.threshold = state.window;
    }
    else if (feedback.kind == CongestionFeedback::Kind::TIMEOUT)
    {
        state.threshold = state.window / 2;
        state.window = m_minWindow;
    }
    state.window = std::max(state.window, m_minWindow);
}

void
DctcpCongestionControl::OnAcked(State& state, const CongestionFeedback& feedback) const
{
    state.acked += feedback.packets;
    state.marked += feedback.marked ? feedback.packets : 0;
    const double acked = feedback.packets;
    state.window += state.window < state.threshold ? acked : acked / state.window;
    if (feedback.acked <= state.end)
    {
        return;
    }
    const double share = static_cast<double>(state.marked) / state.acked;
    state.alpha = (1 - m_gain) * state.alpha + m_gain * share;
    if (state.marked > 0)
    {
        state.window *= 1 - state.alpha / 2;
        state.threshold = state.window;
    }
    state.end = feedback.next;
    state.acked = 0;
    state.marked = 0;
    state.halved = false;
}

DataRate
DctcpCongestionControl::GetRate(uint32_t slot, SimTick)
{
    const State& state = m_states[slot];
    const double bytes =
        state.window > 0 ? state.window * state.frameBytes / state.rtt : state.line;
    const double bits = std::min(bytes, state.line) * m_ticksPerSecond * 8;
    return DataRate(static_cast<uint64_t>(std::llround(bits)));
}

uint64_t
DctcpCongestionControl::GetWindow(uint32_t slot) const
{
    const State& state = m_states[slot];
    return state.window > 0 ? static_cast<uint64_t>(std::ceil(state.window * state.frameBytes))
                            : NO_WINDOW;
}

double
DctcpCongestionControl::GetCwnd(uint32_t slot) const
{
    return m_states[slot].window;
}

double
DctcpCongestionControl::GetAlpha(uint32_t slot) const
{
    return m_states[slot].alpha;
}

} // namespace ns3
