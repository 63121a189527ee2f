/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A TCP stream between two servers of a hybrid fabric: over their circuit while it is lit, over the
 * packet fabric while it is held and dark.
 */

#include "ns3/command-line.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/mixnet-ipv4-routing-helper.h"
#include "ns3/mixnet-port.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <iostream>
using namespace ns3;

int
main(int argc, char* argv[])
{
    uint32_t dark = 2;
    CommandLine cmd(__FILE__);
    cmd.AddValue("dark", "dark time from 2 ms on, ms", dark);
    cmd.Parse(argc, argv);
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(6));
        helper.SetFidelity(Fidelity::PACKET);
        MixnetFabric fabric = helper.Install(ClusterSpec(2));
        MixnetIpv4RoutingHelper routing(fabric);
        InternetStackHelper internet;
        internet.SetRoutingHelper(routing);
        internet.Install(routing.GetServers());
        const NetDeviceContainer nics = routing.GetNics(); // 8 of server 0, then 8 of server 1
        const auto addresses = Ipv4AddressHelper("10.0.0.0", "255.0.0.0").Assign(nics);

        const auto control = fabric.GetControl();
        const auto& graph = *fabric.GetGraph();
        const uint32_t nic = graph.GetNics(ServerId(0), EdgeKind::FIBER).front();
        const EdgeId a = graph.GetEdge(graph.GetVertex(ServerId(0)), nic);
        const EdgeId b = graph.GetEdge(graph.GetVertex(ServerId(1)), nic);
        const VertexId ocs = graph.GetEndB(a);
        const Circuit circuit{ocs, graph.GetPortAt(a, ocs), graph.GetPortAt(b, ocs)};
        control->Connect({circuit}, {});

        const auto make = [&](uint32_t server) {
            return Socket::CreateSocket(routing.GetServers().Get(server),
                                        TcpSocketFactory::GetTypeId());
        };
        const auto listener = make(1);
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 80));
        listener->Listen();
        const Callback<void, Ptr<Socket>> read([](Ptr<Socket> s) { s->Recv(); });
        listener->SetAcceptCallback(
            MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
            Callback<void, Ptr<Socket>, const Address&>(
                [&](Ptr<Socket> s, const Address&) { s->SetRecvCallback(read); }));
        const auto client = make(0);
        client->SetAttribute("SegmentSize", UintegerValue(4000));
        client->Connect(InetSocketAddress(addresses.GetAddress(8), 80));
        for (uint32_t us = 100; us < 6000 + 1000 * dark; us += 2) // 16 Gb/s
        {
            Simulator::Schedule(MicroSeconds(us), [&] { client->Send(Create<Packet>(4000)); });
        }
        Simulator::Schedule(MilliSeconds(2), [&] {
            const Callback<void, bool> tear([&](bool) { control->Connect({}, {circuit}); });
            const auto token = control->Quiesce({a, b}, Time(0), tear);
            Simulator::Schedule(MilliSeconds(dark), [&, token] {
                control->Connect({circuit}, {});
                control->Resume(token);
            });
        });
        for (uint32_t ms = 1; ms < 6 + dark; ++ms)
        {
            Simulator::Schedule(MilliSeconds(ms), [&, ms] {
                std::cout << ms << " ms, bytes sent by NIC:";
                for (auto n = nics.Begin(); n < nics.Begin() + 8; ++n)
                {
                    std::cout << " " << DynamicCast<MixnetPort>(*n)->GetCounters().txBytes;
                }
                std::cout << "\n";
            });
        }
        Simulator::Stop(MilliSeconds(6 + dark));
        Simulator::Run();
    }
    Simulator::Destroy();
}
