/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-test-case.h"

#include "ns3/basic-topologies.h"
#include "ns3/boolean.h"
#include "ns3/clos-topology.h"
#include "ns3/hybrid-topology.h"
#include "ns3/multi-hop-policy.h"
#include "ns3/topo-opt-topology.h"
#include "ns3/uinteger.h"

#include <set>

namespace
{

constexpr auto SCALE_UP = static_cast<std::size_t>(PathClass::SCALE_UP); //!< index
constexpr auto CIRCUIT = static_cast<std::size_t>(PathClass::CIRCUIT);   //!< index
constexpr auto PACKET = static_cast<std::size_t>(PathClass::PACKET);     //!< index

/// Join NICs of two servers of one OCS. @param graph a graph @param a server @param nicA its NIC
/// @param b server @param nicB its NIC @return the circuit, matched
Circuit
Light(FabricGraph& graph, uint32_t a, uint32_t nicA, uint32_t b, uint32_t nicB)
{
    const EdgeId ea = graph.GetEdge(graph.GetVertex(ServerId(a)), nicA);
    const EdgeId eb = graph.GetEdge(graph.GetVertex(ServerId(b)), nicB);
    const VertexId ocs = graph.GetEndB(ea);
    const auto ports = std::minmax({graph.GetPortAt(ea, ocs), graph.GetPortAt(eb, ocs)});
    const Circuit circuit{ocs, ports.first, ports.second};
    graph.ChangeMatching({circuit}, {});
    return circuit;
}

/// @param graph a graph @param s server @param nic its NIC @return its edge
EdgeId
NicEdge(const FabricGraph& graph, uint32_t s, uint32_t nic)
{
    return graph.GetEdge(graph.GetVertex(ServerId(s)), nic);
}

/// @param graph a graph @param s server @param nic its NIC @return the channel out of it
ChannelId
Out(const FabricGraph& graph, uint32_t s, uint32_t nic)
{
    return graph.GetEgress(graph.GetVertex(ServerId(s)), nic);
}

/// @param route a route @param gpu a GPU @param egress out of it @return share there
double
PortShare(const FluidRoute& route, uint32_t gpu, bool egress)
{
    for (const ScaleUpShare& share : route.scaleUp)
    {
        if (share.gpu == GpuId(gpu) && share.egress == egress)
        {
            return share.share;
        }
    }
    return 0;
}

/// Circuits of the pair while they are open, the packet fabric else.
class DirectOrEpsCase : public TestCase
{
  public:
    DirectOrEpsCase()
        : TestCase("direct or EPS")
    {
    }

  private:
    /// @param fabric the fabric @param transfer what @param circuit share on circuits expected
    /// @param when for messages
    void ExpectCircuit(const RoutedFabric& fabric,
                       const Transfer& transfer,
                       double circuit,
                       const std::string& when)
    {
        const FluidRoute route = fabric.Resolve(transfer);
        NS_TEST_EXPECT_MSG_EQ(route.reachable, true, when);
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[CIRCUIT], circuit, when);
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[PACKET], 1 - circuit, when);
        NS_TEST_EXPECT_MSG_LT(GetImbalance(*fabric.graph, route, 0, 1), 1e-12, when);
    }

    void DoRun() override
    {
        const RoutedFabric fabric(Build<HybridTopology>(ClusterSpec(16)));
        FabricGraph& graph = *fabric.graph;
        const Transfer transfer = fabric.Make(0, 0, 1, 0, 8);
        const Transfer far = fabric.Make(2, 0, 3, 0, 8);
        ExpectCircuit(fabric, transfer, 0, "nothing lit");
        const uint64_t versions[]{fabric.router->GetVersion(transfer),
                                  fabric.router->GetVersion(far)};
        Light(graph, 0, 1, 1, 6);
        Light(graph, 0, 5, 1, 2);
        NS_TEST_EXPECT_MSG_NE(fabric.router->GetVersion(transfer), versions[0], "own circuit");
        NS_TEST_EXPECT_MSG_EQ(fabric.router->GetVersion(far), versions[1], "not its circuit");

        ExpectCircuit(fabric, transfer, 1, "two circuits");
        const FluidRoute route = fabric.Resolve(transfer);
        NS_TEST_EXPECT_MSG_EQ(route.channels.size(), 4, "two fibers each");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 1)), 0.5, "evenly");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 5)), 0.5, "evenly");
        NS_TEST_EXPECT_MSG_EQ(route.propagation, MicroSeconds(2), "two fibers");
        NS_TEST_EXPECT_MSG_EQ(route.storeAndForward, 0, "an OCS does not buffer");
        // Of 8 lanes on 2 circuits, each GPU's half of 1/8 goes by NIC 1 and by NIC 5; only the
        // halves of GPU 1 by NIC 1 and of GPU 5 by NIC 5 stay off the NVSwitch. So 14/16 leave
        // over it; at the other end NICs 6 and 2 belong to GPUs 6 and 2.
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 0, true), 0.125, "GPU 0 out: all");
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 1, true), 0.0625, "GPU 1 out: half");
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 1, false), 0.4375, "into GPU 1: 7 lanes' halves");
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 8 + 6, true), 0.4375, "out of GPU 6 of server 1");
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 8 + 7, false), 0.125, "into GPU 7: all");
        // Each way of a lane passes scale-up at one end at least: 1 goes NIC 1, NIC 6; ...
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[SCALE_UP], 1, "any crossing, once");

        for (uint32_t gpu = 0; gpu < 8; ++gpu)
        {
            const auto lane =
                fabric.Lane(fabric.Make(0, gpu, 1, 3), LoadBalance::PER_FLOW, 1234567 * gpu);
            NS_TEST_ASSERT_MSG_EQ(lane.size(), 1, "one way");
            NS_TEST_EXPECT_MSG_EQ(lane[0].legs[0].fromNic, (gpu % 2 == 0 ? 1 : 5), "g mod c");
        }
        graph.SetHeld({NicEdge(graph, 1, 6)}, true);
        const FluidRoute held = fabric.Resolve(transfer);
        NS_TEST_EXPECT_MSG_EQ(ShareOf(held, Out(graph, 0, 5)), 1, "a held one is closed");
        graph.SetEdges({NicEdge(graph, 0, 5)}, EdgeCause::OPTICAL, false);
        ExpectCircuit(fabric, transfer, 0, "one held, one dark");
        graph.SetHeld({NicEdge(graph, 1, 6)}, false);
        graph.SetEdges({NicEdge(graph, 0, 5)}, EdgeCause::OPTICAL, true);
        ExpectCircuit(fabric, transfer, 1, "open again");
        const Transfer dp = fabric.Make(0, 0, 1, 0, 8, TrafficClass::DP);
        ExpectCircuit(fabric, dp, 0, "DP keeps to the EPS");
        NS_TEST_EXPECT_MSG_EQ(
            fabric.router->GetVersion(dp),
            fabric.router->GetVersion(fabric.Make(8, 0, 9, 0, 1, TrafficClass::PP)),
            "and does not notice circuits");
    }
};

/// Which EPS NICs: 0 and 4 of 8, GPUs 0 to 3 by the former and 4 to 7 by the latter.
class EpsNicCase : public TestCase
{
  public:
    EpsNicCase()
        : TestCase("EPS NICs")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedFabric fabric(Build<HybridTopology>(ClusterSpec(16)));
        FabricGraph& graph = *fabric.graph;
        const Transfer transfer = fabric.Make(0, 0, 9, 0, 8);
        FluidRoute route = fabric.Resolve(transfer);
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 0)), 0.5, "GPUs 0 to 3");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 4)), 0.5, "GPUs 4 to 7");
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 0, false), 0.375, "3 lanes to GPU 0");
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[SCALE_UP], 0.75, "lanes 0 and 4 own their NIC");
        const Transfer single = fabric.Make(0, 2, 9, 2, 1);
        NS_TEST_EXPECT_MSG_EQ(ShareOf(fabric.Resolve(single), Out(graph, 0, 0)), 1, "one NIC");
        fabric.router->GetPolicy(TrafficClass::EP)
            ->SetAttribute("SpreadOverNics", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(ShareOf(fabric.Resolve(single), Out(graph, 0, 0)), 0.5, "spread");
        fabric.router->GetPolicy(TrafficClass::EP)
            ->SetAttribute("SpreadOverNics", BooleanValue(false));

        graph.SetEdges({NicEdge(graph, 0, 0)}, EdgeCause::FAILURE, false);
        route = fabric.Resolve(transfer);
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 4)), 1, "the other NIC");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, FabricGraph::GetReverse(Out(graph, 9, 4))), 1, "rail");
        graph.SetEdges({NicEdge(graph, 9, 4)}, EdgeCause::FAILURE, false);
        route = fabric.Resolve(transfer);
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, FabricGraph::GetReverse(Out(graph, 9, 0))), 1, "left");
        graph.SetEdges({NicEdge(graph, 0, 4)}, EdgeCause::FAILURE, false);
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(transfer).reachable, false, "none left");
        graph.SetEdges({NicEdge(graph, 0, 0), NicEdge(graph, 0, 4), NicEdge(graph, 9, 4)},
                       EdgeCause::FAILURE,
                       true);

        // NICs of server 9 on a leaf that is cut off from the fabric although they are up.
        const EdgeId nic = NicEdge(graph, 9, 0);
        const VertexId leaf = graph.GetEndB(nic);
        std::vector<EdgeId> uplinks;
        for (uint32_t p = 0; p < graph.GetNPorts(leaf); ++p)
        {
            const EdgeId e = graph.GetEdge(leaf, p);
            if (graph.GetKind(graph.GetEndA(e)) == VertexKind::SWITCH)
            {
                uplinks.push_back(e);
            }
        }
        NS_TEST_ASSERT_MSG_GT(uplinks.size(), 0, "a leaf below others");
        graph.SetEdges(uplinks, EdgeCause::FAILURE, false);
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(transfer).reachable, false, "up, but no way");
    }
};

/// alpha 0 gives the ways of the electrical fabric of the same NICs.
class AlphaZeroRoutesCase : public TestCase
{
  public:
    AlphaZeroRoutesCase()
        : TestCase("alpha 0")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedFabric a(Build<HybridTopology>(ClusterSpec(40), {{"OcsNics", "0"}}));
        const RoutedFabric b(Build<FatTreeTopology>(ClusterSpec(40)));
        for (uint32_t to = 1; to < 40; ++to)
        {
            for (const LoadBalance balance : {LoadBalance::IDEAL, LoadBalance::PER_FLOW})
            {
                const FluidRoute x = a.Resolve(a.Make(0, 0, to, 0, 8), balance, to);
                const FluidRoute y = b.Resolve(b.Make(0, 0, to, 0, 8), balance, to);
                NS_TEST_ASSERT_MSG_EQ(x.channels.size(), y.channels.size(), "to " << to);
                for (std::size_t i = 0; i < x.channels.size(); ++i)
                {
                    NS_TEST_ASSERT_MSG_EQ(x.channels[i].channel, y.channels[i].channel, to);
                    NS_TEST_ASSERT_MSG_EQ(x.channels[i].share, y.channels[i].share, to);
                }
            }
        }
    }
};

/// Field report 31: circuits without any switch; no way is said, not met by an abort.
class CircuitOnlyCase : public TestCase
{
  public:
    CircuitOnlyCase()
        : TestCase("circuits only")
    {
    }

  private:
    void DoRun() override
    {
        ServerSpec six;
        six.gpus = 6;
        const ClusterSpec cluster({{2, 1, six}, {1, 2, ServerSpec()}, {1, 3, ServerSpec()}});
        const RoutedFabric fabric(Build<CircuitPairTopology>(cluster));
        for (const TrafficClass c : {TrafficClass::DP, TrafficClass::EP})
        {
            const FluidRoute joined = fabric.Resolve(fabric.Make(0, 5, 1, 0, 1, c));
            NS_TEST_EXPECT_MSG_EQ(joined.reachable, true, "joined");
            NS_TEST_EXPECT_MSG_EQ(joined.channels.size(), 2, "one circuit");
            NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(2, 0, 3, 0, 8, c)).channels.size(),
                                  4,
                                  "two circuits: the third NIC has no counterpart");
            NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(0, 0, 2, 0, 1, c)).reachable,
                                  false,
                                  "not joined");
            NS_TEST_EXPECT_MSG_EQ(
                fabric.Lane(fabric.Make(0, 0, 2, 0, 1, c), LoadBalance::PER_FLOW, 0).size(),
                0,
                "not joined");
        }
    }
};

/// A ring of five servers with two circuits on one of its sides, hand-solved.
class MultiHopCase : public TestCase
{
  public:
    MultiHopCase()
        : TestCase("multi-hop on a ring")
    {
    }

  private:
    void DoRun() override
    {
        const RoutedFabric fabric(Build<TopoOptTopology>(ClusterSpec(6, 4)));
        FabricGraph& graph = *fabric.graph;
        Light(graph, 0, 0, 1, 0);
        Light(graph, 0, 1, 1, 1);
        Light(graph, 1, 2, 2, 0);
        Light(graph, 2, 1, 3, 0);
        Light(graph, 3, 1, 0, 2);
        // 0 to 2: over 1 (two circuits, then one) and over 3 (one, then one), half each.
        const FluidRoute route = fabric.Resolve(fabric.Make(0, 0, 2, 0));
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 0)), 0.25, "parallel circuit");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 1)), 0.25, "parallel circuit");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 1, 2)), 0.5, "over server 1");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 0, 2)), 0.5, "over server 3");
        NS_TEST_EXPECT_MSG_EQ(ShareOf(route, Out(graph, 3, 0)), 0.5, "over server 3");
        NS_TEST_EXPECT_MSG_EQ(route.pathShare[CIRCUIT], 1, "two circuits count once");
        NS_TEST_EXPECT_MSG_EQ(route.propagation, MicroSeconds(4), "four fibers");
        NS_TEST_EXPECT_MSG_EQ(route.storeAndForward, 1, "the relay");
        NS_TEST_EXPECT_MSG_LT(GetImbalance(graph, route, 0, 2), 1e-12, "law");
        NS_TEST_EXPECT_MSG_EQ(PortShare(route, 8, true) + PortShare(route, 24, true),
                              0,
                              "relays forward past their GPUs");
        for (const TrafficClass c : {TrafficClass::TP, TrafficClass::PP, TrafficClass::DP})
        {
            NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(0, 0, 2, 0, 1, c)).reachable,
                                  true,
                                  "for all classes");
        }
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(0, 0, 4, 0)).reachable, false, "alone");

        std::set<std::vector<uint32_t>> ways; // NICs of the legs
        for (uint64_t flow = 0; flow < 64; ++flow)
        {
            const auto lane =
                fabric.Lane(fabric.Make(0, flow % 2, 2, 0), LoadBalance::PER_FLOW, flow / 2);
            NS_TEST_ASSERT_MSG_EQ(lane.size(), 1, "one way");
            ways.insert({lane[0].legs[0].fromNic, lane[0].legs[1].fromNic});
        }
        NS_TEST_EXPECT_MSG_EQ(ways.size(), 3, "NICs 0 and 1 to server 1, NIC 2 to server 3");

        CircuitPaths paths;
        paths.Refresh(graph);
        std::vector<uint32_t> nics;
        paths.GetNextNics(ServerId(0), ServerId(2), nics);
        NS_TEST_EXPECT_MSG_EQ((nics == std::vector<uint32_t>{0, 1, 2}), true, "forwarding data");
        paths.GetNextNics(ServerId(0), ServerId(4), nics);
        NS_TEST_EXPECT_MSG_EQ(nics.empty(), true, "no way");

        // The hybrid fabric falls back on the EPS where circuits do not reach.
        const RoutedFabric hybrid(Build<HybridTopology>(ClusterSpec(16)));
        hybrid.router->SetPolicy(TrafficClass::EP, CreateObject<MultiHopPolicy>());
        Light(*hybrid.graph, 0, 1, 1, 1);
        Light(*hybrid.graph, 1, 2, 2, 2);
        NS_TEST_EXPECT_MSG_EQ(hybrid.Resolve(hybrid.Make(0, 0, 2, 0)).pathShare[CIRCUIT], 1, "2");
        NS_TEST_EXPECT_MSG_EQ(hybrid.Resolve(hybrid.Make(0, 0, 3, 0)).pathShare[PACKET], 1, "EPS");
    }
};

/// The suite.
class RoutingPolicyTestSuite : public TestSuite
{
  public:
    RoutingPolicyTestSuite()
        : TestSuite("mixnet-routing-policy", TestSuite::Type::UNIT)
    {
        AddTestCase(new DirectOrEpsCase);
        AddTestCase(new EpsNicCase);
        AddTestCase(new AlphaZeroRoutesCase);
        AddTestCase(new CircuitOnlyCase);
        AddTestCase(new MultiHopCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingPolicyTestSuite g_routingPolicyTestSuite; //!< registers the suite

} // namespace
