/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr int64_t DELAY = 1000 * 1000;         //!< ps
constexpr int64_t TIMEOUT = 100 * 1000 * 1000; //!< ps

} // namespace

/**
 * @ingroup mixnet-test
 * Nothing comes through: with a retry limit of 2 the message is given up after 1 + 2 + 4 timeouts,
 * and everything queued behind it, and posted later, is flushed.
 */
class ExhaustedRetriesReportErrorsTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name
    explicit ExhaustedRetriesReportErrorsTest(const std::string& recovery)
        : RdmaTestCase(recovery + ": exhausted retries report errors"),
          m_recovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, 0, Cable("100Gbps", PicoSeconds(DELAY)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        Build();
        const Ptr<LossRecovery> recovery = Nic(0).GetLossRecovery();
        recovery->SetAttribute("Timeout", TimeValue(PicoSeconds(TIMEOUT)));
        recovery->SetAttributeFailSafe("ShortTimeout", TimeValue(PicoSeconds(TIMEOUT)));
        recovery->SetAttribute("RetryLimit", UintegerValue(2));
        CorruptFrom(0, CreateObject<RdmaScript>([](const Frame&, uint32_t) { return true; }));
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        for (uint64_t id = 0; id < 3; ++id)
        {
            Nic(0).PostSend(qps.first, id, ByteCount(4096));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 3, "every message reports its end");
        for (uint64_t id = 0; id < 3; ++id)
        {
            const WorkStatus status = id == 0 ? WorkStatus::RETRY_EXCEEDED : WorkStatus::FLUSHED;
            NS_TEST_EXPECT_MSG_EQ(log.sent[id].id, id, "in order");
            NS_TEST_EXPECT_MSG_EQ((log.sent[id].status == status), true, "how");
            NS_TEST_EXPECT_MSG_EQ(log.sent[id].at, PicoSeconds(7 * TIMEOUT), "when");
        }
        NS_TEST_EXPECT_MSG_EQ(Nic(0).IsFailed(qps.first), true, "the queue pair is in error");
        Nic(0).PostSend(qps.first, 9, ByteCount(1));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 4, "posting on it fails, too");
        NS_TEST_EXPECT_MSG_EQ((log.sent[3].status == WorkStatus::FLUSHED), true, "flushed");
        NS_TEST_EXPECT_MSG_EQ(log.received.size(), 0, "nothing arrived");
    }

    std::string m_recovery; //!< strategy
};

/**
 * @ingroup mixnet-test
 * Random loss on both directions, 1 to 5 percent: every message arrives once and whole, in order.
 */
class RdmaRandomLossTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name @param rate loss probability per frame @param ackInterval
    /// packets per ACK
    RdmaRandomLossTest(const std::string& recovery, double rate, uint32_t ackInterval)
        : RdmaTestCase(recovery + ", random loss " + std::to_string(rate) + ", ACK every " +
                       std::to_string(ackInterval)),
          m_recovery(recovery),
          m_rate(rate),
          m_ackInterval(ackInterval)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(2, 2, 1, Cable("100Gbps", NanoSeconds(500)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        Build();
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(1);
        const auto lose = [this, random](const Frame&, uint32_t) {
            return random->GetValue() < m_rate;
        };
        std::vector<Ptr<RdmaScript>> scripts;
        RdmaLog log;
        uint64_t bytes = 0;
        for (uint32_t s = 0; s < 4; ++s)
        {
            scripts.push_back(CreateObject<RdmaScript>(lose));
            CorruptFrom(s, scripts.back());
            Nic(s).GetLossRecovery()->SetAttribute("Timeout", TimeValue(MicroSeconds(50)));
            Nic(s).GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(m_ackInterval));
        }
        for (uint32_t s = 0; s < 2; ++s)
        {
            const auto qps = Connect(s, 2 + s, &log);
            for (uint64_t id = 0; id < 20; ++id)
            {
                Nic(s).PostSend(qps.first, id, ByteCount(id * 9999));
                bytes += id * 9999;
            }
        }
        Run();
        uint32_t lost = 0;
        for (const auto& script : scripts)
        {
            lost += script->corrupted;
        }
        NS_TEST_EXPECT_MSG_GT(lost, 10, "the case was exercised");
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 40, "messages delivered");
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 40, "messages acknowledged");
        uint64_t next[2] = {0, 0};
        for (const auto& entry : log.received)
        {
            uint64_t& number = next[entry.nic == &Nic(2) ? 0 : 1];
            NS_TEST_EXPECT_MSG_EQ(entry.id, number, "in order");
            NS_TEST_EXPECT_MSG_EQ(entry.bytes, ByteCount(number * 9999), "whole");
            ++number;
        }
        const RdmaCounters all = m_world->GetCounters();
        NS_TEST_EXPECT_MSG_EQ(all.payloadAccepted, bytes, "each byte once");
    }

    std::string m_recovery; //!< strategy
    double m_rate;          //!< of loss
    uint32_t m_ackInterval; //!< packets per ACK
};

/// @ingroup mixnet-test
class RdmaLossTestSuite : public TestSuite
{
  public:
    RdmaLossTestSuite()
        : TestSuite("mixnet-rdma-loss", TestSuite::Type::UNIT)
    {
        for (const char* recovery : {"ns3::GoBackN", "ns3::SelectiveRepeat"})
        {
            AddTestCase(new ExhaustedRetriesReportErrorsTest(recovery));
        }
        for (const double rate : {0.01, 0.05})
        {
            for (const uint32_t interval : {1, 4})
            {
                for (const char* recovery : {"ns3::GoBackN", "ns3::SelectiveRepeat"})
                {
                    AddTestCase(new RdmaRandomLossTest(recovery, rate, interval));
                }
            }
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaLossTestSuite g_rdmaLossTestSuite; //!< the suite
