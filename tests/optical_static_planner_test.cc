/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include "ns3/greedy-circuit-planner.h"
#include "ns3/mixnet-error.h"
#include "ns3/static-circuit-planner.h"
#include "ns3/string.h"
#include "ns3/uniform-circuit-planner.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;

TEST(UniformPlanner, SpreadsEvenly)
{
    for (const bool random : {false, true})
    {
        auto planner = CreateObject<UniformCircuitPlanner>();
        planner->SetAttribute("Random", StringValue(random ? "true" : "false"));
        EXPECT_EQ(planner->AssignStreams(7), 1);
        for (uint32_t n = 2; n < 20; ++n)
        {
            const uint32_t alpha = 6;
            const CircuitPlan none(n);
            const CircuitPlan plan =
                planner->Plan({DemandMatrix(n, n, 0), Ports(n, 1, alpha), none});
            ExpectLegal(plan, Ports(n, 1, alpha));
            uint32_t least = UINT32_MAX;
            uint32_t most = 0;
            for (uint32_t i = 0; i < n; ++i)
            {
                for (uint32_t j = i + 1; j < n; ++j)
                {
                    least = std::min(least, plan.GetCount(i, j));
                    most = std::max(most, plan.GetCount(i, j));
                }
                EXPECT_GE(plan.GetDegree(i) + n % 2, alpha);
            }
            EXPECT_LE(most - least, 1U + n % 2) << n << " servers";
        }
    }
}

TEST(UniformPlanner, RandomFollowsItsStream)
{
    const auto make = [](int64_t stream) {
        auto planner = CreateObject<UniformCircuitPlanner>();
        planner->SetAttribute("Random", StringValue("true"));
        planner->AssignStreams(stream);
        const CircuitPlan none(16);
        return planner->Plan({DemandMatrix(16, 16, 0), Ports(16, 1, 6), none});
    };
    EXPECT_EQ(make(3), make(3));
    EXPECT_NE(make(3), make(4));
}

namespace
{

CircuitPlan
Static(const std::string& backbone,
       const DemandMatrix& demand,
       const PortTable& ports,
       const DemandMatrix* standing)
{
    auto planner = CreateObject<StaticCircuitPlanner>();
    planner->SetAttribute("Backbone", StringValue(backbone));
    const CircuitPlan none(static_cast<uint32_t>(demand.Rows()));
    return planner->Plan({demand, ports, none, standing});
}

/// @param plan plan @return servers reached from server 0 over circuits
uint32_t
Reach(const CircuitPlan& plan)
{
    std::vector<uint32_t> todo{0};
    std::vector<bool> seen(plan.GetNServers(), false);
    seen[0] = true;
    for (std::size_t k = 0; k < todo.size(); ++k)
    {
        for (uint32_t j = 0; j < plan.GetNServers(); ++j)
        {
            if (!seen[j] && plan.GetCount(todo[k], j) > 0)
            {
                seen[j] = true;
                todo.push_back(j);
            }
        }
    }
    return static_cast<uint32_t>(todo.size());
}

} // namespace

TEST(StaticPlanner, ConnectsTheJobFirst)
{
    // EP groups {0..3} and {4..7} never talk to each other, DP pairs (i, i + 4) a little: greedily
    // all ports would go to EP.
    DemandMatrix demand(8, 8, 0);
    DemandMatrix standing(8, 8, 0);
    for (uint32_t i = 0; i < 8; ++i)
    {
        for (uint32_t j = 0; j < 8; ++j)
        {
            demand(i, j) = i != j && i / 4 == j / 4 ? 1000000 : 0;
        }
    }
    standing(2, 6) = 10;
    const CircuitPlan none(8);
    EXPECT_LT(Reach(CreateObject<GreedyCircuitPlanner>()->Plan({demand, Ports(8, 1, 3), none})),
              8U);
    for (const char* backbone : {"ring", "tree"})
    {
        const CircuitPlan plan = Static(backbone, demand, Ports(8, 1, 3), &standing);
        ExpectLegal(plan, Ports(8, 1, 3));
        EXPECT_EQ(Reach(plan), 8U) << backbone;
        EXPECT_EQ(plan.GetCount(2, 6), 1U) << "the heaviest DP pair is in the backbone";
    }
}

TEST(StaticPlanner, ConnectsRandomJobs)
{
    std::mt19937_64 rng(5);
    for (int round = 0; round < 500; ++round)
    {
        const uint32_t n = 2 + rng() % 30;
        const uint32_t alpha = 2 + rng() % 5;
        const DemandMatrix demand = RandomDemand(n, 0.3, 2, rng);
        const DemandMatrix standing = RandomDemand(n, 0.1, 2, rng);
        for (const char* backbone : {"ring", "tree"})
        {
            const PortTable ports = Ports(n, 1, alpha);
            const CircuitPlan plan = Static(backbone, demand, ports, &standing);
            ExpectLegal(plan, ports);
            ASSERT_EQ(Reach(plan), n) << backbone << " round " << round;
        }
        // One panel per NIC.
        const PortTable panels = Ports(n, 8, 1);
        const CircuitPlan plan = Static("ring", demand, panels, &standing);
        ExpectLegal(plan, panels);
        ASSERT_EQ(Reach(plan), n) << "panels, round " << round;
    }
}

TEST(StaticPlanner, RefusesPairsWithoutWay)
{
    DemandMatrix demand(4, 4, 1);
    EXPECT_THROW(Static("ring", demand, Ports(4, 1, 1), nullptr), InputError);
    PortTable ports = Ports(4, 1, 3);
    ports(2, 0) = 0;
    try
    {
        Static("tree", demand, ports, nullptr);
        FAIL();
    }
    catch (const InputError& e)
    {
        EXPECT_NE(std::string(e.what()).find("servers 0 and 2"), std::string::npos) << e.what();
    }
    // Without demand nobody asks.
    for (uint32_t s = 0; s < 4; ++s)
    {
        demand(s, 2) = demand(2, s) = 0;
    }
    EXPECT_NO_THROW(Static("tree", demand, ports, nullptr));
}

TEST(PlanObjective, HandSolved)
{
    // 400 Gb/s circuits (50 GB/s), 800 Gb/s EPS per server (100 GB/s).
    const RegionRates rates = Rates(3, "400Gbps", "800Gbps");
    DemandMatrix demand(3, 3, 0);
    demand(0, 1) = 50000000; // 1 ms over one circuit
    demand(1, 0) = 30000000;
    demand(0, 2) = 40000000; // EPS: server 0 sends 40 MB, 0.4 ms
    demand(1, 2) = 20000000; // EPS: server 2 receives 60 MB, 0.6 ms
    demand(2, 2) = 99999999999;
    CircuitPlan plan(3);
    // All EPS: server 0 sends 90 MB, 0.9 ms.
    EXPECT_EQ(PredictFinishTime(demand, plan, rates), MicroSeconds(900));
    plan.Add(0, 1, 0);
    EXPECT_EQ(PredictFinishTime(demand, plan, rates), MicroSeconds(1000));
    plan.Add(0, 1, 0);
    EXPECT_EQ(PredictFinishTime(demand, plan, rates), MicroSeconds(600));
    // A slower NIC at one end sets the pace.
    RegionRates slow = rates;
    slow.circuit[1] = DataRate("100Gbps");
    EXPECT_EQ(PredictFinishTime(demand, plan, slow), MicroSeconds(2000));
    // Without EPS the pairs without a circuit never end.
    slow.packet.assign(3, DataRate(0));
    EXPECT_EQ(PredictFinishTime(demand, plan, slow), Time::Max());
    EXPECT_EQ(PredictFinishTime(DemandMatrix(3, 3, 0), plan, slow), Time(0));
}

TEST(PlanObjective, RatesOfTheGraph)
{
    const TestRegion region(2, 6);
    const RegionRates rates = GetRegionRates(*region.graph, region.region);
    EXPECT_EQ(rates.circuit[1], DataRate("400Gbps"));
    EXPECT_EQ(rates.packet[0], DataRate("800Gbps"));
}
