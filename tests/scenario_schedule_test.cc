/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Schedules of the passes in a scenario, with every policy of the controllers.

#include "scenario_run_fixture.h"

#include <algorithm>

using namespace ns3;
using testing::HasSubstr;

namespace
{

/// Scenarios of two stages.
class ScenarioSchedule : public ScenarioRun
{
  protected:
    /// @param schedule schedule @param more command line @return it on two stages, 6 micro-batches
    static ScenarioOverrides Two(const std::string& schedule, const ScenarioOverrides& more = {})
    {
        ScenarioOverrides all{{"parallel.tp", "4"},
                              {"parallel.pp", "2"},
                              {"batch.microBatches", "6"},
                              {"schedule", schedule}};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    /// @param overrides command line @param output folder @return summaries of its runs
    nlohmann::json Play(const ScenarioOverrides& overrides, const std::string& output)
    {
        EXPECT_EQ(Run(overrides, output), 0) << m_err.str();
        return Summary(output);
    }
};

// The schedule reaches the engine: same bytes, other times; expert all-to-alls hide where passes
// overlap, and the tail is filled where backward passes are split.
TEST_F(ScenarioSchedule, ReachesTheEngine)
{
    const auto plain = Play(Two("1f1b"), "plain")[0];
    for (const std::string name : {"1f1b-overlap", "zb-h1"})
    {
        const auto other = Play(Two(name), name)[0];
        EXPECT_EQ(other["bytes_packet"], plain["bytes_packet"]) << name;
        EXPECT_LT(other["iteration_time_s"].get<double>(), plain["iteration_time_s"].get<double>())
            << name;
    }
    EXPECT_LT(Summary("1f1b-overlap")[0]["exposed_s"].get<double>(),
              0.9 * plain["exposed_s"].get<double>());
    EXPECT_GT(Summary("1f1b-overlap")[0]["hidden_share"].get<double>(),
              plain["hidden_share"].get<double>() + 0.1);
    Play(Two("1f1b-overlap", {{"parallel.vpp", "2"}, {"model.layers", "4"}}), "chunks");
}

// Two all-to-alls of a group may wait, switch and move at a time: every policy ends with the bytes
// of one pass at a time.
TEST_F(ScenarioSchedule, EveryPolicyServesTwoPassesAtATime)
{
    const auto bytes = [](const nlohmann::json& run) {
        return run["bytes_packet"].get<double>() + run["bytes_circuit"].get<double>();
    };
    for (const std::string policy :
         {"paper", "previous", "predicted", "per-iteration", "never", "gain"})
    {
        const ScenarioOverrides with{{"fabrics.1.policy", policy}};
        const auto plain = Play(Two("1f1b", with), policy)[1];
        for (const std::string name : {"1f1b-overlap", "zb-h1"})
        {
            const auto run = Play(Two(name, with), name + policy)[1];
            EXPECT_NEAR(bytes(run), bytes(plain), 1e-9 * bytes(plain)) << name << policy;
            EXPECT_GT(run["bytes_circuit"].get<double>(), 0) << name << policy;
        }
    }
    // Packets: the smallest job that changes circuits.
    const auto run = Play(Two("1f1b-overlap",
                              {{"fidelity", "packet"},
                               {"iterations", "1"},
                               {"batch.sequenceLength", "32"},
                               {"batch.microBatches", "3"}}),
                          "packets")[1];
    EXPECT_GT(run["bytes_circuit"].get<double>(), 0);
}

TEST_F(ScenarioSchedule, WhatCannotBeDoneIsRefused)
{
    EXPECT_THAT(Refusal(Two("zb-h1", {{"parallel.vpp", "2"}})),
                HasSubstr("'zb-h1' with parallel.vpp 2"));
    EXPECT_THAT(Refusal(Two("1f1b-overlap", {{"parallel.vpp", "2"}, {"batch.microBatches", "3"}})),
                HasSubstr("'1f1b-overlap' with 3 micro-batches on 2 stages"));
    EXPECT_EQ(Refusal(Two("1f1b-overlap", {{"batch.microBatches", "3"}})), "");
    EXPECT_THAT(Refusal(Two("dualpipe")), HasSubstr("1f1b-overlap"));
}

// The part of a backward time that gradients of weights take, as measured or by FLOPs.
TEST_F(ScenarioSchedule, MeasuredTimesSayHowABackwardPassSplits)
{
    const auto weights = [this](const std::string& attention, const std::string& expert) {
        const Scenario s =
            ReadScenario((m_dir / "small.json").string(),
                         m_dir.string(),
                         {{"compute", "measured"},
                          {"computeTimes",
                           R"({"attention": {"forward": "3ms", "backward": "5ms")" + attention +
                               R"(}, "gate": {"forward": "1ms"}, "expert": {)" + expert + "}}"}});
        const TrainingRun run(s, {0, s.fabrics.at(0), s.compute.at(0)}, nullptr);
        std::vector<Time> times;
        for (const OpSize& size : run.Summarize().ops)
        {
            times.push_back(size.weightGradient);
        }
        return times;
    };
    const std::string expert = R"("forward": "4ms", "copies": 1024)";
    // 512 tokens at top-2 of 8 ranks: 1,024 copies per expert; half of 8 ms. No core of attention
    // is measured apart: its share of FLOPs is that of the model.
    EXPECT_EQ(weights(R"(, "weight": "2ms")", expert),
              (std::vector<Time>{MilliSeconds(2), MilliSeconds(1), MilliSeconds(4)}));
    EXPECT_LT(weights("", expert)[0], MicroSeconds(2500));
    EXPECT_GT(weights("", expert)[0], MicroSeconds(2000));
    EXPECT_EQ(weights("", expert + R"(, "weight": "5ms")")[2], MilliSeconds(5));
    const std::string table =
        R"("table": [{"copies": 512, "forward": "2ms", "weight": "1ms"},
                     {"copies": 1536, "forward": "6ms", "weight": "5ms"}])";
    EXPECT_EQ(weights("", table)[2], MilliSeconds(3));

    const auto refusal = [this](const std::string& attention, const std::string& rows) {
        return Refusal({{"compute", "measured"},
                        {"computeTimes",
                         R"({"attention": {"forward": "3ms")" + attention +
                             R"(}, "gate": {"forward": "1ms"}, "expert": {)" + rows + "}}"}});
    };
    EXPECT_THAT(refusal(R"(, "weight": "7ms")", expert),
                HasSubstr("longer than the backward pass"));
    EXPECT_THAT(refusal("",
                        R"("table": [{"copies": 1, "forward": "2ms", "weight": "1ms"},
                                     {"copies": 9, "forward": "6ms"}])"),
                HasSubstr("a weight in 1 of 2 rows"));
}

} // namespace
