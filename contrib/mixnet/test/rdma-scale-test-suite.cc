/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Many queue pairs: field report 43, and 1,023 peers at once.

#include "rdma-test-case.h"

#include "ns3/no-congestion-control.h"
#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * One NIC talks with 1,023 others at once, and they with it: everybody gets a message of three
 * packets and answers with one of a byte.
 */
class ThousandPeersAtOnceTest : public RdmaTestCase
{
  public:
    ThousandPeersAtOnceTest()
        : RdmaTestCase("1,023 peers at once")
    {
    }

  private:
    static constexpr uint32_t PEERS = 1023; //!< of server 0

    void DoRun() override
    {
        MakeChain(1 + PEERS, 0, 1, Cable("400Gbps", NanoSeconds(500)));
        m_world->SetSwitchAttribute("BufferSize", StringValue("1024MiB"));
        Build();
        RdmaLog log;
        std::vector<uint32_t> numbers;
        for (uint32_t peer = 1; peer <= PEERS; ++peer)
        {
            const auto qps = Connect(0, peer, &log);
            numbers.push_back(qps.first);
            Nic(0).PostSend(qps.first, peer, ByteCount(10000));
            Nic(peer).PostSend(qps.second, peer, ByteCount(1));
        }
        Run();
        std::sort(numbers.begin(), numbers.end());
        NS_TEST_EXPECT_MSG_EQ((std::unique(numbers.begin(), numbers.end()) == numbers.end()),
                              true,
                              "numbers are unique");
        NS_TEST_EXPECT_MSG_EQ(log.received.size(), 2 * PEERS, "delivered");
        NS_TEST_EXPECT_MSG_EQ(log.sent.size(), 2 * PEERS, "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().payloadAccepted, PEERS, "a byte of each");
        for (uint32_t peer = 1; peer <= PEERS; ++peer)
        {
            NS_TEST_ASSERT_MSG_EQ(Nic(peer).GetCounters().payloadAccepted, 10000, "whole");
        }
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
    }
};

/**
 * @ingroup mixnet-test
 * All-to-all of n ranks in layers, a queue pair per message, destroyed when it is acknowledged: the
 * memory held at the end is what the largest number in use at once needed.
 */
class MemoryFollowsActiveMessagesTest : public RdmaTestCase, public WorkSink
{
  public:
    /**
     * @param ranks n @param layers of n (n - 1) messages; the next begins when half of one is
     * delivered @param bytes of a message @param peers at most at once of a rank and layer
     */
    MemoryFollowsActiveMessagesTest(uint32_t ranks, uint32_t layers, uint64_t bytes, uint32_t peers)
        : RdmaTestCase("memory follows active messages, " + std::to_string(ranks) + " ranks, " +
                       std::to_string(layers) + " layers"),
          m_ranks(ranks),
          m_layers(layers),
          m_bytes(bytes),
          m_peers(peers)
    {
    }

    void OnSend(RdmaNic& nic, const SendCompletion& c) override
    {
        const auto it = m_open.find({&nic, c.qp});
        const Open done = it->second;
        m_open.erase(it);
        nic.DestroyQp(c.qp);
        Nic(done.to).DestroyQp(done.peer);
        Next(done.from, done.layer);
    }

    void OnReceive(RdmaNic&, const ReceiveCompletion& c) override
    {
        m_delivered += c.bytes.Get();
        const uint64_t half = m_bytes * m_ranks * (m_ranks - 1) / 2;
        if (m_started < m_layers && m_delivered >= half * (2 * m_started - 1))
        {
            Start();
        }
    }

  private:
    /// A message under way.
    struct Open
    {
        uint32_t from;  //!< rank
        uint32_t to;    //!< rank
        uint32_t peer;  //!< queue pair at `to`
        uint32_t layer; //!< its layer
    };

    /// Start the next layer.
    void Start()
    {
        m_posted.emplace_back(m_ranks, 0);
        ++m_started;
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            for (uint32_t i = 0; i < std::min(m_peers, m_ranks - 1); ++i)
            {
                Next(rank, m_started - 1);
            }
        }
    }

    /// Post a rank's next message of a layer, if there is one. @param rank source @param layer it
    void Next(uint32_t rank, uint32_t layer)
    {
        uint32_t& posted = m_posted[layer][rank];
        if (posted + 1 < m_ranks)
        {
            const uint32_t to = (rank + ++posted) % m_ranks;
            const auto qps = Connect(rank, to, this);
            m_open[{&Nic(rank), qps.first}] = {rank, to, qps.second, layer};
            Nic(rank).PostSend(qps.first, 0, ByteCount(m_bytes));
            m_peak[rank] = std::max(m_peak[rank], Nic(rank).GetNQps());
            m_peak[to] = std::max(m_peak[to], Nic(to).GetNQps());
        }
    }

    void DoRun() override
    {
        MakeChain(m_ranks, 0, 1, Cable("400Gbps", NanoSeconds(500)));
        m_world->SetNicAttribute("CongestionControl",
                                 TypeIdValue(NoCongestionControl::GetTypeId()));
        m_world->SetSwitchAttribute("BufferSize", StringValue("1024MiB"));
        Build();
        m_peak.assign(m_ranks, 0);
        Start();
        Run();
        const uint64_t messages = uint64_t(m_ranks) * (m_ranks - 1);
        NS_TEST_EXPECT_MSG_EQ(m_delivered, m_layers * messages * m_bytes, "all delivered");
        NS_TEST_EXPECT_MSG_EQ(m_open.size(), 0, "all acknowledged");
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            NS_TEST_ASSERT_MSG_EQ(Nic(rank).GetNQps(), 0, "queue pairs left");
            // slots come 64 at a time
            NS_TEST_ASSERT_MSG_LT(Nic(rank).GetQpCapacity(), m_peak[rank] + 64, "memory held");
            NS_TEST_ASSERT_MSG_LT(m_peak[rank], 2 * m_layers * (m_ranks - 1), "not all at once");
        }
    }

    uint32_t m_ranks;                                           //!< n
    uint32_t m_layers;                                          //!< of messages
    uint64_t m_bytes;                                           //!< of a message
    uint32_t m_peers;                                           //!< at once
    uint32_t m_started{0};                                      //!< layers
    uint64_t m_delivered{0};                                    //!< bytes
    std::vector<std::vector<uint32_t>> m_posted;                //!< by layer and rank
    std::vector<uint32_t> m_peak;                               //!< queue pairs at once, by rank
    std::map<std::pair<const RdmaNic*, uint32_t>, Open> m_open; //!< under way
};

/// @ingroup mixnet-test
class RdmaScaleTestSuite : public TestSuite
{
  public:
    RdmaScaleTestSuite()
        : TestSuite("mixnet-rdma-scale", TestSuite::Type::UNIT)
    {
        AddTestCase(new ThousandPeersAtOnceTest());
        AddTestCase(new MemoryFollowsActiveMessagesTest(64, 8, 8192, 64));
        AddTestCase(new MemoryFollowsActiveMessagesTest(512, 1, 512, 16));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaScaleTestSuite g_rdmaScaleTestSuite; //!< the suite
