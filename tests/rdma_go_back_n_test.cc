/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma_channel.h"

#include "ns3/go-back-n.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// @return a channel that goes back N
Channel
MakeChannel()
{
    return Channel(CreateObject<GoBackN>());
}

} // namespace

TEST(GoBackN, LossFreeSendsEveryPacketOnce)
{
    Channel c = MakeChannel();
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.transmitted.size(), 10u);
    EXPECT_EQ(c.acks, 10);
    EXPECT_EQ(c.finished, 9 + 5);
    EXPECT_EQ(c.acknowledged, 9 + 10);
}

TEST(GoBackN, AcknowledgesEveryFourthAndTheLast)
{
    Channel c = MakeChannel();
    c.recovery->SetAttribute("AckInterval", UintegerValue(4));
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.acks, 3); // after packets 4, 8 and the last
}

// After three timeouts of T the next deadline is 8 T away, but an acknowledgement ends the
// back-off: then a packet sent at once is late after T. So the timer has to look after T.
TEST(GoBackN, BackOffDoesNotDelayTheTimeoutOfWhatFollows)
{
    const auto recovery = CreateObject<GoBackN>();
    recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(100)));
    const SimTick timeout = NanoSeconds(100).GetTimeStep();
    SendState state;
    state.end = state.acked + 10;
    state.OnSent(0);
    state.retries = 3;
    EXPECT_EQ(recovery->GetDeadline(state), state.timedAt + 8 * timeout);
    EXPECT_EQ(recovery->GetCheckTime(state, 0), state.timedAt + timeout);
    EXPECT_EQ(recovery->GetCheckTime(state, 3 * timeout), 4 * timeout) << "and again";
    EXPECT_EQ(recovery->GetCheckTime(state, 15 * timeout / 2), 8 * timeout) << "at last";
    state.retries = 0;
    EXPECT_EQ(recovery->GetCheckTime(state, 0), recovery->GetDeadline(state));
}

// Field report 1: packet 10 of 10 leaves at tick 9 and is lost; it leaves again one timeout later.
TEST(GoBackN, LostLastPacketCostsOneTimeout)
{
    Channel c = MakeChannel();
    c.recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(100)));
    c.loseData = [](uint64_t psn, int attempt) { return psn == 9 && attempt == 0; };
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.timeouts, 1);
    EXPECT_EQ(c.finished, 9 + NanoSeconds(100).GetTimeStep() + 5);
    EXPECT_EQ(c.transmitted.size(), 11u);
}

// The last two packets are lost. When the ACK of packet 8 came, packet 10 was the newest one sent:
// it is timed, so both are sent again one timeout after packet 10 was.
TEST(GoBackN, LostTailIsTimedByItsNewestPacket)
{
    Channel c = MakeChannel();
    c.recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(100)));
    c.loseData = [](uint64_t psn, int attempt) { return psn >= 8 && attempt == 0; };
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.timeouts, 1);
    EXPECT_EQ(c.finished, 9 + NanoSeconds(100).GetTimeStep() + 1 + 5);
}

TEST(GoBackN, LostLastAckDelaysOnlyTheSendCompletion)
{
    Channel c = MakeChannel();
    c.recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(100)));
    c.loseReply = [](ReceiveVerdict::Reply r, int count) {
        return r == ReceiveVerdict::Reply::ACK && count == 9;
    };
    c.Run(10);
    ExpectInOrder(c.delivered, 10);
    EXPECT_EQ(c.finished, 9 + 5);
    EXPECT_EQ(c.acknowledged, 9 + NanoSeconds(100).GetTimeStep() + 10);
    EXPECT_EQ(c.transmitted.size(), 11u);
}

// Packet 3 (index 3, at tick 3) lost; packet 4 reveals it at 9, the NACK is heard at 14, which
// sends packet 3 at once; 3..13 had been sent by then.
TEST(GoBackN, OneNackPerGapGoesBackToTheMissingPacket)
{
    Channel c = MakeChannel();
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt == 0; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    ASSERT_EQ(c.nackTimes.size(), 1u);
    EXPECT_EQ(c.nackTimes[0], 9);
    std::vector<uint64_t> expected;
    for (uint64_t i = 0; i < 14; ++i)
    {
        expected.push_back(i);
    }
    for (uint64_t i = 3; i < 30; ++i)
    {
        expected.push_back(i);
    }
    EXPECT_EQ(c.transmitted, expected);
    EXPECT_EQ(c.timeouts, 0);
}

// Field report 3: every NACK is lost. Packet 3 is lost. The ACK of packet 0 (heard at 10) passes
// the timed packet 0; the newest one then, 9 (sent at tick 9), is timed. Its timeout sends 3 again.
TEST(GoBackN, LostNacksAreReplacedByTheTimeout)
{
    Channel c = MakeChannel();
    const int64_t timeout = NanoSeconds(100).GetTimeStep();
    c.recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(100)));
    c.loseReply = [](ReceiveVerdict::Reply r, int) { return r == ReceiveVerdict::Reply::NACK; };
    c.loseData = [](uint64_t psn, int attempt) { return psn == 3 && attempt == 0; };
    c.Run(30);
    ExpectInOrder(c.delivered, 30);
    EXPECT_EQ(c.timeouts, 1);
    EXPECT_EQ(c.finished, 9 + timeout + 26 + 5);
}

TEST(GoBackN, BacksOffAndGivesUp)
{
    Channel c = MakeChannel();
    c.recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(10)));
    c.recovery->SetAttribute("RetryLimit", UintegerValue(3));
    c.recovery->SetAttribute("BackoffLimit", UintegerValue(2));
    c.loseData = [](uint64_t, int) { return true; };
    c.Run(1);
    EXPECT_TRUE(c.failed);
    EXPECT_EQ(c.transmitted.size(), 4u); // once and three retries
    EXPECT_EQ(c.timeouts, 4);
}

// Field report 7: at tick 100 the path becomes 60 ticks shorter. Old and new packets mix at the
// receiver. At most one NACK per round trip (65 + 5 on the old path, 10 on the new one).
TEST(GoBackN, MovingToAShorterPathDoesNotStorm)
{
    Channel c = MakeChannel();
    c.forward = [](int64_t now) { return now < 100 ? 65 : 5; };
    c.Run(400);
    ExpectInOrder(c.delivered, 400);
    ASSERT_GE(c.nackTimes.size(), 1u); // the case was exercised
    for (std::size_t i = 1; i < c.nackTimes.size(); ++i)
    {
        EXPECT_GE(c.nackTimes[i] - c.nackTimes[i - 1], 10);
    }
    EXPECT_LE(c.nackTimes.size(), 60u / 10 + 1);
    EXPECT_EQ(c.timeouts, 0);
}

TEST(GoBackN, RandomLossNeverHangsOrReorders)
{
    int losses = 0;
    for (uint32_t seed = 1; seed <= 30; ++seed)
    {
        std::mt19937 random(seed);
        const auto draw = [&random, &losses](double p) {
            const bool lost = std::uniform_real_distribution<double>(0, 1)(random) < p;
            losses += lost ? 1 : 0;
            return lost;
        };
        Channel c = MakeChannel();
        c.recovery->SetAttribute("AckInterval", UintegerValue(1 + seed % 3));
        c.recovery->SetAttribute("Timeout", TimeValue(NanoSeconds(40)));
        c.recovery->SetAttribute("RetryLimit", UintegerValue(100));
        c.tx.window = 8 + seed;
        c.loseData = [&draw](uint64_t, int) { return draw(0.05); };
        c.loseReply = [&draw](ReceiveVerdict::Reply, int) { return draw(0.05); };
        c.Run(300);
        ExpectInOrder(c.delivered, 300);
        EXPECT_FALSE(c.failed);
    }
    EXPECT_GT(losses, 500);
}
