/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Two pairs of servers over one optical switch. In the middle of a transfer from server 0 to
// server 1 the circuits are turned: 0-1 and 2-3 become 0-2 and 1-3, and later back again. The
// transfer waits in the dark and goes on where it was; exactly its bytes arrive.
//
//   ./ns3 run "mixnet/mixnet-circuit-switch --fidelity=packet --bytes=100000000 --dark=2ms"

#include "ns3/command-line.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;

/// Prints completions.
class Printer : public TransferSink
{
  public:
    void OnCompletion(const Completion& c) override
    {
        std::cout << FormatTime(c.finished) << "  GPU " << c.source << " to " << c.destination
                  << ": " << c.bytes << " delivered, "
                  << c.bytesByPath[static_cast<size_t>(PathClass::CIRCUIT)] << " over circuits\n";
    }
};

/// Hold traffic; when the last byte has left, go dark and match anew; light again after `dark`.
void
Turn(Ptr<FabricControl> control, std::vector<Circuit> added, Time dark)
{
    const Ptr<FabricGraph> graph = control->GetGraph();
    const VertexId ocs = added[0].ocs;
    std::vector<EdgeId> fibers;
    for (uint32_t port = 0; port < graph->GetNPorts(ocs); ++port)
    {
        fibers.push_back(graph->GetEdge(ocs, port));
    }
    std::cout << FormatTime(Simulator::Now()) << "  turning: traffic held\n";
    auto token = std::make_shared<FabricControl::Token>(0);
    const auto light = [=] {
        control->SetEdges(fibers, EdgeCause::OPTICAL, true);
        control->Resume(*token);
        std::cout << FormatTime(Simulator::Now()) << "  light again\n";
    };
    const auto darken = [=](bool) {
        std::cout << FormatTime(Simulator::Now()) << "  drained: dark for " << FormatTime(dark)
                  << "\n";
        control->SetEdges(fibers, EdgeCause::OPTICAL, false);
        control->Connect(added, graph->GetCircuits(ocs));
        Simulator::Schedule(dark, light);
    };
    *token = control->Quiesce(fibers, Time(0), FabricControl::DrainedCallback(darken));
}

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    std::string fidelity = "packet";
    uint64_t bytes = 100000000;
    Time dark = MilliSeconds(2);
    CommandLine cmd(__FILE__);
    cmd.AddValue("fidelity", "packet or flow", fidelity);
    cmd.AddValue("bytes", "bytes from server 0 to server 1", bytes);
    cmd.AddValue("dark", "time without light at every turn", dark);
    cmd.Parse(argc, argv);

    MixnetFabricHelper helper;
    helper.SetTopology("ns3::CircuitPairTopology");
    helper.SetFidelity(fidelity == "flow" ? Fidelity::FLOW : Fidelity::PACKET);
    {
        MixnetFabric fabric = helper.Install(ClusterSpec(4, 1));
        const VertexId ocs = fabric.GetGraph()->GetRegionOcs(RegionId(0))[0];
        Printer printer;
        Transfer transfer;
        transfer.source = fabric.GetGraph()->GetGpu(ServerId(0), 0);
        transfer.destination = fabric.GetGraph()->GetGpu(ServerId(1), 0);
        transfer.bytes = ByteCount(bytes);
        fabric.GetTransport()->Send({transfer}, printer);
        const std::vector<Circuit> crossed{{ocs, 0, 2}, {ocs, 1, 3}};
        const std::vector<Circuit> straight{{ocs, 0, 1}, {ocs, 2, 3}};
        Simulator::Schedule(MilliSeconds(1), &Turn, fabric.GetControl(), crossed, dark);
        Simulator::Schedule(MilliSeconds(10), &Turn, fabric.GetControl(), straight, dark);
        Simulator::Run();
        std::cout << "unfinished: " << fabric.GetTransport()->GetUnfinished().size() << "\n";
    }
    Simulator::Destroy();
    return 0;
}
