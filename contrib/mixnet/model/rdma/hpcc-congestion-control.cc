/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-congestion-control.h"

#include "ns3/double.h"
#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(HpccCongestionControl);

TypeId
HpccCongestionControl::GetTypeId()
{
    using Self = HpccCongestionControl;
    static TypeId tid =
        TypeId("ns3::HpccCongestionControl")
            .SetParent<CongestionControl>()
            .SetGroupName("Mixnet")
            .AddConstructor<HpccCongestionControl>()
            .AddAttribute("TargetUtilization",
                          "eta, the utilization of the busiest link that windows are steered to.",
                          DoubleValue(0.95),
                          MakeDoubleAccessor(&Self::m_eta),
                          MakeDoubleChecker<double>(0.01, 1))
            .AddAttribute("MaxStage",
                          "maxStage, round trips of additive increase before a multiplicative one.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Self::m_maxStage),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("MaxFlows",
                          "N of the default W_AI = W_init (1 - eta) / N: so many flows on a link "
                          "keep its queue empty.",
                          UintegerValue(100),
                          MakeUintegerAccessor(&Self::m_maxFlows),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("AdditiveIncrease",
                          "W_AI, bytes; 0: from MaxFlows.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&Self::m_additiveBytes),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("MinimumRate",
                          "Least rate; 0bps: a thousandth of the line rate.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&Self::m_minimum),
                          MakeDataRateChecker())
            .AddAttribute("MaxHops",
                          "Hops that the telemetry header has room for; before the first queue "
                          "pair. The header takes 2 bytes and 8 per hop.",
                          UintegerValue(5),
                          MakeUintegerAccessor(&Self::SetMaxHops, &Self::GetMaxHops),
                          MakeUintegerChecker<uint32_t>(1, FrameTelemetry::MAX_HOPS));
    return tid;
}

HpccCongestionControl::HpccCongestionControl()
{
    m_wantsAcks = true;
    m_hasWindow = true;
    m_wantsPath = true;
}

void
HpccCongestionControl::NotifyConstructionCompleted()
{
    CongestionControl::NotifyConstructionCompleted();
    m_ticksPerSecond = static_cast<double>(Seconds(1).GetTimeStep());
}

void
HpccCongestionControl::SetMaxHops(uint32_t hops)
{
    if (!m_states.empty() && hops != m_telemetryRoom)
    {
        throw InputError("ns3::HpccCongestionControl::MaxHops",
                         "changed after the first queue pair",
                         "to be set before");
    }
    m_telemetryRoom = hops;
}

uint32_t
HpccCongestionControl::GetMaxHops() const
{
    return m_telemetryRoom;
}

void
HpccCongestionControl::CheckHops(uint32_t hops) const
{
    if (hops > m_telemetryRoom)
    {
        throw InputError("ns3::HpccCongestionControl::MaxHops",
                         std::to_string(m_telemetryRoom) + ", but a path has " +
                             std::to_string(hops) + " hops",
                         "at least " + std::to_string(hops) + ", at most " +
                             std::to_string(FrameTelemetry::MAX_HOPS));
    }
}

void
HpccCongestionControl::Open(uint32_t slot, const CongestionPath& path, SimTick)
{
    CheckHops(path.hops);
    MakeRoom(slot, m_states);
    m_records.resize(m_states.size() * m_telemetryRoom);
    State state;
    state.line = static_cast<double>(path.lineRate.GetBitRate()) / 8 / m_ticksPerSecond;
    state.measured = path.baseRtt == 0;
    if (path.baseRtt > 0)
    {
        SetRtt(state, static_cast<double>(path.baseRtt));
    }
    m_states[slot] = state;
}

void
HpccCongestionControl::SetRtt(State& state, double rtt) const
{
    const double before = state.initial;
    state.rtt = rtt;
    state.initial = state.line * rtt;
    state.additive = m_additiveBytes > 0 ? static_cast<double>(m_additiveBytes)
                                         : state.initial * (1 - m_eta) / m_maxFlows;
    state.floor = m_minimum.GetBitRate() > 0
                      ? static_cast<double>(m_minimum.GetBitRate()) / 8 / m_ticksPerSecond * rtt
                      : state.initial / 1000;
    state.floor = std::min(state.floor, state.initial);
    const double scale = before > 0 ? state.initial / before : 0;
    state.window = before > 0 ? state.window * scale : state.initial;
    state.reference = before > 0 ? state.reference * scale : state.initial;
}

SimTick
HpccCongestionControl::OnSent(uint32_t slot, uint32_t wireBytes, SimTick)
{
    const State& state = m_states[slot];
    if (state.window >= state.initial)
    {
        return 0;
    }
    return static_cast<SimTick>(std::ceil(wireBytes * state.rtt / state.window));
}

void
HpccCongestionControl::OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick)
{
    if (!feedback.telemetry)
    {
        return;
    }
    const FrameTelemetry& telemetry = *feedback.telemetry;
    CheckHops(telemetry.hops);
    State& state = m_states[slot];
    const auto roundTrip = static_cast<double>(feedback.roundTrip);
    if (state.measured && roundTrip > 0 && (state.rtt == 0 || roundTrip < state.rtt))
    {
        SetRtt(state, roundTrip);
    }
    TelemetryHop* last = &m_records[std::size_t{slot} * m_telemetryRoom];
    if (state.rtt > 0 && IsSamePath(state, last, telemetry))
    {
        if (telemetry.hop[0].time <= last->time)
        {
            return; // overtaken by a later one
        }
        Measure(state, last, telemetry);
        const bool commit = feedback.acked > state.updateAt;
        ComputeWindow(state, commit);
        state.updateAt = commit ? feedback.next : state.updateAt;
    }
    else if (state.hops == 0)
    {
        state.updateAt = feedback.next;
    }
    std::copy_n(telemetry.hop, telemetry.hops, last);
    state.hops = telemetry.hops;
}

bool
HpccCongestionControl::IsSamePath(const State& state,
                                  const TelemetryHop* last,
                                  const FrameTelemetry& telemetry)
{
    return state.hops > 0 && state.hops == telemetry.hops &&
           std::equal(last, last + state.hops, telemetry.hop, [](const auto& a, const auto& b) {
               return a.port == b.port;
           });
}

void
HpccCongestionControl::Measure(State& state,
                               const TelemetryHop* last,
                               const FrameTelemetry& telemetry) const
{
    double load = 0;
    double span = 0;
    for (uint32_t i = 0; i < state.hops; ++i)
    {
        const TelemetryHop& now = telemetry.hop[i];
        const TelemetryHop& before = last[i];
        const double rate = now.kilobits * 125.0 / m_ticksPerSecond; // bytes per tick
        const auto ticks = static_cast<double>(now.time - before.time);
        const auto sent = static_cast<double>(now.sentBytes - before.sentBytes);
        const double queue = std::min(now.queueBytes, before.queueBytes);
        const double u = queue / (rate * state.rtt) + sent / ticks / rate;
        if (u > load)
        {
            load = u;
            span = ticks;
        }
    }
    const double weight = std::min(span, state.rtt) / state.rtt;
    state.load = (1 - weight) * state.load + weight * load;
}

void
HpccCongestionControl::ComputeWindow(State& state, bool commit) const
{
    const bool multiply = state.load >= m_eta || state.stage >= m_maxStage;
    const double base = multiply ? state.reference / (state.load / m_eta) : state.reference;
    state.window = std::clamp(base + state.additive, state.floor, state.initial);
    if (commit)
    {
        state.stage = multiply ? 0 : state.stage + 1;
        state.reference = state.window;
    }
}

DataRate
HpccCongestionControl::GetRate(uint32_t slot, SimTick)
{
    const State& state = m_states[slot];
    const double bytes = state.rtt > 0 ? state.window / state.rtt : state.line;
    return DataRate(static_cast<uint64_t>(std::llround(bytes * m_ticksPerSecond * 8)));
}

uint64_t
HpccCongestionControl::GetWindow(uint32_t slot) const
{
    const State& state = m_states[slot];
    return state.rtt > 0 ? static_cast<uint64_t>(std::ceil(state.window)) : NO_WINDOW;
}

double
HpccCongestionControl::GetUtilization(uint32_t slot) const
{
    return m_states[slot].load;
}

double
HpccCongestionControl::GetAdditive(uint32_t slot) const
{
    return m_states[slot].additive;
}

} // namespace ns3
