/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/**
 * Independent algorithm: the paper's listing with the skip rule, word by word. Each round looks at
 * all active pairs: largest D / C (infinite for C = 0), then fewest circuits of both servers, then
 * larger D, then lower ids. O(circuits N^2).
 */
CircuitPlan
NaiveGreedy(const DemandMatrix& demand, uint32_t alpha)
{
    const auto n = static_cast<uint32_t>(demand.Rows());
    CircuitPlan plan(n);
    Matrix<char> active(n, n, 1);
    while (true)
    {
        bool found = false;
        uint32_t besti = 0;
        uint32_t bestj = 0;
        const auto better = [&](uint32_t i, uint32_t j) {
            const auto d = [&](uint32_t a, uint32_t b) { return demand(a, b) + demand(b, a); };
            const uint32_t c = plan.GetCount(i, j);
            const uint32_t k = plan.GetCount(besti, bestj);
            if ((c == 0) != (k == 0))
            {
                return c == 0;
            }
            const auto left = static_cast<long double>(d(i, j)) * (c == 0 ? 1 : k);
            const auto right = static_cast<long double>(d(besti, bestj)) * (c == 0 ? 1 : c);
            if (c > 0 && left != right)
            {
                return left > right;
            }
            const uint32_t held = plan.GetDegree(i) + plan.GetDegree(j);
            const uint32_t besth = plan.GetDegree(besti) + plan.GetDegree(bestj);
            if (held != besth)
            {
                return held < besth;
            }
            return d(i, j) > d(besti, bestj);
        };
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t j = i + 1; j < n; ++j)
            {
                if (active(i, j) && demand(i, j) + demand(j, i) > 0 && (!found || better(i, j)))
                {
                    found = true;
                    besti = i;
                    bestj = j;
                }
            }
        }
        if (!found)
        {
            return plan;
        }
        if (plan.GetDegree(besti) == alpha || plan.GetDegree(bestj) == alpha)
        {
            active(besti, bestj) = 0;
            continue;
        }
        plan.Add(besti, bestj, 0);
    }
}

} // namespace

TEST(GreedyPlanner, AuthorsMatrixEightServers)
{
    // Published: 24 circuits (8 x 6 / 2, no port unused).
    const CircuitPlan plan = Greedy(AuthorsDemand(8), Ports(8, 1, 6));
    EXPECT_EQ(plan.GetTotal(), 24U);
    ExpectLegal(plan, Ports(8, 1, 6));
    // With ties by demand the skip rule and the authors' program choose the same 24.
    const CircuitPlan artifact = Greedy(AuthorsDemand(8), Ports(8, 1, 6), "artifact");
    EXPECT_EQ(artifact.GetTotal(), 24U);
    EXPECT_EQ(artifact, Greedy(AuthorsDemand(8), Ports(8, 1, 6), "skip", "demand"));
    // The listing, read literally, ends at the first pair it cannot serve.
    EXPECT_EQ(Greedy(AuthorsDemand(8), Ports(8, 1, 6), "break").GetTotal(), 6U);
}

TEST(GreedyPlanner, AuthorsMatrixFourServers)
{
    const CircuitPlan plan = Greedy(AuthorsDemand(4), Ports(4, 1, 6));
    EXPECT_EQ(plan, Greedy(AuthorsDemand(4), Ports(4, 1, 6), "artifact"));
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t j = i + 1; j < 4; ++j)
        {
            EXPECT_EQ(plan.GetCount(i, j), 2U);
        }
    }
}

TEST(GreedyPlanner, HandSolved)
{
    // Three servers, two ports each. D(0,1) = 100, D(0,2) = 10, D(1,2) = 0. Infinite pairs first,
    // by demand: 0-1, then 0-2 (server 0 is full). 0-1 can have no second one.
    DemandMatrix demand(3, 3, 0);
    demand(0, 1) = 60;
    demand(1, 0) = 40;
    demand(2, 0) = 10;
    CircuitPlan plan = Greedy(demand, Ports(3, 1, 2));
    EXPECT_EQ(plan.GetCount(0, 1), 1U);
    EXPECT_EQ(plan.GetCount(0, 2), 1U);
    EXPECT_EQ(plan.GetTotal(), 2U);
    // Three ports: the third of server 0 goes to the larger T: 100/1 against 10/1.
    plan = Greedy(demand, Ports(3, 1, 3));
    EXPECT_EQ(plan.GetCount(0, 1), 2U);
    EXPECT_EQ(plan.GetCount(0, 2), 1U);
    // The artifact's values 100 and 10 become 1 and 0.1: the same.
    EXPECT_EQ(plan, Greedy(demand, Ports(3, 1, 3), "artifact"));
}

TEST(GreedyPlanner, EqualsNaive)
{
    std::mt19937_64 rng(1);
    uint32_t idle = 0;
    for (int round = 0; round < 600; ++round)
    {
        const uint32_t n = 2 + rng() % 11;
        const uint32_t alpha = 1 + rng() % 7;
        DemandMatrix demand = RandomDemand(n, round % 3 ? 1.0 : 0.3, 1 + round % 3, rng);
        if (round % 5 == 0) // many equal demands: ties everywhere
        {
            for (uint64_t& bytes : demand.Data())
            {
                bytes >>= 28;
            }
        }
        const CircuitPlan plan = Greedy(demand, Ports(n, 1, alpha));
        ASSERT_EQ(plan, NaiveGreedy(demand, alpha)) << "round " << round;
        idle += plan.GetTotal() * 2 < n * alpha;
    }
    EXPECT_GT(idle, 0U);
    EXPECT_LT(idle, 600U);
}

TEST(GreedyPlanner, LegalOnThousands)
{
    std::mt19937_64 rng(2);
    for (int round = 0; round < 3000; ++round)
    {
        const uint32_t n = 1 + rng() % 20;
        const uint32_t units = 1 + rng() % 3;
        PortTable ports(n, units, 0);
        for (uint32_t& count : ports.Data())
        {
            count = rng() % 5; // some servers lost ports, or all of them
        }
        const DemandMatrix demand = RandomDemand(n, 0.7, 1 + round % 4, rng);
        for (const char* rule : {"skip", "break", "artifact"})
        {
            ExpectLegal(Greedy(demand, ports, rule), ports);
        }
    }
}

TEST(GreedyPlanner, NobodyWithoutCircuit)
{
    // Law (design, decision 7): with demand between all pairs every server gets a circuit, however
    // few ports there are.
    std::mt19937_64 rng(3);
    for (int round = 0; round < 2000; ++round)
    {
        const uint32_t n = 2 + rng() % 40;
        // An odd one out needs somebody's second port.
        const uint32_t alpha = (n % 2 ? 2 : 1) + rng() % 6;
        DemandMatrix demand = RandomDemand(n, 1.0, 1 + round % 5, rng);
        for (uint64_t& bytes : demand.Data())
        {
            ++bytes;
        }
        const CircuitPlan plan = Greedy(demand, Ports(n, 1, alpha));
        for (uint32_t s = 0; s < n; ++s)
        {
            ASSERT_GT(plan.GetDegree(s), 0U) << "round " << round << ", server " << s;
        }
    }
}

TEST(GreedyPlanner, UnitsAreUsed)
{
    // Two units with one port each per server are worth two ports.
    DemandMatrix demand(2, 2, 5);
    const CircuitPlan plan = Greedy(demand, Ports(2, 2, 1));
    EXPECT_EQ(plan.GetCount(0, 1), 2U);
    const auto pairs = plan.GetPairs();
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_EQ(pairs[0].unit, 0U);
    EXPECT_EQ(pairs[1].unit, 1U);
    // A pair stays on the unit where it has a circuit.
    auto planner = CreateObject<GreedyCircuitPlanner>();
    CircuitPlan current(3);
    current.Add(0, 1, 1);
    DemandMatrix two(3, 3, 0);
    two(0, 1) = two(0, 2) = 7;
    const auto next = planner->Plan({two, Ports(3, 2, 1), current}).GetPairs();
    ASSERT_EQ(next.size(), 2U);
    EXPECT_EQ(next[0].unit, 1U);
    EXPECT_EQ(next[1].unit, 0U);
}
