/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * How long dispatch and combine of one MoE layer take on an idle fabric, every GPU an EP rank,
 * balanced routing; bandwidths as DeepEP's tests count them.
 *
 *     ./ns3 run "mixnet-expert-exchange --servers=8 --group-limit=4 --tokens=4096"
 */

#include "ns3/all-to-all.h"
#include "ns3/byte-count-value.h"
#include "ns3/collective-runner.h"
#include "ns3/command-line.h"
#include "ns3/deduplicating-all-to-all.h"
#include "ns3/gate-traffic.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/mixnet-object-text.h"
#include "ns3/mixnet-units.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/topology-generator.h"
#include "ns3/uniform-gate.h"

#include <iomanip>
#include <iostream>
#include <numeric>
#include <sstream>

using namespace ns3;

namespace
{

/// What is exchanged.
struct Exchange
{
    TrainingJob job;                       //!< one MoE layer
    Ptr<AllToAllAlgorithm> algorithm;      //!< how
    const MixnetFabric* fabric{nullptr};   //!< where
    Ptr<CollectiveRunner> runner{nullptr}; //!< who does it
};

/// Takes the time of an all-to-all.
class Stopwatch : public CollectiveSink
{
  public:
    Time time; //!< of the last one

    void OnCollective(const CollectiveResult& result) override
    {
        time = result.finished - result.started;
    }
};

/// @param text "128,4096" @return numbers
std::vector<uint32_t>
ParseTokens(const std::string& text)
{
    std::vector<uint32_t> tokens;
    std::istringstream in(text);
    for (std::string word; std::getline(in, word, ',');)
    {
        const bool number = word.find_first_not_of("0123456789") == std::string::npos;
        const uint64_t value = number && !word.empty() && word.size() < 9 ? std::stoull(word) : 0;
        if (value == 0)
        {
            throw InputError("command line: --tokens", "'" + word + "'", "1 to 99999999, ...");
        }
        tokens.push_back(static_cast<uint32_t>(value));
    }
    return tokens;
}

/// @param x what @param matrix its traffic @param back a combine @return how long it takes
Time
Measure(const Exchange& x, const ParallelLayout& layout, const TrafficMatrix& matrix, bool back)
{
    Stopwatch watch;
    const CollectiveRunner::Run run = x.runner->Open();
    x.algorithm->Append(x.runner->GetGraph(run),
                        {layout.GetGroups()[0].ranks,
                         1,
                         TrafficClass::EP,
                         matrix.GetBytes(back),
                         back,
                         matrix.GetServerBytes(back)});
    x.runner->Start(run, watch, 0);
    Simulator::Run();
    return watch.time;
}

/// DeepEP's tests divide what a rank sends to all nodes, its own among them, by the time; in one
/// node what it sends to all ranks. @param matrix traffic @param back a combine @return bytes
uint64_t
CountAsDeepEp(const TrafficMatrix& matrix, bool back)
{
    const Matrix<uint64_t>* servers = matrix.GetServerBytes(back);
    const Matrix<uint64_t>& bytes =
        servers != nullptr && servers->Columns() > 1 ? *servers : matrix.GetBytes(back);
    return std::accumulate(&bytes(0, 0), &bytes(0, 0) + bytes.Columns(), uint64_t(0));
}

/// Print a line. @param x what @param tokens of a rank
void
Run(Exchange& x, uint32_t tokens)
{
    x.job.sequenceLength = tokens;
    const std::string where = "command line";
    x.job.Validate(where);
    const ParallelLayout layout(x.job, *x.fabric->GetGraph(), where);
    const Ptr<UniformGate> gate = CreateObject<UniformGate>();
    gate->Configure(MakeGateShape(x.job, layout));
    TrafficMatrix matrix;
    GateTraffic(x.job, layout, *gate).Route({}, 0, matrix);
    std::cout << std::fixed << std::setprecision(3) << std::setw(12) << tokens;
    for (const bool back : {false, true})
    {
        const Time time = Measure(x, layout, matrix, back);
        const double seconds = time.GetSeconds();
        std::cout << std::setw(16) << time.ToDouble(Time::US) << std::setw(16)
                  << (seconds > 0 ? CountAsDeepEp(matrix, back) / seconds / 1e9 : 0);
    }
    std::cout << "\n";
}

/// @param name "none", "rank", "server" @param chunk of a crossing @param x out
void
ChooseAlgorithm(const std::string& name, const std::string& chunk, Exchange& x)
{
    x.job.deduplication = ParseDeduplication(name, "command line: --deduplication");
    x.algorithm = CreateObject<DirectAllToAll>();
    if (x.job.deduplication == Deduplication::SERVER)
    {
        x.algorithm = CreateObject<DeduplicatingAllToAll>();
        x.algorithm->SetAttribute("ChunkSize",
                                  ByteCountValue(ParseBytes(chunk, "command line: --chunk")));
    }
    x.algorithm->SetFabric(x.fabric->GetGraph(), x.fabric->GetRouter());
}

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    Exchange x;
    ModelSpec& model = x.job.model;
    model.name = "layer";
    model.layers = model.moeLayers = model.heads = model.ffnHidden = 1;
    model.hidden = 7168;
    model.experts = 256;
    model.topK = 8;
    model.bytesPerDispatch = 1;
    model.dispatchScale = 128;
    model.bytesPerCombine = 2;
    std::string topology = "ns3::StarTopology";
    std::string fidelity = "flow";
    std::string tokens = "4096";
    std::string level = "server";
    std::string chunk = "4MiB";
    uint32_t servers = 1;
    ServerSpec server;
    CommandLine cmd(__FILE__);
    cmd.AddValue("tokens", "tokens of a GPU, or several numbers joined by commas", tokens);
    cmd.AddValue("hidden", "elements of a token", model.hidden);
    cmd.AddValue("experts", "experts of the layer", model.experts);
    cmd.AddValue("top-k", "experts of a token", model.topK);
    cmd.AddValue("group-limit", "most servers with experts of one token; 0: any", model.groupLimit);
    cmd.AddValue("dispatch-bytes", "bytes of an element out", model.bytesPerDispatch);
    cmd.AddValue("dispatch-scale", "elements that share a 4-byte scale", model.dispatchScale);
    cmd.AddValue("combine-bytes", "bytes of an element back", model.bytesPerCombine);
    cmd.AddValue("deduplication", "none, rank or server: one copy to each", level);
    cmd.AddValue("chunk", "of server: bytes that cross and are forwarded together", chunk);
    cmd.AddValue("topology", "a topology generator", topology);
    cmd.AddValue("servers", "number of servers", servers);
    cmd.AddValue("gpus", "GPUs and NICs of a server", server.gpus);
    cmd.AddValue("scale-up", "rate inside a server, per GPU", server.scaleUpRate);
    cmd.AddValue("fidelity", "flow or packet", fidelity);
    cmd.Parse(argc, argv);
    try
    {
        ParseObjectText(topology,
                        TopologyGenerator::GetTypeId(),
                        "topology",
                        "command line: --topology",
                        "ns3::StarTopology, ns3::FatTreeTopology, ...");
        model.expertGroups = model.groupLimit > 0 ? servers : 1;
        x.job.degrees.expert = servers * server.gpus;
        MixnetFabricHelper helper;
        helper.SetTopology(topology);
        helper.SetFidelity(ParseFidelity(fidelity, "command line: --fidelity"));
        {
            MixnetFabric built = helper.Install(ClusterSpec(servers, server.gpus, server));
            built.AssignStreams(1);
            x.fabric = &built;
            ChooseAlgorithm(level, chunk, x);
            x.runner = CreateObject<CollectiveRunner>();
            x.runner->SetTransport(built.GetTransport());
            std::cout << "      tokens   dispatch (us)          (GB/s)    combine (us)"
                         "          (GB/s)\n";
            for (const uint32_t n : ParseTokens(tokens))
            {
                Run(x, n);
            }
            x.runner->Dispose();
            x.algorithm->Dispose();
        }
        Simulator::Destroy();
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-expert-exchange: " << e.what() << std::endl;
        return 1;
    }
    return 0;
}
