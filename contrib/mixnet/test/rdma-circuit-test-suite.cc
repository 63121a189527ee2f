/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport-test-case.h"

#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * A direct circuit is two fibers of light: one serialization, two delays. No switch is needed.
 */
class RdmaCircuitTest : public RdmaTransportCase
{
  public:
    /// @param packet whether there is a packet fabric beside it
    explicit RdmaCircuitTest(bool packet)
        : RdmaTransportCase(std::string("direct circuit") + (packet ? "" : ", no switch")),
          m_packet(packet)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1, m_packet);
        BuildDoors();
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        for (const uint64_t bytes : {uint64_t(1), uint64_t(4097), uint64_t(1) << 20})
        {
            m_done.clear();
            const Time start = Simulator::Now();
            Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
            Run();
            NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
            NS_TEST_EXPECT_MSG_EQ(m_done[0].finished - start, Ideal(bytes, 1, 2 * FIBER), "FCT");
            NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "circuit");
            NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), 0, "packet");
            NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::SCALE_UP), 0, "own NICs");
        }
        CheckEmpty();
    }

    bool m_packet; //!< with a packet fabric
};

/**
 * @ingroup mixnet-test
 * A circuit is drained, turned away and the message goes on over the packet fabric.
 *
 * At 200 us packet 598 is being sent (packet k >= 1 starts at 335,520 + 334,240 (k - 1) ps); it is
 * the last one. It ends at 200,211,040 ps, arrives two fibers later, and its ACK (86 B) two fibers
 * after that: the circuit is empty at 200,211,040 + 4 x 700,000 + 6,880 = 203,017,920 ps, to the
 * tick. 25 us later the remaining packets start, without loss, over two cables and a switch; the
 * electrical NIC is another GPU's, so they cross the scale-up domain.
 */
class RdmaDrainTest : public RdmaTransportCase
{
  public:
    RdmaDrainTest()
        : RdmaTransportCase("drained circuit")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        const Circuit circuit = Join(0, 0, 1, 0);
        const std::vector<EdgeId> fibers{FiberOf(0, 0), FiberOf(1, 0)};
        m_control->Connect({circuit}, {});
        const uint64_t packets = 2048;
        Send(Make(Gpu(0, 1), Gpu(1, 1), packets * 4096));
        Simulator::Schedule(MicroSeconds(200), [&] {
            m_token = m_control->Quiesce(
                fibers,
                Time(0),
                Callback<void, bool>([this](bool empty) {
                    m_drained = empty;
                    m_drainedAt = Simulator::Now();
                    m_control->SetEdges({FiberOf(0, 0), FiberOf(1, 0)}, EdgeCause::OPTICAL, false);
                    m_control->Connect({}, {Join(0, 0, 1, 0)});
                    Simulator::Schedule(MicroSeconds(25), [this] {
                        m_control->SetEdges({FiberOf(0, 0), FiberOf(1, 0)},
                                            EdgeCause::OPTICAL,
                                            true);
                        m_control->Resume(m_token);
                    });
                }));
        });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_drained, true, "told");
        NS_TEST_EXPECT_MSG_EQ(m_drainedAt, PicoSeconds(203017920), "when it was empty");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        const uint64_t before = 599;
        const auto rest = static_cast<int64_t>(packets - before);
        const Time end =
            m_drainedAt + MicroSeconds(25) + PicoSeconds((rest + 1) * 334240 + 2 * CABLE);
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, end, "FCT");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), before * 4096, "circuit");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET),
                              (packets - before) * 4096,
                              "packet");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::SCALE_UP),
                              (packets - before) * 4096,
                              "crossing");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing sent again");
        CheckEmpty();
    }

    FabricControl::Token m_token{0}; //!< of the quiesce
    bool m_drained{false};           //!< told
    Time m_drainedAt;                //!< when
};

/**
 * @ingroup mixnet-test
 * A circuit is turned away without draining: light in flight is lost in the dark, the message moves
 * to the packet fabric at once, one NACK brings back what was lost, no byte is booked twice.
 */
class RdmaTornCircuitTest : public RdmaTransportCase
{
  public:
    RdmaTornCircuitTest()
        : RdmaTransportCase("circuit turned away in mid-message")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        const Circuit circuit = Join(0, 0, 1, 0);
        m_control->Connect({circuit}, {});
        const uint64_t bytes = 4 << 20;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Simulator::Schedule(MicroSeconds(200), [&] { m_control->Connect({}, {circuit}); });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_GT(m_world->GetFabric().GetDrops(DropReason::DARK), 0, "lost");
        const uint64_t light = On(m_done[0], PathClass::CIRCUIT);
        NS_TEST_EXPECT_MSG_EQ(light + On(m_done[0], PathClass::PACKET), bytes, "each byte once");
        NS_TEST_EXPECT_MSG_GT(light, 590 * 4096, "200 us of light");
        NS_TEST_EXPECT_MSG_LT(light, 599 * 4096, "200 us of light");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetCounters().nacksSent, 1, "one gap, one NACK");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Without a packet fabric: a transfer waits for its circuit and starts when it is lit; it is held
 * when its circuit is taken away and goes on with the next one.
 */
class RdmaWaitForLightTest : public RdmaTransportCase
{
  public:
    RdmaWaitForLightTest()
        : RdmaTransportCase("transfer waits for light")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 2, false);
        BuildDoors();
        const uint64_t bytes = 1 << 20;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 0, "dark");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetUnfinished().size(), 1, "listed");
        const Time start = Simulator::Now();
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        Simulator::Schedule(MicroSeconds(40),
                            [this] { m_control->Connect({}, {Join(0, 0, 1, 0)}); });
        Simulator::Schedule(MicroSeconds(100),
                            [this] { m_control->Connect({Join(0, 0, 1, 0)}, {}); });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        const Time ideal = start + Ideal(bytes, 1, 2 * FIBER) + MicroSeconds(60);
        NS_TEST_EXPECT_MSG_GT(m_done[0].finished, ideal, "60 us of dark");
        NS_TEST_EXPECT_MSG_LT(m_done[0].finished, ideal + MicroSeconds(6), "and what was lost");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "circuit");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Reroute: a circuit that is lit later is used only when asked for.
 */
class RdmaRerouteTest : public RdmaTransportCase
{
  public:
    /// @param reroute whether it is asked for
    explicit RdmaRerouteTest(bool reroute)
        : RdmaTransportCase(std::string("reroute") + (reroute ? "" : ", not asked for")),
          m_reroute(reroute)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        const uint64_t bytes = 4 << 20;
        const TransferId id = Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Simulator::Schedule(MicroSeconds(100),
                            [this] { m_control->Connect({Join(0, 0, 1, 0)}, {}); });
        Simulator::Schedule(MicroSeconds(150), [this, id] {
            if (m_reroute)
            {
                m_transport->Reroute(id);
            }
        });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        const uint64_t light = On(m_done[0], PathClass::CIRCUIT);
        NS_TEST_EXPECT_MSG_EQ(light + On(m_done[0], PathClass::PACKET), bytes, "each byte once");
        NS_TEST_EXPECT_MSG_EQ((light > bytes / 2), m_reroute, "moved");
        NS_TEST_EXPECT_MSG_EQ((light == 0), !m_reroute, "moved");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::SCALE_UP),
                              On(m_done[0], PathClass::PACKET),
                              "only the electrical NIC is another GPU's");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
        CheckEmpty();
    }

    bool m_reroute; //!< asked for
};

/**
 * @ingroup mixnet-test
 * Two circuits in a row (TopoOpt): the server between forwards from NIC to NIC. Two links serialize
 * and light passes four fibers. With its own traffic on the second circuit the two share it and
 * nothing is lost.
 */
class RdmaRelayTest : public RdmaTransportCase
{
  public:
    RdmaRelayTest()
        : RdmaTransportCase("relay over two circuits")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 2, false);
        BuildDoors();
        m_control->Connect({Join(0, 0, 1, 0), Join(1, 1, 2, 0)}, {});
        const uint64_t packets = 256;
        Send(Make(Gpu(0, 1), Gpu(2, 1), packets * 4096));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, Ideal(packets * 4096, 2, 4 * FIBER), "FCT");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), packets * 4096, "counted once");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetCounters().relayed, 2 * packets, "data and ACKs");
        CheckEmpty();

        const Time start = Simulator::Now();
        m_done.clear();
        m_transport->Send({Make(Gpu(0, 1), Gpu(2, 1), 4 * packets * 4096),
                           Make(Gpu(1, 2), Gpu(2, 1), 4 * packets * 4096)},
                          *this);
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 2, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        // both cross the second circuit: it carries 2 x 1,024 packets
        const Time both = PicoSeconds(2 * 4 * static_cast<int64_t>(packets) * 334240);
        NS_TEST_EXPECT_MSG_GT(m_done[1].finished - start, both, "shared");
        NS_TEST_EXPECT_MSG_LT(m_done[1].finished - start, both * 1.2, "and busy");
        NS_TEST_EXPECT_MSG_GT(m_done[0].finished - start, both * 0.6, "fair");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * The same contention with PFC between relay and source instead of marks and a window: the source
 * is paused, what waits at the relay stays below the threshold plus what a round trip brings, and
 * nothing is lost.
 */
class RdmaRelayPauseTest : public RdmaTransportCase
{
  public:
    RdmaRelayPauseTest()
        : RdmaTransportCase("relay that pauses its sender")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 2, false);
        m_transport->SetAttribute("RelayWindow", UintegerValue(0));
        m_world->SetNicAttribute("RelayEcnThreshold", UintegerValue(0));
        m_world->SetNicAttribute("RelayPauseThreshold", UintegerValue(100000));
        BuildDoors();
        m_control->Connect({Join(0, 0, 1, 0), Join(1, 1, 2, 0)}, {});
        const uint64_t bytes = 4 << 20;
        m_transport->Send({Make(Gpu(0, 1), Gpu(2, 1), bytes), Make(Gpu(1, 2), Gpu(2, 1), bytes)},
                          *this);
        // four fibers at 100G bring 35,000 B and a frame after the pause is sent
        uint64_t most = 0;
        for (uint32_t t = 1; t < 600; ++t)
        {
            Simulator::Schedule(MicroSeconds(t), [this, &most] {
                most = std::max(most, Nic(1).GetPort(1).GetQueues().GetTotalBytes());
            });
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 2, "delivered");
        NS_TEST_EXPECT_MSG_GT(Nic(1).GetCounters().relayPauses, 1, "paused");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetPort(0).GetCounters().pausesReceived,
                              Nic(1).GetCounters().relayPauses,
                              "each heard");
        NS_TEST_EXPECT_MSG_GT(most, 50000, "frames waited");
        NS_TEST_EXPECT_MSG_LT(most, 100000 + 35000 + 2 * 4194, "bounded");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing sent again");
        CheckEmpty();
    }
};

/// @ingroup mixnet-test
class RdmaCircuitTestSuite : public TestSuite
{
  public:
    RdmaCircuitTestSuite()
        : TestSuite("mixnet-rdma-circuit", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaCircuitTest(true));
        AddTestCase(new RdmaCircuitTest(false));
        AddTestCase(new RdmaDrainTest());
        AddTestCase(new RdmaTornCircuitTest());
        AddTestCase(new RdmaWaitForLightTest());
        AddTestCase(new RdmaRerouteTest(false));
        AddTestCase(new RdmaRerouteTest(true));
        AddTestCase(new RdmaRelayTest());
        AddTestCase(new RdmaRelayPauseTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaCircuitTestSuite g_rdmaCircuitTestSuite; //!< the suite
