/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pattern-test-case.h"

#include "ns3/no-congestion-control.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <set>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * One packet of n is lost, each in turn; the time to deliver the message over one link.
 *
 * With S(i) = RdmaPatternTest::SentAt(i), the end of packet i - 1 and start of packet i: the next
 * packet reveals the loss of packet k at S(k + 2) + DELAY and the sender hears of it ECHO after
 * S(k + 2). It acts at the next end of a packet, S(j), or at once when the line is idle.
 * - go-back-N sends k to n - 1 from there on;
 * - selective repeat sends k alone and goes on: all later packets are one packet late, and if none
 *   are left it is the last one.
 * The last packet has nothing behind it: one timeout after its start it goes again.
 */
class SingleLossCostsItsClosedFormTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name @param packets of the message
    SingleLossCostsItsClosedFormTest(const std::string& recovery, int64_t packets)
        : RdmaTestCase(recovery + ": single losses among " + std::to_string(packets)),
          m_recovery(recovery),
          m_packets(packets)
    {
    }

  private:
    using T = RdmaPatternTest;

    /// @param k the lost packet @return delivery of the last byte, ps
    int64_t GetClosedForm(int64_t k) const
    {
        const bool selective = m_recovery == "ns3::SelectiveRepeat";
        const int64_t wire = k == 0 ? T::FIRST : T::NEXT;
        const int64_t end = T::SentAt(m_packets);
        if (k == m_packets - 1)
        {
            const int64_t timeout = selective ? T::SHORT_TIMEOUT : T::TIMEOUT;
            return T::SentAt(k) + timeout + wire + T::DELAY;
        }
        const int64_t heard = T::SentAt(k + 2) + T::ECHO;
        int64_t j = 0;
        while (j < m_packets && T::SentAt(j) < heard)
        {
            ++j;
        }
        const int64_t start = std::max(T::SentAt(j), heard);
        return T::DELAY + (!selective    ? start + end - T::SentAt(k)
                           : heard > end ? heard + wire
                                         : end + wire);
    }

    void DoRun() override
    {
        for (int64_t k = 0; k < m_packets; ++k)
        {
            MakeChain(1, 1, 0, Cable("100Gbps", PicoSeconds(T::DELAY)));
            m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
            m_world->SetNicAttribute("CongestionControl",
                                     TypeIdValue(NoCongestionControl::GetTypeId()));
            Build();
            const Ptr<LossRecovery> recovery = Nic(0).GetLossRecovery();
            recovery->SetAttribute("Timeout", TimeValue(PicoSeconds(T::TIMEOUT)));
            recovery->SetAttributeFailSafe("ShortTimeout",
                                           TimeValue(PicoSeconds(T::SHORT_TIMEOUT)));
            const auto script = CreateObject<RdmaScript>(T::Lose({{static_cast<uint32_t>(k), 1}}));
            CorruptFrom(0, script);
            RdmaLog log;
            Nic(0).PostSend(Connect(0, 1, &log).first, 1, ByteCount(m_packets * 4096));
            Run();
            NS_TEST_ASSERT_MSG_EQ(script->corrupted, 1, "the case was exercised");
            NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered once");
            NS_TEST_EXPECT_MSG_EQ(log.received[0].at,
                                  PicoSeconds(GetClosedForm(k)),
                                  "loss of packet " << k);
            DoTeardown();
        }
    }

    std::string m_recovery; //!< strategy
    int64_t m_packets;      //!< of the message
};

/**
 * @ingroup mixnet-test
 * Random loss in both directions. A reassembler of its own sees what arrives at the ports and says
 * when each message must be complete; every packet counts once.
 */
class RandomLossIsRepairedExactlyOnceTest : public RdmaTestCase
{
  public:
    /// @param recovery TypeId name @param rate of loss @param messages per pair
    RandomLossIsRepairedExactlyOnceTest(const std::string& recovery, double rate, uint64_t messages)
        : RdmaTestCase(recovery + ": random loss " + std::to_string(rate)),
          m_selective(recovery == "ns3::SelectiveRepeat"),
          m_recovery(recovery),
          m_rate(rate),
          m_messages(messages)
    {
    }

  private:
    static constexpr uint64_t PAYLOAD = 256; //!< of a packet; small, as error models read its bytes

    /// What arrived for a queue pair.
    struct Arrived
    {
        uint64_t inOrder{0};       //!< all before it have arrived
        std::set<uint64_t> behind; //!< others
        std::vector<Time> done;    //!< by message
    };

    /// @param message order @return its bytes
    static uint64_t GetBytes(uint64_t message)
    {
        return message % 7 == 0 ? message % 2 : 188 * (message % 41);
    }

    /// @param frame data that arrived
    void OnArrival(const Frame& frame)
    {
        Arrived& a = m_arrived[frame.destination == 2 ? 0 : 1];
        ++m_arrivals;
        if (frame.psn > a.inOrder && m_selective)
        {
            a.behind.insert(frame.psn);
        }
        a.inOrder += frame.psn == a.inOrder ? 1 : 0;
        while (a.behind.erase(a.inOrder) > 0)
        {
            ++a.inOrder;
        }
        while (a.done.size() < m_messages && a.inOrder >= m_ends[a.done.size()])
        {
            a.done.push_back(Simulator::Now());
        }
    }

    void DoRun() override
    {
        MakeChain(2, 2, 1, Cable("100Gbps", NanoSeconds(500)));
        m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
        m_world->SetNicAttribute("PayloadSize", UintegerValue(PAYLOAD));
        Build();
        auto random = CreateObject<UniformRandomVariable>();
        random->SetStream(4);
        std::vector<Ptr<RdmaScript>> scripts;
        FrameTap tap([this](const Frame& f) { IsData(f.opcode) ? OnArrival(f) : void(); });
        for (uint32_t s = 0; s < 4; ++s)
        {
            scripts.push_back(CreateObject<RdmaScript>(
                [this, random](const Frame&, uint32_t) { return random->GetValue() < m_rate; }));
            CorruptFrom(s, scripts.back());
            Nic(s).GetLossRecovery()->SetAttribute("Timeout", TimeValue(MicroSeconds(100)));
        }
        tap.Connect(Nic(2).GetPort(0), "Receive");
        tap.Connect(Nic(3).GetPort(0), "Receive");
        uint64_t packets = 0;
        for (uint64_t m = 0; m < m_messages; ++m)
        {
            packets += std::max<uint64_t>((GetBytes(m) + PAYLOAD - 1) / PAYLOAD, 1);
            m_ends.push_back(packets);
        }
        RdmaLog log;
        for (uint32_t s = 0; s < 2; ++s)
        {
            const auto qps = Connect(s, 2 + s, &log);
            for (uint64_t m = 0; m < m_messages; ++m)
            {
                Nic(s).PostSend(qps.first, m, ByteCount(GetBytes(m)));
            }
        }
        Run();
        uint32_t lost = 0;
        for (const auto& script : scripts)
        {
            lost += script->corrupted;
        }
        NS_TEST_EXPECT_MSG_GT(lost, 5, "the case was exercised");
        Check(log, packets);
    }

    /// @param log completions @param packets of each queue pair
    void Check(const RdmaLog& log, uint64_t packets)
    {
        uint64_t next[2] = {0, 0};
        for (const auto& entry : log.received)
        {
            const uint32_t flow = entry.nic == &Nic(2) ? 0 : 1;
            const uint64_t m = next[flow]++;
            NS_TEST_ASSERT_MSG_EQ(entry.id, m, "in order");
            NS_TEST_ASSERT_MSG_EQ(entry.bytes, ByteCount(GetBytes(m)), "whole");
            NS_TEST_ASSERT_MSG_EQ(entry.at, m_arrived[flow].done.at(m), "when it was complete");
        }
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 2 * m_messages, "acknowledged");
        const RdmaCounters all = m_world->GetCounters();
        const uint64_t drops = m_world->GetFabric().GetTotalDrops();
        for (uint32_t flow = 0; flow < 2; ++flow)
        {
            NS_TEST_EXPECT_MSG_EQ(next[flow], m_messages, "delivered");
            NS_TEST_EXPECT_MSG_EQ(m_arrived[flow].inOrder, packets, "all arrived");
        }
        NS_TEST_EXPECT_MSG_EQ(all.dataAccepted, 2 * packets, "each packet accepted once");
        NS_TEST_EXPECT_MSG_EQ(all.dataReceived, m_arrivals, "what arrived");
        // all that was injected was received or dropped; answers, too
        const uint64_t answers = all.acksSent + all.nacksSent + all.cnpsSent;
        const uint64_t heard = all.acksReceived + all.nacksReceived + all.cnpsReceived;
        NS_TEST_EXPECT_MSG_EQ(all.dataSent + answers,
                              all.dataReceived + heard + drops,
                              "conserved");
        NS_TEST_EXPECT_MSG_EQ((all.dataOutOfOrder > 0), !m_selective, "only go-back-N drops");
    }

    bool m_selective;             //!< strategy
    std::string m_recovery;       //!< its name
    double m_rate;                //!< of loss
    uint64_t m_messages;          //!< per pair
    std::vector<uint64_t> m_ends; //!< behind the last packet, by message
    Arrived m_arrived[2];         //!< by pair
    uint64_t m_arrivals{0};       //!< data that arrived
};

/// @ingroup mixnet-test
class RdmaSingleLossTestSuite : public TestSuite
{
  public:
    RdmaSingleLossTestSuite()
        : TestSuite("mixnet-rdma-single-loss", TestSuite::Type::UNIT)
    {
        for (const char* recovery : {"ns3::GoBackN", "ns3::SelectiveRepeat"})
        {
            for (const int64_t packets : {2, 5, 10, 40})
            {
                AddTestCase(new SingleLossCostsItsClosedFormTest(recovery, packets));
            }
            AddTestCase(new RandomLossIsRepairedExactlyOnceTest(recovery, 1e-4, 3000));
            AddTestCase(new RandomLossIsRepairedExactlyOnceTest(recovery, 1e-3, 800));
            AddTestCase(new RandomLossIsRepairedExactlyOnceTest(recovery, 1e-2, 400));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaSingleLossTestSuite g_rdmaSingleLossTestSuite; //!< the suite
