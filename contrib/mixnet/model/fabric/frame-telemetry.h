/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FRAME_TELEMETRY_H
#define MIXNET_FRAME_TELEMETRY_H

#include "frame.h"

#include <cstdint>

namespace ns3
{

/// What a port says of itself when it begins to forward a frame.
struct TelemetryHop
{
    SimTick time{0};           //!< when
    uint64_t sentBytes{0};     //!< bytes on the wire it had sent before the frame
    const void* port{nullptr}; //!< which port: to be compared, never followed
    uint32_t queueBytes{0};    //!< bytes that wait behind the frame in its class
    uint32_t kilobits{0};      //!< rate, kilobits per second
};

static_assert(sizeof(TelemetryHop) == 32, "half a cache line");

/**
 * @ingroup mixnet
 * In-band telemetry (INT) of a frame, as HPCC uses it (Li et al., SIGCOMM 2019, section 4.1): every
 * port that forwards the data frame adds a record, the receiver returns all of them with the
 * acknowledgement. A port whose queue frames join is a hop: switches and relaying servers; the
 * sender's own port and light are none.
 *
 * It lies beside the frame in the FramePool, not in it. On the wire it is a header of 2 bytes and
 * 8 for each hop that it has room for (42 bytes for 5 hops, as published), which counts in
 * wireBytes of data and answers; captures do not show it.
 */
struct FrameTelemetry
{
    static constexpr uint32_t MAX_HOPS = 15; //!< its count of hops has four bits

    uint32_t hops{0};           //!< ports that forwarded the frame; above room: records are missing
    uint32_t room{0};           //!< records the header has room for
    TelemetryHop hop[MAX_HOPS]; //!< in order of passage

    /// @param room records @return bytes of the header on the wire
    static constexpr uint16_t WireBytes(uint32_t room)
    {
        return static_cast<uint16_t>(2 + 8 * room);
    }

    /// @return true when no hop is missing
    bool IsComplete() const
    {
        return hops <= room;
    }
};

} // namespace ns3

#endif // MIXNET_FRAME_TELEMETRY_H
