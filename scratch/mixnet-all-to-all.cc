/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One uneven all-to-all between the servers of a region, on the hybrid fabric with circuits planned
// for it, with circuits spread evenly, and over the packet NICs alone.
//
//   ./ns3 run "mixnet/mixnet-all-to-all --servers=8 --alpha=6 --megabytes=64 --fidelity=flow"

#include "ns3/command-line.h"
#include "ns3/mixnet-units.h"
#include "ns3/optical-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <iostream>

using namespace ns3;

namespace
{

/// Remembers when the last transfer ended and what went over circuits.
class Collector : public TransferSink
{
  public:
    void OnCompletion(const Completion& c) override
    {
        last = std::max(last, c.finished);
        circuit += c.bytesByPath[static_cast<size_t>(PathClass::CIRCUIT)];
        total += c.bytes;
    }

    Time last;         //!< end of the all-to-all
    ByteCount circuit; //!< bytes over circuits
    ByteCount total;   //!< all bytes
};

/// @return bytes from row to column: server j is as busy as 1 + (3 j mod 7) says
DemandMatrix
MakeDemand(uint32_t servers, uint64_t megabytes)
{
    DemandMatrix demand(servers, servers);
    for (uint32_t i = 0; i < servers; ++i)
    {
        for (uint32_t j = 0; j < servers; ++j)
        {
            demand(i, j) = i == j ? 0 : megabytes * 1000000 / servers * (1 + 3 * j % 7) / 4;
        }
    }
    return demand;
}

/// Build a fabric, light a plan, run the all-to-all, print.
void
Run(const std::string& planner, uint32_t alpha, const DemandMatrix& demand, Fidelity fidelity)
{
    const auto servers = static_cast<uint32_t>(demand.Rows());
    MixnetFabricHelper helper;
    helper.SetTopology("ns3::HybridTopology");
    helper.SetTopologyAttribute("OcsNics", UintegerValue(alpha));
    helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(servers));
    helper.SetFidelity(fidelity);
    {
        MixnetFabric fabric = helper.Install(ClusterSpec(servers));
        OpticalHelper optical;
        optical.SetPolicy("ns3::NeverReconfigurationPolicy");
        optical.SetPlanner(planner);
        for (const auto& controller : optical.Install(fabric))
        {
            controller->SetAverageDemand(demand);
            controller->Start();
        }
        std::vector<Transfer> batch;
        for (uint32_t i = 0; i < servers; ++i)
        {
            for (uint32_t j = 0; j < servers; ++j)
            {
                Transfer t;
                t.source = fabric.GetGraph()->GetGpu(ServerId(i), 0);
                t.destination = fabric.GetGraph()->GetGpu(ServerId(j), 0);
                t.bytes = ByteCount(demand(i, j));
                t.lanes = 8;
                t.trafficClass = TrafficClass::EP;
                batch.push_back(t);
            }
        }
        Collector collector;
        fabric.GetTransport()->Send(batch, collector);
        Simulator::Run();
        std::cout << "alpha " << alpha << ", " << planner << ": " << FormatTime(collector.last)
                  << ", " << 100 * collector.circuit.Get() / collector.total.Get()
                  << " % of the bytes over circuits\n";
    }
    Simulator::Destroy();
}

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    uint32_t servers = 8;
    uint32_t alpha = 6;
    uint64_t megabytes = 64;
    std::string fidelity = "flow";
    CommandLine cmd(__FILE__);
    cmd.AddValue("servers", "servers of the region", servers);
    cmd.AddValue("alpha", "NICs of a server on the optical switch", alpha);
    cmd.AddValue("megabytes", "about what a server sends, MB", megabytes);
    cmd.AddValue("fidelity", "flow or packet", fidelity);
    cmd.Parse(argc, argv);
    const Fidelity f = fidelity == "packet" ? Fidelity::PACKET : Fidelity::FLOW;
    const DemandMatrix demand = MakeDemand(servers, megabytes);
    Run("ns3::GreedyCircuitPlanner", alpha, demand, f);
    Run("ns3::UniformCircuitPlanner", alpha, demand, f);
    Run("ns3::GreedyCircuitPlanner", 0, demand, f);
    return 0;
}
