/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-engine.h"

#include "ns3/simulator.h"

namespace ns3
{

FluidEngine::FluidEngine(Client& client)
    : m_client(client),
      m_solver(static_cast<double>(Seconds(1).GetTimeStep()))
{
}

FluidEngine::~FluidEngine() = default;

uint32_t
FluidEngine::AddResource(DataRate rate, ResourceKind kind)
{
    return m_solver.GetPartition().AddResource(static_cast<double>(rate.GetBitRate()), kind);
}

void
FluidEngine::Start(const FlowSpec* specs, std::size_t count, FlowHandle* handles)
{
    m_solver.Start(Simulator::Now().GetTimeStep(), specs, count, handles);
    Rearm();
}

void
FluidEngine::Stop(const FlowHandle* flows, std::size_t count, double* bitsLeft)
{
    m_solver.Stop(Simulator::Now().GetTimeStep(), flows, count, bitsLeft);
    Rearm();
}

void
FluidEngine::Rearm()
{
    for (const uint32_t c : m_solver.GetChanged())
    {
        while (m_timers.size() <= c)
        {
            m_timers.emplace_back(static_cast<StandingTimer::Owner&>(*this),
                                  static_cast<uint32_t>(m_timers.size()));
        }
        m_timers[c].Arm(m_solver.GetNext(c));
    }
    m_solver.GetChanged().clear();
}

void
FluidEngine::OnTimer(uint32_t component)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    if (m_solver.GetNext(component) > now)
    {
        m_timers[component].Arm(m_solver.GetNext(component));
        return;
    }
    m_ended.clear();
    m_solver.Advance(now, component, m_ended);
    Rearm();
    m_client.OnDrained(m_ended.data(), m_ended.size());
}

} // namespace ns3
