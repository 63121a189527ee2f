/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * How long a collective takes on an idle fabric, in the columns of nccl-tests.
 *
 *     ./ns3 run "mixnet-collectives --op=all-reduce --algorithm=hierarchical --sizes=8MiB..1GiB"
 */

#include "ns3/collective-catalog.h"
#include "ns3/collective-runner.h"
#include "ns3/command-line.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"

#include <iomanip>
#include <iostream>

using namespace ns3;

namespace
{

constexpr uint64_t LARGEST = uint64_t(1) << 50; //!< a PiB

/// @param fabric of the command line @return its class
std::string
FindTopology(const std::string& fabric)
{
    for (const auto& [name, type] : {std::pair("star", "ns3::StarTopology"),
                                     {"fat-tree", "ns3::FatTreeTopology"},
                                     {"rail-optimized", "ns3::RailOptimizedTopology"},
                                     {"mixnet", "ns3::HybridTopology"}})
    {
        if (fabric == name)
        {
            return type;
        }
    }
    throw InputError("command line: --fabric", fabric, "star, fat-tree, rail-optimized, mixnet");
}

/// Prints a line of the table.
class Printer : public CollectiveSink
{
  public:
    NamedCollective what{}; //!< what is done
    CollectiveSpec spec;    //!< of what

    void OnCollective(const CollectiveResult& result) override
    {
        const Time time = result.finished - result.started;
        const auto n = static_cast<uint32_t>(spec.members.size());
        const auto found = GetCollectiveBandwidth(what.kind, n, spec.bytes, time);
        std::cout << std::fixed << std::setprecision(3) << std::setw(14) << spec.bytes.Get()
                  << std::setw(14) << time.ToDouble(Time::US) << std::setw(14)
                  << static_cast<double>(found.algorithm.GetBitRate()) / 8e9 << std::setw(14)
                  << static_cast<double>(found.bus.GetBitRate()) / 8e9 << "\n";
    }
};

/// @param printer what to do @param fabric where @param sizes FIRST or FIRST..LAST
void
Run(Printer& printer, const MixnetFabric& fabric, const std::string& sizes)
{
    const FabricGraph& graph = *fabric.GetGraph();
    for (uint32_t gpu = 0; gpu < graph.GetNGpus(); ++gpu)
    {
        printer.spec.members.emplace_back(gpu);
    }
    printer.spec.groups =
        MakeGroups(printer.what.grouping, printer.spec.members, graph, "command line: --algorithm");
    const std::size_t dots = sizes.find("..");
    const std::string end = dots == std::string::npos ? sizes : sizes.substr(dots + 2);
    const uint64_t first = ParseBytes(sizes.substr(0, dots), "command line: --sizes").Get();
    const uint64_t last = ParseBytes(end, "command line: --sizes").Get();
    if (first == 0 || last > LARGEST || printer.spec.members.size() < 2)
    {
        throw InputError("command line", "no bytes, more than 1PiB, or one GPU");
    }
    const Ptr<CollectiveRunner> runner = CreateObject<CollectiveRunner>();
    runner->SetTransport(fabric.GetTransport());
    std::cout << "      size (B)     time (us)  algbw (GB/s)  busbw (GB/s)\n";
    for (uint64_t size = first; size <= last; size *= 2)
    {
        printer.spec.bytes = ByteCount(size);
        const CollectiveRunner::Run run = runner->Open();
        printer.what.append(runner->GetGraph(run), printer.spec);
        runner->Start(run, printer, 0);
        Simulator::Run();
    }
    runner->Dispose();
}

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    std::string op = "all-reduce";
    std::string algorithm;
    std::string fabric = "fat-tree";
    std::string fidelity = "flow";
    std::string sizes = "8MiB..1GiB";
    std::string chunk = "4MiB";
    uint32_t servers = 4;
    ServerSpec server;
    CommandLine cmd(__FILE__);
    cmd.AddValue("op", "all-reduce, all-gather, broadcast, ...", op);
    cmd.AddValue("algorithm", "ring, tree, hierarchical, two-level; empty: the first", algorithm);
    cmd.AddValue("fabric", "star, fat-tree, rail-optimized or mixnet", fabric);
    cmd.AddValue("servers", "number of servers", servers);
    cmd.AddValue("gpus", "GPUs and NICs of a server", server.gpus);
    cmd.AddValue("scale-up", "rate inside a server, per GPU", server.scaleUpRate);
    cmd.AddValue("sizes", "SIZE, or FIRST..LAST to double from FIRST on", sizes);
    cmd.AddValue("chunk", "largest message; 0B: whole parts", chunk);
    cmd.AddValue("fidelity", "flow or packet", fidelity);
    cmd.Parse(argc, argv);
    try
    {
        Printer printer;
        printer.what = FindCollective(op, algorithm, "command line: --op, --algorithm");
        printer.spec.chunk = ParseBytes(chunk, "command line: --chunk");
        MixnetFabricHelper helper;
        helper.SetTopology(FindTopology(fabric));
        helper.SetFidelity(ParseFidelity(fidelity, "command line: --fidelity"));
        {
            MixnetFabric built = helper.Install(ClusterSpec(servers, server.gpus, server));
            built.AssignStreams(1);
            Run(printer, built, sizes);
        }
        Simulator::Destroy();
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-collectives: " << e.what() << std::endl;
        return 1;
    }
    return 0;
}
