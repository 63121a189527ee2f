/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "standing-timer.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
StandingTimer::Event::Notify()
{
    if (owner != nullptr && armed == Simulator::Now().GetTimeStep())
    {
        armed = INT64_MAX;
        owner->OnTimer(index);
    }
}

StandingTimer::StandingTimer(Owner& owner, uint32_t index, uint32_t context)
    : m_event(Create<Event>(&owner, index, context))
{
}

StandingTimer::~StandingTimer()
{
    m_event->owner = nullptr;
}

void
StandingTimer::Schedule(int64_t tick)
{
    const int64_t now = Simulator::Now().GetTimeStep();
    m_event->armed = std::max(tick, now);
    const Time delay = TimeStep(static_cast<uint64_t>(m_event->armed - now));
    if (m_event->context == Simulator::NO_CONTEXT)
    {
        Simulator::Schedule(delay, Ptr<EventImpl>(m_event));
        return;
    }
    m_event->Ref(); // the scheduler takes over a reference
    Simulator::ScheduleWithContext(m_event->context, delay, PeekPointer(m_event));
}

} // namespace ns3
