/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FRAME_CODEC_H
#define MIXNET_FRAME_CODEC_H

#include "frame.h"

#include "ns3/mac48-address.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * True bytes of frames, made only when something looks at them (capture, error model).
 *
 * RoCEv2 (IBTA specification volume 1, annex A17): Ethernet II, IPv4 (DF set, TTL 64,
 * identification 0, DSCP = 8 x class), UDP to port 4791 with checksum 0, BTH (P_Key 0xffff,
 * reliable connection), RETH (virtual address = aux, R_Key = the destination QP), AETH (syndrome
 * 0x1f = ACK without credits, 0x60 = NAK for a PSN sequence error), payload of zeros padded to four
 * bytes, ICRC. PFC (IEEE 802.1Qbb): to 01-80-c2-00-00-01, type 0x8808, opcode 0x0101, quanta 0xffff
 * or 0. Frames are without preamble and FCS, as captures are.
 */
class FrameCodec
{
  public:
    /**
     * @param frame any frame
     * @param sender MAC address of the sending port, the source of PFC frames
     * @return its bytes
     */
    static Ptr<Packet> ToPacket(const Frame& frame, Mac48Address sender = Mac48Address());

    /// @param frame a RoCE frame @return its bytes
    static std::vector<uint8_t> EncodeRoce(const Frame& frame);

    /// @param frame a PFC frame @param sender its sender @return its bytes
    static std::vector<uint8_t> EncodePfc(const Frame& frame, Mac48Address sender);

    /**
     * Read what EncodeRoce or EncodePfc wrote.
     *
     * @param bytes a captured frame
     * @return the fields that are on the wire; none when it is no such frame or its checksums are
     * wrong. trafficClass, wireBytes and payloadBytes are filled in.
     */
    static std::optional<Frame> Decode(const std::vector<uint8_t>& bytes);

    /**
     * Invariant CRC of RoCEv2 (annex A17.3): CRC-32 of IEEE 802.3 over 8 bytes of ones, then the
     * packet from the IP header on with ToS, TTL, IP and UDP checksums and BTH byte 4 as ones. It
     * is sent with the least significant byte first.
     *
     * @param ip first byte of an IPv4 header without options
     * @param size from there to the end of the payload
     * @return the CRC
     */
    static uint32_t ComputeIcrc(const uint8_t* ip, std::size_t size);

    /// @param bytes header with a zeroed checksum field @param size even @return RFC 1071 checksum
    static uint16_t ComputeChecksum(const uint8_t* bytes, std::size_t size);
};

} // namespace ns3

#endif // MIXNET_FRAME_CODEC_H
