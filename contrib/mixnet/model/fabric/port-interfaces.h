/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PORT_INTERFACES_H
#define MIXNET_PORT_INTERFACES_H

#include "frame.h"

#include <array>
#include <cstdint>

namespace ns3
{

class MixnetPort;

/**
 * @ingroup mixnet
 * What a port sends when its own queues are empty: the NIC.
 */
class EgressSource
{
  public:
    virtual ~EgressSource() = default;

    /**
     * Choose the next frame, as at a given instant.
     *
     * The port may ask late (FabricElement): `now` can lie before Simulator::Now(), never after
     * it, and never runs backwards. Whoever changes what the answer depends on calls
     * MixnetPort::Settle first, so the answer is that of the instant `now`. The implementation
     * only looks at and changes the sender's own state: no event at exact times relative to
     * Simulator::Now(), no callback to anybody outside of the NIC.
     *
     * @param openClasses bit c: class c is not paused by PFC
     * @param now the instant of the decision
     * @param retry out, when null is returned: when to ask again, above `now`; NEVER: not before
     * the next Kick (or the end of a pause)
     * @return a frame with wireBytes and trafficClass set, owned by the port from now on; null:
     * nothing may be sent now
     */
    virtual Frame* Pull(uint8_t openClasses, SimTick now, SimTick& retry) = 0;
};

/**
 * @ingroup mixnet
 * Where a port's received frames go: switch, NIC or optical switch.
 */
class FrameReceiver
{
  public:
    virtual ~FrameReceiver() = default;

    /**
     * The last byte of a frame has arrived. A NIC's port has been settled (MixnetPort::Settle).
     *
     * @param frame the frame, owned by the receiver from now on
     * @param in the port
     * @param now when; Simulator::Now() unless the element looks late
     */
    virtual void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) = 0;

    /**
     * Where a frame would go on, now; nothing moves.
     *
     * @param frame a frame that came in by the port @param in the port
     * @return port it would leave by; null: it ends here, or goes nowhere
     */
    virtual MixnetPort* FindNext(const Frame& frame, const MixnetPort& in)
    {
        return nullptr;
    }

    /**
     * @param frame under way to a port of this NIC
     * @return whether somebody outside of the NIC may be told of something when it arrives, so
     * that Simulator::Now() has to be the time of its arrival
     */
    virtual bool IsUrgent(const Frame& frame) const
    {
        return true;
    }

    /// The link of a port went up or down, now. @param port the port @param up its new state
    virtual void LinkChanged(MixnetPort& port, bool up)
    {
    }

    /// The link of a port was attached or got another rate, now. @param port the port
    virtual void RateChanged(MixnetPort& port)
    {
    }
};

/**
 * @ingroup mixnet
 * Who keeps account of the frames in a port's queues: the packet switch.
 */
class EgressObserver
{
  public:
    virtual ~EgressObserver() = default;

    /**
     * A frame left a queue of the port, to be sent or because the link is down.
     *
     * @param frame the frame; may be marked
     * @param port the port
     * @param now when
     */
    virtual void FrameLeaves(Frame& frame, MixnetPort& port, SimTick now) = 0;
};

/**
 * @ingroup mixnet
 * Who wants to know that a switch paused a neighbor: the deadlock detector.
 */
class PauseObserver
{
  public:
    virtual ~PauseObserver() = default;

    /// A neighbor was told to pause, at or before Simulator::Now().
    virtual void NeighborPaused() = 0;
};

/// What a port does itself with the frames it receives.
enum class PortRole : uint8_t
{
    NIC, //!< obeys PFC; ETHERNET frames go to the ns-3 receive callback, the rest to the receiver
    SWITCH, //!< obeys PFC; everything else goes to the receiver
    OPTICAL //!< light: everything goes to the receiver
};

/// What passed a port, frames and bytes on the wire (preamble and gap included).
struct PortCounters
{
    uint64_t txFrames{0};       //!< sent
    uint64_t txBytes{0};        //!< sent
    uint64_t rxFrames{0};       //!< received
    uint64_t rxBytes{0};        //!< received
    uint64_t drops{0};          //!< dropped at or behind this port (see the drop reasons)
    uint64_t pausesReceived{0}; //!< PFC pause frames obeyed
    uint64_t pausesSent{0};     //!< PFC pause frames sent
    uint64_t marks{0};          //!< frames marked CE in its queues
    /// Of the drops, by DropReason.
    std::array<uint64_t, N_DROP_REASONS> dropsBy{};
};

} // namespace ns3

#endif // MIXNET_PORT_INTERFACES_H
