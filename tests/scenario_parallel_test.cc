/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The layout's keys of a scenario: what is given reaches the job and moves its figures.

#include "result_columns.h"
#include "scenario_run_fixture.h"

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

/// 64 GPUs: TP 2, EP 4, DP 8.
const ScenarioOverrides SMALL_GROUPS{{"parallel.tp", "2"},
                                     {"parallel.ep", "4"},
                                     {"parallel.dp", "8"}};

/// The small scenario, read and run with overrides on top of others.
class ScenarioParallel : public ScenarioRun
{
  protected:
    /// @param more overrides after SMALL_GROUPS @return the scenario
    Scenario Read(const ScenarioOverrides& more)
    {
        return ReadScenario((m_dir / "small.json").string(), m_dir.string(), With(more));
    }

    /// @param more overrides @return SMALL_GROUPS and these
    static ScenarioOverrides With(const ScenarioOverrides& more)
    {
        ScenarioOverrides all = SMALL_GROUPS;
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    /// @param more overrides after SMALL_GROUPS @param column of /iterations
    /// @return its value in a first iteration on a fat-tree
    double OnFatTree(const ScenarioOverrides& more, const std::string& column)
    {
        ScenarioOverrides all = With(more);
        all.emplace_back("fabrics", R"(["mixnet", "fat-tree"])");
        all.emplace_back("iterations", "1");
        return ResultColumns(RunSecond(all), "/iterations").Number(column, 0);
    }
};

TEST_F(ScenarioParallel, TheOrderReachesTheJobAndMovesTheIteration)
{
    EXPECT_EQ(Read({}).job.degrees.order.GetText(), "tp-cp-ep-pp-dp");
    EXPECT_EQ(Read({{"parallel.order", "tp-dp-ep"}}).job.degrees.order.GetText(), "tp-dp-ep-cp-pp");
    EXPECT_THAT(Refusal(With({{"parallel.order", "ep-tp-dp"}})),
                HasSubstr("parallel.order: 'ep-tp-dp-cp-pp' puts the GPUs of TP 2 4 apart"));
    EXPECT_THAT(Refusal(With({{"parallel.order", "tp-ep"}})),
                HasSubstr("parallel.order: has no dp, which has 8 steps"));
    EXPECT_THAT(Refusal(With({{"parallel.order", "zp"}})),
                HasSubstr("parallel.order: 'zp' names an axis 'zp'"));
    // All-to-alls stay inside the servers; what experts share with their replicas does not.
    const ScenarioOverrides across{{"parallel.order", "tp-dp-ep"}};
    EXPECT_LT(OnFatTree({}, "exposed_ep") * 2, OnFatTree(across, "exposed_ep"));
    EXPECT_GT(OnFatTree({}, "exposed_dp"), OnFatTree(across, "exposed_dp") * 2);
}

TEST_F(ScenarioParallel, ARegionHoldsAnEpGroupInAnyOrder)
{
    const auto region = [this](const std::string& order) {
        const Scenario s = Read({{"parallel.order", order}});
        return GetServersPerRegion(s, s.fabrics[1]);
    };
    EXPECT_EQ(region("tp-ep-dp"), 1U);
    EXPECT_EQ(region("tp-dp-ep"), 8U);
}

// CP 4 = EP 4, a server of 8 holds 4 ranks of TP 2: NVSwitch only. K = 128 tokens x 2 x 1024 x 2 B,
// 3 x 3 K per rank, layer and micro-batch (3 layers, 2 micro-batches, 32 ranks).
TEST_F(ScenarioParallel, ContextParallelismReachesTheJobAndItsFigures)
{
    EXPECT_EQ(Read({}).job.degrees.context, 1U);
    EXPECT_EQ(OnFatTree({}, "exposed_cp"), 0);
    const ScenarioOverrides context{{"parallel.cp", "4"}};
    EXPECT_EQ(Read(context).job.degrees.context, 4U);
    EXPECT_GT(OnFatTree(context, "exposed_cp"), 0);
    EXPECT_THAT(Refusal(With({{"parallel.cp", "3"}})),
                HasSubstr("parallel.cp: EP 4 / CP 3 is no whole number"));
    EXPECT_THAT(Refusal(With({{"parallel.cp", "4"}, {"batch.sequenceLength", "516"}})),
                HasSubstr("sequenceLength 516 / (2 x CP 4) is no whole number"));
    for (const std::string order : {"tp-cp-ep-pp-dp", "tp-dp-ep-cp"})
    {
        Scenario s = Read({{"parallel.cp", "4"}, {"parallel.order", order}, {"iterations", "1"}});
        SharedProgress progress(1);
        TrainingRun run(s, {1, s.fabrics.at(0), s.compute.at(0)}, nullptr);
        const JobSummary summary = run.Summarize();
        EXPECT_EQ(summary.contextBytes, ByteCount(9ULL * 128 * 2048 * 2 * 3 * 2 * 32));
        const RunResult result = run.Run(progress.At(0), nullptr);
        const ResultColumns iterations(result.tables, "/iterations");
        EXPECT_GE(iterations.Number("end", 0) * (1 + 1e-9), summary.lowerBound.GetSeconds());
    }
}

// EP ranks of one GPU in TP blocks of two: the same GPUs and gradients, no TP collectives around
// experts, and more ranks that copies leave.
TEST_F(ScenarioParallel, ExpertTpReachesTheJobAndItsFigures)
{
    EXPECT_EQ(Read({}).job.degrees.GetExpertTensor(), 2U);
    const ScenarioOverrides folded{{"parallel.etp", "1"}, {"parallel.ep", "8"}};
    const ParallelDegrees degrees = Read(folded).job.degrees;
    EXPECT_EQ(degrees.expert, 4U);
    EXPECT_EQ(degrees.ranksPerBlock, 2U);
    EXPECT_EQ(degrees.GetGpus(), 64U);
    EXPECT_EQ(OnFatTree(folded, "token_copies"), OnFatTree({}, "token_copies"));
    EXPECT_LT(OnFatTree(folded, "exposed_tp"), OnFatTree({}, "exposed_tp"));
    EXPECT_GT(OnFatTree(folded, "exposed_tp"), 0);
    EXPECT_GT(OnFatTree(folded, "exposed_ep"), OnFatTree({}, "exposed_ep"));
    EXPECT_NEAR(OnFatTree(folded, "exposed_dp"), OnFatTree({}, "exposed_dp"), 1e-9);
    ScenarioOverrides gpus = folded;
    gpus.emplace_back("parallel.gpus", "72");
    EXPECT_THAT(Refusal(With(gpus)), HasSubstr("72 GPUs / (PP 1 x EP 8 x ETP 1 = 8) = 9"));
    gpus.back().second = "68";
    EXPECT_THAT(Refusal(With(gpus)), HasSubstr("68 GPUs / (PP 1 x EP 8 x ETP 1 = 8) is no whole"));
    EXPECT_THAT(Refusal(With({{"parallel.etp", "3"}})),
                HasSubstr("parallel.etp: TP 2 / ETP 3 is no whole number"));
    EXPECT_THAT(Refusal(With({{"parallel.etp", "4"}})),
                HasSubstr("parallel.etp: TP 2 / ETP 4 is no whole number"));
    EXPECT_THAT(Refusal(With({{"parallel.etp", "1"}, {"parallel.ep", "5"}})),
                HasSubstr("parallel.ep: EP 5 x ETP 1 / TP 2 is no whole number: an EP group "
                          "consists of whole TP blocks; accepted: a multiple of TP / ETP = 2"));
    const auto refused = [&](const char* key, const char* value) {
        ScenarioOverrides more = folded;
        more.emplace_back(key, value);
        return Refusal(With(more));
    };
    EXPECT_THAT(refused("sequenceParallel", "false"), HasSubstr("without sequence parallelism"));
    EXPECT_THAT(refused("epTraffic", "replicated"), HasSubstr("with epTraffic replicated"));
    EXPECT_THAT(refused("model.experts", "12"), HasSubstr("12 experts / EP 8 is no whole number"));
}

TEST_F(ScenarioParallel, GpusStandInForDp)
{
    EXPECT_EQ(Read({{"parallel.gpus", "64"}}).job.degrees.data, 8U);
    EXPECT_THAT(Refusal(With({{"parallel.gpus", "68"}})),
                HasSubstr("parallel.gpus: 68 GPUs / (TP 2 x PP 1 x EP 4 = 8) is no whole number of "
                          "replicas; accepted: a multiple of 8"));
    EXPECT_THAT(Refusal(With({{"parallel.gpus", "128"}})),
                HasSubstr("parallel.dp: 8, but 128 GPUs / (TP 2 x PP 1 x EP 4 = 8) = 16"));
    EXPECT_THAT(Refusal({{"parallel.dp", "1000000"}, {"parallel.pp", "1000000"}}),
                HasSubstr("DP 1000000 x TP 8 x PP 1000000 x EP 8 = 64000000000000 GPUs"));
}

} // namespace
