/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dcqcn-congestion-control.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DcqcnCongestionControl);

namespace
{

/// @param base base @param n exponent @return base^n by squaring: no libm, same on all machines
double
Power(double base, int64_t n)
{
    double result = 1;
    for (; n > 0; n >>= 1)
    {
        result = (n & 1) != 0 ? result * base : result;
        base *= base;
    }
    return result;
}

} // namespace

TypeId
DcqcnCongestionControl::GetTypeId()
{
    using Self = DcqcnCongestionControl;
    static TypeId tid =
        TypeId("ns3::DcqcnCongestionControl")
            .SetParent<CongestionControl>()
            .SetGroupName("Mixnet")
            .AddConstructor<DcqcnCongestionControl>()
            .AddAttribute("Gain",
                          "g, weight of a new congestion sample.",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&Self::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("FastRecoverySteps",
                          "F, increase events of fast recovery.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Self::m_fastSteps),
                          MakeUintegerChecker<uint32_t>(1, 1000))
            .AddAttribute("AlphaInterval",
                          "Time without a CNP after which alpha decays.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&Self::m_alphaInterval),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Timer",
                          "Time between timer-driven increase events.",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&Self::m_timer),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("DecreaseInterval",
                          "Least time between two decreases; CNPs in between are ignored.",
                          TimeValue(MicroSeconds(4)),
                          MakeTimeAccessor(&Self::m_decreaseInterval),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ClampTargetRate",
                          "Every decrease sets the target rate to the current one (the paper); "
                          "false: only if a timer event came since the last decrease.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&Self::m_clampTarget),
                          MakeBooleanChecker())
            .AddAttribute("ByteCounter",
                          "B, bytes between byte-driven increase events; 0: 10 MB per 40G.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Self::m_byteCounterBytes),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("AdditiveIncrease",
                          "R_AI; 0bps: a thousandth of the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Self::m_additive),
                          MakeDataRateChecker())
            .AddAttribute("HyperIncrease",
                          "R_HAI; 0bps: ten times R_AI.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Self::m_hyper),
                          MakeDataRateChecker())
            .AddAttribute("MinimumRate",
                          "Least rate; 0bps: a thousandth of the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Self::m_floor),
                          MakeDataRateChecker());
    return tid;
}

DcqcnCongestionControl::DcqcnCongestionControl()
{
    m_wantsCnps = true;
}

void
DcqcnCongestionControl::NotifyConstructionCompleted()
{
    CongestionControl::NotifyConstructionCompleted();
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
}

DcqcnLimits
DcqcnCongestionControl::GetLimits(DataRate lineRate) const
{
    const auto orScaled = [](DataRate given, double scaled) {
        return given.GetBitRate() > 0 ? static_cast<double>(given.GetBitRate()) : scaled;
    };
    DcqcnLimits limits;
    limits.line = static_cast<double>(lineRate.GetBitRate());
    limits.floor = std::min(orScaled(m_floor, limits.line / 1000), limits.line);
    limits.additive = orScaled(m_additive, limits.line / 1000);
    limits.hyper = orScaled(m_hyper, 10 * limits.additive);
    limits.byteCounter = m_byteCounterBytes;
    if (limits.byteCounter == 0)
    {
        const double scaled = 10e6 * (limits.line / 40e9);
        limits.byteCounter = static_cast<uint32_t>(std::clamp(scaled, 1.0, 4e9));
    }
    return limits;
}

void
DcqcnCongestionControl::Open(uint32_t slot, const CongestionPath& path, SimTick now)
{
    MakeRoom(slot, m_states);
    const auto line = static_cast<double>(path.lineRate.GetBitRate());
    const auto it = std::find_if(m_limits.begin(), m_limits.end(), [line](const auto& l) {
        return l.line == line;
    });
    State state;
    state.limits = static_cast<uint16_t>(it - m_limits.begin());
    if (it == m_limits.end())
    {
        m_limits.push_back(GetLimits(path.lineRate));
    }
    state.current = line;
    state.target = line;
    state.alphaAt = now;
    m_states[slot] = state;
}

SimTick
DcqcnCongestionControl::OnSent(uint32_t slot, uint32_t wireBytes, SimTick now)
{
    State& state = m_states[slot];
    if (!state.limited)
    {
        return 0;
    }
    AdvanceRate(state, now);
    const double gap = wireBytes * 8.0 * m_ticksPerSecond / state.current;
    state.bytes += wireBytes;
    if (state.limited && state.bytes >= m_limits[state.limits].byteCounter)
    {
        state.bytes -= m_limits[state.limits].byteCounter;
        Increase(state);
        state.byteSteps += state.byteSteps < std::numeric_limits<uint16_t>::max() ? 1 : 0;
    }
    return state.limited ? static_cast<SimTick>(std::ceil(gap)) : 0;
}

void
DcqcnCongestionControl::OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now)
{
    State& state = m_states[slot];
    if (feedback.kind == CongestionFeedback::Kind::CNP &&
        (!state.reduced || now - state.reducedAt >= m_decreaseInterval.GetTimeStep()))
    {
        Decrease(state, now);
    }
}

void
DcqcnCongestionControl::FetchState(uint32_t slot) const
{
    __builtin_prefetch(&m_states[slot], 1);
}

DataRate
DcqcnCongestionControl::GetRate(uint32_t slot, SimTick now)
{
    AdvanceRate(m_states[slot], now);
    return DataRate(static_cast<uint64_t>(m_states[slot].current));
}

double
DcqcnCongestionControl::GetTarget(uint32_t slot, SimTick now)
{
    AdvanceRate(m_states[slot], now);
    return m_states[slot].target;
}

double
DcqcnCongestionControl::GetAlpha(uint32_t slot, SimTick now)
{
    AdvanceAlpha(m_states[slot], now);
    return m_states[slot].alpha;
}

void
DcqcnCongestionControl::AdvanceRate(State& state, SimTick now) const
{
    const SimTick timer = m_timer.GetTimeStep();
    while (state.limited && now - state.increasedAt >= timer)
    {
        state.increasedAt += timer;
        Increase(state);
        state.timerSteps += state.timerSteps < std::numeric_limits<uint16_t>::max() ? 1 : 0;
    }
}

void
DcqcnCongestionControl::AdvanceAlpha(State& state, SimTick now) const
{
    const int64_t steps = (now - state.alphaAt) / m_alphaInterval.GetTimeStep();
    if (steps > 0 && state.reduced)
    {
        state.alpha *= Power(1 - m_gain, steps);
        state.alphaAt += steps * m_alphaInterval.GetTimeStep();
    }
}

void
DcqcnCongestionControl::Increase(State& state) const
{
    const DcqcnLimits& limits = m_limits[state.limits];
    const uint32_t most = std::max(state.timerSteps, state.byteSteps);
    const uint32_t least = std::min(state.timerSteps, state.byteSteps);
    if (least > m_fastSteps)
    {
        state.target += limits.hyper;
    }
    else if (most >= m_fastSteps)
    {
        state.target += limits.additive;
    }
    state.target = std::min(state.target, limits.line);
    state.current = (state.target + state.current) / 2;
    if (state.current >= limits.line * (1 - 1e-6))
    {
        state.current = limits.line;
        state.target = limits.line;
        state.limited = false;
    }
}

void
DcqcnCongestionControl::Decrease(State& state, SimTick now) const
{
    AdvanceRate(state, now);
    AdvanceAlpha(state, now);
    if (m_clampTarget || !state.reduced || state.timerSteps > 0)
    {
        state.target = state.current;
    }
    state.current = std::max(state.current * (1 - state.alpha / 2), m_limits[state.limits].floor);
    state.alpha = (1 - m_gain) * state.alpha + m_gain;
    state.increasedAt = now;
    state.alphaAt = now;
    state.reducedAt = now;
    state.bytes = 0;
    state.timerSteps = 0;
    state.byteSteps = 0;
    state.reduced = true;
    state.limited = state.current < m_limits[state.limits].line;
}

} // namespace ns3
