/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-test-case.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/random-variable-stream.h"
#include "ns3/string.h"

#include <algorithm>

using namespace ns3;

namespace
{

/// Idle paths against the closed form, to the picosecond.
class IdlePathCase : public FlowCase
{
  public:
    IdlePathCase()
        : FlowCase("idle paths have the closed form of store-and-forward packets")
    {
    }

  private:
    // Two links of 400 Gb/s (20 ps a byte) and 1 us: all wire bytes, two propagations, and once
    // more the first packet. One packet: 2 x its wire bytes. Over a circuit: one link of 2 us.
    void DoRun() override
    {
        for (const uint64_t bytes : {uint64_t(1),
                                     uint64_t(4096),
                                     uint64_t(4097),
                                     uint64_t(8192),
                                     uint64_t(1) << 20,
                                     uint64_t(123456789),
                                     uint64_t(2000000000)})
        {
            const uint64_t first = std::min<uint64_t>(bytes, 4096) + OVERHEAD + FIRST;
            Build(2, 1);
            Send({Make(0, 1, bytes)});
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "delivered");
            NS_TEST_EXPECT_MSG_EQ(completions[0].finished.GetPicoSeconds(),
                                  At400G(WireOf(bytes)) + 2000000 + At400G(first),
                                  bytes << " B over a switch");
            NS_TEST_EXPECT_MSG_EQ(completions[0].bytesByPath[2],
                                  ByteCount(bytes),
                                  "all on packets");

            Build(2, 0, 1);
            control->Connect({Pair(0, 1)}, {});
            Send({Make(0, 1, bytes)});
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(completions[0].finished.GetPicoSeconds(),
                                  At400G(WireOf(bytes)) + 2000000,
                                  bytes << " B over a circuit");
            NS_TEST_EXPECT_MSG_EQ(completions[0].bytesByPath[1], ByteCount(bytes), "all on it");

            // Within a server: 3600 Gb/s, payload only, no latency.
            Build(1, 1);
            Send({Make(0, 0, bytes)});
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(completions[0].finished,
                                  ByteCount(bytes) / DataRate("3600Gbps"),
                                  bytes << " B within a server");
            NS_TEST_EXPECT_MSG_EQ(completions[0].bytesByPath[0], ByteCount(bytes), "all inside");
        }
        // Above 2 GiB every segment has its RETH.
        Build(2, 1);
        const uint64_t three = uint64_t(3) << 30;
        Send({Make(0, 1, three)});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(completions[0].finished.GetPicoSeconds(),
                              At400G(WireOf(three) + FIRST) + 2000000 + At400G(4096 + 98),
                              "3 GiB");
    }
};

/// Zero bytes, a transfer to itself, lanes, incast and the uniform all-to-all.
class SharingCase : public FlowCase
{
  public:
    SharingCase()
        : FlowCase("transfers share rates: lanes, incast, all-to-all")
    {
    }

  private:
    void DoRun() override
    {
        Build(2, 1);
        Transfer self = Make(0, 0, 1000);
        self.destination = self.source;
        Send({Make(0, 1, 0), self});
        NS_TEST_EXPECT_MSG_EQ(completions.size(), 0, "never inside Send");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(completions.size(), 2, "both complete");
        NS_TEST_EXPECT_MSG_EQ(completions[1].finished, Time(0), "in the next event");

        // 8 lanes of 1 MiB over 8 NICs take as long as one over one NIC.
        Build(2, 8);
        const uint64_t mib = 1 << 20;
        Send({Make(0, 1, 8 * mib, 8)});
        Simulator::Run();
        const int64_t latency = 2000000 + At400G(4096 + 98);
        NS_TEST_EXPECT_MSG_EQ(completions[0].finished.GetPicoSeconds(),
                              At400G(WireOf(mib)) + latency,
                              "8 lanes");

        // N:1 incast: the receiver's link carries N messages, all end together, in order of id.
        Build(9, 1);
        std::vector<Transfer> batch;
        for (uint32_t s = 1; s < 9; ++s)
        {
            batch.push_back(Make(s, 0, mib));
        }
        Send(batch);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 8, "all arrive");
        for (uint32_t i = 0; i < 8; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(completions[i].finished.GetPicoSeconds(),
                                  At400G(8 * WireOf(mib)) + latency,
                                  "incast");
            NS_TEST_EXPECT_MSG_EQ(completions[i].id, TransferId(i), "in order of id");
        }

        // Weights: 3 lanes and 1 lane out of one NIC. At 300 and 100 Gb/s both end together.
        Build(2, 1);
        Send({Make(0, 1, 3 * mib, 3), Make(0, 1, mib, 1)});
        Simulator::Run();
        for (const Completion& c : completions)
        {
            NS_TEST_EXPECT_MSG_EQ(c.finished.GetPicoSeconds(),
                                  At400G(4 * WireOf(mib)) + latency,
                                  "by weight");
        }

        // Uniform all-to-all: every NIC sends and receives n - 1 messages.
        Build(8, 8);
        batch.clear();
        for (uint32_t s = 0; s < 8; ++s)
        {
            for (uint32_t t = 0; t < 8; ++t)
            {
                if (s != t)
                {
                    batch.push_back(Make(s, t, 8 * mib, 8));
                }
            }
        }
        Send(batch);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 56, "all arrive");
        for (const Completion& c : completions)
        {
            NS_TEST_EXPECT_MSG_EQ(c.finished.GetPicoSeconds(),
                                  At400G(7 * WireOf(mib)) + latency,
                                  "all-to-all");
        }
        uint64_t sent = 0;
        for (uint32_t nic = 0; nic < 8; ++nic)
        {
            const ChannelId c = graph->GetEgress(graph->GetVertex(ServerId(3)), nic);
            sent += transport->GetWireBytes(c).Get();
            NS_TEST_EXPECT_MSG_EQ(transport->GetWireBytes(c), ByteCount(7 * WireOf(mib)), "even");
        }
        NS_TEST_EXPECT_MSG_EQ(sent, 56 * WireOf(mib), "wire bytes of a server");
        NS_TEST_EXPECT_MSG_EQ(router->resolved, 56, "one question per pair");
        Send(batch);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(router->resolved, 56, "templates answer the second time");
        NS_TEST_EXPECT_MSG_EQ(transport->GetSolverStats().recalled, 1, "and the course is known");
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().delivered, ByteCount(2 * 448 * mib), "law");
    }
};

/// A circuit is lost in mid-flow; a transfer without a way waits, or fails.
class LossCase : public FlowCase
{
  public:
    LossCase()
        : FlowCase("transfers that lose their way choose another, wait, or fail")
    {
    }

  private:
    // 100 packets (409,600 B payload, 417,816 B on the wire with the RETH) over a circuit of
    // 400 Gb/s; after 4 us 200,000 wire bytes have gone, 217,816 follow over the switch.
    void DoRun() override
    {
        const uint64_t bytes = 409600;
        Build(2, 1, 1);
        control->Connect({Pair(0, 1)}, {});
        const TransferId id = Send({Make(0, 1, bytes)});
        Simulator::Schedule(MicroSeconds(4), [this]() {
            control->SetEdges({Fiber(1, 0)}, EdgeCause::FAILURE, false);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Find(id).finished.GetPicoSeconds(),
                              At400G(WireOf(bytes)) + 2000000 + At400G(4096 + 98),
                              "the rest over the switch");
        const auto& path = Find(id).bytesByPath;
        NS_TEST_EXPECT_MSG_EQ(path[1] + path[2], ByteCount(bytes), "every byte once");
        NS_TEST_EXPECT_MSG_EQ(path[1].Get(), bytes * 200000 / WireOf(bytes), "in proportion");
        const ChannelId light =
            FabricGraph::GetReverse(graph->GetEgress(graph->GetVertex(ServerId(1)), 1));
        NS_TEST_EXPECT_MSG_EQ(transport->GetWireBytes(light), ByteCount(200000), "on the circuit");
        const ChannelId copper = graph->GetEgress(graph->GetVertex(ServerId(0)), 0);
        NS_TEST_EXPECT_MSG_EQ(transport->GetWireBytes(copper),
                              ByteCount(WireOf(bytes) - 200000),
                              "on the NIC");

        // Unmatching the pair does the same as losing a fiber.
        Build(2, 1, 1);
        control->Connect({Pair(0, 1)}, {});
        const TransferId second = Send({Make(0, 1, bytes)});
        Simulator::Schedule(MicroSeconds(4), [this]() { control->Connect({}, {Pair(0, 1)}); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Find(second).bytesByPath[1].Get(),
                              bytes * 200000 / WireOf(bytes),
                              "as before");

        // No way at all: it waits, and goes when the edge is back.
        Build(2, 1);
        const EdgeId edge = graph->GetEdge(graph->GetVertex(ServerId(0)), 0);
        const TransferId third = Send({Make(0, 1, bytes)});
        Simulator::Schedule(MicroSeconds(4), [this, edge]() {
            control->SetEdges({edge}, EdgeCause::FAILURE, false);
        });
        Simulator::Schedule(MicroSeconds(50), [this]() {
            NS_TEST_EXPECT_MSG_EQ(transport->GetUnfinished().size(), 1, "listed");
            NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().unfinished, ByteCount(409600), "law");
        });
        Simulator::Schedule(MicroSeconds(100), [this, edge]() {
            control->SetEdges({edge}, EdgeCause::FAILURE, true);
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Find(third).finished.GetPicoSeconds(),
                              96000000 + At400G(WireOf(bytes)) + 2000000 + At400G(4096 + 98),
                              "96 us later");

        Build(2, 1);
        transport->SetAttribute("FailUnreachable", BooleanValue(true));
        control->SetEdges({graph->GetEdge(graph->GetVertex(ServerId(0)), 0)},
                          EdgeCause::FAILURE,
                          false);
        Send({Make(0, 1, bytes)});
        NS_TEST_EXPECT_MSG_EQ(completions.size(), 0, "never inside Send");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "told");
        NS_TEST_EXPECT_MSG_EQ((completions[0].status == TransferStatus::FAILED), true, "failed");
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().failed, ByteCount(bytes), "law");
    }
};

/// Abort and Reroute.
class AbortCase : public FlowCase
{
  public:
    AbortCase()
        : FlowCase("abort gives the rate back, reroute takes what is up now")
    {
    }

  private:
    void DoRun() override
    {
        // Two of 409,600 B share a NIC; after 4 us (100,000 wire bytes each) one is aborted.
        const uint64_t bytes = 409600;
        Build(2, 1);
        const TransferId id = Send({Make(0, 1, bytes), Make(0, 1, bytes)});
        const TransferId other(id.Get() + 1);
        Simulator::Schedule(MicroSeconds(4), [this, id]() {
            transport->Abort(id);
            transport->Abort(id);
            NS_TEST_EXPECT_MSG_EQ(completions.size(), 0, "never inside Abort");
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "both end");
        NS_TEST_EXPECT_MSG_EQ((Find(id).status == TransferStatus::ABORTED), true, "aborted");
        NS_TEST_EXPECT_MSG_EQ(Find(id).finished, MicroSeconds(4), "in the next event");
        NS_TEST_EXPECT_MSG_EQ(Find(other).finished.GetPicoSeconds(),
                              4000000 + At400G(WireOf(bytes) - 100000) + 2000000 +
                                  At400G(4096 + 98),
                              "the other one alone");
        NS_TEST_EXPECT_MSG_EQ(transport->GetTotals().aborted, ByteCount(bytes), "law");
        const ChannelId nic = graph->GetEgress(graph->GetVertex(ServerId(0)), 0);
        NS_TEST_EXPECT_MSG_EQ(transport->GetWireBytes(nic),
                              ByteCount(WireOf(bytes) + 100000),
                              "what had drained counts");

        // Aborted while its last byte is under way: no delivery.
        Build(2, 1);
        const TransferId late = Send({Make(0, 1, 1000)});
        Simulator::Schedule(MicroSeconds(1), [this, late]() { transport->Abort(late); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 1, "one end");
        NS_TEST_EXPECT_MSG_EQ((completions[0].status == TransferStatus::ABORTED), true, "aborted");

        // A circuit that came up in mid-flow is taken only when asked for.
        Build(2, 1, 1);
        const TransferId moved = Send({Make(0, 1, bytes), Make(1, 0, bytes)});
        Simulator::Schedule(MicroSeconds(2), [this]() { control->Connect({Pair(0, 1)}, {}); });
        Simulator::Schedule(MicroSeconds(4), [this, moved]() { transport->Reroute(moved); });
        Simulator::Run();
        transport->Reroute(moved);
        NS_TEST_EXPECT_MSG_EQ(Find(moved).bytesByPath[2].Get(),
                              bytes * 200000 / WireOf(bytes),
                              "4 us over the switch");
        NS_TEST_EXPECT_MSG_EQ(Find(moved).bytesByPath[1].Get(),
                              bytes - bytes * 200000 / WireOf(bytes),
                              "the rest over the circuit");
        NS_TEST_EXPECT_MSG_EQ(Find(TransferId(moved.Get() + 1)).bytesByPath[1],
                              ByteCount(0),
                              "the other one stayed");
    }
};

/// Sends out of the completions of one instant.
class InstantCase : public FlowCase
{
  public:
    InstantCase()
        : FlowCase("what the completions of one instant send changes rates once")
    {
    }

    void OnCompletion(const Completion& completion) override
    {
        FlowCase::OnCompletion(completion);
        const TransferId sent =
            completions.size() <= FLOWS ? Send({Make(0, 1, BYTES)}) : TransferId();
        if (completions.size() == 1)
        {
            m_dropped = sent;
        }
        else if (completions.size() == 2)
        {
            transport->Abort(m_dropped); // it has no way yet
        }
    }

  private:
    static constexpr std::size_t FLOWS = 8;    //!< of a round
    static constexpr uint64_t BYTES = 1 << 20; //!< of a flow

    // 8 flows share a NIC and end together; each then sends one more, the first of which is
    // aborted: rounds of 8 and 7 flows, each the wire bytes, two propagations and once more a first
    // packet. Rates are solved at the start of each round: nobody is left when one ends.
    void DoRun() override
    {
        Build(2, 1, 0, 0);
        Send(std::vector<Transfer>(FLOWS, Make(0, 1, BYTES)));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2 * FLOWS, "all end");
        const int64_t idle = 2000000 + At400G(4096 + 98);
        const int64_t round = At400G(FLOWS * WireOf(BYTES)) + idle;
        NS_TEST_EXPECT_MSG_EQ(Find(m_dropped).finished.GetPicoSeconds(), round, "aborted at once");
        NS_TEST_EXPECT_MSG_EQ(completions.back().finished.GetPicoSeconds(),
                              round + At400G((FLOWS - 1) * WireOf(BYTES)) + idle,
                              "the second round");
        NS_TEST_EXPECT_MSG_EQ(transport->GetSolverStats().solves, 2, "once a round");
    }

    TransferId m_dropped; //!< aborted
};

/// The suite.
class FlowTestSuite : public TestSuite
{
  public:
    FlowTestSuite()
        : TestSuite("mixnet-flow", TestSuite::Type::UNIT)
    {
        AddTestCase(new IdlePathCase);
        AddTestCase(new SharingCase);
        AddTestCase(new LossCase);
        AddTestCase(new AbortCase);
        AddTestCase(new InstantCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FlowTestSuite g_flowTestSuite; //!< registers the suite

} // namespace
