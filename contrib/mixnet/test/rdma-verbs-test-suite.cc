/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/message-layout.h"
#include "ns3/no-congestion-control.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Messages of all sizes on one queue pair, both ways at once: in order, whole, each completed once
 * at both ends; sequence numbers cross 2^24 on the wire.
 */
class MessagesOfAllSizesCrossThePsnWrapTest : public RdmaTestCase
{
  public:
    MessagesOfAllSizesCrossThePsnWrapTest()
        : RdmaTestCase("messages of all sizes over the wrap of the PSN")
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, 1, Cable("100Gbps", NanoSeconds(1000)));
        Build();
        RdmaLog log;
        QpConfig config;
        config.sink = &log;
        config.firstPsn = (1 << 24) - 20;
        const auto qps = RdmaNic::CreatePair(Nic(0), config, Nic(1), config);
        const std::vector<uint64_t> sizes{0, 1, 4096, 0, 4097, 100000, 0, 65536, 1, 1 << 20};
        for (uint64_t i = 0; i < sizes.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(Nic(0).PostSend(qps.first, 100 + i, ByteCount(sizes[i])), i, "n");
            Nic(1).PostSend(qps.second, 200 + i, ByteCount(sizes[i]));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 2 * sizes.size(), "delivered");
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 2 * sizes.size(), "acknowledged");
        uint64_t next[2] = {0, 0};
        for (const auto& entry : log.received)
        {
            uint64_t& number = next[entry.nic == &Nic(0) ? 0 : 1];
            NS_TEST_EXPECT_MSG_EQ(entry.id, number, "in order");
            NS_TEST_EXPECT_MSG_EQ(entry.bytes, ByteCount(sizes[number]), "whole");
            ++number;
        }
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing lost");
        NS_TEST_EXPECT_MSG_GT(Nic(0).GetCounters().dataSent, 20, "the wrap was crossed");
    }
};

/**
 * @ingroup mixnet-test
 * A message above 4 GiB (field report 9: 6,467,616,768 B) is cut at 2 GiB and completed as one.
 * Links of 800G (10 ps per byte): FCT = (wire bytes + (hops - 1) x largest packet) / rate + hops x
 * delay (mixnet-rdma derives it), wire bytes = payload + 82 per packet + 16 per segment.
 */
class MessagesAboveFourGibAreExactTest : public RdmaTestCase
{
  public:
    /// @param bytes payload @param hops links
    MessagesAboveFourGibAreExactTest(uint64_t bytes, uint32_t hops)
        : RdmaTestCase(std::to_string(bytes) + " B over " + std::to_string(hops) + " hops"),
          m_bytes(bytes),
          m_hops(hops)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, m_hops - 1, Cable("800Gbps", NanoSeconds(1000)));
        m_world->SetNicAttribute("PayloadSize", UintegerValue(9000));
        Build();
        for (uint32_t s : {0, 1})
        {
            Nic(s).GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(16));
        }
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        const uint64_t bytes = m_bytes;
        Nic(0).PostSend(qps.first, 5, ByteCount(bytes));
        Run();
        const uint64_t full = ((uint64_t(1) << 31) + 8999) / 9000;
        const uint64_t segments = bytes / (uint64_t(1) << 31) + 1;
        const uint64_t rest = bytes % (uint64_t(1) << 31);
        const uint64_t packets = (segments - 1) * full + (rest + 8999) / 9000;
        const uint64_t wire = bytes + packets * 82 + segments * 16 + (m_hops - 1) * (9000 + 98);
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].bytes, ByteCount(bytes), "bytes");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].at,
                              PicoSeconds(static_cast<uint64_t>(10 * wire)) +
                                  NanoSeconds(1000) * m_hops,
                              "FCT");
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 1, "one send completion");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataSent, packets, "packets");
    }

    uint64_t m_bytes; //!< payload
    uint32_t m_hops;  //!< links
};

/**
 * @ingroup mixnet-test
 * Field report 13: one source, two destinations, the same UDP port; then 60,000 messages one after
 * the other on a pair.
 */
class SourcePortsAndCountersDoNotCollideTest : public RdmaTestCase
{
  public:
    SourcePortsAndCountersDoNotCollideTest()
        : RdmaTestCase("two destinations, and 60,000 successive messages")
    {
    }

  private:
    /// Posts the next message when one arrives.
    class Chain : public WorkSink
    {
      public:
        void OnSend(RdmaNic&, const SendCompletion&) override
        {
            ++acknowledged;
        }

        void OnReceive(RdmaNic&, const ReceiveCompletion& c) override
        {
            delivered += c.bytes;
            if (++count < 60000)
            {
                sender->PostSend(qp, count, ByteCount(1 + count % 5000));
            }
        }

        RdmaNic* sender{nullptr}; //!< posts
        uint32_t qp{0};           //!< its queue pair
        uint64_t count{0};        //!< messages delivered
        uint64_t acknowledged{0}; //!< messages acknowledged
        ByteCount delivered;      //!< payload
    };

    void DoRun() override
    {
        MakeChain(1, 2, 1, Cable("100Gbps", NanoSeconds(100)));
        Build();
        RdmaLog log;
        const auto a = Connect(0, 1, &log);
        const auto b = Connect(0, 2, &log);
        Nic(0).PostSend(a.first, 1, ByteCount(50000));
        Nic(0).PostSend(b.first, 2, ByteCount(70000));
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 2, "both delivered");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetReceived(a.second), ByteCount(50000), "first");
        NS_TEST_EXPECT_MSG_EQ(Nic(2).GetReceived(b.second), ByteCount(70000), "second");

        Chain chain;
        const auto c = Connect(0, 1, &chain);
        chain.sender = &Nic(0);
        chain.qp = c.first;
        Nic(0).PostSend(c.first, 0, ByteCount(1));
        Run();
        uint64_t expected = 0;
        for (uint64_t i = 0; i < 60000; ++i)
        {
            expected += 1 + i % 5000;
        }
        NS_TEST_EXPECT_MSG_EQ(chain.count, 60000, "delivered");
        NS_TEST_EXPECT_MSG_EQ(chain.acknowledged, 60000, "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(chain.delivered, ByteCount(expected), "bytes");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetNQps(), 3, "queue pairs in use");
    }
};

/**
 * @ingroup mixnet-test
 * Field report 15: queue pairs are destroyed and created inside their own callbacks, 10,000 times:
 * in the send completion, in the receive completion, and while another message is under way.
 */
class QueuePairsMayDieInTheirCallbacksTest : public RdmaTestCase, public WorkSink
{
  public:
    QueuePairsMayDieInTheirCallbacksTest()
        : RdmaTestCase("queue pairs destroyed in their own callbacks")
    {
    }

    void OnSend(RdmaNic&, const SendCompletion& c) override
    {
        if (m_round % 3 == 0 && c.qp == m_pair.first)
        {
            Renew();
        }
    }

    void OnReceive(RdmaNic&, const ReceiveCompletion& c) override
    {
        if (m_round % 3 != 0 && c.qp == m_pair.second)
        {
            Renew();
        }
    }

  private:
    /// Destroy both ends and start again.
    void Renew()
    {
        Nic(0).DestroyQp(m_pair.first);
        Nic(1).DestroyQp(m_pair.second);
        if (++m_round < 10000)
        {
            Start();
        }
    }

    /// Create, connect, post.
    void Start()
    {
        m_pair = Connect(0, 1, this);
        m_numbers.push_back(m_pair.first);
        Nic(0).PostSend(m_pair.first, m_round, ByteCount(m_round % 9000));
        if (m_round % 3 == 2)
        {
            Nic(0).PostSend(m_pair.first, m_round, ByteCount(20000)); // under way when destroyed
        }
    }

    void DoRun() override
    {
        MakeChain(1, 1, 1, Cable("100Gbps", NanoSeconds(100)));
        Build();
        Start();
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_round, 10000, "rounds");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetNQps(), 0, "none left");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetNQps(), 0, "none left");
        NS_TEST_EXPECT_MSG_GT(m_world->GetCounters().strays, 1000, "frames of dead queue pairs");
        for (const uint32_t number : m_numbers)
        {
            NS_TEST_ASSERT_MSG_GT(number, 1, "0 and 1 are reserved");
            NS_TEST_ASSERT_MSG_LT(number, 1 << 24, "24 bits");
        }
    }

    std::pair<uint32_t, uint32_t> m_pair; //!< queue pairs in use
    std::vector<uint32_t> m_numbers;      //!< all that were
    uint64_t m_round{0};                  //!< rounds done
};

/**
 * @ingroup mixnet-test
 * N:1 incast of equal messages with PFC and no congestion control: nothing is lost, neighbors were
 * paused, the bottleneck never idles, and all senders end together.
 *
 * The last link carries all wire bytes back to back from the arrival of the first packet on:
 * makespan = first packet over one hop + delay + sum of wire times + delay. Shares are fair if no
 * sender is done before 90 % of that time.
 */
class RdmaIncastTest : public RdmaTestCase
{
  public:
    /// @param senders N @param rate of all links @param picosPerByte of it
    RdmaIncastTest(uint32_t senders, const std::string& rate, int64_t picosPerByte)
        : RdmaTestCase("incast " + std::to_string(senders) + ":1 at " + rate),
          m_senders(senders),
          m_rate(rate),
          m_picosPerByte(picosPerByte)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(m_senders, 1, 1, Cable(m_rate, NanoSeconds(500)));
        m_world->SetNicAttribute("CongestionControl",
                                 TypeIdValue(NoCongestionControl::GetTypeId()));
        m_world->SetSwitchAttribute("BufferSize", StringValue("8MiB"));
        Build();
        RdmaLog log;
        const uint64_t bytes = 2 << 20;
        for (uint32_t s = 0; s < m_senders; ++s)
        {
            Nic(s).PostSend(Connect(s, m_senders, &log).first, s, ByteCount(bytes));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), m_senders, "all delivered");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        uint64_t pauses = 0;
        for (uint32_t s = 0; s < m_senders; ++s)
        {
            pauses += Nic(s).GetPort(0).GetCounters().pausesReceived;
            NS_TEST_EXPECT_MSG_EQ(Nic(s).GetCounters().dataResent, 0, "nothing sent again");
        }
        NS_TEST_EXPECT_MSG_GT(pauses, 0, "PFC was needed");
        const auto packets = static_cast<int64_t>(bytes / 4096);
        const int64_t wire = static_cast<int64_t>(bytes) + 82 * packets + 16;
        const int64_t ideal =
            (4096 + 98 + m_senders * wire) * m_picosPerByte + 2 * NanoSeconds(500).GetTimeStep();
        NS_TEST_EXPECT_MSG_EQ(log.received.back().at, PicoSeconds(ideal), "bottleneck is busy");
        NS_TEST_EXPECT_MSG_GT(log.received.front().at.GetTimeStep(), ideal * 9 / 10, "fair");
    }

    uint32_t m_senders;     //!< N
    std::string m_rate;     //!< of all links
    int64_t m_picosPerByte; //!< of all links
};

/// @ingroup mixnet-test
class RdmaVerbsTestSuite : public TestSuite
{
  public:
    RdmaVerbsTestSuite()
        : TestSuite("mixnet-rdma-verbs", TestSuite::Type::UNIT)
    {
        AddTestCase(new MessagesAboveFourGibAreExactTest(6467616768, 1));
        AddTestCase(new MessagesAboveFourGibAreExactTest((uint64_t(1) << 32) + 1, 6));
        AddTestCase(new MessagesOfAllSizesCrossThePsnWrapTest());
        AddTestCase(new SourcePortsAndCountersDoNotCollideTest());
        AddTestCase(new QueuePairsMayDieInTheirCallbacksTest());
        for (const uint32_t senders : {2, 8, 32})
        {
            AddTestCase(new RdmaIncastTest(senders, "100Gbps", 80));
            AddTestCase(new RdmaIncastTest(senders, "400Gbps", 20));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaVerbsTestSuite g_rdmaVerbsTestSuite; //!< the suite
