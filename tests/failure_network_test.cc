/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// One failure at a time, in both worlds. Oracle: the time without failure plus what a failure must
// cost, worked out in each case.

#include "failure_fixture.h"

#include "ns3/mixnet-error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace ns3;
using testing::HasSubstr;
using testing::ThrowsMessage;

namespace
{

constexpr uint64_t BYTES = 64 << 20; //!< 1.4 ms at 400 Gb/s
const std::vector<Fidelity> BOTH = {Fidelity::FLOW, Fidelity::PACKET};

/// A star, one message from GPU 0 to GPU 8, and failures.
class Star : public StarNetwork
{
  public:
    /// @param fidelity world @param nics per server @param script failures
    Star(Fidelity fidelity, uint32_t nics, const std::string& script)
        : StarNetwork(fidelity, nics)
    {
        Fail(script);
        Send(Time(0), 0, 8, BYTES, TrafficClass::OTHER);
        Run();
    }

    /// @return when the message has arrived
    Time GetEnd() const
    {
        EXPECT_EQ(times[0], 1U);
        EXPECT_EQ(ends[0].status, TransferStatus::DELIVERED);
        return ends[0].finished;
    }
};

/// @param fidelity world @param nics per server @return time of the message without failures
Time
Undisturbed(Fidelity fidelity, uint32_t nics)
{
    return Star(fidelity, nics, "").GetEnd();
}

} // namespace

// The message stands still from the failure until the repair is known, 50 us after it. Packets that
// were lost are sent again at once: less than a round trip and what the switch held.
TEST(FailureNetwork, AMessageStandsStillUntilTheRepairIsKnown)
{
    for (const Fidelity fidelity : BOTH)
    {
        const Time alone = Undisturbed(fidelity, 1);
        const Star star(fidelity, 1, "t=100us nic 1/0 down\nt=300us nic 1/0 up");
        const Time cost = star.GetEnd() - alone;
        EXPECT_GE(cost, MicroSeconds(250) - PicoSeconds(1));
        EXPECT_LE(cost,
                  fidelity == Fidelity::FLOW ? MicroSeconds(250) + PicoSeconds(1)
                                             : MicroSeconds(260));
        const FailureRecord& down = star.GetRecord(0);
        EXPECT_EQ(*down.detected, MicroSeconds(150));
        EXPECT_EQ(*down.reacted, MicroSeconds(150));
        EXPECT_EQ(*star.GetRecord(1).detected, MicroSeconds(350));
        EXPECT_EQ(*down.recovered, MicroSeconds(350));
        EXPECT_EQ(star.injector->GetLog().CountOver(MicroSeconds(250)), 0U);
        EXPECT_EQ(star.injector->GetLog().CountOver(MicroSeconds(249)), 1U);
        EXPECT_EQ(down.framesLost > 0, fidelity == Fidelity::PACKET);
    }
}

// Nobody knows: the fluid message loses the 20 us, the packets that were lost cost a timeout
// (16.8 ms) because their sender has nothing else to go by.
TEST(FailureNetwork, WhatIsOverBeforeItIsNoticedLeavesOnlyWhatWasLost)
{
    for (const Fidelity fidelity : BOTH)
    {
        const Time alone = Undisturbed(fidelity, 1);
        const Star star(fidelity, 1, "t=100us nic 1/0 down for 20us");
        const Time cost = star.GetEnd() - alone;
        EXPECT_GE(cost, MicroSeconds(20) - PicoSeconds(1));
        EXPECT_LE(cost,
                  fidelity == Fidelity::FLOW ? MicroSeconds(20) + PicoSeconds(1)
                                             : MicroSeconds(16900));
        EXPECT_FALSE(star.GetRecord(0).reacted);
        EXPECT_EQ(star.GetRecord(0).note, "over before anybody reacted");
    }
}

// One NIC lost: the other carries on as soon as that is known, 50 us later.
TEST(FailureNetwork, TheOtherNicCarries)
{
    for (const Fidelity fidelity : BOTH)
    {
        const Time alone = Undisturbed(fidelity, 2);
        const Star star(fidelity, 2, "t=100us nic 0/0 down");
        const Time cost = star.GetEnd() - alone;
        EXPECT_GE(cost, MicroSeconds(50) - PicoSeconds(1));
        EXPECT_LE(cost,
                  fidelity == Fidelity::FLOW ? MicroSeconds(50) + PicoSeconds(1)
                                             : MicroSeconds(60));
        EXPECT_EQ(star.GetRecord(0).moves, 1U);
        EXPECT_GT(star.GetRecord(0).moved, ByteCount(BYTES / 2));
        const VertexId server = star.graph->GetVertex(ServerId(0));
        EXPECT_GT(star.fabric->GetWorld().GetWireBytes(star.graph->GetEgress(server, 1)),
                  BYTES / 2);
    }
}

// A quarter of the rate from 100 us on: of the 64 MiB what is left then takes four times as long.
TEST(FailureNetwork, ALinkThatGetsSlowerCarriesLess)
{
    for (const Fidelity fidelity : BOTH)
    {
        const double alone = Undisturbed(fidelity, 1).GetSeconds();
        const double slow = Star(fidelity, 1, "t=100us nic 1/0 rate 100Gbps").GetEnd().GetSeconds();
        EXPECT_NEAR(slow, 100e-6 + (alone - 100e-6) * 4, 10e-6);
        const Star back(fidelity, 1, "t=100us nic 1/0 rate 100Gbps\nt=500us nic 1/0 up");
        EXPECT_NEAR(back.GetEnd().GetSeconds(), alone + 300e-6, 10e-6);
    }
}

TEST(FailureNetwork, BitErrorsCostPacketsAndAreRefusedWithoutPackets)
{
    EXPECT_THAT([] { Star(Fidelity::FLOW, 1, "t=1us nic 1/0 ber 1e-6"); },
                ThrowsMessage<InputError>(AllOf(HasSubstr("script:1"), HasSubstr("packet"))));
    const Time alone = Undisturbed(Fidelity::PACKET, 1);
    // 4,178 B x 8 x 1e-7: one packet in 300 of 16,384
    const Star star(Fidelity::PACKET, 1, "t=0us nic 1/0 ber 1e-7\nt=1ms nic 1/0 up");
    EXPECT_GT(star.GetRecord(0).resent, ByteCount(0));
    EXPECT_EQ(star.GetBytes(0, PathClass::PACKET), BYTES);
    EXPECT_GT(star.GetEnd(), alone);
}

// The only switch dies: the message waits, is listed, and nothing hangs (astra-sim 299, SimAI 59).
TEST(FailureNetwork, WithoutAWayTheRunEndsAndTheMessageIsListed)
{
    for (const Fidelity fidelity : BOTH)
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::StarTopology");
        FailureNetwork net(fidelity, helper, ClusterSpec(2, 1));
        net.Fail("t=100us switch 0 down\nt=200us nic 0/0 down");
        net.Send(Time(0), 0, 8, BYTES, TrafficClass::OTHER);
        net.Run();
        EXPECT_EQ(net.ended, 0U);
        ASSERT_EQ(net.fabric->GetTransport()->GetUnfinished().size(), 1U);
        EXPECT_TRUE(net.GetRecord(1).noop);
        EXPECT_FALSE(net.GetRecord(0).recovered);
        EXPECT_LT(Simulator::Now(), Seconds(10));
        net.fabric->GetTransport()->GetTotals(); // checks the law
    }
}

namespace
{

/// Six servers with four NICs: two on the packet fabric, two on the OCS of their region, lit
/// evenly.
class Hybrid : public FailureNetwork
{
  public:
    /// @param fidelity world @param script failures; EPS0/S and EPS1/S stand for EPS NICs of server
    /// S
    Hybrid(Fidelity fidelity, const std::string& script)
        : Hybrid(fidelity, script, MixnetFabricHelper())
    {
    }

  private:
    Hybrid(Fidelity fidelity, std::string script, MixnetFabricHelper helper)
        : FailureNetwork(fidelity, Shape(helper), ClusterSpec(6, 4))
    {
        Light("ns3::NeverReconfigurationPolicy");
        for (uint32_t s = 0; s < 6; ++s)
        {
            for (uint32_t n = 0; n < 2; ++n)
            {
                const std::string word = "EPS" + std::to_string(n) + "/" + std::to_string(s);
                for (std::size_t at; (at = script.find(word)) != std::string::npos;)
                {
                    const uint32_t nic = graph->GetNics(ServerId(s), EdgeKind::PACKET)[n];
                    script.replace(at, word.size(), std::to_string(s) + "/" + std::to_string(nic));
                }
            }
        }
        Fail(script);
    }

    static MixnetFabricHelper& Shape(MixnetFabricHelper& helper)
    {
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(2));
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(6));
        return helper;
    }
};

} // namespace

// All EPS NICs of a server lost: its traffic crosses a circuit to a peer with EPS NICs, which
// relays, and likewise towards such a server; byte-exact. With two ports each the four servers are
// a ring of circuits, so some pairs are joined by a circuit and need no packet fabric.
TEST(FailureNetwork, WithoutEpsNicsAPeerRelaysEveryByte)
{
    for (const Fidelity fidelity : BOTH)
    {
        for (const std::string lost : {"0", "3", "03"})
        {
            std::string script;
            for (const char s : lost)
            {
                script +=
                    std::string("t=0us nic EPS0/") + s + " down\nt=0us nic EPS1/" + s + " down\n";
            }
            Hybrid net(fidelity, script);
            const Time known = MilliSeconds(11);
            for (uint32_t other = 1; other < 6; ++other)
            {
                net.Send(known, 0, 8 * other, 1000001, TrafficClass::DP);
                net.Send(known, 8 * other, 0, 1000001, TrafficClass::DP);
                net.Send(known, 8 * other + 3, 5, 1000001, TrafficClass::PP);
            }
            net.Run();
            EXPECT_EQ(net.ended, net.sent);
            uint32_t relayed = 0;
            uint32_t between = 0; // over a circuit, the packet fabric and a circuit
            for (std::size_t i = 0; i < net.sent; ++i)
            {
                ASSERT_EQ(net.ends[i].status, TransferStatus::DELIVERED);
                const uint32_t from = net.ends[i].source.Get() / 8;
                const uint32_t to = net.ends[i].destination.Get() / 8;
                const bool leaves = lost.find(static_cast<char>('0' + from)) != std::string::npos;
                const bool arrives = lost.find(static_cast<char>('0' + to)) != std::string::npos;
                const bool stranded = leaves || arrives;
                const uint64_t circuit = net.GetBytes(i, PathClass::CIRCUIT);
                const uint64_t packet = net.GetBytes(i, PathClass::PACKET);
                EXPECT_EQ(circuit, stranded ? 1000001U : 0U) << from << " to " << to;
                // two stranded servers may share a relay, which then needs no packet fabric
                EXPECT_TRUE(packet == 1000001U || (stranded && packet == 0) ||
                            (leaves && arrives && packet < 1000001U))
                    << packet;
                between += leaves && arrives && packet > 0 ? 1 : 0;
                relayed += circuit > 0 && packet > 0 ? 1 : 0;
            }
            EXPECT_GT(relayed, 0U);
            EXPECT_EQ(between > 0, lost.size() == 2);
        }
    }
}

// The same in mid-message: what was under way when the second NIC died goes on over the relay.
TEST(FailureNetwork, AMessageInProgressMovesToTheRelay)
{
    for (const Fidelity fidelity : BOTH)
    {
        Hybrid net(fidelity, "t=100us nic EPS0/0 down\nt=100us nic EPS1/0 down");
        for (uint32_t other = 1; other < 6; ++other)
        {
            net.Send(Time(0), 0, 8 * other, BYTES, TrafficClass::DP);
        }
        net.Run();
        uint32_t relayed = 0;
        for (std::size_t i = 0; i < net.sent; ++i)
        {
            ASSERT_EQ(net.times[i], 1U);
            ASSERT_EQ(net.ends[i].status, TransferStatus::DELIVERED);
            const uint64_t circuit = net.GetBytes(i, PathClass::CIRCUIT);
            const uint64_t packet = net.GetBytes(i, PathClass::PACKET);
            EXPECT_GE(circuit + packet, BYTES);
            EXPECT_GT(circuit, BYTES / 2);
            relayed += packet == BYTES ? 1 : 0;
        }
        EXPECT_EQ(relayed, 3U); // two peers are joined by circuits, three need a relay
        EXPECT_EQ(net.injector->GetLog().CountOver(MilliSeconds(50)), 0U);
    }
}

// An OCS unit lost: EP traffic falls back to the EPS, and returns to the circuits with new
// messages.
TEST(FailureNetwork, WithoutTheOcsTheRegionFallsBackToTheEps)
{
    for (const Fidelity fidelity : BOTH)
    {
        Hybrid net(fidelity, "t=100us ocs 0 down\nt=20ms ocs 0 up");
        const auto peer =
            net.graph->GetLitPeer(ServerId(0), net.graph->GetNics(ServerId(0), EdgeKind::FIBER)[0]);
        ASSERT_TRUE(peer);
        const uint32_t to = 8 * peer->first.Get();
        net.Send(Time(0), 0, to, BYTES, TrafficClass::EP);
        net.Send(MilliSeconds(1), 0, to, 1000, TrafficClass::EP);
        net.Send(MilliSeconds(21), 0, to, 1000, TrafficClass::EP);
        net.Run();
        ASSERT_EQ(net.ended, 3U);
        EXPECT_EQ(net.GetBytes(0, PathClass::CIRCUIT) + net.GetBytes(0, PathClass::PACKET), BYTES);
        EXPECT_GT(net.GetBytes(0, PathClass::PACKET), BYTES / 2);
        EXPECT_GT(net.GetBytes(0, PathClass::CIRCUIT), 0U);
        EXPECT_EQ(net.GetBytes(1, PathClass::PACKET), 1000U);
        EXPECT_EQ(net.GetBytes(2, PathClass::CIRCUIT), 1000U);
    }
}

namespace
{

/// Asks controllers, and notes when they answer.
class Asker
{
  public:
    /// @param net whose controller @param at when @param layer of the all-to-all
    void Ask(Hybrid& net, Time at, uint32_t layer)
    {
        Simulator::Schedule(at, &Asker::Request, this, net.controllers[0], layer);
    }

    std::vector<Time> answers; //!< in order

  private:
    void Request(Ptr<RegionalController> controller, uint32_t layer)
    {
        DemandMatrix demand(6, 6, 1);
        demand(0, 1 + layer % 3) = 1 << 30;
        AllToAllId id;
        id.layer = layer;
        controller->Request(id, demand, MakeCallback(&Asker::OnAnswer, this));
    }

    void OnAnswer()
    {
        answers.push_back(Simulator::Now());
    }
};

} // namespace

// A controller dies at 1 ms, is missed at 11 ms and comes back at 30 ms. Who asked in between waits
// until it is missed and then begins with what is lit, as do those who ask later, at once; then it
// plans again (25 ms of switching).
TEST(FailureNetwork, WithoutAControllerTheLastCircuitsStay)
{
    Hybrid net(Fidelity::FLOW, "t=1ms controller 0 down\nt=30ms controller 0 up");
    net.controllers[0]->SetAttribute("ReconfigurationPolicy",
                                     StringValue("ns3::PaperReconfigurationPolicy"));
    const auto before = net.graph->GetCircuits(net.graph->GetRegionOcs(RegionId(0))[0]);
    Asker asker;
    asker.Ask(net, MilliSeconds(2), 1);
    asker.Ask(net, MilliSeconds(20), 2);
    Simulator::Schedule(MilliSeconds(29), [&] {
        EXPECT_EQ(net.graph->GetCircuits(net.graph->GetRegionOcs(RegionId(0))[0]), before);
    });
    asker.Ask(net, MilliSeconds(31), 3);
    net.Run();
    EXPECT_EQ(asker.answers,
              (std::vector<Time>{MilliSeconds(11), MilliSeconds(20), MilliSeconds(56)}));
    EXPECT_EQ(net.controllers[0]->GetNReconfigurations(), 1U);
}
