/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-test-case.h"

#include "ns3/basic-topologies.h"
#include "ns3/boolean.h"
#include "ns3/clos-topology.h"
#include "ns3/forwarding-installer.h"
#include "ns3/frame.h"
#include "ns3/hybrid-topology.h"
#include "ns3/rail-optimized-topology.h"

#include <set>

namespace
{

/// @param k radix @return full k-ary fat-tree with k/2 servers of one NIC per leaf
Ptr<FabricGraph>
KaryFatTree(uint32_t k)
{
    return Build<FatTreeTopology>(ClusterSpec(k * k * k / 4, 1),
                                  {{"SwitchRadix", std::to_string(k)}});
}

/// @param tables tables @param from leaf @param to leaf @return number of equal-cost ways between
/// them, counted port by port
uint64_t
CountPaths(const EcmpTables& tables, uint32_t from, uint32_t to)
{
    std::map<uint32_t, uint64_t> ways{{tables.GetLeafSwitch(from), 1}};
    const uint32_t goal = tables.GetLeafSwitch(to);
    while (ways.size() != 1 || ways.begin()->first != goal)
    {
        std::map<uint32_t, uint64_t> next;
        for (const auto& [at, count] : ways)
        {
            for (const uint16_t p : tables.GetNextHops(at, to))
            {
                next[tables.GetPort(at, p).neighbor] += count;
            }
        }
        ways = next;
    }
    return ways.begin()->second;
}

/// k-ary fat-tree: k/2 ways within a pod, (k/2)^2 between pods, and each of them carries as much.
class FatTreePathsCase : public TestCase
{
  public:
    explicit FatTreePathsCase(uint32_t k)
        : TestCase("equal-cost ways, k = " + std::to_string(k)),
          m_k(k)
    {
    }

  private:
    void Check(const RoutedFabric& fabric, uint32_t to, std::map<double, std::size_t> expected)
    {
        const FluidRoute route = fabric.Resolve(fabric.Make(0, 0, to, 0));
        NS_TEST_ASSERT_MSG_EQ(route.reachable, true, "server " << to);
        NS_TEST_EXPECT_MSG_LT(GetImbalance(*fabric.graph, route, 0, to), 1e-12, "conservation");
        std::map<double, std::size_t> found; // links by share
        for (const ChannelShare& share : route.channels)
        {
            ++found[share.share];
        }
        NS_TEST_EXPECT_MSG_EQ((found == expected), true, "channels by share, server " << to);
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[static_cast<size_t>(PathClass::PACKET)], 1, "EPS");
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[static_cast<size_t>(PathClass::CIRCUIT)], 0, "EPS");
        NS_TEST_EXPECT_MSG_EQ(route.scaleUp.size(), 0, "the NIC belongs to GPU 0");
    }

    void DoRun() override
    {
        const uint32_t half = m_k / 2;
        const RoutedFabric fabric(KaryFatTree(m_k));
        const EcmpTables& tables = fabric.router->GetTables();
        NS_TEST_EXPECT_MSG_EQ(CountPaths(tables, 0, 1), half, "within a pod");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(tables, 0, half), half * half, "between pods");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(tables, m_k * half - 1, 3), half * half, "last to first");
        Check(fabric, 1, {{1.0, 2}});
        Check(fabric, half, {{1.0, 2}, {1.0 / half, 2 * half}});
        Check(fabric,
              half * half,
              {{1.0, 2}, {1.0 / half, 2 * half}, {1.0 / half / half, 2 * half * half}});
        // 2, 4, 6 links of 1 us; all but the first store and forward.
        const uint32_t servers[]{1, half, half * half};
        for (uint32_t i = 0; i < 3; ++i)
        {
            const FluidRoute route = fabric.Resolve(fabric.Make(0, 0, servers[i], 0));
            NS_TEST_EXPECT_MSG_EQ(route.propagation, MicroSeconds(2 * (i + 1)), "propagation");
            NS_TEST_EXPECT_MSG_EQ(route.storeAndForward, 2 * (i + 1) - 1, "links that serialize");
        }
        // A switch holds as many entries as it has ports, not one per NIC.
        NS_TEST_EXPECT_MSG_LT_OR_EQ(tables.GetNEntries(),
                                    tables.GetNSwitches() * (m_k + 1),
                                    "size of the tables");
    }

    uint32_t m_k; //!< radix
};

/// Field report 39: 1,000 flows must not all meet on a few cores. With one seed per switch the
/// numbers of flows per core spread like balls thrown into bins; with one seed for all they do not.
class PolarizationCase : public TestCase
{
  public:
    PolarizationCase()
        : TestCase("flows per core")
    {
    }

  private:
    /// @param fabric a fat-tree @param k radix @param flows number of flows between pods
    /// @return flows by core
    std::vector<double> Count(const RoutedFabric& fabric, uint32_t k, uint32_t flows)
    {
        std::map<uint32_t, double> cores;
        const uint32_t servers = fabric.graph->GetNServers();
        const uint32_t pod = servers / k;
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(7);
        for (uint32_t sent = 0; sent < flows;)
        {
            const uint32_t from = random->GetInteger(0, servers - 1);
            const uint32_t to = random->GetInteger(0, servers - 1);
            if (from / pod == to / pod)
            {
                continue;
            }
            const FluidRoute route =
                fabric.Resolve(fabric.Make(from, 0, to, 0), LoadBalance::PER_FLOW, sent++);
            NS_TEST_EXPECT_MSG_EQ(route.channels.size(), 6, "one way of six links");
            for (const ChannelShare& share : route.channels)
            {
                const VertexId v = fabric.graph->GetTarget(share.channel);
                if (fabric.graph->GetKind(v) == VertexKind::SWITCH && fabric.graph->GetTier(v) == 3)
                {
                    ++cores[v.Get()];
                }
            }
        }
        std::vector<double> result;
        for (const auto& [core, count] : cores)
        {
            result.push_back(count);
        }
        return result;
    }

    void DoRun() override
    {
        // k = 4: 250 flows a core, standard deviation sqrt(1000 x 1/4 x 3/4) = 13.7: 15 % is 2.7.
        const RoutedFabric four(KaryFatTree(4));
        const std::vector<double> byCore = Count(four, 4, 1000);
        NS_TEST_ASSERT_MSG_EQ(byCore.size(), 4, "all cores");
        for (const double flows : byCore)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(flows, 250, 37.5, "15 %");
        }
        // k = 8: with 1,000 flows the deviation (7.7 of 62.5 flows) alone exceeds 15 % on some
        // core, so: chi-squared with 15 degrees of freedom (99.9 % quantile 37.7), and 15 % at
        // 16,000 flows (deviation 3.1 %).
        const RoutedFabric eight(KaryFatTree(8));
        double chiSquared = 0;
        const std::vector<double> some = Count(eight, 8, 1000);
        NS_TEST_ASSERT_MSG_EQ(some.size(), 16, "all cores");
        for (const double flows : some)
        {
            chiSquared += (flows - 62.5) * (flows - 62.5) / 62.5;
        }
        NS_TEST_EXPECT_MSG_LT(chiSquared, 37.7, "as even as chance");
        for (const double flows : Count(eight, 8, 16000))
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(flows, 1000, 150, "15 %");
        }
        // Guard: with one seed for all, aggregation switches choose as leaves did: 4 of 16 cores.
        const EcmpTables& tables = eight.router->GetTables();
        const std::vector<uint64_t> same(tables.GetNSwitches(), 1);
        FluidRouteBuilder builder(tables);
        LaneRoute way;
        way.legs.push_back({PathClass::PACKET, ServerId(0), ServerId(127), 0, 0});
        std::set<ChannelId> polarized;
        for (uint64_t flow = 0; flow < 1000; ++flow)
        {
            builder.Clear();
            builder.AddRoute(eight.graph->GetGpu(ServerId(0), 0),
                             eight.graph->GetGpu(ServerId(127), 0),
                             way,
                             1.0,
                             {LoadBalance::PER_FLOW, &same, flow * 977});
            FluidRoute route;
            builder.Finish(route);
            for (const ChannelShare& share : route.channels)
            {
                polarized.insert(share.channel);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(polarized.size(), 2 + 4 * 4, "2 NICs, 4 ways of 4 links");
    }
};

/// Links fail and come back: ways go and return, tables of the packet world follow, only those of
/// switches that are concerned.
class FailureCase : public TestCase
{
  public:
    FailureCase()
        : TestCase("failures and the installer")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedFabric fabric(KaryFatTree(4)); // 16 servers, 8 leaves, 8 + 4 others
        FabricGraph& graph = *fabric.graph;
        ForwardingInstaller installer(fabric.router);
        std::map<VertexId, Ptr<PacketSwitch>> devices;
        for (uint32_t v = 16; v < graph.GetNVertices(); ++v)
        {
            devices[VertexId(v)] = CreateObject<PacketSwitch>();
            installer.Add(VertexId(v), devices[VertexId(v)]);
        }
        NS_TEST_EXPECT_MSG_EQ(installer.GetNWrites(), 20, "once each");
        const ForwardingTable& leaf = devices[VertexId(16)]->GetTable();
        const PortGroup both{2, 3};
        NS_TEST_EXPECT_MSG_EQ((leaf.Lookup(0) == PortGroup{0}), true, "its own server");
        NS_TEST_EXPECT_MSG_EQ((leaf.Lookup(15) == both), true, "both uplinks");

        const Transfer transfer = fabric.Make(0, 0, 15, 0);
        const uint64_t version = fabric.router->GetVersion(transfer);
        const EdgeId uplink = graph.GetEdge(VertexId(16), 2);
        graph.SetEdges({uplink}, EdgeCause::FAILURE, false);
        NS_TEST_EXPECT_MSG_EQ((leaf.Lookup(15) == PortGroup{3}), true, "one uplink left");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(fabric.router->GetTables(), 0, 7), 2, "half the ways");
        NS_TEST_EXPECT_MSG_NE(fabric.router->GetVersion(transfer), version, "caches notice");
        const uint64_t writes = installer.GetNWrites();
        NS_TEST_EXPECT_MSG_LT(writes, 40, "not all tables");

        graph.SetEdges({graph.GetEdge(VertexId(16), 3)}, EdgeCause::FAILURE, false);
        NS_TEST_EXPECT_MSG_EQ(leaf.Lookup(15).empty(), true, "cut off");
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(transfer).reachable, false, "no way");
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(0, 0, 1, 0)).reachable, true, "one leaf");
        graph.SetEdges({uplink, graph.GetEdge(VertexId(16), 3)}, EdgeCause::FAILURE, true);
        NS_TEST_EXPECT_MSG_EQ((leaf.Lookup(15) == both), true, "both again");
        NS_TEST_EXPECT_MSG_EQ(CountPaths(fabric.router->GetTables(), 0, 7), 4, "all ways again");

        // A NIC: only its leaf is written.
        const uint64_t before = installer.GetNWrites();
        graph.SetEdges({EdgeId(1)}, EdgeCause::FAILURE, false);
        NS_TEST_EXPECT_MSG_EQ(installer.GetNWrites(), before + 1, "its leaf");
        NS_TEST_EXPECT_MSG_EQ(leaf.Lookup(1).empty(), true, "server 1 is gone");
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(5, 0, 1, 0)).reachable, false, "gone");
    }
};

/// Rails, and servers that differ (field report 41).
class RailRoutesCase : public TestCase
{
  public:
    RailRoutesCase()
        : TestCase("rails and unequal servers")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedFabric rails(Build<RailOptimizedTopology>(ClusterSpec(32)));
        const FluidRoute near = rails.Resolve(rails.Make(0, 0, 1, 0, 8));
        NS_TEST_EXPECT_MSG_EQ(near.channels.size(), 16, "8 lanes, each over its leaf only");
        NS_TEST_EXPECT_MSG_EQ(near.propagation, MicroSeconds(2), "one switch");
        NS_TEST_EXPECT_MSG_EQ(near.scaleUp.size(), 0, "each lane its own NIC");
        const FluidRoute cross = rails.Resolve(rails.Make(0, 3, 1, 5));
        NS_TEST_EXPECT_MSG_EQ(cross.channels.size(), 2, "rail 3 to the end, then scale-up");
        NS_TEST_ASSERT_MSG_EQ(cross.scaleUp.size(), 2, "GPU 3 to GPU 5 of server 1");
        NS_TEST_EXPECT_MSG_EQ(cross.scaleUp[0].gpu, GpuId(11), "out of GPU 3");
        NS_TEST_EXPECT_MSG_EQ(cross.scaleUp[0].egress, true, "out of GPU 3");
        NS_TEST_EXPECT_MSG_EQ(cross.scaleUp[1].gpu, GpuId(13), "into GPU 5");
        for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
        {
            rails.router->GetPolicy(static_cast<TrafficClass>(c))
                ->SetAttribute("RailAlignment", BooleanValue(false));
        }
        const FluidRoute crossed = rails.Resolve(rails.Make(0, 3, 1, 5));
        NS_TEST_EXPECT_MSG_GT(crossed.channels.size(), 2, "rail 3 to rail 5 over spines");
        NS_TEST_EXPECT_MSG_EQ(crossed.scaleUp.size(), 0, "straight into GPU 5");

        // 4 GPUs and 2 NICs against 6 GPUs and 3 NICs: every pair works, lane by lane.
        ServerSpec small;
        small.gpus = 4;
        ServerSpec large;
        large.gpus = 6;
        const ClusterSpec mixed({{3, 2, small}, {3, 3, large}});
        const RoutedFabric fabric(Build<FatTreeTopology>(mixed, {{"SwitchRadix", "4"}}));
        int pairs = 0;
        for (uint32_t a = 0; a < 6; ++a)
        {
            for (uint32_t b = 0; b < 6; ++b)
            {
                if (a == b)
                {
                    continue;
                }
                const FluidRoute route = fabric.Resolve(fabric.Make(a, 0, b, 0, 4));
                NS_TEST_ASSERT_MSG_EQ(route.reachable, true, a << " to " << b);
                NS_TEST_EXPECT_MSG_LT(GetImbalance(*fabric.graph, route, a, b), 1e-12, "law");
                ++pairs;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(pairs, 30, "all pairs");
        // Inside a server: out of one GPU, into the other, nothing else.
        const FluidRoute local = fabric.Resolve(fabric.Make(3, 0, 3, 2, 2));
        NS_TEST_EXPECT_MSG_EQ(local.channels.size(), 0, "no channel");
        NS_TEST_EXPECT_MSG_EQ(local.scaleUp.size(), 4, "two lanes");
        NS_TEST_EXPECT_MSG_EQ(local.scaleUp[0].share, 0.5, "half each");
        NS_TEST_EXPECT_MSG_EQ(local.pathShare[0], 1, "scale-up");
    }
};

/// What a user gets wrong.
class RouterInputCase : public TestCase
{
  public:
    RouterInputCase()
        : TestCase("router input")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"ns3::NoSuchPolicy", "ns3::RoutingPolicy", "ns3::Node"})
        {
            const std::string message = Refusal([&]() {
                auto router = CreateObject<FabricRouter>();
                router->SetAttribute("EpPolicy", StringValue(name));
                router->SetGraph(Build<StarTopology>(ClusterSpec(2, 1)));
            });
            NS_TEST_EXPECT_MSG_NE(message.find(name), std::string::npos, name);
        }
        auto router = CreateObject<FabricRouter>();
        router->SetAttribute("EpPolicy", StringValue("ns3::MultiHopPolicy"));
        const auto graph = Build<HybridTopology>(ClusterSpec(8));
        router->SetGraph(graph);
        NS_TEST_EXPECT_MSG_EQ(router->GetPolicy(TrafficClass::EP)->GetInstanceTypeId().GetName(),
                              "ns3::MultiHopPolicy",
                              "as asked");
        NS_TEST_EXPECT_MSG_EQ(router->GetPolicy(TrafficClass::DP)->GetInstanceTypeId().GetName(),
                              "ns3::EpsOnlyPolicy",
                              "by the fabric");
        NS_TEST_EXPECT_MSG_EQ(router->GetPolicy(TrafficClass::TP)->GetInstanceTypeId().GetName(),
                              "ns3::SplitPolicy",
                              "leaves its server after a failure only");
        // A router that is gone does not hear of changes.
        router = nullptr;
        graph->SetEdges({EdgeId(0)}, EdgeCause::FAILURE, false);
    }
};

/// The suite.
class RoutingTestSuite : public TestSuite
{
  public:
    RoutingTestSuite()
        : TestSuite("mixnet-routing", TestSuite::Type::UNIT)
    {
        AddTestCase(new FatTreePathsCase(4));
        AddTestCase(new FatTreePathsCase(8));
        AddTestCase(new PolarizationCase);
        AddTestCase(new FailureCase);
        AddTestCase(new RailRoutesCase);
        AddTestCase(new RouterInputCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingTestSuite g_routingTestSuite; //!< registers the suite

} // namespace
