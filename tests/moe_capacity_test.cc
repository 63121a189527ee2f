/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Capacity factors: what is dropped, and that nothing else is lost.

#include "moe_fixture.h"

#include "ns3/expert-capacity.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

/// @param tokens copies @return their sum
uint64_t
Sum(const Matrix<uint32_t>& tokens)
{
    return std::accumulate(tokens.Data().begin(), tokens.Data().end(), uint64_t(0));
}

/// @return 2 ranks of 12 copies on 3 experts
Matrix<uint32_t>
Skewed()
{
    Matrix<uint32_t> tokens(2, 3);
    tokens.Data() = {9, 2, 1, 6, 6, 0};
    return tokens;
}

// Factor 1: 12 / 3 = 4 copies per rank and expert. Rank 0 loses 5 of 9, rank 1 2 of 6 twice.
// Factor 1.25: 5 copies: 4 and 1, 1.
TEST(ExpertCapacity, PerRankByHand)
{
    Matrix<uint32_t> tokens = Skewed();
    EXPECT_EQ(ExpertCapacity(1000, CapacityScope::RANK).Apply(tokens, 12), 9U);
    EXPECT_EQ(tokens.Data(), (std::vector<uint32_t>{4, 2, 1, 4, 4, 0}));
    tokens = Skewed();
    EXPECT_EQ(ExpertCapacity(1250, CapacityScope::RANK).Apply(tokens, 12), 6U);
    EXPECT_EQ(tokens.Data(), (std::vector<uint32_t>{5, 2, 1, 5, 5, 0}));
}

// Factor 1: 24 / 3 = 8 for both ranks. Expert 0 has 9 + 6 = 15: 8 x 9/15 = 4.8 and 3.2 make 5 and
// 3; expert 1 has 8 and keeps them.
TEST(ExpertCapacity, PerGroupByHand)
{
    Matrix<uint32_t> tokens = Skewed();
    EXPECT_EQ(ExpertCapacity(1000, CapacityScope::GROUP).Apply(tokens, 12), 7U);
    EXPECT_EQ(tokens.Data(), (std::vector<uint32_t>{5, 2, 1, 3, 6, 0}));
    // 0.99 x 24 / 3 = 7.92: a capacity is rounded up.
    tokens = Skewed();
    EXPECT_EQ(ExpertCapacity(990, CapacityScope::GROUP).Apply(tokens, 12), 7U);
}

TEST(ExpertCapacity, WithoutLimitNothingIsDropped)
{
    Matrix<uint32_t> tokens = Skewed();
    ExpertCapacity none;
    EXPECT_EQ(none.Apply(tokens, 12), 0U);
    EXPECT_EQ(tokens.Data(), Skewed().Data());
    EXPECT_EQ(none.Describe(), "");
    EXPECT_EQ(ExpertCapacity(123045, CapacityScope::RANK).Describe(),
              "capacity factor 123.045 per rank: token copies beyond it are dropped");
    EXPECT_EQ(ExpertCapacity(1250, CapacityScope::GROUP).Describe(),
              "capacity factor 1.250 per group: token copies beyond it are dropped");
}

// Delivered + dropped = routed; no expert above its capacity; no entry grows; a factor as large as
// the number of experts drops nothing.
TEST(ExpertCapacity, Conserves)
{
    std::mt19937_64 rng(8);
    uint64_t dropped = 0;
    for (int n = 0; n < 200; ++n)
    {
        const auto scope = n % 2 == 0 ? CapacityScope::RANK : CapacityScope::GROUP;
        Matrix<uint32_t> tokens(4, 6);
        const uint64_t copies = 600;
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            for (uint64_t c = 0; c < copies; ++c)
            {
                ++tokens(rank, std::min(rng() % 6, rng() % 6));
            }
        }
        const Matrix<uint32_t> before = tokens;
        const uint32_t permille = 500 + rng() % 1500;
        const uint64_t lost = ExpertCapacity(permille, scope).Apply(tokens, copies);
        EXPECT_EQ(Sum(tokens) + lost, 4 * copies);
        dropped += lost;
        for (uint32_t e = 0; e < 6; ++e)
        {
            uint64_t column = 0;
            for (uint32_t rank = 0; rank < 4; ++rank)
            {
                EXPECT_LE(tokens(rank, e), before(rank, e));
                column += tokens(rank, e);
            }
            EXPECT_LE(column, (permille * 4 * copies + 5999) / 6000 + 4);
        }
        tokens = before;
        EXPECT_EQ(ExpertCapacity(6000, scope).Apply(tokens, copies), 0U);
    }
    EXPECT_GT(dropped, 0U);
}

// A job whose gate sends everything to one expert: the engine counts what the gate routed and what
// was dropped, once per forward pass, and the dropped bytes never cross.
TEST(ExpertCapacity, TheEngineCountsWhatIsDropped)
{
    const TrainingJob job = TinyJob(); // 2 ranks, 64 tokens top-2: 128 copies, 4 experts, 2 layers
    uint64_t bytes[2];
    for (const bool limited : {false, true})
    {
        JobRun run(job, MakeServers(2, 1));
        Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
        gate->script = [](const GateQuery&, Matrix<uint32_t>& tokens) {
            tokens(0, 3) = 128;
            tokens(1, 3) = 128;
        };
        if (limited)
        {
            gate->SetCapacity(ExpertCapacity(1500, CapacityScope::RANK)); // 48 per expert
        }
        gate->Configure(MakeGateShape(job, *run.layout));
        run.engine->SetAttribute("Gate", PointerValue(gate));
        run.Run();
        ExpectCompleted(run);
        ASSERT_EQ(run.iterations.size(), 1U);
        EXPECT_EQ(run.iterations[0].tokenCopies, 2U * 2 * 128);
        EXPECT_EQ(run.iterations[0].droppedCopies, limited ? 2U * 2 * 80 : 0U);
        bytes[limited] = run.matrices.at(0)(0, 1);
        EXPECT_EQ(gate->GetAllNotes().size(), limited ? 1U : 0U);
    }
    EXPECT_EQ(bytes[0] * 48, bytes[1] * 128);
    EXPECT_GT(bytes[1], 0U);
}

} // namespace
