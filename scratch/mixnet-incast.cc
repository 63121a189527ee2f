/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// N:1 incast over a leaf-spine, with RDMA applications: server 0 receives from all others at once.
//   ./ns3 run "mixnet/mixnet-incast --servers=16 --size=4MiB"
//   ./ns3 run "mixnet/mixnet-incast --servers=3 --size=64KiB --pcap=incast"

#include "ns3/byte-count-value.h"
#include "ns3/command-line.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;

/// Prints a message that was delivered.
void
Print(const RdmaMessage& m)
{
    const Time took = m.delivered - m.posted;
    std::cout << "NIC " << m.source << ": " << FormatBytes(m.bytes) << " in " << took.As(Time::US)
              << ", " << m.bytes.Get() * 8e-9 / took.GetSeconds() << " Gb/s\n";
}

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    uint32_t servers = 16;
    std::string size = "4MiB";
    std::string rate = "100Gbps";
    std::string congestion = "ns3::DcqcnCongestionControl";
    std::string pcap;
    CommandLine cmd(__FILE__);
    cmd.AddValue("servers", "servers, one NIC each", servers);
    cmd.AddValue("size", "payload that each sends", size);
    cmd.AddValue("rate", "of every link", rate);
    cmd.AddValue("congestion", "TypeId of the congestion control", congestion);
    cmd.AddValue("pcap", "prefix of captures at all servers; empty: none", pcap);
    cmd.Parse(argc, argv);

    NodeContainer nodes(servers);
    RdmaHelper rdma;
    uint32_t radix = 4; // a fat-tree of two tiers is a leaf-spine with room for radix^2 / 2 servers
    while (radix * radix / 2 < servers)
    {
        radix += 2;
    }
    rdma.SetTopologyAttribute("Tiers", UintegerValue(2));
    rdma.SetTopologyAttribute("SwitchRadix", UintegerValue(radix));
    rdma.SetTopologyAttribute("NicRate", StringValue(rate));
    rdma.SetNicAttribute("CongestionControl", StringValue(congestion));
    const NetDeviceContainer nics = rdma.Install(nodes);
    rdma.AssignStreams(1);
    if (!pcap.empty())
    {
        rdma.EnablePcap(pcap, nics, true);
    }

    RdmaApplicationHelper bulk("ns3::RdmaBulkApplication", nics.Get(0));
    bulk.SetAttribute("MessageSize", StringValue(size));
    ApplicationContainer senders;
    for (uint32_t i = 1; i < servers; ++i)
    {
        senders.Add(bulk.Install(nodes.Get(i)));
        senders.Get(i - 1)->TraceConnectWithoutContext("Rx", MakeCallback(&Print));
    }
    senders.Start(MicroSeconds(10));
    Simulator::Run();

    const RdmaCounters counters = rdma.GetFabric()->GetWorld()->GetCounters();
    std::cout << counters.dataSent << " packets, " << counters.dataResent << " sent again, "
              << counters.cnpsSent << " CNPs, "
              << rdma.GetFabric()->GetWorld()->GetFabric().GetTotalDrops() << " dropped\n";
    Simulator::Destroy();
}
