/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Simplex circuits: laws of the matching and of plans' mapping to NICs.

#include "optical_region.h"

#include "ns3/mixnet-error.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

using namespace ns3;

namespace
{

constexpr CircuitKind SIMPLEX = CircuitKind::SIMPLEX;

} // namespace

TEST(SimplexCircuits, AreAPartialPermutation)
{
    const TestRegion region(3, 1);
    FabricGraph& graph = *region.graph;
    const VertexId ocs = region.ocs[0];
    const auto one = [&](uint32_t from, uint32_t to) { return Circuit{ocs, from, to, SIMPLEX}; };
    graph.ChangeMatching({one(1, 0), one(0, 2)}, {});
    EXPECT_TRUE(graph.HasOneWay());
    EXPECT_EQ(graph.GetPeer(ocs, 1), 0U);
    EXPECT_EQ(graph.GetFeeder(ocs, 0), 1U);
    EXPECT_EQ(graph.GetPeer(ocs, 0), 2U);
    EXPECT_FALSE(graph.GetPeer(ocs, 2).has_value());
    EXPECT_EQ(graph.GetCircuits(ocs), (std::vector<Circuit>{one(0, 2), one(1, 0)}));
    EXPECT_TRUE(graph.IsLit(one(1, 0)));
    EXPECT_FALSE(graph.IsLit(one(0, 1)));
    EXPECT_FALSE(graph.IsLit({ocs, 0, 1})) << "a duplex circuit is both ways";
    EXPECT_EQ(graph.GetLitPeer(ServerId(1), 2)->first, ServerId(0));
    EXPECT_EQ(graph.GetLitPeer(ServerId(0), 2)->first, ServerId(2));
    EXPECT_FALSE(graph.GetLitPeer(ServerId(2), 2).has_value());
    for (const Circuit& c : {one(1, 2), one(2, 0), one(2, 2), one(0, 3), Circuit{ocs, 1, 2}})
    {
        EXPECT_THROW(graph.ChangeMatching({c}, {}), InputError) << c.portA << " " << c.portB;
    }
    EXPECT_THROW(graph.ChangeMatching({}, {one(0, 1)}), InputError) << "not matched";
    graph.SetEdges({graph.GetEdge(ocs, 0)}, EdgeCause::FAILURE, false);
    EXPECT_FALSE(graph.IsLit(one(1, 0))) << "both fibers";
    EXPECT_FALSE(graph.IsLit(one(0, 2))) << "both fibers";
    graph.SetEdges({graph.GetEdge(ocs, 0)}, EdgeCause::FAILURE, true);
    const uint64_t version = graph.GetServerVersion(ServerId(0));
    graph.ChangeMatching({one(2, 1)}, {});
    EXPECT_EQ(graph.GetServerVersion(ServerId(0)), version) << "it does not touch server 0";
    // a duplex circuit is two directions, and either can go
    graph.ChangeMatching({{ocs, 0, 1}}, {one(1, 0), one(0, 2), one(2, 1)});
    EXPECT_FALSE(graph.HasOneWay());
    EXPECT_TRUE(graph.IsLit(one(0, 1)) && graph.IsLit(one(1, 0)) && graph.IsLit({ocs, 0, 1}));
    graph.ChangeMatching({}, {one(0, 1)});
    EXPECT_EQ(graph.GetCircuits(ocs), std::vector<Circuit>{one(1, 0)});
    graph.ChangeMatching({one(0, 1)}, {});
    EXPECT_EQ(graph.GetCircuits(ocs), (std::vector<Circuit>{{ocs, 0, 1}}));
}

TEST(SimplexCircuits, AreHeldByDirection)
{
    const TestRegion region(2, 1);
    FabricGraph& graph = *region.graph;
    const EdgeId fiber = graph.GetEdge(region.ocs[0], 0);
    const ChannelId out = graph.GetEgress(region.ocs[0], 0);
    graph.SetHeld(std::vector<ChannelId>{out}, true);
    EXPECT_TRUE(graph.IsHeld(fiber));
    EXPECT_TRUE(graph.IsHeld(out));
    EXPECT_FALSE(graph.IsHeld(FabricGraph::GetReverse(out)));
    graph.SetHeld(std::vector<EdgeId>{fiber}, false);
    EXPECT_FALSE(graph.IsHeld(fiber));
}

// The laws of MapPlan (optical_map_test.cc), and two of its own: a circuit that stays is the same
// one, and a duplex circuit that was there serves as both of its directions.
TEST(SimplexMap, RandomSequences)
{
    std::mt19937_64 rng(12);
    uint32_t kept = 0;
    uint32_t removed = 0;
    for (int round = 0; round < 200; ++round)
    {
        const uint32_t n = 2 + rng() % 8;
        TestRegion region(n, 1 + rng() % 4, 1, 1 + rng() % 2);
        FabricGraph& graph = *region.graph;
        const RegionPorts ports(graph, region.region);
        const auto planner = MakePlanner("ns3::GreedyCircuitPlanner");
        for (int step = 0; step < 8; ++step)
        {
            if (step % 3 == 2)
            {
                const auto& fibers = ports.GetFibers();
                graph.SetEdges({fibers[rng() % fibers.size()]}, EdgeCause::FAILURE, rng() % 2 == 0);
            }
            // now and then duplex circuits lie about: the plans of both kinds take turns
            const CircuitKind kind = step % 4 == 3 ? CircuitKind::DUPLEX : SIMPLEX;
            const PortTable healthy = ports.CountHealthy(graph);
            const CircuitPlan current = ports.ReadPlan(graph, kind);
            const DemandMatrix demand = RandomDemand(n, 0.6, 2, rng);
            const CircuitPlan plan =
                planner->Plan({demand, healthy, current, nullptr, nullptr, kind});
            const auto directions = [&] {
                std::set<std::tuple<VertexId, uint32_t, uint32_t>> all;
                for (const VertexId ocs : region.ocs)
                {
                    for (const Circuit& c : graph.GetCircuits(ocs))
                    {
                        for (uint32_t i = 0; i < c.GetNDirections(); ++i)
                        {
                            const auto [from, to] = c.GetDirection(i);
                            all.emplace(ocs, from, to);
                        }
                    }
                }
                return all;
            };
            auto expected = directions();
            const PlanChange change = MapPlan(ports, graph, plan);
            graph.ChangeMatching(change.added, change.removed);
            ASSERT_EQ(change.kept + change.added.size(), plan.GetTotal());
            for (const auto* list : {&change.removed, &change.added})
            {
                for (const Circuit& c : *list)
                {
                    for (uint32_t i = 0; i < c.GetNDirections(); ++i)
                    {
                        const auto [from, to] = c.GetDirection(i);
                        list == &change.added ? (void)expected.emplace(c.ocs, from, to)
                                              : (void)expected.erase({c.ocs, from, to});
                    }
                }
            }
            ASSERT_EQ(directions(), expected) << "all others were not touched";
            const CircuitPlan after = ports.ReadPlan(graph, kind);
            for (uint32_t i = 0; i < n; ++i)
            {
                for (uint32_t j = 0; j < n; ++j)
                {
                    ASSERT_GE(after.GetCount(i, j), plan.GetCount(i, j));
                }
            }
            ASSERT_TRUE(MapPlan(ports, graph, plan).IsEmpty());
            kept += change.kept;
            removed += static_cast<uint32_t>(change.removed.size());
        }
    }
    EXPECT_GT(kept, 100U);
    EXPECT_GT(removed, 100U);
}
