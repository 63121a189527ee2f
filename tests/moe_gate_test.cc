/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/largest-remainder.h"
#include "ns3/mixnet-error.h"
#include "ns3/token-trace.h"
#include "ns3/trace-gate.h"
#include "ns3/traffic-matrix.h"
#include "ns3/uniform-gate.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

/// @return a trace whose count at (i, l, r, e) is 1000 i + 100 l + 10 r + e + 1
std::shared_ptr<TokenTrace>
CountingTrace(uint32_t iterations, uint32_t layers, uint32_t ranks, uint32_t destinations)
{
    auto trace = std::make_shared<TokenTrace>();
    trace->iterations = iterations;
    trace->layers = layers;
    trace->ranks = ranks;
    trace->destinations = destinations;
    trace->experts = destinations;
    trace->source = "counting";
    for (uint32_t i = 0; i < iterations; ++i)
    {
        for (uint32_t l = 0; l < layers; ++l)
        {
            for (uint32_t r = 0; r < ranks; ++r)
            {
                for (uint32_t e = 0; e < destinations; ++e)
                {
                    trace->tokens.push_back(1000 * i + 100 * l + 10 * r + e + 1);
                }
            }
        }
    }
    return trace;
}

/// @return experts over ranks, copies, D = 2, M = 3
GateShape
Shape(uint32_t experts, uint32_t ranks, uint64_t copies)
{
    GateShape shape;
    shape.experts = EvenSplit(experts, ranks);
    shape.replicas = 2;
    shape.microBatches = 3;
    shape.copies = copies;
    return shape;
}

/// @param trace trace @param shape shape @return a configured gate
Ptr<TraceGate>
MakeTraceGate(std::shared_ptr<const TokenTrace> trace, const GateShape& shape)
{
    Ptr<TraceGate> gate = CreateObject<TraceGate>();
    gate->SetTrace(std::move(trace));
    gate->Configure(shape);
    return gate;
}

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

TEST(EvenSplit, FirstPartsTakeOneMore)
{
    const EvenSplit split(61, 16); // 13 of 4, 3 of 3
    uint32_t item = 0;
    for (uint32_t part = 0; part < 16; ++part)
    {
        EXPECT_EQ(split.GetCount(part), part < 13 ? 4U : 3U);
        EXPECT_EQ(split.GetFirst(part), item);
        for (uint32_t i = 0; i < split.GetCount(part); ++i)
        {
            EXPECT_EQ(split.GetPart(item++), part);
        }
    }
    EXPECT_EQ(item, 61U);
    EXPECT_EQ(split.GetFirst(16), 61U);
    EXPECT_FALSE(split.IsEven());
    EXPECT_TRUE(EvenSplit(56, 8).IsEven());
}

// Hamilton's method by hand: 10 seats for 41, 47, 12 of 100 are 4.1, 4.7, 1.2, so 4 + 5 + 1; equal
// thirds of 10 leave one seat, which goes to the first.
TEST(LargestRemainder, ByHand)
{
    LargestRemainder method;
    std::vector<uint32_t> shares;
    EXPECT_TRUE(method.Share({41, 47, 12}, 10, shares));
    EXPECT_EQ(shares, (std::vector<uint32_t>{4, 5, 1}));
    EXPECT_TRUE(method.Share({7, 7, 7}, 10, shares));
    EXPECT_EQ(shares, (std::vector<uint32_t>{4, 3, 3}));
    EXPECT_TRUE(method.Share({0, 3, 0}, 5, shares));
    EXPECT_EQ(shares, (std::vector<uint32_t>{0, 5, 0}));
    EXPECT_FALSE(method.Share({0, 0}, 5, shares));
    EXPECT_EQ(shares, (std::vector<uint32_t>{0, 0}));
}

// Laws on random weights: exact totals, and every share within one of the exact quota.
TEST(LargestRemainder, ExactTotalsWithinOneOfTheQuota)
{
    std::mt19937_64 rng(1);
    LargestRemainder method;
    std::vector<uint32_t> shares;
    for (int n = 0; n < 2000; ++n)
    {
        std::vector<uint64_t> weights(1 + rng() % 64);
        for (uint64_t& w : weights)
        {
            w = rng() % 4 == 0 ? 0 : rng() % 100000;
        }
        weights[0] += 1;
        const uint64_t total = rng() % 1000000;
        const uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t(0));
        ASSERT_TRUE(method.Share(weights, total, shares));
        ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), uint64_t(0)), total);
        for (std::size_t i = 0; i < weights.size(); ++i)
        {
            ASSERT_GE(shares[i], weights[i] * total / sum);
            ASSERT_LE(shares[i] * sum, weights[i] * total + sum);
        }
    }
}

// (i, l, d, m, r) = (1, 3, 1, 2, 3) with I = 5, L = 2, R = 2, D = 2, M = 3: layer 3 mod 2 = 1;
// moment 1 x 3 x 2 + 1 x 3 + 2 + (3 div 2) x 7919 = 7930, mod 5 = 0; rank 3 mod 2 = 1.
TEST(TraceGate, ReadsTheRowOfTheFormula)
{
    const auto gate = MakeTraceGate(CountingTrace(5, 2, 2, 4), Shape(4, 4, 1000));
    const TraceRow row = gate->GetRow({1, 3, 1, 2}, 3);
    EXPECT_EQ(row.layer, 1U);
    EXPECT_EQ(row.iteration, 0U);
    EXPECT_EQ(row.rank, 1U);
    // Row (0, 1, 1) is 111 112 113 114 of 450; 1000 copies: 246.67 248.89 251.11 253.33.
    Matrix<uint32_t> tokens;
    gate->Route({1, 3, 1, 2}, tokens);
    EXPECT_EQ(tokens(3, 0), 247U);
    EXPECT_EQ(tokens(3, 1), 249U);
    EXPECT_EQ(tokens(3, 2), 251U);
    EXPECT_EQ(tokens(3, 3), 253U);
}

TEST(TraceGate, RanksBeyondTheTraceTakeOtherMoments)
{
    const auto gate = MakeTraceGate(CountingTrace(12, 1, 4, 16), Shape(16, 16, 77));
    for (uint32_t a = 0; a < 16; ++a)
    {
        for (uint32_t b = 0; b < a; ++b)
        {
            const TraceRow x = gate->GetRow({2, 0, 1, 1}, a);
            const TraceRow y = gate->GetRow({2, 0, 1, 1}, b);
            EXPECT_FALSE(x.rank == y.rank && x.iteration == y.iteration) << a << " and " << b;
        }
    }
    EXPECT_EQ(gate->GetNotes().size(), 1U);
    const std::string message =
        MessageOf([] { MakeTraceGate(CountingTrace(3, 1, 4, 16), Shape(16, 16, 77)); });
    EXPECT_NE(message.find("takes 4 moments, the trace has 3"), std::string::npos) << message;
}

// 5 recorded experts on 2: groups {0,1,2} and {3,4}; counts 1..5 give 6 and 9 of 15, 10 copies.
TEST(TraceGate, FoldsExpertsInContiguousGroups)
{
    const auto gate = MakeTraceGate(CountingTrace(1, 1, 1, 5), Shape(2, 1, 10));
    Matrix<uint32_t> tokens;
    gate->Route({}, tokens);
    EXPECT_EQ(tokens.Data(), (std::vector<uint32_t>{4, 6}));
    ASSERT_EQ(gate->GetNotes().size(), 1U);
    EXPECT_EQ(gate->GetNotes()[0], "5 recorded experts folded to 2, unevenly");
}

TEST(TraceGate, SaysWhenTheTopKIsNotTheModels)
{
    for (const auto& [recorded, note] :
         {std::pair<uint32_t, std::string>{2, ""},
          {0,
           "the trace does not say its top-k, the model takes top-2: rows are scaled to its "
           "copies"},
          {6, "recorded at top-6, the model takes top-2: rows are scaled to its copies"}})
    {
        auto trace = CountingTrace(1, 1, 2, 8);
        trace->topK = recorded;
        GateShape shape = Shape(8, 2, 10);
        shape.topK = 2;
        const auto expected = note.empty() ? std::vector<std::string>{} : std::vector{note};
        EXPECT_EQ(MakeTraceGate(trace, shape)->GetNotes(), expected);
    }
}

TEST(TraceGate, RefusesFewerExpertsThanTheModel)
{
    const std::string message =
        MessageOf([] { MakeTraceGate(CountingTrace(1, 1, 1, 4), Shape(8, 1, 10)); });
    EXPECT_NE(message.find("4 experts for a model of 8"), std::string::npos) << message;
    EXPECT_NE(message.find("counting"), std::string::npos) << message;
}

// Destination ranks 1..4 folded to 2 EP ranks (3 and 7 of 10, of 20 copies: 6 and 14), each rank's
// copies spread over its 3 and 2 experts.
TEST(TraceGate, RecordedRanksSpreadOverTheirExperts)
{
    auto trace = CountingTrace(2, 1, 2, 4);
    trace->destinationIsExpert = false;
    const auto gate = MakeTraceGate(trace, Shape(5, 2, 20));
    Matrix<uint32_t> tokens;
    gate->Route({}, tokens);
    EXPECT_EQ(std::vector<uint32_t>(tokens.Data().begin(), tokens.Data().begin() + 5),
              (std::vector<uint32_t>{2, 2, 2, 7, 7}));
}

// Report 33 of users of other simulators: an 8x8 matrix under EP 32 repeated without a word, and
// row sums were taken to be 32,768. Here: explained by a note or refused, totals exact.
TEST(TraceGate, MatricesOfAnotherSizeAreExplainedAndConserveCopies)
{
    struct Case
    {
        uint32_t recorded; //!< ranks and experts of the trace
        uint32_t ep;       //!< of the job, on 8 experts for the small trace, 32 for the large one
    };

    for (const Case c : {Case{8, 32}, Case{32, 8}})
    {
        auto trace = CountingTrace(64, 1, c.recorded, c.recorded);
        for (std::size_t k = 0; k < trace->tokens.size(); ++k)
        {
            // Rows that sum to 30,000.
            const uint32_t each = 30000 / c.recorded;
            trace->tokens[k] = each + (k % c.recorded == 0 ? 30000 % c.recorded : 0);
        }
        const auto gate = MakeTraceGate(trace, Shape(c.recorded, c.ep, 65536));
        EXPECT_EQ(gate->GetNotes().size(), c.ep > c.recorded ? 1U : 0U);
        Matrix<uint32_t> tokens;
        gate->Route({1, 0, 1, 0}, tokens);
        for (uint32_t r = 0; r < c.ep; ++r)
        {
            uint64_t row = 0;
            for (uint32_t e = 0; e < c.recorded; ++e)
            {
                row += tokens(r, e);
            }
            EXPECT_EQ(row, 65536U) << "rank " << r;
        }
    }
}

TEST(TraceGate, ConservesCopiesForAnyTrace)
{
    std::mt19937_64 rng(2);
    for (int n = 0; n < 50; ++n)
    {
        auto trace = CountingTrace(8, 3, 4, 64);
        for (uint32_t& count : trace->tokens)
        {
            count = rng() % 3 == 0 ? 0 : static_cast<uint32_t>(rng() % 5000);
        }
        const auto gate = MakeTraceGate(trace, Shape(8, 8, 65536));
        Matrix<uint32_t> tokens;
        TrafficMatrix traffic;
        gate->Route({1, 2, 1, 0}, tokens);
        traffic.Assign(tokens, gate->GetShape().experts, 12288);
        uint64_t received = 0;
        for (const uint64_t copies : traffic.GetExpertCopies())
        {
            received += copies;
        }
        EXPECT_EQ(received, 8 * 65536U);
        for (uint32_t s = 0; s < 8; ++s)
        {
            uint64_t row = 0;
            for (uint32_t d = 0; d < 8; ++d)
            {
                row += traffic.GetBytes()(s, d);
            }
            EXPECT_EQ(row, 65536ULL * 6144 * 2);
        }
    }
}

TEST(TraceGate, AnEmptyRowSendsNothingAnEmptyLayerIsRefused)
{
    auto trace = CountingTrace(2, 2, 2, 4);
    std::fill_n(trace->tokens.begin(), 4, 0); // iteration 0, layer 0, rank 0
    const auto gate = MakeTraceGate(trace, Shape(4, 2, 100));
    Matrix<uint32_t> tokens;
    gate->Route({}, tokens);
    EXPECT_EQ(tokens(0, 0) + tokens(0, 1) + tokens(0, 2) + tokens(0, 3), 0U);
    EXPECT_EQ(tokens(1, 0) + tokens(1, 1) + tokens(1, 2) + tokens(1, 3), 100U);
    ASSERT_EQ(gate->GetNotes().size(), 1U);

    for (uint32_t i = 0; i < 2; ++i)
    {
        std::fill_n(trace->tokens.begin() + i * 16, 8, 0);
    }
    const std::string message = MessageOf([&] { MakeTraceGate(trace, Shape(4, 2, 100)); });
    EXPECT_NE(message.find("layer 0 has no tokens"), std::string::npos) << message;
}

TEST(UniformGate, EveryExpertGetsTheSame)
{
    Ptr<UniformGate> gate = CreateObject<UniformGate>();
    gate->Configure(Shape(8, 8, 65536));
    Matrix<uint32_t> tokens;
    gate->Route({}, tokens);
    for (const uint32_t copies : tokens.Data())
    {
        EXPECT_EQ(copies, 8192U);
    }
    // 10 copies on 4 experts leave 2 per rank: 4 ranks load every expert with 10.
    gate->Configure(Shape(4, 4, 10));
    gate->Route({}, tokens);
    TrafficMatrix traffic;
    traffic.Assign(tokens, EvenSplit(4, 4), 1);
    EXPECT_EQ(traffic.GetExpertCopies(), (std::vector<uint64_t>{10, 10, 10, 10}));
}

// A rank that sends part of its copies is a bug of a gate.
TEST(GateModel, ChecksRowSums)
{
    Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
    gate->script = [](const GateQuery&, Matrix<uint32_t>& tokens) { tokens(0, 0) = 9; };
    gate->Configure(Shape(2, 2, 10));
    Matrix<uint32_t> tokens;
    EXPECT_THROW(gate->Route({}, tokens), InvariantError);
}

// Mixtral 8x22B at micro-batch 8: 65,536 copies x 6,144 x 2 B = 805,306,368 B per EP rank;
// balanced, 100,663,296 B per pair, 56 pairs cross.
TEST(TrafficMatrix, MainJobByHand)
{
    const TrainingJob job = MainJob();
    EXPECT_EQ(job.GetCopies(), 65536U);
    EXPECT_EQ(job.GetCopyBytes(), 12288U);
    Ptr<UniformGate> gate = CreateObject<UniformGate>();
    GateShape shape = Shape(8, 8, job.GetCopies());
    gate->Configure(shape);
    Matrix<uint32_t> tokens;
    gate->Route({}, tokens);
    TrafficMatrix traffic;
    traffic.Assign(tokens, shape.experts, job.GetCopyBytes());
    EXPECT_EQ(traffic.GetBytes()(0, 1), 100663296U);
    EXPECT_EQ(traffic.GetCrossing(), ByteCount(56 * 100663296ULL));
    EXPECT_EQ(traffic.GetNPairs(), 56U);

    TrainingJob replicated = job;
    replicated.tensorShards = TensorShards::REPLICATED;
    EXPECT_EQ(replicated.GetCopyBytes(), 8 * 12288U);
}

// 3 ranks on 2 servers of a region of 3 (ranks 0 and 1 share server 2, rank 2 is server 0).
TEST(TrafficMatrix, DemandMergesRanksOfAServer)
{
    Matrix<uint32_t> tokens(3, 3);
    std::iota(tokens.Data().begin(), tokens.Data().end(), 1); // 1 2 3 / 4 5 6 / 7 8 9
    TrafficMatrix traffic;
    traffic.Assign(tokens, EvenSplit(3, 3), 10);
    GroupRegion region;
    region.servers = 3;
    region.serverOfRank = {2, 2, 0};
    DemandMatrix demand;
    traffic.GetDemand(region, false, demand);
    EXPECT_EQ(demand.Data(), (std::vector<uint64_t>{0, 0, 150, 0, 0, 0, 90, 0, 0}));
    traffic.GetDemand(region, true, demand);
    EXPECT_EQ(demand.Data(), (std::vector<uint64_t>{0, 0, 90, 0, 0, 0, 150, 0, 0}));
    region.serverOfRank = {2, GroupRegion::OUTSIDE, 0};
    traffic.GetDemand(region, false, demand);
    EXPECT_EQ(demand.Data(), (std::vector<uint64_t>{0, 0, 70, 0, 0, 0, 30, 0, 0}));
}

} // namespace
