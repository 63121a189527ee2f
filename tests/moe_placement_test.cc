/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Where the experts are: contiguous, round-robin, given, and replicated by load.

#include "moe_fixture.h"

#include "ns3/expert-balance.h"
#include "ns3/gradient-sync.h"
#include "ns3/mixnet-error.h"
#include "ns3/synthetic-gate.h"
#include "ns3/traffic-matrix.h"

#include <algorithm>
#include <numeric>
#include <random>

using namespace ns3;

namespace
{

using Loads = std::vector<std::vector<uint64_t>>;

/// @param placement placement @param layer layer @return by EP rank: its experts
std::vector<std::vector<uint32_t>>
GetHeld(const ExpertPlacement& placement, uint32_t layer = 0)
{
    std::vector<std::vector<uint32_t>> held(placement.GetNRanks());
    for (uint32_t e = 0; e < placement.GetNExperts(); ++e)
    {
        const SlotRange slots = placement.GetSlots(layer, e);
        for (uint32_t i = 0; i < slots.count; ++i)
        {
            held[placement.GetRank(slots.first[i])].push_back(e);
        }
    }
    return held;
}

/// @param load by rank @return largest over mean
double
GetSkew(const std::vector<uint64_t>& load)
{
    return double(*std::max_element(load.begin(), load.end())) * double(load.size()) /
           double(std::accumulate(load.begin(), load.end(), uint64_t(0)));
}

// 7 experts on 3 ranks.
TEST(ExpertPlacement, ByHand)
{
    using Held = std::vector<std::vector<uint32_t>>;
    using Held3 = std::vector<Held>;
    EXPECT_EQ(GetHeld(EvenSplit(7, 3)), (Held{{0, 1, 2}, {3, 4}, {5, 6}}));
    EXPECT_EQ(GetHeld(ExpertPlacement::RoundRobin(7, 3)), (Held{{0, 3, 6}, {1, 4}, {2, 5}}));
    EXPECT_EQ(GetHeld(ExpertPlacement(std::vector<uint32_t>{2, 2, 0, 2, 0, 2, 2}, 3)),
              (Held{{2, 4}, {}, {0, 1, 3, 5, 6}}));
    EXPECT_THROW(ExpertPlacement(Held3{{{0}, {0}}}, 2), InvariantError); // expert 1 is nowhere
    EXPECT_THROW((ExpertPlacement(Held3{{{0}, {1}}, {{0, 1}, {}}}, 2)), InvariantError);
}

// Every copy arrives at a slot of its expert, on the rank that holds it; rows and columns add up.
TEST(ExpertPlacement, ConservesCopies)
{
    std::mt19937_64 rng(5);
    for (int n = 0; n < 30; ++n)
    {
        Loads loads(2, std::vector<uint64_t>(12));
        for (auto& layer : loads)
        {
            std::generate(layer.begin(), layer.end(), [&rng] { return rng() % 1000; });
        }
        std::vector<uint32_t> given(12);
        std::generate(given.begin(), given.end(), [&rng] { return uint32_t(rng() % 4); });
        for (const ExpertPlacement& placement : {ExpertPlacement(EvenSplit(12, 4)),
                                                 ExpertPlacement::RoundRobin(12, 4),
                                                 ExpertPlacement(given, 4),
                                                 BalanceExperts(loads, 4, 0),
                                                 BalanceExperts(loads, 4, 20),
                                                 BalanceExperts(loads, 4, 36)})
        {
            Matrix<uint32_t> tokens(4, 12);
            std::generate(tokens.Data().begin(), tokens.Data().end(), [&rng] {
                return uint32_t(rng() % 100);
            });
            TrafficMatrix traffic;
            traffic.Assign(tokens, placement, 10, n % 2);
            for (uint32_t s = 0; s < 4; ++s)
            {
                uint64_t copies = 0;
                uint64_t bytes = 0;
                for (uint32_t e = 0; e < 12; ++e)
                {
                    copies += tokens(s, e);
                }
                for (uint32_t d = 0; d < 4; ++d)
                {
                    bytes += traffic.GetBytes()(s, d);
                }
                EXPECT_EQ(bytes, 10 * copies);
            }
            for (uint32_t e = 0; e < 12; ++e)
            {
                const SlotRange slots = placement.GetSlots(n % 2, e);
                uint64_t sent = 0;
                uint64_t received = 0;
                for (uint32_t s = 0; s < 4; ++s)
                {
                    sent += tokens(s, e);
                }
                for (uint32_t i = 0; i < slots.count; ++i)
                {
                    received += traffic.GetExpertCopies()[slots.first[i]];
                }
                EXPECT_EQ(received, sent) << "expert " << e;
            }
            for (uint32_t d = 0; d < 4; ++d)
            {
                uint64_t column = 0;
                uint64_t slots = 0;
                for (uint32_t s = 0; s < 4; ++s)
                {
                    column += traffic.GetBytes()(s, d);
                }
                for (uint32_t i = 0; i < placement.GetNSlots(d); ++i)
                {
                    slots += traffic.GetExpertCopies()[placement.GetFirstSlot(d) + i];
                }
                EXPECT_EQ(column, 10 * slots);
            }
        }
    }
}

// Loads 120, 40, 20, 20 on 2 ranks with 2 redundant experts: the first goes to expert 0 (60 each),
// the second to expert 1 (20 each), since expert 0 is on both ranks already. Packed: 60 | 60, then
// 20 | 20, 20 | 20: 100 each.
TEST(BalanceExperts, ByHand)
{
    const ExpertPlacement placement = BalanceExperts({{120, 40, 20, 20}}, 2, 2);
    EXPECT_EQ(GetHeld(placement), (std::vector<std::vector<uint32_t>>{{0, 1, 2}, {0, 1, 3}}));
    // An odd copy goes to the first replica from source 0, to the second from source 1.
    Matrix<uint32_t> tokens(2, 4);
    tokens(0, 0) = 5;
    tokens(1, 0) = 5;
    TrafficMatrix traffic;
    traffic.Assign(tokens, placement, 1);
    EXPECT_EQ(traffic.GetBytes().Data(), (std::vector<uint64_t>{3, 2, 2, 3}));
    // Without redundant experts: 120 | 40 + 20, but a rank has two slots: 120 + 20 | 40 + 20.
    EXPECT_EQ(GetHeld(BalanceExperts({{120, 40, 20, 20}}, 2, 0)),
              (std::vector<std::vector<uint32_t>>{{0, 3}, {1, 2}}));
}

// On routing with the skew of DeepSeek-V2-Lite (64 experts, EP 8): receive skew 1.45 in contiguous
// groups. Placed by the loads of an iteration, the next one is nearly level.
TEST(BalanceExperts, LevelsMeasuredLikeRouting)
{
    TrainingJob job = TinyJob();
    job.model.experts = 64;
    job.model.topK = 6;
    job.model.layers = job.model.moeLayers = 26;
    job.degrees = {1, 1, 1, 8};
    job.sequenceLength = 4096;
    const ParallelLayout layout(job, *MakeServers(8, 1), "test");
    Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
    gate->AssignStreams(9);
    gate->Configure(MakeGateShape(job, layout));
    const Loads loads = CountExpertLoads(job, *gate, 0);
    ASSERT_EQ(loads.size(), 26U);
    EXPECT_EQ(std::accumulate(loads[3].begin(), loads[3].end(), uint64_t(0)), 8U * 4096 * 6);
    const auto skew = [&](const ExpertPlacement& placement) {
        double sum = 0;
        for (uint32_t layer = 0; layer < 26; ++layer)
        {
            Matrix<uint32_t> tokens;
            TrafficMatrix traffic;
            gate->Route({1, layer, 0, 0}, tokens);
            traffic.Assign(tokens, placement, 1, layer);
            std::vector<uint64_t> received(8);
            for (uint32_t s = 0; s < 8; ++s)
            {
                for (uint32_t d = 0; d < 8; ++d)
                {
                    received[d] += traffic.GetBytes()(s, d);
                }
            }
            sum += GetSkew(received);
        }
        return sum / 26;
    };
    const double contiguous = skew(layout.GetPlacement());
    const double packed = skew(BalanceExperts(loads, 8, 0));
    const double replicated = skew(BalanceExperts(loads, 8, 16));
    EXPECT_NEAR(contiguous, 1.45, 0.08);
    EXPECT_LT(packed, 1.15);
    EXPECT_LT(replicated, packed);
    EXPECT_LT(replicated, 1.10);
}

// 2 EP ranks on 2 servers, one replica (DP 1): gradients of experts cross only where an expert is
// on both. With experts 0 and 1 on both and one layer of 100 x 200 x 3 parameters each, a ring of
// two moves 2 x 1/2 of 2 x 60,000 x 4 B from each.
TEST(ExpertPlacement, GradientsOfReplicasAreReduced)
{
    TrainingJob job = TinyJob();
    job.model.layers = job.model.moeLayers = 1;
    const Ptr<FabricGraph> graph = MakeServers(2, 1);
    ParallelLayout layout(job, *graph, "test");
    const auto count = [&] {
        TransferGraph transfers;
        AppendGradientSync(transfers, job, layout, 0, 4);
        return transfers.GetTransferBytes();
    };
    const ByteCount before = count();
    const GradientBytes single = GetGradientBytes(job, layout, 0);
    const ByteCount expert(job.model.GetExpertParameters() * job.model.bytesPerGradient);
    EXPECT_EQ(single.expert, (std::vector<ByteCount>{expert * 2, expert * 2}));
    EXPECT_TRUE(single.replicated.empty());

    layout.SetPlacement(BalanceExperts({{120, 40, 20, 20}}, 2, 2), "balanced");
    EXPECT_EQ(layout.GetNotes(), std::vector<std::string>{"balanced"});
    const GradientBytes bytes = GetGradientBytes(job, layout, 0);
    EXPECT_EQ(bytes.expert, (std::vector<ByteCount>{expert, expert}));
    ASSERT_EQ(bytes.replicated.size(), 1U);
    EXPECT_EQ(bytes.replicated[0].ranks, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(bytes.replicated[0].bytes, expert * 2);
    EXPECT_EQ(count() - before, expert * 2 * 2);
}

} // namespace
