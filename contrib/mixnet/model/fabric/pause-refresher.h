/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PAUSE_REFRESHER_H
#define MIXNET_PAUSE_REFRESHER_H

#include "frame.h"

#include "ns3/event-id.h"

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Reminds a switch to send a pause again before its quanta run out. One pending event, and only
 * while a pause is out; a switch whose pauses hold until the resume has no refresher.
 */
class PauseRefresher
{
  public:
    /// Told (port, class) at the time asked for.
    using Reminder = std::function<void(uint32_t port, uint8_t priority)>;

    /// @param ports number of ports @param reminder called in events of its own
    PauseRefresher(uint32_t ports, Reminder reminder);
    ~PauseRefresher();
    PauseRefresher(const PauseRefresher&) = delete;
    PauseRefresher& operator=(const PauseRefresher&) = delete;

    /// @param port port @param priority class @param due when to remind of it, not in the past
    void Watch(uint32_t port, uint8_t priority, SimTick due);
    /// @param port port @param priority class that needs no reminder any more
    void Forget(uint32_t port, uint8_t priority);

  private:
    /// Schedule the earliest reminder.
    void Arm();
    /// The event fired.
    void Fire();

    Reminder m_reminder;                            //!< whom
    std::vector<SimTick> m_due;                     //!< by port and class; NEVER
    std::set<std::pair<SimTick, uint32_t>> m_queue; //!< time, port and class
    EventId m_event;                                //!< pending
    SimTick m_armed{NEVER};                         //!< when it fires
};

} // namespace ns3

#endif // MIXNET_PAUSE_REFRESHER_H
