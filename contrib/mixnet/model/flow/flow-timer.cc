/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-timer.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

/// What the scheduler holds, possibly several times.
class FlowTimer::Event : public EventImpl
{
  public:
    /// @param owner who is told @param index as given
    Event(Owner* owner, uint32_t index)
        : owner(owner),
          index(index)
    {
    }

    Owner* owner;             //!< null: nobody
    uint32_t index;           //!< as given
    int64_t armed{INT64_MAX}; //!< earliest entry that counts

  protected:
    void Notify() override
    {
        if (owner != nullptr && armed == Simulator::Now().GetTimeStep())
        {
            armed = INT64_MAX;
            owner->OnTimer(index);
        }
    }
};

FlowTimer::FlowTimer(Owner& owner, uint32_t index)
    : m_event(Create<Event>(&owner, index))
{
}

FlowTimer::~FlowTimer()
{
    m_event->owner = nullptr;
}

void
FlowTimer::Arm(int64_t tick)
{
    if (tick < m_event->armed)
    {
        m_event->armed = std::max(tick, Simulator::Now().GetTimeStep());
        const int64_t delay = std::max<int64_t>(0, tick - Simulator::Now().GetTimeStep());
        Simulator::Schedule(TimeStep(static_cast<uint64_t>(delay)), Ptr<EventImpl>(m_event));
    }
}

} // namespace ns3
