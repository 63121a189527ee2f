/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/gradient-sync.h"
#include "ns3/mixnet-error.h"

#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

/// @param call what to do @return message of the InputError that it throws
template <class F>
std::string
MessageOf(F call)
{
    try
    {
        call();
    }
    catch (const InputError& e)
    {
        return e.what();
    }
    return "no error";
}

/// @param text text @param part what it must hold
void
ExpectHolds(const std::string& text, const std::string& part)
{
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST(ModelSpec, ParametersOfMixtral)
{
    const ModelSpec m = Mixtral8x22b();
    // 6144 x (6144 + 2 x 1024) + 6144 x 6144
    EXPECT_EQ(m.GetAttentionParameters(), 88080384U);
    EXPECT_EQ(m.GetExpertParameters(), 3ULL * 6144 * 16384);
    EXPECT_EQ(m.GetGateParameters(), 6144U * 8);
    // The published size is 141 billion.
    EXPECT_NEAR(static_cast<double>(m.GetParameters()) / 1e9, 141, 1);
}

TEST(ModelSpec, RefusesWithKeyAndValue)
{
    const auto message = [](void (*change)(ModelSpec&)) {
        ModelSpec m = Mixtral8x22b();
        change(m);
        return MessageOf([&m] { m.Validate("model.json"); });
    };
    EXPECT_EQ(message([](ModelSpec&) {}), "no error");
    ExpectHolds(message([](ModelSpec& m) { m.topK = 9; }),
                "model.json: model.topK: 9 of 8 experts; accepted: 1 to 8");
    ExpectHolds(message([](ModelSpec& m) { m.layers = 0; }), "model.layers: 0");
    ExpectHolds(message([](ModelSpec& m) { m.moeLayers = 57; }), "57 of 56 layers");
    ExpectHolds(message([](ModelSpec& m) { m.heads = 50; }), "hiddenSize 6144 / heads 50");
    ExpectHolds(message([](ModelSpec& m) { m.kvHeads = 7; }), "heads 48 / kvHeads 7");
    ExpectHolds(message([](ModelSpec& m) { m.experts = 0; }), "0 experts in 56 MoE layers");
}

TEST(TrainingJob, RefusesWithKeyAndValue)
{
    TrainingJob job = MainJob();
    job.degrees.tensor = 7;
    ExpectHolds(MessageOf([&] { job.Validate("job.json"); }), "heads 48 / TP 7");
    job = MainJob();
    job.sequenceLength = 0;
    ExpectHolds(MessageOf([&] { job.Validate("job.json"); }), "job.json: job.sequenceLength: 0");
    job = MainJob();
    job.microBatchSequences = 1000000;
    ExpectHolds(MessageOf([&] { job.Validate("job.json"); }), "= 8192000000 token copies");
    EXPECT_EQ(ParseTensorShards("replicated", "x"), TensorShards::REPLICATED);
    ExpectHolds(MessageOf([] { ParseTensorShards("split", "a: b"); }),
                "a: b: 'split'; accepted: sharded, replicated");
}

// GPU = ((replica x PP + stage) x EP + EP rank) x TP + TP rank
TEST(ParallelLayout, NumbersGpus)
{
    const ParallelLayout layout(MainJob(), *MakeServers(128, 8), "test");
    EXPECT_EQ(layout.GetGpu(1, 2, 3, 4), GpuId(((1 * 8 + 2) * 8 + 3) * 8 + 4));
    EXPECT_EQ(layout.GetGroups().size(), 16U);
    const StageGroup& group = layout.GetGroups()[layout.GetGroupIndex(1, 2)];
    ASSERT_EQ(group.servers.size(), 8U);
    for (uint32_t rank = 0; rank < 8; ++rank)
    {
        EXPECT_EQ(group.servers[rank], ServerId(80 + rank));
    }
    EXPECT_TRUE(group.regions.empty());
    EXPECT_TRUE(layout.GetNotes().empty());
}

TEST(ParallelLayout, RefusesWithTheArithmetic)
{
    const auto graph = MakeServers(128, 8);
    const auto message = [&graph](void (*change)(TrainingJob&)) {
        TrainingJob job = MainJob();
        change(job);
        return MessageOf([&] { ParallelLayout(job, *graph, "s.json"); });
    };
    ExpectHolds(message([](TrainingJob& j) { j.degrees.data = 3; }),
                "DP 3 x TP 8 x PP 8 x EP 8 = 1536 GPUs, the cluster has 1024");
    ExpectHolds(message([](TrainingJob& j) {
                    j.degrees = {2, 8, 4, 16};
                }),
                "EP 16 ranks for 8 experts; accepted: 1 to 8");
    ExpectHolds(message([](TrainingJob& j) {
                    j.degrees = {1, 2, 64, 8};
                }),
                "PP 64 stages for 56 layers");
    ExpectHolds(message([](TrainingJob& j) {
                    j.degrees = {1, 16, 8, 8};
                }),
                "GPUs 0 to 15 lies in servers 0 and 1 of 8 GPUs");
}

TEST(ParallelLayout, ReportsWhatIsUneven)
{
    TrainingJob job = MainJob();
    job.model.layers = 61;
    job.model.moeLayers = 58;
    job.model.experts = 60;
    job.degrees = {1, 4, 16, 16};
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    ASSERT_EQ(layout.GetNotes().size(), 2U);
    EXPECT_EQ(layout.GetNotes()[0], "61 layers over 16 stages: 13 of 4, 3 of 3");
    EXPECT_EQ(layout.GetNotes()[1], "60 experts over 16 EP ranks: 12 of 4, 4 of 3");
    EXPECT_EQ(layout.GetLayers().GetFirst(15), 58U);
}

// Four servers of 2 GPUs, regions {0, 1, 2} and {3}: EP 4 spans both, EP 2 of TP 1 stays inside a
// server, and region 0 holds the servers of several groups.
TEST(ParallelLayout, FindsRegionsOfGroups)
{
    const auto graph = MakeServers(4, 2);
    graph->AddRegion({ServerId(0), ServerId(1), ServerId(2)}, {});
    graph->AddRegion({ServerId(3)}, {});
    TrainingJob job = TinyJob();
    job.degrees = {1, 2, 1, 4};
    const ParallelLayout wide(job, *graph, "test");
    ASSERT_EQ(wide.GetGroups()[0].regions.size(), 1U);
    const GroupRegion& part = wide.GetGroups()[0].regions[0];
    EXPECT_EQ(part.region, RegionId(0));
    EXPECT_EQ(part.servers, 3U);
    EXPECT_EQ(part.serverOfRank, (std::vector<uint32_t>{0, 1, 2, GroupRegion::OUTSIDE}));
    EXPECT_EQ(wide.GetNRegions(), 1U);

    job.degrees = {4, 1, 1, 2};
    const ParallelLayout narrow(job, *graph, "test");
    for (const StageGroup& group : narrow.GetGroups())
    {
        EXPECT_TRUE(group.regions.empty());
    }

    job.degrees = {2, 1, 1, 4};
    const ParallelLayout shared(job, *graph, "test");
    EXPECT_EQ(shared.GetGroups()[0].regions[0].serverOfRank, (std::vector<uint32_t>{0, 0, 1, 1}));
    EXPECT_TRUE(shared.GetGroups()[1].regions.empty());
}

// Stage 0 of the main job: 7 layers of attention and gate, and the embedding, over 16 servers in a
// ring; 7 experts' weights of each EP rank over 2 servers.
TEST(GradientSync, MainJobByHand)
{
    const TrainingJob job = MainJob();
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    const GradientBytes bytes = GetGradientBytes(job, layout, 0);
    const uint64_t shared = 7 * (88080384ULL + 49152) + 32768ULL * 6144;
    const uint64_t expert = 7ULL * 3 * 6144 * 16384;
    EXPECT_EQ(bytes.shared, ByteCount(4 * shared));
    ASSERT_EQ(bytes.expert.size(), 8U);
    EXPECT_EQ(bytes.expert[5], ByteCount(4 * expert));
    EXPECT_EQ(GetGradientBytes(job, layout, 3).shared, ByteCount(4 * (shared - 32768ULL * 6144)));

    TransferGraph graph;
    AppendGradientSync(graph, job, layout, 0, 4);
    // 16 flows of the ring, and 8 rings of 2 members with 2 steps of 2 transfers.
    EXPECT_EQ(graph.GetNNodes(), 16U + 8 * 4);
    EXPECT_EQ(graph.GetTransferBytes(), ByteCount(4 * shared * 30 + 8 * 4 * expert * 2));
    for (const Transfer& t : graph.GetTransfers())
    {
        EXPECT_EQ(t.lanes, 8U);
        EXPECT_EQ(t.trafficClass, TrafficClass::DP);
        EXPECT_NE(layout.GetServer(t.source), layout.GetServer(t.destination));
    }
}

// TP 2, EP 4 on servers of 4: two EP ranks of a replica share a server, so shared gradients are
// reduced there first, and 2 x 2 lanes run around the ring.
TEST(GradientSync, MembersThatShareAServerReduceFirst)
{
    TrainingJob job = TinyJob();
    job.degrees = {1, 2, 1, 4};
    const ParallelLayout layout(job, *MakeServers(2, 4), "test");
    TransferGraph graph;
    AppendGradientSync(graph, job, layout, 0, 4);
    graph.Seal();
    ASSERT_EQ(graph.GetNNodes(), 2U + 4 + 2);
    EXPECT_TRUE(graph.IsLocal(0));
    EXPECT_EQ(graph.GetTransfer(2).lanes, 4U);
    // One EP rank and one replica have nobody to share with.
    job.degrees = {1, 8, 1, 1};
    job.model.heads = 8;
    job.model.headDim = 25;
    TransferGraph none;
    AppendGradientSync(none, job, ParallelLayout(job, *MakeServers(1, 8), "test"), 0, 4);
    EXPECT_EQ(none.GetNNodes(), 0U);
}

// PP 2 next to TP 1: the members of a stage are every other GPU. Two rings around two servers, each
// with half of the bytes, use both members of a server; 2 (n - 1) B in all as ever.
TEST(GradientSync, MembersThatLieApartHaveRingsOfTheirOwn)
{
    TrainingJob job = TinyJob();
    job.degrees = {1, 1, 2, 4};
    job.degrees.order = AxisOrder::Parse("tp-pp-ep-dp", "test");
    const ParallelLayout layout(job, *MakeServers(2, 4), "test");
    for (const GradientAlgorithm algorithm : {GradientAlgorithm::RING, GradientAlgorithm::TREE})
    {
        job.gradientSync = algorithm;
        TransferGraph graph;
        AppendGradientSync(graph, job, layout, 0, 4);
        const ByteCount shared = GetGradientBytes(job, layout, 0).shared;
        EXPECT_EQ(graph.GetTransferBytes(), shared * 2);
        std::map<GpuId, ByteCount> sent;
        for (const Transfer& t : graph.GetTransfers())
        {
            EXPECT_EQ(t.lanes, 1U);
            sent[t.source] += t.bytes;
        }
        for (const uint32_t gpu : {0U, 2U, 4U, 6U})
        {
            EXPECT_EQ(sent[GpuId(gpu)], ByteCount(shared.Get() / 2)) << gpu;
        }
        EXPECT_EQ(sent.size(), 4U);
    }
    // DP next to TP: ranks and replicas come out of order, and lie side by side nevertheless.
    job.gradientSync = GradientAlgorithm::RING;
    job.degrees = {2, 1, 1, 4};
    job.degrees.order = AxisOrder::Parse("tp-dp-ep", "test");
    TransferGraph graph;
    AppendGradientSync(graph, job, ParallelLayout(job, *MakeServers(2, 4), "test"), 0, 4);
    ASSERT_GT(graph.GetTransfers().size(), 0U);
    for (const Transfer& t : graph.GetTransfers())
    {
        EXPECT_EQ(t.lanes, 4U);
    }
}

} // namespace
