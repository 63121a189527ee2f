/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The gradients' all-reduce between servers, from scenario to messages.

#include "moe_fixture.h"
#include "scenario_run_fixture.h"

#include "ns3/gradient-sync.h"
#include "ns3/hybrid-topology.h"
#include "ns3/uinteger.h"

#include <map>

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

// Two replicas on two regions of 8 servers. Shared gradients are all-reduced over 16 servers, those
// of experts over pairs of servers, one in each region: 2(n-1) B whatever the algorithm. Between
// the regions, shared gradients cross 4 of 30 times around the ring (2 of 16 edges), and twice the
// buffer in all when each of 16 parts crosses as a sum and comes back once.
TEST(GradientSync, AlgorithmsCarryTheSameBytesAndTwoLevelFewBetweenRegions)
{
    TrainingJob job = MainJob();
    job.degrees = {2, 8, 1, 8};
    const Ptr<HybridTopology> topology = CreateObject<HybridTopology>();
    topology->SetAttribute("ServersPerRegion", UintegerValue(8));
    const Ptr<FabricGraph> graph = topology->Build(ClusterSpec(16));
    const ParallelLayout layout(job, *graph, "test");
    EXPECT_EQ(layout.GetRegion(ServerId(7)), RegionId(0));
    EXPECT_EQ(layout.GetRegion(ServerId(8)), RegionId(1));
    const GradientBytes bytes = GetGradientBytes(job, layout, 0);
    const uint64_t shared = bytes.shared.Get();
    const uint64_t experts = 8 * bytes.expert[0].Get();
    std::map<GradientAlgorithm, uint64_t> crossing;
    std::map<GradientAlgorithm, uint32_t> messages;
    for (const GradientAlgorithm a :
         {GradientAlgorithm::RING, GradientAlgorithm::TREE, GradientAlgorithm::TWO_LEVEL})
    {
        EXPECT_EQ(ParseGradientAlgorithm(GetName(a), "x"), a);
        job.gradientSync = a;
        job.gradientChunk = ByteCount(32 << 20);
        TransferGraph transfers;
        AppendGradientSync(transfers, job, layout, 0, 4);
        EXPECT_EQ(transfers.GetTransferBytes(), ByteCount(shared * 30 + experts * 2)) << GetName(a);
        messages[a] = transfers.GetNNodes();
        for (const Transfer& t : transfers.GetTransfers())
        {
            EXPECT_EQ(t.trafficClass, TrafficClass::DP);
            EXPECT_EQ(t.lanes, 8U);
            EXPECT_TRUE(a == GradientAlgorithm::RING || t.bytes <= job.gradientChunk);
            const bool crosses = layout.GetRegion(layout.GetServer(t.source)) !=
                                 layout.GetRegion(layout.GetServer(t.destination));
            crossing[a] += crosses ? t.bytes.Get() : 0;
        }
    }
    EXPECT_NEAR(static_cast<double>(crossing[GradientAlgorithm::RING]),
                static_cast<double>(shared) * 30 * 2 / 16 + static_cast<double>(experts) * 2,
                16);
    EXPECT_EQ(crossing[GradientAlgorithm::TWO_LEVEL], shared * 2 + experts * 2);
    EXPECT_GT(messages[GradientAlgorithm::TREE], messages[GradientAlgorithm::RING]);
}

// The key reaches the messages: same bytes, another time; the chunk moves it again.
TEST_F(ScenarioRun, GradientSyncByTree)
{
    const std::string fabrics = R"(["fat-tree"])";
    const auto run = [&](const std::string& output, ScenarioOverrides overrides) {
        overrides.push_back({"fabrics", fabrics});
        overrides.push_back({"iterations", "1"});
        EXPECT_EQ(Run(overrides, output), 0) << m_err.str();
        return Summary(output)[0];
    };
    const auto ring = run("ring", {});
    const auto tree = run("tree", {{"gradientSync", "tree"}});
    const auto coarse = run("coarse", {{"gradientSync", "tree"}, {"gradientChunk", "0B"}});
    const auto regions = run("regions", {{"gradientSync", "two-level"}});
    const auto time = [](const nlohmann::json& r) { return r["iteration_time_s"].get<double>(); };
    for (const auto& other : {tree, coarse, regions})
    {
        EXPECT_EQ(other["bytes_packet"].get<double>(), ring["bytes_packet"].get<double>());
    }
    EXPECT_NE(time(tree), time(ring));
    EXPECT_GT(time(coarse), time(tree)) << "without chunks, halves cross the tree level by level";
    EXPECT_EQ(time(regions), time(run("again", {{"gradientSync", "two-level"}})));

    std::map<std::string, std::string> settings;
    const Scenario scenario = ReadScenario((m_dir / "small.json").string(),
                                           m_dir.string(),
                                           {{"gradientSync", "two-level"}});
    for (const auto& setting : scenario.settings.GetAll())
    {
        settings[setting.key] = setting.value;
    }
    EXPECT_EQ(settings["gradientSync"], "two-level");
    EXPECT_EQ(settings["gradientChunk"], "32MiB");
    EXPECT_EQ(scenario.job.gradientChunk, ByteCount(32 << 20));
    EXPECT_THAT(Refusal({{"gradientSync", "butterfly"}}),
                AllOf(HasSubstr("gradientSync"), HasSubstr("two-level")));
    EXPECT_THAT(Refusal({{"gradientChunk", "1MiB"}}), HasSubstr("gradientChunk"));
    EXPECT_THAT(Refusal({{"gradientSync", "tree"}, {"gradientChunk", "4096B"}}),
                AllOf(HasSubstr("gradientChunk"), HasSubstr("64KiB")));
}

} // namespace
