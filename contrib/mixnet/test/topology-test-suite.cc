/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-case.h"

#include "ns3/basic-topologies.h"
#include "ns3/clos-topology.h"
#include "ns3/hybrid-topology.h"
#include "ns3/topo-opt-topology.h"

namespace
{

/// Which NICs are where, and regions.
class HybridCase : public TestCase
{
  public:
    HybridCase()
        : TestCase("hybrid")
    {
    }

  private:
    void CheckEps(uint32_t nics, uint32_t alpha, const std::vector<uint32_t>& eps)
    {
        const auto graph =
            Build<HybridTopology>(ClusterSpec(20, nics), {{"OcsNics", std::to_string(alpha)}});
        for (uint32_t s = 0; s < 20; ++s)
        {
            const bool same = graph->GetNics(ServerId(s), EdgeKind::PACKET) == eps;
            NS_TEST_ASSERT_MSG_EQ(same, true, nics << " NICs, alpha " << alpha);
        }
        NS_TEST_EXPECT_MSG_EQ(graph->GetNRegions(), 3, "8 + 8 + 4 servers");
        NS_TEST_EXPECT_MSG_EQ(graph->GetRegionServers(RegionId(2)).size(), 4, "the last region");
        const VertexId ocs = graph->GetRegionOcs(RegionId(1)).front();
        NS_TEST_EXPECT_MSG_EQ(graph->GetNPorts(ocs), 8 * alpha, "fibers of a region");
        NS_TEST_EXPECT_MSG_EQ(Above(*graph, 8, nics - 1), ocs, "server 8, region 1");
    }

    void DoRun() override
    {
        CheckEps(8, 6, {0, 4});
        CheckEps(8, 7, {0});
        CheckEps(8, 5, {0, 2, 5});
        CheckEps(8, 4, {0, 2, 4, 6});
        CheckEps(4, 3, {0});
        CheckEps(8, 1, {0, 1, 2, 3, 4, 5, 6});
        const auto graph = Build<HybridTopology>(ClusterSpec(8));
        NS_TEST_EXPECT_MSG_EQ(graph->GetNicNuma(ServerId(0), 0), 0, "one EPS NIC per NUMA node");
        NS_TEST_EXPECT_MSG_EQ(graph->GetNicNuma(ServerId(0), 4), 1, "one EPS NIC per NUMA node");

        const auto refused = [](const Settings& settings) {
            return Refusal([&]() { Build<HybridTopology>(ClusterSpec(16), settings); });
        };
        NS_TEST_EXPECT_MSG_NE(refused({{"OcsNics", "8"}}), "", "no EPS NIC left");
        NS_TEST_EXPECT_MSG_NE(refused({{"OcsPorts", "47"}}).find("7 servers"),
                              std::string::npos,
                              "how many servers fit");
        NS_TEST_EXPECT_MSG_EQ(refused({{"OcsPorts", "48"}}), "", "exactly enough");
        NS_TEST_EXPECT_MSG_EQ(refused({{"OcsPorts", "16"}, {"OcsPerRegion", "3"}}), "", "3 planes");
        // Fiber NICs 1, 2, 3, 5, 6, 7 go to planes 0, 1, 2, 0, 1, 2.
        const auto planes = Build<HybridTopology>(ClusterSpec(16), {{"OcsPerRegion", "3"}});
        const auto& units = planes->GetRegionOcs(RegionId(1));
        NS_TEST_ASSERT_MSG_EQ(units.size(), 3, "planes");
        NS_TEST_EXPECT_MSG_EQ(Above(*planes, 9, 5), units[0], "plane of NIC 5");
        NS_TEST_EXPECT_MSG_EQ(Above(*planes, 9, 7), units[2], "plane of NIC 7");
    }
};

/// alpha 0 is the electrical fabric, vertex by vertex and edge by edge.
class AlphaZeroCase : public TestCase
{
  public:
    AlphaZeroCase()
        : TestCase("alpha 0")
    {
    }

  private:
    void DoRun() override
    {
        const ClusterSpec cluster(100);
        const auto hybrid = Build<HybridTopology>(cluster, {{"OcsNics", "0"}});
        const auto plain = Build<FatTreeTopology>(cluster);
        NS_TEST_ASSERT_MSG_EQ(hybrid->GetNVertices(), plain->GetNVertices(), "vertices");
        NS_TEST_ASSERT_MSG_EQ(hybrid->GetNEdges(), plain->GetNEdges(), "edges");
        NS_TEST_ASSERT_MSG_EQ(hybrid->GetNRegions(), 0, "regions");
        for (uint32_t i = 0; i < plain->GetNVertices(); ++i)
        {
            const VertexId v(i);
            NS_TEST_ASSERT_MSG_EQ(hybrid->GetName(v), plain->GetName(v), "vertex " << i);
        }
        for (uint32_t i = 0; i < plain->GetNEdges(); ++i)
        {
            const EdgeId e(i);
            const bool same = hybrid->GetEndA(e) == plain->GetEndA(e) &&
                              hybrid->GetEndB(e) == plain->GetEndB(e) &&
                              hybrid->GetSpec(e).rate == plain->GetSpec(e).rate &&
                              hybrid->GetSpec(e).delay == plain->GetSpec(e).delay;
            NS_TEST_ASSERT_MSG_EQ(same, true, "edge " << i);
        }
        // With alpha, servers, NICs and their edge ids stay what they are.
        const auto mixnet = Build<HybridTopology>(cluster);
        for (uint32_t e = 0; e < 800; ++e)
        {
            NS_TEST_ASSERT_MSG_EQ(mixnet->GetEndA(EdgeId(e)), plain->GetEndA(EdgeId(e)), e);
        }
    }
};

/// Patch panels and the small fabrics.
class SmallCase : public TestCase
{
  public:
    SmallCase()
        : TestCase("patch panels and small fabrics")
    {
    }

  private:
    void DoRun() override
    {
        const auto one = Build<TopoOptTopology>(ClusterSpec(128));
        NS_TEST_EXPECT_MSG_EQ(one->GetRegionOcs(RegionId(0)).size(), 1, "one panel");
        NS_TEST_EXPECT_MSG_EQ(one->GetNPorts(one->GetRegionOcs(RegionId(0))[0]), 1024, "all NICs");
        const auto two = Build<TopoOptTopology>(ClusterSpec(128), {{"PanelPorts", "576"}});
        NS_TEST_EXPECT_MSG_EQ(two->GetRegionOcs(RegionId(0)).size(), 2, "1,024 on 2 x 576");
        NS_TEST_EXPECT_MSG_EQ(Above(*two, 77, 5), two->GetRegionOcs(RegionId(0))[1], "NIC 5");
        NS_TEST_EXPECT_MSG_NE(Refusal([]() {
                                  Build<TopoOptTopology>(ClusterSpec(128), {{"PanelPorts", "127"}});
                              }),
                              "",
                              "a panel that misses a server");

        const auto star = Build<StarTopology>(ClusterSpec(5, 2));
        NS_TEST_EXPECT_MSG_EQ(star->GetNPorts(VertexId(5)), 10, "star");
        const auto bell = Build<DumbbellTopology>(ClusterSpec(5, 1), {{"BottleneckRate", "1Gbps"}});
        NS_TEST_EXPECT_MSG_EQ(DownUp(*bell, VertexId(5)).first, 3, "left");
        NS_TEST_EXPECT_MSG_EQ(DownUp(*bell, VertexId(6)).first, 2, "right");
        NS_TEST_EXPECT_MSG_EQ(bell->GetSpec(EdgeId(5)).rate, DataRate("1Gbps"), "middle");
        const auto chain = Build<ChainTopology>(ClusterSpec(2, 1), {{"Switches", "4"}});
        NS_TEST_EXPECT_MSG_EQ(Above(*chain, 0, 0), VertexId(2), "first");
        NS_TEST_EXPECT_MSG_EQ(Above(*chain, 1, 0), VertexId(5), "last");
        NS_TEST_EXPECT_MSG_EQ(chain->GetNEdges(), 5, "2 NICs, 3 links");
        const auto pair = Build<CircuitPairTopology>(ClusterSpec(4, 2));
        for (uint32_t s = 0; s < 4; ++s)
        {
            const auto peer = pair->GetLitPeer(ServerId(s), 1);
            NS_TEST_ASSERT_MSG_EQ(peer.has_value(), true, "lit from the start");
            NS_TEST_EXPECT_MSG_EQ(peer->first, ServerId(s ^ 1U), "pairs");
            NS_TEST_EXPECT_MSG_EQ(peer->second, 1, "NIC by NIC");
        }
    }
};

/// What the graph refuses, and its versions.
class GraphStateCase : public TestCase
{
  public:
    GraphStateCase()
        : TestCase("graph state")
    {
    }

  private:
    void Count(const GraphChange&)
    {
        ++m_changes;
    }

    void DoRun() override
    {
        const auto graph = Build<CircuitPairTopology>(ClusterSpec(4, 2));
        const VertexId ocs = graph->GetRegionOcs(RegionId(0))[0];
        const auto listener = MakeCallback(&GraphStateCase::Count, this);
        graph->Subscribe(GraphPhase::RECORD, listener);
        NS_TEST_EXPECT_MSG_NE(
            Refusal([&]() {
                graph->AddEdge(VertexId(0), VertexId(1), {DataRate(1), Time(0), EdgeKind::FIBER});
            }),
            "",
            "a fiber without an OCS");
        NS_TEST_EXPECT_MSG_NE(
            Refusal([&]() {
                graph->AddEdge(VertexId(0), ocs, {DataRate(1), Time(0), EdgeKind::PACKET});
            }),
            "",
            "a packet link to an OCS");
        NS_TEST_EXPECT_MSG_NE(Refusal([&]() {
                                  graph->ChangeMatching({{ocs, 0, 4}}, {});
                              }),
                              "",
                              "a port that is matched already");
        const Circuit half{ocs, 0, 2};
        NS_TEST_EXPECT_MSG_NE(Refusal([&]() {
                                  graph->ChangeMatching({{ocs, 0, 4}, {ocs, 4, 6}}, {half});
                              }),
                              "",
                              "one port twice");
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(half), true, "a refused change changes nothing");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 0, "and tells nobody");

        const EdgeId fiber = graph->GetEdge(ocs, 0);
        const uint64_t before = graph->GetServerVersion(ServerId(1));
        const uint64_t other = graph->GetServerVersion(ServerId(2));
        const uint64_t optical = graph->GetOpticalVersion();
        graph->SetHeld({fiber}, true);
        NS_TEST_EXPECT_MSG_GT(graph->GetServerVersion(ServerId(1)), before, "both ends notice");
        NS_TEST_EXPECT_MSG_GT(graph->GetOpticalVersion(), optical, "all circuits notice");
        NS_TEST_EXPECT_MSG_EQ(graph->GetServerVersion(ServerId(2)), other, "others do not");
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(half), true, "held is not dark");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 0, "held is no change of state");
        graph->SetEdges({fiber}, EdgeCause::FAILURE, false);
        graph->SetEdges({fiber}, EdgeCause::OPTICAL, false);
        graph->SetEdges({fiber}, EdgeCause::FAILURE, true);
        NS_TEST_EXPECT_MSG_EQ(graph->IsUp(fiber), false, "one cause is left");
        graph->SetEdges({fiber}, EdgeCause::OPTICAL, true);
        NS_TEST_EXPECT_MSG_EQ(graph->IsUp(fiber), true, "none is left");
        NS_TEST_EXPECT_MSG_EQ(m_changes, 2, "down once, up once");
        graph->Unsubscribe(GraphPhase::RECORD, listener);
        graph->ChangeMatching({}, {half});
        NS_TEST_EXPECT_MSG_EQ(m_changes, 2, "no longer subscribed");
        NS_TEST_EXPECT_MSG_EQ(graph->GetLitPeer(ServerId(1), 0).has_value(), false, "unmatched");
    }

    int m_changes{0}; //!< notifications
};

/// The suite.
class TopologyTestSuite : public TestSuite
{
  public:
    TopologyTestSuite()
        : TestSuite("mixnet-topology", TestSuite::Type::UNIT)
    {
        AddTestCase(new HybridCase);
        AddTestCase(new AlphaZeroCase);
        AddTestCase(new SmallCase);
        AddTestCase(new GraphStateCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

TopologyTestSuite g_topologyTestSuite; //!< registers the suite

} // namespace
