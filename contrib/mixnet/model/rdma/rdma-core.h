/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CORE_H
#define RDMA_CORE_H

#include "congestion-control.h"
#include "loss-recovery.h"
#include "message-layout.h"
#include "queue-pair.h"
#include "send-governor.h"

#include "ns3/frame-pool.h"

#include <cstdint>

namespace ns3
{

/// What a NIC counts; frames unless said otherwise.
struct RdmaCounters
{
    uint64_t dataSent{0};        //!< data, retransmissions included
    uint64_t dataResent{0};      //!< data sent again
    uint64_t payloadSent{0};     //!< payload bytes, retransmissions included
    uint64_t payloadResent{0};   //!< payload bytes sent again
    uint64_t dataReceived{0};    //!< data for a queue pair of this NIC
    uint64_t dataAccepted{0};    //!< data delivered, or stored to be delivered in order
    uint64_t payloadAccepted{0}; //!< payload bytes of these
    uint64_t dataStored{0};      //!< data stored behind a gap (selective repeat)
    uint64_t dataDuplicate{0};   //!< data accepted before
    uint64_t dataOutOfOrder{0};  //!< data dropped because they arrived behind a gap
    uint64_t acksSent{0};        //!< ACK
    uint64_t nacksSent{0};       //!< NACK
    uint64_t cnpsSent{0};        //!< CNP
    uint64_t acksReceived{0};    //!< ACK
    uint64_t nacksReceived{0};   //!< NACK
    uint64_t cnpsReceived{0};    //!< CNP
    uint64_t timeouts{0};        //!< retransmission timeouts
    uint64_t strays{0};          //!< for a queue pair that is gone
    uint64_t relayed{0};         //!< forwarded to another server
    uint64_t relayPauses{0};     //!< PFC pauses sent because relayed frames piled up

    /// @param o added to this @return this
    RdmaCounters& operator+=(const RdmaCounters& o);
};

/**
 * @ingroup mixnet
 * What the ports of a NIC share on the hot path.
 */
struct RdmaCore
{
    /// @param payload largest payload of a packet
    explicit RdmaCore(uint32_t payload)
        : layout(payload)
    {
    }

    /// Payload came by another path than the first. @param flags of its frame @param payload its
    /// bytes @param qp its queue pair
    void BookPath(uint8_t flags, uint32_t payload, uint32_t qp);

    QpTable table;                          //!< queue pairs
    MessageLayout layout;                   //!< how messages are cut
    CongestionControl* congestion{nullptr}; //!< strategy
    SendGovernor governor;                  //!< what the strategy hears, and windows
    bool reportAcks{false};                 //!< acknowledgements are reported to the governor
    uint8_t telemetryRoom{0};               //!< hops that data collect telemetry of; 0: none
    LossRecovery* recovery{nullptr};        //!< strategy
    FramePool* pool{nullptr};               //!< frames of the fabric
    SimTick notifyInterval{0};              //!< least time between CNPs of a queue pair
    FrameEcn ecn{FrameEcn::ECT0};           //!< ECN field of data
    uint8_t dataClass{0};                   //!< class of data
    uint8_t controlClass{0};                //!< class of ACK, NACK, CNP
    bool detours{false};                    //!< answers of some queue pair leave by another port
    RdmaCounters counters;                  //!< what passed
};

/// @name Path number of a queue pair in the unused bits of Frame::flags (side information)
/// So that payload is booked on the path it took when a queue pair moves in mid-message.
/// @{
constexpr uint8_t PATH_SHIFT = 4;   //!< first bit
constexpr uint32_t PATH_CODES = 15; //!< codes 1 to 15; 0 is the first path

static_assert(FRAME_RETRANSMISSION < (1 << PATH_SHIFT), "path bits collide with flags");

/// @param path number of moves before it @return its bits
constexpr uint8_t
EncodePath(uint32_t path)
{
    return static_cast<uint8_t>((path == 0 ? 0 : (path - 1) % PATH_CODES + 1) << PATH_SHIFT);
}

/// @param bits bits of a frame, not zero @param newest newest path seen @return path, the nearest
constexpr uint32_t
DecodePath(uint8_t bits, uint32_t newest)
{
    const uint32_t code = (bits >> PATH_SHIFT) - 1;
    const uint32_t base = newest == 0 ? 0 : newest - 1;
    const uint32_t ahead = (code + PATH_CODES - base % PATH_CODES) % PATH_CODES;
    const bool behind = ahead > PATH_CODES / 2 && base + ahead >= PATH_CODES;
    return (behind ? base + ahead - PATH_CODES : base + ahead) + 1;
}

/// @}

} // namespace ns3

#endif // RDMA_CORE_H
