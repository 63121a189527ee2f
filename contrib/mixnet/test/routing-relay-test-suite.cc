/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "routing-ip-test-case.h"
#include "routing-test-case.h"

#include "ns3/boolean.h"
#include "ns3/hybrid-topology.h"
#include "ns3/relay-policy.h"

namespace
{

constexpr auto CIRCUIT = static_cast<std::size_t>(PathClass::CIRCUIT); //!< index
constexpr auto PACKET = static_cast<std::size_t>(PathClass::PACKET);   //!< index

/**
 * @ingroup mixnet-test
 * Ways of the fluid world: server 0 has circuits to 2 and 3 and sends to 1. Each byte crosses one
 * circuit and the EPS, half by each relay: two fibers (1 us each) and one serialization more than
 * from the relay over the EPS alone.
 */
class RelayRouteCase : public TestCase
{
  public:
    RelayRouteCase()
        : TestCase("routes through relays")
    {
    }

  private:
    /// Light NIC `nic` of two servers. @param graph the graph @param peer server @param nic its NIC
    /// @param from the other server
    static void Light(FabricGraph& graph, uint32_t peer, uint32_t nic, uint32_t from = 0)
    {
        const EdgeId a = graph.GetEdge(graph.GetVertex(ServerId(std::min(from, peer))), nic);
        const EdgeId b = graph.GetEdge(graph.GetVertex(ServerId(std::max(from, peer))), nic);
        const VertexId ocs = graph.GetEndB(a);
        graph.ChangeMatching({{ocs, graph.GetPortAt(a, ocs), graph.GetPortAt(b, ocs)}}, {});
    }

    /// @param fabric the fabric @param circuit share expected on circuits @param packet and on the
    /// EPS @param when for messages @return the route
    FluidRoute Check(const RoutedFabric& fabric,
                     double circuit,
                     double packet,
                     const std::string& when)
    {
        const FluidRoute route = fabric.Resolve(fabric.Make(0, 0, 1, 0, 8));
        NS_TEST_EXPECT_MSG_EQ(route.reachable, true, when);
        NS_TEST_EXPECT_MSG_EQ_TOL(route.pathShare[CIRCUIT], circuit, 1e-12, when);
        NS_TEST_EXPECT_MSG_EQ_TOL(route.pathShare[PACKET], packet, 1e-12, when);
        NS_TEST_EXPECT_MSG_LT(GetImbalance(*fabric.graph, route, 0, 1), 1e-12, when);
        return route;
    }

    void DoRun() override
    {
        const RoutedFabric fabric(Build<HybridTopology>(ClusterSpec(16)));
        FabricGraph& graph = *fabric.graph;
        const auto policy = CreateObject<RelayPolicy>();
        fabric.router->SetPolicy(TrafficClass::EP, policy);
        Check(fabric, 0, 1, "no circuit");
        const uint64_t version = fabric.router->GetVersion(fabric.Make(0, 0, 1, 0, 8));
        Light(graph, 2, 1);
        Light(graph, 3, 2);
        NS_TEST_EXPECT_MSG_NE(fabric.router->GetVersion(fabric.Make(0, 0, 1, 0, 8)),
                              version,
                              "resolved anew");
        const FluidRoute relayed = Check(fabric, 1, 1, "two relays");
        // DP keeps to the EPS
        const FluidRoute a = fabric.Resolve(fabric.Make(2, 0, 1, 0, 8, TrafficClass::DP));
        const FluidRoute b = fabric.Resolve(fabric.Make(3, 0, 1, 0, 8, TrafficClass::DP));
        NS_TEST_EXPECT_MSG_EQ(relayed.propagation,
                              Max(a.propagation, b.propagation) + MicroSeconds(2),
                              "fibers");
        NS_TEST_EXPECT_MSG_EQ(relayed.storeAndForward,
                              std::max(a.storeAndForward, b.storeAndForward) + 1,
                              "at the relay");
        const VertexId source = graph.GetVertex(ServerId(0));
        for (const uint32_t nic : {1, 2})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(ShareOf(relayed, graph.GetEgress(source, nic)),
                                      0.5,
                                      1e-12,
                                      "evenly");
        }
        const VertexId relay = graph.GetVertex(ServerId(2));
        const std::vector<EdgeId> nics{graph.GetEdge(relay, 0), graph.GetEdge(relay, 4)};
        graph.SetEdges(nics, EdgeCause::FAILURE, false);
        const FluidRoute one = Check(fabric, 1, 1, "a relay without EPS");
        NS_TEST_EXPECT_MSG_EQ_TOL(ShareOf(one, graph.GetEgress(source, 2)), 1, 1e-12, "other one");
        graph.SetEdges(nics, EdgeCause::FAILURE, true);
        graph.SetHeld({graph.GetEdge(source, 1), graph.GetEdge(source, 2)}, true);
        Check(fabric, 0, 1, "held circuits");
        graph.SetHeld({graph.GetEdge(source, 1), graph.GetEdge(source, 2)}, false);
        CheckOnward(fabric, *policy);
        Light(graph, 1, 3);
        Check(fabric, 1, 0, "a circuit of the pair");
    }

    /// Circuits 0-2 and 0-3, and two more 2-1: what each kind of relay does with them.
    /// @param fabric the fabric @param policy of EP
    void CheckOnward(const RoutedFabric& fabric, RelayPolicy& policy)
    {
        FabricGraph& graph = *fabric.graph;
        const VertexId source = graph.GetVertex(ServerId(0));
        const auto on = [&](const FluidRoute& route, uint32_t server, uint32_t nic) {
            return ShareOf(route, graph.GetEgress(graph.GetVertex(ServerId(server)), nic));
        };
        policy.SetAttribute("Onward", StringValue("circuit"));
        Check(fabric, 0, 1, "no second circuit: the EPS");
        Light(graph, 1, 5, 2);
        Light(graph, 1, 6, 2);
        const FluidRoute two = Check(fabric, 1, 0, "two circuits");
        NS_TEST_EXPECT_MSG_EQ_TOL(on(two, 0, 1), 1, 1e-12, "by server 2 only");
        NS_TEST_EXPECT_MSG_EQ_TOL(on(two, 2, 5), 0.5, 1e-12, "parallel ones");
        NS_TEST_EXPECT_MSG_EQ_TOL(on(two, 2, 6), 0.5, 1e-12, "parallel ones");
        NS_TEST_EXPECT_MSG_EQ(two.propagation, MicroSeconds(4), "four fibers");
        policy.SetAttribute("Onward", StringValue("either"));
        const FluidRoute either = Check(fabric, 1, 0.5, "one relay each");
        NS_TEST_EXPECT_MSG_EQ_TOL(on(either, 2, 5), 0.25, 1e-12, "second circuit");
        NS_TEST_EXPECT_MSG_EQ_TOL(on(either, 0, 2), 0.5, 1e-12, "relay over the EPS");
        // without packet NICs of the source there are no answers to what a relay sends by its own
        const std::vector<EdgeId> nics{graph.GetEdge(source, 0), graph.GetEdge(source, 4)};
        graph.SetEdges(nics, EdgeCause::FAILURE, false);
        Check(fabric, 1, 0, "a way around failed packet NICs");
        policy.SetAttribute("Onward", StringValue("eps"));
        Check(fabric, 1, 1, "the detour of every policy");
        policy.SetAttribute("Detour", BooleanValue(false));
        graph.SetHeld({graph.GetEdge(source, 0)}, true); // anything, to ask again
        graph.SetHeld({graph.GetEdge(source, 0)}, false);
        NS_TEST_EXPECT_MSG_EQ(fabric.Resolve(fabric.Make(0, 0, 1, 0, 8)).reachable, false, "none");
        graph.SetEdges(nics, EdgeCause::FAILURE, true);
        Check(fabric, 1, 1, "the EPS behind the circuit, although there is a second one");
    }
};

/**
 * @ingroup mixnet-test
 * Packets: fiber, relay, cable, switch, cable: three serializations, two delays of fibers and two
 * of cables, to the tick. Data pass the relay, answers do not. When the circuit goes dark in the
 * middle the message goes on over the EPS, each byte delivered once: all bytes cross the EPS in the
 * end, those before the dark a circuit, too.
 */
class RelayPacketCase : public RdmaTransportCase
{
  public:
    RelayPacketCase()
        : RdmaTransportCase("circuit, relay, packet fabric")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 1);
        BuildDoors();
        m_router->SetPolicy(TrafficClass::EP, CreateObject<RelayPolicy>());
        const Circuit circuit = Join(0, 0, 1, 0);
        m_control->Connect({circuit}, {});
        const uint64_t packets = 256;
        const uint64_t bytes = packets * 4096;
        Send(Make(Gpu(0, 1), Gpu(2, 0), bytes));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished,
                              Ideal(bytes, 3, 2 * FIBER + 2 * CABLE),
                              "idle time");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "circuit");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), bytes, "EPS");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetCounters().relayed, packets, "data only");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetPort(0).GetCounters().txFrames, 0, "own EPS NIC is free");
        NS_TEST_EXPECT_MSG_GT(Nic(0).GetPort(0).GetCounters().rxFrames, 0, "answers come there");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing sent again");
        CheckEmpty();

        m_done.clear();
        Send(Make(Gpu(0, 1), Gpu(2, 0), bytes));
        Simulator::Schedule(MicroSeconds(40),
                            [this, circuit] { m_control->Connect({}, {circuit}); });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), bytes, "all over the EPS");
        NS_TEST_EXPECT_MSG_GT(On(m_done[0], PathClass::CIRCUIT), bytes / 4, "40 of 86 us");
        NS_TEST_EXPECT_MSG_LT(On(m_done[0], PathClass::CIRCUIT), bytes / 2, "40 of 86 us");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Packets over two circuits through a peer: two serializations, four fibers, data and answers
 * relayed. When the second circuit goes dark in the middle, the rest takes the EPS; with relays of
 * either kind, the relay's EPS.
 */
class RelayTwoCircuitsCase : public RdmaTransportCase
{
  public:
    /// @param onward kind of relay
    explicit RelayTwoCircuitsCase(const std::string& onward)
        : RdmaTransportCase("circuit, relay, circuit: " + onward),
          m_onward(onward)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 2);
        BuildDoors();
        const auto policy = CreateObject<RelayPolicy>();
        policy->SetAttribute("Onward", StringValue(m_onward));
        m_router->SetPolicy(TrafficClass::EP, policy);
        const Circuit second = Join(1, 1, 2, 0);
        m_control->Connect({Join(0, 0, 1, 0), second}, {});
        const uint64_t packets = 256;
        const uint64_t bytes = packets * 4096;
        Send(Make(Gpu(0, 1), Gpu(2, 1), bytes));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, Ideal(bytes, 2, 4 * FIBER), "idle time");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "circuits");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), 0, "no EPS");
        NS_TEST_EXPECT_MSG_GT(Nic(1).GetCounters().relayed, packets, "data and answers");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing sent again");
        CheckEmpty();

        m_done.clear();
        Send(Make(Gpu(0, 1), Gpu(2, 1), bytes));
        Simulator::Schedule(MicroSeconds(40), [this, second] { m_control->Connect({}, {second}); });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        const uint64_t packet = On(m_done[0], PathClass::PACKET);
        const uint64_t circuit = On(m_done[0], PathClass::CIRCUIT);
        NS_TEST_EXPECT_MSG_GT(packet, bytes / 2, "from 40 of 86 us on");
        NS_TEST_EXPECT_MSG_LT(packet, bytes * 3 / 4, "from 40 of 86 us on");
        // "either": the rest crosses the first circuit, too
        const uint64_t expected = m_onward == "either" ? bytes : bytes - packet;
        NS_TEST_EXPECT_MSG_EQ(circuit, expected, "once");
        CheckEmpty();
    }

    std::string m_onward; //!< attribute
};

/**
 * @ingroup mixnet-test
 * Sockets over two circuits through a peer.
 */
class RelayTwoCircuitsSocketCase : public SocketCase
{
  public:
    RelayTwoCircuitsSocketCase()
        : SocketCase("stream over two circuits")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 2);
        BuildDoors();
        const auto policy = CreateObject<RelayPolicy>();
        policy->SetAttribute("Onward", StringValue("circuit"));
        m_router->SetPolicy(TrafficClass::OTHER, policy);
        InstallSockets();
        m_control->Connect({Join(0, 0, 1, 0), Join(1, 1, 2, 0)}, {});
        Stream(2, 100);
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 100 * SEGMENT, "received");
        NS_TEST_EXPECT_MSG_EQ(CountAll(0, 1), 100 * SEGMENT, "first circuit");
        NS_TEST_EXPECT_MSG_EQ(CountAll(1, 2), 100 * SEGMENT, "second circuit");
        NS_TEST_EXPECT_MSG_EQ(CountAll(1, 0) + CountAll(0, 0), 0, "no EPS");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
    }
};

/**
 * @ingroup mixnet-test
 * Sockets under the same policy: the relay forwards into the EPS, not back over its circuit.
 */
class RelaySocketCase : public SocketCase
{
  public:
    RelaySocketCase()
        : SocketCase("stream through a relay")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 1);
        BuildDoors();
        m_router->SetPolicy(TrafficClass::OTHER, CreateObject<RelayPolicy>());
        InstallSockets();
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        Stream(2, 100);
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 100 * SEGMENT, "received");
        NS_TEST_EXPECT_MSG_EQ(CountAll(0, 1), 100 * SEGMENT, "circuit");
        NS_TEST_EXPECT_MSG_EQ(CountAll(1, 0), 100 * SEGMENT, "EPS of the relay");
        NS_TEST_EXPECT_MSG_EQ(m_logs[0][0].entries.size(), 0, "not its own");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
    }
};

/// @ingroup mixnet-test
class RoutingRelayTestSuite : public TestSuite
{
  public:
    RoutingRelayTestSuite()
        : TestSuite("mixnet-routing-relay", TestSuite::Type::UNIT)
    {
        AddTestCase(new RelayRouteCase());
        AddTestCase(new RelayPacketCase());
        AddTestCase(new RelaySocketCase());
        AddTestCase(new RelayTwoCircuitsCase("circuit"));
        AddTestCase(new RelayTwoCircuitsCase("either"));
        AddTestCase(new RelayTwoCircuitsSocketCase());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingRelayTestSuite g_routingRelayTestSuite; //!< the suite

} // namespace
