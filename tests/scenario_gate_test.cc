/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Where tokens go in scenarios: every key moves a figure or is refused.

#include "result_columns.h"
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

TEST_F(ScenarioRun, GatePresetsGiveWhatWasMeasured)
{
    fs::copy(fs::path(MIXNET_SOURCE_DIR) / "workloads/gates", m_dir / "gates");
    EXPECT_EQ(Run(With({{"gate", "olmoe-books"}}), "books"), 0) << m_err.str();
    EXPECT_EQ(Run(With({{"gate.type", "synthetic"}, {"gate.gini", "0.38"}, {"gate.tail", "0.16"}}),
                  "by-hand"),
              0);
    EXPECT_EQ(Run(With({{"gate.preset", "olmoe-books"}, {"gate.gini", "0.2"}}), "less"), 0);
    const auto time = [this](const std::string& name) {
        return Summary(name)[0]["iteration_time_s"].get<double>();
    };
    EXPECT_EQ(time("books"), time("by-hand"));
    EXPECT_LT(time("less"), time("books"));
    const auto info = nlohmann::json::parse(Bytes("books", "run-info.json"))["runs"][0];
    EXPECT_THAT(
        info["notes"].dump(),
        HasSubstr("gini 0.38, tail 0.16, noise 0.28, drift over 1000 iterations; "
                  "preset olmoe-books, which measured gini, tail; what else is set is assumed"));

    EXPECT_THAT(Refusal({{"gate", "gpt-9"}}), HasSubstr("deepseek-v2-lite-intent"));
    EXPECT_THAT(Refusal({{"gate.preset", "olmoe-c4"}, {"gate.type", "uniform"}}),
                HasSubstr("'olmoe-c4' with type 'uniform'"));
    EXPECT_THAT(Refusal({{"gate.preset", "olmoe-c4"}, {"gate.trace", "a.h5"}}),
                HasSubstr("'olmoe-c4' with a trace"));
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

/// @param of EP rank of an expert @return a list for 64 experts
std::string
MakeRanks(uint32_t (*of)(uint32_t))
{
    std::string list = "[";
    for (uint32_t e = 0; e < 64; ++e)
    {
        list += (e == 0 ? "" : ",") + std::to_string(of(e));
    }
    return list + "]";
}

// Eight experts per EP rank: what a placement does to a skewed gate shows in the time, and balance
// is faster than contiguous groups.
TEST_F(ScenarioRun, PlacementMovesTheIteration)
{
    const auto time = [this](const ScenarioOverrides& more, const std::string& name) {
        ScenarioOverrides all = With({{"model.experts", "64"}, {"gate.type", "synthetic"}});
        all.insert(all.end(), more.begin(), more.end());
        EXPECT_EQ(Run(all, name), 0) << m_err.str();
        return Summary(name)[0]["iteration_time_s"].get<double>();
    };
    const double contiguous = time({}, "contiguous");
    EXPECT_EQ(time({{"experts.placement", "contiguous"}}, "named"), contiguous);
    EXPECT_EQ(time({{"experts.placement", "given"},
                    {"experts.ranks", MakeRanks([](uint32_t e) { return e / 8; })}},
                   "as-contiguous"),
              contiguous);
    const double robin = time({{"experts.placement", "round-robin"}}, "robin");
    EXPECT_NE(robin, contiguous);
    EXPECT_EQ(time({{"experts.placement", "given"},
                    {"experts.ranks", MakeRanks([](uint32_t e) { return e % 8; })}},
                   "as-robin"),
              robin);
    const double packed = time({{"experts.placement", "balanced"}}, "packed");
    EXPECT_LT(packed, contiguous);
    EXPECT_NE(time({{"experts.placement", "balanced"}, {"experts.redundant", "8"}}, "more"),
              packed);
}

TEST_F(ScenarioRun, RefusesPlacementsThatDoNotFit)
{
    EXPECT_THAT(Refusal({{"experts.placement", "random"}}),
                HasSubstr("contiguous, round-robin, given, balanced"));
    EXPECT_THAT(Refusal({{"experts.redundant", "8"}}), HasSubstr("experts.redundant"));
    EXPECT_THAT(Refusal({{"experts.placement", "given"}}),
                HasSubstr("experts.ranks: 0 ranks for 8 experts"));
    EXPECT_THAT(Refusal({{"experts.placement", "given"}, {"experts.ranks", "[0,1,2,3,4,5,6,8]"}}),
                HasSubstr("EP ranks, 0 to 7"));
    EXPECT_THAT(Refusal({{"experts.placement", "given"}, {"experts.ranks", "[0,1,2,-3]"}}),
                HasSubstr("whole numbers"));
    EXPECT_THAT(Refusal({{"experts.placement", "balanced"}, {"experts.redundant", "3"}}),
                HasSubstr("(8 experts + 3) / EP 8"));
    EXPECT_THAT(Refusal({{"experts.placement", "balanced"}, {"experts.redundant", "64"}}),
                HasSubstr("at most 56"));
}

// With a factor of 1 per rank, skewed routing loses copies, bytes and time; the table counts them,
// and a factor of 8 (an expert could take all) drops none.
TEST_F(ScenarioRun, CapacityDropsCopies)
{
    const auto column = [this](const ScenarioOverrides& more, const std::string& name) {
        ScenarioOverrides all = With({{"gate.type", "synthetic"}});
        all.insert(all.end(), more.begin(), more.end());
        const Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), all);
        SharedProgress progress(1);
        TrainingRun run(s, {0, s.fabrics.at(0), s.compute.at(0)}, nullptr);
        const RunResult result = run.Run(progress.At(0), nullptr);
        EXPECT_EQ(result.status, RunStatus::DONE) << result.message;
        return uint64_t(ResultColumns(result.tables, "/iterations").Number(name, 0));
    };
    const uint64_t copies = 8 * 3 * 512 * 2; // ranks, layers, tokens, top-2
    EXPECT_EQ(column({}, "token_copies"), copies);
    EXPECT_EQ(column({}, "dropped_copies"), 0U);
    EXPECT_EQ(column({{"gate.capacityFactor", "8"}}, "dropped_copies"), 0U);
    const ScenarioOverrides rank = {{"gate.capacityFactor", "1"}};
    const ScenarioOverrides group = {{"gate.capacityFactor", "1"}, {"gate.capacityScope", "group"}};
    EXPECT_EQ(column(rank, "token_copies"), copies);
    const uint64_t byRank = column(rank, "dropped_copies");
    const uint64_t byGroup = column(group, "dropped_copies");
    EXPECT_GT(byGroup, copies / 20);
    EXPECT_GT(byRank, byGroup); // what a rank has too much, another may have too little
    EXPECT_LT(column(rank, "bytes_packet"), column({}, "bytes_packet"));

    EXPECT_THAT(Refusal({{"gate.capacityFactor", "-1"}}), HasSubstr("gate.capacityFactor"));
    EXPECT_THAT(Refusal({{"gate.capacityFactor", "0.0001"}}), HasSubstr("from 0.001 on"));
    EXPECT_THAT(Refusal({{"gate.capacityScope", "group"}}), HasSubstr("gate.capacityScope"));
}

} // namespace
