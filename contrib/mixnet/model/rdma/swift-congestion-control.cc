/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "swift-congestion-control.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SwiftCongestionControl);

TypeId
SwiftCongestionControl::GetTypeId()
{
    using Self = SwiftCongestionControl;
    static TypeId tid =
        TypeId("ns3::SwiftCongestionControl")
            .SetParent<CongestionControl>()
            .SetGroupName("Mixnet")
            .AddConstructor<SwiftCongestionControl>()
            .AddAttribute("AdditiveIncrease",
                          "ai, packets per round trip.",
                          DoubleValue(1.0),
                          MakeDoubleAccessor(&Self::m_ai),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("Beta",
                          "beta, multiplicative decrease.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Self::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxDecrease",
                          "max_mdf, largest decrease of a round trip.",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&Self::m_maxDecrease),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("BaseTarget",
                          "Target delay without hops and flow scaling; 0: the base round trip of "
                          "the path.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&Self::m_baseTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HopTarget",
                          "h, target delay per hop.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&Self::m_hopTarget),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("FlowScalingRange",
                          "fs_range, largest target delay for flow scaling, in multiples of the "
                          "base target; 0: no flow scaling.",
                          DoubleValue(5),
                          MakeDoubleAccessor(&Self::m_flowRange),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("FlowScalingMin",
                          "fs_min, packets: the target is largest from here down.",
                          DoubleValue(0.1),
                          MakeDoubleAccessor(&Self::m_flowMin),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("FlowScalingMax",
                          "fs_max, packets: no flow scaling from here up.",
                          DoubleValue(100),
                          MakeDoubleAccessor(&Self::m_flowMax),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MinWindow",
                          "Least cwnd, packets.",
                          DoubleValue(0.001),
                          MakeDoubleAccessor(&Self::m_minWindow),
                          MakeDoubleChecker<double>(1e-6))
            .AddAttribute("MaxWindow",
                          "Largest cwnd, packets; 0: line rate x twice the target delay.",
                          DoubleValue(0),
                          MakeDoubleAccessor(&Self::m_maxWindow),
                          MakeDoubleChecker<double>(0))
            .AddAttribute("RetransmitLimit",
                          "Timeouts in a row from which on cwnd is least.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Self::m_retransmitLimit),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

SwiftCongestionControl::SwiftCongestionControl()
{
    m_wantsAcks = true;
    m_hasWindow = true;
    m_wantsPath = true;
}

void
SwiftCongestionControl::NotifyConstructionCompleted()
{
    CongestionControl::NotifyConstructionCompleted();
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
}

void
SwiftCongestionControl::Open(uint32_t slot, const CongestionPath& path, SimTick)
{
    MakeRoom(slot, m_states);
    State state;
    state.line = static_cast<double>(path.lineRate.GetBitRate()) / 8 / m_ticksPerSecond;
    state.frameBytes = path.frameBytes;
    state.hops = path.hops;
    state.measured = path.baseRtt == 0;
    if (path.baseRtt > 0)
    {
        SetBase(state, static_cast<double>(path.baseRtt));
    }
    m_states[slot] = state;
}

void
SwiftCongestionControl::SetBase(State& state, double base) const
{
    state.base = base;
    state.rtt = state.rtt > 0 ? state.rtt : base;
    const auto given = static_cast<double>(m_baseTarget.GetTimeStep());
    state.fixed =
        (given > 0 ? given : base) + state.hops * static_cast<double>(m_hopTarget.GetTimeStep());
    state.most = m_maxWindow > 0 ? m_maxWindow : 2 * state.line * state.fixed / state.frameBytes;
    state.most = std::max(state.most, m_minWindow);
    if (state.cwnd == 0)
    {
        state.cwnd = std::clamp(state.line * base / state.frameBytes, m_minWindow, state.most);
    }
}

double
SwiftCongestionControl::GetTarget(const State& state) const
{
    const auto given = static_cast<double>(m_baseTarget.GetTimeStep());
    const double range = m_flowRange * (given > 0 ? given : state.base);
    const double most = 1 / std::sqrt(m_flowMin) - 1 / std::sqrt(m_flowMax);
    const double share = (1 / std::sqrt(state.cwnd) - 1 / std::sqrt(m_flowMax)) / most;
    return state.fixed + range * std::clamp(share, 0.0, 1.0);
}

void
SwiftCongestionControl::Shrink(State& state, double factor, SimTick now)
{
    if (state.decreased && static_cast<double>(now - state.decreasedAt) < state.rtt)
    {
        return;
    }
    state.cwnd *= factor;
    state.decreasedAt = now;
    state.decreased = true;
}

SimTick
SwiftCongestionControl::OnSent(uint32_t slot, uint32_t, SimTick)
{
    const State& state = m_states[slot];
    return state.cwnd >= 1 || state.cwnd == 0
               ? 0
               : static_cast<SimTick>(std::ceil(state.rtt / state.cwnd));
}

void
SwiftCongestionControl::OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now)
{
    State& state = m_states[slot];
    const auto roundTrip = static_cast<double>(feedback.roundTrip);
    if (roundTrip > 0)
    {
        state.rtt = roundTrip;
        if (state.measured && (state.base == 0 || roundTrip < state.base))
        {
            SetBase(state, roundTrip);
        }
    }
    if (state.cwnd == 0)
    {
        return;
    }
    if (feedback.kind == CongestionFeedback::Kind::ACK && feedback.packets > 0)
    {
        state.retransmits = 0;
        const double target = GetTarget(state);
        if (roundTrip < target)
        {
            state.cwnd += m_ai * feedback.packets / (state.cwnd >= 1 ? state.cwnd : 1);
        }
        else
        {
            const double excess = (roundTrip - target) / roundTrip;
            Shrink(state, std::max(1 - m_beta * excess, 1 - m_maxDecrease), now);
        }
    }
    else if (feedback.kind == CongestionFeedback::Kind::NACK)
    {
        state.retransmits = 0;
        Shrink(state, 1 - m_maxDecrease, now);
    }
    else if (feedback.kind == CongestionFeedback::Kind::TIMEOUT)
    {
        ++state.retransmits;
        if (state.retransmits >= m_retransmitLimit)
        {
            state.cwnd = m_minWindow;
            state.decreasedAt = now;
            state.decreased = true;
        }
        else
        {
            Shrink(state, 1 - m_maxDecrease, now);
        }
    }
    state.cwnd = std::clamp(state.cwnd, m_minWindow, state.most);
}

DataRate
SwiftCongestionControl::GetRate(uint32_t slot, SimTick)
{
    const State& state = m_states[slot];
    const double bytes = state.cwnd > 0 ? state.cwnd * state.frameBytes / state.rtt : state.line;
    const double bits = std::min(bytes, state.line) * m_ticksPerSecond * 8;
    return DataRate(static_cast<uint64_t>(std::llround(bits)));
}

uint64_t
SwiftCongestionControl::GetWindow(uint32_t slot) const
{
    const State& state = m_states[slot];
    return state.cwnd > 0 ? static_cast<uint64_t>(std::ceil(state.cwnd * state.frameBytes))
                          : NO_WINDOW;
}

double
SwiftCongestionControl::GetCwnd(uint32_t slot) const
{
    return m_states[slot].cwnd;
}

double
SwiftCongestionControl::GetTarget(uint32_t slot) const
{
    return GetTarget(m_states[slot]);
}

} // namespace ns3
