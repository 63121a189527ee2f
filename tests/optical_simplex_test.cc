/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Simplex circuits: laws of plans.

#include "optical_region.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/tournament.h"
#include "ns3/useful-circuits.h"
#include "ns3/weighted-matching.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace ns3;

namespace
{

constexpr CircuitKind SIMPLEX = CircuitKind::SIMPLEX;

/// @return planners that can be made in this build
std::vector<Ptr<CircuitPlanner>>
MakeAll()
{
    std::vector<Ptr<CircuitPlanner>> planners;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); ++i)
    {
        const TypeId tid = TypeId::GetRegistered(i);
        const bool lemon = tid.GetName() != "ns3::MatchingCircuitPlanner" || HasLemon();
        if (tid.IsChildOf(CircuitPlanner::GetTypeId()) && tid.HasConstructor() && lemon)
        {
            planners.push_back(MakePlanner(tid.GetName()));
            planners.back()->AssignStreams(1);
        }
    }
    return planners;
}

/// @return those that plan simplex circuits
std::vector<Ptr<CircuitPlanner>>
MakeSimplexPlanners()
{
    std::vector<Ptr<CircuitPlanner>> planners = MakeAll();
    planners.erase(std::remove_if(planners.begin(),
                                  planners.end(),
                                  [](const auto& p) { return p->GetDuplexReason() != nullptr; }),
                   planners.end());
    return planners;
}

/// Laws: transmitters and receivers within the ports, none to itself, counts as the pairs say.
void
ExpectLegalSimplex(const CircuitPlan& plan, const PortTable& ports)
{
    const uint32_t n = plan.GetNServers();
    ASSERT_EQ(plan.GetKind(), SIMPLEX);
    PortTable out(n, ports.Columns(), 0);
    PortTable in = out;
    Matrix<uint32_t> counts(n, n, 0);
    uint32_t total = 0;
    for (const PlannedPair& p : plan.GetPairs())
    {
        ASSERT_NE(p.a, p.b);
        out(p.a, p.unit) += p.count;
        in(p.b, p.unit) += p.count;
        counts(p.a, p.b) += p.count;
        total += p.count;
    }
    ASSERT_EQ(plan.GetTotal(), total);
    for (uint32_t i = 0; i < n; ++i)
    {
        uint32_t leaving = 0;
        uint32_t reaching = 0;
        for (uint32_t j = 0; j < n; ++j)
        {
            ASSERT_EQ(plan.GetCount(i, j), counts(i, j));
            leaving += counts(i, j);
            reaching += counts(j, i);
        }
        ASSERT_EQ(plan.GetDegree(i), leaving);
        ASSERT_EQ(plan.GetInDegree(i), reaching);
        for (uint32_t u = 0; u < ports.Columns(); ++u)
        {
            ASSERT_LE(out(i, u), ports(i, u));
            ASSERT_LE(in(i, u), ports(i, u));
        }
    }
}

/// @param n servers @param bytes what each sends, to the next one only @return the demand
DemandMatrix
RingDemand(uint32_t n, uint64_t bytes)
{
    DemandMatrix demand(n, n, 0);
    for (uint32_t i = 0; i < n; ++i)
    {
        demand(i, (i + 1) % n) = bytes;
    }
    return demand;
}

} // namespace

// Laws on thousands of demands, for all planners that have not said why not.
TEST(SimplexPlanners, LegalOnThousands)
{
    const auto planners = MakeSimplexPlanners();
    ASSERT_GE(planners.size(), HasLemon() ? 5U : 4U);
    for (const auto& planner : planners)
    {
        const std::string name = planner->GetInstanceTypeId().GetName();
        std::mt19937_64 rng(1);
        uint64_t circuits = 0;
        for (int round = 0; round < 3000; ++round)
        {
            const uint32_t n = 1 + rng() % (round % 3 ? 8 : 20);
            PortTable ports(n, round % 2 ? 1 : 1 + rng() % 3, 0);
            for (uint32_t& count : ports.Data())
            {
                count = rng() % 5;
            }
            const RegionRates rates = Rates(n, "400Gbps", round % 5 ? "800Gbps" : "0Gbps");
            const CircuitPlan none(n, SIMPLEX);
            const CircuitPlan current =
                MakePlanner("ns3::GreedyCircuitPlanner")
                    ->Plan({RandomDemand(n, 0.5, 2, rng), ports, none, nullptr, &rates, SIMPLEX});
            const DemandMatrix demand = RandomDemand(n, 0.7, 1 + round % 4, rng);
            const PlanRequest request{demand, ports, current, nullptr, &rates, SIMPLEX};
            planner->SetAttribute("KeepUseful", BooleanValue(false));
            const CircuitPlan plan = planner->Plan(request);
            ExpectLegalSimplex(plan, ports);
            circuits += plan.GetTotal();
            const CircuitPlan kept = KeepUsefulCircuits(request, plan, 0);
            ExpectLegalSimplex(kept, ports);
            ASSERT_FALSE(FindSlowest(demand, plan, rates) < FindSlowest(demand, kept, rates))
                << name << " round " << round << ": as soon as without it";
            ASSERT_LE(CountChanges(current, kept), CountChanges(current, plan)) << name;
        }
        EXPECT_GT(circuits, 5000U) << name;
    }
}

TEST(SimplexPlanners, RefuseByName)
{
    uint32_t refusals = 0;
    for (const auto& planner : MakeAll())
    {
        const std::string name = planner->GetInstanceTypeId().GetName();
        const DemandMatrix demand = RingDemand(4, 100);
        const RegionRates rates = Rates(4, "400Gbps", "800Gbps");
        const CircuitPlan none(4, SIMPLEX);
        const char* reason = planner->GetDuplexReason();
        if (reason == nullptr)
        {
            EXPECT_NO_THROW(planner->RequireKind(SIMPLEX));
            continue;
        }
        ++refusals;
        EXPECT_NO_THROW(planner->RequireKind(CircuitKind::DUPLEX));
        try
        {
            planner->Plan({demand, Ports(4, 1, 2), none, nullptr, &rates, SIMPLEX});
            ADD_FAILURE() << name;
        }
        catch (const InputError& e)
        {
            EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
            EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
        }
    }
    EXPECT_GE(refusals, 2U) << "exhaustive and static";
}

// Each server sends to the next one only. With alpha ports all alpha transmitters lead there when
// circuits are simplex: D / (alpha r). Duplex circuits share the ports of a server between both
// neighbors, alpha / 2 each: twice as long.
TEST(SimplexPlanners, HalveTheTimeOfARing)
{
    const uint64_t bytes = 1 << 30;
    for (const char* name : {"ns3::GreedyCircuitPlanner",
                             "ns3::BirkhoffCircuitPlanner",
                             "ns3::MatchingCircuitPlanner"})
    {
        if (!HasLemon() && std::string(name).find("Matching") != std::string::npos)
        {
            continue;
        }
        for (const uint32_t n : {4U, 6U, 9U})
        {
            const DemandMatrix demand = RingDemand(n, bytes);
            const RegionRates rates = Rates(n, "400Gbps", "800Gbps");
            const PortTable ports = Ports(n, 1, 6);
            const CircuitPlan none(n);
            const CircuitPlan noneSimplex(n, SIMPLEX);
            const CircuitPlan both =
                MakePlanner(name)->Plan({demand, ports, none, nullptr, &rates});
            const CircuitPlan one =
                MakePlanner(name)->Plan({demand, ports, noneSimplex, nullptr, &rates, SIMPLEX});
            for (uint32_t i = 0; i < n; ++i)
            {
                EXPECT_EQ(one.GetCount(i, (i + 1) % n), 6U) << name;
                EXPECT_EQ(one.GetCount((i + 1) % n, i), 0U) << name;
            }
            EXPECT_EQ(FindSlowest(demand, one, rates).GetTime(),
                      ByteCount(bytes) / DataRate("2400Gbps"));
            if (n % 2 == 0)
            {
                EXPECT_EQ(FindSlowest(demand, both, rates).GetTime(),
                          ByteCount(bytes) / DataRate("1200Gbps"))
                    << name << " " << n;
            }
        }
    }
}

// With one port the matching is the assignment of largest demand: all permutations say so.
TEST(SimplexPlanners, MatchingIsTheBestAssignment)
{
    if (!HasLemon())
    {
        GTEST_SKIP() << "no LEMON in this build";
    }
    std::mt19937_64 rng(4);
    for (int round = 0; round < 200; ++round)
    {
        const uint32_t n = 2 + rng() % 5;
        const DemandMatrix demand = RandomDemand(n, 0.8, 1 + round % 3, rng);
        const CircuitPlan none(n, SIMPLEX);
        const CircuitPlan plan =
            MakePlanner("ns3::MatchingCircuitPlanner")
                ->Plan({demand, Ports(n, 1, 1), none, nullptr, nullptr, SIMPLEX});
        uint64_t found = 0;
        for (const PlannedPair& p : plan.GetPairs())
        {
            found += demand(p.a, p.b);
        }
        std::vector<uint32_t> to(n);
        std::iota(to.begin(), to.end(), 0U);
        uint64_t best = 0;
        do
        {
            uint64_t sum = 0;
            for (uint32_t i = 0; i < n; ++i)
            {
                sum += i == to[i] ? 0 : demand(i, to[i]);
            }
            best = std::max(best, sum);
        } while (std::next_permutation(to.begin(), to.end()));
        ASSERT_EQ(found, best) << "round " << round;
    }
}

// Rotations: after n - 1 ports, or rounds, every server leads to every other one once.
TEST(SimplexPlanners, RotationsCoverAllPairs)
{
    for (const uint32_t n : {2U, 5U, 8U})
    {
        const DemandMatrix demand(n, n, 1);
        const CircuitPlan none(n, SIMPLEX);
        const CircuitPlan uniform =
            MakePlanner("ns3::UniformCircuitPlanner")
                ->Plan({demand, Ports(n, 1, n - 1), none, nullptr, nullptr, SIMPLEX});
        const auto rotor = MakePlanner("ns3::RotorCircuitPlanner");
        CircuitPlan sum(n, SIMPLEX);
        EXPECT_EQ(CountRounds(n, SIMPLEX), n - 1);
        for (uint32_t turn = 0; turn + 1 < n; ++turn)
        {
            const CircuitPlan plan =
                rotor->Plan({demand, Ports(n, 1, 1), none, nullptr, nullptr, SIMPLEX});
            EXPECT_EQ(plan.GetTotal(), n);
            for (const PlannedPair& p : plan.GetPairs())
            {
                sum.Add(p.a, p.b, 0);
            }
        }
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t j = 0; j < n; ++j)
            {
                EXPECT_EQ(uniform.GetCount(i, j), i == j ? 0U : 1U);
                EXPECT_EQ(sum.GetCount(i, j), i == j ? 0U : 1U);
            }
        }
    }
}

// A plan is its directions: another hash and another plan than the duplex one of equal counts.
TEST(SimplexPlanners, PlansOfBothKindsDiffer)
{
    CircuitPlan both(2);
    both.Add(1, 0, 0);
    CircuitPlan one(2, SIMPLEX);
    one.Add(1, 0, 0);
    EXPECT_EQ(one.GetCount(0, 1), 0U);
    EXPECT_EQ(one.GetCount(1, 0), 1U);
    EXPECT_EQ(one.GetPairs()[0].a, 1U);
    one.Add(0, 1, 0);
    EXPECT_NE(one, both);
    EXPECT_NE(one.GetHash(), both.GetHash());
}
