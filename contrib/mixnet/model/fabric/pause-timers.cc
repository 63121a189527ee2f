/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pause-timers.h"

#include <algorithm>

namespace ns3
{

void
PauseTimers::Receive(uint8_t classes, bool pause, SimTick effect, SimTick lasts)
{
    m_pending.push_back({effect, lasts, classes, pause});
    Update();
}

uint8_t
PauseTimers::Apply(uint8_t paused, SimTick now)
{
    while (m_next <= now)
    {
        const SimTick t = m_next;
        for (uint8_t c = 0; c < N_PRIORITIES; ++c)
        {
            if (m_end[c] <= t)
            {
                m_end[c] = NEVER;
                paused &= static_cast<uint8_t>(~(1U << c));
            }
        }
        while (!m_pending.empty() && m_pending.front().effect <= t)
        {
            const Pending p = m_pending.front();
            m_pending.pop_front();
            paused = p.pause ? (paused | p.classes) : (paused & ~p.classes);
            for (uint8_t c = 0; c < N_PRIORITIES; ++c)
            {
                if (p.classes >> c & 1)
                {
                    m_end[c] = p.pause && p.lasts != NEVER ? p.effect + p.lasts : NEVER;
                }
            }
        }
        Update();
    }
    return paused;
}

void
PauseTimers::Clear()
{
    m_pending.clear();
    m_end.fill(NEVER);
    m_next = NEVER;
}

void
PauseTimers::Update()
{
    m_next = *std::min_element(m_end.begin(), m_end.end());
    if (!m_pending.empty())
    {
        m_next = std::min(m_next, m_pending.front().effect);
    }
}

} // namespace ns3
