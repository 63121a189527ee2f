/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MESSAGE_LAYOUT_H
#define MESSAGE_LAYOUT_H

#include <algorithm>
#include <cstdint>

namespace ns3
{

/// One packet of a message.
struct PacketSlice
{
    uint32_t payload{0};        //!< payload bytes
    bool firstOfSegment{false}; //!< carries a RETH
    bool lastOfSegment{false};  //!< "last" or "only" on the wire
    bool lastOfMessage{false};  //!< ends the message
};

/**
 * @ingroup mixnet
 * How a message is cut into packets: segments of at most 2 GiB (the largest IBTA message), each
 * into packets of one payload size and a shorter last one. A message of zero bytes is one packet.
 */
class MessageLayout
{
  public:
    /// Longest message on the wire.
    static constexpr uint64_t MAX_SEGMENT = uint64_t(1) << 31;

    /// @param payload largest payload of a packet, above zero
    explicit constexpr MessageLayout(uint32_t payload)
        : m_payload(payload),
          m_segmentPackets(MAX_SEGMENT / payload + (MAX_SEGMENT % payload != 0))
    {
    }

    /// @param bytes size of a message @return number of its packets, at least 1
    constexpr uint64_t GetNPackets(uint64_t bytes) const
    {
        const uint64_t rest = bytes % MAX_SEGMENT;
        const uint64_t packets =
            bytes / MAX_SEGMENT * m_segmentPackets + rest / m_payload + (rest % m_payload != 0);
        return std::max<uint64_t>(packets, 1);
    }

    /// @param bytes size of a message @param index one of its packets @return that packet
    constexpr PacketSlice GetSlice(uint64_t bytes, uint64_t index) const
    {
        uint64_t segment = bytes;
        uint64_t within = index;
        if (bytes > MAX_SEGMENT)
        {
            const uint64_t before = index / m_segmentPackets;
            within = index % m_segmentPackets;
            segment = std::min(bytes - before * MAX_SEGMENT, MAX_SEGMENT);
            bytes -= before * MAX_SEGMENT;
        }
        const uint64_t left = segment - within * m_payload;
        const bool last = left <= m_payload;
        return {static_cast<uint32_t>(std::min<uint64_t>(left, m_payload)),
                within == 0,
                last,
                last && bytes == segment};
    }

    /// @param bytes size of a message @param index one of its packets @return size of its segment
    constexpr uint32_t GetSegmentBytes(uint64_t bytes, uint64_t index) const
    {
        const uint64_t before = index / m_segmentPackets * MAX_SEGMENT;
        return static_cast<uint32_t>(std::min(bytes - before, MAX_SEGMENT));
    }

    /// @param index first packet of a segment @return bytes of the message before it
    constexpr uint64_t GetOffset(uint64_t index) const
    {
        return index / m_segmentPackets * MAX_SEGMENT;
    }

  private:
    uint64_t m_payload;        //!< largest payload
    uint64_t m_segmentPackets; //!< packets of a full segment
};

} // namespace ns3

#endif // MESSAGE_LAYOUT_H
