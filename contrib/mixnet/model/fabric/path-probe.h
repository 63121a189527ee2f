/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PATH_PROBE_H
#define MIXNET_PATH_PROBE_H

#include "frame.h"

#include <cstdint>

namespace ns3
{

class MixnetPort;

/**
 * @ingroup mixnet
 * What is known of the way that a frame would take now.
 */
struct PathProbe
{
    bool complete{false}; //!< it ends at the destination; else the rest means nothing
    uint32_t hops{0};     //!< ports that store and forward: switches and relays
    /// Ticks of a round trip when nothing else is under way: the frame to the destination, an
    /// answer back over the same links.
    SimTick roundTrip{0};

    /**
     * Follow a frame through the forwarding tables, circuits and relay rules as they are now,
     * without sending anything.
     *
     * @param from port of the sending NIC
     * @param frame addresses, queue pair, source port and wireBytes matter
     * @param answerBytes bytes of the answer on the wire
     * @return the way
     */
    static PathProbe Follow(MixnetPort& from, const Frame& frame, uint32_t answerBytes);
};

} // namespace ns3

#endif // MIXNET_PATH_PROBE_H
