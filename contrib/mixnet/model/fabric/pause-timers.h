/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PAUSE_TIMERS_H
#define MIXNET_PAUSE_TIMERS_H

#include "frame.h"

#include <array>
#include <cstdint>
#include <deque>

namespace ns3
{

/**
 * @ingroup mixnet
 * Pauses that take effect later or run out: what a port needs beside a bit per class when it
 * reacts to PFC frames only after a response time, or when pauses carry quanta (IEEE 802.1Qbb
 * clause 36, IEEE 802.3 annex 31B). A port that only holds pauses until the resume has none. Pure.
 *
 * Law: a class is paused from the effect of its last PAUSE frame until that frame's time has
 * passed, or the effect of a later RESUME frame.
 */
class PauseTimers
{
  public:
    /**
     * A PFC frame arrived; frames come in the order of their effects.
     *
     * @param classes bit c: class c @param pause false: resume
     * @param effect when the port obeys @param lasts how long from then; NEVER: until a resume
     */
    void Receive(uint8_t classes, bool pause, SimTick effect, SimTick lasts);

    /// @return when the paused classes change next, without another frame; NEVER
    SimTick GetNext() const
    {
        return m_next;
    }

    /// @param paused classes paused so far @param now a time that does not run backwards
    /// @return classes paused at `now`
    uint8_t Apply(uint8_t paused, SimTick now);

    /// Forget everything.
    void Clear();

  private:
    /// A frame that is not yet obeyed.
    struct Pending
    {
        SimTick effect;  //!< when it is
        SimTick lasts;   //!< pause time
        uint8_t classes; //!< bit vector
        bool pause;      //!< or resume
    };

    /// Find the next change.
    void Update();

    std::deque<Pending> m_pending; //!< by effect
    std::array<SimTick, N_PRIORITIES> m_end{
        {NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER, NEVER}}; //!< by class: when its pause
                                                                   //!< runs out
    SimTick m_next{NEVER};                                         //!< next change
};

} // namespace ns3

#endif // MIXNET_PAUSE_TIMERS_H
