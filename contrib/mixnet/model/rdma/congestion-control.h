/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONGESTION_CONTROL_H
#define CONGESTION_CONTROL_H

#include "ns3/data-rate.h"
#include "ns3/frame-telemetry.h"
#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// What a sender hears from the network.
struct CongestionFeedback
{
    /// Kind of feedback.
    enum class Kind : uint8_t
    {
        CNP,    //!< congestion notification packet
        ACK,    //!< packets were acknowledged, perhaps none that are new
        NACK,   //!< a packet is missing
        TIMEOUT //!< no acknowledgement in time
    };

    Kind kind{Kind::ACK}; //!< kind
    bool marked{false};   //!< ACK, NACK: the packet that it answers was ECN-marked
    uint32_t packets{0};  //!< ACK, NACK: packets newly acknowledged
    SimTick roundTrip{0}; //!< ACK, NACK: ticks since the packet that it answers was sent
    uint64_t acked{0};    //!< all packets before it are acknowledged
    uint64_t next{0};     //!< packet that is sent next
    const FrameTelemetry* telemetry{nullptr}; //!< ACK, NACK: of the packet that it answers, or null
};

/// What is known of the path of a queue pair when it starts there.
struct CongestionPath
{
    /// @param rate of the port, nothing else known
    CongestionPath(DataRate rate)
        : lineRate(rate)
    {
    }

    DataRate lineRate;      //!< rate of the sender's port
    SimTick baseRtt{0};     //!< ticks of a round trip of a full packet on an idle path; 0: unknown
    uint32_t hops{0};       //!< ports on the way that store and forward
    uint32_t frameBytes{0}; //!< a full packet on the wire
};

/**
 * @ingroup mixnet
 * Strategy: how fast a queue pair may send, and how much may be under way. One object serves all
 * queue pairs of a NIC; their state lies in arrays of it, by slot. It never schedules: whatever
 * time has done to a rate is worked out when the rate is next asked for.
 *
 * A strategy pays for what it says it wants: without WantsAcks it hears of CNP, NACK and timeouts
 * only, without WantsCnps its NIC sends none for what it receives, without GetTelemetryRoom frames
 * collect nothing, without HasWindow it is not asked.
 */
class CongestionControl : public Object
{
  public:
    static constexpr uint64_t NO_WINDOW = UINT64_MAX; //!< any number of bytes

    /// @return the TypeId
    static TypeId GetTypeId();

    CongestionControl();

    /// @param slot a queue pair that starts, or starts afresh on another path @param path what is
    /// known of it @param now the present
    virtual void Open(uint32_t slot, const CongestionPath& path, SimTick now) = 0;

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

    /// @param slot a queue pair @return most bytes on the wire that may be under way; one packet
    /// always may
    virtual uint64_t GetWindow(uint32_t slot) const;

    /// @param slot a queue pair that sends next: its state may be fetched into the cache
    virtual void FetchState(uint32_t slot) const
    {
    }

    /// @return true when acknowledgements matter to it (else they are not reported)
    bool WantsAcks() const
    {
        return m_wantsAcks;
    }

    /// @return true when receivers are to send CNPs for marked packets
    bool WantsCnps() const
    {
        return m_wantsCnps;
    }

    /// @return true when it limits what is under way
    bool HasWindow() const
    {
        return m_hasWindow;
    }

    /// @return true when it should be told of base round trip and hops
    bool WantsPath() const
    {
        return m_wantsPath;
    }

    /// @return hops that data are to collect telemetry of; 0: none
    uint32_t GetTelemetryRoom() const
    {
        return m_telemetryRoom;
    }

  protected:
    /// @param slot any @param states grown to hold it
    template <class T>
    static void MakeRoom(uint32_t slot, std::vector<T>& states)
    {
        if (slot >= states.size())
        {
            states.resize(slot + 1);
        }
    }

    bool m_wantsAcks{false};     //!< set by strategies that use acknowledgements
    bool m_wantsCnps{false};     //!< set by strategies that use CNPs
    bool m_hasWindow{false};     //!< set by strategies with a window
    bool m_wantsPath{false};     //!< set by strategies that use base round trip or hops
    uint32_t m_telemetryRoom{0}; //!< set by strategies that use telemetry
};

} // namespace ns3

#endif // CONGESTION_CONTROL_H
