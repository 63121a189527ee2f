/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PHASE_WATCH_H
#define PHASE_WATCH_H

#include "ns3/callback.h"
#include "ns3/failure-event.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * Tells when a job enters a phase of an iteration, each once per iteration: failures may be timed
 * by it.
 */
class PhaseWatch
{
  public:
    /// Told of iteration and phase.
    using PhaseCallback = Callback<void, uint32_t, JobPhase>;

    /// @param callback whom to tell
    void SetCallback(const PhaseCallback& callback)
    {
        m_callback = callback;
    }

    /// @param iteration iteration @param phase that some rank of it enters
    void Reach(uint32_t iteration, JobPhase phase)
    {
        if (m_callback.IsNull())
        {
            return;
        }
        m_reached = iteration == m_iteration ? m_reached : 0;
        m_iteration = iteration;
        const uint32_t bit = 1U << static_cast<unsigned>(phase);
        if ((m_reached & bit) == 0)
        {
            m_reached |= bit;
            m_callback(iteration, phase);
        }
    }

  private:
    PhaseCallback m_callback; //!< whom to tell
    uint32_t m_iteration{0};  //!< of m_reached
    uint32_t m_reached{0};    //!< bit p: phase p
};

} // namespace ns3

#endif // PHASE_WATCH_H
