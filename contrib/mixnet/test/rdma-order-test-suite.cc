/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/go-back-n.h"
#include "ns3/ns3-compat.h"
#include "ns3/selective-repeat.h"
#include "ns3/string.h"

#include <algorithm>
#include <random>
#include <tuple>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * NICs that look at arrivals late (FabricElement) give the results of NICs that have an event per
 * arrival, to the tick: all completions and all counters, under congestion, pauses and loss.
 *
 * The oracle is the other mode, which has no urgent arrivals and no polls. Eight servers on two
 * switches with one cable between; each received message is answered by another one, so posting
 * depends on the times of completions. Packets of sockets are sent beside, at any time.
 */
class RdmaLateLooksTest : public RdmaTestCase, private WorkSink
{
  public:
    /// @param recovery strategy @param loss drop every so many frames of server 0; 0: none
    RdmaLateLooksTest(TypeId recovery, uint32_t loss)
        : RdmaTestCase("late looks, " + recovery.GetName() + ", loss " + std::to_string(loss)),
          m_recovery(recovery),
          m_loss(loss)
    {
    }

  private:
    /// Time, kind, server, queue pair, work request or order, bytes.
    using Event = std::tuple<int64_t, int, uint32_t, uint32_t, uint64_t, uint64_t>;

    /// What one run gives.
    struct Outcome
    {
        std::vector<Event> events;      //!< completions
        std::vector<uint64_t> counters; //!< of all NICs
        uint64_t steps{0};              //!< events of the simulator
    };

    void OnSend(RdmaNic& nic, const SendCompletion& c) override
    {
        m_outcome.events.emplace_back(Simulator::Now().GetTimeStep(),
                                      0,
                                      nic.GetPort(0).GetNicAddress(),
                                      c.qp,
                                      c.id,
                                      c.bytes.Get());
    }

    void OnReceive(RdmaNic& nic, const ReceiveCompletion& c) override
    {
        m_outcome.events.emplace_back(Simulator::Now().GetTimeStep(),
                                      1,
                                      nic.GetPort(0).GetNicAddress(),
                                      c.qp,
                                      c.number,
                                      c.bytes.Get());
        if (c.number < 4)
        {
            nic.PostSend(c.qp, 100 + c.number, ByteCount(c.bytes.Get() / 2 + c.number));
        }
    }

    /// @param device that received @param packet of a socket @return true
    bool OnPacket(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        const auto port = DynamicCast<MixnetPort>(device);
        m_outcome.events.emplace_back(Simulator::Now().GetTimeStep(),
                                      2,
                                      port->GetNicAddress(),
                                      0,
                                      0,
                                      packet->GetSize());
        return true;
    }

    /// @param lookahead of the NICs @return what happens
    Outcome Simulate(const std::string& lookahead)
    {
        m_outcome = Outcome();
        MakeChain(4, 4, 2, Cable("100Gbps", MicroSeconds(1)));
        m_world->SetNicAttribute("Lookahead", StringValue(lookahead));
        m_world->SetNicAttribute("LossRecovery", TypeIdValue(m_recovery));
        m_world->SetSwitchAttribute("BufferSize", StringValue("2MiB"));
        Build();
        m_world->AssignStreams(1);
        if (m_loss > 0)
        {
            CorruptFrom(0, CreateObject<RdmaScript>([this](const Frame&, uint32_t count) {
                            return count % m_loss == m_loss - 1;
                        }));
        }
        std::mt19937 random(11);
        for (uint32_t i = 0; i < 60; ++i)
        {
            const uint32_t a = random() % 8;
            const uint32_t b = (a + 1 + random() % 7) % 8;
            const uint32_t qp = Connect(a, b, this).first;
            for (uint32_t m = 0; m < 3; ++m)
            {
                const ByteCount bytes(random() % 300000);
                Simulator::Schedule(NanoSeconds(random() % 200000),
                                    [this, a, qp, m, bytes] { Nic(a).PostSend(qp, m, bytes); });
            }
        }
        for (uint32_t s = 0; s < 8; ++s)
        {
            Nic(s).GetPort(0).SetReceiveCallback(MakeCallback(&RdmaLateLooksTest::OnPacket, this));
        }
        for (uint32_t i = 0; i < 600; ++i)
        {
            const uint32_t a = random() % 8;
            const uint32_t b = (a + 1 + random() % 7) % 8;
            Simulator::Schedule(NanoSeconds(random() % 300000), [this, a, b, i] {
                Nic(a).GetPort(0).Send(Create<Packet>(100 + i), Nic(b).GetPort(0).GetAddress(), 9);
            });
        }
        Run();
        std::sort(m_outcome.events.begin(), m_outcome.events.end());
        for (uint32_t s = 0; s < 8; ++s)
        {
            const RdmaCounters& c = Nic(s).GetCounters();
            for (const uint64_t value : {c.dataSent,
                                         c.dataResent,
                                         c.acksSent,
                                         c.nacksSent,
                                         c.cnpsSent,
                                         c.acksReceived,
                                         c.timeouts,
                                         c.dataDuplicate})
            {
                m_outcome.counters.push_back(value);
            }
        }
        m_outcome.steps = Simulator::GetEventCount();
        RdmaTestCase::DoTeardown();
        return m_outcome;
    }

    void DoRun() override
    {
        const Outcome exact = Simulate("0s");
        const Outcome late = Simulate("1s");
        NS_TEST_ASSERT_MSG_GT(exact.events.size(), 1400, "messages are answered, packets arrive");
        NS_TEST_EXPECT_MSG_EQ((exact.events == late.events), true, "completions differ");
        NS_TEST_EXPECT_MSG_EQ((exact.counters == late.counters), true, "counters differ");
        if (m_recovery == GoBackN::GetTypeId())
        {
            NS_TEST_EXPECT_MSG_LT(late.steps, exact.steps * 9 / 10, "nothing was looked at late");
        }
    }

    TypeId m_recovery; //!< strategy
    uint32_t m_loss;   //!< drop every so many
    Outcome m_outcome; //!< of the run that is on
};

/// @ingroup mixnet-test
class RdmaOrderTestSuite : public TestSuite
{
  public:
    RdmaOrderTestSuite()
        : TestSuite("mixnet-rdma-order", TestSuite::Type::UNIT)
    {
        for (const uint32_t loss : {0, 37})
        {
            AddTestCase(new RdmaLateLooksTest(GoBackN::GetTypeId(), loss));
            AddTestCase(new RdmaLateLooksTest(SelectiveRepeat::GetTypeId(), loss));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaOrderTestSuite g_rdmaOrderTestSuite; //!< the suite
