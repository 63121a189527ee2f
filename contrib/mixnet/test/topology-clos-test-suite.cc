/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "topology-test-case.h"

#include "ns3/basic-topologies.h"
#include "ns3/clos-topology.h"
#include "ns3/rail-optimized-topology.h"

#include <set>

namespace
{

/// A full 1:1 three-tier fabric is the k-ary fat-tree: k^3/4 hosts, k^2/2 leaves, k^2/2 aggregation
/// switches, k^2/4 cores, k^3/4 links between any two tiers, all k ports of all switches in use.
class FatTreeFormulaCase : public TestCase
{
  public:
    explicit FatTreeFormulaCase(uint32_t k)
        : TestCase("k-ary fat-tree, k = " + std::to_string(k)),
          m_k(k)
    {
    }

  private:
    void DoRun() override
    {
        const uint32_t k = m_k;
        const uint32_t nics = k / 2;
        const auto graph = Build<FatTreeTopology>(ClusterSpec(k * k / 2, nics));
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 1).size(), k * k / 2, "leaves");
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 2).size(), k * k / 2, "aggregation switches");
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 3).size(), k * k / 4, "cores");
        NS_TEST_EXPECT_MSG_EQ(graph->GetNEdges(), 3 * k * k * k / 4, "links");
        for (uint32_t tier = 1; tier <= 3; ++tier)
        {
            for (const VertexId v : Tier(*graph, tier))
            {
                NS_TEST_ASSERT_MSG_EQ(graph->GetNPorts(v), k, "ports of " << graph->GetName(v));
            }
        }
        // One link from every core to every pod: its neighbors lie in k different pods.
        const uint32_t firstAggregation = Tier(*graph, 2).front().Get();
        for (const VertexId core : Tier(*graph, 3))
        {
            std::set<uint32_t> pods;
            for (uint32_t p = 0; p < k; ++p)
            {
                const VertexId far = graph->GetTarget(graph->GetEgress(core, p));
                pods.insert((far.Get() - firstAggregation) / (k / 2));
            }
            NS_TEST_ASSERT_MSG_EQ(pods.size(), k, "pods of a core");
        }
        for (uint32_t s = 0; s < graph->GetNServers(); ++s)
        {
            for (uint32_t n = 0; n < nics; ++n)
            {
                NS_TEST_ASSERT_MSG_EQ(Above(*graph, s, n), Tier(*graph, 1)[s], "NICs by server");
            }
        }
    }

    uint32_t m_k; //!< radix
};

/// The fewest tiers, and upper tiers just large enough.
class FatTreeSizeCase : public TestCase
{
  public:
    FatTreeSizeCase()
        : TestCase("tiers and upper tiers")
    {
    }

  private:
    void Check(uint32_t nics, const Settings& settings, std::vector<std::size_t> switches)
    {
        const auto graph = Build<FatTreeTopology>(ClusterSpec(nics, 1), settings);
        for (std::size_t tier = 1; tier <= 3; ++tier)
        {
            NS_TEST_EXPECT_MSG_EQ(Tier(*graph, static_cast<uint32_t>(tier)).size(),
                                  switches[tier - 1],
                                  nics << " NICs, tier " << tier);
        }
    }

    void DoRun() override
    {
        const Settings r16{{"SwitchRadix", "16"}};
        Check(16, r16, {1, 0, 0});
        Check(17, r16, {3, 2, 0});     // 3 leaves of 8 uplinks, 5 per spine: 2 spines
        Check(64, r16, {8, 4, 0});     // 8 leaves x 8 uplinks = 4 spines x 16 ports
        Check(128, r16, {16, 8, 0});   // full two tiers: k^2 / 2 hosts, 3 k / 2 switches
        Check(129, r16, {17, 24, 16}); // 17 leaves in 3 pods of at most 6: 8 x 2 cores of 5 + 1
        Check(512, r16, {64, 64, 32}); // half the pods, half the cores
        Check(1024, {}, {128, 128, 64});
        Check(16, {{"SwitchRadix", "16"}, {"Tiers", "2"}}, {2, 1, 0});
        Check(1, {}, {1, 0, 0});

        const auto refused = [](uint32_t nics, const Settings& settings) {
            return Refusal([&]() { Build<FatTreeTopology>(ClusterSpec(nics, 1), settings); });
        };
        NS_TEST_EXPECT_MSG_NE(refused(1025, r16).find("128 leaves"), std::string::npos, "1025");
        NS_TEST_EXPECT_MSG_NE(refused(129, {{"SwitchRadix", "16"}, {"Tiers", "2"}}),
                              "",
                              "129 NICs on two tiers");
        NS_TEST_EXPECT_MSG_NE(refused(17, {{"SwitchRadix", "16"}, {"Tiers", "1"}}),
                              "",
                              "17 NICs on one switch");
        NS_TEST_EXPECT_MSG_NE(Refusal([]() { Build<StarTopology>(ClusterSpec()); }), "", "empty");
        NS_TEST_EXPECT_MSG_NE(Refusal([]() { Build<StarTopology>(ClusterSpec(2, 0)); }),
                              "",
                              "no NIC");
    }
};

/// d:u is exact at every leaf that is full; ports that do not divide stay unused.
class OversubscriptionCase : public TestCase
{
  public:
    OversubscriptionCase()
        : TestCase("over-subscription")
    {
    }

  private:
    void Check(uint32_t radix, const std::string& ratio, uint32_t down, uint32_t up)
    {
        const uint32_t leaves = 3;
        const auto graph = Build<FatTreeTopology>(
            ClusterSpec(leaves * down, 1),
            {{"SwitchRadix", std::to_string(radix)}, {"Oversubscription", ratio}, {"Tiers", "2"}});
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 1).size(), leaves, ratio << " leaves");
        for (const VertexId leaf : Tier(*graph, 1))
        {
            NS_TEST_EXPECT_MSG_EQ(DownUp(*graph, leaf).first, down, ratio << " down");
            NS_TEST_EXPECT_MSG_EQ(DownUp(*graph, leaf).second, up, ratio << " up");
        }
    }

    void DoRun() override
    {
        Check(16, "3:1", 12, 4);
        Check(16, "1:1", 8, 8);
        Check(16, "6:2", 12, 4);
        Check(10, "3:1", 6, 2); // 10 = 2 x 4 + 2 unused
        Check(17, "1:1", 8, 8);
        Check(16, "7:1", 14, 2);
        Check(16, "1:3", 4, 12);
        for (const std::string bad : {"3", "3:", ":1", "0:1", "3:0", "3:1x", "a:b", ""})
        {
            NS_TEST_EXPECT_MSG_NE(Refusal([&]() { Oversubscription::Parse(bad); }), "", bad);
        }
        NS_TEST_EXPECT_MSG_NE(Refusal([]() { SplitLeaf(3, {3, 1}); }), "", "radix below ratio");
        // 1,024 NICs at 3:1: the uplinks of 86 leaves, once through 4 aggregation switches a pod.
        const auto graph = Build<FatTreeTopology>(ClusterSpec(128), {{"Oversubscription", "3:1"}});
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 1).size(), 86, "leaves of 12");
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 2).size(), 44, "11 pods of 4");
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 3).size(), 32, "4 x 8 cores");
    }
};

/// NIC r on rail r: pairs of one rail within a group share their leaf, others do not.
class RailCase : public TestCase
{
  public:
    RailCase()
        : TestCase("rail-optimized")
    {
    }

  private:
    void DoRun() override
    {
        const auto graph = Build<RailOptimizedTopology>(ClusterSpec(128));
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 1).size(), 128, "16 groups of 8 rails");
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 2).size(), 128, "as in the fat-tree of the same NICs");
        NS_TEST_EXPECT_MSG_EQ(Tier(*graph, 3).size(), 64, "as in the fat-tree of the same NICs");
        for (uint32_t s = 0; s < 128; ++s)
        {
            for (uint32_t r = 0; r < 8; ++r)
            {
                const uint32_t leaf = Above(*graph, s, r).Get() - Tier(*graph, 1).front().Get();
                NS_TEST_ASSERT_MSG_EQ(leaf, s / 8 * 8 + r, "leaf of group " << s / 8);
            }
        }
        // Radix 64: groups of 32 servers, 32 leaves of 32 uplinks on 16 spines of 64 ports.
        const auto flat = Build<RailOptimizedTopology>(ClusterSpec(128), {{"SwitchRadix", "64"}});
        NS_TEST_EXPECT_MSG_EQ(Tier(*flat, 1).size(), 32, "leaves");
        NS_TEST_EXPECT_MSG_EQ(Tier(*flat, 2).size(), 16, "spines");
        NS_TEST_EXPECT_MSG_EQ(Tier(*flat, 3).size(), 0, "no third tier");
        // Servers of 4 and of 8 NICs: rails 4 to 7 connect the latter only.
        const ClusterSpec mixed({{3, 4, {4, DataRate("3600Gbps"), 2}}, {2, 8, ServerSpec()}});
        const auto uneven = Build<RailOptimizedTopology>(mixed, {{"SwitchRadix", "16"}});
        NS_TEST_EXPECT_MSG_EQ(DownUp(*uneven, Tier(*uneven, 1)[3]).first, 5, "rail 3");
        NS_TEST_EXPECT_MSG_EQ(DownUp(*uneven, Tier(*uneven, 1)[4]).first, 2, "rail 4");
        NS_TEST_EXPECT_MSG_NE(Refusal([]() {
                                  Build<RailOptimizedTopology>(ClusterSpec(2), {{"Tiers", "1"}});
                              }),
                              "",
                              "eight rails on one tier");
    }
};

/// The suite.
class TopologyClosTestSuite : public TestSuite
{
  public:
    TopologyClosTestSuite()
        : TestSuite("mixnet-topology-clos", TestSuite::Type::UNIT)
    {
        for (const uint32_t k : {4, 8, 16})
        {
            AddTestCase(new FatTreeFormulaCase(k));
        }
        AddTestCase(new FatTreeSizeCase);
        AddTestCase(new OversubscriptionCase);
        AddTestCase(new RailCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

TopologyClosTestSuite g_topologyClosTestSuite; //!< registers the suite

} // namespace
