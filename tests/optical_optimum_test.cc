/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include "ns3/exhaustive-circuit-planner.h"
#include "ns3/mixnet-error.h"

using namespace ns3;

namespace
{

/// Six optical NICs of 400 Gb/s and two for the EPS, as in the paper.
RegionRates
PaperRates(uint32_t servers)
{
    return Rates(servers, "400Gbps", "800Gbps");
}

CircuitPlan
Best(const DemandMatrix& demand, const PortTable& ports, const RegionRates& rates)
{
    const CircuitPlan none(static_cast<uint32_t>(demand.Rows()));
    return CreateObject<ExhaustiveCircuitPlanner>()->Plan({demand, ports, none, nullptr, &rates});
}

/// Finish time under a planner against the optimum.
struct Quality
{
    double worst{1}; //!< largest ratio
    double sum{0};   //!< of all ratios
    int cases{0};    //!< demands
    int optimal{0};  //!< plans that were as good

    void Add(Time time, Time best)
    {
        const double ratio = time.GetDouble() / best.GetDouble();
        worst = std::max(worst, ratio);
        sum += ratio;
        ++cases;
        optimal += time == best ? 1 : 0;
    }
};

} // namespace

// Oracle: every plan of a small region, one by one.
TEST(ExhaustivePlanner, EqualsTheBestOfAllPlans)
{
    std::mt19937_64 rng(4);
    int overEps = 0;
    for (int round = 0; round < 120; ++round)
    {
        const uint32_t n = 2 + round % 5;
        const uint32_t alpha = n == 6 ? 2 : 1 + round % 4;
        // Fast and slow EPS, and none; one server's circuits are slower.
        RegionRates rates = Rates(n, "400Gbps", round % 4 == 3 ? "0Gbps" : "800Gbps");
        rates.circuit[0] = DataRate("100Gbps");
        rates.packet[n - 1] = round % 2 ? rates.packet[0] : DataRate("50Gbps");
        const DemandMatrix demand = RandomDemand(n, round % 3 ? 1.0 : 0.5, 1 + round % 4, rng);
        Time best = Time::Max();
        uint64_t plans = 0;
        ForEachPlan(n, alpha, [&](const CircuitPlan& plan) {
            ++plans;
            best = std::min(best, PredictFinishTime(demand, plan, rates));
        });
        ASSERT_GE(plans, 2U);
        const PortTable ports = Ports(n, 1, alpha);
        const CircuitPlan plan = Best(demand, ports, rates);
        ExpectLegal(plan, ports);
        ASSERT_EQ(PredictFinishTime(demand, plan, rates), best) << "round " << round;
        overEps += plan.GetTotal() * 2 < n * alpha;
    }
    EXPECT_GT(overEps, 0);
}

// The greedy works on the sum of both directions and ignores the EPS: it may lose, never win. The
// figures are those of the manual (page "Circuits").
TEST(ExhaustivePlanner, GreedyNeverBeatsIt)
{
    std::mt19937_64 rng(5);
    Quality all;
    Quality paper; // alpha 6
    for (int round = 0; round < 6000; ++round)
    {
        const uint32_t n = 3 + rng() % 4;
        const uint32_t alpha = 1 + round % 6;
        const RegionRates rates = PaperRates(n);
        DemandMatrix demand = RandomDemand(n, round % 4 ? 1.0 : 0.6, 1 + rng() % 4, rng);
        demand(0, 1) += 1000;
        const PortTable ports = Ports(n, 1, alpha);
        const Time best = PredictFinishTime(demand, Best(demand, ports, rates), rates);
        const Time greedy = PredictFinishTime(demand, Greedy(demand, ports), rates);
        ASSERT_GE(greedy, best) << "round " << round;
        all.Add(greedy, best);
        if (alpha == 6)
        {
            paper.Add(greedy, best);
        }
    }
    EXPECT_EQ(all.cases, 6000);
    EXPECT_GT(all.optimal, 0);
    EXPECT_LT(all.optimal, 6000);
    EXPECT_NEAR(all.worst, 5.0, 0.005);
    EXPECT_NEAR(all.sum / all.cases, 1.671, 0.005);
    EXPECT_NEAR(paper.worst, 3.004, 0.005);
    EXPECT_NEAR(paper.sum / paper.cases, 1.541, 0.005);
}

// The paper's region: 8 servers, alpha 6.
TEST(ExhaustivePlanner, GreedyInThePapersRegion)
{
    std::mt19937_64 rng(6);
    const RegionRates rates = PaperRates(8);
    const PortTable ports = Ports(8, 1, 6);
    Quality quality;
    for (int round = 0; round < 400; ++round)
    {
        const DemandMatrix demand = RandomDemand(8, 1.0, 1 + round % 3, rng);
        const CircuitPlan best = Best(demand, ports, rates);
        ExpectLegal(best, ports);
        const Time time = PredictFinishTime(demand, Greedy(demand, ports), rates);
        ASSERT_GE(time, PredictFinishTime(demand, best, rates)) << "round " << round;
        quality.Add(time, PredictFinishTime(demand, best, rates));
    }
    EXPECT_NEAR(quality.worst, 3.745, 0.005);
    EXPECT_NEAR(quality.sum / quality.cases, 1.756, 0.005);
    const DemandMatrix authors = AuthorsDemand(8);
    Quality one;
    one.Add(PredictFinishTime(authors, Greedy(authors, ports), rates),
            PredictFinishTime(authors, Best(authors, ports, rates), rates));
    EXPECT_NEAR(one.worst, 1.063, 0.005);
}

TEST(ExhaustivePlanner, RefusesWhatItCannotSearch)
{
    const RegionRates nine = PaperRates(9);
    EXPECT_THROW(Best(DemandMatrix(9, 9, 1), Ports(9, 1, 6), nine), InputError);
    const RegionRates two = PaperRates(2);
    EXPECT_THROW(Best(DemandMatrix(2, 2, 1), Ports(2, 2, 6), two), InputError);
    // Nothing to carry: nothing is lit.
    EXPECT_EQ(Best(DemandMatrix(2, 2, 0), Ports(2, 1, 6), two).GetTotal(), 0U);
}
