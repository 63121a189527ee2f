/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/frame-codec.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/udp-socket-factory.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// Hosts on one switch with the stock IP stack.
class IpNetwork : public FabricTestNetwork
{
  public:
    /// @param n hosts
    explicit IpNetwork(uint32_t n)
    {
        Star(n, "100Gbps", "1us", {});
        NodeContainer hostNodes;
        NetDeviceContainer devices;
        for (const auto& host : hosts)
        {
            devices.Add(host->port);
            hostNodes.Add(host->port->GetNode());
        }
        InternetStackHelper internet;
        internet.Install(hostNodes);
        Ipv4AddressHelper v4("192.168.0.0", "255.255.255.0");
        ipv4 = v4.Assign(devices);
        Ipv6AddressHelper v6;
        v6.SetBase("2001:db8::", Ipv6Prefix(64));
        ipv6 = v6.Assign(devices);
    }

    Ipv4InterfaceContainer ipv4; //!< addresses
    Ipv6InterfaceContainer ipv6; //!< addresses
};

/// Counts and answers what a socket receives.
class Peer
{
  public:
    /// @param socket whose data is read @param echo answer it
    Peer(Ptr<Socket> socket, bool echo)
        : m_echo(echo)
    {
        socket->SetRecvCallback(MakeCallback(&Peer::Read, this));
        socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&Peer::Accept, this));
    }

    uint64_t bytes{0}; //!< received
    Time last;         //!< when

  private:
    /// @param socket with data
    void Read(Ptr<Socket> socket)
    {
        Address from;
        while (Ptr<Packet> packet = socket->RecvFrom(from))
        {
            bytes += packet->GetSize();
            last = Simulator::Now();
            if (m_echo)
            {
                socket->SendTo(packet, 0, from);
            }
        }
    }

    /// @param socket accepted @param from peer
    void Accept(Ptr<Socket> socket, const Address& from)
    {
        socket->SetRecvCallback(MakeCallback(&Peer::Read, this));
    }

    bool m_echo; //!< answer
};

/// UDP echo over IPv4: the first exchange resolves addresses by broadcast ARP (ns-3 delays requests
/// by up to 10 ms), the second one takes
/// exactly the time of two frames over two links each way.
void
UdpEcho(FabricTestCase& test)
{
    IpNetwork network(3);
    const auto server = Socket::CreateSocket(network.nodes[1], UdpSocketFactory::GetTypeId());
    server->Bind(InetSocketAddress(Ipv4Address::GetAny(), 7));
    const auto client = Socket::CreateSocket(network.nodes[0], UdpSocketFactory::GetTypeId());
    client->Bind();
    client->Connect(InetSocketAddress(network.ipv4.GetAddress(1), 7));
    Peer echo(server, true);
    Peer answers(client, false);
    for (const Time& at : {MilliSeconds(1), MilliSeconds(100)})
    {
        Simulator::ScheduleWithContext(network.nodes[0]->GetId(), at, [client] {
            client->Send(Create<Packet>(1000));
        });
    }
    FabricTestNetwork::Run();
    test.ExpectEqual(echo.bytes, 2000U, "the server got both");
    test.ExpectEqual(answers.bytes, 2000U, "the client got both back");
    // 1,000 + UDP 8 + IPv4 20 = 1,028 B; 1,066 B on the wire = 85.28 ns at 100 Gb/s.
    const SimTick roundTrip = 4 * (Serialize(EthernetWireBytes(1028), 100) + 1000000);
    test.ExpectEqual(answers.last, MilliSeconds(100) + PicoSeconds(roundTrip), "exact round trip");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing dropped");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// UDP over IPv6: neighbor discovery by multicast.
void
Udp6(FabricTestCase& test)
{
    IpNetwork network(3);
    const auto server = Socket::CreateSocket(network.nodes[1], UdpSocketFactory::GetTypeId());
    server->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 7));
    const auto client = Socket::CreateSocket(network.nodes[0], UdpSocketFactory::GetTypeId());
    client->Bind(Inet6SocketAddress(Ipv6Address::GetAny(), 0));
    client->Connect(Inet6SocketAddress(network.ipv6.GetAddress(1, 1), 7));
    Peer sink(server, false);
    Simulator::ScheduleWithContext(network.nodes[0]->GetId(), Seconds(2), [client] {
        client->Send(Create<Packet>(1000));
    });
    Simulator::Stop(Seconds(4));
    FabricTestNetwork::Run();
    test.ExpectEqual(sink.bytes, 1000U, "received");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// TCP bulk beside line-rate RDMA to the same host: both get through, RDMA loses nothing.
void
TcpBesideRdma(FabricTestCase& test)
{
    IpNetwork network(3);
    const auto listener = Socket::CreateSocket(network.nodes[2], TcpSocketFactory::GetTypeId());
    listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
    listener->Listen();
    Peer sink(listener, false);
    const auto client = Socket::CreateSocket(network.nodes[0], TcpSocketFactory::GetTypeId());
    client->SetAttribute("SndBufSize", StringValue("4000000"));
    client->Bind();
    client->Connect(InetSocketAddress(network.ipv4.GetAddress(2), 80));
    Simulator::ScheduleWithContext(network.nodes[0]->GetId(), MilliSeconds(1), [client] {
        client->Send(Create<Packet>(3000000));
        client->Close();
    });
    RawNic::Job job;
    job.destination = 2;
    job.frames = 3000;
    Simulator::Schedule(MilliSeconds(1), &RawNic::Send, network.hosts[1].get(), job);
    FabricTestNetwork::Run();
    test.ExpectEqual(sink.bytes, 3000000U, "the byte stream is complete");
    test.ExpectEqual(network.hosts[2]->arrivals.size(), 3000U, "so is the RDMA");
    const uint64_t lossy = network.context->GetDrops(DropReason::BUFFER) +
                           network.context->GetDrops(DropReason::QUEUE);
    test.ExpectEqual(network.context->GetTotalDrops(), lossy, "only ordinary packets are dropped");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// The port's queue of ordinary packets is limited; what does not fit is dropped and reported.
void
SocketQueueLimit(FabricTestCase& test)
{
    IpNetwork network(2);
    MixnetPort* port = network.hosts[0]->port;
    port->SetAttribute("QueueSize", StringValue("10kB"));
    uint32_t accepted = 0;
    Simulator::Schedule(MilliSeconds(1), [&] {
        for (int i = 0; i < 20; ++i)
        {
            accepted +=
                port->Send(Create<Packet>(1000), network.hosts[1]->port->GetAddress(), 0x88b5);
        }
        test.Expect(!port->Send(Create<Packet>(9001), port->GetAddress(), 0x88b5), "above the MTU");
        test.Expect(!port->Send(Create<Packet>(1), Mac48Address("00:00:00:00:00:01"), 0x88b5),
                    "no NIC has that address");
    });
    FabricTestNetwork::Run();
    // 1,018 B each in the queue, 1,038 on the wire; one is being sent: 1 + 9.
    test.ExpectEqual(accepted, 10U, "one on the line, nine queued");
    test.ExpectEqual(network.context->GetDrops(DropReason::QUEUE), 10U, "the others dropped");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// What the sniffers of a port see: true bytes at exact times, also of a switch port.
void
Sniffers(FabricTestCase& test)
{
    IpNetwork network(2);

    struct Capture
    {
        void Call(Ptr<const Packet> packet)
        {
            std::vector<uint8_t> bytes(packet->GetSize());
            packet->CopyData(bytes.data(), packet->GetSize());
            const auto frame = FrameCodec::Decode(bytes);
            if (frame && IsData(frame->opcode))
            {
                ++roce;
                times.push_back(Simulator::Now().GetTimeStep());
            }
            pfc += frame && frame->opcode == FrameOpcode::PFC_PAUSE;
            ordinary += bytes.at(12) == 0x08 && bytes.at(13) == 0x00 && !frame;
        }

        uint32_t roce{0};           //!< RoCE data
        uint32_t pfc{0};            //!< pauses
        uint32_t ordinary{0};       //!< IPv4 that is not RoCE
        std::vector<SimTick> times; //!< of RoCE data
    } nic, port;

    network.hosts[0]->port->TraceConnectWithoutContext("PromiscSniffer",
                                                       MakeCallback(&Capture::Call, &nic));
    MixnetPort* egress = network.switches[0]->GetPort(1);
    egress->TraceConnectWithoutContext("PromiscSniffer", MakeCallback(&Capture::Call, &port));
    RawNic::Job job;
    job.destination = 1;
    job.frames = 5;
    Simulator::Schedule(MicroSeconds(1), &RawNic::Send, network.hosts[0].get(), job);
    const auto udp = Socket::CreateSocket(network.nodes[0], UdpSocketFactory::GetTypeId());
    udp->Connect(InetSocketAddress(network.ipv4.GetAddress(1), 9));
    Simulator::ScheduleWithContext(network.nodes[0]->GetId(), MilliSeconds(1), [udp] {
        udp->Send(Create<Packet>(10));
    });
    Simulator::Schedule(MilliSeconds(2), [egress] { egress->SendPfc(0x08, true, 2000000000); });
    FabricTestNetwork::Run();
    for (const Capture* capture : {&nic, &port})
    {
        test.ExpectEqual(capture->roce, 5U, "RoCE frames");
        // The datagram, and the port-unreachable message for it.
        test.ExpectEqual(capture->ordinary, 2U, "IPv4 packets");
    }
    test.ExpectEqual(port.pfc, 1U, "the pause");
    for (uint32_t i = 0; i < 5; ++i)
    {
        const SimTick sent = 1000000 + static_cast<SimTick>(i) * Serialize(WIRE, 100);
        test.ExpectEqual(nic.times.at(i), sent, "captured when the NIC begins to send");
        test.ExpectEqual(port.times.at(i),
                         sent + Serialize(WIRE, 100) + 1000000,
                         "captured when the switch begins to send");
    }
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * @ingroup mixnet-test
 * Ordinary ns-3 packets and captures on the fabric's ports.
 */
class FabricSocketsTestSuite : public TestSuite
{
  public:
    FabricSocketsTestSuite()
        : TestSuite("mixnet-fabric-sockets", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("UDP echo with ARP", UdpEcho));
        AddTestCase(new FabricTestCase("UDP over IPv6 with neighbor discovery", Udp6));
        AddTestCase(new FabricTestCase("TCP beside RDMA", TcpBesideRdma));
        AddTestCase(new FabricTestCase("limit of the socket queue", SocketQueueLimit));
        AddTestCase(new FabricTestCase("sniffers see true frames", Sniffers));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricSocketsTestSuite g_fabricSocketsTestSuite; //!< the suite

} // namespace
