/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-pattern-test-case.h"

#include "ns3/string.h"

#include <algorithm>
#include <limits>

using namespace ns3;

bool
RdmaPatternTest::None(const Frame&, uint32_t)
{
    return false;
}

RdmaScript::Function
RdmaPatternTest::Lose(std::vector<std::pair<uint32_t, uint32_t>> packets)
{
    return [packets](const Frame& frame, uint32_t) mutable {
        for (auto& [packet, passages] : packets)
        {
            if (IsData(frame.opcode) && frame.psn == packet && passages > 0)
            {
                --passages;
                return true;
            }
        }
        return false;
    };
}

RdmaScript::Function
RdmaPatternTest::LoseAnswers(FrameOpcode opcode, uint32_t from, uint32_t count)
{
    return [opcode, from, count](const Frame& frame, uint32_t number) {
        return frame.opcode == opcode && number >= from && number - from < count;
    };
}

RdmaPatternTest::Answers
RdmaPatternTest::Acks(uint32_t to, uint32_t psn, uint32_t count)
{
    return {to, count, true, psn, true, 0};
}

RdmaPatternTest::Answers
RdmaPatternTest::AckAt(uint32_t to, uint32_t psn)
{
    return Acks(to, psn, 1);
}

RdmaPatternTest::Answers
RdmaPatternTest::Nack(uint32_t to, uint32_t psn)
{
    return {to, 1, false, psn, false, 0};
}

RdmaPatternTest::Answers
RdmaPatternTest::Sacks(uint32_t to, uint32_t psn, uint32_t sacked, uint32_t count)
{
    return {to, count, false, psn, false, sacked};
}

std::string
RdmaPatternTest::Sent::Print() const
{
    return std::to_string(at) + " ps " + ns3::GetName(opcode) + " " + std::to_string(psn) + " (" +
           std::to_string(sacked) + ")";
}

void
RdmaPatternTest::Compare(const std::vector<Sent>& got,
                         const std::vector<Sent>& expected,
                         const std::string& what)
{
    NS_TEST_EXPECT_MSG_EQ(got.size(), expected.size(), what << ": frames");
    for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i)
    {
        NS_TEST_ASSERT_MSG_EQ(got[i].Print(), expected[i].Print(), what << ": frame " << i);
    }
}

void
RdmaPatternTest::DoRun()
{
    MakeChain(1, 1, 0, Cable("100Gbps", PicoSeconds(DELAY)));
    m_world->SetNicAttribute("LossRecovery", StringValue(m_recovery));
    Build();
    const Ptr<LossRecovery> recovery = Nic(0).GetLossRecovery();
    recovery->SetAttribute("Timeout", TimeValue(PicoSeconds(TIMEOUT)));
    recovery->SetAttributeFailSafe("ShortTimeout", TimeValue(PicoSeconds(SHORT_TIMEOUT)));
    const auto data = CreateObject<RdmaScript>(m_pattern.data);
    const auto replies = CreateObject<RdmaScript>(m_pattern.replies);
    CorruptFrom(0, data);
    CorruptFrom(1, replies);

    std::vector<Sent> sent;
    std::vector<Sent> answered;
    FrameTap tap([&sent, &answered](const Frame& f) {
        const int64_t now = Simulator::Now().GetPicoSeconds();
        IsData(f.opcode) ? sent.push_back({now, FrameOpcode::DATA_MIDDLE, f.psn, 0})
                         : answered.push_back({now, f.opcode, f.psn, f.messageBytes});
    });
    tap.Connect(Nic(0).GetPort(0));
    tap.Connect(Nic(1).GetPort(0));

    RdmaLog log;
    const auto qps = Connect(0, 1, &log);
    Nic(0).PostSend(qps.first, 1, ByteCount(N_PACKETS * 4096));
    Run();

    std::vector<Sent> expected;
    std::vector<int64_t> ends;
    for (const Burst& burst : m_pattern.sent)
    {
        int64_t at = burst.start;
        for (uint32_t psn = burst.first; psn <= burst.last; ++psn)
        {
            expected.push_back({at, FrameOpcode::DATA_MIDDLE, psn, 0});
            at += psn == 0 ? FIRST : NEXT;
            ends.push_back(at);
        }
    }
    Compare(sent, expected, "data");
    std::vector<Sent> expectedAnswers;
    for (const Answers& a : m_pattern.answers)
    {
        for (uint32_t i = 0; i < a.count; ++i)
        {
            expectedAnswers.push_back({ends.at(a.to + i) + DELAY,
                                       a.ack ? FrameOpcode::ACK : FrameOpcode::NACK,
                                       a.psn + (a.rising ? i : 0),
                                       a.sacked > 0 ? a.sacked + i : 0});
        }
    }
    Compare(answered, expectedAnswers, "answers");

    NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "delivered once");
    NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 1, "completed once");
    NS_TEST_EXPECT_MSG_EQ(log.received[0].at,
                          PicoSeconds(ends.at(m_pattern.completing) + DELAY),
                          "delivery of the last byte");
    NS_TEST_EXPECT_MSG_EQ(log.received[0].bytes, ByteCount(N_PACKETS * 4096), "bytes");
    NS_TEST_EXPECT_MSG_EQ(log.sent[0].at,
                          PicoSeconds(ends.at(m_pattern.confirming) + ECHO),
                          "send completion");
    NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, m_pattern.timeouts, "timeouts");
    const RdmaCounters& rx = Nic(1).GetCounters();
    NS_TEST_EXPECT_MSG_EQ(rx.dataDuplicate, m_pattern.duplicates, "duplicates");
    NS_TEST_EXPECT_MSG_EQ(rx.payloadAccepted, N_PACKETS * 4096, "each byte accepted once");
    // injected = accepted + duplicate + out of order + lost on the wire
    NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataSent,
                          rx.dataReceived + data->corrupted,
                          "packets are conserved");
}
