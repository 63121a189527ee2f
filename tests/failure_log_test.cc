/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the log says of failures that overlap, of ways that come back by other means, and what an
// injector leaves behind.

#include "failure_fixture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;
using testing::HasSubstr;

namespace
{

constexpr uint64_t BYTES = 64 << 20; //!< 1.4 ms at 400 Gb/s
const std::vector<Fidelity> BOTH = {Fidelity::FLOW, Fidelity::PACKET};

/// A star, and one message across it.
class Pair : public StarNetwork
{
  public:
    /// @param fidelity world @param nics per server
    Pair(Fidelity fidelity, uint32_t nics)
        : StarNetwork(fidelity, nics)
    {
        Send(Time(0), 0, 8, BYTES, TrafficClass::OTHER);
    }
};

} // namespace

// A NIC dies for good at 100 us; that it was slow for a while ends at 130 us, before anybody
// missed it at 150 us. The end of the one is not the end of the other.
TEST(FailureLog, AShorterFaultOfTheSameElementDoesNotEndTheLongerOne)
{
    for (const Fidelity fidelity : BOTH)
    {
        Pair net(fidelity, 2);
        net.Fail("t=100us nic 0/0 down\nt=110us nic 0/0 rate 100Gbps for 20us");
        net.Run();
        ASSERT_EQ(net.injector->GetLog().GetAll().size(), 3U);
        const FailureRecord& down = net.GetRecord(0);
        EXPECT_EQ(down.note, "");
        EXPECT_EQ(down.detected, MicroSeconds(150));
        EXPECT_EQ(down.recovered, MicroSeconds(150));
        EXPECT_EQ(down.moves, 1U);
        EXPECT_EQ(net.GetRecord(1).note, "over before anybody reacted");
        EXPECT_EQ(net.GetRecord(1).recovered, MicroSeconds(130));
    }
}

// The only NIC in use is missed at 150 us, and the other one is put into operation at 500 us: the
// message has a way from then on, though nothing was repaired.
TEST(FailureLog, RecoveryIsWhenTheLastTransferGotAWayHoweverItDid)
{
    for (const Fidelity fidelity : BOTH)
    {
        Pair net(fidelity, 2);
        const VertexId server = net.graph->GetVertex(ServerId(0));
        const std::vector<EdgeId> other{net.graph->GetEdge(server, 1)};
        const auto control = net.fabric->GetControl();
        control->SetEdges(other, EdgeCause::ADMINISTRATIVE, false);
        net.Fail("t=100us nic 0/0 down");
        Simulator::Schedule(MicroSeconds(500),
                            [&] { control->SetEdges(other, EdgeCause::ADMINISTRATIVE, true); });
        net.Run();
        ASSERT_EQ(net.ended, 1U);
        EXPECT_GT(net.ends[0].finished, MilliSeconds(1));
        EXPECT_EQ(net.GetRecord(0).reacted, MicroSeconds(150));
        EXPECT_EQ(net.GetRecord(0).recovered, MicroSeconds(500));
    }
}

// A job that gives a transfer up needs no way for it any more.
TEST(FailureLog, WhatIsAbortedNeedsNoWay)
{
    for (const Fidelity fidelity : BOTH)
    {
        Pair net(fidelity, 1);
        net.Fail("t=100us nic 0/0 down\nt=5ms nic 0/0 up");
        Simulator::Schedule(MicroSeconds(700), [&] {
            const auto transport = net.fabric->GetTransport();
            transport->Abort(transport->GetUnfinished().at(0).id);
        });
        net.Run();
        ASSERT_EQ(net.ends[0].status, TransferStatus::ABORTED);
        EXPECT_EQ(net.GetRecord(0).recovered, MicroSeconds(700));
    }
}

// A link that loses one packet in a hundred as it is (an imported topology, a loss budget): a fault
// adds to that, and its repair does not make it better than it was.
TEST(FailureNetwork, BitErrorsAddToThoseThatALinkIsBuiltWith)
{
    for (const char* script : {"", "t=0s nic 0/0 ber 1e-12", "t=0s nic 0/0 ber 1e-12 for 1ns"})
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::StarTopology");
        FailureNetwork net(Fidelity::PACKET, helper, ClusterSpec(2, 1));
        WorldConfig world;
        world.fidelity = Fidelity::PACKET;
        world.congestionType = "ns3::NoCongestionControl";
        world.linkErrors = {0.01, 0};
        helper.SetWorld(world);
        net.injector->Dispose();
        net.fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(2, 1)));
        net.fabric->AssignStreams(1);
        net.injector = CreateObject<FailureInjector>();
        net.injector->SetFabric(net.fabric->GetControl(), net.fabric->GetTransport());
        net.Fail(script);
        net.Send(MicroSeconds(1), 0, 8, BYTES / 16, TrafficClass::OTHER);
        net.Run();
        ASSERT_EQ(net.ended, 1U);
        EXPECT_GT(net.fabric->GetControl()->GetLosses().resent, ByteCount(0)) << script;
    }
}

// Detection, reaction, expiry and events in phases are still to come when the injector ends.
TEST(FailureInjector, NothingHappensAfterItsEnd)
{
    Pair net(Fidelity::FLOW, 2);
    net.Fail("t=100us nic 0/0 down for 1ms\nt=1ms nic 0/1 down\nt=0:start+300us nic 1/0 down");
    net.injector->SetAttribute("ReactionTime", TimeValue(MicroSeconds(100)));
    net.injector->Start();
    net.injector->OnPhase(0, JobPhase::START);
    Simulator::Schedule(MicroSeconds(160), [&] {
        net.injector->Dispose();
        net.injector = CreateObject<FailureInjector>(); // the fixture's last reference goes
    });
    Simulator::Run();
    for (const auto& [server, nic] : std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}, {1, 0}})
    {
        const EdgeId edge = net.graph->GetEdge(net.graph->GetVertex(ServerId(server)), nic);
        EXPECT_FALSE(net.graph->IsBroken(edge)) << server << "/" << nic;
    }
    const EdgeId dead = net.graph->GetEdge(net.graph->GetVertex(ServerId(0)), 0);
    EXPECT_TRUE(net.graph->IsBroken(dead)); // nobody is left to repair it
    EXPECT_FALSE(net.graph->HasCause(dead, EdgeCause::FAILURE));
}
