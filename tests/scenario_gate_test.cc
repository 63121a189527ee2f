/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Where tokens go in scenarios: every key moves a figure or is refused.

#include "scenario_run_fixture.h"

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

const ScenarioOverrides SHORT = {{"iterations", "1"},
                                 {"batch.microBatches", "1"},
                                 {"fabrics", R"(["fat-tree"])"}};

/// @param more overrides @return SHORT and them
ScenarioOverrides
With(const ScenarioOverrides& more)
{
    ScenarioOverrides all = SHORT;
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

// Skewed routing is slower than balanced routing, every key of the synthetic gate and the seed
// change the time, and the same scenario gives the same time.
TEST_F(ScenarioRun, SyntheticGateMovesTheIteration)
{
    const auto time = [this](const ScenarioOverrides& more, const std::string& name) {
        EXPECT_EQ(Run(With(more), name), 0) << m_err.str();
        return Summary(name)[0]["iteration_time_s"].get<double>();
    };
    const double uniform = time({}, "uniform");
    const double skewed = time({{"gate.type", "synthetic"}}, "skewed");
    EXPECT_GT(skewed, 1.05 * uniform);
    EXPECT_EQ(time({{"gate.type", "synthetic"}}, "again"), skewed);
    for (const auto& [key, value] : ScenarioOverrides{{"gate.gini", "0.1"},
                                                      {"gate.tail", "0.9"},
                                                      {"gate.noise", "0"},
                                                      {"gate.drift", "0"},
                                                      {"seed", "2"}})
    {
        ScenarioOverrides more = {{"gate.type", "synthetic"}, {"iterations", "2"}};
        const double before = time(more, "before-" + key);
        more.emplace_back(key, value);
        EXPECT_NE(time(more, key), before) << key;
    }
    EXPECT_LT(
        time({{"gate.type", "synthetic"}, {"gate.gini", "0.1"}, {"gate.noise", "0.1"}}, "mild"),
        skewed);
}

TEST_F(ScenarioRun, RefusesGatesThatMakeNoSense)
{
    EXPECT_THAT(Refusal({{"gate.type", "zipf"}}), HasSubstr("trace, uniform, synthetic"));
    EXPECT_THAT(Refusal({{"gate.gini", "0.3"}}), HasSubstr("gate.gini"));
    EXPECT_THAT(Refusal({{"gate.type", "synthetic"}, {"gate.gini", "0.6"}}),
                HasSubstr("takes a tail of 0.48"));
    EXPECT_THAT(Refusal({{"gate.type", "synthetic"}, {"gate.noise", "-1"}}),
                HasSubstr("gate.noise"));
    EXPECT_THAT(Refusal({{"gate.type", "synthetic"}, {"gate.trace", "a.h5"}}),
                HasSubstr("gate.trace"));
    EXPECT_EQ(Refusal({{"gate.type", "synthetic"}, {"gate.gini", "0.6"}, {"gate.tail", "0.5"}}),
              "");
}

} // namespace
