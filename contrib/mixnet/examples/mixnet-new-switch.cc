/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * For who makes optical switches: a new one, described by its data sheet, under ordinary ns-3 nodes
 * with UDP sockets. Prints what every port is doing while a circuit turns and returns, and what
 * became of the datagrams.
 *
 *     ./ns3 run "mixnet-new-switch --delays=1:2ms,2:3ms --settling=1ms --loss=4.5"
 *     ./ns3 run "mixnet-new-switch --drain=ns3::ImmediateDrainPolicy"
 */

#include "ns3/command-line.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mixnet-error.h"
#include "ns3/optical-channel-helper.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"

#include <iostream>

using namespace ns3;

namespace
{

/// @param port port @param from state before @param to state now
void
PrintState(VertexId /* ocs */, uint32_t port, RegionState from, RegionState to)
{
    std::cout << Simulator::Now().As(Time::MS) << "  port " << port << ": " << GetName(from)
              << " to " << GetName(to) << "\n";
}

/// Datagrams of a server for another one, at equal distances.
class Stream
{
  public:
    /// @param from sender @param to receiver @param address its address
    Stream(Ptr<Node> from, Ptr<Node> to, Ipv4Address address)
        : m_node(from),
          m_sink(Socket::CreateSocket(to, UdpSocketFactory::GetTypeId())),
          m_source(Socket::CreateSocket(from, UdpSocketFactory::GetTypeId()))
    {
        m_sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        m_sink->SetRecvCallback(MakeCallback(&Stream::Read, this));
        m_source->Connect(InetSocketAddress(address, 9));
    }

    /// @param interval between datagrams @param end of all
    void Send(Time interval, Time end)
    {
        ++m_sent;
        m_source->Send(Create<Packet>(1000));
        if (Simulator::Now() + interval < end)
        {
            Simulator::Schedule(interval, &Stream::Send, this, interval, end);
        }
    }

    /// @return datagrams sent
    uint64_t GetSent() const
    {
        return m_sent;
    }

    /// @return datagrams that arrived
    uint64_t GetArrived() const
    {
        return m_arrived;
    }

  private:
    /// @param socket has datagrams
    void Read(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            ++m_arrived;
        }
    }

    Ptr<Node> m_node;      //!< sender
    Ptr<Socket> m_sink;    //!< receiver
    Ptr<Socket> m_source;  //!< sender
    uint64_t m_sent{0};    //!< datagrams
    uint64_t m_arrived{0}; //!< datagrams
};

} // namespace

int
main(int argc, char* argv[])
{
    uint32_t ports = 4;
    std::string delays = "1:2ms, 2:3ms";
    std::string drain = "ns3::FullDrainPolicy";
    Time settling = MilliSeconds(1);
    Time control;
    DataRate rate("100Gbps");
    OpticalLossBudget budget;
    CommandLine cmd(__FILE__);
    cmd.AddValue("ports", "ports, each with the fiber of a node; 4 or more", ports);
    cmd.AddValue("delays", "switching delay by pairs switched together, N:TIME, ...", delays);
    cmd.AddValue("settling", "time in the dark after switching, with its unit", settling);
    cmd.AddValue("control", "time from the wish to the switch, with its unit", control);
    cmd.AddValue("drain", "class of the drain policy", drain);
    cmd.AddValue("rate", "of a port", rate);
    cmd.AddValue("loss", "insertion loss of the switch, dB", budget.switchLossDb);
    cmd.AddValue("launch", "power of the transmitter, dBm", budget.launchDbm);
    cmd.AddValue("sensitivity",
                 "of the receiver at an error rate of 1e-12, dBm",
                 budget.sensitivityDbm);
    cmd.Parse(argc, argv);
    try
    {
        NodeContainer nodes(std::max(4U, ports));
        OpticalChannelHelper helper;
        helper.SetRate(rate);
        helper.SetSwitcherAttribute("SwitchingDelayTable", StringValue(delays));
        helper.SetSwitcherAttribute("ActivationTime", TimeValue(settling));
        helper.SetSwitcherAttribute("ControlLatency", TimeValue(control));
        helper.SetSwitcherAttribute("DrainPolicy", StringValue(drain));
        OpticalChannel channel = helper.Install(nodes);
        channel.SetLossBudget(budget, 1);
        channel.Light(0, 1);
        channel.Light(2, 3);
        InternetStackHelper().Install(nodes);
        const auto addresses =
            Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(channel.GetDevices());
        Stream stream(nodes.Get(0), nodes.Get(1), addresses.GetAddress(1));
        const auto switcher = channel.GetSwitcher();
        switcher->TraceConnectWithoutContext("PortState", MakeCallback(&PrintState));
        Simulator::ScheduleWithContext(nodes.Get(0)->GetId(),
                                       Time(0),
                                       &Stream::Send,
                                       &stream,
                                       MicroSeconds(1),
                                       Time(0)); // resolves the address
        Simulator::ScheduleWithContext(nodes.Get(0)->GetId(),
                                       MilliSeconds(20),
                                       &Stream::Send,
                                       &stream,
                                       MicroSeconds(1),
                                       MilliSeconds(60));
        Simulator::Schedule(MilliSeconds(30), [&] {
            switcher->Turn({channel.Join(0, 2), channel.Join(1, 3)},
                           CircuitSwitcher::LitCallback());
        });
        Simulator::Schedule(MilliSeconds(45), [&] {
            switcher->Turn({channel.Join(0, 1)}, CircuitSwitcher::LitCallback());
        });
        Simulator::Run();
        std::cout << "margin " << budget.GetMarginDb() << " dB, bit error rate "
                  << budget.GetBitErrorRate() << "\n"
                  << stream.GetSent() << " datagrams sent, " << stream.GetArrived() << " arrived, "
                  << channel.GetSwitch()->GetLost()
                  << " lost in the dark; others found"
                     " the wrong node or a full queue\n";
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-new-switch: " << e.what() << std::endl;
        return 1;
    }
    Simulator::Destroy();
    return 0;
}
