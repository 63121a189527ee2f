/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Context parallelism: what a rank computes, what it exchanges, and how long that takes.

#include "moe_placed_run.h"
#include "moe_preset.h"

#include "ns3/context-exchange.h"
#include "ns3/job-demand.h"
#include "ns3/op-work.h"
#include "ns3/uniform-gate.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

// Every rank has parts r and 2 CP - 1 - r of a sequence; pairs (i, j), j <= i, counted one by one.
TEST(ContextWork, RanksOfAGroupHaveEqualSharesOfTheTriangle)
{
    constexpr uint32_t length = 64;
    for (const uint32_t cp : {1U, 2U, 4U, 8U})
    {
        TrainingJob job = TinyJob();
        job.degrees.context = cp;
        job.degrees.expert = 8;
        job.model.experts = 8;
        job.sequenceLength = length;
        job.microBatchSequences = 3;
        job.Validate("test");
        std::vector<uint64_t> pairs(cp);
        const uint32_t part = length / (2 * cp);
        for (uint32_t i = 0; i < length; ++i)
        {
            pairs[std::min(i / part, 2 * cp - 1 - i / part)] += i + 1;
        }
        EXPECT_EQ(pairs, std::vector<uint64_t>(cp, pairs[0]));
        // 2 x weights per token, 2 x (query + output) per pair; hidden 100, 4 heads of 25
        const double flops = 2.0 * 4 * 100 * 100 * 3 * length / cp + 2.0 * 200 * 3 * pairs[0];
        const OpWork work = MakeAttentionWork(job);
        EXPECT_EQ(work.flops, flops);
        EXPECT_EQ(work.tokens, 3U * length / cp);
        // weights, x, q, output, y of own tokens; keys and values of all
        EXPECT_EQ(work.bytes, 2.0 * (40000 + 400 * 3 * length / cp + 200 * 3 * length));
    }
}

// Keys and values of a token and layer: Mixtral-8x22B has 8 heads of 128 for either, DeepSeek-V3
// 128 keys of 128 + 64 and values of 128. With 16 TP ranks, 2 hold each of Mixtral's heads.
TEST(ContextWork, KeysAndValuesByHand)
{
    TrainingJob job = MainJob();
    job.degrees.context = 4;
    EXPECT_EQ(job.GetTokens(), 8U * 1024);
    EXPECT_EQ(job.GetKeyBytes(), 8ULL * 1024 * 2 * 8 * 128 * 2);
    job.degrees.tensor = 16;
    EXPECT_EQ(job.GetKeyBytes(), 8ULL * 1024 * 2 * 16 * 128 * 2);
    // 3 (CP - 1) K per rank: 8 micro-batches, 56 layers, 2 replicas of 8 ranks
    EXPECT_EQ(GetContextBytes(job), ByteCount(3 * 3 * job.GetKeyBytes() * 8 * 56 * 16));
    job.degrees.tensor = 8;
    job.model = ReadPreset("deepseek-v3");
    EXPECT_EQ(job.GetKeyBytes(), 8ULL * 1024 * 128 * (192 + 128) * 2);
}

/// Bytes by sender and receiver.
using Pairs = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

/// @param gpusPerServer GPUs of each of the servers @param phase what is exchanged
/// @return bytes between GPUs in one CP group of 4 on 4 GPUs
Pairs
Exchange(uint32_t gpusPerServer, ContextPhase phase)
{
    TrainingJob job = TinyJob();
    job.degrees = {1, 1, 1, 4, 1, 4};
    const ParallelLayout layout(job, *MakeServers(4 / gpusPerServer, gpusPerServer), "test");
    TransferGraph graph;
    AppendContextExchange(graph, job, layout.GetGroups()[0], phase, 4);
    Pairs pairs;
    for (const Transfer& t : graph.GetTransfers())
    {
        EXPECT_EQ(t.trafficClass, TrafficClass::CP);
        pairs[{t.source.Get(), t.destination.Get()}] += t.bytes.Get();
    }
    return pairs;
}

// K = 16 tokens x 2 x 100 x 2 B = 6,400 B. Rings: 3 K per edge. Two servers of two ranks: K crosses
// from each rank to its like, then 2 K go to the neighbor.
TEST(ContextExchange, BytesByHand)
{
    constexpr uint64_t k = 6400;
    for (const ContextPhase phase : {ContextPhase::GATHER, ContextPhase::SCATTER})
    {
        for (const uint32_t gpus : {1U, 4U})
        {
            EXPECT_EQ(Exchange(gpus, phase),
                      (Pairs{{{0, 1}, 3 * k}, {{1, 2}, 3 * k}, {{2, 3}, 3 * k}, {{3, 0}, 3 * k}}));
        }
        EXPECT_EQ(Exchange(2, phase),
                  (Pairs{{{0, 2}, k},
                         {{1, 3}, k},
                         {{2, 0}, k},
                         {{3, 1}, k},
                         {{0, 1}, 2 * k},
                         {{1, 0}, 2 * k},
                         {{2, 3}, 2 * k},
                         {{3, 2}, 2 * k}}));
    }
}

/// @param context CP @param job a job with tokens of a rank as without CP
TrainingJob
WithContext(TrainingJob job, uint32_t context)
{
    job.degrees.context = context;
    job.sequenceLength *= context;
    return job;
}

// With as many tokens per rank and fixed times of compute, CP adds its exchanges and nothing else:
// forward an all-gather, backward an all-gather and a reduce-scatter per layer and micro-batch, and
// another all-gather where attention comes again, (n-1) (L + K / R) each. K = 64 x 200 x 2 B at
// 8 Gb/s = 25.6 us.
TEST(ContextExchange, AddsItsRingsToAnIteration)
{
    for (const auto& [cp, recompute] : {std::make_pair(2U, Recompute::NONE),
                                        std::make_pair(4U, Recompute::NONE),
                                        std::make_pair(4U, Recompute::MOE),
                                        std::make_pair(4U, Recompute::SELECTIVE),
                                        std::make_pair(2U, Recompute::FULL)})
    {
        const bool again = recompute == Recompute::SELECTIVE || recompute == Recompute::FULL;
        const uint32_t rings = again ? 4 : 3;
        TrainingJob job = TinyJob();
        job.recompute = recompute;
        job.model.layers = 3; // the first one is dense
        job.model.vocabulary = 1000;
        job.microBatches = 2;
        job.degrees = {1, 1, 1, 4};
        std::array<Time, 2> duration;
        const Time exchange = (MicroSeconds(5) + NanoSeconds(25600)) * (cp - 1);
        for (const uint32_t with : {0U, 1U})
        {
            JobRun run(with == 1 ? WithContext(job, cp) : job, MakeServers(4, 1));
            run.transport->bitsPerSecond = 8000000000ULL;
            run.transport->latency = MicroSeconds(5);
            run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
            run.Run();
            ExpectCompleted(run);
            const IterationRecord& it = run.iterations[0];
            duration[with] = it.GetDuration();
            EXPECT_EQ(it.exposed[At(TrafficClass::CP)], exchange * rings * 3 * 2 * with);
            EXPECT_EQ(it.criticalPath[At(OpKind::CONTEXT_EXCHANGE)],
                      exchange * rings * 3 * 2 * with);
            EXPECT_EQ(it.bytes[At(TrafficClass::CP)][static_cast<std::size_t>(PathClass::PACKET)],
                      GetContextBytes(run.job));
            if (with == 1)
            {
                EXPECT_EQ(GetContextBytes(run.job),
                          ByteCount(rings * 3ULL * 2 * 4 * (cp - 1) * 64 * 200 * 2));
                EXPECT_EQ(std::count_if(run.ops.begin(),
                                        run.ops.end(),
                                        [](const OpRecord& op) {
                                            return op.kind == OpKind::CONTEXT_EXCHANGE &&
                                                   op.backward;
                                        }),
                          3 * 2 * (again ? 3 : 2));
            }
        }
        EXPECT_EQ(duration[1] - duration[0], exchange * rings * 3 * 2);
    }
}

// A transfer of an exchange that is lost ends the job like any other.
TEST(ContextExchange, LossesAreNoticed)
{
    JobRun run(WithContext(TinyJob(), 2), MakeServers(2, 1));
    run.transport->loses = [](const Transfer& t) { return t.trafficClass == TrafficClass::CP; };
    run.Run();
    EXPECT_EQ(run.engine->GetState(), EngineState::FAILED);
    EXPECT_NE(run.engine->GetLoss().find("keys and values"), std::string::npos);
}

/// By world.
class ContextWays : public ::testing::TestWithParam<Fidelity>
{
};

// 32 GPUs in servers of 4, EP 8 of 2 CP groups of 4. A CP group inside a server stays on the
// NVSwitch; ranks of a group that are 8 GPUs apart are in 4 servers. K = 64 x 2 x 40 x 2 B.
TEST_P(ContextWays, InsideServersAndAcross)
{
    TrainingJob job = TinyJob();
    job.model.experts = 8;
    job.model.hidden = 1000;
    job.model.headDim = 10;
    job.model.ffnHidden = 10;
    job.degrees = {4, 1, 1, 8, 1, 4};
    job.sequenceLength = 256;
    const uint64_t bytes = GetContextBytes(job).Get();
    EXPECT_EQ(bytes, 3ULL * 3 * 64 * 2 * 40 * 2 * 2 * 32);
    std::array<Time, 2> exposed;
    for (const uint32_t across : {0U, 1U})
    {
        job.degrees.order =
            AxisOrder::Parse(across == 1 ? "tp-ep-dp-cp-pp" : "tp-cp-ep-dp-pp", "test");
        const PlacedRun run(job, MakeFabric(8, 8, GetParam()));
        ExpectCompleted(run);
        EXPECT_EQ(run.Bytes(TrafficClass::CP, PathClass::PACKET), bytes * across);
        EXPECT_EQ(run.Bytes(TrafficClass::CP, PathClass::CIRCUIT), 0U);
        if (across == 0)
        {
            EXPECT_EQ(run.Bytes(TrafficClass::CP, PathClass::SCALE_UP), bytes);
        }
        exposed[across] = run.iterations[0].exposed[At(TrafficClass::CP)];
    }
    EXPECT_GT(exposed[0], Time());
    EXPECT_GT(exposed[1], exposed[0] * 2);
}

INSTANTIATE_TEST_SUITE_P(Worlds,
                         ContextWays,
                         ::testing::Values(Fidelity::FLOW, Fidelity::PACKET),
                         [](const auto& info) { return std::string(GetName(info.param)); });

// What static plans are told is what is sent.
TEST(ContextExchange, IsPartOfTheDemand)
{
    TrainingJob job = TinyJob();
    job.microBatches = 2;
    job.degrees = {1, 1, 1, 4, 1, 4};
    const ParallelLayout layout(job, *MakeServers(4, 1), "test");
    const Ptr<UniformGate> gate = CreateObject<UniformGate>();
    gate->Configure(MakeGateShape(job, layout));
    for (const Recompute recompute : {Recompute::NONE, Recompute::FULL})
    {
        job.recompute = recompute;
        const JobDemand demand = GetAverageDemand(job, layout, *gate, 4);
        ASSERT_EQ(demand.context.size(), 4U);
        uint64_t sum = 0;
        for (const ServerPairBytes& pair : demand.context)
        {
            sum += pair.bytes;
        }
        EXPECT_EQ(ByteCount(sum), GetContextBytes(job));
    }
}

} // namespace
