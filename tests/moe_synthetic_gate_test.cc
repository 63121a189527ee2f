/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The synthetic gate: statistics of measured routing, the same answer to the same question.

#include "moe_fixture.h"
#include "routing_statistics.h"

#include "ns3/double.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-json.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/synthetic-gate.h"
#include "ns3/uinteger.h"

#include <gmock/gmock.h>
#include <random>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

constexpr uint32_t EXPERTS = 64;
constexpr uint32_t RANKS = 8;
constexpr uint32_t ITERATIONS = 15;
constexpr uint32_t LAYERS = 104;

/// @return experts on ranks, copies, one replica and micro-batch
GateShape
Shape(uint32_t experts, uint32_t ranks, uint64_t copies)
{
    GateShape shape;
    shape.experts = EvenSplit(experts, ranks);
    shape.copies = copies;
    return shape;
}

/// @return a gate with the default attributes
Ptr<SyntheticGate>
MakeGate(const GateShape& shape = Shape(EXPERTS, RANKS, 24576), int64_t stream = 5)
{
    Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
    gate->AssignStreams(stream);
    gate->Configure(shape);
    return gate;
}

// What `./mixnet trace` computes, on the ESFT "intent" set (127 sequences, 8,222 tokens, 26 layers,
// sequence q on EP rank q mod 8, 15 groups of 8 sequences as iterations): Gini of the experts 0.41,
// largest over mean 3.8; by EP rank, all copies counted: top-30 % pair share 0.40 of the sum and
// 0.41 of one all-to-all, receive skew 1.45; correlation of the receive load 0.97 between
// iterations, 0.02 between layers, of all pairs 0.82 with equal rows.
TEST(SyntheticGate, HasTheStatisticsOfMeasuredRouting)
{
    const Ptr<SyntheticGate> gate = MakeGate();
    RoutingStatistics s(RANKS);
    Matrix<uint32_t> tokens;
    for (uint32_t layer = 0; layer < LAYERS; ++layer)
    {
        for (uint32_t i = 0; i < ITERATIONS; ++i)
        {
            gate->Route({i, layer, 0, 0}, tokens);
            s.Add(layer, tokens);
        }
    }
    EXPECT_NEAR(s.GetExpertGini(), 0.41, 0.02);
    EXPECT_NEAR(s.GetExpertSkew(), 3.8, 0.3);
    EXPECT_NEAR(s.GetTopShare(), 0.40, 0.02);
    EXPECT_NEAR(s.GetTopShareSingle(), 0.41, 0.02);
    EXPECT_NEAR(s.GetReceiveSkew(), 1.45, 0.05);
    EXPECT_NEAR(s.GetReceiveCorrelation(), 0.974, 0.01);
    EXPECT_NEAR(s.GetLayerCorrelation(), 0, 0.1);
    EXPECT_NEAR(s.GetPairCorrelation(), 0.817, 0.03);
}

/// A preset of gates, and what was measured: mean over layers.
struct MeasuredGate
{
    const char* preset;
    uint32_t experts;
    double gini; //!< of the experts' loads
    double skew; //!< largest over mean load
};

// Means over layers, of all 26 of DeepSeek-V2-Lite (rows with equal totals) and of layers 0, 7 and
// 15 of OLMoE and Mixtral. Tails were chosen so that E experts show the skew: of E uniform numbers
// the largest is E / (E + 1), its 16th power E / (E + 16) on average.
TEST(SyntheticGate, PresetsShowWhatWasMeasured)
{
    for (const MeasuredGate& m : {MeasuredGate{"deepseek-v2-lite-intent", 64, 0.411, 3.83},
                                  MeasuredGate{"deepseek-v2-lite-law", 64, 0.312, 3.55},
                                  MeasuredGate{"olmoe-books", 64, 0.372, 3.54},
                                  MeasuredGate{"olmoe-c4", 64, 0.212, 2.72},
                                  MeasuredGate{"mixtral-books", 8, 0.078, 1.19},
                                  MeasuredGate{"mixtral-c4", 8, 0.049, 1.11}})
    {
        SCOPED_TRACE(m.preset);
        SettingsLog log;
        const std::string folder = std::string(MIXNET_SOURCE_DIR) + "/workloads/gates/";
        const JsonReader preset = JsonReader::FromFile(folder + m.preset + ".json", &log);
        Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
        gate->SetAttribute("Gini", DoubleValue(preset.GetNumber("gini", "-1", 0, 1)));
        gate->SetAttribute("Tail", DoubleValue(preset.GetNumber("tail", "-1", 0, 1)));
        gate->SetAttribute("Noise", DoubleValue(preset.GetNumber("noise", "0.28", 0, 1)));
        gate->AssignStreams(5);
        gate->Configure(Shape(m.experts, RANKS, 24576));
        RoutingStatistics s(RANKS);
        Matrix<uint32_t> tokens;
        for (uint32_t layer = 0; layer < LAYERS; ++layer)
        {
            for (uint32_t i = 0; i < ITERATIONS; ++i)
            {
                gate->Route({i, layer, 0, 0}, tokens);
                s.Add(layer, tokens);
            }
        }
        EXPECT_NEAR(s.GetExpertGini(), m.gini, 0.05 * m.gini + 0.015);
        EXPECT_NEAR(s.GetExpertSkew(), m.skew, 0.08 * m.skew);
    }
}

// The published correlation of all pairs, 0.66 of deduplicated copies, is of rows whose totals vary
// by 11.5 % (sequences differ in length; micro-batches of a training job do not). So do ours then.
TEST(SyntheticGate, UnequalRowsGiveThePublishedPairCorrelation)
{
    const Ptr<SyntheticGate> gate = MakeGate();
    RoutingStatistics s(RANKS);
    Matrix<uint32_t> tokens;
    std::mt19937_64 rng(4);
    std::normal_distribution<double> total(1, 0.115);
    for (uint32_t layer = 0; layer < LAYERS; ++layer)
    {
        for (uint32_t i = 0; i < ITERATIONS; ++i)
        {
            gate->Route({i, layer, 0, 0}, tokens);
            for (uint32_t rank = 0; rank < RANKS; ++rank)
            {
                const double factor = total(rng);
                for (uint32_t e = 0; e < EXPERTS; ++e)
                {
                    tokens(rank, e) = static_cast<uint32_t>(tokens(rank, e) * factor);
                }
            }
            s.Add(layer, tokens);
        }
    }
    EXPECT_NEAR(s.GetPairCorrelation(), 0.66, 0.04);
    EXPECT_NEAR(s.GetReceiveCorrelation(), 0.97, 0.02);
}

// Gini of 1 + s (h - 1) is s times that of h; E experts show (E - 1) / E of it.
TEST(SyntheticGate, PopularityHasTheGiniAskedFor)
{
    for (const auto& [gini, tail] : std::vector<std::pair<double, double>>{{0.0, 0.15},
                                                                           {0.053, 0.15},
                                                                           {0.137, 0.0},
                                                                           {0.268, 0.15},
                                                                           {0.41, 0.15},
                                                                           {0.6, 0.6}})
    {
        Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
        gate->SetAttribute("Gini", DoubleValue(gini));
        gate->SetAttribute("Tail", DoubleValue(tail));
        gate->AssignStreams(1);
        gate->Configure(Shape(4096, 1, 1));
        std::vector<double> loads;
        double sum = 0;
        for (uint32_t e = 0; e < 4096; ++e)
        {
            loads.push_back(gate->GetPopularity(0, 0, e));
            EXPECT_GE(loads.back(), 0);
            sum += loads.back();
        }
        EXPECT_NEAR(sum / 4096, 1, 0.06) << gini;
        EXPECT_NEAR(GetGini(loads), gini, 0.02) << gini;
    }
}

TEST(SyntheticGate, TheSameQuestionHasTheSameAnswerInAnyOrder)
{
    const Ptr<SyntheticGate> gate = MakeGate();
    const Ptr<SyntheticGate> again = MakeGate();
    const Ptr<SyntheticGate> other = MakeGate(gate->GetShape(), 6);
    const std::vector<GateQuery> queries = {{0, 0, 0, 0},
                                            {1, 0, 0, 0},
                                            {0, 1, 0, 0},
                                            {0, 0, 1, 0},
                                            {0, 0, 0, 1}};
    std::vector<Matrix<uint32_t>> first(queries.size());
    for (std::size_t q = 0; q < queries.size(); ++q)
    {
        gate->Route(queries[q], first[q]);
        for (std::size_t before = 0; before < q; ++before)
        {
            EXPECT_NE(first[q].Data(), first[before].Data()) << q << " and " << before;
        }
    }
    Matrix<uint32_t> tokens;
    for (std::size_t q = queries.size(); q-- > 0;)
    {
        again->Route(queries[q], tokens);
        EXPECT_EQ(tokens.Data(), first[q].Data()) << q;
        other->Route(queries[q], tokens);
        EXPECT_NE(tokens.Data(), first[q].Data()) << q;
    }
    gate->Configure(gate->GetShape()); // the helper and the engine both do
    gate->Route(queries[0], tokens);
    EXPECT_EQ(tokens.Data(), first[0].Data());
    RngSeedManager::SetRun(7);
    const Ptr<SyntheticGate> seeded = MakeGate();
    RngSeedManager::SetRun(1);
    seeded->Route(queries[0], tokens);
    EXPECT_NE(tokens.Data(), first[0].Data());
}

// Route() checks every row against the copies; here the extremes of what it may be given.
TEST(SyntheticGate, RowsAreExactToTheCopy)
{
    for (const auto& shape : {Shape(1, 1, 7),
                              Shape(8, 8, 1),
                              Shape(60, 16, 65536),
                              Shape(256, 64, 262144),
                              Shape(256, 2, UINT32_MAX)})
    {
        Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
        gate->SetAttribute("Noise", DoubleValue(1));
        gate->AssignStreams(2);
        gate->Configure(shape);
        Matrix<uint32_t> tokens;
        gate->Route({3, 2, 1, 0}, tokens);
        uint64_t sum = 0;
        for (const uint32_t copies : tokens.Data())
        {
            sum += copies;
        }
        EXPECT_EQ(sum, shape.copies * shape.GetRanks());
    }
}

// u moves by 0.5 to 1.5 / Drift per iteration: by 0.05 at most over 10 of 300, where
// du = 0.05 changes h = 1.7 u + 2.55 u^16 by at most (1.7 + 40.8) x 0.05 = 2.1; after 300 its
// distribution is as before and its order is forgotten.
TEST(SyntheticGate, PopularityDriftsAndKeepsItsDistribution)
{
    Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
    gate->SetAttribute("Drift", UintegerValue(300));
    gate->AssignStreams(3);
    gate->Configure(Shape(2048, 1, 1));
    const auto at = [&gate](uint32_t iteration) {
        std::vector<double> loads;
        for (uint32_t e = 0; e < 2048; ++e)
        {
            loads.push_back(gate->GetPopularity(iteration, 0, e));
        }
        return loads;
    };
    const auto start = at(0);
    EXPECT_GT(GetCorrelation(start, at(1)), 0.99);
    EXPECT_LT(GetCorrelation(start, at(1)), 1);
    EXPECT_GT(GetCorrelation(start, at(10)), 0.8);
    EXPECT_LT(std::abs(GetCorrelation(start, at(3000))), 0.1);
    for (const uint32_t iteration : {1, 77, 300, 3000, 100000})
    {
        EXPECT_NEAR(GetGini(at(iteration)), 0.41, 0.02) << iteration;
    }
    gate->SetAttribute("Drift", UintegerValue(0));
    EXPECT_EQ(at(0), start);
    EXPECT_EQ(at(100000), start);
}

TEST(SyntheticGate, RefusesWhatNoDistributionHas)
{
    Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
    gate->SetAttribute("Gini", DoubleValue(0.6));
    try
    {
        gate->Configure(Shape(8, 8, 8));
        FAIL() << "accepted";
    }
    catch (const InputError& e)
    {
        EXPECT_THAT(e.what(), HasSubstr("gate.gini"));
        EXPECT_THAT(e.what(), HasSubstr("at most 0.417 with a tail of 0.15"));
        EXPECT_THAT(e.what(), HasSubstr("0.6 takes a tail of 0.48"));
    }
    ASSERT_EQ(gate->GetNotes().size(), 1U);
    EXPECT_EQ(gate->GetNotes()[0],
              "token routing is synthetic: gini 0.6, tail 0.15, noise 0.28, drift over 1000 "
              "iterations");
}

} // namespace
