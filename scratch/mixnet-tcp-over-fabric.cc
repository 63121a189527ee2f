/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Stock ns-3 sockets over the fabric's ports, beside RDMA: server 0 sends a TCP stream to the last
// server while server 1 sends it an RDMA message of 100 MB.
//   ./ns3 run "mixnet/mixnet-tcp-over-fabric --servers=4 --megabytes=20"

#include "ns3/command-line.h"
#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/mixnet-units.h"
#include "ns3/packet-simulation-world.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <iostream>
using namespace ns3;

/// Prints when the messages arrive and how the stream goes.
struct Log : public TransferSink
{
    void OnCompletion(const Completion& c) override
    {
        std::cout << "RDMA: " << c.bytes << " at " << FormatTime(c.finished) << "\n";
    }

    void Accept(Ptr<Socket> socket, const Address&)
    {
        socket->SetRecvCallback(MakeCallback(&Log::Read, this));
    }

    void Read(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            bytes += ByteCount(packet->GetSize());
            last = Simulator::Now();
        }
    }

    ByteCount bytes;
    Time last;
};

int
main(int argc, char* argv[])
{
    uint32_t servers = 4;
    uint32_t megabytes = 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("servers", "servers, one NIC each", servers);
    cmd.AddValue("megabytes", "size of the TCP stream, MB", megabytes);
    cmd.Parse(argc, argv);
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(8900));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    {
        MixnetFabricHelper helper;
        helper.SetFidelity(Fidelity::PACKET);
        MixnetFabric fabric = helper.Install(ClusterSpec(servers, 1));
        const auto& world = dynamic_cast<const PacketSimulationWorld&>(fabric.GetWorld());
        NodeContainer nodes;
        NetDeviceContainer devices;
        for (uint32_t i = 0; i < servers; ++i)
        {
            nodes.Add(world.GetPacketWorld()->GetNode(fabric.GetGraph()->GetVertex(ServerId(i))));
            devices.Add(nodes.Get(i)->GetDevice(0));
        }
        InternetStackHelper().Install(nodes);
        const auto addresses = Ipv4AddressHelper("192.168.0.0", "255.255.0.0").Assign(devices);
        Log log;
        auto listener = Socket::CreateSocket(nodes.Get(servers - 1), TcpSocketFactory::GetTypeId());
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&Log::Accept, &log));
        auto client = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
        client->SetAttribute("SndBufSize", UintegerValue(megabytes * 1000000 + 1));
        client->Connect(InetSocketAddress(addresses.GetAddress(servers - 1), 80));
        client->Send(Create<Packet>(megabytes * 1000000));
        client->Close();
        std::vector<Transfer> batch;
        for (uint32_t i = 1; i + 1 < servers; ++i) // 8 GPUs a server
        {
            batch.push_back({GpuId(8 * i), GpuId(8 * servers - 8), ByteCount(100000000)});
        }
        Simulator::Schedule(MilliSeconds(5), [&] { fabric.GetTransport()->Send(batch, log); });
        Simulator::Run();
        std::cout << "TCP: " << log.bytes << " at " << FormatTime(log.last) << "\n";
    }
    Simulator::Destroy();
}
