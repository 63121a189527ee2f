/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_TIMER_H
#define FLOW_TIMER_H

#include "ns3/event-impl.h"
#include "ns3/ptr.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * A timer that is armed again and again without an allocation and is never cancelled.
 *
 * One event object is put into the scheduler anew each time; an entry that an earlier one has
 * overtaken fires too, is recognized by its time and ignored. So arming for a later time than
 * before costs nothing: the entry in the scheduler fires early and the owner arms again.
 */
class FlowTimer
{
  public:
    /// Who is told.
    class Owner
    {
      public:
        virtual ~Owner() = default;
        /// The armed time has come; the timer is no longer armed. @param index as given
        virtual void OnTimer(uint32_t index) = 0;
    };

    /// @param owner who is told @param index tells its timers apart
    FlowTimer(Owner& owner, uint32_t index);
    /// The owner is not told any more.
    ~FlowTimer();
    FlowTimer(const FlowTimer&) = delete;
    FlowTimer& operator=(const FlowTimer&) = delete;

    /// @param tick tell the owner then, unless it will be told earlier; INT64_MAX is no time
    void Arm(int64_t tick);

  private:
    class Event;
    Ptr<Event> m_event; //!< what the scheduler holds
};

} // namespace ns3

#endif // FLOW_TIMER_H
