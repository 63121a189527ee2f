/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow_driver.h"
#include "flow_oracle.h"

#include "ns3/flow-solver.h"
#include "ns3/mixnet-error.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

// 4,178 B at 400 Gb/s are 83.56 ns = 83,560 ps: to the tick, and 1 bit more is 2.5 ps later,
// rounded up.
TEST(FlowSolver, SingleFlowIsExact)
{
    Driver d;
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    d.Start({Spec(route, 4178 * 8)});
    d.RunToEnd();
    EXPECT_EQ(d.now, 83560);
    d.Start({Spec(route, 4178 * 8 + 1)});
    d.RunToEnd();
    EXPECT_EQ(d.now, 83560 + 83563);
    d.Start({Spec(route, 0)});
    d.RunToEnd();
    EXPECT_EQ(d.now, 83560 + 83563) << "a flow of zero length ends at once";
}

// Resources of 400G: x (8 Mbit) on A, y (16 Mbit) on A and B, z (8 Mbit) on B. All at 200G until
// 40 us, when x and z end together; y has 8 Mbit left, at 400G: 60 us.
TEST(FlowSolver, RatesRiseWhenFlowsEnd)
{
    Driver d;
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    d.Start({Spec(d.Route({{0, 1}}), 8e6),
             Spec(d.Route({{0, 1}, {1, 1}}), 16e6),
             Spec(d.Route({{1, 1}}), 8e6)});
    d.RunToEnd();
    const std::vector<std::pair<uint64_t, int64_t>> expected{{0, 40000000},
                                                             {2, 40000000},
                                                             {1, 60000000}};
    EXPECT_EQ(d.ends, expected);
}

// A flow of 40 Mbit at 400G is alone for 50 us (20 Mbit), shares for as long as a second flow of
// 10 Mbit takes at 200G (50 us, 10 Mbit), and is alone again for its last 10 Mbit: 25 us.
TEST(FlowSolver, LateComerTakesHalf)
{
    Driver d(MEMORY);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    d.Start({Spec(route, 40e6)});
    d.RunTo(50000000);
    d.Start({Spec(route, 10e6)});
    d.RunToEnd();
    const std::vector<std::pair<uint64_t, int64_t>> expected{{1, 100000000}, {0, 125000000}};
    EXPECT_EQ(d.ends, expected);
}

// Stopping the second flow after 25 us (5 of its 10 Mbit are left) gives the first its rate back:
// 40 = 20 + 5 + 15 Mbit, 50 + 25 + 37.5 us.
TEST(FlowSolver, StopGivesTheRateBack)
{
    Driver d(MEMORY);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    d.Start({Spec(route, 40e6)});
    d.RunTo(50000000);
    d.Start({Spec(route, 10e6)});
    d.RunTo(75000000);
    EXPECT_DOUBLE_EQ(d.Stop(1), 5e6);
    d.RunToEnd();
    const std::vector<std::pair<uint64_t, int64_t>> expected{{0, 112500000}};
    EXPECT_EQ(d.ends, expected);
    EXPECT_EQ(d.solver.GetNFlows(), 0U);
}

// Payload on a scale-up port: wire rate 400G at a payload ratio of 1/2 loads a port of 200G fully,
// so the port does not bind; at ratio 1 it halves the rate.
TEST(FlowSolver, ScaleUpPortsCarryPayload)
{
    for (const double ratio : {0.5, 1.0})
    {
        Driver d;
        d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
        d.solver.GetPartition().AddResource(200e9, ResourceKind::SCALE_UP);
        FlowSpec spec = Spec(d.Route({{0, 1}, {1, 1}}), 4e6);
        spec.payloadRatio = ratio;
        d.Start({spec});
        d.RunToEnd();
        EXPECT_EQ(d.now, ratio == 0.5 ? 10000000 : 20000000);
    }
}

// Two pairs of ports joined by one flow: one component while it lasts, two afterwards.
TEST(FlowSolver, ComponentsJoinAndFallApart)
{
    Driver d(MEMORY);
    for (int i = 0; i < 2; ++i)
    {
        d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    }
    const uint32_t a = d.Route({{0, 1}});
    const uint32_t b = d.Route({{1, 1}});
    const uint32_t both = d.Route({{0, 1}, {1, 1}});
    d.Start({Spec(a, 40e6), Spec(b, 40e6)});
    EXPECT_NE(d.solver.GetComponent(d.live[0]), d.solver.GetComponent(d.live[1]));
    d.Start({Spec(both, 2e6)});
    EXPECT_EQ(d.solver.GetComponent(d.live[0]), d.solver.GetComponent(d.live[1]));
    d.RunTo(10000000); // 2 Mbit at 200G
    EXPECT_EQ(d.ends.size(), 1U);
    EXPECT_NE(d.solver.GetComponent(d.live[0]), d.solver.GetComponent(d.live[1]));
    EXPECT_EQ(d.solver.GetStats().joins, 1U);
    EXPECT_EQ(d.solver.GetStats().splits, 1U);
    d.RunToEnd();
    EXPECT_EQ(d.now, 105000000) << "38 of 40 Mbit at 400G after 10 us";
}

TEST(FlowSolver, RecallReplaysAndFallsBack)
{
    Driver d(MEMORY);
    for (int i = 0; i < 4; ++i)
    {
        d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    }
    std::vector<FlowSpec> batch;
    for (uint32_t i = 0; i < 2; ++i)
    {
        for (uint32_t k = 2; k < 4; ++k)
        {
            batch.push_back(Spec(d.Route({{i, 1}, {k, 1}}), 1e6 * (1 + i + 3 * k)));
        }
    }
    d.Start(batch);
    d.RunToEnd();
    const auto first = d.ends;
    const int64_t length = d.now;
    const auto solves = d.solver.GetStats().solves;
    EXPECT_EQ(d.solver.GetStats().recalled, 0U);

    d.RunTo(1000000007);
    const int64_t start = d.now;
    d.ends.clear();
    d.Start(batch);
    d.RunToEnd();
    EXPECT_EQ(d.solver.GetStats().recalled, 1U);
    EXPECT_EQ(d.solver.GetStats().solves, solves) << "nothing was solved anew";
    ASSERT_EQ(d.ends.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i)
    {
        EXPECT_EQ(d.ends[i].first, first[i].first + batch.size());
        EXPECT_EQ(d.ends[i].second, first[i].second + start);
    }

    // A fifth flow in the middle: as without recall.
    std::vector<std::pair<uint64_t, int64_t>> plain;
    for (const std::size_t budget : {std::size_t(0), MEMORY})
    {
        Driver e(budget);
        for (int i = 0; i < 4; ++i)
        {
            e.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
        }
        for (auto& spec : batch)
        {
            const auto index = static_cast<uint32_t>(&spec - batch.data());
            spec.route = e.Route({{index / 2, 1}, {2 + index % 2, 1}});
        }
        e.Start(batch);
        e.RunToEnd();
        e.Start(batch);
        e.RunTo(e.now + length / 2);
        e.Start({Spec(batch[0].route, 3e6)});
        e.RunToEnd();
        EXPECT_EQ(e.solver.GetStats().fallbacks, budget > 0 ? 1U : 0U);
        if (budget == 0)
        {
            plain = e.ends;
        }
        EXPECT_EQ(e.ends, plain);
    }
}

TEST(FlowSolver, RecallForgetsTheOldest)
{
    Driver d(2000);
    d.solver.GetPartition().AddResource(400e9, ResourceKind::PORT);
    const uint32_t route = d.Route({{0, 1}});
    for (int i = 0; i < 100; ++i)
    {
        d.Start({Spec(route, 1e6 + i)});
        d.RunToEnd();
    }
    d.Start({Spec(route, 1e6 + 99)});
    d.RunToEnd();
    EXPECT_EQ(d.solver.GetStats().recalled, 1U);
    d.Start({Spec(route, 1e6)});
    d.RunToEnd();
    EXPECT_EQ(d.solver.GetStats().recalled, 1U);
}
