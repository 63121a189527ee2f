/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * RDMA applications of all kinds on one leaf-spine: flows of a list (a file, or three built in)
 * between bulk, periodic and on-off background towards the last server.
 *
 *     ./ns3 run "mixnet-rdma-applications --flows=flows.csv --pcap=rdma --ascii=rdma"
 */

#include "ns3/command-line.h"
#include "ns3/flow-list.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/rdma-application-helper.h"
#include "ns3/rdma-application.h"
#include "ns3/rdma-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;

namespace
{

/// @param message a flow that was delivered
void
PrintFlow(const RdmaMessage& message)
{
    std::cout << "flow " << message.tag << ": " << message.bytes << " from NIC " << message.source
              << " to " << message.destination << " in "
              << (message.delivered - message.posted).As(Time::US) << "\n";
}

/// @param name of an application @param apps it
void
PrintCounters(const std::string& name, const ApplicationContainer& apps)
{
    const RdmaApplicationCounters& c = DynamicCast<RdmaApplication>(apps.Get(0))->GetCounters();
    std::cout << name << ": " << c.posted << " messages posted, " << c.delivered << " delivered, "
              << c.aborted << " aborted at the stop time\n";
}

/// @param file list of flows; empty: three of our own @param pcap prefix @param ascii prefix
void
Run(const std::string& file, const std::string& pcap, const std::string& ascii)
{
    NodeContainer servers(8);
    RdmaHelper rdma;
    rdma.SetTopologyAttribute("Tiers", UintegerValue(2));
    rdma.SetTopologyAttribute("NicRate", StringValue("100Gbps"));
    const NetDeviceContainer nics = rdma.Install(servers);
    int64_t stream = rdma.AssignStreams(1) + 1;
    if (!pcap.empty())
    {
        rdma.EnablePcap(pcap, nics, true);
    }
    if (!ascii.empty())
    {
        rdma.EnableAscii(ascii, nics);
    }
    std::vector<ApplicationContainer> background;
    for (const char* type : {"Bulk", "Periodic", "OnOff"})
    {
        RdmaApplicationHelper helper("ns3::Rdma" + std::string(type) + "Application", nics.Get(7));
        background.push_back(helper.Install(servers.Get(4 + background.size())));
        background.back().Stop(MilliSeconds(1));
        stream += RdmaApplicationHelper::AssignStreams(background.back(), stream);
    }
    const FlowList flows = file.empty() ? FlowList::ParseCsv("start (us),source,destination,size\n"
                                                             "0,0,1,64KiB\n"
                                                             "5,0,7,1MiB\n"
                                                             "5,2,7,1MiB\n",
                                                             "built in")
                                        : FlowList::ReadCsv(file);
    const ApplicationContainer players = RdmaApplicationHelper::InstallFlows(flows, servers);
    for (uint32_t i = 0; i < players.GetN(); ++i)
    {
        players.Get(i)->TraceConnectWithoutContext("Rx", MakeCallback(&PrintFlow));
    }
    Simulator::Run();
    PrintCounters("bulk", background[0]);
    PrintCounters("periodic", background[1]);
    PrintCounters("on-off", background[2]);
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    std::string flows;
    std::string pcap;
    std::string ascii;
    CommandLine cmd(__FILE__);
    cmd.AddValue("flows", "list of flows between servers 0 to 7; empty: three", flows);
    cmd.AddValue("pcap", "prefix of captures at all NICs; empty: none", pcap);
    cmd.AddValue("ascii", "prefix of text traces at all NICs; empty: none", ascii);
    cmd.Parse(argc, argv);
    try
    {
        Run(flows, pcap, ascii);
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-rdma-applications: " << e.what() << std::endl;
        return 1;
    }
    return 0;
}
