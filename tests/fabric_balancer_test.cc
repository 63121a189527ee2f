/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/flowlet-balancer.h"
#include "ns3/pause-timers.h"
#include "ns3/spray-balancers.h"
#include "ns3/string.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

/// Four ports of two groups.
const std::vector<uint16_t> PORTS{4, 5, 6, 7, 1, 2};
const PortChoice UP{PORTS.data(), 4, 0};
const PortChoice OTHER{PORTS.data() + 4, 2, 4};

/// @param opcode what @return a frame
Frame
Make(FrameOpcode opcode)
{
    Frame frame;
    frame.opcode = opcode;
    return frame;
}

TEST(PortBalancer, EcmpFollowsTheHash)
{
    const auto ecmp = CreateObject<EcmpBalancer>();
    std::vector<int> uses(8, 0);
    for (uint64_t i = 0; i < 4000; ++i)
    {
        ++uses[ecmp->Choose(Frame(), static_cast<uint32_t>((i << 32) / 4000), UP, 0)];
    }
    EXPECT_EQ(uses, (std::vector<int>{0, 0, 0, 0, 1000, 1000, 1000, 1000}));
}

TEST(PortBalancer, RoundRobinTakesEachGroupInTurnAndLeavesControlAlone)
{
    const auto spray = CreateObject<RoundRobinSprayBalancer>();
    const Frame data = Make(FrameOpcode::DATA_MIDDLE);
    const Frame ack = Make(FrameOpcode::ACK);
    EXPECT_EQ(spray->Choose(data, 2, UP, 0), 6); // begins at 2 mod 4
    for (const uint16_t port : {7, 4, 5, 6, 7})
    {
        EXPECT_EQ(spray->Choose(ack, 0x40000000, UP, 0), 5);
        EXPECT_EQ(spray->Choose(ack, 0x80000000, OTHER, 0), 2);
        EXPECT_EQ(spray->Choose(data, 99, UP, 0), port);
    }
    EXPECT_EQ(spray->Choose(data, 0, OTHER, 0), 1);
    EXPECT_EQ(spray->Choose(data, 0, OTHER, 0), 2);
    spray->ForgetRoutes();
    EXPECT_EQ(spray->Choose(data, 3, UP, 0), 7);
}

TEST(PortBalancer, AFlowletEndsAfterTheGapOrWithItsGroup)
{
    const auto flowlet = CreateObject<FlowletBalancer>();
    flowlet->SetAttribute("Gap", TimeValue(TimeStep(100)));
    flowlet->AssignStreams(1);
    const uint16_t first = flowlet->Choose(Frame(), 77, UP, 0);
    for (SimTick now = 99; now < 9000; now += 99)
    {
        ASSERT_EQ(flowlet->Choose(Frame(), 77, UP, now), first);
    }
    EXPECT_EQ(flowlet->GetNFlowlets(), 1U);
    std::vector<int> uses(8, 0);
    for (SimTick now = 10000; now < 410000; now += 100) // exactly the gap ends it
    {
        ++uses[flowlet->Choose(Frame(), 77, UP, now)];
    }
    EXPECT_EQ(flowlet->GetNFlowlets(), 4001U);
    for (const int port : {4, 5, 6, 7})
    {
        EXPECT_NEAR(uses[port], 1000, 110); // 4 sigma
    }
    flowlet->Choose(Frame(), 77, OTHER, 410000);
    flowlet->Choose(Frame(), 77, OTHER, 410001);
    EXPECT_EQ(flowlet->GetNFlowlets(), 4002U);
    flowlet->ForgetRoutes();
    flowlet->Choose(Frame(), 77, OTHER, 410002);
    EXPECT_EQ(flowlet->GetNFlowlets(), 4003U);
}

TEST(PauseTimers, AgainstALogOfFrames)
{
    // Independent: at each time, the last frame in effect for a class decides.
    std::mt19937 random(4);

    struct Sent
    {
        SimTick effect;
        SimTick lasts;
        uint8_t classes;
        bool pause;
    };

    for (int round = 0; round < 200; ++round)
    {
        PauseTimers timers;
        std::vector<Sent> log;
        const SimTick response = random() % 3 * 40;
        uint8_t paused = 0;
        SimTick frame = 10;
        int changes = 0;
        for (SimTick now = 0; now < 3000; ++now)
        {
            if (now == frame)
            {
                const Sent sent{now + response,
                                random() % 4 == 0 ? NEVER : static_cast<SimTick>(1 + random() % 90),
                                static_cast<uint8_t>(random()),
                                random() % 3 > 0};
                timers.Receive(sent.classes, sent.pause, sent.effect, sent.lasts);
                log.push_back(sent);
                frame += 1 + random() % 60;
            }
            uint8_t expected = 0;
            for (const auto& sent : log)
            {
                for (int c = 0; c < N_PRIORITIES && sent.effect <= now; ++c)
                {
                    if (sent.classes >> c & 1)
                    {
                        const bool held =
                            sent.pause && (sent.lasts == NEVER || now < sent.effect + sent.lasts);
                        expected = static_cast<uint8_t>(held ? expected | (1U << c)
                                                             : expected & ~(1U << c));
                    }
                }
            }
            const bool due = timers.GetNext() <= now;
            if (due || random() % 2) // asked only now and then, but always when due
            {
                const uint8_t before = paused;
                paused = timers.Apply(paused, now);
                changes += before != paused;
            }
            ASSERT_EQ(paused, expected) << "round " << round << " at " << now;
        }
        EXPECT_GT(changes, 20);
    }
}

} // namespace
