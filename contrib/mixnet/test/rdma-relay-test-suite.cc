/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/ns3-compat.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Server 0 at 100 Gb/s, relayed by server 1, server 2 at 10 Gb/s: two queue pairs of different
 * classes fill the relay. Each class that is paused must go on, whichever class's frame leaves
 * last; a relay that names only the class of that frame stops the other one for ever.
 */
class RdmaRelayClassesTest : public RdmaTestCase
{
  public:
    RdmaRelayClassesTest()
        : RdmaTestCase("a relay pauses and resumes classes one by one")
    {
    }

  private:
    void DoRun() override
    {
        MakeServers(3);
        const auto server = [this](uint32_t s) { return m_graph->GetVertex(ServerId(s)); };
        m_graph->AddEdge(server(0), server(1), Cable("100Gbps", MicroSeconds(1)));
        m_graph->AddEdge(server(1), server(2), Cable("10Gbps", MicroSeconds(1)));
        m_world->SetNicAttribute("RelayPauseThreshold", UintegerValue(100000));
        m_world->SetNicAttribute("RelayEcnThreshold", UintegerValue(0));
        m_world->SetNicAttribute("CongestionControl", StringValue("ns3::NoCongestionControl"));
        Build();
        RdmaLog log;
        const uint32_t from = Nic(0).GetPort(0).GetNicAddress();
        const uint32_t to = Nic(2).GetPort(0).GetNicAddress();
        for (const auto& [priority, bytes] : {std::pair(3, 900000), std::pair(4, 400000)})
        {
            QpConfig config;
            config.sink = &log;
            config.trafficClass = static_cast<uint8_t>(priority);
            const auto [a, b] = RdmaNic::CreatePair(Nic(0), config, Nic(2), config);
            Nic(1).GetRelay().AddRule(to, b, 1);
            Nic(1).GetRelay().AddRule(from, a, 0);
            Nic(0).PostSend(a, 0, ByteCount(static_cast<uint64_t>(bytes)));
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 2, "both arrive");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing is sent again");
        NS_TEST_EXPECT_MSG_GT(Nic(1).GetCounters().relayPauses, 2, "paused, more than once");
        NS_TEST_EXPECT_MSG_EQ(+Nic(0).GetPort(0).GetPausedClasses(), 0, "all may go on");
    }
};

/// @ingroup mixnet-test
class RdmaRelayTestSuite : public TestSuite
{
  public:
    RdmaRelayTestSuite()
        : TestSuite("mixnet-rdma-relay", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaRelayClassesTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaRelayTestSuite g_rdmaRelayTestSuite; //!< the suite
