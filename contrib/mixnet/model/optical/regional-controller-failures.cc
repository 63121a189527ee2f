/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * What RegionalController does when it fails itself.
 */

#include "regional-controller.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

bool
RegionalController::IsAlive() const
{
    return m_health == Health::ALIVE;
}

void
RegionalController::Fail()
{
    if (!IsAlive())
    {
        return;
    }
    m_health = Health::DEAD;
    m_waiting.reset();
    for (Waiter& w : m_waiters)
    {
        const bool lost = m_state == RegionState::COMMANDING || w.generation > m_target.generation;
        w.generation = lost ? UNANSWERED : w.generation;
    }
    Cancel();
    if (IsIdle())
    {
        m_plan = m_ports.ReadPlan(*m_control->GetGraph(), GetKind());
    }
    else
    {
        m_plan = m_target.plan;
    }
}

void
RegionalController::GiveUp()
{
    if (m_health == Health::DEAD)
    {
        m_health = Health::GIVEN_UP;
        ReleaseUnanswered();
    }
}

void
RegionalController::Recover()
{
    m_health = Health::ALIVE;
    ReleaseUnanswered();
}

void
RegionalController::ReleaseUnanswered()
{
    const auto waits = [](const Waiter& w) { return w.generation != UNANSWERED; };
    const auto ready = std::stable_partition(m_waiters.begin(), m_waiters.end(), waits);
    for (auto it = ready; it != m_waiters.end(); ++it)
    {
        m_log.Begin(it->id, Simulator::Now());
        Simulator::ScheduleNow(&RegionalController::Tell, it->start);
    }
    m_waiters.erase(ready, m_waiters.end());
}

} // namespace ns3
