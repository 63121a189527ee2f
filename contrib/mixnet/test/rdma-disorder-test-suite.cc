/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Reliability where packets are sprayed, and answers lost or overtaking.

#include "rdma-test-case.h"

#include "ns3/no-congestion-control.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <set>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Four servers of a leaf send to four of another one over four spines with cables of unequal
 * length; the leaves spray packets. Selective repeat delivers all and loses nothing to timeouts;
 * go-back-N delivers, too, but takes every overtaking for a loss.
 */
class SprayingNeedsSelectiveRepeatTest : public RdmaTestCase
{
  public:
    SprayingNeedsSelectiveRepeatTest()
        : RdmaTestCase("packet spraying needs selective repeat")
    {
    }

  private:
    static constexpr uint64_t BYTES = 500 * 4096; //!< per flow

    /// @param recovery TypeId name @param tolerance packets @return what all counted, and the
    /// makespan
    std::pair<RdmaCounters, Time> Spray(const std::string& recovery, uint32_t tolerance)
    {
        MakeServers(8);
        const VertexId leaves[] = {m_graph->AddSwitch(1, "left"), m_graph->AddSwitch(1, "right")};
        for (uint32_t s = 0; s < 8; ++s)
        {
            m_graph->AddEdge(m_graph->GetVertex(ServerId(s)),
                             leaves[s / 4],
                             Cable("100Gbps", NanoSeconds(500)));
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            const VertexId spine = m_graph->AddSwitch(2, "spine " + std::to_string(i));
            for (const VertexId leaf : leaves)
            {
                m_graph->AddEdge(leaf, spine, Cable("100Gbps", NanoSeconds(500 + 400 * i)));
            }
        }
        m_world->SetNicAttribute("LossRecovery", StringValue(recovery));
        m_world->SetNicAttribute("CongestionControl",
                                 TypeIdValue(NoCongestionControl::GetTypeId()));
        m_world->SetSwitchAttribute("Balancer", StringValue("ns3::RandomSprayBalancer"));
        Build();
        m_world->AssignStreams(1);
        RdmaLog log;
        for (uint32_t s = 0; s < 4; ++s)
        {
            Nic(s).GetLossRecovery()->SetAttributeFailSafe("ReorderTolerance",
                                                           UintegerValue(tolerance));
            Nic(s).PostSend(Connect(s, 4 + s, &log).first, s, ByteCount(BYTES));
        }
        Run();
        NS_TEST_EXPECT_MSG_EQ(log.received.size(), 4, "delivered");
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 4, "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing is lost");
        const RdmaCounters all = m_world->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(all.dataAccepted, 4 * 500, "each packet once");
        const Time makespan = log.received.empty() ? Time() : log.received.back().at;
        DoTeardown();
        return {all, makespan};
    }

    void DoRun() override
    {
        const auto [selective, fast] = Spray("ns3::SelectiveRepeat", 0);
        NS_TEST_EXPECT_MSG_GT(selective.dataStored, 500, "the case was exercised");
        NS_TEST_EXPECT_MSG_EQ(selective.dataResent, selective.dataDuplicate, "sent twice");
        const auto [tolerant, faster] = Spray("ns3::SelectiveRepeat", 64);
        NS_TEST_EXPECT_MSG_LT(tolerant.dataResent, selective.dataResent / 10, "tolerance helps");
        NS_TEST_EXPECT_MSG_LT(faster, fast + NanoSeconds(1), "and is no slower");
        const auto [back, slow] = Spray("ns3::GoBackN", 0);
        NS_TEST_EXPECT_MSG_GT(back.nacksSent, 100, "go-back-N sees gaps");
        NS_TEST_EXPECT_MSG_GT(slow, faster + faster, "and is unsuitable");
    }
};

/**
 * @ingroup mixnet-test
 * Field report 3: one packet in 50 is lost, and every NACK of the first millisecond. Timeouts carry
 * on meanwhile; all is delivered once.
 */
class LostNacksForAMillisecondTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name
    explicit LostNacksForAMillisecondTest(const std::string& recovery)
        : RdmaTestCase(recovery + ": all NACKs lost for a millisecond"),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, 1, Cable("100Gbps", NanoSeconds(500)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        Build();
        Nic(0).GetLossRecovery()->SetAttribute("Timeout", TimeValue(MicroSeconds(50)));
        Nic(0).GetLossRecovery()->SetAttributeFailSafe("ShortTimeout", TimeValue(MicroSeconds(25)));
        const auto data = CreateObject<RdmaScript>(
            [lost = std::set<uint32_t>()](const Frame& f, uint32_t) mutable {
                return IsData(f.opcode) && f.psn % 50 == 49 && lost.insert(f.psn).second;
            });
        const auto nacks = CreateObject<RdmaScript>([](const Frame& f, uint32_t) {
            return f.opcode == FrameOpcode::NACK && Simulator::Now() < MilliSeconds(1);
        });
        CorruptFrom(0, data);
        CorruptFrom(1, nacks);
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        const uint64_t packets = 4000;
        Nic(0).PostSend(qps.first, 0, ByteCount(packets * 4096));
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered once");
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 1, "acknowledged");
        NS_TEST_EXPECT_MSG_GT(nacks->corrupted, 0, "NACKs were lost");
        NS_TEST_EXPECT_MSG_GT(Nic(0).GetCounters().nacksReceived, 0, "others were not");
        NS_TEST_EXPECT_MSG_GT(Nic(0).GetCounters().timeouts, 0, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetCounters().dataAccepted, packets, "each packet once");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataSent,
                              Nic(1).GetCounters().dataReceived + data->corrupted,
                              "conserved");
    }

    std::string m_recovery; //!< strategy
};

/**
 * @ingroup mixnet-test
 * Field report 5: data flow both ways through a switch, and the one before the last packet of one
 * message is lost. Its NACK waits for one frame of the other way at most, because control has a
 * class of its own and is first; it overtakes the data queued before it.
 *
 * The NACK is heard ECHO after the end of the last packet, plus the hops through the switch and a
 * frame of the other way per port; then the last two packets go again.
 */
class NackOvertakesDataTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name
    explicit NackOvertakesDataTest(const std::string& recovery)
        : RdmaTestCase(recovery + ": a NACK overtakes data"),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        constexpr int64_t packets = 100;
        constexpr int64_t wire = 4178 * 80;
        MakeChain(1, 1, 1, Cable("100Gbps", NanoSeconds(500)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        m_world->SetNicAttribute("CongestionControl",
                                 TypeIdValue(NoCongestionControl::GetTypeId()));
        Build();
        const auto script =
            CreateObject<RdmaScript>([lost = false](const Frame& f, uint32_t) mutable {
                const bool lose = IsData(f.opcode) && f.psn == packets - 2 && !lost;
                lost = lost || lose;
                return lose;
            });
        CorruptFrom(0, script);
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        Nic(0).PostSend(qps.first, 0, ByteCount(packets * 4096));
        Nic(1).PostSend(qps.second, 1, ByteCount(10 * packets * 4096));
        Run();
        NS_TEST_ASSERT_MSG_EQ(script->corrupted, 1, "the case was exercised");
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 2, "both delivered");
        NS_TEST_EXPECT_MSG_EQ((log.received[0].nic == &Nic(1)), true, "the short one first");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "no timeout");
        // acknowledgements of the other way share the line: 86 B each 4178 B
        const int64_t sent = packets * (wire + 86 * 80);
        const int64_t heard = sent + 2 * wire + 4 * 500000 + 2 * (wire + 86 * 80);
        NS_TEST_EXPECT_MSG_LT(log.received[0].at.GetPicoSeconds(),
                              heard + 4 * wire + 2 * 500000,
                              "no queue of data before the NACK");
    }

    std::string m_recovery; //!< strategy
};

/// @ingroup mixnet-test
class RdmaDisorderTestSuite : public TestSuite
{
  public:
    RdmaDisorderTestSuite()
        : TestSuite("mixnet-rdma-disorder", TestSuite::Type::UNIT)
    {
        for (const char* recovery : {"ns3::GoBackN", "ns3::SelectiveRepeat"})
        {
            AddTestCase(new LostNacksForAMillisecondTest(recovery));
            AddTestCase(new NackOvertakesDataTest(recovery));
        }
        AddTestCase(new SprayingNeedsSelectiveRepeatTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaDisorderTestSuite g_rdmaDisorderTestSuite; //!< the suite
