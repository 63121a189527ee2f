/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-test-case.h"

#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

#include <algorithm>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Idle-path FCT over h equal hops, to the picosecond.
 *
 * A message is n packets of wire sizes w_0 .. w_{n-1}: 82 B of headers, ICRC, FCS, preamble and
 * gap, 16 B of RETH on the first, and the payload (4,096 B but for the last). With s_i = 8 w_i /
 * rate, store and forward and equal links, packet i leaves link k at F(i, k) = max(F(i, k - 1) + d,
 * F(i - 1, k)) + s_i, which is a flow shop whose jobs take the same time on every machine: the
 * largest sum over a monotone path is sum_i s_i + (h - 1) max_i s_i. So
 *
 *   FCT = sum_i s_i + (h - 1) max_i s_i + h d.
 *
 * The largest packet is the first (it has the RETH). 100G: 80 ps per byte, 400G: 20 ps.
 */
class RdmaIdleTest : public RdmaTestCase
{
  public:
    /// @param hops links @param bytes payload @param rate of all links @param picosPerByte of it
    RdmaIdleTest(uint32_t hops, uint64_t bytes, const std::string& rate, int64_t picosPerByte)
        : RdmaTestCase("idle " + std::to_string(bytes) + " B over " + std::to_string(hops) +
                       " hops at " + rate),
          m_hops(hops),
          m_bytes(bytes),
          m_rate(rate),
          m_picosPerByte(picosPerByte)
    {
    }

  private:
    void DoRun() override
    {
        MakeChain(1, 1, m_hops - 1, Cable(m_rate, NanoSeconds(1000)));
        Build();
        RdmaLog log;
        const auto qps = Connect(0, 1, &log);
        Nic(0).PostSend(qps.first, 77, ByteCount(m_bytes));
        Run();

        const uint64_t packets = std::max<uint64_t>(1, (m_bytes + 4095) / 4096);
        const int64_t wire = static_cast<int64_t>(82 * packets + 16 + m_bytes);
        const auto largest = static_cast<int64_t>(82 + 16 + std::min<uint64_t>(m_bytes, 4096));
        const int64_t fct = (wire + (m_hops - 1) * largest) * m_picosPerByte + m_hops * 1000 * 1000;
        NS_TEST_ASSERT_MSG_EQ(log.received.size(), 1, "one receive completion");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].at, PicoSeconds(fct), "FCT");
        NS_TEST_EXPECT_MSG_EQ(log.received[0].bytes, ByteCount(m_bytes), "size delivered");
        // the ACK: 86 B, store and forward over the same hops; a last packet shorter than that
        // arrives while the ACK before is still being sent
        NS_TEST_ASSERT_MSG_EQ(log.sent.size(), 1, "one send completion");
        const int64_t last = 82 + m_bytes % 4096;
        const int64_t wait =
            packets > 1 && m_bytes % 4096 > 0 ? std::max<int64_t>(86 - last, 0) : 0;
        const int64_t ack = m_hops * (86 * m_picosPerByte + 1000 * 1000) + wait * m_picosPerByte;
        NS_TEST_EXPECT_MSG_EQ(log.sent[0].at, PicoSeconds(fct + ack), "acknowledged");
        NS_TEST_EXPECT_MSG_EQ(log.sent[0].id, 77, "work request");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataSent, packets, "packets");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().dataResent, 0, "nothing sent again");
        NS_TEST_EXPECT_MSG_EQ(Nic(1).GetCounters().acksSent, packets, "ACK per packet");
    }

    uint32_t m_hops;        //!< links
    uint64_t m_bytes;       //!< payload
    std::string m_rate;     //!< of all links
    int64_t m_picosPerByte; //!< of all links
};

/// @ingroup mixnet-test
class RdmaTestSuite : public TestSuite
{
  public:
    RdmaTestSuite()
        : TestSuite("mixnet-rdma", TestSuite::Type::UNIT)
    {
        for (const uint32_t hops : {1, 2, 3, 4, 5, 6})
        {
            for (const uint64_t bytes : {0, 1, 4095, 4096, 4097, 1 << 20, (16 << 20) + 5})
            {
                AddTestCase(new RdmaIdleTest(hops, bytes, "100Gbps", 80));
                AddTestCase(new RdmaIdleTest(hops, bytes, "400Gbps", 20));
            }
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaTestSuite g_rdmaTestSuite; //!< the suite
