/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * The shortest way from nothing to a training iteration in a program of one's own: a small MoE
 * model on 64 GPUs over the fabric of your choice.
 *
 *     ./ns3 run "mixnet-quickstart --fabric=mixnet --policy=gain"
 */

#include "ns3/command-line.h"
#include "ns3/comparison-table.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/training-run.h"

#include <iostream>

using namespace ns3;

namespace
{

/// @return Mixtral 8x7B, four of its layers, on 8 servers of 8 GPUs
Scenario
MakeScenario()
{
    Scenario s;
    s.name = "quickstart";
    s.job.model.name = "mixtral-8x7b";
    s.job.model.layers = s.job.model.moeLayers = 4;
    s.job.model.hidden = 4096;
    s.job.model.ffnHidden = 14336;
    s.job.model.heads = 32;
    s.job.model.kvHeads = 8;
    s.job.model.experts = 8;
    s.job.model.topK = 2;
    s.job.degrees = {1, 8, 1, 8};
    s.job.iterations = 1;
    s.job.microBatches = 2;
    s.job.microBatchSequences = 1;
    s.job.sequenceLength = 4096;
    s.gate.type = "uniform";
    s.cluster.servers = 8;
    s.cluster.nicRate = DataRate("400Gbps");
    s.cluster.linkDelay = MicroSeconds(1);
    s.cluster.scaleUpRate = DataRate("3600Gbps");
    s.cluster.switchBuffer = ByteCount(67108864);
    s.cluster.gpuPeak = 989000000000000;
    s.cluster.gpuMemoryRate = DataRate("26800Gbps");
    s.schedule = "1f1b";
    return s;
}

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    RunVariant variant;
    variant.compute = "roofline";
    variant.fabric.type = "mixnet";
    variant.fabric.policy = "gain";
    variant.fabric.oversubscription = "1:1";
    OpticalConfig& optical = variant.fabric.optical;
    optical.alpha = 6;
    optical.switchingDelay = MilliSeconds(25);
    std::string fidelity = "flow";
    CommandLine cmd(__FILE__);
    cmd.AddValue("fabric", "fat-tree, rail-optimized, topoopt or mixnet", variant.fabric.type);
    cmd.AddValue("policy", "mixnet: paper, previous, never or gain", variant.fabric.policy);
    cmd.AddValue("alpha", "mixnet: NICs of a server on the optical switch", optical.alpha);
    cmd.AddValue("delay", "mixnet: switching delay", optical.switchingDelay);
    cmd.AddValue("fidelity", "flow or packet", fidelity);
    cmd.Parse(argc, argv);
    try
    {
        Scenario scenario = MakeScenario();
        scenario.fidelity = ParseFidelity(fidelity, "command line: --fidelity");
        CheckFabric(variant.fabric, scenario.cluster, "command line");
        TrainingRun run(scenario, variant, nullptr);
        std::cout << run.DescribeFabric() << "\n";
        SharedProgress progress(1);
        const RunResult result = run.Run(progress.At(0), nullptr);
        const RunLabel label{variant.fabric.type, variant.fabric.type, "", "roofline", "", ""};
        PrintComparison(std::cout, Summarize({label}, {result}));
        return static_cast<int>(result.status);
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-quickstart: " << e.what() << std::endl;
        return 1;
    }
}
