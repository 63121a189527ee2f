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

// One link of 100G and 1 us; messages of ten packets of 4,096 B. All in ps: wire time of the first
// packet (RETH), of the others, of an ACK or NACK, propagation.
constexpr int64_t FIRST = (82 + 16 + 4096) * 80;
constexpr int64_t NEXT = (82 + 4096) * 80;
constexpr int64_t ACK = 86 * 80;
constexpr int64_t DELAY = 1000 * 1000;
constexpr uint64_t N_PACKETS = 10;
constexpr int64_t TIMEOUT = 100 * 1000 * 1000; // 100 us, IBTA-like timers are far longer

/// @param i a packet @return when it is first sent
constexpr int64_t
SentAt(int64_t i)
{
    return i == 0 ? 0 : FIRST + (i - 1) * NEXT;
}

constexpr int64_t LOSS_FREE = SentAt(N_PACKETS) + DELAY; //!< delivery of the last byte

/// @param frame data @return index of the packet
uint32_t
Index(const Frame& frame)
{
    return frame.psn;
}

} // namespace

/**
 * @ingroup mixnet-test
 * A message of ten packets over one link with scripted losses, and what must come of it.
 */
class RdmaLossTest : public RdmaTestCase
{
  public:
    /// What is lost and what is expected.
    struct Script
    {
        std::string name;             //!< what it guards
        RdmaScript::Function data;    //!< losses from sender to receiver
        RdmaScript::Function replies; //!< losses back
        int64_t delivered{LOSS_FREE}; //!< FCT in ps
        int64_t acknowledged{-1};     //!< send completion in ps; -1: not checked
        uint64_t resent{0};           //!< packets sent again
        uint64_t nacks{0};            //!< NACKs sent
        uint64_t timeouts{0};         //!< timeouts
        uint64_t duplicates{0};       //!< packets that had arrived before
    };

    /// @param script what is lost and expected
    explicit RdmaLossTest(const Script& script)
        : RdmaTestCase(script.name),
          m_script(script)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, 0, Cable("100Gbps", PicoSeconds(DELAY)));
        Build();
        Nic(0).GetLossRecovery()->SetAttribute("Timeout", TimeValue(PicoSeconds(TIMEOUT)));
        const auto data = CreateObject<RdmaScript>(m_script.data);
        const auto replies = CreateObject<RdmaScript>(m_script.replies);
        CorruptFrom(0, data);
        CorruptFrom(1, replies);
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        Nic(0).PostSend(qps.first, 1, ByteCount(N_PACKETS * 4096));
        Run();
        NS_TEST_EXPECT_MSG_GT(data->corrupted + replies->corrupted, 0, "the case was exercised");
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered once");
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 1, "completed once");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].at, PicoSeconds(m_script.delivered), "FCT");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].bytes, ByteCount(N_PACKETS * 4096), "bytes");
        if (m_script.acknowledged >= 0)
        {
            NS_TEST_EXPECT_MSG_EQ(log.sent[0].at, PicoSeconds(m_script.acknowledged), "send done");
        }
        const RdmaCounters& tx = Nic(0).GetCounters();
        const RdmaCounters& rx = Nic(1).GetCounters();
        NS_TEST_EXPECT_MSG_EQ(tx.dataResent, m_script.resent, "sent again");
        NS_TEST_EXPECT_MSG_EQ(tx.timeouts, m_script.timeouts, "timeouts");
        NS_TEST_EXPECT_MSG_EQ(rx.nacksSent, m_script.nacks, "NACKs");
        NS_TEST_EXPECT_MSG_EQ(rx.dataDuplicate, m_script.duplicates, "duplicates");
        NS_TEST_EXPECT_MSG_EQ(rx.payloadAccepted, N_PACKETS * 4096, "each byte accepted once");
    }

    Script m_script; //!< losses and expectations
};

namespace
{

/// @return the cases of field reports 1, 3 and 5, each with its derivation
std::vector<RdmaLossTest::Script>
MakeScripts()
{
    using Script = RdmaLossTest::Script;
    const auto none = [](const Frame&, uint32_t) { return false; };
    const auto once = [](uint32_t packet) {
        return [packet, done = false](const Frame& f, uint32_t) mutable {
            const bool lose = !done && IsData(f.opcode) && Index(f) == packet;
            done = done || lose;
            return lose;
        };
    };
    const auto nacks = [](const Frame& f, uint32_t) { return f.opcode == FrameOpcode::NACK; };
    std::vector<Script> scripts;

    // Field report 1. Packet 9 is timed from its own start (the ACK of the packet timed before came
    // after it was sent), so it is sent again exactly one timeout after it was first sent.
    Script lastPacket{"lost last packet", once(9), none};
    lastPacket.delivered = LOSS_FREE + TIMEOUT;
    lastPacket.acknowledged = LOSS_FREE + TIMEOUT + ACK + DELAY;
    lastPacket.resent = 1;
    lastPacket.timeouts = 1;
    scripts.push_back(lastPacket);

    // Field report 1: the receiver has everything; the duplicate is acknowledged.
    Script lastAck{"lost last ACK", none, [](const Frame& f, uint32_t count) {
                       return f.opcode == FrameOpcode::ACK && count == 9;
                   }};
    lastAck.acknowledged = LOSS_FREE + TIMEOUT + ACK + DELAY;
    lastAck.resent = 1;
    lastAck.timeouts = 1;
    lastAck.duplicates = 1;
    scripts.push_back(lastAck);

    // Packet 2 is lost. Packet 3 reveals it at SentAt(4) + DELAY, the NACK is heard ACK + DELAY
    // later, at 3,345,120 ps, while packet 9 (SentAt(9) = 3,009,440) is being sent until SentAt(10)
    // = 3,343,680: the line is free, packets 2 to 9 go at once.
    Script nack{"lost packet, NACK", once(2), none};
    nack.delivered = SentAt(4) + DELAY + ACK + DELAY + 8 * NEXT + DELAY;
    nack.resent = 8;
    nack.nacks = 1;
    scripts.push_back(nack);

    // Field report 3. The ACK of packet 0 comes at FIRST + ACK + 2 DELAY = 2,342,400 ps; the newest
    // packet then is 7 (SentAt(7) = 2,340,960), and it is timed. Packet 3 is missing and no NACK
    // comes: 3 to 9 are sent again one timeout after packet 7 was sent.
    Script allNacks{"all NACKs lost", once(3), nacks};
    allNacks.delivered = SentAt(7) + TIMEOUT + 7 * NEXT + DELAY;
    allNacks.resent = 7;
    allNacks.nacks = 1;
    allNacks.timeouts = 1;
    scripts.push_back(allNacks);

    // Field report 5: packet 8 of the last window is lost, the ACKs of 0 to 7 and the NACK that 9
    // draws share the reverse path. The NACK is heard at SentAt(10) + 2 DELAY + ACK.
    Script window{"lost packet in the last window", once(8), none};
    window.delivered = SentAt(10) + DELAY + ACK + DELAY + 2 * NEXT + DELAY;
    window.resent = 2;
    window.nacks = 1;
    scripts.push_back(window);

    // The first packet is lost and packet 1 reveals it at SentAt(2) + DELAY; heard at
    // 2 DELAY + 669,760 + ACK = 2,676,640 ps, inside packet 8 (until SentAt(9) = 3,009,440).
    // Packet 0 goes again from there, with its RETH.
    Script first{"lost first packet", once(0), none};
    first.delivered = SentAt(9) + LOSS_FREE;
    first.resent = 9;
    first.nacks = 1;
    scripts.push_back(first);

    // A retransmission is lost, too: packet 9 twice. The second timeout is twice as long and runs
    // from the first retransmission, at SentAt(9) + TIMEOUT.
    Script twice{"back-off",
                 [count = 0](const Frame& f, uint32_t) mutable {
                     return IsData(f.opcode) && Index(f) == 9 && ++count <= 2;
                 },
                 none};
    twice.delivered = LOSS_FREE + 3 * TIMEOUT;
    twice.resent = 2;
    twice.timeouts = 2;
    scripts.push_back(twice);
    return scripts;
}

} // namespace

/**
 * @ingroup mixnet-test
 * Nothing comes through: with a retry limit of 2 the message is given up after 1 + 2 + 4 timeouts,
 * and everything queued behind it, too.
 */
class RdmaGiveUpTest : public RdmaTestCase
{
  public:
    RdmaGiveUpTest()
        : RdmaTestCase("retries exhausted")
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, 0, Cable("100Gbps", PicoSeconds(DELAY)));
        Build();
        Nic(0).GetLossRecovery()->SetAttribute("Timeout", TimeValue(PicoSeconds(TIMEOUT)));
        Nic(0).GetLossRecovery()->SetAttribute("RetryLimit", UintegerValue(2));
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
            NS_TEST_EXPECT_MSG_EQ(log.sent[id].id, id, "in order");
            NS_TEST_EXPECT_MSG_EQ((log.sent[id].status == WorkStatus::RETRY_EXCEEDED), true, "how");
            NS_TEST_EXPECT_MSG_EQ(log.sent[id].at, PicoSeconds(7 * TIMEOUT), "when");
        }
        NS_TEST_EXPECT_MSG_EQ(Nic(0).IsFailed(qps.first), true, "the queue pair is in error");
        Nic(0).PostSend(qps.first, 9, ByteCount(1));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 4, "posting on it fails, too");
        NS_TEST_EXPECT_MSG_EQ(log.received.size(), 0, "nothing arrived");
    }
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
        for (const auto& script : MakeScripts())
        {
            AddTestCase(new RdmaLossTest(script));
        }
        AddTestCase(new RdmaGiveUpTest());
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
