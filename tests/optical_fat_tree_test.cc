/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-matrix.h"

using namespace ns3;

namespace
{

/**
 * When an ideally balanced 1:1 fat-tree on the same NICs is over, but for hop latency: it carries
 * any demand at the full rate of the busiest server, in the larger of its two directions,
 *
 *     L = max over servers s of max(sum_j D[s][j], sum_j D[j][s]) / (rate of all NICs of s)
 *
 * which no network on these NICs can undercut.
 */
PlanLoad
FatTree(const DemandMatrix& demand, uint64_t rate)
{
    uint64_t most = 0;
    for (uint32_t s = 0; s < demand.Rows(); ++s)
    {
        uint64_t sent = 0;
        uint64_t received = 0;
        for (uint32_t t = 0; t < demand.Rows(); ++t)
        {
            sent += s == t ? 0 : demand(s, t);
            received += s == t ? 0 : demand(t, s);
        }
        most = std::max({most, sent, received});
    }
    return {most, rate};
}

} // namespace

// Bound: for every plan with at most alpha circuits per server, T >= L. Let server s send S bytes,
// those of pairs with circuits over c <= alpha circuits of rate r, the rest at E over the EPS. Each
// part is over by T: circuits carry at most c r T, the EPS E T, so S <= (alpha r + E) T; the same
// for what it receives. Equality is reached (uniform demand of two servers below). Scale-up traffic
// never enters a NIC, in either network, so it is not part of D. In hops a circuit has one OCS
// where the tree has up to five switches: that latency is all that circuits can win.
TEST(EveryPlanner, NeverBeatsAnIdealFatTree)
{
    constexpr uint64_t CIRCUIT = 400000000000;
    constexpr uint64_t PACKET = 800000000000;
    std::mt19937_64 rng(9);
    for (const std::string& name : GetPlanners())
    {
        double closest = 100;
        int compared = 0;
        for (int round = 0; round < 400; ++round)
        {
            const uint32_t n = 2 + rng() % 7;
            const uint32_t alpha = 1 + rng() % 6;
            const bool eps = round % 4 > 0;
            const DemandMatrix demand = RandomDemand(n, 1.0, 1 + round % 4, rng);
            const RegionRates rates = Rates(n, "400Gbps", eps ? "800Gbps" : "0Gbps");
            const CircuitPlan none(n);
            const PortTable ports = Ports(n, 1, alpha);
            try
            {
                const auto planner = MakePlanner(name);
                planner->AssignStreams(1);
                const PlanLoad hybrid =
                    FindSlowest(demand,
                                planner->Plan({demand, ports, none, nullptr, &rates}),
                                rates);
                const PlanLoad tree = FatTree(demand, alpha * CIRCUIT + (eps ? PACKET : 0));
                ASSERT_FALSE(hybrid < tree) << name << " round " << round;
                if (!hybrid.IsStuck())
                {
                    ++compared;
                    closest = std::min(closest,
                                       hybrid.GetTime().GetDouble() / tree.GetTime().GetDouble());
                }
            }
            catch (const InputError&)
            {
                // One port per server cannot join them all.
            }
        }
        EXPECT_GT(compared, 100) << name;
        EXPECT_LT(closest, 1.6) << name << ": far off, the bound says nothing";
    }
}

// The bound is sharp: two servers without EPS, all ports between them.
TEST(FatTreeBound, IsReached)
{
    const DemandMatrix demand(2, 2, 6000);
    const RegionRates rates = Rates(2, "400Gbps", "0Gbps");
    const PlanLoad hybrid = FindSlowest(demand, Greedy(demand, Ports(2, 1, 6)), rates);
    const PlanLoad tree = FatTree(demand, 6 * 400000000000);
    EXPECT_FALSE(hybrid < tree);
    EXPECT_FALSE(tree < hybrid);
}
