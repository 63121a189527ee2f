/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-simplex-test-case.h"

#include "ns3/circuit-switcher.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"

using namespace ns3;

/**
 * @ingroup mixnet-test
 * One way: 0 sends to 1 as over a duplex circuit, to the tick (one serialization, two fibers);
 * nothing of 1 passes, neither its answers nor its own data, which take the switch.
 */
class SimplexOneWayTest : public RdmaSimplexCase
{
  public:
    SimplexOneWayTest()
        : RdmaSimplexCase("a simplex circuit carries one way, to the tick")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        m_control->Connect({OneWay(0, 0, 1, 0)}, {});
        uint64_t wire = 0;
        for (const uint64_t packets : {uint64_t(1), uint64_t(256)})
        {
            m_done.clear();
            const Time start = Simulator::Now();
            const uint64_t bytes = packets * 4096;
            wire += Wire(packets);
            Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
            Run();
            NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
            NS_TEST_EXPECT_MSG_EQ(m_done[0].finished - start, Ideal(bytes, 1, 2 * FIBER), "FCT");
            NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "circuit");
            NS_TEST_EXPECT_MSG_EQ(Sent(0, 0), wire, "its light");
            NS_TEST_EXPECT_MSG_EQ(Heard(1, 0), wire, "all of it, and nothing else");
            NS_TEST_EXPECT_MSG_EQ(Sent(1, 0) + Heard(0, 0), 0, "no light the other way");
        }
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "answers came over the switch");
        NS_TEST_EXPECT_MSG_GT(Nic(0).GetCounters().acksReceived, 1, "answers");
        m_done.clear();
        const Time start = Simulator::Now();
        Send(Make(Gpu(1, 0), Gpu(0, 0), 40960));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished - start, Ideal(40960, 2, 2 * CABLE), "FCT");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), 40960, "over the switch");
        NS_TEST_EXPECT_MSG_EQ(Sent(1, 0) + Heard(0, 0), 0, "no light the other way");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * A ring of demand with one port per server: all circuits of the ring fit at once when they are
 * simplex, so that every server's transfer takes as long as one alone. With duplex circuits only
 * one pair of three servers is joined.
 */
class SimplexRingTest : public RdmaSimplexCase
{
  public:
    SimplexRingTest()
        : RdmaSimplexCase("a ring of simplex circuits")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 1);
        BuildDoors();
        m_control->Connect({OneWay(0, 0, 1, 0), OneWay(1, 0, 2, 0), OneWay(2, 0, 0, 0)}, {});
        const uint64_t bytes = 4 << 20;
        for (uint32_t s = 0; s < 3; ++s)
        {
            Send(Make(Gpu(s, 1), Gpu((s + 1) % 3, 1), bytes));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 3, "delivered");
        for (const Completion& c : m_done)
        {
            NS_TEST_EXPECT_MSG_EQ(c.finished, Ideal(bytes, 1, 2 * FIBER), "as if alone");
            NS_TEST_EXPECT_MSG_EQ(On(c, PathClass::CIRCUIT), bytes, "circuit");
        }
        NS_TEST_EXPECT_MSG_EQ(m_world->GetCounters().timeouts, 0, "no timeout");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * A simplex circuit is turned away in mid-message, and back. The port it leaves by hears another
 * server meanwhile, and its far port sends to a third one: both carry on to the picosecond.
 *
 * Drained: at 200 us packet 598 is being sent, as in RdmaDrainTest, and ends at 200,211,040 ps; the
 * direction is empty when it has crossed two fibers, since no answer follows it there.
 */
class SimplexTurnTest : public RdmaSimplexCase
{
  public:
    /// @param policy drain policy @param name in words
    SimplexTurnTest(const std::string& policy, const std::string& name)
        : RdmaSimplexCase("a simplex circuit is turned in mid-message, " + name),
          m_policy(policy)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(4, 1);
        std::vector<ServerId> servers;
        for (uint32_t s = 0; s < 4; ++s)
        {
            servers.emplace_back(s);
        }
        const RegionId region = m_graph->AddRegion(servers, {m_ocs});
        BuildDoors();
        const auto switcher = CreateObject<CircuitSwitcher>();
        switcher->SetAttribute("DrainPolicy", StringValue(m_policy));
        switcher->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(25)));
        switcher->SetAttribute("HeldTraffic", StringValue("move"));
        switcher->SetFabric(m_control, region);
        switcher->TraceConnectWithoutContext("Reconfiguration",
                                             MakeCallback(&SimplexTurnTest::OnTurn, this));
        m_control->Connect({OneWay(0, 0, 1, 0), OneWay(2, 0, 0, 0), OneWay(1, 0, 3, 0)}, {});
        const uint64_t bytes = 2048 * 4096;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Send(Make(Gpu(2, 1), Gpu(0, 1), bytes + 4096));
        Send(Make(Gpu(1, 1), Gpu(3, 1), bytes + 8192));
        Simulator::Schedule(MicroSeconds(200), [&] {
            switcher->Turn({OneWay(0, 0, 2, 0)}, CircuitSwitcher::LitCallback());
        });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 3, "delivered");
        NS_TEST_ASSERT_MSG_EQ(m_turns.size(), 1, "turned");
        const bool drained = m_policy == "ns3::FullDrainPolicy";
        if (drained)
        {
            NS_TEST_EXPECT_MSG_EQ(m_turns[0].drained,
                                  PicoSeconds(200211040 + 2 * FIBER),
                                  "when the direction was empty");
            NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        }
        else
        {
            NS_TEST_EXPECT_MSG_GT(m_world->GetFabric().GetDrops(DropReason::DARK), 0, "lost");
        }
        const Time lit = (drained ? m_turns[0].drained : MicroSeconds(200)) + MicroSeconds(25);
        NS_TEST_EXPECT_MSG_EQ(m_turns[0].lit, lit, "dark for the switching delay");
        NS_TEST_EXPECT_MSG_EQ(m_graph->IsLit(OneWay(0, 0, 2, 0)), true, "new");
        NS_TEST_EXPECT_MSG_EQ(m_graph->IsLit(OneWay(0, 0, 1, 0)), false, "old");
        const uint64_t light = On(Find(bytes), PathClass::CIRCUIT);
        NS_TEST_EXPECT_MSG_EQ(light + On(Find(bytes), PathClass::PACKET), bytes, "each byte once");
        NS_TEST_EXPECT_MSG_GT(light, 590 * 4096, "200 us of light");
        NS_TEST_EXPECT_MSG_LT(light, 600 * 4096, "200 us of light");
        for (const uint64_t other : {bytes + 4096, bytes + 8192})
        {
            NS_TEST_EXPECT_MSG_EQ(Find(other).finished,
                                  Ideal(other, 1, 2 * FIBER),
                                  "untouched halves of the ports");
            NS_TEST_EXPECT_MSG_EQ(On(Find(other), PathClass::CIRCUIT), other, "circuit");
        }
        CheckEmpty();
        switcher->Dispose();
    }

    void OnTurn(const CircuitReconfiguration& turn)
    {
        m_turns.push_back(turn);
    }

    std::string m_policy;                        //!< drain policy
    std::vector<CircuitReconfiguration> m_turns; //!< reconfigurations
};

/// @ingroup mixnet-test
class RdmaSimplexTestSuite : public TestSuite
{
  public:
    RdmaSimplexTestSuite()
        : TestSuite("mixnet-rdma-simplex", TestSuite::Type::UNIT)
    {
        AddTestCase(new SimplexOneWayTest());
        AddTestCase(new SimplexRingTest());
        AddTestCase(new SimplexTurnTest("ns3::FullDrainPolicy", "drained"));
        AddTestCase(new SimplexTurnTest("ns3::ImmediateDrainPolicy", "at once"));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaSimplexTestSuite g_rdmaSimplexTestSuite; //!< the suite
