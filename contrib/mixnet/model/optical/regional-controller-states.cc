/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "regional-controller.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

/**
 * @file
 * @ingroup mixnet
 * The state machine of RegionalController; regional-controller.cc decides, this file acts.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RegionalControllerStates");

void
RegionalController::Tell(StartCallback start)
{
    start();
}

void
RegionalController::Enter(RegionState next)
{
    NS_LOG_FUNCTION(this << m_region << GetName(m_state) << GetName(next));
    const RegionState from = m_state;
    m_state = next;
    m_event.Cancel();
    if (from != next)
    {
        m_stateTrace(from, next);
    }
    switch (next)
    {
    case RegionState::COMMANDING:
        m_event = Simulator::Schedule(m_controlLatency,
                                      &RegionalController::Enter,
                                      this,
                                      RegionState::DRAINING);
        break;
    case RegionState::DRAINING:
        Drain();
        break;
    case RegionState::SWITCHING:
        Switch();
        m_event = Simulator::Schedule(m_switchingVariable ? Seconds(m_switchingVariable->GetValue())
                                                          : m_switchingDelay,
                                      &RegionalController::Enter,
                                      this,
                                      RegionState::ACTIVATING);
        break;
    case RegionState::ACTIVATING:
        m_record.switched = Simulator::Now();
        if (m_activationTime.IsZero())
        {
            Enter(RegionState::STEADY);
            break;
        }
        m_event = Simulator::Schedule(m_activationTime,
                                      &RegionalController::Enter,
                                      this,
                                      RegionState::STEADY);
        break;
    case RegionState::STEADY:
        Settle();
        break;
    }
}

void
RegionalController::Drain()
{
    m_change = MapPlan(m_ports, *m_control->GetGraph(), m_target.plan);
    if (m_change.IsEmpty())
    {
        ++m_kept;
        Enter(RegionState::STEADY);
        return;
    }
    m_record = CircuitReconfiguration();
    m_record.region = m_region;
    m_record.id = m_target.id;
    m_record.requested = m_target.requested;
    m_record.held = Simulator::Now();
    m_record.added = m_change.added;
    m_record.removed = m_change.removed;
    m_record.kept = m_change.kept;
    m_record.darkEdges = m_scope == CHANGED ? m_change.fibers : m_ports.GetFibers();
    m_token = m_control->Quiesce(m_record.darkEdges,
                                 m_drainTimeout,
                                 MakeCallback(&RegionalController::OnDrained, this));
}

void
RegionalController::OnDrained(bool empty)
{
    MIXNET_CHECK(m_state == RegionState::DRAINING, "drained while " << GetName(m_state));
    m_record.forced = !empty;
    Enter(RegionState::SWITCHING);
}

void
RegionalController::Switch()
{
    m_record.drained = Simulator::Now();
    m_control->SetEdges(m_record.darkEdges, EdgeCause::OPTICAL, false);
    m_control->Connect(m_change.added, m_change.removed);
}

void
RegionalController::Light()
{
    m_record.lit = Simulator::Now();
    m_control->SetEdges(m_record.darkEdges, EdgeCause::OPTICAL, true);
    m_control->Resume(std::exchange(m_token, 0));
    ++m_reconfigurations;
    m_reconfigurationTrace(m_record);
}

void
RegionalController::Settle()
{
    if (m_token != 0)
    {
        Light();
    }
    const auto waits = [this](const Waiter& w) { return w.generation > m_target.generation; };
    const auto ready = std::stable_partition(m_waiters.begin(), m_waiters.end(), waits);
    for (auto it = ready; it != m_waiters.end(); ++it)
    {
        Simulator::ScheduleNow(&RegionalController::Tell, it->start);
    }
    m_waiters.erase(ready, m_waiters.end());
    if (m_waiting)
    {
        m_target = std::move(*m_waiting);
        m_waiting.reset();
        Enter(RegionState::COMMANDING);
    }
}

} // namespace ns3
