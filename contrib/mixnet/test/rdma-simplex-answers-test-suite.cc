/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-simplex-test-case.h"

#include "ns3/ns3-compat.h"
#include "ns3/string.h"

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Without a packet fabric data need light back: over another port, or around a ring that forwards
 * answers. Without it there is no way, and the transfer waits until there is.
 */
class SimplexAnswersTest : public RdmaSimplexCase
{
  public:
    SimplexAnswersTest()
        : RdmaSimplexCase("answers over other circuits")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 2, false);
        BuildDoors();
        m_control->Connect({OneWay(0, 0, 1, 0)}, {});
        const uint64_t bytes = 1 << 20;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 0, "no light back, no way");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetUnfinished().size(), 1, "listed");
        NS_TEST_EXPECT_MSG_EQ(Sent(0, 0), 0, "nothing was tried");
        // straight back, by other ports
        Time start = Simulator::Now();
        m_control->Connect({OneWay(1, 1, 0, 1)}, {});
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished - start, Ideal(bytes, 1, 2 * FIBER), "FCT");
        NS_TEST_EXPECT_MSG_GT(Sent(1, 1), 0, "answers");
        NS_TEST_EXPECT_MSG_EQ(Heard(0, 0) + Sent(1, 0), 0, "none by the ports of the data");
        // around: 1 to 2 to 0
        m_control->Connect({OneWay(1, 0, 2, 0), OneWay(2, 0, 0, 0)}, {OneWay(1, 1, 0, 1)});
        start = Simulator::Now();
        m_done.clear();
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished - start, Ideal(bytes, 1, 2 * FIBER), "FCT");
        NS_TEST_EXPECT_MSG_GT(Nic(2).GetCounters().relayed, 0, "server 2 forwards answers");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetCounters().timeouts, 0, "no timeout");
        // two hops forth, one back
        start = Simulator::Now();
        m_done.clear();
        Send(Make(Gpu(0, 1), Gpu(2, 1), bytes));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished - start, Ideal(bytes, 2, 4 * FIBER), "FCT");
        // the way of the answers breaks, and there is another one
        m_done.clear();
        m_control->Connect({OneWay(1, 1, 0, 1)}, {});
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Simulator::Schedule(MicroSeconds(30),
                            [this] { m_control->Connect({}, {OneWay(1, 1, 0, 1)}); });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "each byte once");
        NS_TEST_EXPECT_MSG_GT(m_world->GetFabric().GetDrops(DropReason::DARK), 0, "answers lost");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * One direction of a duplex circuit is taken away in mid-message: data go on, answers take the
 * packet fabric. Taken away drained, it must not wait for the answers that data bring on.
 */
class SimplexHalfTest : public RdmaSimplexCase
{
  public:
    /// @param drain whether to drain first
    explicit SimplexHalfTest(bool drain)
        : RdmaSimplexCase(std::string("half of a duplex circuit is taken away") +
                          (drain ? ", drained" : "")),
          m_drain(drain)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 1);
        BuildDoors();
        m_control->Connect({Join(0, 0, 1, 0)}, {});
        const uint64_t bytes = 8 << 20;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        const auto cut = [this] { m_control->Connect({}, {OneWay(1, 0, 0, 0)}); };
        Simulator::Schedule(MicroSeconds(100), [&] {
            if (!m_drain)
            {
                cut();
                return;
            }
            const ChannelId out = m_graph->GetEgress(m_ocs, 0);
            const ChannelId in = FabricGraph::GetReverse(m_graph->GetEgress(m_ocs, 1));
            m_token = m_control->QuiesceChannels({in, out},
                                                 Time(0),
                                                 Callback<void, bool>([this, cut](bool) {
                                                     m_emptyAt = Simulator::Now();
                                                     cut();
                                                     m_control->Resume(m_token);
                                                 }));
        });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, Ideal(bytes, 1, 2 * FIBER), "as if untouched");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::CIRCUIT), bytes, "circuit");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
        if (m_drain)
        {
            NS_TEST_EXPECT_MSG_LT(m_emptyAt, MicroSeconds(102), "two fibers later at most");
            NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        }
        CheckEmpty();
    }

    bool m_drain;                    //!< drained
    FabricControl::Token m_token{0}; //!< of the quiesce
    Time m_emptyAt;                  //!< when it was empty
};

/**
 * @ingroup mixnet-test
 * A receiver slower than its line pauses its sender over a duplex circuit, and loses nothing. Over
 * a simplex one the pause would reach another server: none is sent, what its buffer cannot take is
 * lost and sent again, and whoever its light goes to is not stopped.
 */
class SimplexPauseTest : public RdmaSimplexCase
{
  public:
    /// @param duplex the yardstick
    explicit SimplexPauseTest(bool duplex)
        : RdmaSimplexCase(std::string("PFC over a ") + (duplex ? "duplex" : "simplex") +
                          " circuit"),
          m_duplex(duplex)
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 1);
        BuildDoors();
        Nic(1).SetAttribute("HostRate", StringValue("50Gbps"));
        if (m_duplex)
        {
            m_control->Connect({Join(0, 0, 1, 0)}, {});
        }
        else
        {
            m_control->Connect({OneWay(0, 0, 1, 0), OneWay(1, 0, 2, 0), OneWay(2, 0, 0, 0)}, {});
        }
        const uint64_t bytes = 8 << 20;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        if (!m_duplex)
        {
            Send(Make(Gpu(2, 1), Gpu(0, 1), bytes + 4096));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), m_duplex ? 1 : 2, "delivered");
        const uint64_t pauses =
            m_world->GetPort(m_graph->GetVertex(ServerId(1)), 1).GetCounters().pausesSent;
        NS_TEST_EXPECT_MSG_EQ((pauses > 0), m_duplex, "pauses");
        NS_TEST_EXPECT_MSG_EQ((m_world->GetFabric().GetDrops(DropReason::BUFFER) > 0),
                              !m_duplex,
                              "lost in the receiver's buffer");
        NS_TEST_EXPECT_MSG_EQ(On(Find(bytes), PathClass::CIRCUIT), bytes, "each byte once");
        if (!m_duplex)
        {
            NS_TEST_EXPECT_MSG_EQ(Find(bytes + 4096).finished,
                                  Ideal(bytes + 4096, 1, 2 * FIBER),
                                  "the next server is not stopped");
        }
        CheckEmpty();
    }

    bool m_duplex; //!< the yardstick
};

/// @ingroup mixnet-test
class RdmaSimplexAnswersTestSuite : public TestSuite
{
  public:
    RdmaSimplexAnswersTestSuite()
        : TestSuite("mixnet-rdma-simplex-answers", TestSuite::Type::UNIT)
    {
        AddTestCase(new SimplexAnswersTest());
        AddTestCase(new SimplexHalfTest(false));
        AddTestCase(new SimplexHalfTest(true));
        AddTestCase(new SimplexPauseTest(true));
        AddTestCase(new SimplexPauseTest(false));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaSimplexAnswersTestSuite g_rdmaSimplexAnswersTestSuite; //!< the suite
