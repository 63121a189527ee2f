/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUTING_IP_TEST_CASE_H
#define ROUTING_IP_TEST_CASE_H

#include "rdma-transport-test-case.h"

#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-header.h"
#include "ns3/mixnet-ipv4-routing-helper.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// What a NIC began to send.
struct PortLog
{
    /// A frame with TCP in it.
    struct Entry
    {
        Time at;          //!< when it began
        uint32_t wire;    //!< bytes on the wire
        uint64_t payload; //!< bytes of the stream
    };

    /// @param frame sent
    void Add(const Frame& frame)
    {
        if (frame.opcode != FrameOpcode::ETHERNET)
        {
            return;
        }
        const Ptr<Packet> packet = frame.packet->Copy();
        Ipv4Header ip;
        TcpHeader tcp;
        packet->RemoveHeader(ip);
        if (ip.GetProtocol() == 6)
        {
            packet->RemoveHeader(tcp);
        }
        entries.push_back({Simulator::Now(), frame.wireBytes, packet->GetSize()});
    }

    /// @param begin from @param end before @return bytes of the stream that began to leave then
    uint64_t Count(const Time& begin, const Time& end) const
    {
        uint64_t bytes = 0;
        for (const Entry& e : entries)
        {
            bytes += e.at >= begin && e.at < end ? e.payload : 0;
        }
        return bytes;
    }

    std::vector<Entry> entries; //!< in order
};

/**
 * @ingroup mixnet-test
 * Sockets on the hybrid of RdmaTransportCase: NIC 0 is electrical, the others are fibers.
 */
class SocketCase : public RdmaTransportCase
{
  public:
    /// @param name what it checks
    explicit SocketCase(const std::string& name)
        : RdmaTransportCase(name)
    {
    }

  protected:
    static constexpr uint32_t SEGMENT = 4000; //!< bytes of a segment

    /// Stack on all servers, address 10.0.s.(n + 1) for NIC n of server s, taps on all NICs.
    /// @param trafficClass of the sockets
    void InstallSockets(TrafficClass trafficClass = TrafficClass::OTHER)
    {
        MixnetIpv4RoutingHelper routing(m_world, m_router);
        routing.Set("TrafficClass", StringValue(ns3::GetName(trafficClass)));
        InternetStackHelper internet;
        internet.SetRoutingHelper(routing);
        internet.Install(routing.GetServers());
        m_logs.resize(m_graph->GetNServers());
        m_arrivals.resize(m_graph->GetNServers());
        for (uint32_t s = 0; s < m_graph->GetNServers(); ++s)
        {
            const auto base = "10.0." + std::to_string(s) + ".0";
            Ipv4AddressHelper addresses(base.c_str(), "255.255.255.0");
            const VertexId v = m_graph->GetVertex(ServerId(s));
            m_logs[s].resize(m_graph->GetNPorts(v));
            for (uint32_t n = 0; n < m_graph->GetNPorts(v); ++n)
            {
                addresses.Assign(NetDeviceContainer(Device(s, n)));
                PortLog& log = m_logs[s][n];
                m_taps.push_back(
                    std::make_unique<FrameTap>([&log](const Frame& frame) { log.Add(frame); }));
                m_taps.back()->Connect(m_world->GetPort(v, n));
                PortLog& arrivals = m_arrivals[s];
                m_taps.push_back(std::make_unique<FrameTap>(
                    [&arrivals](const Frame& frame) { arrivals.Add(frame); }));
                m_taps.back()->Connect(m_world->GetPort(v, n), "Receive");
            }
        }
    }

    /// @param s server @return bytes of the stream that arrived there, whoever they were for
    uint64_t CountArrived(uint32_t s) const
    {
        return m_arrivals[s].Count(Time(0), Time::Max());
    }

    /// @param s server @param nic its NIC @return the device
    Ptr<NetDevice> Device(uint32_t s, uint32_t nic) const
    {
        return &m_world->GetPort(m_graph->GetVertex(ServerId(s)), nic);
    }

    /// @param s server @param nic its NIC @return the address
    static Ipv4Address AddressOf(uint32_t s, uint32_t nic)
    {
        return Ipv4Address(0x0a000000 | s << 8 | (nic + 1));
    }

    /// @param s server @param type factory @return a socket of it
    Ptr<Socket> MakeSocket(uint32_t s, TypeId type) const
    {
        return Socket::CreateSocket(m_world->GetNode(m_graph->GetVertex(ServerId(s))), type);
    }

    /**
     * A TCP stream from server 0 that is limited by its application: a segment every 2 us, at odd
     * microseconds from 11 on. Each leaves at once, well below the initial window and the rate.
     *
     * @param to server @param segments number
     */
    void Stream(uint32_t to, uint32_t segments)
    {
        Open(to);
        for (uint32_t i = 0; i < segments; ++i)
        {
            Simulator::Schedule(MicroSeconds(11 + 2 * i),
                                [this] { m_client->Send(Create<Packet>(SEGMENT)); });
        }
        // the connection closes when all is said; it takes milliseconds to time out
        Simulator::Schedule(MicroSeconds(11 + 2 * segments + 500), [this] { m_client->Close(); });
    }

    /// Connect server 0. @param to server
    void Open(uint32_t to)
    {
        const auto listener = MakeSocket(to, TcpSocketFactory::GetTypeId());
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
        listener->Listen();
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&SocketCase::Accept, this));
        m_client = MakeSocket(0, TcpSocketFactory::GetTypeId());
        m_client->SetAttribute("SegmentSize", UintegerValue(SEGMENT));
        m_client->Connect(InetSocketAddress(AddressOf(to, 0), 80));
    }

    /// @param socket accepted @param from peer
    void Accept(Ptr<Socket> socket, const Address& /* from */)
    {
        m_accepted = socket;
        socket->SetRecvCallback(MakeCallback(&SocketCase::Read, this));
    }

    /// @param socket with data
    void Read(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
    }

    /// @param server server @param nic its NIC @return bytes of the stream that it sent in all
    uint64_t CountAll(uint32_t server, uint32_t nic) const
    {
        return m_logs[server][nic].Count(Time(0), Time::Max());
    }

    void DoTeardown() override
    {
        m_client = nullptr;
        m_accepted = nullptr;
        RdmaTransportCase::DoTeardown();
    }

    Ptr<Socket> m_client;                          //!< sends
    Ptr<Socket> m_accepted;                        //!< receives
    uint64_t m_received{0};                        //!< bytes of the stream, in order
    std::vector<std::vector<PortLog>> m_logs;      //!< by server and NIC
    std::vector<PortLog> m_arrivals;               //!< by server
    std::vector<std::unique_ptr<FrameTap>> m_taps; //!< fill them
};

} // namespace ns3

#endif // ROUTING_IP_TEST_CASE_H
