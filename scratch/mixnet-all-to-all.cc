/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One uneven all-to-all between the servers of a region, on the hybrid fabric with circuits planned
// for it, with circuits spread evenly, and over the packet NICs alone.
//   ./ns3 run "mixnet/mixnet-all-to-all --servers=8 --alpha=6 --megabytes=64 --fidelity=flow"

#include "ns3/command-line.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <iostream>
using namespace ns3;

/// Remembers when the last transfer ended and what went over circuits.
struct Collector : public TransferSink
{
    void OnCompletion(const Completion& c) override
    {
        last = std::max(last, c.finished);
        circuit += c.bytesByPath[static_cast<size_t>(PathClass::CIRCUIT)];
        total += c.bytes;
    }

    Time last;
    ByteCount circuit;
    ByteCount total;
};

/// Build a fabric, light a plan, run the all-to-all with 8 lanes a pair, print.
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
        for (uint32_t i = 0; i < servers * servers; ++i)
        {
            batch.push_back({fabric.GetGraph()->GetGpu(ServerId(i / servers), 0),
                             fabric.GetGraph()->GetGpu(ServerId(i % servers), 0),
                             ByteCount(demand(i / servers, i % servers)),
                             8,
                             TrafficClass::EP});
        }
        Collector ends;
        fabric.GetTransport()->Send(batch, ends);
        Simulator::Run();
        std::cout << "alpha " << alpha << ", " << planner << ": " << FormatTime(ends.last) << ", "
                  << 100 * ends.circuit.Get() / ends.total.Get() << " % over circuits\n";
    }
    Simulator::Destroy();
}

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
    const Fidelity f = ParseFidelity(fidelity, "--fidelity");
    DemandMatrix demand(servers, servers);
    for (uint32_t i = 0; i < servers * servers; ++i)
    {
        const uint32_t j = i % servers; // receives in proportion to 1 + (3 j mod 7)
        demand(i / servers, j) =
            i / servers == j ? 0 : megabytes * 1000000 / servers * (1 + 3 * j % 7) / 4;
    }
    Run("ns3::GreedyCircuitPlanner", alpha, demand, f);
    Run("ns3::UniformCircuitPlanner", alpha, demand, f);
    Run("ns3::GreedyCircuitPlanner", 0, demand, f);
}
