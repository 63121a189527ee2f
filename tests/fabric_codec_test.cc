/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/frame-codec.h"
#include "ns3/mac48-address.h"

#include <boost/crc.hpp>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param hex digits, blanks ignored @return bytes
std::vector<uint8_t>
FromHex(const std::string& hex)
{
    std::vector<uint8_t> bytes;
    std::string digits;
    for (const char c : hex)
    {
        if (c != ' ' && c != '\n')
        {
            digits.push_back(c);
        }
        if (digits.size() == 2)
        {
            bytes.push_back(static_cast<uint8_t>(std::stoul(digits, nullptr, 16)));
            digits.clear();
        }
    }
    return bytes;
}

/// @param bytes a captured RoCEv2 frame @return ICRC of the bytes before its last four
uint32_t
Icrc(const std::vector<uint8_t>& bytes)
{
    return FrameCodec::ComputeIcrc(bytes.data() + 14, bytes.size() - 14 - 4);
}

TEST(FrameCodec, IcrcOfACnpCapturedOnARealNic)
{
    // A CNP sent by a ConnectX-4 Lx, published among the unit tests of the Scapy project
    // (test/contrib/roce.uts). On the wire its ICRC reads 82 fd 00 2a.
    const auto bytes = FromHex("e41d 2dab 2bc2 7cfe 9064 3b32 0800 45c2"
                               "003c 718c 4000 4011 9161 0a00 1101 0a00"
                               "1201 0000 12b7 0028 0000 8100 ffff 4000"
                               "0118 0000 0000 0000 0000 0000 0000 0000"
                               "0000 0000 0000 82fd 002a");
    EXPECT_EQ(Icrc(bytes), 0x2a00fd82U);
    EXPECT_EQ(FrameCodec::ComputeChecksum(bytes.data() + 14, 20), 0); // sums to zero when right
}

TEST(FrameCodec, IcrcOfAPublishedUcSendOnly)
{
    // Fields and ICRC (78 f3 53 f3 on the wire) as published in the same test file; IPv4 checksum
    // 0xb4d5 and UDP checksum 0xaca2 are part of the publication.
    const auto bytes = FromHex("248a 07a8 fa22 248a 07a8 fa22 0800"
                               "4501 0040 0478 4000 4011 b4d5 c0a8 0007 c0a8 0007"
                               "c000 12b7 002c aca2"
                               "2460 ffff 0000 00d3 00cf 1710"
                               "4630 818b e289 35d9 0e9a 9550 5401 be88 5e50 0000"
                               "78f3 53f3");
    EXPECT_EQ(Icrc(bytes), 0xf353f378U);
    EXPECT_EQ(FrameCodec::ComputeChecksum(bytes.data() + 14, 20), 0);
}

TEST(FrameCodec, ChecksumOfTheExampleInRfc1071)
{
    // RFC 1071, section 3: the words 0001 f203 f4f5 f6f7 add up to ddf2; the checksum is its
    // complement.
    const uint8_t bytes[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
    EXPECT_EQ(FrameCodec::ComputeChecksum(bytes, sizeof(bytes)), 0xffff - 0xddf2);
}

TEST(FrameCodec, GoldenWriteOnly)
{
    Frame frame;
    frame.opcode = FrameOpcode::DATA_ONLY;
    frame.source = 1;
    frame.destination = 258;
    frame.sourcePort = 0xc123;
    frame.destinationQp = 0x000abc;
    frame.psn = 0xfffffe;
    frame.aux = 0x0102030405060708ULL;
    frame.messageBytes = 5;
    frame.payloadBytes = 5;
    frame.trafficClass = 3;
    frame.ecn = FrameEcn::ECT0;
    frame.flags = FRAME_ACK_REQUEST;
    // By hand: IP length = 20 + 8 + 12 + 16 + 5 + 3 pad + 4 = 68 = 0x44; ToS = 3 x 32 + 2 = 0x62;
    // words 4562 0044 0000 4000 4011 0a00 0002 0a00 0103 add up to 0xdabc, complement 0x2543;
    // UDP length 48 = 0x30; BTH 0a, pad 3 -> 30.
    const std::string head = "024d 0000 0102 024d 0000 0001 0800"
                             "4562 0044 0000 4000 4011 2543 0a00 0002 0a00 0103"
                             "c123 12b7 0030 0000"
                             "0a30 ffff 0000 0abc 80ff fffe"
                             "0102 0304 0506 0708 0000 0abc 0000 0005"
                             "0000 0000 0000 0000";
    auto expected = FromHex(head);
    // ICRC through an independent CRC-32: eight bytes of ones, then the masked packet.
    std::vector<uint8_t> masked(8, 0xff);
    masked.insert(masked.end(), expected.begin() + 14, expected.end());
    for (const std::size_t i : {1, 8, 10, 11, 26, 27, 32})
    {
        masked[8 + i] = 0xff;
    }
    boost::crc_32_type crc;
    crc.process_bytes(masked.data(), masked.size());
    for (int shift = 0; shift < 32; shift += 8)
    {
        expected.push_back(static_cast<uint8_t>(crc.checksum() >> shift));
    }
    EXPECT_EQ(FrameCodec::EncodeRoce(frame), expected);
}

TEST(FrameCodec, RoundTripOfEveryOpcode)
{
    const std::vector<std::pair<FrameOpcode, uint16_t>> cases{{FrameOpcode::DATA_FIRST, 4096},
                                                              {FrameOpcode::DATA_MIDDLE, 4096},
                                                              {FrameOpcode::DATA_LAST, 1},
                                                              {FrameOpcode::DATA_ONLY, 8999},
                                                              {FrameOpcode::ACK, 0},
                                                              {FrameOpcode::NACK, 0},
                                                              {FrameOpcode::CNP, 0}};
    for (const auto& [opcode, payload] : cases)
    {
        Frame frame;
        frame.opcode = opcode;
        frame.payloadBytes = payload;
        frame.wireBytes = WireBytes(opcode, payload);
        frame.source = 70000;
        frame.destination = 3;
        frame.sourcePort = 49999;
        frame.destinationQp = 0xfedcba;
        frame.psn = 0x00ffff;
        frame.messageBytes = 0x123456;
        frame.trafficClass = 5;
        frame.ecn = FrameEcn::CE;
        frame.flags = FRAME_SOLICITED;
        const auto bytes = FrameCodec::EncodeRoce(frame);
        const uint16_t pad = (4 - payload % 4) % 4;
        EXPECT_EQ(bytes.size() + 24, frame.wireBytes + pad) << GetName(opcode);
        const auto back = FrameCodec::Decode(bytes);
        ASSERT_TRUE(back) << GetName(opcode);
        EXPECT_EQ(back->opcode, opcode);
        EXPECT_EQ(back->payloadBytes, payload);
        EXPECT_EQ(back->wireBytes, frame.wireBytes);
        EXPECT_EQ(back->source, 70000U);
        EXPECT_EQ(back->destination, 3U);
        EXPECT_EQ(back->sourcePort, 49999);
        EXPECT_EQ(back->destinationQp, 0xfedcbaU);
        EXPECT_EQ(back->psn, 0x00ffffU);
        EXPECT_EQ(back->trafficClass, 5);
        EXPECT_EQ(back->ecn, FrameEcn::CE);
        EXPECT_EQ(back->flags, FRAME_SOLICITED);
        const bool middle = opcode == FrameOpcode::DATA_MIDDLE ||
                            opcode == FrameOpcode::DATA_LAST || opcode == FrameOpcode::CNP;
        EXPECT_EQ(back->messageBytes, middle ? 0U : 0x123456U) << GetName(opcode);
    }
}

TEST(FrameCodec, OneFlippedBitOfThePayloadIsNoticed)
{
    Frame frame;
    frame.opcode = FrameOpcode::DATA_MIDDLE;
    frame.payloadBytes = 256;
    auto bytes = FrameCodec::EncodeRoce(frame);
    ASSERT_TRUE(FrameCodec::Decode(bytes));
    bytes[100] ^= 1;
    EXPECT_FALSE(FrameCodec::Decode(bytes));
}

TEST(FrameCodec, RoutersMayChangeWhatTheIcrcMasks)
{
    Frame frame;
    frame.opcode = FrameOpcode::DATA_MIDDLE;
    frame.payloadBytes = 256;
    frame.ecn = FrameEcn::ECT0;
    auto bytes = FrameCodec::EncodeRoce(frame);
    const uint32_t before = Icrc(bytes);
    bytes[14 + 1] |= 3; // ECT0 -> CE
    bytes[14 + 8] -= 1; // TTL
    EXPECT_EQ(Icrc(bytes), before);
    bytes[14 + 15] ^= 1; // source address
    EXPECT_NE(Icrc(bytes), before);
}

TEST(FrameCodec, GoldenPfc)
{
    // IEEE 802.1Qbb: class vector 0x0009, quanta of classes 0 and 3, padded to 60 bytes.
    Frame frame;
    frame.opcode = FrameOpcode::PFC_PAUSE;
    frame.psn = 0x09;
    auto expected = FromHex("0180 c200 0001 0253 0000 0007 8808 0101 0009"
                            "ffff 0000 0000 ffff 0000 0000 0000 0000");
    expected.resize(60, 0);
    const auto bytes = FrameCodec::EncodePfc(frame, Mac48Address("02:53:00:00:00:07"));
    EXPECT_EQ(bytes, expected);
    const auto back = FrameCodec::Decode(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->opcode, FrameOpcode::PFC_PAUSE);
    EXPECT_EQ(back->psn, 9U);
    frame.opcode = FrameOpcode::PFC_RESUME;
    const auto resume = FrameCodec::Decode(FrameCodec::EncodePfc(frame, Mac48Address()));
    ASSERT_TRUE(resume);
    EXPECT_EQ(resume->opcode, FrameOpcode::PFC_RESUME);
}

TEST(FrameSizes, FollowTheDesignsDecision20)
{
    EXPECT_EQ(WireBytes(FrameOpcode::DATA_MIDDLE, 4096), 14 + 20 + 8 + 12 + 4096 + 4 + 4 + 20);
    EXPECT_EQ(WireBytes(FrameOpcode::DATA_FIRST, 4096), 14 + 20 + 8 + 12 + 16 + 4096 + 4 + 4 + 20);
    EXPECT_EQ(WireBytes(FrameOpcode::ACK, 0), 14 + 20 + 8 + 12 + 4 + 4 + 4 + 20);
    EXPECT_EQ(EthernetWireBytes(1500), 1538); // the textbook figure for a full Ethernet frame
    EXPECT_EQ(EthernetWireBytes(28), 84);     // an ARP packet, padded
}

} // namespace
