/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/clos-topology.h"
#include "ns3/fabric-router.h"
#include "ns3/hybrid-topology.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/multi-hop-policy.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/string.h"
#include "ns3/topo-opt-topology.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t FAR = 1000000;

/// Random circuits on patch panels of `servers` servers with `degree` NICs.
Ptr<FabricGraph>
RandomCircuits(std::mt19937& random, uint32_t servers, uint32_t degree, uint32_t panelPorts)
{
    auto generator = CreateObject<TopoOptTopology>();
    generator->SetAttribute("PanelPorts", UintegerValue(panelPorts));
    const auto graph = generator->Build(ClusterSpec(servers, degree));
    for (const VertexId panel : graph->GetRegionOcs(RegionId(0)))
    {
        std::vector<uint32_t> ports(graph->GetNPorts(panel));
        for (uint32_t p = 0; p < ports.size(); ++p)
        {
            ports[p] = p;
        }
        std::shuffle(ports.begin(), ports.end(), random);
        std::vector<Circuit> circuits;
        for (std::size_t i = 0; i + 1 < ports.size(); i += 2)
        {
            const auto pair = std::minmax(ports[i], ports[i + 1]);
            circuits.push_back({panel, pair.first, pair.second});
        }
        graph->ChangeMatching(circuits, {});
    }
    return graph;
}

/// Independent algorithm: Floyd and Warshall over lit circuits between different servers.
Matrix<uint32_t>
Distances(const FabricGraph& graph)
{
    const uint32_t n = graph.GetNServers();
    Matrix<uint32_t> d(n, n, FAR);
    for (uint32_t s = 0; s < n; ++s)
    {
        d(s, s) = 0;
        for (uint32_t nic = 0; nic < graph.GetNPorts(graph.GetVertex(ServerId(s))); ++nic)
        {
            const auto peer = graph.GetLitPeer(ServerId(s), nic);
            if (peer && peer->first.Get() != s)
            {
                d(s, peer->first.Get()) = 1;
            }
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

/// Legs are circuits that exist, each from where the last one ended.
void
CheckLegs(const FabricGraph& graph, const LaneRoute& route, uint32_t from, uint32_t to)
{
    uint32_t at = from;
    for (const NetworkLeg& leg : route.legs)
    {
        ASSERT_EQ(leg.path, PathClass::CIRCUIT);
        ASSERT_EQ(leg.from.Get(), at);
        const auto peer = graph.GetLitPeer(leg.from, leg.fromNic);
        ASSERT_TRUE(peer.has_value());
        ASSERT_EQ(peer->first, leg.to);
        ASSERT_EQ(peer->second, leg.toNic);
        at = leg.to.Get();
    }
    ASSERT_EQ(at, to);
}

TEST(MultiHop, ShortestWaysOnRandomCircuits)
{
    std::mt19937 random(3);
    int relayed = 0;
    int unreachable = 0;
    int spread = 0;
    for (int round = 0; round < 40; ++round)
    {
        const uint32_t servers = 6 + random() % 20;
        const uint32_t degree = 1 + random() % 5;
        const auto graph = RandomCircuits(random, servers, degree, random() % 2 == 0 ? 0 : servers);
        const Matrix<uint32_t> d = Distances(*graph);
        auto policy = CreateObject<MultiHopPolicy>();
        const uint32_t bound = 1 + random() % 8;
        policy->SetAttribute("MaxPaths", UintegerValue(bound));
        std::vector<LaneRoute> routes;
        for (uint32_t a = 0; a < servers; ++a)
        {
            for (uint32_t b = 0; b < servers; ++b)
            {
                if (a == b)
                {
                    continue;
                }
                RouteQuery query;
                query.source = graph->GetGpu(ServerId(a), random() % 8);
                query.destination = graph->GetGpu(ServerId(b), random() % 8);
                query.balance = random() % 2 == 0 ? LoadBalance::IDEAL : LoadBalance::PER_FLOW;
                query.hash = random();
                policy->Choose(*graph, query, routes);
                if (d(a, b) == FAR)
                {
                    EXPECT_TRUE(routes.empty());
                    ++unreachable;
                    continue;
                }
                ASSERT_FALSE(routes.empty());
                double sum = 0;
                std::set<std::vector<uint32_t>> ways;
                for (const LaneRoute& route : routes)
                {
                    EXPECT_EQ(route.legs.size(), d(a, b)) << "not the shortest";
                    CheckLegs(*graph, route, a, b);
                    EXPECT_GT(route.share, 0);
                    sum += route.share;
                    std::vector<uint32_t> way;
                    for (const NetworkLeg& leg : route.legs)
                    {
                        way.push_back(leg.to.Get());
                    }
                    ways.insert(way);
                }
                EXPECT_NEAR(sum, 1, 1e-12);
                EXPECT_LE(ways.size(), bound);
                relayed += d(a, b) > 1 ? 1 : 0;
                spread += ways.size() > 1 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(relayed, 1000);
    EXPECT_GT(unreachable, 100);
    EXPECT_GT(spread, 100);
}

/// Number of shortest ways by counting over the distances; unbounded spreading uses all of them,
/// each hop's parallel circuits evenly.
TEST(MultiHop, IdealUsesAllWaysEvenly)
{
    std::mt19937 random(4);
    int several = 0;
    for (int round = 0; round < 20; ++round)
    {
        const uint32_t servers = 8 + random() % 8;
        const auto graph = RandomCircuits(random, servers, 4, 0);
        const Matrix<uint32_t> d = Distances(*graph);
        auto policy = CreateObject<MultiHopPolicy>();
        policy->SetAttribute("MaxPaths", UintegerValue(100000));
        for (uint32_t b = 1; b < servers; ++b)
        {
            if (d(0, b) == FAR)
            {
                continue;
            }
            std::vector<uint64_t> ways(servers, 0); // from 0 to each server, by distance
            ways[0] = 1;
            for (uint32_t step = 1; step <= d(0, b); ++step)
            {
                for (uint32_t v = 0; v < servers; ++v)
                {
                    for (uint32_t u = 0; u < servers && d(0, v) == step; ++u)
                    {
                        ways[v] += d(u, v) == 1 && d(0, u) + 1 == step ? ways[u] : 0;
                    }
                }
            }
            RouteQuery query;
            query.source = GpuId(0);
            query.destination = graph->GetGpu(ServerId(b), 0);
            query.balance = LoadBalance::IDEAL;
            std::vector<LaneRoute> routes;
            policy->Choose(*graph, query, routes);
            std::set<std::vector<uint32_t>> distinct;
            std::map<std::array<uint32_t, 3>, double> byCircuit; // from, to, NIC
            for (const LaneRoute& route : routes)
            {
                std::vector<uint32_t> way;
                for (const NetworkLeg& leg : route.legs)
                {
                    way.push_back(leg.to.Get());
                    byCircuit[{leg.from.Get(), leg.to.Get(), leg.fromNic}] += route.share;
                }
                distinct.insert(way);
            }
            EXPECT_EQ(distinct.size(), ways[b]) << "ways from 0 to " << b;
            several += ways[b] > 1 ? 1 : 0;
            std::map<std::array<uint32_t, 2>, std::set<int64_t>> byHop;
            for (const auto& [key, share] : byCircuit)
            {
                byHop[{key[0], key[1]}].insert(std::llround(share * 1e9));
            }
            for (const auto& [hop, shares] : byHop)
            {
                EXPECT_LE(*shares.rbegin() - *shares.begin(), 1) << "parallel circuits differ";
            }
        }
    }
    EXPECT_GT(several, 50);
}

/// Law of FluidRoute on every fabric and both balances, circuits lit at random, links failed.
TEST(FabricRouter, ConservesBytes)
{
    std::mt19937 random(5);
    std::vector<Ptr<FabricGraph>> graphs;
    auto hybrid = CreateObject<HybridTopology>()->Build(ClusterSpec(24));
    for (uint32_t r = 0; r < hybrid->GetNRegions(); ++r)
    {
        const VertexId ocs = hybrid->GetRegionOcs(RegionId(r))[0];
        for (uint32_t p = 0; p + 7 < 48; p += 2)
        {
            if (!hybrid->GetPeer(ocs, p) && !hybrid->GetPeer(ocs, p + 7))
            {
                hybrid->ChangeMatching({{ocs, p, p + 7}}, {});
            }
        }
    }
    graphs.push_back(hybrid);
    graphs.push_back(CreateObject<FatTreeTopology>()->Build(ClusterSpec(24)));
    graphs.push_back(CreateObject<RailOptimizedTopology>()->Build(ClusterSpec(24)));
    graphs.push_back(RandomCircuits(random, 24, 6, 0));
    int mixed = 0;
    for (const auto& graph : graphs)
    {
        auto router = CreateObject<FabricRouter>();
        router->SetGraph(graph);
        for (int i = 0; i < 300; ++i)
        {
            if (i % 50 == 49)
            {
                graph->SetEdges({EdgeId(random() % graph->GetNEdges())}, EdgeCause::FAILURE, false);
            }
            const uint32_t a = random() % 24;
            const uint32_t b = (a + 1 + random() % 23) % 24;
            Transfer transfer;
            transfer.lanes = 1U << random() % 4;
            transfer.source = graph->GetGpu(ServerId(a), 0);
            transfer.destination = graph->GetGpu(ServerId(b), 8 - transfer.lanes);
            transfer.trafficClass = TrafficClass::EP;
            FluidRoute route;
            router->ResolveTransfer(transfer,
                                    i % 2 == 0 ? LoadBalance::IDEAL : LoadBalance::PER_FLOW,
                                    TransferId(i),
                                    route);
            ASSERT_TRUE(route.reachable);
            std::map<uint32_t, double> surplus;
            for (std::size_t c = 0; c < route.channels.size(); ++c)
            {
                const ChannelShare& share = route.channels[c];
                EXPECT_TRUE(graph->IsUp(FabricGraph::GetEdgeOf(share.channel)));
                EXPECT_TRUE(c == 0 || route.channels[c - 1].channel < share.channel) << "order";
                surplus[graph->GetSource(share.channel).Get()] += share.share;
                surplus[graph->GetTarget(share.channel).Get()] -= share.share;
            }
            surplus[graph->GetVertex(ServerId(a)).Get()] -= 1;
            surplus[graph->GetVertex(ServerId(b)).Get()] += 1;
            for (const auto& [vertex, value] : surplus)
            {
                EXPECT_NEAR(value, 0, 1e-12) << graph->GetName(VertexId(vertex));
            }
            // Scale-up: in a server as much enters GPUs as leaves them, and GPUs of the source that
            // are not lanes' own only pass on.
            std::map<uint32_t, double> ports;
            for (const ScaleUpShare& share : route.scaleUp)
            {
                ports[graph->GetServerOf(share.gpu).Get()] +=
                    share.egress ? share.share : -share.share;
            }
            for (const auto& [server, value] : ports)
            {
                EXPECT_NEAR(value, 0, 1e-12);
                EXPECT_TRUE(server == a || server == b);
            }
            const double network = route.pathShare[1] + route.pathShare[2];
            EXPECT_NEAR(network, 1, 1e-12) << "each byte crosses by circuits or by the EPS";
            mixed += route.pathShare[0] > 0 ? 1 : 0;
        }
    }
    EXPECT_GT(mixed, 100);
}

} // namespace
