/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Jobs that lose ranks, from the scenario to the result: keys that move figures, refusals, exit
// codes.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/twin-comparison.h"

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

/// @param events JSON list @return two replicas of 32 GPUs, which lose something
ScenarioOverrides
Losing(const std::string& events)
{
    return {{"failures.events", events},
            {"parallel.dp", "2"},
            {"parallel.ep", "4"},
            {"iterations", "3"},
            {"recovery", R"({"restartTime": "100ms"})"},
            {"fabrics", R"(["fat-tree", {"type": "mixnet", "policy": "paper"}])"}};
}

/// @return seconds of the third iteration
double
GetLastDuration(const std::vector<ResultTable>& result)
{
    const ResultColumns rows(result, "/iterations");
    return rows.Number("end", 2) - rows.Number("start", 2);
}

/// @param base settings @param more others @return both
ScenarioOverrides
With(ScenarioOverrides base, const ScenarioOverrides& more)
{
    base.insert(base.end(), more.begin(), more.end());
    return base;
}

} // namespace

// The second run is MixNet. Its spare GPU is the first one after the 64 of the job, its spare
// server follows the hosts of two regions of 4 servers.
TEST_F(ScenarioRun, RanksMoveToSparesAndIterationsTakeLonger)
{
    const auto gpu = RunSecond(Losing(R"(["t=1:dispatch gpu 7 down"])"));
    const ResultColumns row(gpu, "/recoveries");
    ASSERT_EQ(row.GetNRows(), 1U);
    EXPECT_EQ(row.Text("action", 0), "GPU 7 to spare GPU 64");
    EXPECT_EQ(row.Text("failures", 0), "0");
    EXPECT_EQ(row.Number("iteration", 0), 1);
    EXPECT_EQ(row.Number("resumed_at", 0), 1);
    EXPECT_EQ(row.Number("from_peers", 0), 1);
    EXPECT_EQ(row.Number("restart", 0), 0.1);
    EXPECT_GT(row.Number("restore", 0), 0);
    EXPECT_NEAR(row.Number("resumed", 0),
                row.Number("detected", 0) + row.Number("restore", 0) + 0.1,
                1e-9);
    // The TP block runs over the two EPS NICs of the spare's server.
    const double healthy = GetLastDuration(RunSecond(Losing("[]")));
    EXPECT_GT(GetLastDuration(gpu), healthy * 1.01);
    EXPECT_EQ(ResultColumns(gpu, "/failures").Number("recovered", 0), row.Number("resumed", 0));
    EXPECT_EQ(ResultColumns(gpu, "/iterations").GetNRows(), 3U);
    const auto server = RunSecond(Losing(R"(["t=1:dispatch server 3 down"])"));
    EXPECT_EQ(ResultColumns(server, "/recoveries").Text("action", 0),
              "server 3 to spare server 10");
    EXPECT_GT(GetLastDuration(server), healthy);
    // With one channel and no circuits the TP block has one NIC, and takes longer still.
    const ScenarioOverrides eps =
        With(Losing(R"(["t=1:dispatch gpu 7 down"])"), {{"routing.tp", "eps"}});
    const auto narrow = RunSecond(With(eps, {{"recovery.tensorChannels", "1"}}));
    EXPECT_GT(GetLastDuration(narrow), GetLastDuration(RunSecond(eps)));
}

// Hosts 8 and 9 have the spare GPUs of region 0. A NIC of the first is known to be down when GPU 7
// is lost, later than that, or not at all.
TEST_F(ScenarioRun, SparesAreChosenByTheNicsOfTheirHosts)
{
    const ScenarioOverrides more = {{"recovery", R"({"restartTime": "100ms",
                                                    "spares": {"regionGpus": 12}})"}};
    const auto move = [&](const std::string& events) {
        const auto result = RunSecond(With(Losing(events), more));
        const ResultColumns rows(result, "/recoveries");
        return rows.Text("action", 0) + "; " + rows.Text("why", 0);
    };
    const std::string first = "GPU 7 to spare GPU 64; GPU 64 in server 8: all NICs work";
    EXPECT_EQ(move(R"(["t=30ms gpu 7 down"])"), first);
    EXPECT_EQ(move(R"(["t=30ms gpu 7 down", "t=35ms nic 8/0 down"])"), first);
    EXPECT_THAT(move(R"(["t=1ms nic 8/0 down", "t=30ms gpu 7 down"])"),
                AllOf(HasSubstr("GPU 7 to spare GPU 72; GPU 72 in server 9: all NICs work"),
                      HasSubstr("not server 8 (")));
}

// What else is wrong when ranks move: each job ends, with all iterations, on both fabrics.
TEST_F(ScenarioRun, RanksMoveWhateverElseIsWrong)
{
    const ScenarioOverrides more = {{"recovery", R"({"restartTime": "100ms",
                                                    "spares": {"regionGpus": 12}})"}};
    const std::vector<std::pair<const char*, const char*>> cases = {
        {R"(["t=30ms gpu 6 down", "t=30ms gpu 7 down"])",
         "GPU 6 to spare GPU 64, GPU 7 to spare GPU 65"},
        {R"(["t=1ms controller 0 down", "t=30ms gpu 7 down"])", "GPU 7 to spare GPU 64"},
        {R"(["t=1ms ocs 0 down", "t=30ms gpu 7 down"])", "GPU 7 to spare GPU 64"},
        {R"(["t=30ms gpu 7 down", "t=60ms server 8 down"])",
         "GPU 7 to spare GPU 64, GPU 7 to spare GPU 72"},
        {R"(["t=1ms server 8 down", "t=30ms gpu 7 down"])", "GPU 7 to spare GPU 72"}};
    for (const auto& [events, action] : cases)
    {
        const auto result = RunSecond(With(Losing(events), more));
        const ResultColumns rows(result, "/recoveries");
        ASSERT_EQ(rows.GetNRows(), 1U) << events;
        EXPECT_EQ(rows.Text("action", 0), action) << events;
        EXPECT_EQ(ResultColumns(result, "/iterations").GetNRows(), 3U) << events;
    }
}

// Experts so narrow that TP outweighs EP: the controller of the broken block's region plans for TP,
// whose bytes take circuits as well as the EPS. Nothing is sent more or less, all of it earlier.
TEST_F(ScenarioRun, ControllersPlanForAMovedRank)
{
    const ScenarioOverrides losing = Losing(R"(["t=1:dispatch gpu 7 down"])");
    const auto planned = RunSecond(losing);
    const auto eps = RunSecond(With(losing, {{"routing.tp", "eps"}}));
    const auto whole = RunSecond(Losing("[]"));
    const auto bytes = [](const std::vector<ResultTable>& result, const char* path) {
        return ResultColumns(result, "/iterations").Number(path, 2);
    };
    const auto both = [&bytes](const std::vector<ResultTable>& result) {
        return bytes(result, "bytes_circuit") + bytes(result, "bytes_packet");
    };
    EXPECT_EQ(both(planned), both(eps));
    EXPECT_GT(both(planned), both(whole));
    EXPECT_GT(bytes(planned, "bytes_circuit"), bytes(eps, "bytes_circuit"));
    EXPECT_LT(GetLastDuration(planned), GetLastDuration(eps));
    // What the controllers of both regions expect of an all-to-all with what is lit.
    const auto longest = [](const std::vector<ResultTable>& result, double region) {
        const ResultColumns rows(result, "/decisions");
        double most = 0;
        for (std::size_t i = 0; i < rows.GetNRows(); ++i)
        {
            if (rows.Number("iteration", i) == 2 && rows.Number("region", i) == region)
            {
                most = std::max(most, rows.Number("predicted_current", i));
            }
        }
        return most;
    };
    EXPECT_GT(longest(planned, 0), longest(whole, 0) * 1.5);
    EXPECT_EQ(longest(planned, 1), longest(whole, 1));
}

// The rank of a moved GPU holds its group up, though one with a busier expert may compute longer:
// what bounds the step is what the last rank did, and no longer than the step.
TEST_F(ScenarioRun, WhatBoundsAMovedRankIsWhatItDid)
{
    const auto gpu =
        RunSecond(With(Losing(R"(["t=0s gpu 7 down"])"),
                       {{"gate.type", "synthetic"}, {"recovery.tensorChannels", "1"}}));
    const ResultColumns path(gpu, "/critical_path");
    std::size_t experts = 0;
    for (std::size_t i = 0; i < path.GetNRows(); ++i)
    {
        const double busy =
            path.Number("end", i) - path.Number("start", i) - path.Number("waited", i);
        EXPECT_LE(path.Number("resource_load", i), busy + 1e-9) << path.Text("kind", i);
        experts += path.Text("kind", i) == "expert" ? 1 : 0;
    }
    EXPECT_GT(experts, 0U);
}

// With an EP rank for each GPU (ETP 1) a moved GPU takes a whole EP rank along: experts have no TP
// collectives, attention's cross as ever, and nothing is sent more or less for being planned.
TEST_F(ScenarioRun, ARankOfItsOwnMovesWithItsGpu)
{
    const ScenarioOverrides losing =
        With(Losing(R"(["t=1:dispatch gpu 7 down"])"),
             {{"parallel.ep", "32"}, {"parallel.etp", "1"}, {"model.experts", "32"}});
    const auto planned = RunSecond(losing);
    EXPECT_EQ(ResultColumns(planned, "/recoveries").Text("action", 0), "GPU 7 to spare GPU 64");
    const auto eps = RunSecond(With(losing, {{"routing.tp", "eps"}}));
    const auto sent = [](const std::vector<ResultTable>& result) {
        const ResultColumns rows(result, "/iterations");
        return rows.Number("bytes_circuit", 2) + rows.Number("bytes_packet", 2);
    };
    EXPECT_EQ(sent(planned), sent(eps));
    EXPECT_GT(sent(planned), 0);
    EXPECT_LE(GetLastDuration(planned), GetLastDuration(eps));
}

TEST_F(ScenarioRun, CheckpointsAreWrittenAndGoneBackTo)
{
    const ScenarioOverrides back = With(Losing(R"(["t=2:dispatch gpu 7 down"])"),
                                        {{"recovery.restoreFromPeers", "false"},
                                         {"recovery.checkpoint.interval", "2"},
                                         {"recovery.checkpoint.blockingShare", "0.5"}});
    const auto result = RunSecond(back);
    const ResultColumns rows(result, "/iterations");
    ASSERT_EQ(rows.GetNRows(), 3U);
    const double pause = rows.Number("start", 2) - rows.Number("end", 1);
    const ResultColumns row(result, "/recoveries");
    EXPECT_EQ(row.Number("resumed_at", 0), 2);
    EXPECT_EQ(row.Number("from_peers", 0), 0);
    EXPECT_GT(pause, row.Number("restore", 0));
    const auto faster = RunSecond(With(back, {{"recovery.checkpoint.serverRate", "80Gbps"}}));
    EXPECT_NEAR(ResultColumns(faster, "/recoveries").Number("restore", 0) * 10,
                row.Number("restore", 0),
                1e-6);
    const auto shared = RunSecond(With(back, {{"recovery.checkpoint.totalRate", "1Gbps"}}));
    EXPECT_GT(ResultColumns(shared, "/recoveries").Number("restore", 0), row.Number("restore", 0));
    const auto small = RunSecond(With(back, {{"recovery.checkpoint.optimizerBytes", "0"}}));
    EXPECT_NEAR(ResultColumns(small, "/recoveries").Number("restore", 0) * 7,
                row.Number("restore", 0),
                1e-6);
    const auto never = RunSecond(With(back, {{"recovery.checkpoint.interval", "0"}}));
    EXPECT_EQ(ResultColumns(never, "/recoveries").Number("resumed_at", 0), 0);
    EXPECT_EQ(ResultColumns(never, "/recoveries").Number("iterations_lost", 0), 2);
    EXPECT_EQ(ResultColumns(never, "/iterations").GetNRows(), 5U);
}

TEST_F(ScenarioRun, WithoutSparesTheJobShrinksOrEndsWithTwo)
{
    const ScenarioOverrides none =
        With(Losing(R"(["t=1:dispatch gpu 9 down"])"),
             {{"recovery.spares", R"({"regionGpus": 0, "globalServers": 0})"}});
    EXPECT_EQ(Run(none, "none"), 2);
    EXPECT_THAT(m_err.str(),
                HasSubstr("the job lost ranks: no spare for GPU 9 (replica 0, stage 0, EP rank 1, "
                          "TP rank 1)"));
    EXPECT_EQ(Run(With(none, {{"recovery.policy", "spare-or-shrink"}}), "shrink"), 0)
        << m_err.str();
    EXPECT_THAT(Bytes("shrink", "run-info.json"), HasSubstr("without replica 0"));
}

TEST_F(ScenarioRun, RecoveriesAreTheSameEveryTimeAndNeedNoTwin)
{
    const ScenarioOverrides losing =
        Losing(R"(["t=1:dispatch gpu 7 down", "t=1:backward server 5 down"])");
    ASSERT_EQ(Run(losing, "a"), 0) << m_err.str();
    ASSERT_EQ(Run(losing, "b"), 0);
    EXPECT_EQ(Bytes("a", "result.h5"), Bytes("b", "result.h5"));
    EXPECT_THAT(Bytes("a", "run-info.json"), HasSubstr("longer than without failures"));
    ASSERT_EQ(Run(With(losing, {{"twin", "false"}}), "c"), 0);
    EXPECT_THAT(Bytes("c", "run-info.json"), Not(HasSubstr("than without failures")));
}

// A small model, packets: the job goes on in this world, too.
TEST_F(ScenarioRun, JobsRecoverAtPacketFidelity)
{
    const ScenarioOverrides packets =
        With(Losing(R"(["t=1:dispatch gpu 7 down", "t=2:dispatch server 3 down"])"),
             {{"fidelity", "packet"},
              {"model.hiddenSize", "128"},
              {"model.ffnHiddenSize", "64"},
              {"batch.sequenceLength", "64"},
              {"batch.microBatches", "1"}});
    ASSERT_EQ(Run(packets, "packets"), 0) << m_err.str();
    EXPECT_THAT(
        Bytes("packets", "run-info.json"),
        AllOf(HasSubstr("GPU 7 to spare GPU 64"), HasSubstr("server 3 to spare server 10")));
}

TEST_F(ScenarioRun, RecoveryIsRefusedWhereItCannotBe)
{
    const ScenarioOverrides gpu = Losing(R"(["t=1:dispatch gpu 7 down"])");
    EXPECT_THAT(Refusal(With(gpu, {{"recovery.policy", "pray"}})),
                AllOf(HasSubstr("recovery.policy"), HasSubstr("spare-or-shrink")));
    EXPECT_THAT(Refusal(With(gpu, {{"recovery.spares.regionShare", "1.5"}})),
                HasSubstr("recovery.spares.regionShare"));
    EXPECT_THAT(Refusal(With(
                    gpu,
                    {{"recovery.spares.regionShare", "0.5"}, {"recovery.spares.regionGpus", "2"}})),
                HasSubstr("regionGpus"));
    EXPECT_THAT(Refusal(With(gpu, {{"fabrics", R"(["topoopt"])"}})),
                HasSubstr("no packet fabric to reach them"));
    EXPECT_THAT(Refusal(With(gpu, {{"recovery.checkpoint.blockingShare", "2"}})),
                HasSubstr("blockingShare"));
    EXPECT_THAT(
        Refusal(
            With(gpu, {{"recovery.checkpoint.sharded", "false"}, {"optimizer.sharding", "zero1"}})),
        AllOf(HasSubstr("checkpoint.sharded"), HasSubstr("optimizer.sharding none")));
    EXPECT_THAT(Refusal({{"twin", "true"}}), HasSubstr("twin"));
    EXPECT_EQ(Run(With(gpu, {{"cluster.switchRadix", "4"}, {"twin", "false"}}), "full"), 1);
    EXPECT_THAT(m_err.str(), HasSubstr("3 of the 11 servers are spares (recovery.spares)"));
}

namespace
{

/// @param starts of iterations 0, 1, ... @param took their durations @return a result with them
RunResult
MakeResult(const std::vector<double>& starts, const std::vector<double>& took)
{
    std::vector<uint32_t> numbers;
    std::vector<double> ends;
    for (std::size_t i = 0; i < starts.size(); ++i)
    {
        numbers.push_back(static_cast<uint32_t>(i));
        ends.push_back(starts[i] + took[i]);
    }
    RunResult result;
    ResultTable t("/iterations");
    t.Add("iteration", "1", numbers);
    t.Add("start", "s", starts);
    t.Add("end", "s", ends);
    result.tables.push_back(t);
    return result;
}

} // namespace

// A twin of 1 s iterations. The first failure is recovered from at 2 s: iteration 2 (1.2 s) follows
// it, then something else happens; iterations 3 and 4 (1.5 s and 1.7 s) follow that.
TEST(TwinComparison, SlowdownIsOverWholeIterationsThatFollow)
{
    const RunResult twin = MakeResult({0, 1, 2, 3, 4}, {1, 1, 1, 1, 1});
    RunResult run = MakeResult({0, 1, 2, 4, 5.5}, {1, 1, 1.2, 1.5, 1.7});
    ResultTable t("/failures");
    t.Add("kind", "text", std::vector<std::string>(3, "nic"));
    t.Add("element", "text", std::vector<std::string>(3, "0/1"));
    t.Add("action", "text", std::vector<std::string>{"down", "down", "up"});
    t.Add("at", "s", std::vector<double>{1.5, 1.6, 3.5});
    t.Add("reacted", "s", std::vector<double>{1.7, -1, 3.6});
    t.Add("recovered", "s", std::vector<double>{2, -1, -1});
    t.Add("noop", "1", std::vector<uint8_t>{0, 1, 0});
    run.tables.push_back(t);
    CompareWithTwin("fat-tree", twin, run);
    const ResultColumns rows(run.tables, "/failures");
    EXPECT_NEAR(rows.Number("slowdown", 0), 0.2, 1e-9);
    EXPECT_NEAR(rows.Number("slowdown", 2), 0.6, 1e-9);
    ASSERT_EQ(run.notes.size(), 2U);
    EXPECT_EQ(run.notes[0],
              "fat-tree: after nic 0/1 down iterations take 20.00 % longer than without failures");
}
