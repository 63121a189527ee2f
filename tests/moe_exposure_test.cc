/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/exposure-meter.h"
#include "ns3/iteration-ledger.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

constexpr auto EP = static_cast<std::size_t>(TrafficClass::EP);
constexpr auto TP = static_cast<std::size_t>(TrafficClass::TP);
constexpr auto PP = static_cast<std::size_t>(TrafficClass::PP);
constexpr auto DP = static_cast<std::size_t>(TrafficClass::DP);
constexpr auto CP = static_cast<std::size_t>(TrafficClass::CP);

/// @return ms
Time
Ms(int64_t ms)
{
    return MilliSeconds(ms);
}

class ExposureMeterTest : public testing::Test
{
  protected:
    ExposureMeterTest()
    {
        EnsurePicosecondClock();
    }
};

// One rank: computes 0..10, a hand-over runs 4..12: 6 ms hidden, 2 exposed. Then an all-to-all
// 12..20 that waits for circuits until 15. Exposed 2 PP + 8 EP of 16 in progress: hidden 3/8.
TEST_F(ExposureMeterTest, TwoOperationsByHand)
{
    ExposureMeter meter(1);
    meter.Start(Ms(0));
    meter.StartBlock(Ms(0), {Time(), Ms(10), Time()});
    meter.BeginCommunication(Ms(4), TrafficClass::PP);
    meter.EndCommunication(Ms(12), TrafficClass::PP);
    meter.BeginCommunication(Ms(12), TrafficClass::EP);
    meter.SetWaiting(Ms(12), true);
    meter.SetWaiting(Ms(15), false);
    meter.EndCommunication(Ms(20), TrafficClass::EP);
    ExposureTotals totals;
    meter.Finish(Ms(25), totals);
    EXPECT_EQ(totals.compute, Ms(10));
    EXPECT_EQ(totals.exposed[PP], Ms(2));
    EXPECT_EQ(totals.exposed[EP], Ms(8));
    EXPECT_EQ(totals.communication, Ms(16));
    EXPECT_EQ(totals.waiting, Ms(3));
    EXPECT_DOUBLE_EQ(totals.hidden, 1 - 10.0 / 16);
    EXPECT_EQ(totals.ranks, 1U);
}

// Two ranks: 2 + 5 + 2 ms and 1 + 1 + 1 ms of gather, compute, scatter; a hand-over runs 0..9. The
// fast rank is exposed to TP for 2, hides 1, and waits 6 for the straggler, exposed to PP.
TEST_F(ExposureMeterTest, AStragglerExposesTheOthers)
{
    ExposureMeter meter(2);
    meter.Start(Ms(0));
    meter.BeginCommunication(Ms(0), TrafficClass::PP);
    meter.StartBlocks(Ms(0), {{Ms(2), Ms(5), Ms(2)}, {Ms(1), Ms(1), Ms(1)}});
    meter.EndCommunication(Ms(9), TrafficClass::PP);
    ExposureTotals totals;
    meter.Finish(Ms(9), totals);
    EXPECT_EQ(totals.compute, Ms(6));
    EXPECT_EQ(totals.exposed[TP], Ms(4 + 2));
    EXPECT_EQ(totals.exposed[PP], Ms(6));
    EXPECT_EQ(totals.communication, Ms(18));
    EXPECT_DOUBLE_EQ(totals.hidden, (1 - 4.0 / 9) + (1 - 8.0 / 9));
}

TEST_F(ExposureMeterTest, ExposedTimeBelongsToOneClass)
{
    ExposureMeter meter(1);
    meter.Start(Ms(0));
    meter.BeginCommunication(Ms(0), TrafficClass::PP);
    meter.BeginCommunication(Ms(1), TrafficClass::DP);
    meter.BeginCommunication(Ms(2), TrafficClass::EP);
    meter.EndCommunication(Ms(4), TrafficClass::EP);
    meter.EndCommunication(Ms(7), TrafficClass::DP);
    meter.EndCommunication(Ms(8), TrafficClass::PP);
    ExposureTotals totals;
    meter.Finish(Ms(9), totals);
    EXPECT_EQ(totals.exposed[PP], Ms(2));
    EXPECT_EQ(totals.exposed[DP], Ms(4));
    EXPECT_EQ(totals.exposed[EP], Ms(2));
    EXPECT_EQ(totals.communication, Ms(8));
    EXPECT_DOUBLE_EQ(totals.hidden, 0);
}

TEST_F(ExposureMeterTest, RefusesWhatCannotBe)
{
    ExposureMeter meter(1);
    meter.Start(Ms(0));
    EXPECT_THROW(meter.EndCommunication(Ms(1), TrafficClass::EP), InvariantError);
    meter.StartBlock(Ms(1), {Time(), Ms(5), Time()});
    EXPECT_THROW(meter.StartBlock(Ms(2), {Time(), Ms(5), Time()}), InvariantError);
}

// Against an independent count, tick by tick, of random histories.
TEST_F(ExposureMeterTest, EqualsACountOfTicks)
{
    std::mt19937_64 rng(3);
    constexpr int64_t length = 400;
    constexpr std::size_t ranks = 3;
    int64_t exposedInBlocks = 0;
    for (int round = 0; round < 300; ++round)
    {
        // What every rank does at every tick: 0 nothing, 1 compute, 2 TP.
        std::vector<std::vector<int>> busy(ranks, std::vector<int>(length, 0));
        std::vector<std::array<bool, N_TRAFFIC_CLASSES>> open(length);
        ExposureMeter meter(ranks);
        meter.Start(TimeStep(0));
        int64_t blockEnd = 0;
        std::array<bool, N_TRAFFIC_CLASSES> now{};
        for (int64_t t = 0; t < length; ++t)
        {
            for (const std::size_t c : {EP, DP, PP, CP})
            {
                if (rng() % 15 == 0)
                {
                    const auto trafficClass = static_cast<TrafficClass>(c);
                    now[c] ? meter.EndCommunication(TimeStep(t), trafficClass)
                           : meter.BeginCommunication(TimeStep(t), trafficClass);
                    now[c] = !now[c];
                }
            }
            open[t] = now;
            if (t >= blockEnd && t < length - 40 && rng() % 4 == 0)
            {
                std::vector<ComputeBlock> blocks;
                for (std::size_t r = 0; r < ranks; ++r)
                {
                    const int64_t part[3] = {static_cast<int64_t>(rng() % 6),
                                             static_cast<int64_t>(rng() % 20),
                                             static_cast<int64_t>(rng() % 6)};
                    blocks.push_back({TimeStep(part[0]), TimeStep(part[1]), TimeStep(part[2])});
                    int64_t at = t;
                    for (int p = 0; p < 3; ++p)
                    {
                        for (int64_t i = 0; i < part[p]; ++i)
                        {
                            busy[r][at++] = p == 1 ? 1 : 2;
                        }
                    }
                    blockEnd = std::max(blockEnd, at);
                }
                meter.StartBlocks(TimeStep(t), blocks);
            }
        }
        ExposureTotals totals;
        meter.Finish(TimeStep(length), totals);
        int64_t compute = 0;
        int64_t communication = 0;
        std::array<int64_t, N_TRAFFIC_CLASSES> exposed{};
        for (std::size_t r = 0; r < ranks; ++r)
        {
            for (int64_t t = 0; t < length; ++t)
            {
                const auto& o = open[t];
                compute += busy[r][t] == 1;
                communication += busy[r][t] == 2 || o[CP] || o[EP] || o[DP] || o[PP];
                if (busy[r][t] != 1)
                {
                    const std::size_t c = busy[r][t] == 2 ? TP
                                          : o[CP]         ? CP
                                          : o[EP]         ? EP
                                          : o[DP]         ? DP
                                          : o[PP]         ? PP
                                                          : N_TRAFFIC_CLASSES;
                    if (c < N_TRAFFIC_CLASSES)
                    {
                        ++exposed[c];
                        exposedInBlocks += c != TP;
                    }
                }
            }
        }
        ASSERT_EQ(totals.compute.GetTimeStep(), compute);
        ASSERT_EQ(totals.communication.GetTimeStep(), communication);
        for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            ASSERT_EQ(totals.exposed[c].GetTimeStep(), exposed[c]) << "class " << c;
        }
    }
    EXPECT_GT(exposedInBlocks, 0);
}

// A diamond: 0 -> {1, 2} -> 3, where 2 ends last and lets 3 start.
TEST(IterationLedger, WalksBackTheCriticalPath)
{
    EnsurePicosecondClock();
    IterationLedger ledger;
    ledger.Start(4);
    const auto op = [&ledger](OpKind kind, uint32_t predecessor, int64_t start, int64_t end) {
        OpRecord o;
        o.kind = kind;
        o.predecessor = predecessor;
        o.start = Ms(start);
        o.end = Ms(end);
        return ledger.AddOp(o);
    };
    const uint32_t a = op(OpKind::ATTENTION, OpRecord::NONE, 0, 3);
    const uint32_t b = op(OpKind::STAGE_TRANSFER, a, 3, 4);
    const uint32_t c = op(OpKind::EXPERT, a, 3, 8);
    const uint32_t d = op(OpKind::ATTENTION, c, 8, 10);
    const auto path = ledger.MarkCriticalPath(d);
    EXPECT_EQ(path[static_cast<std::size_t>(OpKind::ATTENTION)], Ms(5));
    EXPECT_EQ(path[static_cast<std::size_t>(OpKind::EXPERT)], Ms(5));
    EXPECT_EQ(path[static_cast<std::size_t>(OpKind::STAGE_TRANSFER)], Ms(0));
    EXPECT_TRUE(ledger.GetOps()[a].critical);
    EXPECT_FALSE(ledger.GetOps()[b].critical);
    EXPECT_EQ(ledger.GetOps()[c].iteration, 4U);
    ledger.Start(5);
    EXPECT_TRUE(ledger.GetOps().empty());
}

} // namespace
