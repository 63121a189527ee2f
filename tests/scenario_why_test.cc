/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Why an iteration took as long as it did: critical path, bottlenecks, slack, predictions.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Small enough for the packet world.
const ScenarioOverrides SMALL{{"model.layers", "2"}, {"batch.sequenceLength", "64"}};

/// @param more overrides beside SMALL @return all of them
ScenarioOverrides
With(ScenarioOverrides more)
{
    more.insert(more.end(), SMALL.begin(), SMALL.end());
    return more;
}

// Laws: the critical path has no gaps and is as long as the iteration; /bottlenecks adds up to it;
// the load of what bounded an operation is no longer than its time (a lower bound of it), the
// runner-up's no larger. In both worlds.
TEST_F(ScenarioRun, WhatBoundedTheCriticalPathAddsUpToTheIteration)
{
    for (const char* fidelity : {"flow", "packet"})
    {
        const auto tables = RunSecond(With({{"fidelity", fidelity}}));
        const ResultColumns iterations(tables, "/iterations");
        const ResultColumns path(tables, "/critical_path");
        const ResultColumns b(tables, "/bottlenecks");
        std::map<double, double> length;
        std::map<double, double> at;
        std::size_t bounded = 0;
        for (std::size_t i = 0; i < path.GetNRows(); ++i)
        {
            const double iteration = path.Number("iteration", i);
            const double start = path.Number("start", i);
            const double end = path.Number("end", i);
            EXPECT_NEAR(start, at.count(iteration) != 0 ? at[iteration] : start, 1e-11);
            at[iteration] = end;
            length[iteration] += end - start;
            const double busy = end - start - path.Number("waited", i);
            const std::string kind = path.Text("resource_kind", i);
            EXPECT_LE(path.Number("resource_load", i), busy + 1e-9) << path.Text("kind", i);
            EXPECT_LE(path.Number("next_load", i), path.Number("resource_load", i) + 1e-12);
            EXPECT_NE(kind, "") << path.Text("kind", i);
            bounded += kind == "circuit" || kind == "nic" ? 1 : 0;
        }
        EXPECT_GT(bounded, 0U) << fidelity;
        std::map<double, double> sum;
        std::map<double, double> share;
        for (std::size_t i = 0; i < b.GetNRows(); ++i)
        {
            sum[b.Number("iteration", i)] += b.Number("time", i);
            share[b.Number("iteration", i)] += b.Number("share", i);
        }
        for (std::size_t i = 0; i < iterations.GetNRows(); ++i)
        {
            const double n = iterations.Number("iteration", i);
            const double duration = iterations.Number("end", i) - iterations.Number("start", i);
            EXPECT_NEAR(length[n], duration, 1e-10);
            EXPECT_NEAR(sum[n], duration, 1e-10);
            EXPECT_NEAR(share[n], 1, 1e-9);
        }
    }
}

// An operation on the critical path has no slack; whatever has slack may end that much later, so no
// successor on its stage starts before its latest end. With two stages something has slack: the
// passes of the first stage around the bubble.
TEST_F(ScenarioRun, CriticalOperationsHaveNoSlackAndOthersHave)
{
    const auto tables =
        RunSecond(With({{"parallel.pp", "2"}, {"parallel.ep", "4"}, {"optical.alpha", "3"}}));
    const ResultColumns ops(tables, "/ops");
    std::size_t loose = 0;
    for (std::size_t i = 0; i < ops.GetNRows(); ++i)
    {
        const double slack = ops.Number("slack", i);
        EXPECT_GE(slack, 0);
        loose += slack > 0 ? 1 : 0;
        if (ops.Number("critical", i) != 0)
        {
            EXPECT_EQ(slack, 0) << ops.Text("kind", i);
        }
    }
    EXPECT_GT(loose, 0U);
    EXPECT_LT(loose, ops.GetNRows());
    const ResultColumns slack(tables, "/slack");
    double counted = 0;
    for (std::size_t i = 0; i < slack.GetNRows(); ++i)
    {
        counted += slack.Number("ops", i);
        EXPECT_LE(slack.Number("least", i), slack.Number("mean", i) + 1e-12);
        if (slack.Number("critical", i) > 0)
        {
            EXPECT_EQ(slack.Number("least", i), 0);
        }
    }
    EXPECT_EQ(counted, static_cast<double>(ops.GetNRows()));
}

/// @param why lines of a run @param phase phase @return its line
nlohmann::json
Find(const nlohmann::json& why, const std::string& phase)
{
    for (const auto& line : why)
    {
        if (line["phase"] == phase)
        {
            return line;
        }
    }
    ADD_FAILURE() << "no " << phase;
    return {};
}

TEST_F(ScenarioRun, TheSummaryNamesSlowNicsDarkTimeAndStragglers)
{
    // 1 Gb/s against a GPU: dispatch and combine take nearly all the time, on NICs or circuits.
    ASSERT_EQ(Run({{"cluster.nicRate", "1Gbps"}}, "slow"), 0) << m_err.str();
    const auto fatTree = Summary("slow")[0]["why"];
    EXPECT_TRUE(fatTree[0]["phase"] == "dispatch" || fatTree[0]["phase"] == "combine" ||
                fatTree[0]["phase"] == "gradient-sync");
    EXPECT_EQ(Find(fatTree, "dispatch")["resource_kind"], "nic");
    EXPECT_GT(Find(fatTree, "dispatch")["explained"].get<double>(), 0.9);
    EXPECT_NE(Find(fatTree, "dispatch")["resource_name"].get<std::string>().find("nic"),
              std::string::npos);
    double all = 0;
    for (const auto& line : fatTree)
    {
        all += line["share"].get<double>();
    }
    EXPECT_NEAR(all, 1, 1e-9);

    ASSERT_EQ(Run({{"optical.switchingDelay", "1s"}}, "dark"), 0) << m_err.str();
    const auto dark = Summary("dark")[1]["why"];
    EXPECT_EQ(dark[0]["phase"], "waiting for circuits");
    EXPECT_EQ(dark[0]["resource_kind"], "dark");
    EXPECT_GT(dark[0]["share"].get<double>(), 0.9);
    EXPECT_EQ(Summary("dark")[0]["why"][0]["resource_kind"] == "dark", false) << "a fat-tree";

    ASSERT_EQ(Run({{"computeVariation.slowGpus.42", "4"}}, "gpu"), 0) << m_err.str();
    const auto straggler = Find(Summary("gpu")[0]["why"], "attention");
    EXPECT_EQ(straggler["resource_kind"], "gpu");
    EXPECT_EQ(straggler["resource_name"], "server 5 gpu 0") << "its rank, by its first GPU";
    EXPECT_NEAR(straggler["next"].get<double>(), 0.25, 1e-6) << "the others need a quarter";
    EXPECT_NEAR(straggler["explained"].get<double>(), 1, 1e-9);
}

TEST_F(ScenarioRun, PredictionsAreJudged)
{
    const auto tables = RunSecond({{"fabrics.1.policy", "predicted"},
                                   {"optical.predictor", "last-iteration"},
                                   {"gate.type", "synthetic"},
                                   {"optical.alpha", "3"}});
    const ResultColumns p(tables, "/predictions");
    // 3 layers, 2 micro-batches; the first iteration has nothing to go by, but a predictor may
    // learn from the first micro-batch.
    EXPECT_GE(p.GetNRows(), 6U);
    double misplaced = 0;
    for (std::size_t i = 0; i < p.GetNRows(); ++i)
    {
        EXPECT_EQ(p.Number("top", i), 2) << "a quarter of eight servers";
        EXPECT_GE(p.Number("pair_error", i), p.Number("receiver_error", i) - 1e-12)
            << "sums of pairs lose no more than the pairs";
        EXPECT_LE(p.Number("pair_error", i), 1);
        EXPECT_NEAR(p.Number("misplaced", i), p.Number("pair_error", i) * p.Number("bytes", i), 1);
        EXPECT_GT(p.Number("finish", i), 0);
        misplaced += p.Number("misplaced", i);
    }
    EXPECT_GT(misplaced, 0);
    for (const ResultTable& t : RunSecond({}))
    {
        EXPECT_NE(t.GetName(), "/predictions") << "the paper's rule predicts nothing";
    }
}

TEST_F(ScenarioRun, ACorrectionAddsNoMoreCircuitsThanAllowed)
{
    const auto changes = [this](const std::string& policy) {
        const auto tables = RunSecond({{"fabrics.1.policy", policy},
                                       {"optical.predictor", "uniform"},
                                       {"gate.type", "synthetic"},
                                       {"optical.alpha", "3"},
                                       {"optical.switchingDelay", "0ms"}});
        const ResultColumns d(tables, "/decisions");
        std::pair<double, double> sum; // after dispatches, and the most of one
        for (std::size_t i = 0; i < d.GetNRows(); ++i)
        {
            if (d.Text("phase", i) == "forward-dispatch" && d.Text("event", i) == "finished")
            {
                sum.first += d.Number("changed", i);
                sum.second = std::max(sum.second, d.Number("changed", i));
                if (policy != "predicted" && d.Number("changed", i) > 0)
                {
                    EXPECT_LT(d.Number("predicted_proposed", i), d.Number("predicted_current", i))
                        << "only where it pays";
                }
            }
            if (policy != "predicted" && d.Text("phase", i) == "forward-combine")
            {
                EXPECT_EQ(d.Number("changed", i), 0) << "it only waits";
            }
        }
        return sum;
    };
    const auto all = changes("predicted");
    const auto one = changes("ns3::PredictedReconfigurationPolicy[CorrectionCircuits=1]");
    EXPECT_GT(all.second, 1);
    EXPECT_EQ(one.second, 1);
    EXPECT_LT(one.first, all.first);
}

} // namespace
