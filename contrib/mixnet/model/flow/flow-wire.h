/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_WIRE_H
#define FLOW_WIRE_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * Wire bytes of RoCEv2 messages as the fluid world counts them (design, decision 20).
 *
 * Convention, the same in the packet world: a frame's time on a link is that of all its wire
 * bytes, preamble and gap included; it has arrived at start + that time + propagation. A message
 * of n packets over h equal links therefore takes, on an idle path,
 *     (all wire bytes) / rate + sum of propagation + (h - 1) x (first packet) / rate,
 * because every link behind the first starts when it has the first packet, the largest one, and
 * is busy from then on. The first packet carries the RETH and counts with it.
 */
class FlowWire
{
  public:
    /// Ethernet 14, IPv4 20, UDP 8, BTH 12, ICRC 4, FCS 4, preamble and gap 20.
    static constexpr uint64_t PACKET_OVERHEAD = 14 + 20 + 8 + 12 + 4 + 4 + 20;
    static constexpr uint64_t RETH = 16;                   //!< first packet of each segment
    static constexpr uint64_t SEGMENT = uint64_t(1) << 31; //!< longest IBTA message

    /// @param payload largest payload of a packet, bytes, above zero
    explicit constexpr FlowWire(uint64_t payload)
        : m_payload(payload),
          m_segmentPackets((SEGMENT + payload - 1) / payload)
    {
    }

    /// @param bytes payload of one lane @return its wire bytes; none for an empty lane
    constexpr uint64_t GetLane(uint64_t bytes) const
    {
        const uint64_t segments = bytes / SEGMENT;
        const uint64_t rest = bytes % SEGMENT;
        const uint64_t packets = segments * m_segmentPackets + (rest + m_payload - 1) / m_payload;
        return bytes + packets * PACKET_OVERHEAD + (segments + (rest > 0 ? 1 : 0)) * RETH;
    }

    /// @param bytes payload of all lanes @param lanes their number @return wire bytes of all
    constexpr uint64_t GetTransfer(uint64_t bytes, uint32_t lanes) const
    {
        const uint64_t base = bytes / lanes;
        const uint64_t longer = bytes % lanes;
        return longer == 0 ? lanes * GetLane(base)
                           : longer * GetLane(base + 1) + (lanes - longer) * GetLane(base);
    }

    /// @param bytes payload of all lanes, above zero @param lanes their number
    /// @return wire bytes of the first packet of the longest lane
    constexpr uint64_t GetFirstPacket(uint64_t bytes, uint32_t lanes) const
    {
        return std::min(m_payload, (bytes + lanes - 1) / lanes) + PACKET_OVERHEAD + RETH;
    }

  private:
    uint64_t m_payload;        //!< largest payload of a packet
    uint64_t m_segmentPackets; //!< packets of a full segment
};

} // namespace ns3

#endif // FLOW_WIRE_H
