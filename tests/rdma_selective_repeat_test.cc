/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma_channel.h"

#include "ns3/selective-repeat.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace ns3;

namespace
{

using Psns = std::vector<uint64_t>;

/// @param longer RTO_high, ticks @param shorter RTO_low @return a channel that repeats selectively
Channel
MakeChannel(int64_t longer = 300, int64_t shorter = 100)
{
    const auto recovery = CreateObject<SelectiveRepeat>();
    recovery->SetAttribute("Timeout", TimeValue(TimeStep(static_cast<uint64_t>(longer))));
    recovery->SetAttribute("ShortTimeout", TimeValue(TimeStep(static_cast<uint64_t>(shorter))));
    return Channel(recovery);
}

/// @param n numbers from 0 @return them
Psns
Count(uint64_t n)
{
    Psns all(n);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// @param head first @param tail then @return one behind the other
Psns
operator+(Psns head, const Psns& tail)
{
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

/// @param c a channel that is done: nothing is left in memory
void
ExpectMemoryFree(Channel& c)
{
    const auto& recovery = static_cast<const SelectiveRepeat&>(*c.recovery);
    EXPECT_EQ(recovery.GetRecoveries().GetInUse(), 0u);
    EXPECT_EQ(recovery.GetReorderBuffers().GetInUse(), 0u);
}

} // namespace

TEST(SelectiveRepeat, LossFreeKeepsNoMemory)
{
    Channel c = MakeChannel();
    c.Run(50);
    ExpectInOrder(c.delivered, 50);
    EXPECT_EQ(c.transmitted, Count(50));
    EXPECT_EQ(c.acks, 50);
    const auto& recovery = static_cast<const SelectiveRepeat&>(*c.recovery);
    EXPECT_EQ(recovery.GetRecoveries().GetCapacity(), 0u);
    EXPECT_EQ(recovery.GetReorderBuffers().GetCapacity(), 0u);
}

// Packet 3 leaves at tick 3 and is lost. Packet 4 reveals it at 9; the NACK is heard at 14, after
// 0..13 were sent. Packet 3 goes again at 14, is heard at 19 and fills the gap of 4..13 (the
// packets 14.. sent since 15 arrive from 20 on): one packet is sent twice, no time is lost.
TEST(SelectiveRepeat, LostMiddlePacketIsSentAgainAlone)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt == 0; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    Psns expected = Count(14);
    expected.push_back(3);
    for (uint64_t i = 14; i < 30; ++i)
    {
        expected.push_back(i);
    }
    EXPECT_EQ(c.transmitted, expected);
    EXPECT_EQ(c.stored, 10);
    EXPECT_EQ(c.nackTimes.size(), 10u); // one for each packet behind the gap, as in IRN
    EXPECT_EQ(c.finished, 30 + 5);
    EXPECT_EQ(c.duplicates, 0);
    EXPECT_EQ(c.timeouts, 0);
    ExpectMemoryFree(c);
}

TEST(SelectiveRepeat, LostFirstPacketIsSentAgainAlone)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 0 && attempt == 0; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    // packet 1 reveals it at 6, heard at 11
    Psns expected = Count(11) + Psns{0};
    for (uint64_t i = 11; i < 30; ++i)
    {
        expected.push_back(i);
    }
    EXPECT_EQ(c.transmitted, expected);
    ExpectMemoryFree(c);
}

// Packets 3 and 6: the NACK of 4 (heard at 14) sends 3 again, that of 7 (sent at 7, answered at
// 12, heard at 17) sends 6 again; both once.
TEST(SelectiveRepeat, TwoLossesInAWindowAreSentOnceEach)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return (psn == 3 || psn == 6) && attempt == 0; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    Psns expected = Count(14) + Psns{3, 14, 15, 6};
    for (uint64_t i = 16; i < 30; ++i)
    {
        expected.push_back(i);
    }
    EXPECT_EQ(c.transmitted, expected);
    EXPECT_EQ(c.duplicates, 0);
    EXPECT_EQ(c.timeouts, 0);
    EXPECT_EQ(c.finished, 31 + 5);
    ExpectMemoryFree(c);
}

// Packets 3, 4 and 5 in a row: the NACK of 6 deems all three lost.
TEST(SelectiveRepeat, BurstIsSentAgainInOrder)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn >= 3 && psn <= 5 && attempt == 0; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    Psns expected = Count(16) + Psns{3, 4, 5};
    for (uint64_t i = 16; i < 30; ++i)
    {
        expected.push_back(i);
    }
    EXPECT_EQ(c.transmitted, expected);
    ExpectMemoryFree(c);
}

// Packet 9 of 10 leaves at 9 and is lost. At tick 10 packet 0 is acknowledged and packet 9 is timed
// from 9 on; from tick 17 on few packets are under way: it goes again at 9 + RTO_low.
TEST(SelectiveRepeat, LostLastPacketCostsTheShortTimeout)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 9 && attempt == 0; };
    c.Run(10);
    EXPECT_EQ(c.transmitted, Count(10) + Psns{9});
    EXPECT_EQ(c.sendTimes.back(), 9 + 100);
    EXPECT_EQ(c.finished, 9 + 100 + 5);
    EXPECT_EQ(c.timeouts, 1);
    ExpectMemoryFree(c);
}

// Packets 2 to 9 of 10 are lost: eight under way, RTO_high counts, from tick 9 as above. Packet 2
// goes at 309; its ACK at 319 deems packet 3 lost, that at 329 packets 4 and 5, that of 5 at 340
// four more: 1 + 1 + 2 + 4.
TEST(SelectiveRepeat, LostTailDoublesAfterTheTimeout)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn >= 2 && attempt == 0; };
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.transmitted, Count(10) + Psns({2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(c.sendTimes[10], 9 + 300);
    EXPECT_EQ(c.sendTimes[11], 319);
    EXPECT_EQ(c.sendTimes[12], 329);
    EXPECT_EQ(c.timeouts, 1);
    EXPECT_LT(c.finished, 309 + 5 * 10);
    ExpectMemoryFree(c);
}

// Packet 3 is lost twice. It leaves for the second time at 14 and is timed from then on; all 30 are
// under way by 30, more than few stay so: RTO_high.
TEST(SelectiveRepeat, LostRetransmissionWaitsForTheTimer)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt < 2; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    EXPECT_EQ(c.transmitted.size(), 32u);
    EXPECT_EQ(c.transmitted.back(), 3u);
    EXPECT_EQ(c.sendTimes.back(), 14 + 300);
    EXPECT_EQ(c.finished, 14 + 300 + 5);
    EXPECT_EQ(c.timeouts, 1);
    EXPECT_EQ(c.duplicates, 0);
    ExpectMemoryFree(c);
}

TEST(SelectiveRepeat, LostLastAckIsSentForADuplicate)
{
    Channel c = MakeChannel();
    c.loseReply = [](Channel::Reply r, int count) {
        return r == Channel::Reply::ACK && count == 9;
    };
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.finished, 9 + 5);
    EXPECT_EQ(c.acknowledged, 9 + 100 + 10);
    EXPECT_EQ(c.duplicates, 1);
    EXPECT_EQ(c.transmitted, Count(10) + Psns{9});
    ExpectMemoryFree(c);
}

// The NACKs that 4 to 8 draw are lost: the one of 9, at 14, is heard at 19. The sender does not
// know that 4 to 8 were stored and sends them again with packet 3.
TEST(SelectiveRepeat, LostNacksAreReplacedByLaterOnes)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt == 0; };
    c.loseReply = [](Channel::Reply r, int count) {
        return r == Channel::Reply::NACK && count < 5;
    };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    Psns expected = Count(19) + Psns{3, 4, 5, 6, 7, 8};
    for (uint64_t i = 19; i < 30; ++i)
    {
        expected.push_back(i);
    }
    EXPECT_EQ(c.transmitted, expected);
    EXPECT_EQ(c.duplicates, 5);
    EXPECT_EQ(c.timeouts, 0);
}

// No NACK comes through at all: packet 3 goes by the timer, 4..29 were stored.
TEST(SelectiveRepeat, AllNacksLostIsRecoveredByTimeout)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt == 0; };
    c.loseReply = [](Channel::Reply r, int) { return r == Channel::Reply::NACK; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    EXPECT_EQ(c.transmitted, Count(30) + Psns{3});
    EXPECT_EQ(c.timeouts, 1);
    EXPECT_EQ(c.stored, 26);
}

TEST(SelectiveRepeat, BacksOffAndGivesUp)
{
    Channel c = MakeChannel(300, 10);
    c.recovery->SetAttribute("RetryLimit", UintegerValue(3));
    c.recovery->SetAttribute("BackoffLimit", UintegerValue(2));
    c.loseData = [](uint64_t, int) { return true; };
    c.Run(1);
    EXPECT_TRUE(c.failed);
    EXPECT_EQ(c.sendTimes, (std::vector<int64_t>{0, 10, 30, 70}));
    c.recovery->CloseSender(c.tx);
    ExpectMemoryFree(c);
}

// Behind the bitmap nothing is stored; the window keeps the sender from getting there.
TEST(SelectiveRepeat, BitmapBoundsMemoryAndWindow)
{
    Channel c = MakeChannel();
    c.recovery->SetAttribute("BitmapSize", UintegerValue(64));
    EXPECT_EQ(c.recovery->GetWindowLimit(), 64u);
    c.tx.window = 200; // as if the ends disagreed
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt < 2; };
    c.Run(400);
    ExpectInOrder(c.delivered, 400);
    EXPECT_GT(c.stored, 60);
    EXPECT_LT(c.stored, 400);
    ExpectMemoryFree(c);
}

// Packets overtake each other at random, none is lost: nothing is lost to the tolerance, and
// without it what is sent twice is counted as duplicates.
TEST(SelectiveRepeat, SurvivesReordering)
{
    for (const uint32_t tolerance : {0, 32})
    {
        std::mt19937 random(3);
        Channel c = MakeChannel();
        c.recovery->SetAttribute("ReorderTolerance", UintegerValue(tolerance));
        c.forward = [&random](int64_t) { return std::uniform_int_distribution<>(5, 30)(random); };
        c.Run(2000);
        ExpectInOrder(c.delivered, 2000);
        EXPECT_GT(c.stored, 1000);
        EXPECT_EQ(c.timeouts, 0);
        EXPECT_EQ(c.transmitted.size(), 2000u + c.duplicates + c.CountUnderWay());
        EXPECT_EQ(c.duplicates == 0, tolerance == 32);
        ExpectMemoryFree(c);
    }
}

TEST(SelectiveRepeat, RandomLossNeverHangsOrReorders)
{
    int losses = 0;
    for (uint32_t seed = 1; seed <= 60; ++seed)
    {
        std::mt19937 random(seed);
        const auto draw = [&random, &losses](double p) {
            const bool lost = std::uniform_real_distribution<double>(0, 1)(random) < p;
            losses += lost ? 1 : 0;
            return lost;
        };
        Channel c = MakeChannel(60, 30);
        c.recovery->SetAttribute("AckInterval", UintegerValue(1 + seed % 3));
        c.recovery->SetAttribute("RetryLimit", UintegerValue(100));
        c.tx.window = 8 + seed;
        c.loseData = [&draw](uint64_t, int) { return draw(0.08); };
        c.loseReply = [&draw](Channel::Reply, int) { return draw(0.08); };
        if (seed % 2 == 0)
        {
            c.forward = [&random](int64_t) {
                return std::uniform_int_distribution<>(5, 9)(random);
            };
        }
        c.Run(500);
        ExpectInOrder(c.delivered, 500);
        EXPECT_FALSE(c.failed);
        ExpectMemoryFree(c);
    }
    EXPECT_GT(losses, 2000);
}

// Timers grow to twice the round trip: 100 x 2^4 >= 2 x 700.
TEST(SelectiveRepeat, LongPathsStretchTimeouts)
{
    Channel c = MakeChannel(300, 100);
    EXPECT_EQ(c.recovery->GetStretch(10), 0);
    EXPECT_EQ(c.recovery->GetStretch(50), 0);
    EXPECT_EQ(c.recovery->GetStretch(51), 1);
    EXPECT_EQ(c.recovery->GetStretch(700), 4);
    c.tx.stretch = 4;
    c.tx.sent += 10;
    EXPECT_EQ(c.recovery->GetDeadline(c.tx), 300 * 16);
    c.tx.acked += 7;
    EXPECT_EQ(c.recovery->GetDeadline(c.tx), 100 * 16);
}

// Bitmap against a set, at random.
TEST(PacketBitmap, AgreesWithASet)
{
    std::mt19937 random(11);
    PacketBitmap bitmap;
    std::set<uint64_t> model;
    uint64_t base = 1000;
    bitmap.Advance(base);
    uint64_t holes = 0;
    for (int i = 0; i < 20000; ++i)
    {
        const uint64_t psn = base + random() % 700;
        ASSERT_EQ(bitmap.Set(psn), model.insert(psn).second);
        if (i % 40 == 0)
        {
            base += random() % 150;
            model.erase(model.begin(), model.lower_bound(base));
            bitmap.Advance(base);
        }
        const uint64_t from = base + random() % 700;
        const uint64_t limit = from + random() % 100;
        uint64_t expected = from;
        while (expected < limit && model.count(expected) > 0)
        {
            ++expected;
        }
        ASSERT_EQ(bitmap.FindClear(from, limit), expected);
        ASSERT_EQ(bitmap.Test(from), model.count(from) > 0);
        holes += expected > from && expected < limit ? 1 : 0;
    }
    EXPECT_GT(holes, 100u);
    EXPECT_LE(bitmap.GetBytes(), 256u);
}
