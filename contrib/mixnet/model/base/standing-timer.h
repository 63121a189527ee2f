/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_STANDING_TIMER_H
#define MIXNET_STANDING_TIMER_H

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
class StandingTimer
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

    /// @param owner who is told @param index tells its timers apart @param context ns-3 context
    /// (node id) that it is told in; default: that of whoever arms it
    StandingTimer(Owner& owner, uint32_t index, uint32_t context = UINT32_MAX);
    /// The owner is not told any more.
    ~StandingTimer();
    StandingTimer(const StandingTimer&) = delete;
    StandingTimer& operator=(const StandingTimer&) = delete;

    /// @return when the owner is told; INT64_MAX: no time
    int64_t GetTime() const
    {
        return m_event->armed;
    }

    /// @param tick tell the owner then, unless it will be told earlier; INT64_MAX is no time
    void Arm(int64_t tick)
    {
        if (tick < m_event->armed)
        {
            Schedule(tick);
        }
    }

  private:
    /// What the scheduler holds, possibly several times.
    class Event : public EventImpl
    {
      public:
        /// @param owner who is told @param index as given @param context as given
        Event(Owner* owner, uint32_t index, uint32_t context)
            : owner(owner),
              index(index),
              context(context)
        {
        }

        Owner* owner;             //!< null: nobody
        uint32_t index;           //!< as given
        uint32_t context;         //!< as given
        int64_t armed{INT64_MAX}; //!< earliest entry that counts

      protected:
        void Notify() override;
    };

    /// @param tick the new time
    void Schedule(int64_t tick);

    Ptr<Event> m_event; //!< what the scheduler holds
};

} // namespace ns3

#endif // MIXNET_STANDING_TIMER_H
