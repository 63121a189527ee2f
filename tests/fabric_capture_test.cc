/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Captures against an independent reader: Debian's tshark dissects what a NIC port captured during
// a lossy RDMA exchange beside IPv4 and IPv6 sockets, and each of its fields is held against the
// frames that the port's own traces showed. The ICRC is computed anew with Boost's CRC.

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/global-value.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <boost/crc.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
namespace fs = std::filesystem;

namespace
{

/// What tshark is asked for, in this order.
// clang-format off
const std::vector<std::string> FIELDS{
    "frame.len", "eth.type", "ip.src",
    "ip.dst", "ip.dsfield.dscp", "ip.dsfield.ecn",
    "udp.srcport", "udp.dstport", "infiniband.bth.opcode",
    "infiniband.bth.psn", "infiniband.bth.destqp", "infiniband.bth.a",
    "infiniband.bth.se", "infiniband.bth.padcnt", "infiniband.reth.dmalen",
    "infiniband.aeth.syndrome", "infiniband.invariant.crc", "macc.opcode",
    "macc.cbfc.enbv", "macc.cbfc.pause_time.c3", "macc.cbfc.pause_time.c0",
    "ip.checksum.status", "udp.checksum.status", "ipv6.src",
    "_ws.malformed", "_ws.expert.message"};
// clang-format on

/// A dissected frame: values by field, empty where there is none.
using Row = std::map<std::string, std::string>;

/// @param command a shell command @return what it printed on its standard output
std::string
Capture(const std::string& command)
{
    std::string text;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (pipe && std::fgets(buffer, sizeof(buffer), pipe))
    {
        text += buffer;
    }
    return pipe && pclose(pipe) == 0 ? text : std::string();
}

/// @param path a capture @return its frames as tshark sees them
std::vector<Row>
Dissect(const fs::path& path)
{
    std::string command = "tshark -n -r '" + path.string() +
                          "' -o ip.check_checksum:TRUE -o udp.check_checksum:TRUE"
                          " -o tcp.check_checksum:TRUE -T fields -E separator='|' -E occurrence=f";
    for (const std::string& field : FIELDS)
    {
        command += " -e " + field;
    }
    std::istringstream lines(Capture(command + " 2>/dev/null"));
    std::vector<Row> rows;
    for (std::string line; std::getline(lines, line);)
    {
        std::istringstream cells(line + "|");
        Row row;
        for (const std::string& field : FIELDS)
        {
            std::getline(cells, row[field], '|');
        }
        rows.push_back(row);
    }
    return rows;
}

/// @param path a capture with nanosecond time stamps @return bytes of its frames
std::vector<std::vector<uint8_t>>
ReadPcap(const fs::path& path)
{
    std::ifstream in(path, std::ios::binary);
    const auto word = [&in] {
        uint32_t value = 0;
        in.read(reinterpret_cast<char*>(&value), sizeof(value)); // written by this machine
        return value;
    };
    EXPECT_EQ(word(), 0xa1b23c4dU) << "magic of nanosecond captures";
    in.ignore(16);
    EXPECT_EQ(word(), 1U) << "Ethernet";
    std::vector<std::vector<uint8_t>> frames;
    for (;;)
    {
        word();
        word();
        const uint32_t size = word();
        word();
        if (!in)
        {
            return frames;
        }
        frames.emplace_back(size);
        in.read(reinterpret_cast<char*>(frames.back().data()), size);
    }
}

/// @param b a RoCEv2 frame @return its ICRC as a number, by annex A17 of IBTA with Boost's CRC-32
uint32_t
Icrc(const std::vector<uint8_t>& b)
{
    std::vector<uint8_t> masked(8, 0xff);
    masked.insert(masked.end(), b.begin() + 14, b.end() - 4);
    for (const int i : {1, 8, 10, 11, 26, 27, 32}) // ToS, TTL, checksums, BTH byte 4
    {
        masked[8 + i] = 0xff;
    }
    boost::crc_32_type crc;
    crc.process_bytes(masked.data(), masked.size());
    return crc.checksum();
}

/// @param opcode of a frame @return its BTH opcode, IBTA table 38 and annex A17
int
BthOpcode(FrameOpcode opcode)
{
    switch (opcode)
    {
    case FrameOpcode::DATA_FIRST:
        return 6;
    case FrameOpcode::DATA_MIDDLE:
        return 7;
    case FrameOpcode::DATA_LAST:
        return 8;
    case FrameOpcode::DATA_ONLY:
        return 10;
    case FrameOpcode::CNP:
        return 129;
    default:
        return 17;
    }
}

/// A lossy exchange: servers 1 and 2 send to server 0, both as RDMA and by UDP.
class CaptureTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        if (Capture("tshark --version 2>/dev/null").empty())
        {
            GTEST_SKIP() << "no tshark: apt-get install tshark";
        }
        std::string pattern = (fs::temp_directory_path() / "mixnet-pcap-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        m_folder = pattern;
        EnsurePicosecondClock();
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
        Build();
        Simulator::Run();
        Simulator::Destroy();
        m_rows = Dissect(m_folder / "x.pcap");
        m_bytes = ReadPcap(m_folder / "x.pcap");
        ASSERT_EQ(m_rows.size(), m_frames.size());
        ASSERT_EQ(m_bytes.size(), m_frames.size());
    }

    void TearDown() override
    {
        GlobalValue::Bind("ChecksumEnabled", BooleanValue(false));
        if (!m_folder.empty())
        {
            fs::remove_all(m_folder);
        }
    }

    /// Make the servers, their traffic, and the capture at server 1.
    void Build()
    {
        NodeContainer servers(3);
        RdmaHelper rdma;
        rdma.SetTopology("ns3::StarTopology");
        rdma.SetNicAttribute("PayloadSize", UintegerValue(1024));
        rdma.SetSwitchAttribute("PfcThreshold", StringValue("20kB"));
        rdma.SetSwitchAttribute("EcnKmin", StringValue("2kB"));
        rdma.SetSwitchAttribute("EcnKmax", StringValue("8kB"));
        const NetDeviceContainer nics = rdma.Install(servers);
        rdma.AssignStreams(1);
        const auto port = DynamicCast<MixnetPort>(nics.Get(1));
        for (const char* trace : {"Dequeue", "Receive"})
        {
            port->TraceConnectWithoutContext(trace, MakeCallback(&CaptureTest::Keep, this));
        }
        rdma.EnablePcap((m_folder / "x.pcap").string(), port, true, true);
        const auto loss = CreateObject<ReceiveListErrorModel>();
        loss->SetList({40, 41, 90});
        rdma.GetFabric()->GetWorld()->GetLink(EdgeId(1)).SetErrorModel(PeekPointer(port), loss);

        RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", nics.Get(0));
        bulk.SetAttribute("MessageSize", StringValue("300001B"));
        bulk.SetAttribute("Messages", UintegerValue(2));
        ApplicationContainer apps = bulk.Install(NodeContainer(servers.Get(1), servers.Get(2)));
        bulk.SetAttribute("MessageSize", StringValue("5B"));
        apps.Add(bulk.Install(servers.Get(1)));
        apps.Start(Seconds(2)); // IPv6 addresses can be used a second after the start

        InternetStackHelper().Install(servers);
        Ipv4AddressHelper ipv4("192.168.7.0", "255.255.255.0");
        const auto addresses4 = ipv4.Assign(nics);
        Ipv6AddressHelper ipv6;
        const auto addresses6 = ipv6.Assign(nics);
        for (const auto& sink : {Address(InetSocketAddress(Ipv4Address::GetAny(), 9)),
                                 Address(Inet6SocketAddress(Ipv6Address::GetAny(), 9))})
        {
            m_sinks.push_back(Socket::CreateSocket(servers.Get(0), UdpSocketFactory::GetTypeId()));
            m_sinks.back()->Bind(sink);
        }
        m_socket4 = Socket::CreateSocket(servers.Get(1), UdpSocketFactory::GetTypeId());
        m_socket6 = Socket::CreateSocket(servers.Get(1), UdpSocketFactory::GetTypeId());
        m_socket6->Bind6();
        m_to4 = InetSocketAddress(addresses4.GetAddress(0), 9);
        m_to6 = Inet6SocketAddress(addresses6.GetAddress(0, 0), 9);
        Simulator::Schedule(MilliSeconds(1500), &CaptureTest::SendDatagrams, this); // resolves
        for (int i = 0; i < 4; ++i)
        {
            Simulator::Schedule(Seconds(2) + MicroSeconds(10 * i),
                                &CaptureTest::SendDatagrams,
                                this);
        }
    }

    /// One datagram of 500 bytes over IPv4, one over IPv6.
    void SendDatagrams()
    {
        m_socket4->SendTo(Create<Packet>(500), 0, m_to4);
        m_socket6->SendTo(Create<Packet>(500), 0, m_to6);
    }

    /// @param frame passes the captured port
    void Keep(const Frame& frame)
    {
        m_frames.push_back(frame);
    }

    /// @param field a field of tshark @param value its value @return rows that have it
    std::vector<std::size_t> Find(const std::string& field, const std::string& value) const
    {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < m_rows.size(); ++i)
        {
            if (m_rows[i].at(field) == value)
            {
                found.push_back(i);
            }
        }
        return found;
    }

    fs::path m_folder;                         //!< of the capture
    std::vector<Frame> m_frames;               //!< what passed the port, by its traces
    std::vector<Row> m_rows;                   //!< the same, by tshark
    std::vector<std::vector<uint8_t>> m_bytes; //!< the same, as captured
    Ptr<Socket> m_socket4;                     //!< UDP over IPv4
    Ptr<Socket> m_socket6;                     //!< UDP over IPv6
    std::vector<Ptr<Socket>> m_sinks;          //!< of server 0
    Address m_to4;                             //!< server 0
    Address m_to6;                             //!< server 0
};

/// @param address an address @return as tshark prints it
std::string
Ip(uint32_t address)
{
    return "10.0.0." + std::to_string(address + 1);
}

/// @param value decimal or hexadecimal text @return the number; -1 for an empty one
int64_t
Number(const std::string& value)
{
    if (value == "True" || value == "False")
    {
        return value == "True";
    }
    return value.empty() ? -1 : std::stoll(value, nullptr, 0);
}

TEST_F(CaptureTest, DissectsAsRoce)
{
    std::map<FrameOpcode, int> seen;
    for (std::size_t i = 0; i < m_rows.size(); ++i)
    {
        const Frame& f = m_frames[i];
        Row& r = m_rows[i];
        SCOPED_TRACE("frame " + std::to_string(i + 1));
        ++seen[f.opcode];
        ASSERT_EQ(r["_ws.malformed"], "");
        ASSERT_EQ(r["_ws.expert.message"], "");
        if (f.opcode >= FrameOpcode::PFC_PAUSE)
        {
            continue;
        }
        ASSERT_EQ(r["ip.src"], Ip(f.source));
        ASSERT_EQ(r["ip.dst"], Ip(f.destination));
        ASSERT_EQ(Number(r["ip.dsfield.dscp"]), 8 * f.trafficClass);
        ASSERT_EQ(Number(r["ip.dsfield.ecn"]), static_cast<int>(f.ecn));
        ASSERT_EQ(Number(r["ip.checksum.status"]), 1) << "good";
        ASSERT_EQ(Number(r["udp.srcport"]), f.sourcePort);
        ASSERT_EQ(r["udp.dstport"], "4791");
        ASSERT_EQ(Number(r["infiniband.bth.opcode"]), BthOpcode(f.opcode));
        ASSERT_EQ(Number(r["infiniband.bth.psn"]), f.psn);
        ASSERT_EQ(Number(r["infiniband.bth.destqp"]), f.destinationQp);
        ASSERT_EQ(Number(r["infiniband.bth.a"]), (f.flags & FRAME_ACK_REQUEST) != 0);
        ASSERT_EQ(Number(r["infiniband.bth.se"]), (f.flags & FRAME_SOLICITED) != 0);
        ASSERT_EQ(Number(r["infiniband.bth.padcnt"]), (4 - f.payloadBytes % 4) % 4);
        ASSERT_EQ(Number(r["infiniband.reth.dmalen"]),
                  HasReth(f.opcode) ? int64_t{f.messageBytes} : -1);
        const bool ack = f.opcode == FrameOpcode::ACK;
        const bool nack = f.opcode == FrameOpcode::NACK;
        ASSERT_EQ(Number(r["infiniband.aeth.syndrome"]), ack ? 0x1f : nack ? 0x60 : -1);
        const auto& b = m_bytes[i];
        const uint32_t sent = b[b.size() - 4] | b[b.size() - 3] << 8 | b[b.size() - 2] << 16 |
                              uint32_t{b[b.size() - 1]} << 24;
        ASSERT_EQ(sent, Icrc(b));
        if (f.opcode != FrameOpcode::CNP) // tshark shows no ICRC there
        {
            ASSERT_EQ(Number(r["infiniband.invariant.crc"]), __builtin_bswap32(sent));
        }
        // wire bytes count neither padding, nor are preamble, gap and FCS captured
        ASSERT_EQ(Number(r["frame.len"]),
                  f.wireBytes - ETHERNET_GAP_BYTES - ETHERNET_FCS_BYTES +
                      (4 - f.payloadBytes % 4) % 4);
    }
    for (int i = 0; i < static_cast<int>(FrameOpcode::ETHERNET); ++i)
    {
        const auto opcode = static_cast<FrameOpcode>(i);
        EXPECT_GT(seen[opcode], 0) << GetName(opcode);
    }
}

TEST_F(CaptureTest, PfcFramesNameClassAndQuanta)
{
    const auto rows = Find("eth.type", "0x8808");
    ASSERT_GT(rows.size(), 1U);
    for (const std::size_t i : rows)
    {
        Row& r = m_rows[i];
        EXPECT_EQ(Number(r["macc.opcode"]), 0x0101) << "priority flow control";
        EXPECT_EQ(Number(r["macc.cbfc.enbv"]), 1 << 3) << "class 3";
        EXPECT_EQ(Number(r["macc.cbfc.pause_time.c3"]),
                  m_frames[i].opcode == FrameOpcode::PFC_PAUSE ? 0xffff : 0);
        EXPECT_EQ(Number(r["macc.cbfc.pause_time.c0"]), 0);
        EXPECT_EQ(r["frame.len"], "60");
    }
}

TEST_F(CaptureTest, SocketsShareThePort)
{
    std::size_t ipv4 = 0;
    std::size_t ipv6 = 0;
    for (const std::size_t i : Find("udp.dstport", "9"))
    {
        ipv4 += m_rows[i]["ip.src"] == "192.168.7.2" ? 1 : 0;
        ipv6 += m_rows[i]["ipv6.src"].empty() ? 0 : 1;
        EXPECT_EQ(m_rows[i]["udp.checksum.status"], "1") << "good";
    }
    EXPECT_EQ(ipv4, 5U);
    EXPECT_EQ(ipv6, 5U);
}

} // namespace
