/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame-codec.h"

#include "packet-fabric-context.h"

#include "ns3/ethernet-header.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <array>

namespace ns3
{

namespace
{

constexpr std::size_t ETHERNET = 14; //!< Ethernet header
constexpr std::size_t IPV4 = 20;     //!< IPv4 header without options
constexpr std::size_t UDP = 8;       //!< UDP header
constexpr std::size_t BTH = 12;      //!< base transport header
constexpr std::size_t ICRC = 4;      //!< invariant CRC
constexpr uint16_t TYPE_IPV4 = 0x0800;
constexpr uint16_t TYPE_MAC_CONTROL = 0x8808;
constexpr uint16_t PFC_OPCODE = 0x0101;
constexpr uint16_t ROCE_PORT = 4791;
constexpr uint8_t SYNDROME_ACK = 0x1f; //!< ACK, no end-to-end credits
constexpr uint8_t SYNDROME_NAK = 0x60; //!< NAK, PSN sequence error
const std::array<uint8_t, 6> PFC_MAC{{0x01, 0x80, 0xc2, 0x00, 0x00, 0x01}};

/// Opcodes of the reliable connection (IBTA, table 38) and of the CNP (annex A17).
constexpr std::array<std::pair<FrameOpcode, uint8_t>, 7> OPCODES{{{FrameOpcode::DATA_FIRST, 0x06},
                                                                  {FrameOpcode::DATA_MIDDLE, 0x07},
                                                                  {FrameOpcode::DATA_LAST, 0x08},
                                                                  {FrameOpcode::DATA_ONLY, 0x0a},
                                                                  {FrameOpcode::ACK, 0x11},
                                                                  {FrameOpcode::NACK, 0x11},
                                                                  {FrameOpcode::CNP, 0x81}}};

/// Appends numbers in network order.
class Writer
{
  public:
    /// @param value number @param size its bytes
    void Put(uint64_t value, std::size_t size)
    {
        for (std::size_t i = size; i-- > 0;)
        {
            m_bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
        }
    }

    /// @param mac an address
    void Put(Mac48Address mac)
    {
        uint8_t b[6];
        mac.CopyTo(b);
        m_bytes.insert(m_bytes.end(), b, b + 6);
    }

    /// @param count zero bytes
    void Skip(std::size_t count)
    {
        m_bytes.insert(m_bytes.end(), count, 0);
    }

    std::vector<uint8_t> m_bytes; //!< so far
};

/// @param b first byte @param size number of bytes @return number in network order
uint64_t
Get(const uint8_t* b, std::size_t size)
{
    uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
    {
        value = value << 8 | b[i];
    }
    return value;
}

/// @return the table of the reflected polynomial 0x04c11db7
std::array<uint32_t, 256>
MakeCrcTable()
{
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < table.size(); ++i)
    {
        uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit)
        {
            c = c & 1 ? (c >> 1) ^ 0xedb88320U : c >> 1;
        }
        table[i] = c;
    }
    return table;
}

/// @param opcode of a frame @return bytes between BTH and payload
std::size_t
ExtensionBytes(FrameOpcode opcode)
{
    switch (opcode)
    {
    case FrameOpcode::DATA_FIRST:
    case FrameOpcode::DATA_ONLY:
        return RETH_BYTES;
    case FrameOpcode::ACK:
    case FrameOpcode::NACK:
        return AETH_BYTES;
    case FrameOpcode::CNP:
        return CNP_BYTES;
    default:
        return 0;
    }
}

/// @param frame a RoCE frame @param out its BTH and extension headers are appended
void
WriteTransport(const Frame& frame, Writer& out)
{
    const auto opcode = std::find_if(OPCODES.begin(), OPCODES.end(), [&frame](const auto& entry) {
        return entry.first == frame.opcode;
    });
    MIXNET_CHECK(opcode != OPCODES.end(), "no RoCE frame: " << GetName(frame.opcode));
    const bool cnp = frame.opcode == FrameOpcode::CNP;
    const uint8_t pad = (4 - frame.payloadBytes % 4) % 4;
    out.Put(opcode->second, 1);
    out.Put((frame.flags & FRAME_SOLICITED ? 0x80 : 0) | pad << 4, 1);
    out.Put(0xffff, 2);
    out.Put(cnp ? 0x40 : 0, 1); // BECN
    out.Put(frame.destinationQp, 3);
    out.Put(frame.flags & FRAME_ACK_REQUEST ? 0x80 : 0, 1);
    out.Put(frame.psn, 3);
    if (HasReth(frame.opcode))
    {
        out.Put(frame.aux, 8);
        out.Put(frame.destinationQp, 4);
        out.Put(frame.messageBytes, 4);
    }
    else if (frame.opcode == FrameOpcode::ACK || frame.opcode == FrameOpcode::NACK)
    {
        out.Put(frame.opcode == FrameOpcode::ACK ? SYNDROME_ACK : SYNDROME_NAK, 1);
        out.Put(frame.messageBytes, 3);
    }
    else if (cnp)
    {
        out.Skip(CNP_BYTES);
    }
    out.Skip(frame.payloadBytes + pad);
}

/// @param frame opcode, AETH syndrome not yet looked at @param bth its BTH
void
ReadTransport(Frame& frame, const uint8_t* bth)
{
    frame.flags = (bth[1] & 0x80 ? FRAME_SOLICITED : 0) | (bth[8] & 0x80 ? FRAME_ACK_REQUEST : 0);
    frame.destinationQp = static_cast<uint32_t>(Get(bth + 5, 3));
    frame.psn = static_cast<uint32_t>(Get(bth + 9, 3));
    if (HasReth(frame.opcode))
    {
        frame.aux = Get(bth + BTH, 8);
        frame.messageBytes = static_cast<uint32_t>(Get(bth + BTH + 12, 4));
    }
    else if (frame.opcode == FrameOpcode::ACK)
    {
        frame.opcode = bth[BTH] == SYNDROME_NAK ? FrameOpcode::NACK : FrameOpcode::ACK;
        frame.messageBytes = static_cast<uint32_t>(Get(bth + BTH + 1, 3));
    }
}

/// @param b bytes of a MAC control frame @return the PFC frame
std::optional<Frame>
DecodePfc(const std::vector<uint8_t>& b)
{
    if (Get(&b[14], 2) != PFC_OPCODE)
    {
        return std::nullopt;
    }
    Frame frame;
    frame.psn = static_cast<uint32_t>(Get(&b[16], 2));
    for (std::size_t c = 0; c < N_PRIORITIES; ++c)
    {
        const auto quanta = static_cast<uint16_t>(Get(&b[18 + 2 * c], 2));
        frame.sourcePort = std::max(frame.sourcePort, quanta);
    }
    const bool pause = frame.sourcePort > 0;
    frame.opcode = pause ? FrameOpcode::PFC_PAUSE : FrameOpcode::PFC_RESUME;
    frame.trafficClass = N_PRIORITIES - 1;
    frame.wireBytes = WireBytes(frame.opcode, 0);
    return frame;
}

} // namespace

uint32_t
FrameCodec::ComputeIcrc(const uint8_t* ip, std::size_t size)
{
    static const auto table = MakeCrcTable();
    uint32_t crc = 0xffffffffU;
    const auto add = [&crc](uint8_t byte) { crc = table[(crc ^ byte) & 0xff] ^ (crc >> 8); };
    for (int i = 0; i < 8; ++i)
    {
        add(0xff);
    }
    const auto masked = [](std::size_t i) {
        return i == 1 || i == 8 || i == 10 || i == 11 || i == IPV4 + 6 || i == IPV4 + 7 ||
               i == IPV4 + UDP + 4;
    };
    for (std::size_t i = 0; i < size; ++i)
    {
        add(masked(i) ? 0xff : ip[i]);
    }
    return ~crc;
}

uint16_t
FrameCodec::ComputeChecksum(const uint8_t* bytes, std::size_t size)
{
    uint32_t sum = 0;
    for (std::size_t i = 0; i < size; i += 2)
    {
        sum += static_cast<uint32_t>(Get(bytes + i, 2));
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return static_cast<uint16_t>(~sum);
}

std::vector<uint8_t>
FrameCodec::EncodeRoce(const Frame& frame)
{
    const std::size_t pad = (4 - frame.payloadBytes % 4) % 4;
    const std::size_t udp =
        UDP + BTH + ExtensionBytes(frame.opcode) + frame.payloadBytes + pad + ICRC;
    Writer out;
    out.m_bytes.reserve(ETHERNET + IPV4 + udp);
    out.Put(PacketFabricContext::GetMac(frame.destination));
    out.Put(PacketFabricContext::GetMac(frame.source));
    out.Put(TYPE_IPV4, 2);
    out.Put(0x45, 1);
    out.Put(frame.trafficClass << 5 | static_cast<uint8_t>(frame.ecn), 1);
    out.Put(IPV4 + udp, 2);
    out.Put(0x00004000, 4); // identification, DF
    out.Put(0x4011, 2);     // TTL 64, UDP
    out.Skip(2);
    out.Put(PacketFabricContext::GetIpv4(frame.source).Get(), 4);
    out.Put(PacketFabricContext::GetIpv4(frame.destination).Get(), 4);
    const uint16_t checksum = ComputeChecksum(&out.m_bytes[ETHERNET], IPV4);
    out.m_bytes[ETHERNET + 10] = static_cast<uint8_t>(checksum >> 8);
    out.m_bytes[ETHERNET + 11] = static_cast<uint8_t>(checksum);
    out.Put(frame.sourcePort, 2);
    out.Put(ROCE_PORT, 2);
    out.Put(udp, 2);
    out.Skip(2);
    WriteTransport(frame, out);
    const uint32_t icrc = ComputeIcrc(&out.m_bytes[ETHERNET], out.m_bytes.size() - ETHERNET);
    out.Put(__builtin_bswap32(icrc), ICRC);
    return out.m_bytes;
}

std::vector<uint8_t>
FrameCodec::EncodePfc(const Frame& frame, Mac48Address sender)
{
    Writer out;
    out.m_bytes.assign(PFC_MAC.begin(), PFC_MAC.end());
    out.Put(sender);
    out.Put(TYPE_MAC_CONTROL, 2);
    out.Put(PFC_OPCODE, 2);
    out.Put(frame.psn, 2);
    const uint16_t quanta = frame.sourcePort > 0 ? frame.sourcePort : UINT16_MAX;
    for (unsigned c = 0; c < N_PRIORITIES; ++c)
    {
        const bool stop = frame.opcode == FrameOpcode::PFC_PAUSE && (frame.psn >> c & 1);
        out.Put(stop ? quanta : 0, 2);
    }
    out.Skip(ETHERNET_MIN_BYTES - ETHERNET_FCS_BYTES - out.m_bytes.size());
    return out.m_bytes;
}

std::optional<Frame>
FrameCodec::Decode(const std::vector<uint8_t>& b)
{
    if (b.size() < ETHERNET_MIN_BYTES - ETHERNET_FCS_BYTES)
    {
        return std::nullopt;
    }
    if (Get(&b[12], 2) == TYPE_MAC_CONTROL)
    {
        return DecodePfc(b);
    }
    const uint8_t* ip = &b[ETHERNET];
    const uint8_t* bth = ip + IPV4 + UDP;
    if (Get(&b[12], 2) != TYPE_IPV4 || ip[0] != 0x45 || ip[9] != 0x11 ||
        Get(ip + IPV4 + 2, 2) != ROCE_PORT || ComputeChecksum(ip, IPV4) != 0 ||
        Get(ip + 2, 2) != b.size() - ETHERNET ||
        __builtin_bswap32(ComputeIcrc(ip, b.size() - ETHERNET - ICRC)) !=
            Get(b.data() + b.size() - ICRC, ICRC))
    {
        return std::nullopt;
    }
    const auto opcode = std::find_if(OPCODES.begin(), OPCODES.end(), [bth](const auto& entry) {
        return entry.second == bth[0];
    });
    Frame frame;
    Mac48Address mac;
    mac.CopyFrom(b.data());
    const auto destination = PacketFabricContext::GetNicAddress(mac);
    mac.CopyFrom(b.data() + 6);
    const auto source = PacketFabricContext::GetNicAddress(mac);
    if (opcode == OPCODES.end() || !source || !destination)
    {
        return std::nullopt;
    }
    frame.source = *source;
    frame.destination = *destination;
    frame.opcode = opcode->first;
    frame.trafficClass = ip[1] >> 5;
    frame.ecn = static_cast<FrameEcn>(ip[1] & 3);
    frame.sourcePort = static_cast<uint16_t>(Get(ip + IPV4, 2));
    ReadTransport(frame, bth);
    frame.payloadBytes = static_cast<uint16_t>(b.size() - ETHERNET - IPV4 - UDP - BTH - ICRC -
                                               ExtensionBytes(frame.opcode) - (bth[1] >> 4 & 3));
    frame.wireBytes = WireBytes(frame.opcode, frame.payloadBytes);
    return frame;
}

Ptr<Packet>
FrameCodec::ToPacket(const Frame& frame, Mac48Address sender)
{
    if (frame.opcode == FrameOpcode::ETHERNET)
    {
        const Ptr<Packet> packet = frame.packet->Copy();
        EthernetHeader header;
        header.SetSource(PacketFabricContext::GetMac(frame.source));
        header.SetDestination(frame.flags & FRAME_BROADCAST
                                  ? Mac48Address::GetBroadcast()
                                  : PacketFabricContext::GetMac(frame.destination));
        header.SetLengthType(static_cast<uint16_t>(frame.psn));
        packet->AddHeader(header);
        return packet;
    }
    const bool pfc =
        frame.opcode == FrameOpcode::PFC_PAUSE || frame.opcode == FrameOpcode::PFC_RESUME;
    const auto bytes = pfc ? EncodePfc(frame, sender) : EncodeRoce(frame);
    return Create<Packet>(bytes.data(), static_cast<uint32_t>(bytes.size()));
}

} // namespace ns3
