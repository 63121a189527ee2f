/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FRAME_H
#define MIXNET_FRAME_H

#include <cstdint>
#include <limits>
#include <ostream>

namespace ns3
{

class Packet;

/// A point in simulated time in ticks of the clock (Time::GetTimeStep): the hot path's Time.
using SimTick = int64_t;

/// A point in time that never comes.
constexpr SimTick NEVER = std::numeric_limits<SimTick>::max();

/// Priority classes (IEEE 802.1Q) of a port.
constexpr uint8_t N_PRIORITIES = 8;

/// What a frame is.
enum class FrameOpcode : uint8_t
{
    DATA_FIRST,  //!< RDMA WRITE First: BTH + RETH + payload
    DATA_MIDDLE, //!< RDMA WRITE Middle: BTH + payload
    DATA_LAST,   //!< RDMA WRITE Last: BTH + payload
    DATA_ONLY,   //!< RDMA WRITE Only: BTH + RETH + payload
    ACK,         //!< Acknowledge: BTH + AETH
    NACK,        //!< Acknowledge with the syndrome "PSN sequence error": BTH + AETH
    CNP,         //!< congestion notification packet (IBTA annex A17): BTH + 16 reserved bytes
    PFC_PAUSE,   //!< IEEE 802.1Qbb frame that stops classes
    PFC_RESUME,  //!< IEEE 802.1Qbb frame with zero quanta
    ETHERNET     //!< an ordinary ns-3 packet
};

/// ECN field of the IP header (RFC 3168).
enum class FrameEcn : uint8_t
{
    NOT_ECT = 0, //!< not ECN-capable: never marked
    ECT1 = 1,    //!< ECN-capable
    ECT0 = 2,    //!< ECN-capable
    CE = 3       //!< congestion experienced
};

/// Bits of Frame::flags.
enum FrameFlag : uint8_t
{
    FRAME_ACK_REQUEST = 1,    //!< wire: BTH A bit
    FRAME_SOLICITED = 2,      //!< wire: BTH SE bit
    FRAME_RETRANSMISSION = 4, //!< data: side information: this PSN was sent before
    FRAME_ECN_ECHO = 4,       //!< ACK, NACK: side information: the packet answered was marked
    FRAME_BROADCAST = 8,      //!< ETHERNET: one copy of a broadcast or multicast packet
    FRAME_TELEMETRY = 8       //!< data, ACK, NACK: has a FrameTelemetry, data collect it
};

/**
 * @ingroup mixnet
 * A frame in the packet fabric: one cache line, from a FramePool, linked through `next`.
 *
 * On the wire (they appear in captures): opcode, ecn, trafficClass (DSCP = 8 x class), source and
 * destination (as MAC and IPv4 addresses), sourcePort (UDP), destinationQp, psn, the flags named
 * so, messageBytes and aux of a frame with RETH, payloadBytes and wireBytes. Everything else, and
 * aux of the other frames, is side information of the simulator: receivers may use it to spare
 * themselves tables that do not change a result, never to learn what a real receiver cannot know.
 *
 * Exactly one owner at any time: a queue, a link, a receiver. Who ends its life returns it to the
 * pool of the fabric.
 */
struct alignas(64) Frame
{
    Frame* next{nullptr}; //!< successor in the queue or link that owns the frame
    SimTick time{0};      //!< in flight: arrival of the last byte; queued: when it was queued

    /// By opcode.
    union {
        uint64_t aux;   //!< RoCE: 64-bit offset, sequence or bitmap of the endpoints
        Packet* packet; //!< ETHERNET: the packet, one reference owned by the frame
    };

    SimTick timestamp{0};      //!< side: sent when; echoed by ACK, NACK
    uint32_t source{0};        //!< NIC address
    uint32_t destination{0};   //!< NIC address
    uint32_t destinationQp{0}; //!< 24 bits
    uint32_t psn{0};           //!< 24 bits; PFC: class vector; ETHERNET: protocol
    uint32_t messageBytes{0};  //!< with RETH: DMA length; with AETH: MSN, 24 bits
    uint16_t payloadBytes{0};  //!< payload
    uint16_t wireBytes{0};     //!< all of it, with preamble and gap
    uint16_t sourcePort{0};    //!< UDP source port, the flow's entropy; PFC: quanta
    uint16_t ingress{0};       //!< port by which it entered the present switch
    FrameOpcode opcode{FrameOpcode::DATA_ONLY}; //!< what it is
    FrameEcn ecn{FrameEcn::NOT_ECT};            //!< ECN field
    uint8_t trafficClass{0};                    //!< priority class, below N_PRIORITIES
    uint8_t flags{0};                           //!< FrameFlag bits

    Frame()
        : aux(0)
    {
    }
};

static_assert(sizeof(Frame) == 64, "a frame is one cache line");

/**
 * @name Sizes on the wire
 * Design, decision 20: Ethernet 14 + IPv4 20 + UDP 8 + BTH 12 (+ RETH 16, AETH 4 or the 16 bytes
 * of a CNP) + payload + ICRC 4 + FCS 4 + preamble and gap 20. The 0 to 3 pad bytes of an odd
 * payload are not counted.
 * @{
 */
constexpr uint16_t ETHERNET_HEADER_BYTES = 14; //!< addresses and type
constexpr uint16_t ETHERNET_FCS_BYTES = 4;     //!< frame check sequence
constexpr uint16_t ETHERNET_GAP_BYTES = 20;    //!< preamble 8 and inter-frame gap 12
constexpr uint16_t ETHERNET_MIN_BYTES = 64;    //!< shortest frame, FCS included
constexpr uint16_t ROCE_BASE_BYTES = 14 + 20 + 8 + 12 + 4 + 4 + 20; //!< RoCE without extension
constexpr uint16_t RETH_BYTES = 16;    //!< RDMA extended transport header
constexpr uint16_t AETH_BYTES = 4;     //!< ACK extended transport header
constexpr uint16_t CNP_BYTES = 16;     //!< reserved bytes of a CNP
constexpr uint32_t QUANTUM_BYTES = 64; //!< a pause quantum: 512 bit times
/// Shortest frame with preamble and gap; also a PFC frame.
constexpr uint16_t MIN_WIRE_BYTES = ETHERNET_MIN_BYTES + ETHERNET_GAP_BYTES;

/// @param opcode what a frame is @return true for the four data opcodes
constexpr bool
IsData(FrameOpcode opcode)
{
    return opcode <= FrameOpcode::DATA_ONLY;
}

/// @param opcode what a frame is @return true when it carries a RETH
constexpr bool
HasReth(FrameOpcode opcode)
{
    return opcode == FrameOpcode::DATA_FIRST || opcode == FrameOpcode::DATA_ONLY;
}

/**
 * @param opcode a RoCE or PFC opcode
 * @param payloadBytes payload; zero for ACK, NACK, CNP and PFC
 * @return bytes on the wire
 */
constexpr uint16_t
WireBytes(FrameOpcode opcode, uint16_t payloadBytes)
{
    switch (opcode)
    {
    case FrameOpcode::DATA_FIRST:
    case FrameOpcode::DATA_ONLY:
        return static_cast<uint16_t>(ROCE_BASE_BYTES + RETH_BYTES + payloadBytes);
    case FrameOpcode::ACK:
    case FrameOpcode::NACK:
        return ROCE_BASE_BYTES + AETH_BYTES;
    case FrameOpcode::CNP:
        return ROCE_BASE_BYTES + CNP_BYTES;
    case FrameOpcode::PFC_PAUSE:
    case FrameOpcode::PFC_RESUME:
        return MIN_WIRE_BYTES;
    default:
        return static_cast<uint16_t>(ROCE_BASE_BYTES + payloadBytes);
    }
}

/// @param bytes size of an ordinary packet, without Ethernet header @return bytes on the wire
constexpr uint16_t
EthernetWireBytes(uint16_t bytes)
{
    const auto frame = static_cast<uint16_t>(ETHERNET_HEADER_BYTES + bytes + ETHERNET_FCS_BYTES);
    return static_cast<uint16_t>((frame < ETHERNET_MIN_BYTES ? ETHERNET_MIN_BYTES : frame) +
                                 ETHERNET_GAP_BYTES);
}

/// @}

/// Why a frame was dropped.
enum class DropReason : uint8_t
{
    NO_ROUTE,  //!< the switch knows no way to the destination
    BUFFER,    //!< lossy class: over the dynamic threshold, or no shared buffer left
    HEADROOM,  //!< lossless class: over its headroom
    QUEUE,     //!< ordinary packet: over the port's queue limit
    LINK_DOWN, //!< queued for, sent into, or in flight on a link that is down
    CORRUPT,   //!< the link's error model
    DARK,      //!< no light on the circuit during the whole passage
    UNWANTED   //!< reached a port that has no use for it
};

constexpr uint8_t N_DROP_REASONS = 8; //!< number of drop reasons

/// @param reason why @return "no-route", "buffer", ...
const char* GetName(DropReason reason);
/// @param opcode what @return "data-first", "ack", ...
const char* GetName(FrameOpcode opcode);
/// One line: opcode, addresses, queue pair, PSN, bytes. @param os out @param frame it @return os
std::ostream& operator<<(std::ostream& os, const Frame& frame);

/**
 * Hash of what ECMP looks at: addresses and UDP source port.
 *
 * @param frame the frame
 * @param seed of the switch, so that tiers do not choose alike
 * @return 32 well-mixed bits
 */
inline uint32_t
FlowHash(const Frame& frame, uint64_t seed)
{
    uint64_t h = ((uint64_t{frame.source} << 32) | frame.destination) ^ seed;
    h = (h ^ (h >> 32)) * 0x9e3779b97f4a7c15ULL;
    h ^= (h >> 29) ^ (uint64_t{frame.sourcePort} << 17) ^ frame.sourcePort;
    h *= 0xbf58476d1ce4e5b9ULL;
    return static_cast<uint32_t>(h >> 32);
}

} // namespace ns3

#endif // MIXNET_FRAME_H
