/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include "ns3/demand-book.h"
#include "ns3/greedy-circuit-planner.h"
#include "ns3/mixnet-error.h"
#include "ns3/optical-technology.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

namespace
{

/// Carries a plan out.
PlanChange
Apply(TestRegion& region, const RegionPorts& ports, const CircuitPlan& plan)
{
    const PlanChange change = MapPlan(ports, *region.graph, plan);
    region.graph->ChangeMatching(change.added, change.removed);
    return change;
}

/// @return circuits of a pair per NUMA node of server a, then of server b
std::array<std::array<uint32_t, 2>, 2>
CountNuma(const TestRegion& region, const RegionPorts& ports, uint32_t a, uint32_t b)
{
    std::array<std::array<uint32_t, 2>, 2> count{};
    for (const RegionPort& p : ports.Get(a, 0))
    {
        const auto peer = region.graph->GetPeer(ports.GetOcs(0), p.ocsPort);
        if (peer && ports.GetAt(0, *peer).server == b)
        {
            ++count[0][p.numa];
            ++count[1][ports.GetAt(0, *peer).numa];
        }
    }
    return count;
}

} // namespace

TEST(RegionPorts, ReadFromTheGraph)
{
    const TestRegion region(3, 2, 2, 2);
    const RegionPorts ports(*region.graph, region.region);
    EXPECT_EQ(ports.GetNServers(), 3U);
    EXPECT_EQ(ports.GetNUnits(), 2U);
    EXPECT_EQ(ports.GetFibers().size(), 12U);
    EXPECT_EQ(ports.CountHealthy(*region.graph), PortTable(3, 2, 2));
    for (uint32_t unit = 0; unit < 2; ++unit)
    {
        for (const RegionPort& p : ports.Get(1, unit))
        {
            EXPECT_EQ(ports.GetAt(unit, p.ocsPort).nic, p.nic);
            EXPECT_EQ(region.graph->GetEdge(ports.GetOcs(unit), p.ocsPort), p.fiber);
        }
    }
    const EdgeId fiber = ports.Get(1, 1)[0].fiber;
    region.graph->SetEdges({fiber}, EdgeCause::OPTICAL, false);
    EXPECT_EQ(ports.CountHealthy(*region.graph)(1, 1), 2U) << "dark is not broken";
    region.graph->SetEdges({fiber}, EdgeCause::ADMINISTRATIVE, false);
    EXPECT_EQ(ports.CountHealthy(*region.graph)(1, 1), 1U);
}

TEST(MapPlan, RandomSequences)
{
    // Laws after every step: the matching holds every circuit of the plan; kept + added = plan;
    // what is not in the difference was not touched; the fibers named are those of the difference;
    // asking again gives an empty difference.
    std::mt19937_64 rng(11);
    uint32_t kept = 0;
    uint32_t added = 0;
    for (int round = 0; round < 150; ++round)
    {
        const uint32_t n = 2 + rng() % 9;
        TestRegion region(n, 1 + rng() % 4, 1, 1 + rng() % 2);
        const RegionPorts ports(*region.graph, region.region);
        auto planner = CreateObject<GreedyCircuitPlanner>();
        for (int step = 0; step < 8; ++step)
        {
            if (step % 3 == 2)
            {
                const auto& fibers = ports.GetFibers();
                region.graph->SetEdges({fibers[rng() % fibers.size()]},
                                       EdgeCause::FAILURE,
                                       rng() % 2 == 0);
            }
            const PortTable healthy = ports.CountHealthy(*region.graph);
            const DemandMatrix demand = RandomDemand(n, 0.6, 2, rng);
            const CircuitPlan current = ports.ReadPlan(*region.graph);
            const CircuitPlan plan = planner->Plan({demand, healthy, current});
            std::set<Circuit> before;
            for (const VertexId ocs : region.ocs)
            {
                for (const Circuit& c : region.graph->GetCircuits(ocs))
                {
                    before.insert(c);
                }
            }
            const PlanChange change = Apply(region, ports, plan);
            ASSERT_EQ(change.kept + change.added.size(), plan.GetTotal());
            kept += change.kept;
            added += static_cast<uint32_t>(change.added.size());
            const CircuitPlan after = ports.ReadPlan(*region.graph);
            uint32_t common = 0;
            for (uint32_t i = 0; i < n; ++i)
            {
                for (uint32_t j = i + 1; j < n; ++j)
                {
                    ASSERT_GE(after.GetCount(i, j), plan.GetCount(i, j));
                }
            }
            for (const PlannedPair& p : plan.GetPairs())
            {
                uint32_t there = 0;
                for (const PlannedPair& c : current.GetPairs())
                {
                    there += c.a == p.a && c.b == p.b && c.unit == p.unit ? c.count : 0;
                }
                common += std::min(there, p.count);
            }
            ASSERT_EQ(change.kept, common) << "as many stay as can";
            std::set<EdgeId> fibers;
            for (const auto* list : {&change.added, &change.removed})
            {
                for (const Circuit& c : *list)
                {
                    fibers.insert(region.graph->GetEdge(c.ocs, c.portA));
                    fibers.insert(region.graph->GetEdge(c.ocs, c.portB));
                }
            }
            ASSERT_EQ(std::vector<EdgeId>(fibers.begin(), fibers.end()), change.fibers);
            for (const Circuit& c : change.added)
            {
                ASSERT_EQ(before.count(c), 0U) << "added and removed at once";
            }
            ASSERT_TRUE(MapPlan(ports, *region.graph, plan).IsEmpty());
        }
    }
    EXPECT_GT(kept, 100U);
    EXPECT_GT(added, 100U);
}

TEST(MapPlan, SpreadsOverNumaNodes)
{
    // 8 NICs on 2 NUMA nodes: EPS 0 and 1, fibers 2 to 7, so node 0 has two fibers, node 1 four.
    TestRegion region(4, 6);
    const RegionPorts ports(*region.graph, region.region);
    CircuitPlan plan(4);
    plan.Add(0, 1, 0, 2);
    plan.Add(0, 2, 0, 2);
    plan.Add(0, 3, 0, 2);
    plan.Add(2, 3, 0, 3);
    Apply(region, ports, plan);
    // 2-3 is served first: nodes 1, 0, 1. The pairs of server 0 follow: two have a circuit on
    // either node, the third finds node 0 full.
    const auto c23 = CountNuma(region, ports, 2, 3);
    EXPECT_EQ(c23[0][0], 1U);
    EXPECT_EQ(c23[1][1], 2U);
    for (const uint32_t b : {1U, 2U})
    {
        const auto c = CountNuma(region, ports, 0, b);
        EXPECT_EQ(c[0][0], 1U) << b;
        EXPECT_EQ(c[0][1], 1U) << b;
    }
    EXPECT_EQ(CountNuma(region, ports, 0, 1)[1][0], 1U) << "at the far end too";
    EXPECT_EQ(CountNuma(region, ports, 0, 3)[0][1], 2U);
    // The pair shrinks to two circuits: one on either node stays.
    CircuitPlan fewer(4);
    fewer.Add(2, 3, 0, 2);
    fewer.Add(2, 1, 0, 4);
    fewer.Add(3, 0, 0, 4);
    const PlanChange change = Apply(region, ports, fewer);
    EXPECT_EQ(change.kept, 4U) << "two of 2-3, two of 0-3";
    const auto after = CountNuma(region, ports, 2, 3);
    EXPECT_EQ(after[0][0], 1U);
    EXPECT_EQ(after[0][1], 1U);
}

TEST(MapPlan, LeavesUnwantedCircuitsAlone)
{
    TestRegion region(4, 1);
    const RegionPorts ports(*region.graph, region.region);
    CircuitPlan both(4);
    both.Add(0, 1, 0);
    both.Add(2, 3, 0);
    Apply(region, ports, both);
    CircuitPlan one(4);
    one.Add(0, 1, 0);
    EXPECT_TRUE(MapPlan(ports, *region.graph, one).IsEmpty());
    CircuitPlan other(4);
    other.Add(0, 2, 0);
    const PlanChange change = MapPlan(ports, *region.graph, other);
    EXPECT_EQ(change.added.size(), 1U);
    EXPECT_EQ(change.removed.size(), 2U) << "both ends were in use";
    EXPECT_EQ(change.fibers.size(), 4U);
}

TEST(DemandBook, EqualQuestionsEqualAnswers)
{
    /// Counts how often it is asked.
    class CountingPlanner : public CircuitPlanner
    {
      public:
        uint32_t asked{0};
        DemandMatrix last;

      private:
        CircuitPlan DoPlan(const PlanRequest& request) override
        {
            ++asked;
            last = request.demand;
            return CircuitPlan(static_cast<uint32_t>(request.demand.Rows()));
        }
    };

    auto planner = CreateObject<CountingPlanner>();
    DemandBook book;
    const CircuitPlan none(2);
    DemandMatrix there(2, 2, 0);
    there(0, 1) = 7;
    DemandMatrix back(2, 2, 0);
    back(1, 0) = 7;
    book.Propose(*planner, 0, there, Ports(2, 1, 1), none);
    book.Propose(*planner, 0, back, Ports(2, 1, 1), none);
    EXPECT_EQ(planner->asked, 1U) << "the transposed demand is the same question";
    book.Propose(*planner, 0, back, Ports(2, 1, 2), none);
    EXPECT_EQ(planner->asked, 2U) << "other ports are another one";
    book.Propose(*planner, 1, back, Ports(2, 1, 2), none);
    EXPECT_EQ(planner->last(0, 1) + planner->last(1, 0), 14U) << "two groups add up";
    there(0, 1) = 1;
    book.Propose(*planner, 0, there, Ports(2, 1, 2), none);
    EXPECT_EQ(planner->last(0, 1) + planner->last(1, 0), 8U) << "the latest demand counts";
}

TEST(OpticalTechnology, PortsAndNames)
{
    const OpticalTechnology photonic = FindOpticalTechnology("silicon-photonics", "fabric.ocs");
    EXPECT_EQ(photonic.switchingDelay, MicroSeconds(7));
    EXPECT_EQ(photonic.CountServers(6), 5U);
    EXPECT_NO_THROW(photonic.CheckFit(5, 6, 1, "fabric.ocs"));
    EXPECT_NO_THROW(photonic.CheckFit(8, 6, 2, "fabric.ocs"));
    // 6 ports over 4 switches are 2 on some: 16 servers fill 32 ports, 17 do not fit although
    // 4 x 32 ports would be enough in all.
    EXPECT_NO_THROW(photonic.CheckFit(16, 6, 4, "fabric.ocs"));
    EXPECT_THROW(photonic.CheckFit(17, 6, 4, "fabric.ocs"), InputError);
    try
    {
        photonic.CheckFit(8, 6, 1, "fabric.ocs");
        FAIL();
    }
    catch (const InputError& e)
    {
        EXPECT_STREQ(e.what(),
                     "fabric.ocs: 8 servers with 6 optical ports need 48 ports, one "
                     "'silicon-photonics' switch has 32; accepted: up to 5 servers, more "
                     "switches, or 'abstract'");
    }
    EXPECT_FALSE(FindOpticalTechnology("palomar", "x").switchingDelay);
    EXPECT_NO_THROW(FindOpticalTechnology("abstract", "x").CheckFit(4096, 8, 1, "x"));
    try
    {
        FindOpticalTechnology("mirror", "fabric.ocs");
        FAIL();
    }
    catch (const InputError& e)
    {
        const std::string text = e.what();
        for (const OpticalTechnology& t : GetOpticalTechnologies())
        {
            EXPECT_NE(text.find(t.name), std::string::npos) << t.name;
        }
    }
}
