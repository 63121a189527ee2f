/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-transport-test-case.h"
#include "routing-test-case.h"

#include "ns3/direct-or-eps-policy.h"
#include "ns3/hybrid-topology.h"
#include "ns3/ns3-compat.h"
#include "ns3/simulator.h"
#include "ns3/split-policy.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace
{

/// Parallel circuits between servers 0 and 1, shared by packet. NICs are 100 Gb/s.
class SharingCase : public RdmaTransportCase
{
  protected:
    using RdmaTransportCase::RdmaTransportCase;

    static constexpr uint64_t PACKETS = 768;            //!< of a message
    static constexpr uint64_t BYTES = PACKETS * 4096;   //!< of a message
    static constexpr int64_t PACKET = (4096 + 98) * 80; //!< on the wire, a RETH in each, ps

    /// @param policy of EP @param stripe packets of a turn @param recovery loss recovery
    void Prepare(Ptr<RoutingPolicy> policy,
                 uint32_t stripe = 1,
                 const std::string& recovery = "ns3::GoBackN")
    {
        MakeHybrid(2, 3);
        m_world->SetNicAttribute("LossRecovery", StringValue(recovery));
        m_transport->SetAttribute("StripePackets", UintegerValue(stripe));
        BuildDoors();
        policy->SetAttribute("CircuitSharing", StringValue("packet"));
        m_router->SetPolicy(TrafficClass::EP, policy);
    }

    /// @param bytes sent from GPU 1 to GPU 1 now @param lanes lanes @return what completed
    Completion Deliver(uint64_t bytes = BYTES, uint32_t lanes = 1)
    {
        m_done.clear();
        m_posted = Simulator::Now();
        Send(Make(Gpu(0, 1), Gpu(1, 1), bytes, lanes));
        Run();
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 1, "delivered once");
        CheckEmpty();
        return m_done.empty() ? Completion() : m_done.front();
    }

    /// @param completion what completed @param ideal its time, ps @param packets tolerance
    /// @param what for messages
    void CheckTime(const Completion& completion,
                   int64_t ideal,
                   int64_t packets,
                   const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL((completion.finished - m_posted).GetPicoSeconds(),
                                  ideal,
                                  packets * PACKET,
                                  what);
    }

    Time m_posted; //!< of the last message
};

/**
 * @ingroup mixnet-test
 * One message over c circuits: 1/c of its packets on each, and two fibers of delay, within two
 * packets (with larger turns, within one turn more). Several lanes take no longer.
 */
class SharingTimeCase : public SharingCase
{
  public:
    /// @param circuits number @param stripe packets of a turn
    SharingTimeCase(uint32_t circuits, uint32_t stripe)
        : SharingCase("one message over " + std::to_string(circuits) + " circuits, " +
                      std::to_string(stripe) + " packets at a time"),
          m_circuits(circuits),
          m_stripe(stripe)
    {
    }

  private:
    void DoRun() override
    {
        Prepare(CreateObject<DirectOrEpsPolicy>(), m_stripe);
        for (uint32_t c = 0; c < m_circuits; ++c)
        {
            m_control->Connect({Join(0, c, 1, c)}, {});
        }
        const int64_t share = PACKETS / m_circuits;
        // one RETH per turn; one for all where there is nothing to share
        const int64_t turns = m_circuits == 1 ? 1 : share / m_stripe;
        const int64_t headers = 16 * 80 * (share - turns);
        const int64_t ideal = share * PACKET - headers + 2 * FIBER;
        for (const uint32_t lanes : {1, 3})
        {
            const Completion done = Deliver(BYTES, lanes);
            CheckTime(done, ideal, lanes * (m_stripe + 1), std::to_string(lanes) + " lanes");
            NS_TEST_EXPECT_MSG_EQ(On(done, PathClass::CIRCUIT), BYTES, "by light");
            NS_TEST_EXPECT_MSG_EQ(On(done, PathClass::PACKET), 0, "by light");
        }
        uint64_t frames = 0;
        for (uint32_t c = 0; c < m_circuits; ++c)
        {
            const auto sent = Nic(0).GetPort(1 + c).GetCounters().txFrames;
            NS_TEST_EXPECT_MSG_EQ_TOL(sent, 2 * PACKETS / m_circuits, 4 * m_stripe, "evenly");
            frames += sent;
        }
        NS_TEST_EXPECT_MSG_EQ(frames, 2 * PACKETS, "each packet once");
        for (const uint64_t bytes : {1, 4096, 4097, 20000})
        {
            const Completion done = Deliver(bytes);
            NS_TEST_EXPECT_MSG_EQ(On(done, PathClass::CIRCUIT), bytes, "short ones");
        }
    }

    uint32_t m_circuits; //!< number
    uint32_t m_stripe;   //!< packets of a turn
};

/**
 * @ingroup mixnet-test
 * Two circuits, one of which is disturbed at 40 us, when each has sent 119 packets. Torn: the other
 * one carries the rest, 40 us + (768 - 238) packets, and what was in flight once more; both torn:
 * the EPS. Drained for 60 us: the other one does not stop, so that 40 + 60/2 + (768 - 238 - 179) /
 * 2 packets' time pass. Every byte arrives once, under either loss recovery.
 */
class SharingDarkCase : public SharingCase
{
  public:
    /// @param recovery loss recovery
    explicit SharingDarkCase(const std::string& recovery)
        : SharingCase("one circuit goes dark, " + recovery),
          m_lossRecovery(recovery)
    {
    }

  private:
    void DoRun() override
    {
        Prepare(CreateObject<DirectOrEpsPolicy>(), 1, m_lossRecovery);
        const Circuit first = Join(0, 0, 1, 0);
        const Circuit second = Join(0, 1, 1, 1);
        const int64_t before = 40000000;
        const int64_t left = PACKETS * PACKET - 2 * before; // of one circuit

        m_control->Connect({first, second}, {});
        Simulator::Schedule(MicroSeconds(40), [&] { m_control->Connect({}, {first}); });
        const Completion torn = Deliver();
        NS_TEST_EXPECT_MSG_EQ(On(torn, PathClass::CIRCUIT), BYTES, "the other circuit");
        CheckTime(torn, before + left + 2 * FIBER, 16, "one torn");

        m_control->Connect({first}, {});
        Simulator::Schedule(MicroSeconds(40), [&] { m_control->Connect({}, {first, second}); });
        const Completion dark = Deliver();
        NS_TEST_EXPECT_MSG_EQ(On(dark, PathClass::CIRCUIT) + On(dark, PathClass::PACKET),
                              BYTES,
                              "once");
        NS_TEST_EXPECT_MSG_EQ_TOL(On(dark, PathClass::CIRCUIT), 238 * 4096, 20 * 4096, "40 us");

        m_control->Connect({first, second}, {});
        bool drained = false;
        Simulator::Schedule(MicroSeconds(40), [&] {
            const auto token = m_control->Quiesce(
                {FiberOf(0, 0), FiberOf(1, 0)},
                Time(0),
                Callback<void, bool>([&drained](bool empty) { drained = empty; }));
            Simulator::Schedule(MicroSeconds(60), [this, token] { m_control->Resume(token); });
        });
        const Completion held = Deliver();
        NS_TEST_EXPECT_MSG_EQ(drained, true, "the held circuit ran empty");
        NS_TEST_EXPECT_MSG_EQ(On(held, PathClass::CIRCUIT), BYTES, "by light");
        CheckTime(held, before + 60000000 + (left - 60000000) / 2 + 2 * FIBER, 16, "one held");
    }

    std::string m_lossRecovery; //!< TypeId name
};

/**
 * @ingroup mixnet-test
 * Circuits of 100 and 50 Gb/s: two packets on the one for each on the other, in both worlds.
 * Choosing anew in mid-message changes nothing while the ways are open; aborting leaves nothing
 * behind.
 */
class SharingRatesCase : public SharingCase
{
  public:
    SharingRatesCase()
        : SharingCase("in proportion to rate")
    {
    }

  private:
    void DoRun() override
    {
        m_fiberRates[1] = "50Gbps";
        Prepare(CreateObject<DirectOrEpsPolicy>());
        m_control->Connect({Join(0, 0, 1, 0), Join(0, 1, 1, 1)}, {});
        const int64_t ideal = PACKETS * 2 / 3 * PACKET + 2 * FIBER;
        CheckTime(Deliver(), ideal, 4, "two thirds");
        const auto sent = Nic(0).GetPort(1).GetCounters().txFrames;
        NS_TEST_EXPECT_MSG_EQ_TOL(sent, PACKETS * 2 / 3, 4, "two thirds");

        FluidRoute route;
        m_router->ResolveTransfer(Make(Gpu(0, 1), Gpu(1, 1), BYTES),
                                  LoadBalance::PER_FLOW,
                                  TransferId(1),
                                  route);
        const VertexId source = m_graph->GetVertex(ServerId(0));
        NS_TEST_EXPECT_MSG_EQ_TOL(ShareOf(route, m_graph->GetEgress(source, 1)),
                                  2.0 / 3,
                                  1e-12,
                                  "fluid");

        const TransferId next(m_transport->GetTotals().transfers);
        Simulator::Schedule(MicroSeconds(40), [this, next] { m_transport->Reroute(next); });
        CheckTime(Deliver(), ideal, 4, "rerouted");

        m_done.clear();
        const TransferId id = Send(Make(Gpu(0, 1), Gpu(1, 1), BYTES));
        Simulator::Schedule(MicroSeconds(40), [this, id] { m_transport->Abort(id); });
        Run();
        NS_TEST_ASSERT_MSG_EQ(m_done.size(), 1, "ended");
        NS_TEST_EXPECT_MSG_EQ((m_done[0].status == TransferStatus::ABORTED), true, "aborted");
        CheckEmpty();
    }
};

/**
 * @ingroup mixnet-test
 * Fluid shares, and the split: two circuits (pooled) and one packet NIC carry a third each.
 */
class SharingSplitCase : public SharingCase
{
  public:
    SharingSplitCase()
        : SharingCase("split with circuits shared by packet")
    {
    }

  private:
    void DoRun() override
    {
        Prepare(CreateObject<SplitPolicy>());
        m_control->Connect({Join(0, 0, 1, 0), Join(0, 1, 1, 1)}, {});
        const Completion done = Deliver();
        NS_TEST_EXPECT_MSG_EQ(On(done, PathClass::PACKET), BYTES / 3, "one NIC of three");
        NS_TEST_EXPECT_MSG_EQ(On(done, PathClass::CIRCUIT), BYTES - BYTES / 3, "two circuits");
        CheckTime(done, PACKETS / 3 * PACKET + 2 * FIBER, 4, "a third of the time");

        for (const auto balance : {LoadBalance::IDEAL, LoadBalance::PER_FLOW})
        {
            FluidRoute route;
            m_router->ResolveTransfer(Make(Gpu(0, 1), Gpu(1, 1), BYTES),
                                      balance,
                                      TransferId(1),
                                      route);
            for (const uint32_t nic : {0, 1, 2})
            {
                const ChannelId out = m_graph->GetEgress(m_graph->GetVertex(ServerId(0)), nic);
                NS_TEST_EXPECT_MSG_EQ_TOL(ShareOf(route, out),
                                          1.0 / 3,
                                          1e-12,
                                          "fluid, NIC " << nic);
            }
        }
    }
};

/// @ingroup mixnet-test
class RoutingSharingTestSuite : public TestSuite
{
  public:
    RoutingSharingTestSuite()
        : TestSuite("mixnet-routing-sharing", TestSuite::Type::UNIT)
    {
        for (const uint32_t circuits : {1, 2, 3})
        {
            AddTestCase(new SharingTimeCase(circuits, 1));
            AddTestCase(new SharingTimeCase(circuits, 16));
        }
        AddTestCase(new SharingDarkCase("ns3::GoBackN"));
        AddTestCase(new SharingDarkCase("ns3::SelectiveRepeat"));
        AddTestCase(new SharingRatesCase());
        AddTestCase(new SharingSplitCase());
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

RoutingSharingTestSuite g_routingSharingTestSuite; //!< the suite

} // namespace
