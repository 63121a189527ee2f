/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_CONTROL_H
#define CONGESTION_CONTROL_H

#include "ns3/data-rate.h"
#include "ns3/frame.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/// What a sender hears from the network.
struct CongestionFeedback
{
    /// Kind of feedback.
    enum class Kind : uint8_t
    {
        CNP,    //!< congestion notification packet
        ACK,    //!< new packets acknowledged
        NACK,   //!< a packet is missing
        TIMEOUT //!< no acknowledgement in time
    };

    Kind kind{Kind::ACK}; //!< kind
    bool marked{false};   //!< ACK: the acknowledged packet was ECN-marked
    uint32_t packets{0};  //!< ACK: packets newly acknowledged
    SimTick roundTrip{0}; //!< ACK: ticks since the acknowledged packet was sent; 0 unknown
};

/**
 * @ingroup mixnet
 * Strategy: how fast a queue pair may send. One object serves all queue pairs of a NIC; their
 * state lies in one array of it, by slot. It never schedules: whatever time has done to a rate is
 * worked out when the rate is next asked for.
 */
class CongestionControl : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    CongestionControl();

    /// @param slot a queue pair that starts @param lineRate rate of its port @param now the present
    virtual void Open(uint32_t slot, DataRate lineRate, SimTick now) = 0;

    /**
     * @param slot a queue pair that sends a packet now
     * @param wireBytes its bytes on the wire
     * @param now the present
     * @return ticks from this packet's start to the earliest start of its next one; 0: as fast as
     * the port
     */
    virtual SimTick OnSent(uint32_t slot, uint32_t wireBytes, SimTick now) = 0;

    /// @param slot a queue pair @param feedback what it hears @param now the present
    virtual void OnFeedback(uint32_t slot, const CongestionFeedback& feedback, SimTick now) = 0;

    /// @param slot a queue pair @param now the present @return its rate, bits per second of wire
    /// bytes
    virtual DataRate GetRate(uint32_t slot, SimTick now) = 0;

    /// @return true when acknowledgements matter to it (else they are not reported)
    bool WantsAcks() const
    {
        return m_wantsAcks;
    }

  protected:
    bool m_wantsAcks{false}; //!< set by strategies that use acknowledgements
};

} // namespace ns3

#endif // CONGESTION_CONTROL_H
