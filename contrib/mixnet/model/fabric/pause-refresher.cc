/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pause-refresher.h"

#include "ns3/simulator.h"

namespace ns3
{

PauseRefresher::PauseRefresher(uint32_t ports, Reminder reminder)
    : m_reminder(std::move(reminder)),
      m_due(std::size_t{ports} * N_PRIORITIES, NEVER)
{
}

PauseRefresher::~PauseRefresher()
{
    m_event.Cancel();
}

void
PauseRefresher::Watch(uint32_t port, uint8_t priority, SimTick due)
{
    Forget(port, priority);
    const uint32_t key = port * N_PRIORITIES + priority;
    m_due[key] = due;
    m_queue.emplace(due, key);
    Arm();
}

void
PauseRefresher::Forget(uint32_t port, uint8_t priority)
{
    const uint32_t key = port * N_PRIORITIES + priority;
    if (m_due[key] != NEVER)
    {
        m_queue.erase({m_due[key], key});
        m_due[key] = NEVER;
    }
    if (m_queue.empty())
    {
        m_event.Cancel();
        m_armed = NEVER;
    }
}

void
PauseRefresher::Arm()
{
    if (!m_queue.empty() && m_queue.begin()->first < m_armed)
    {
        m_event.Cancel();
        m_armed = m_queue.begin()->first;
        m_event =
            Simulator::Schedule(TimeStep(m_armed) - Simulator::Now(), &PauseRefresher::Fire, this);
    }
}

void
PauseRefresher::Fire()
{
    m_armed = NEVER;
    const SimTick now = Simulator::Now().GetTimeStep();
    while (!m_queue.empty() && m_queue.begin()->first <= now)
    {
        const uint32_t key = m_queue.begin()->second;
        Forget(key / N_PRIORITIES, static_cast<uint8_t>(key % N_PRIORITIES));
        m_reminder(key / N_PRIORITIES, static_cast<uint8_t>(key % N_PRIORITIES));
    }
    Arm();
}

} // namespace ns3
