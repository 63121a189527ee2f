/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "timely-congestion-control.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(TimelyCongestionControl);

TypeId
TimelyCongestionControl::GetTypeId()
{
    using Self = TimelyCongestionControl;
    static TypeId tid =
        TypeId("ns3::TimelyCongestionControl")
            .SetParent<CongestionControl>()
            .SetGroupName("Mixnet")
            .AddConstructor<TimelyCongestionControl>()
            .AddAttribute("Gain",
                          "Weight of a new difference of round trips.",
                          DoubleValue(0.875),
                          MakeDoubleAccessor(&Self::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "beta, multiplicative decrease.",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&Self::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Patched",
                          "Use the patched rule between the thresholds.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Self::m_patched),
                          MakeBooleanChecker())
            .AddAttribute("PatchedBeta",
                          "beta of the patched rule.",
                          DoubleValue(0.008),
                          MakeDoubleAccessor(&Self::m_patchedBeta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("LowThreshold",
                          "T_low: below this round trip the rate only increases.",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&Self::m_low),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HighThreshold",
                          "T_high: above this round trip the rate only decreases.",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&Self::m_high),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("MinRtt",
                          "Base round trip that the thresholds are for.",
                          TimeValue(MicroSeconds(20)),
                          MakeTimeAccessor(&Self::m_minRtt),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HaiThreshold",
                          "Events in a row with falling delay before hyperactive increase.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Self::m_haiThreshold),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Segment",
                          "Bytes acknowledged per completion event.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&Self::m_segment),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("AdditiveIncrease",
                          "delta; 0bps: a thousandth of the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Self::m_additive),
                          MakeDataRateChecker())
            .AddAttribute("MinimumRate",
                          "Least rate; 0bps: a thousandth of the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Self::m_minimum),
                          MakeDataRateChecker());
    return tid;
}

TimelyCongestionControl::TimelyCongestionControl()
{
    m_wantsAcks = true;
    m_wantsPath = true;
}

void
TimelyCongestionControl::NotifyConstructionCompleted()
{
    CongestionControl::NotifyConstructionCompleted();
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
}

void
TimelyCongestionControl::Open(uint32_t slot, const CongestionPath& path, SimTick)
{
    MakeRoom(slot, m_states);
    State state;
    state.line = static_cast<double>(path.lineRate.GetBitRate());
    state.rate = state.line;
    state.frameBytes = path.frameBytes;
    state.base = static_cast<double>(path.baseRtt);
    state.measured = path.baseRtt == 0;
    m_states[slot] = state;
}

SimTick
TimelyCongestionControl::OnSent(uint32_t slot, uint32_t wireBytes, SimTick)
{
    const State& state = m_states[slot];
    return state.rate >= state.line
               ? 0
               : static_cast<SimTick>(std::ceil(wireBytes * 8.0 * m_ticksPerSecond / state.rate));
}

void
TimelyCongestionControl::OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick)
{
    State& state = m_states[slot];
    if (feedback.kind != CongestionFeedback::Kind::ACK || feedback.roundTrip <= 0)
    {
        return;
    }
    const auto rtt = static_cast<double>(feedback.roundTrip);
    if (state.measured && (state.base == 0 || rtt < state.base))
    {
        state.base = rtt;
    }
    state.bytes += uint64_t{feedback.packets} * state.frameBytes;
    if (state.bytes >= m_segment)
    {
        state.bytes %= m_segment;
        Update(state, rtt);
    }
}

double
TimelyCongestionControl::GetShift(const State& state) const
{
    return std::max(state.base - static_cast<double>(m_minRtt.GetTimeStep()), 0.0);
}

void
TimelyCongestionControl::Update(State& state, double rtt) const
{
    const double additive = m_additive.GetBitRate() > 0
                                ? static_cast<double>(m_additive.GetBitRate())
                                : state.line / 1000;
    const double least = m_minimum.GetBitRate() > 0 ? static_cast<double>(m_minimum.GetBitRate())
                                                    : state.line / 1000;
    const double low = static_cast<double>(m_low.GetTimeStep()) + GetShift(state);
    const double high = static_cast<double>(m_high.GetTimeStep()) + GetShift(state);
    if (state.before > 0)
    {
        state.difference = (1 - m_gain) * state.difference + m_gain * (rtt - state.before);
    }
    state.before = rtt;
    const double gradient = state.difference / state.base;
    state.falling = gradient <= 0 ? state.falling + 1 : 0;
    if (rtt < low)
    {
        state.rate += additive;
    }
    else if (rtt > high)
    {
        state.rate *= 1 - m_beta * (1 - high / rtt);
    }
    else if (m_patched)
    {
        const double weight = std::clamp(2 * gradient + 0.5, 0.0, 1.0);
        state.rate =
            additive * (1 - weight) + state.rate * (1 - m_patchedBeta * weight * (rtt - low) / low);
    }
    else if (gradient <= 0)
    {
        state.rate += (state.falling >= m_haiThreshold ? 5 : 1) * additive;
    }
    else
    {
        state.rate *= 1 - m_beta * gradient;
    }
    state.rate = std::clamp(state.rate, std::min(least, state.line), state.line);
}

DataRate
TimelyCongestionControl::GetRate(uint32_t slot, SimTick)
{
    return DataRate(static_cast<uint64_t>(m_states[slot].rate));
}

double
TimelyCongestionControl::GetGradient(uint32_t slot) const
{
    return m_states[slot].difference / m_states[slot].base;
}

double
TimelyCongestionControl::GetLowThreshold(uint32_t slot) const
{
    return static_cast<double>(m_low.GetTimeStep()) + GetShift(m_states[slot]);
}

} // namespace ns3
