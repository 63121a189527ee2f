/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_DETECTION_H
#define FAILURE_DETECTION_H

#include "failure-event.h"

#include "ns3/nstime.h"

#include <array>
#include <cstddef>

namespace ns3
{

/**
 * Time from a failure (or repair) of a kind of element to its detection.
 *
 * Light that goes out is seen by the port within microseconds (IEEE 802.3, clause 81.3.4: link
 * fault signaling), so links, switches and OCS units take 10 us. A NIC, GPU, server or controller
 * is missed by its peers: three heartbeats of 3.3 ms, the shortest common interval of BFD (RFC
 * 7419) and its usual multiplier, 10 ms.
 */
class FailureDetection
{
  public:
    FailureDetection()
    {
        m_times.fill(MicroSeconds(10));
        for (const FailureKind k :
             {FailureKind::NIC, FailureKind::CONTROLLER, FailureKind::GPU, FailureKind::SERVER})
        {
            At(k) = MilliSeconds(10);
        }
    }

    /// @param kind kind @return its time
    Time& At(FailureKind kind)
    {
        return m_times[static_cast<std::size_t>(kind)];
    }

    /// @param kind kind @return its time
    Time Get(FailureKind kind) const
    {
        return m_times[static_cast<std::size_t>(kind)];
    }

  private:
    std::array<Time, N_FAILURE_KINDS> m_times; //!< by kind
};

} // namespace ns3

#endif // FAILURE_DETECTION_H
