/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Oracle: the rules of RFC 8257 written down a second time, in extended precision, fed with the
// same scripted feedback.

#include "ns3/dctcp-congestion-control.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

using Real = long double;
using Kind = CongestionFeedback::Kind;

constexpr uint32_t WIRE = 4096 + 78; //!< a full frame

/// @param kind of feedback @param rtt round trip, ticks @param packets newly acknowledged
/// @return the feedback
CongestionFeedback
Make(Kind kind, SimTick rtt, uint32_t packets)
{
    CongestionFeedback feedback;
    feedback.kind = kind;
    feedback.roundTrip = rtt;
    feedback.packets = packets;
    return feedback;
}

} // namespace

class DctcpRecurrence : public testing::TestWithParam<uint64_t>
{
};

TEST_P(DctcpRecurrence, FollowedStepByStep)
{
    const uint64_t gbps = GetParam();
    const Time base = MicroSeconds(12);
    auto cc = CreateObject<DctcpCongestionControl>();
    CongestionPath path(DataRate(gbps * 1000000000));
    path.baseRtt = base.GetTimeStep();
    path.frameBytes = WIRE;
    cc->Open(1, path, SimTick(0));
    std::mt19937 random(static_cast<uint32_t>(gbps));
    Real window = gbps * 1e9L / 8 * base.GetSeconds() / WIRE;
    Real threshold = 0;
    Real alpha = 1;
    uint64_t acked = 0;
    uint64_t end = 0;
    uint32_t total = 0;
    uint32_t marked = 0;
    bool halved = false;
    int cases[4] = {0, 0, 0, 0}; // slow start, avoidance, marked window, loss
    for (int step = 0; step < 20000; ++step)
    {
        CongestionFeedback feedback = Make(Kind::ACK, base.GetTimeStep(), 1);
        const uint32_t dice = std::uniform_int_distribution<uint32_t>(0, 9999)(random);
        feedback.kind = dice == 0 ? Kind::TIMEOUT : dice < 4 ? Kind::NACK : Kind::ACK;
        feedback.packets = feedback.kind == Kind::ACK ? 1 + dice % 3 : 0;
        feedback.marked = dice % 7 == 0 && step % 3000 > 1000;
        acked += feedback.packets;
        feedback.acked = acked;
        feedback.next = acked + static_cast<uint64_t>(std::ceil(window));
        cc->OnFeedback(1, feedback, SimTick(step));
        if (feedback.kind == Kind::ACK)
        {
            total += feedback.packets;
            marked += feedback.marked ? feedback.packets : 0;
            ++cases[window < threshold ? 0 : 1];
            window += window < threshold ? Real(feedback.packets) : feedback.packets / window;
            if (acked > end)
            {
                alpha = alpha * 15 / 16 + Real(marked) / total / 16;
                if (marked > 0)
                {
                    ++cases[2];
                    window *= 1 - alpha / 2;
                    threshold = window;
                }
                end = feedback.next;
                total = marked = 0;
                halved = false;
            }
        }
        else
        {
            ++cases[3];
            const bool timeout = feedback.kind == Kind::TIMEOUT;
            threshold = timeout || !halved ? window / 2 : threshold;
            window = timeout ? 1 : halved ? window : window / 2;
            halved = halved || !timeout;
        }
        window = std::max(window, 1.0L);
        ASSERT_NEAR(cc->GetCwnd(1), double(window), double(window) * 1e-9);
        ASSERT_NEAR(cc->GetAlpha(1), double(alpha), 1e-9);
        ASSERT_EQ(cc->OnSent(1, WIRE, SimTick(step)), 0);
    }
    EXPECT_GT(cases[0], 3);
    EXPECT_GT(cases[1], 1000);
    EXPECT_GT(cases[2], 50);
    EXPECT_GT(cases[3], 3);
}

INSTANTIATE_TEST_SUITE_P(Rates, DctcpRecurrence, testing::Values(10, 25, 100, 400, 800, 1600));

// By hand: a window without marks decays alpha by 15/16; one with a quarter of marks makes it
// 15/16 + 1/64 of that and cuts the window by half of it.
TEST(Dctcp, FirstWindowsByHand)
{
    auto cc = CreateObject<DctcpCongestionControl>();
    CongestionPath path(DataRate("100Gbps"));
    path.frameBytes = 5000;
    path.baseRtt = MicroSeconds(4).GetTimeStep(); // ten packets
    cc->Open(0, path, SimTick(0));
    EXPECT_NEAR(cc->GetCwnd(0), 10, 1e-9);
    CongestionFeedback feedback = Make(Kind::ACK, path.baseRtt, 1);
    feedback.acked = 1;
    feedback.next = 5;
    cc->OnFeedback(0, feedback, SimTick(0));
    EXPECT_NEAR(cc->GetAlpha(0), 15.0 / 16, 1e-12);
    EXPECT_NEAR(cc->GetCwnd(0), 10.1, 1e-9);
    double window = 10.1;
    for (uint64_t psn = 2; psn <= 5; ++psn)
    {
        feedback.acked = psn;
        feedback.marked = psn == 3;
        cc->OnFeedback(0, feedback, SimTick(0));
        window += 1 / window;
    }
    EXPECT_NEAR(cc->GetCwnd(0), window, 1e-9); // packet 5 is not behind packet 5
    feedback.acked = 6;
    feedback.marked = false;
    feedback.next = 20;
    cc->OnFeedback(0, feedback, SimTick(0));
    const double alpha = 15.0 / 16 * 15 / 16 + 1.0 / 16 / 5;
    EXPECT_NEAR(cc->GetAlpha(0), alpha, 1e-12);
    EXPECT_NEAR(cc->GetCwnd(0), (window + 1 / window) * (1 - alpha / 2), 1e-9);
}
