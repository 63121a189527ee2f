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

/// Quiesce holds, drains and resumes.
class QuiesceCase : public FlowCase
{
  public:
    QuiesceCase()
        : FlowCase("quiesce holds transfers, tells when light has left, resume goes on")
    {
    }

  private:
    /// @param empty as told
    void OnDrained(bool empty)
    {
        m_drained.emplace_back(Simulator::Now(), empty);
    }

    /// Hold both fibers of the circuit between 0 and 1.
    void Hold()
    {
        m_token = control->Quiesce({Fiber(0, 0), Fiber(1, 0)},
                                   MilliSeconds(1),
                                   MakeCallback(&QuiesceCase::OnDrained, this));
    }

    void DoRun() override
    {
        const uint64_t bytes = 409600;
        Build(4, 1, 1);
        control->Connect({Pair(0, 1), Pair(2, 3)}, {});
        const TransferId id = Send({Make(0, 1, bytes), Make(2, 3, bytes)});
        TransferId late;
        Simulator::Schedule(MicroSeconds(4), [this]() { Hold(); });
        Simulator::Schedule(MicroSeconds(5), [this, &late, bytes]() {
            late = Send({Make(0, 1, bytes)});
            NS_TEST_EXPECT_MSG_EQ(control->IsQuiesced(Fiber(0, 0)), true, "held");
        });
        Simulator::Schedule(MicroSeconds(20), [this]() {
            NS_TEST_EXPECT_MSG_EQ(completions.size(), 1, "the other circuit goes on");
            NS_TEST_EXPECT_MSG_EQ(transport->GetUnfinished().size(), 2, "two are held");
            control->Resume(m_token);
        });
        Simulator::Run();
        // The last byte left at 4 us and needs 2 us. From 20 us on two share 400 Gb/s: 217,816 and
        // 417,816 wire bytes left.
        NS_TEST_ASSERT_MSG_EQ(m_drained.size(), 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(m_drained[0].first, MicroSeconds(6), "when the light has left");
        NS_TEST_EXPECT_MSG_EQ(m_drained[0].second, true, "empty");
        const uint64_t rest = WireOf(bytes) - 200000;
        NS_TEST_EXPECT_MSG_EQ(Find(id).finished.GetPicoSeconds(),
                              20000000 + At400G(2 * rest) + 2000000,
                              "resumed");
        NS_TEST_EXPECT_MSG_EQ(Find(late).finished.GetPicoSeconds(),
                              20000000 + At400G(rest + WireOf(bytes)) + 2000000,
                              "started after the hold");
        NS_TEST_EXPECT_MSG_EQ(Find(id).bytesByPath[1], ByteCount(bytes), "all over the circuit");

        // Nothing under way: drained in the next event; and a way that is gone on resume.
        m_drained.clear();
        Build(4, 1, 1);
        control->Connect({Pair(0, 1)}, {});
        Hold();
        NS_TEST_EXPECT_MSG_EQ(m_drained.size(), 0, "never inside");
        const TransferId held = Send({Make(0, 1, bytes)});
        Simulator::Schedule(MicroSeconds(10), [this]() {
            control->Connect({Pair(0, 2)}, {Pair(0, 1)});
            control->Resume(m_token);
        });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_drained.size(), 1, "told");
        NS_TEST_EXPECT_MSG_EQ(m_drained[0].first, Time(0), "at once");
        NS_TEST_EXPECT_MSG_EQ(Find(held).bytesByPath[2], ByteCount(bytes), "over the switch");

        // A delivery that is under way counts, and two tokens on one edge.
        m_drained.clear();
        Build(4, 1, 1);
        control->Connect({Pair(0, 1)}, {});
        Send({Make(0, 1, 1000)});
        FabricControl::Token first = 0;
        Simulator::Schedule(MicroSeconds(1), [this, &first]() {
            Hold();
            first = m_token;
            Hold();
        });
        Simulator::Schedule(MicroSeconds(9), [this, &first]() {
            control->Resume(first);
            NS_TEST_EXPECT_MSG_EQ(control->IsQuiesced(Fiber(0, 0)), true, "the second holds");
            Send({Make(0, 1, 1000)});
        });
        Simulator::Schedule(MicroSeconds(11), [this]() { control->Resume(m_token); });
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_drained.size(), 2, "both told");
        const int64_t arrival = At400G(WireOf(1000)) + 2000000;
        NS_TEST_EXPECT_MSG_EQ(m_drained[0].first.GetPicoSeconds(), arrival, "first");
        NS_TEST_EXPECT_MSG_EQ(m_drained[1].first.GetPicoSeconds(), arrival, "second");
        NS_TEST_ASSERT_MSG_EQ(completions.size(), 2, "both arrive");
        NS_TEST_EXPECT_MSG_EQ(completions[1].finished.GetPicoSeconds(),
                              11000000 + arrival,
                              "after the second resume");
    }

    std::vector<std::pair<Time, bool>> m_drained; //!< told
    FabricControl::Token m_token{0};              //!< of Hold
};

/// Random traffic and random changes, with and without recall: the same, and every law holds.
class RandomCase : public FlowCase
{
  public:
    RandomCase()
        : FlowCase("random traffic and changes: laws, order, and recall changes nothing")
    {
    }

  private:
    /// One end, for comparison.
    using Ends = std::vector<std::tuple<uint64_t, int64_t, uint64_t, uint64_t>>;

    void OnCompletion(const Completion& c) override
    {
        NS_TEST_EXPECT_MSG_EQ((m_last <= c.finished), true, "time goes on");
        m_last = c.finished;
        if (c.status == TransferStatus::DELIVERED)
        {
            const auto& path = c.bytesByPath;
            NS_TEST_EXPECT_MSG_EQ(path[0] + path[1] + path[2], c.bytes, "every byte once");
        }
        m_ends.emplace_back(c.id.Get(),
                            c.finished.GetTimeStep(),
                            c.bytesByPath[1].Get(),
                            static_cast<uint64_t>(c.status));
        FlowCase::OnCompletion(c);
        if (m_random->GetInteger(0, 3) == 0)
        {
            Simulator::ScheduleNow(&RandomCase::Act, this); // reacts at once
        }
    }

    /// Do something.
    void Act()
    {
        if (m_actions == 0)
        {
            return;
        }
        --m_actions;
        const uint32_t what = m_random->GetInteger(0, 9);
        const uint32_t server = m_random->GetInteger(0, 3);
        const uint32_t other = (server + m_random->GetInteger(1, 3)) % 4;
        if (what < 6)
        {
            std::vector<Transfer> batch = m_batches[m_random->GetInteger(0, 5)];
            Send(batch);
        }
        else if (what == 6)
        {
            transport->Abort(TransferId(m_random->GetInteger(0, 500)));
        }
        else if (what == 7)
        {
            const auto peer = graph->GetPeer(ocs, OcsPort(server, 0));
            const auto taken = graph->GetPeer(ocs, OcsPort(other, 0));
            if (peer)
            {
                control->Connect({},
                                 {{ocs,
                                   std::min(OcsPort(server, 0), *peer),
                                   std::max(OcsPort(server, 0), *peer)}});
            }
            else if (!taken)
            {
                control->Connect({Pair(server, other)}, {});
            }
        }
        else if (what == 8)
        {
            const auto token = control->Quiesce({Fiber(server, 0), Fiber(other, 0)},
                                                Time(0),
                                                MakeCallback(&RandomCase::OnDrained, this));
            Simulator::Schedule(MicroSeconds(7), &FlowFabricControl::Resume, control, token);
        }
        else
        {
            const EdgeId edge = graph->GetEdge(graph->GetVertex(ServerId(server)), 1);
            control->SetEdges({edge}, EdgeCause::FAILURE, !graph->IsUp(edge));
        }
        Simulator::Schedule(NanoSeconds(m_random->GetInteger(0, 20000)), &RandomCase::Act, this);
    }

    /// A quiesce has drained.
    void OnDrained(bool)
    {
        ++m_nDrained;
    }

    /// @param stream script @param recall memory @return what ended
    Ends Play(int64_t stream, uint64_t recall)
    {
        Build(4, 2, 1, recall);
        m_ends.clear();
        m_last = Time(0);
        m_actions = 60;
        m_random = CreateObject<UniformRandomVariable>();
        m_random->SetStream(stream);
        m_batches.clear();
        for (int b = 0; b < 6; ++b)
        {
            m_batches.emplace_back();
            for (uint32_t i = 0, n = m_random->GetInteger(1, 8); i < n; ++i)
            {
                m_batches.back().push_back(Make(m_random->GetInteger(0, 3),
                                                m_random->GetInteger(0, 3),
                                                m_random->GetInteger(0, 300000),
                                                m_random->GetInteger(1, 8)));
            }
        }
        Act();
        Simulator::Run();
        const TransferTotals totals = transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.unfinished, ByteCount(0), "all ended");
        NS_TEST_EXPECT_MSG_EQ(totals.byPath[0] + totals.byPath[1] + totals.byPath[2],
                              totals.delivered,
                              "law");
        uint64_t out = 0;
        uint64_t in = 0;
        for (uint32_t c = 0; c < 2 * graph->GetNEdges(); ++c)
        {
            const bool leaves =
                graph->GetKind(graph->GetSource(ChannelId(c))) == VertexKind::SERVER;
            (leaves ? out : in) += transport->GetWireBytes(ChannelId(c)).Get();
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(out), static_cast<double>(in), 16, "law");
        m_recalled += transport->GetSolverStats().recalled;
        m_fallbacks += transport->GetSolverStats().fallbacks;
        return m_ends;
    }

    void DoRun() override
    {
        for (int64_t stream = 1; stream <= 150; ++stream)
        {
            const Ends with = Play(stream, 1 << 20);
            const Ends without = Play(stream, 0);
            NS_TEST_ASSERT_MSG_EQ((with == without), true, "recall changed stream " << stream);
        }
        NS_TEST_EXPECT_MSG_GT(m_recalled, 200, "recall was exercised");
        NS_TEST_EXPECT_MSG_GT(m_fallbacks, 50, "falling back, too");
        NS_TEST_EXPECT_MSG_GT(m_nDrained, 200, "and quiesce");
    }

    Ends m_ends;                                  //!< of this run
    Time m_last;                                  //!< latest end
    uint32_t m_actions{0};                        //!< still to do
    uint32_t m_nDrained{0};                       //!< of all runs
    uint64_t m_recalled{0};                       //!< of all runs
    uint64_t m_fallbacks{0};                      //!< of all runs
    Ptr<UniformRandomVariable> m_random;          //!< the script
    std::vector<std::vector<Transfer>> m_batches; //!< to send
};

/// Attributes refuse what they do not know.
class AttributeCase : public FlowCase
{
  public:
    AttributeCase()
        : FlowCase("load balancing is chosen by name")
    {
    }

  private:
    void DoRun() override
    {
        Build(2, 1);
        NS_TEST_EXPECT_MSG_EQ((transport->GetLoadBalance() == LoadBalance::IDEAL), true, "default");
        transport->SetAttribute("LoadBalance", StringValue("per-flow"));
        NS_TEST_EXPECT_MSG_EQ((transport->GetLoadBalance() == LoadBalance::PER_FLOW), true, "set");
        bool refused = false;
        try
        {
            transport->SetAttribute("LoadBalance", StringValue("best"));
        }
        catch (const InputError& e)
        {
            refused = std::string(e.what()).find("ideal, per-flow") != std::string::npos;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "names what is accepted");
        Send({Make(0, 1, 1000), Make(0, 1, 1000)});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(router->resolved, 2, "every transfer its own way");
    }
};

/// The suite.
class FlowControlTestSuite : public TestSuite
{
  public:
    FlowControlTestSuite()
        : TestSuite("mixnet-flow-control", TestSuite::Type::UNIT)
    {
        AddTestCase(new QuiesceCase);
        AddTestCase(new RandomCase);
        AddTestCase(new AttributeCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FlowControlTestSuite g_flowControlTestSuite; //!< registers the suite

} // namespace
