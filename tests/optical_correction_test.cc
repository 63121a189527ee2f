/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A few circuits from one plan towards another.

#include "ns3/plan-correction.h"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SERVERS = 6; //!< of the region
constexpr uint32_t PORTS = 3;   //!< of a server

/// @param random source @return bytes between servers
DemandMatrix
MakeDemand(std::mt19937& random)
{
    DemandMatrix demand(SERVERS, SERVERS, 0);
    for (uint32_t i = 0; i < SERVERS; ++i)
    {
        for (uint32_t j = 0; j < SERVERS; ++j)
        {
            demand(i, j) = i == j ? 0 : random() % 1000 + 1;
        }
    }
    return demand;
}

/// @param random source @param kind of the circuits @return as many as fit, anywhere
CircuitPlan
MakePlan(std::mt19937& random, CircuitKind kind)
{
    CircuitPlan plan(SERVERS, kind);
    for (int i = 0; i < 200; ++i)
    {
        const uint32_t a = random() % SERVERS;
        const uint32_t b = random() % SERVERS;
        if (a != b && plan.GetDegree(a) < PORTS && plan.GetInDegree(b) < PORTS)
        {
            const bool swap = kind == CircuitKind::DUPLEX && b < a;
            plan.Add(swap ? b : a, swap ? a : b, 0);
        }
    }
    return plan;
}

/// @param from plan @param to plan @return circuits that `to` has and `from` has not
uint32_t
CountAdded(const CircuitPlan& from, const CircuitPlan& to)
{
    uint32_t added = 0;
    for (uint32_t i = 0; i < SERVERS; ++i)
    {
        for (uint32_t j = 0; j < SERVERS; ++j)
        {
            added += std::max(to.GetCount(i, j), from.GetCount(i, j)) - from.GetCount(i, j);
        }
    }
    return from.GetKind() == CircuitKind::DUPLEX ? added / 2 : added;
}

/// @return the rates of a region where the EPS is slow
RegionRates
MakeRates()
{
    RegionRates rates;
    rates.circuit.assign(SERVERS, DataRate("100Gbps"));
    rates.packet.assign(SERVERS, DataRate("1Gbps"));
    return rates;
}

} // namespace

// Laws: at most that many circuits are new, no server has more than its ports, the predicted finish
// time never rises with the limit and never exceeds that of the plan there was. Without a limit all
// that is wanted is there, beside circuits that nobody had to give up: where every circuit is
// faster than the EPS that finishes no later than the plan wanted.
TEST(CorrectPlan, MovesAFewCircuitsAndNeverForTheWorse)
{
    std::mt19937 random(7);
    const PortTable ports(SERVERS, 1, PORTS);
    const RegionRates rates = MakeRates();
    uint32_t shorter = 0;
    for (int round = 0; round < 100; ++round)
    {
        const CircuitKind kind = round % 2 == 0 ? CircuitKind::DUPLEX : CircuitKind::SIMPLEX;
        const CircuitPlan current = MakePlan(random, kind);
        const CircuitPlan wanted = MakePlan(random, kind);
        const DemandMatrix demand = MakeDemand(random);
        Time before = PredictFinishTime(demand, current, rates);
        EXPECT_EQ(CorrectPlan(current, wanted, ports, demand, rates, 0), current);
        for (uint32_t most = 1; most < 12; ++most)
        {
            const CircuitPlan plan = CorrectPlan(current, wanted, ports, demand, rates, most);
            EXPECT_LE(CountAdded(current, plan), most);
            for (uint32_t s = 0; s < SERVERS; ++s)
            {
                EXPECT_LE(plan.GetDegree(s), PORTS);
                EXPECT_LE(plan.GetInDegree(s), PORTS);
            }
            const Time after = PredictFinishTime(demand, plan, rates);
            EXPECT_LE(after, before);
            shorter += after < before ? 1 : 0;
            before = after;
        }
        const CircuitPlan all = CorrectPlan(current, wanted, ports, demand, rates, 100);
        EXPECT_LE(PredictFinishTime(demand, all, rates), PredictFinishTime(demand, wanted, rates));
    }
    EXPECT_GT(shorter, 50U);
}

TEST(CorrectPlan, TakesThePortOfTheCircuitWithTheFewestBytes)
{
    // One port each: 0-1 and 2-3 are lit, 0-2 is wanted for its bytes. Both circuits go.
    CircuitPlan current(SERVERS);
    current.Add(0, 1, 0);
    current.Add(2, 3, 0);
    CircuitPlan wanted(SERVERS);
    wanted.Add(0, 2, 0);
    DemandMatrix demand(SERVERS, SERVERS, 0);
    demand(0, 2) = 1000000;
    const PortTable ports(SERVERS, 1, 1);
    const CircuitPlan plan = CorrectPlan(current, wanted, ports, demand, MakeRates(), 1);
    EXPECT_EQ(plan, wanted);
    // With two ports nothing has to go.
    const CircuitPlan both =
        CorrectPlan(current, wanted, PortTable(SERVERS, 1, 2), demand, MakeRates(), 1);
    EXPECT_EQ(both.GetTotal(), 3U);
}
