/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport-test-case.h"

#include "ns3/boolean.h"
#include "ns3/ns3-compat.h"

#include <algorithm>
#include <random>

using namespace ns3;

/**
 * @ingroup mixnet-test
 * Lanes over NICs of their own are messages side by side; bytes that do not divide go to the first
 * lanes; lanes without bytes are no messages.
 */
class RdmaLanesTest : public RdmaTransportCase
{
  public:
    RdmaLanesTest()
        : RdmaTransportCase("lanes")
    {
    }

  private:
    void DoRun() override
    {
        // two servers with an electrical NIC per GPU
        MakeHybrid(2, 0);
        for (uint32_t s = 0; s < 2; ++s)
        {
            for (uint32_t nic = 1; nic < 4; ++nic)
            {
                m_graph->AddEdge(m_graph->GetVertex(ServerId(s)),
                                 m_switch,
                                 Cable("100Gbps", PicoSeconds(CABLE)));
                m_graph->SetNicOwner(ServerId(s), nic, nic, 0);
            }
        }
        BuildDoors();
        const uint64_t mib = 1 << 20;
        Send(Make(Gpu(0, 0), Gpu(1, 0), 4 * mib + 3, 4));
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 0, "never inside Send");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetNParts(), 4, "a message per lane");
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "one completion");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, Ideal(mib + 1, 2, 2 * CABLE), "longest lane");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), 4 * mib + 3, "packet");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::SCALE_UP), 0, "own NICs");

        Send(Make(Gpu(0, 0), Gpu(1, 0), 3, 4));
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetNParts(), 3, "a lane without bytes is no message");
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 2, "delivered");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[1], PathClass::PACKET), 3, "packet");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Inside a server, payload over the GPUs' rates. One GPU sends 4 MiB to each of two others: its
 * egress (3,600 Gb/s) is shared, 8 MiB x 8 / 3600 = 18,641.351 ns. A third move between other GPUs
 * takes half of that.
 */
class RdmaScaleUpTest : public RdmaTransportCase
{
  public:
    RdmaScaleUpTest()
        : RdmaTransportCase("scale-up domain")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 0);
        BuildDoors();
        const uint64_t bytes = 4 << 20;
        m_transport->Send({Make(Gpu(0, 0), Gpu(0, 1), bytes),
                           Make(Gpu(0, 0), Gpu(0, 2), bytes),
                           Make(Gpu(0, 2), Gpu(0, 3), bytes),
                           Make(Gpu(1, 0), Gpu(1, 0), bytes),
                           Make(Gpu(1, 0), Gpu(0, 0), 0)},
                          *this);
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 5, "completions");
        const double full = static_cast<double>(bytes) * 8 / 3600e9 * 1e12;
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, Time(0), "same GPU: the next event");
        NS_TEST_EXPECT_MSG_EQ(m_done[1].finished, Time(0), "no bytes: the next event");
        const double expected[] = {full, 2 * full, 2 * full};
        for (std::size_t i = 0; i < 3; ++i)
        {
            const Completion& c = m_done[2 + i];
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(c.finished.GetTimeStep()),
                                      expected[i],
                                      1.0,
                                      "rate of move " << i);
            NS_TEST_EXPECT_MSG_EQ(On(c, PathClass::SCALE_UP), bytes, "scale-up");
            NS_TEST_EXPECT_MSG_EQ(On(c, PathClass::PACKET), 0, "no packet");
        }
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * The NIC belongs to another GPU: bytes cross the scale-up domain at both ends while they travel.
 * Fast domain: the FCT is the network's. Slow one (40 Gb/s, 200 ps per byte): it is the domain's.
 */
class RdmaCrossingTest : public RdmaTransportCase
{
  public:
    /// @param slow whether the domain is slower than the network
    explicit RdmaCrossingTest(bool slow)
        : RdmaTransportCase(std::string("NIC of another GPU, ") + (slow ? "slow" : "fast")),
          m_slow(slow)
    {
    }

  private:
    void DoRun() override
    {
        m_scaleUp = m_slow ? "40Gbps" : "3600Gbps";
        MakeHybrid(2, 0);
        BuildDoors();
        const uint64_t bytes = 1 << 20;
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        const Time network = Ideal(bytes, 2, 2 * CABLE);
        const Time domain = PicoSeconds(static_cast<int64_t>(bytes) * 200);
        NS_TEST_EXPECT_MSG_EQ((domain > network), true, "the case is what it says");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, (m_slow ? domain : network), "the later of both");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::SCALE_UP), bytes, "scale-up");
        NS_TEST_EXPECT_MSG_EQ(On(m_done[0], PathClass::PACKET), bytes, "packet");
        CheckEmpty();
    }

    bool m_slow; //!< domain slower than the network
};

/**
 * @ingroup mixnet-test
 * An aborted transfer ends as such and leaves nothing behind; the other one is not disturbed and,
 * alone on the link from then on, no slower than a fair share allows.
 */
class RdmaAbortTest : public RdmaTransportCase
{
  public:
    RdmaAbortTest()
        : RdmaTransportCase("abort")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 0);
        BuildDoors();
        const uint64_t bytes = 8 << 20;
        const TransferId first = Send(Make(Gpu(0, 1), Gpu(1, 1), bytes));
        Send(Make(Gpu(0, 0), Gpu(2, 0), bytes));
        Simulator::Schedule(MicroSeconds(100), [this, first] {
            m_transport->Abort(first);
            m_transport->Abort(first);
        });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 2, "both end");
        NS_TEST_EXPECT_MSG_EQ((m_done[0].status == TransferStatus::ABORTED), true, "aborted");
        NS_TEST_EXPECT_MSG_EQ(m_done[0].finished, MicroSeconds(100), "at once");
        NS_TEST_EXPECT_MSG_EQ((m_done[1].status == TransferStatus::DELIVERED), true, "delivered");
        const Time alone = Ideal(bytes, 2, 2 * CABLE);
        NS_TEST_EXPECT_MSG_GT(m_done[1].finished, alone + MicroSeconds(49), "shared for 100 us");
        NS_TEST_EXPECT_MSG_LT(m_done[1].finished, alone + MicroSeconds(51), "shared for 100 us");
        const TransferTotals totals = m_transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.aborted, ByteCount(bytes), "aborted bytes");
        NS_TEST_EXPECT_MSG_EQ(totals.delivered, ByteCount(bytes), "delivered bytes");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Retries exhausted: the transfer fails with all its parts. Without a way: it waits, is listed, and
 * the event queue runs dry; or it fails if it may not wait.
 */
class RdmaFailTest : public RdmaTransportCase
{
  public:
    RdmaFailTest()
        : RdmaTransportCase("failed and waiting transfers")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(3, 0);
        BuildDoors();
        Nic(0).GetLossRecovery()->SetAttribute("Timeout", TimeValue(MicroSeconds(50)));
        CorruptFrom(0, CreateObject<RdmaScript>([](const Frame& f, uint32_t) {
                        return f.destination == 1;
                    }));
        Send(Make(Gpu(0, 0), Gpu(1, 0), 1 << 20, 4));
        Send(Make(Gpu(0, 0), Gpu(2, 0), 1 << 20));
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 2, "both end");
        NS_TEST_EXPECT_MSG_EQ((m_done[0].status == TransferStatus::DELIVERED), true, "the other");
        NS_TEST_EXPECT_MSG_EQ((m_done[1].status == TransferStatus::FAILED), true, "retries");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetTotals().failed, ByteCount(1 << 20), "failed bytes");
        CheckEmpty();

        const EdgeId edge = m_graph->GetEdge(m_graph->GetVertex(ServerId(2)), 0);
        m_control->SetEdges({edge}, EdgeCause::FAILURE, false);
        const TransferId waiting = Send(Make(Gpu(1, 0), Gpu(2, 0), 5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 2, "waits");
        NS_TEST_ASSERT_MSG_EQ(m_transport->GetUnfinished().size(), 1, "listed");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetUnfinished()[0].id, waiting, "listed");
        m_transport->SetAttribute("FailUnreachable", BooleanValue(true));
        Send(Make(Gpu(0, 0), Gpu(2, 0), 7));
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 2, "not inside Send");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 3, "fails");
        NS_TEST_EXPECT_MSG_EQ((m_done[2].status == TransferStatus::FAILED), true, "fails");
        m_control->SetEdges({edge}, EdgeCause::FAILURE, true);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 4, "goes on");
        NS_TEST_EXPECT_MSG_EQ((m_done[3].status == TransferStatus::DELIVERED), true, "goes on");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * A cable breaks and is repaired: the transfer waits without a way, keeps what has arrived, and
 * goes on without a timeout (the first packet sent reveals what was lost).
 */
class RdmaBrokenCableTest : public RdmaTransportCase
{
  public:
    RdmaBrokenCableTest()
        : RdmaTransportCase("broken cable")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(2, 0);
        BuildDoors();
        const uint64_t bytes = 4 << 20;
        Send(Make(Gpu(0, 0), Gpu(1, 0), bytes));
        const EdgeId edge = m_graph->GetEdge(m_graph->GetVertex(ServerId(0)), 0);
        for (const bool up : {false, true})
        {
            Simulator::Schedule(MicroSeconds(up ? 900 : 100), [this, edge, up] {
                m_control->SetEdges({edge}, EdgeCause::FAILURE, up);
            });
        }
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "delivered");
        const Time ideal = Ideal(bytes, 2, 2 * CABLE) + MicroSeconds(800);
        NS_TEST_EXPECT_MSG_GT(m_done[0].finished, ideal, "not before");
        NS_TEST_EXPECT_MSG_LT(m_done[0].finished, ideal + MicroSeconds(10), "soon after");
        NS_TEST_EXPECT_MSG_GT(m_world->GetFabric().GetDrops(DropReason::LINK_DOWN), 0, "lost");
        NS_TEST_EXPECT_MSG_EQ(Nic(0).GetCounters().timeouts, 0, "timeouts");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Field report 43: eight all-to-alls of 64 servers overlap (32,256 messages); memory follows the
 * messages in progress and every queue pair is freed.
 */
class RdmaOverlapTest : public RdmaTransportCase
{
  public:
    RdmaOverlapTest()
        : RdmaTransportCase("overlapping all-to-alls")
    {
    }

  private:
    void DoRun() override
    {
        MakeHybrid(64, 0);
        BuildDoors();
        uint64_t bytes = 0;
        std::vector<Transfer> batch;
        for (uint32_t layer = 0; layer < 8; ++layer)
        {
            for (uint32_t a = 0; a < 64; ++a)
            {
                for (uint32_t b = 0; b < 64; ++b)
                {
                    if (a != b)
                    {
                        batch.push_back(Make(Gpu(a, 0), Gpu(b, 0), 1 + (a * b + layer) % 3000));
                        bytes += batch.back().bytes.Get();
                    }
                }
            }
        }
        m_transport->Send(batch, *this);
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetNParts(), batch.size(), "all in progress");
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), batch.size(), "all delivered");
        NS_TEST_EXPECT_MSG_EQ(m_transport->GetTotals().delivered, ByteCount(bytes), "bytes");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetFabric().GetTotalDrops(), 0, "nothing lost");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Field report 11: pairs without bytes create no queue pair and end at once; EP of one rank sends
 * to itself only. Two servers of four ranks; rank 2 sends nothing and nobody sends to rank 5.
 */
class ZeroPairsCreateNoQueuePairsTest : public RdmaTransportCase
{
  public:
    ZeroPairsCreateNoQueuePairsTest()
        : RdmaTransportCase("zero pairs create no queue pairs")
    {
    }

  private:
    /// @return queue pairs in use, both ends
    uint32_t CountQps()
    {
        return Nic(0).GetNQps() + Nic(1).GetNQps();
    }

    void DoRun() override
    {
        MakeHybrid(2, 0);
        BuildDoors();
        Send(Make(GpuId(0), GpuId(0), 1000000)); // EP = 1
        for (uint32_t a = 0; a < 8; ++a)
        {
            Send(Make(GpuId(a), GpuId((a + 4) % 8), 0)); // an all-to-all of zeros
        }
        NS_TEST_EXPECT_MSG_EQ(CountQps(), 0, "nothing to send");
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 9, "all end");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now(), Time(0), "at once");
        NS_TEST_EXPECT_MSG_EQ(m_world->GetCounters().dataSent, 0, "no traffic");
        uint32_t crossing = 0;
        for (uint32_t a = 0; a < 8; ++a)
        {
            for (uint32_t b = 0; b < 8; ++b)
            {
                const bool empty = a == b || a == 2 || b == 5;
                Send(Make(GpuId(a), GpuId(b), empty ? 0 : 5000));
                crossing += !empty && a / 4 != b / 4 ? 1 : 0;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(CountQps(), 2 * crossing, "one pair per pair with bytes");
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 9 + 64, "all end");
        CheckEmpty();
    }
};

/// @ingroup mixnet-test
class RdmaTransportTestSuite : public TestSuite
{
  public:
    RdmaTransportTestSuite()
        : TestSuite("mixnet-rdma-transport", TestSuite::Type::UNIT)
    {
        AddTestCase(new RdmaLanesTest());
        AddTestCase(new ZeroPairsCreateNoQueuePairsTest());
        AddTestCase(new RdmaScaleUpTest());
        AddTestCase(new RdmaCrossingTest(false));
        AddTestCase(new RdmaCrossingTest(true));
        AddTestCase(new RdmaAbortTest());
        AddTestCase(new RdmaFailTest());
        AddTestCase(new RdmaBrokenCableTest());
        AddTestCase(new RdmaOverlapTest());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaTransportTestSuite g_rdmaTransportTestSuite; //!< the suite
