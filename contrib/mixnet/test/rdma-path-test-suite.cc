/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Reliability on ways that are long, or change.

#include "rdma-test-case.h"

#include "ns3/no-congestion-control.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Field report 7: a message moves from a cable of 10 us to one of 1 us and back, twice. Each move
 * to the shorter one mixes old and new packets. No time-out, at most one NACK per round trip of the
 * shorter cable while they mix, and goodput: go-back-N may lose a round trip of the longer cable
 * per move (packets under way are dropped behind the gap), selective repeat none.
 */
class MovingBetweenPathsDoesNotStormTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name
    explicit MovingBetweenPathsDoesNotStormTest(const std::string& recovery)
        : RdmaTestCase(recovery + ": moves between a longer and a shorter path"),
          m_recovery(recovery)
    {
    }

  private:
    static constexpr uint64_t BYTES = 3000 * 4096; //!< about 1 ms
    static constexpr int64_t MOVES = 4;            //!< two of them to the shorter cable

    void DoRun() override
    {
        MakeServers(2);
        const VertexId a = m_graph->GetVertex(ServerId(0));
        const VertexId b = m_graph->GetVertex(ServerId(1));
        m_graph->AddEdge(a, b, Cable("100Gbps", MicroSeconds(10)));
        m_graph->AddEdge(a, b, Cable("100Gbps", MicroSeconds(1)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        m_world->SetNicAttribute("CongestionControl",
                                 TypeIdValue(NoCongestionControl::GetTypeId()));
        Build();
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        Nic(0).PostSend(qps.first, 0, ByteCount(BYTES));
        for (int64_t move = 1; move <= MOVES; ++move)
        {
            const auto port = static_cast<uint32_t>(move % 2);
            Simulator::Schedule(MicroSeconds(200 * move), [this, qps, port] {
                Nic(0).SetPath(qps.first, port, m_world->GetAddress(ServerId(1), port), 50000);
            });
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered once");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].bytes, ByteCount(BYTES), "whole");
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 1, "acknowledged");
        const RdmaCounters tx = Nic(0).GetCounters();
        const RdmaCounters rx = Nic(1).GetCounters();
        NS_TEST_EXPECT_MSG_EQ(tx.timeouts, 0, "no timeout");
        NS_TEST_EXPECT_MSG_GT(rx.nacksSent, 0, "the case was exercised");
        const int64_t ideal = static_cast<int64_t>(BYTES + 3000 * 82 + 16) * 80 + 10000000;
        const int64_t took = log.received[0].at.GetPicoSeconds();
        const bool selective = m_recovery == "ns3::SelectiveRepeat";
        if (!selective)
        {
            // old and new packets mix for 9 us, four round trips of 2 us and a part, per move
            NS_TEST_EXPECT_MSG_LT(rx.nacksSent, MOVES / 2 * 7, "NACKs");
        }
        const int64_t allowed = selective ? tx.dataResent * 4178 * 80 + 1000 : MOVES * 22000000;
        NS_TEST_EXPECT_MSG_LT(took, ideal + allowed, "goodput");
        NS_TEST_EXPECT_MSG_EQ(tx.dataSent, 3000 + tx.dataResent, "sent");
        NS_TEST_EXPECT_MSG_EQ(tx.dataResent, rx.dataDuplicate + rx.dataOutOfOrder, "none was lost");
    }

    std::string m_recovery; //!< strategy
};

/**
 * @ingroup mixnet-test
 * Field reports 7 and 31: two servers with two cables of their own, no switch; a message moves from
 * one to the other in its middle. It arrives whole, bytes are booked on the cable they came by, and
 * there is at most one NACK per round trip.
 */
class MovingInMidMessageArrivesWholeTest : public RdmaTestCase
{
  public:
    /// @param before delay of the first cable, us @param after delay of the second one, us
    MovingInMidMessageArrivesWholeTest(uint32_t before, uint32_t after)
        : RdmaTestCase("move from " + std::to_string(before) + " us to " + std::to_string(after)),
          m_before(before),
          m_after(after)
    {
    }

  private:
    void DoRun() override
    {
        MakeServers(2);
        const VertexId a = m_graph->GetVertex(ServerId(0));
        const VertexId b = m_graph->GetVertex(ServerId(1));
        m_graph->AddEdge(a, b, Cable("100Gbps", MicroSeconds(m_before)));
        m_graph->AddEdge(a, b, Cable("100Gbps", MicroSeconds(m_after)));
        Build();
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        const uint64_t bytes = 4 << 20;
        Nic(0).PostSend(qps.first, 0, ByteCount(bytes));
        Simulator::Schedule(MicroSeconds(100), [this, qps] {
            Nic(0).SetPath(qps.first, 1, m_world->GetAddress(ServerId(1), 1), 50000);
        });
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].bytes, ByteCount(bytes), "whole");
        const ByteCount old = Nic(1).GetReceived(qps.second, 0);
        const ByteCount young = Nic(1).GetReceived(qps.second, 1);
        NS_TEST_EXPECT_MSG_EQ(old + young, ByteCount(bytes), "booked once");
        // 100 us at 100G carry 1.2 MB; what was under way at the move arrives, too
        NS_TEST_EXPECT_MSG_GT(old.Get(), 1100000, "by the first cable");
        NS_TEST_EXPECT_MSG_LT(old.Get(), 1300000, "by the first cable");
        const RdmaCounters& c = Nic(1).GetCounters();
        const uint32_t rounds =
            (2 * std::max(m_before, m_after)) / (2 * std::min(m_before, m_after));
        NS_TEST_EXPECT_MSG_LT(c.nacksSent, rounds + 2, "no storm");
        NS_TEST_EXPECT_MSG_EQ((c.nacksSent > 0), (m_after < m_before), "reordered if shorter");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
    }

    uint32_t m_before; //!< us
    uint32_t m_after;  //!< us
};

/**
 * @ingroup mixnet-test
 * A link of 25 ms: 1 GiB is under way at once and the round trip of 50 ms is far above both
 * strategies' timeouts. Nothing is sent twice; FCT = wire bytes of all / rate + 25 ms.
 */
class LongPathsDoNotTimeOutTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name
    explicit LongPathsDoNotTimeOutTest(const std::string& recovery)
        : RdmaTestCase(recovery + ": 1 GiB under way over 25 ms"),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, 0, Cable("400Gbps", MilliSeconds(25)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        m_world->SetNicAttribute("PayloadSize", UintegerValue(8192));
        m_world->SetNicAttribute("CongestionControl",
                                 TypeIdValue(NoCongestionControl::GetTypeId()));
        Build();
        for (uint32_t s : {0, 1})
        {
            Nic(s).GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(16));
        }
        const uint64_t bytes = 1 << 30;
        const uint64_t packets = bytes / 8192;
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        Nic(0).PostSend(qps.first, 0, ByteCount(bytes));
        uint64_t underWay = 0;
        Simulator::Schedule(MilliSeconds(24), [this, &underWay] {
            underWay = Nic(0).GetCounters().dataSent - Nic(0).GetCounters().acksReceived;
        });
        Run();
        NS_TEST_EXPECT_MSG_EQ(underWay, packets, "all under way");
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered");
        const int64_t wire = static_cast<int64_t>(bytes + packets * 82 + 16) * 20;
        NS_TEST_EXPECT_MSG_EQ(log.received[0].at, PicoSeconds(wire) + MilliSeconds(25), "FCT");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing twice");
    }

    std::string m_recovery; //!< strategy
};

/**
 * @ingroup mixnet-test
 * 1.6 Tb/s over 2 x 25 ms hold 50 ms x 1.6 Tb/s / 8 / 338 B = 29.6 million packets of 256 B; 24-bit
 * numbers allow 2^23 - 1, a bitmap 2^20: the queue pair that is limited is named.
 */
class LimitedWindowIsReportedTest : public RdmaTestCase
{
  public:
    LimitedWindowIsReportedTest()
        : RdmaTestCase("a window that 24-bit numbers limit is reported")
    {
    }

  private:
    /// @param qp queue pair @param window packets @param path packets
    void Limited(uint32_t qp, uint64_t window, uint64_t path)
    {
        m_qps.push_back(qp);
        m_windows.push_back(window);
        m_paths.push_back(path);
    }

    /// @param recovery TypeId name @param rate of the cable @param delay of it @return queue pair
    uint32_t Send(const std::string& recovery, const std::string& rate, Time delay)
    {
        MakeChain(1, 1, 0, Cable(rate, delay));
        m_world->SetNicAttribute("LossRecovery", StringValue(recovery));
        m_world->SetNicAttribute("PayloadSize", UintegerValue(256));
        Build();
        Nic(0).TraceConnectWithoutContext(
            "WindowLimit",
            MakeCallback(&LimitedWindowIsReportedTest::Limited, this));
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        Nic(0).PostSend(qps.first, 0, ByteCount(1));
        Run();
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 1, "delivered");
        DoTeardown();
        return qps.first;
    }

    void DoRun() override
    {
        Send("ns3::GoBackN", "100Gbps", MicroSeconds(1));
        NS_TEST_EXPECT_MSG_EQ(m_qps.size(), 0, "a short path");
        const uint32_t qp = Send("ns3::GoBackN", "1600Gbps", MilliSeconds(25));
        NS_TEST_ASSERT_MSG_EQ(m_qps.size(), 1, "a long fat path");
        NS_TEST_EXPECT_MSG_EQ(m_qps[0], qp, "which one");
        NS_TEST_EXPECT_MSG_EQ(m_windows[0], (1 << 23) - 1, "its window");
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(m_paths[0]), 29.59e6, 2e4, "what it needs");
        Send("ns3::SelectiveRepeat", "1600Gbps", MilliSeconds(25));
        NS_TEST_ASSERT_MSG_EQ(m_qps.size(), 2, "the bitmap");
        NS_TEST_EXPECT_MSG_EQ(m_windows[1], 1 << 20, "its size");
    }

    std::vector<uint32_t> m_qps;     //!< reported
    std::vector<uint64_t> m_windows; //!< reported
    std::vector<uint64_t> m_paths;   //!< reported
};

/// @ingroup mixnet-test
class RdmaPathTestSuite : public TestSuite
{
  public:
    RdmaPathTestSuite()
        : TestSuite("mixnet-rdma-path", TestSuite::Type::UNIT)
    {
        for (const char* recovery : {"ns3::GoBackN", "ns3::SelectiveRepeat"})
        {
            AddTestCase(new MovingBetweenPathsDoesNotStormTest(recovery));
            AddTestCase(new LongPathsDoNotTimeOutTest(recovery));
        }
        AddTestCase(new MovingInMidMessageArrivesWholeTest(10, 1));
        AddTestCase(new MovingInMidMessageArrivesWholeTest(1, 10));
        AddTestCase(new LimitedWindowIsReportedTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaPathTestSuite g_rdmaPathTestSuite; //!< the suite
