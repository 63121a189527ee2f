/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-test-case.h"

#include "ns3/double.h"
#include "ns3/hybrid-topology.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/simulator.h"
#include "ns3/split-policy.h"
#include "ns3/uinteger.h"

namespace
{

constexpr auto CIRCUIT = static_cast<std::size_t>(PathClass::CIRCUIT); //!< index
constexpr auto PACKET = static_cast<std::size_t>(PathClass::PACKET);   //!< index

/// @param graph a graph @param s server @param nic its NIC @return its edge
EdgeId
NicEdge(const FabricGraph& graph, uint32_t s, uint32_t nic)
{
    return graph.GetEdge(graph.GetVertex(ServerId(s)), nic);
}

/// @param graph a graph @param nic NIC of servers 0 and 1 @return the circuit that joins them
Circuit
MakeCircuit(const FabricGraph& graph, uint32_t nic)
{
    const EdgeId a = NicEdge(graph, 0, nic);
    const EdgeId b = NicEdge(graph, 1, nic);
    const VertexId ocs = graph.GetEndB(a);
    return {ocs, graph.GetPortAt(a, ocs), graph.GetPortAt(b, ocs)};
}

/**
 * @ingroup mixnet-test
 * Shares of the split: 8 lanes of a server with 2 NICs on the EPS (0 and 4) and c circuits, all of
 * one rate, split c : 2 w for EpsWeight w; one lane has one NIC on the EPS, so c : w.
 */
class SplitShareCase : public TestCase
{
  public:
    SplitShareCase()
        : TestCase("shares of a split")
    {
    }

  private:
    /// @param fabric the fabric @param lanes of the transfer @param circuit share expected
    /// @param when for messages
    void Check(const RoutedFabric& fabric, uint32_t lanes, double circuit, const std::string& when)
    {
        const FluidRoute route = fabric.Resolve(fabric.Make(0, 0, 1, 0, lanes));
        NS_TEST_EXPECT_MSG_EQ(route.reachable, true, when);
        NS_TEST_EXPECT_MSG_EQ_TOL(route.pathShare[CIRCUIT], circuit, 1e-12, when);
        NS_TEST_EXPECT_MSG_EQ_TOL(route.pathShare[PACKET], 1 - circuit, 1e-12, when);
        NS_TEST_EXPECT_MSG_LT(GetImbalance(*fabric.graph, route, 0, 1), 1e-12, when);
    }

    void DoRun() override
    {
        const RoutedFabric fabric(Build<HybridTopology>(ClusterSpec(16)));
        FabricGraph& graph = *fabric.graph;
        const Ptr<SplitPolicy> policy = CreateObject<SplitPolicy>();
        fabric.router->SetPolicy(TrafficClass::EP, policy);
        const Transfer transfer = fabric.Make(0, 0, 1, 0, 8);
        Check(fabric, 8, 0, "nothing lit");
        const uint64_t version = fabric.router->GetVersion(transfer);
        graph.ChangeMatching({MakeCircuit(graph, 1)}, {});
        NS_TEST_EXPECT_MSG_NE(fabric.router->GetVersion(transfer), version, "resolved anew");
        Check(fabric, 8, 1.0 / 3, "one circuit, two NICs");
        Check(fabric, 1, 1.0 / 2, "one circuit, one NIC");
        graph.ChangeMatching({MakeCircuit(graph, 2), MakeCircuit(graph, 3)}, {});
        Check(fabric, 8, 3.0 / 5, "three circuits, two NICs");
        const FluidRoute route = fabric.Resolve(transfer);
        for (const uint32_t nic : {0, 1, 2, 3, 4})
        {
            const ChannelId out = graph.GetEgress(graph.GetVertex(ServerId(0)), nic);
            NS_TEST_EXPECT_MSG_EQ_TOL(ShareOf(route, out), 0.2, 1e-12, "five NICs alike");
        }
        policy->SetAttribute("EpsWeight", DoubleValue(0.5));
        Check(fabric, 8, 3.0 / 4, "half a weight");
        policy->SetAttribute("EpsWeight", DoubleValue(0));
        Check(fabric, 8, 1, "no weight");
        policy->SetAttribute("EpsWeight", DoubleValue(1));
        graph.SetHeld({NicEdge(graph, 0, 1), NicEdge(graph, 1, 2)}, true);
        Check(fabric, 8, 1.0 / 3, "two held");
        graph.SetHeld({NicEdge(graph, 0, 1), NicEdge(graph, 1, 2)}, false);
        graph.SetEdges({NicEdge(graph, 1, 0), NicEdge(graph, 1, 4)}, EdgeCause::FAILURE, false);
        Check(fabric, 8, 1, "no EPS at the destination");

        CheckFlows(fabric);
        CheckText();
    }

    /// A policy named with attributes, and mistakes in it.
    void CheckText()
    {
        const auto refusal = [](const std::string& text) -> std::string {
            const auto router = CreateObject<FabricRouter>();
            router->SetAttribute("EpPolicy", StringValue(text));
            try
            {
                router->SetGraph(Build<HybridTopology>(ClusterSpec(2)));
            }
            catch (const InputError& e)
            {
                return e.what();
            }
            DoubleValue weight;
            router->GetPolicy(TrafficClass::EP)->GetAttribute("EpsWeight", weight);
            return std::to_string(weight.Get());
        };
        NS_TEST_EXPECT_MSG_EQ(refusal("ns3::SplitPolicy[EpsWeight=0.5]"), "0.500000", "weight");
        NS_TEST_EXPECT_MSG_EQ(refusal("ns3::SplitPolicy"), "1.000000", "default");
        for (const std::string text :
             {"ns3::SplitPolicy[EpsWeight=-1]", "ns3::SplitPolicy[Weight=1]", "ns3::NoPolicy"})
        {
            NS_TEST_EXPECT_MSG_NE(refusal(text).find("' is no "), std::string::npos, text);
        }
    }

    /// By flow: lane g takes circuit g mod c, and one NIC. @param fabric three circuits lit
    void CheckFlows(const RoutedFabric& fabric)
    {
        fabric.graph->SetEdges({NicEdge(*fabric.graph, 1, 0), NicEdge(*fabric.graph, 1, 4)},
                               EdgeCause::FAILURE,
                               true);
        for (uint32_t gpu = 0; gpu < 8; ++gpu)
        {
            const auto ways = fabric.Lane(fabric.Make(0, gpu, 1, gpu), LoadBalance::PER_FLOW, gpu);
            NS_TEST_ASSERT_MSG_EQ(ways.size(), 2, "one circuit and the EPS");
            NS_TEST_EXPECT_MSG_EQ(ways[0].share + ways[1].share, 1, "all of it");
            NS_TEST_EXPECT_MSG_EQ(ways[0].share, 0.5, "one lane: one NIC each");
            NS_TEST_EXPECT_MSG_EQ(ways[1].legs[0].fromNic, 1 + gpu % 3, "g mod c");
        }
        const FluidRoute route =
            fabric.Resolve(fabric.Make(0, 0, 1, 0, 8), LoadBalance::PER_FLOW, 7);
        NS_TEST_EXPECT_MSG_EQ_TOL(route.pathShare[CIRCUIT], 0.6, 1e-12, "three of five");
        const auto share = [&](uint32_t nic) {
            return ShareOf(route, fabric.graph->GetEgress(VertexOf(fabric), nic));
        };
        // lanes 0, 3, 6 and 1, 4, 7 and 2, 5, each 1/8 of the bytes
        NS_TEST_EXPECT_MSG_EQ_TOL(share(1), 0.6 * 3 / 8, 1e-12, "three lanes");
        NS_TEST_EXPECT_MSG_EQ_TOL(share(2), 0.6 * 3 / 8, 1e-12, "three lanes");
        NS_TEST_EXPECT_MSG_EQ_TOL(share(3), 0.6 * 2 / 8, 1e-12, "two lanes");
    }

    /// @param fabric a fabric @return vertex of server 0
    static VertexId VertexOf(const RoutedFabric& fabric)
    {
        return fabric.graph->GetVertex(ServerId(0));
    }
};

/// Keeps what completes.
struct Completions : public TransferSink
{
    void OnCompletion(const Completion& completion) override
    {
        done.push_back(completion);
    }

    std::vector<Completion> done; //!< in order
};

/**
 * @ingroup mixnet-test
 * The split in a world of its own choice: c = 3 circuits and 2 NICs, 8 lanes, n bytes. Over the
 * circuits alone they take n / 3R, split n / 5R, plus microseconds of delay. Bytes by path are n
 * 3/5 and n 2/5 and sum to n.
 */
class SplitWorldCase : public TestCase
{
  public:
    /// @param fidelity world @param name of it
    SplitWorldCase(Fidelity fidelity, const std::string& name)
        : TestCase("split in the world " + name),
          m_fidelity(fidelity)
    {
    }

  private:
    /// @param policy of EP traffic @param tear take the circuits away at half time
    /// @return what completed
    Completion Send(const std::string& policy, bool tear)
    {
        Completions sink;
        {
            MixnetFabricHelper helper;
            helper.SetTopology("ns3::HybridTopology");
            helper.SetTopologyAttribute("OcsNics", UintegerValue(6));
            helper.SetRouterAttribute("EpPolicy", StringValue(policy));
            WorldConfig world;
            world.fidelity = m_fidelity;
            world.loadBalance = "ideal";
            helper.SetWorld(world);
            MixnetFabric fabric = helper.Install(ClusterSpec(2));
            const auto& graph = *fabric.GetGraph();
            const std::vector<Circuit> circuits{MakeCircuit(graph, 1),
                                                MakeCircuit(graph, 2),
                                                MakeCircuit(graph, 3)};
            fabric.GetControl()->Connect(circuits, {});
            Transfer transfer;
            transfer.source = GpuId(0);
            transfer.destination = GpuId(8);
            transfer.bytes = ByteCount(BYTES);
            transfer.lanes = 8;
            transfer.trafficClass = TrafficClass::EP;
            fabric.GetTransport()->Send({transfer}, sink);
            if (tear)
            {
                Simulator::Schedule(MicroSeconds(40),
                                    [&] { fabric.GetControl()->Connect({}, circuits); });
            }
            Simulator::Run();
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(sink.done.size(), 1, "delivered");
        return sink.done.empty() ? Completion() : sink.done.front();
    }

    void DoRun() override
    {
        const auto on = [](const Completion& c, std::size_t path) {
            return c.bytesByPath[path].Get();
        };
        const Completion direct = Send("ns3::DirectOrEpsPolicy", false);
        const Completion split = Send("ns3::SplitPolicy", false);
        NS_TEST_EXPECT_MSG_EQ(on(direct, CIRCUIT), BYTES, "circuits alone");
        NS_TEST_EXPECT_MSG_EQ_TOL(on(split, CIRCUIT), BYTES * 3 / 5, 16, "three fifths");
        NS_TEST_EXPECT_MSG_EQ(on(split, CIRCUIT) + on(split, PACKET), BYTES, "sum");
        // n / 5R at 400 Gb/s is 100 us for 25 MB, n / 3R is 167 us; headers are 2 % of a packet
        const double ratio = (split.finished - split.posted).GetSeconds() /
                             (direct.finished - direct.posted).GetSeconds();
        NS_TEST_EXPECT_MSG_EQ_TOL(ratio, 0.6, 0.05, "both end together");

        const Completion torn = Send("ns3::SplitPolicy", true);
        NS_TEST_EXPECT_MSG_EQ(on(torn, CIRCUIT) + on(torn, PACKET), BYTES, "sum");
        NS_TEST_EXPECT_MSG_GT(on(torn, CIRCUIT), BYTES / 5, "40 us of light");
        NS_TEST_EXPECT_MSG_LT(on(torn, CIRCUIT), BYTES / 3, "40 us of light");
    }

    static constexpr uint64_t BYTES = 25000000; //!< payload
    Fidelity m_fidelity;                        //!< world
};

/// @ingroup mixnet-test
class RoutingSplitTestSuite : public TestSuite
{
  public:
    RoutingSplitTestSuite()
        : TestSuite("mixnet-routing-split", TestSuite::Type::UNIT)
    {
        AddTestCase(new SplitShareCase());
        AddTestCase(new SplitWorldCase(Fidelity::FLOW, "flow"));
        AddTestCase(new SplitWorldCase(Fidelity::PACKET, "packet"));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingSplitTestSuite g_routingSplitTestSuite; //!< the suite

} // namespace
