/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/clos-topology.h"
#include "ns3/ecmp-tables.h"
#include "ns3/hybrid-topology.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t FAR = 1000000;

/// A connected or unconnected random graph with parallel links; some switches have servers.
Ptr<FabricGraph>
RandomGraph(std::mt19937& random, uint32_t switches, uint32_t links)
{
    auto graph = CreateObject<FabricGraph>();
    const uint32_t servers = switches;
    for (uint32_t s = 0; s < servers; ++s)
    {
        graph->AddServer(ServerSpec());
    }
    std::vector<VertexId> vertices;
    for (uint32_t i = 0; i < switches; ++i)
    {
        vertices.push_back(graph->AddSwitch(1, "switch"));
    }
    for (uint32_t s = 0; s < servers; ++s)
    {
        for (uint32_t n = 0; n < 1 + s % 3; ++n)
        {
            graph->AddEdge(graph->GetVertex(ServerId(s)),
                           vertices[random() % switches],
                           EdgeSpec());
        }
    }
    for (uint32_t i = 0; i < links; ++i)
    {
        const uint32_t a = random() % switches;
        const uint32_t b = (a + 1 + random() % (switches - 1)) % switches;
        graph->AddEdge(vertices[a], vertices[b], EdgeSpec());
    }
    return graph;
}

/// Independent algorithm: Floyd and Warshall over the links that are up.
Matrix<uint32_t>
Distances(const FabricGraph& graph)
{
    const uint32_t n = graph.GetNVertices();
    Matrix<uint32_t> d(n, n, FAR);
    for (uint32_t v = 0; v < n; ++v)
    {
        d(v, v) = 0;
    }
    for (uint32_t e = 0; e < graph.GetNEdges(); ++e)
    {
        const VertexId a = graph.GetEndA(EdgeId(e));
        const VertexId b = graph.GetEndB(EdgeId(e));
        if (graph.GetKind(a) == VertexKind::SWITCH && graph.GetKind(b) == VertexKind::SWITCH &&
            graph.IsUp(EdgeId(e)))
        {
            d(a.Get(), b.Get()) = d(b.Get(), a.Get()) = 1;
        }
    }
    for (uint32_t k = 0; k < n; ++k)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t j = 0; j < n; ++j)
            {
                d(i, j) = std::min(d(i, j), d(i, k) + d(k, j));
            }
        }
    }
    return d;
}

/// Every group = exactly the ports that are up and lead nearer. @return groups with several ports
int
CheckTables(const FabricGraph& graph, const EcmpTables& tables)
{
    const Matrix<uint32_t> d = Distances(graph);
    int several = 0;
    for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
    {
        const VertexId v = tables.GetVertex(i);
        for (uint32_t leaf = 0; leaf < tables.GetNLeaves(); ++leaf)
        {
            const VertexId goal = tables.GetVertex(tables.GetLeafSwitch(leaf));
            PortGroup expected;
            for (uint32_t p = 0; p < graph.GetNPorts(v); ++p)
            {
                const VertexId far = graph.GetTarget(graph.GetEgress(v, p));
                const uint32_t distance = d(v.Get(), goal.Get());
                if (graph.IsUp(graph.GetEdge(v, p)) && distance < FAR &&
                    graph.GetKind(far) == VertexKind::SWITCH &&
                    d(far.Get(), goal.Get()) + 1 == distance)
                {
                    expected.push_back(static_cast<uint16_t>(p));
                }
            }
            EXPECT_EQ(tables.GetNextHops(i, leaf), expected)
                << "switch " << i << " to leaf " << leaf;
            several += expected.size() > 1 ? 1 : 0;
        }
    }
    return several;
}

TEST(EcmpTables, EqualFloydWarshallOnRandomGraphs)
{
    std::mt19937 random(1);
    int several = 0;
    for (int round = 0; round < 30; ++round)
    {
        const uint32_t switches = 4 + random() % 12;
        const auto graph = RandomGraph(random, switches, random() % (3 * switches));
        several += CheckTables(*graph, EcmpTables(*graph));
    }
    EXPECT_GT(several, 100);
}

/// The law of Update, over random failures and repairs of links and NICs, one and many at a time.
TEST(EcmpTables, UpdateEqualsCompute)
{
    std::mt19937 random(2);
    int told = 0;
    int quiet = 0;
    for (int round = 0; round < 20; ++round)
    {
        const auto graph = RandomGraph(random, 10, 10 + random() % 30);
        EcmpTables tables(*graph);
        for (int step = 0; step < 25; ++step)
        {
            GraphChange change;
            const uint32_t many = random() % 8 == 0 ? 25 : 1 + random() % 4;
            std::set<EdgeId> edges;
            for (uint32_t i = 0; i < many; ++i)
            {
                edges.insert(EdgeId(random() % graph->GetNEdges()));
            }
            for (const EdgeId e : edges)
            {
                (graph->IsUp(e) ? change.down : change.up).push_back(e);
            }
            graph->SetEdges(change.down, EdgeCause::FAILURE, false);
            graph->SetEdges(change.up, EdgeCause::FAILURE, true);

            std::vector<std::vector<PortGroup>> before(tables.GetNSwitches());
            for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
            {
                for (uint32_t leaf = 0; leaf < tables.GetNLeaves(); ++leaf)
                {
                    before[i].push_back(tables.GetNextHops(i, leaf));
                }
            }
            const std::vector<VertexId> changed = tables.Update(change);
            CheckTables(*graph, tables);
            for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
            {
                bool same = true;
                for (uint32_t leaf = 0; leaf < tables.GetNLeaves(); ++leaf)
                {
                    same = same && before[i][leaf] == tables.GetNextHops(i, leaf);
                }
                const bool named =
                    std::binary_search(changed.begin(), changed.end(), tables.GetVertex(i));
                EXPECT_TRUE(same || named) << "a changed switch is not named";
                told += same ? 0 : 1;
                quiet += named ? 0 : 1;
            }
        }
    }
    EXPECT_GT(told, 500);
    EXPECT_GT(quiet, 500);
}

/// What ForwardingTable is given leads every frame to its NIC, hop by hop, from any switch.
void
CheckRoutes(const FabricGraph& graph)
{
    const EcmpTables tables(graph);
    std::vector<ForwardingTable> forwarding(tables.GetNSwitches());
    std::vector<RouteRange> ranges;
    std::vector<PortGroup> groups;
    for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
    {
        tables.GetRoutes(tables.GetVertex(i), ranges, groups);
        forwarding[i].SetRoutes(ranges, groups);
    }
    int delivered = 0;
    for (uint32_t a = 0; a < tables.GetAddresses().GetSize(); ++a)
    {
        const auto& nic = tables.GetAttachment(a);
        for (uint32_t start = 0; start < tables.GetNSwitches() && nic.leaf != EcmpTables::NONE;
             ++start)
        {
            uint32_t at = start;
            uint32_t hops = 0;
            while (true)
            {
                const uint16_t port = forwarding[at].Choose(a, start * 0x9e3779b9U + a);
                ASSERT_NE(port, ForwardingTable::NO_PORT) << "NIC " << a << " from " << start;
                const auto& next = tables.GetPort(at, port);
                if (next.neighbor == EcmpTables::NONE)
                {
                    ASSERT_EQ(FabricGraph::GetEdgeOf(next.egress), nic.edge);
                    ++delivered;
                    break;
                }
                at = next.neighbor;
                ASSERT_LT(++hops, 7U) << "a loop";
            }
        }
    }
    EXPECT_GT(delivered, 1000);
}

template <class T>
Ptr<FabricGraph>
Build(const ClusterSpec& cluster, uint32_t radix)
{
    Ptr<T> generator = CreateObject<T>();
    generator->SetAttribute("SwitchRadix", UintegerValue(radix));
    return generator->Build(cluster);
}

TEST(EcmpTables, RoutesReachEveryNic)
{
    CheckRoutes(*Build<FatTreeTopology>(ClusterSpec(30), 12));
    CheckRoutes(*Build<RailOptimizedTopology>(ClusterSpec(30), 12));
    CheckRoutes(*Build<HybridTopology>(ClusterSpec(30), 8));
    CheckRoutes(*Build<FatTreeTopology>(ClusterSpec({{5, 3, {}}, {9, 8, {}}}), 8));
}

/// 4,096 servers of 8 NICs: tables in proportion to ports, and ranges to radix, not to NICs
/// squared.
TEST(EcmpTables, FourThousandServers)
{
    const auto graph = Build<FatTreeTopology>(ClusterSpec(4096), 0);
    const EcmpTables tables(*graph);
    uint64_t ports = 0;
    for (uint32_t i = 0; i < tables.GetNSwitches(); ++i)
    {
        ports += graph->GetNPorts(tables.GetVertex(i));
    }
    EXPECT_LT(tables.GetNEntries(), ports);
    std::vector<RouteRange> ranges;
    std::vector<PortGroup> groups;
    tables.GetRoutes(tables.GetVertex(0), ranges, groups);
    EXPECT_LE(ranges.size(), graph->GetNPorts(tables.GetVertex(0)) + 2);
    // From the first NIC to the last over 26 x 26 ways.
    const uint32_t last = tables.GetNLeaves() - 1;
    const PortGroup& up = tables.GetNextHops(tables.GetLeafSwitch(0), last);
    EXPECT_EQ(up.size(), 26U);
    const uint32_t middle = tables.GetPort(tables.GetLeafSwitch(0), up[0]).neighbor;
    EXPECT_EQ(tables.GetNextHops(middle, last).size(), 26U);
}

} // namespace
