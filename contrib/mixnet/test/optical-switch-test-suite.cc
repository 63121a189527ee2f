/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/fabric-graph.h"
#include "ns3/frame.h"
#include "ns3/mixnet-link.h"
#include "ns3/mixnet-port.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-switch.h"
#include "ns3/packet-fabric-context.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint16_t WIRE = 1000; //!< bytes of a test frame: 20 ns at 400 Gb/s

/// A NIC that keeps what it receives.
class Sink : public FrameReceiver
{
  public:
    void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) override
    {
        numbers.push_back(frame->psn);
        times.push_back(now);
        in.GetFabric().GetPool().Free(frame);
    }

    std::vector<uint32_t> numbers; //!< of the frames
    std::vector<SimTick> times;    //!< when they were complete
};

/// Servers with one fiber each to one OCS; links follow the graph, as the packet world does it.
class SwitchCase : public TestCase
{
  public:
    explicit SwitchCase(const std::string& name)
        : TestCase(name)
    {
    }

  protected:
    void Build(uint32_t servers, SimTick lookahead)
    {
        graph = CreateObject<FabricGraph>();
        context = CreateObject<PacketFabricContext>();
        optical = CreateObject<OpticalSwitch>();
        std::vector<ServerId> members;
        for (uint32_t s = 0; s < servers; ++s)
        {
            members.push_back(graph->AddServer(ServerSpec()));
        }
        ocs = graph->AddOcs(servers, "ocs");
        EdgeSpec fiber;
        fiber.kind = EdgeKind::FIBER;
        fiber.delay = NanoSeconds(100);
        optical->Setup(graph, ocs, Simulator::NO_CONTEXT);
        optical->GetElement().SetLookaheadLimit(lookahead);
        sinks.resize(servers);
        for (uint32_t s = 0; s < servers; ++s)
        {
            graph->AddEdge(graph->GetVertex(members[s]), ocs, fiber);
            auto nic = CreateObject<MixnetPort>();
            nic->SetFabric(context);
            nic->SetReceiver(&sinks[s], PortRole::OPTICAL);
            auto port = CreateObject<MixnetPort>();
            port->SetFabric(context);
            optical->AddPort(port);
            auto link = CreateObject<MixnetLink>();
            link->SetAttribute("DataRate", DataRateValue(fiber.rate));
            link->SetAttribute("Delay", TimeValue(fiber.delay));
            link->Attach(PeekPointer(nic), PeekPointer(port));
            nics.push_back(nic);
            links.push_back(link);
        }
        graph->Subscribe(GraphPhase::WORLD, MakeCallback(&SwitchCase::Follow, this));
        optical->TraceConnectWithoutContext("Lost", MakeCallback(&SwitchCase::OnLost, this));
    }

    void Follow(const GraphChange& change)
    {
        for (const EdgeId e : change.down)
        {
            links[e.Get()]->SetUp(false);
        }
        for (const EdgeId e : change.up)
        {
            links[e.Get()]->SetUp(true);
        }
    }

    void OnLost(const Frame& frame, uint32_t /* port */)
    {
        lost.push_back(frame.psn);
    }

    /// @param nic who sends, back to back, from now on @param count frames, numbered from 0
    void Send(uint32_t nic, uint32_t count)
    {
        for (uint32_t n = 0; n < count; ++n)
        {
            Frame* frame = context->GetPool().Allocate();
            frame->wireBytes = WIRE;
            frame->psn = n;
            nics[nic]->Enqueue(frame, Simulator::Now().GetTimeStep());
        }
    }

    void Change(std::vector<Circuit> added, std::vector<Circuit> removed)
    {
        graph->ChangeMatching(added, removed);
    }

    void DoTeardown() override
    {
        NS_TEST_EXPECT_MSG_EQ(context->GetPool().GetInUse(), 0, "no frame is left");
        Simulator::Destroy();
        for (const auto& nic : nics)
        {
            nic->Dispose();
        }
        optical->Dispose();
    }

    Ptr<FabricGraph> graph;             //!< the network
    Ptr<PacketFabricContext> context;   //!< the packet world
    Ptr<OpticalSwitch> optical;         //!< under test
    VertexId ocs;                       //!< its vertex
    std::vector<Ptr<MixnetPort>> nics;  //!< by server
    std::vector<Ptr<MixnetLink>> links; //!< by server, which is by edge
    std::vector<Sink> sinks;            //!< by server
    std::vector<uint32_t> lost;         //!< frames lost in the dark
};

constexpr SimTick FRAME = 20000;  //!< serialization of a test frame in ps
constexpr SimTick FIBER = 100000; //!< propagation of each fiber in ps

/// Idle way: one serialization and two propagations, however many frames.
class PassCase : public SwitchCase
{
  public:
    PassCase()
        : SwitchCase("cut-through")
    {
    }

  private:
    void DoRun() override
    {
        Build(2, 0);
        Change({{ocs, 0, 1}}, {});
        Simulator::ScheduleNow(&PassCase::Send, this, 0, 5);
        Simulator::ScheduleNow(&PassCase::Send, this, 1, 3);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(sinks[1].times.size(), 5, "all arrive");
        NS_TEST_ASSERT_MSG_EQ(sinks[0].times.size(), 3, "in both directions");
        for (int n = 0; n < 5; ++n)
        {
            NS_TEST_EXPECT_MSG_EQ(sinks[1].times[n], FRAME * (n + 1) + FIBER * 2, "frame " << n);
        }
        NS_TEST_EXPECT_MSG_EQ(optical->GetForwarded(), 8, "counted");
        NS_TEST_EXPECT_MSG_EQ(optical->GetLost(), 0, "nothing lost");
    }
};

/**
 * Server 0 sends without a pause; frame n passes the switch in [n x 20 ns + 100 ns, + 20 ns].
 * The circuit 0-1 is taken out at `dark` and 0-2 set up at `lit`, fibers staying up. Lost are
 * exactly the frames whose passage is not wholly at or before `dark`, nor at or after `lit`.
 */
class SwitchoverCase : public SwitchCase
{
  public:
    /// @param dark when 0-1 ends, in ps @param lit when 0-2 begins @param lookahead of the switch
    SwitchoverCase(SimTick dark, SimTick lit, SimTick lookahead)
        : SwitchCase("dark from " + std::to_string(dark) + " to " + std::to_string(lit) +
                     " ps, lookahead " + std::to_string(lookahead)),
          m_dark(dark),
          m_lit(lit),
          m_lookahead(lookahead)
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t COUNT = 100;
        Build(3, m_lookahead);
        Change({{ocs, 0, 1}}, {});
        Simulator::Schedule(PicoSeconds(m_dark),
                            &SwitchoverCase::Change,
                            this,
                            std::vector<Circuit>{},
                            std::vector<Circuit>{{ocs, 0, 1}});
        Simulator::Schedule(PicoSeconds(m_lit),
                            &SwitchoverCase::Change,
                            this,
                            std::vector<Circuit>{{ocs, 0, 2}},
                            std::vector<Circuit>{});
        Simulator::ScheduleNow(&SwitchoverCase::Send, this, 0, COUNT);
        Simulator::Run();
        std::vector<uint32_t> before;
        std::vector<uint32_t> dark;
        std::vector<uint32_t> after;
        for (uint32_t n = 0; n < COUNT; ++n)
        {
            const SimTick first = FIBER + FRAME * n;
            const SimTick last = first + FRAME;
            (last <= m_dark ? before : first >= m_lit ? after : dark).push_back(n);
        }
        NS_TEST_EXPECT_MSG_EQ(before.empty() || dark.empty() || after.empty(), false, "all kinds");
        NS_TEST_EXPECT_MSG_EQ((sinks[1].numbers == before), true, "before the dark");
        NS_TEST_EXPECT_MSG_EQ((sinks[2].numbers == after), true, "after the dark");
        NS_TEST_EXPECT_MSG_EQ((lost == dark), true, lost.size() << " lost, not " << dark.size());
        NS_TEST_EXPECT_MSG_EQ(context->GetDrops(DropReason::DARK), dark.size(), "drops");
        NS_TEST_EXPECT_MSG_EQ(optical->GetForwarded() + optical->GetLost(), COUNT, "law");
    }

    SimTick m_dark;      //!< 0-1 ends
    SimTick m_lit;       //!< 0-2 begins
    SimTick m_lookahead; //!< of the switch
};

/// Ports without circuit, and fibers that go dark under a matched pair.
class DarkCase : public SwitchCase
{
  public:
    DarkCase()
        : SwitchCase("unmatched ports and dark fibers")
    {
    }

  private:
    void SetFiber(uint32_t server, EdgeCause cause, bool up)
    {
        graph->SetEdges({EdgeId(server)}, cause, up);
        NS_TEST_EXPECT_MSG_EQ(optical->IsLit(0), graph->IsLit({ocs, 0, 1}), "follows the graph");
        NS_TEST_EXPECT_MSG_EQ(optical->IsLit(1), optical->IsLit(0), "at both ends");
    }

    void DoRun() override
    {
        Build(3, 0);
        Change({{ocs, 0, 1}}, {});
        Simulator::ScheduleNow(&DarkCase::Send, this, 2, 7); // no circuit: all lost
        // The far fiber is dark from 250 to 330 ns: frames that pass in it, or are under way on
        // it, never arrive; server 0 does not know.
        Simulator::ScheduleNow(&DarkCase::Send, this, 0, 30);
        Simulator::Schedule(NanoSeconds(250),
                            &DarkCase::SetFiber,
                            this,
                            1,
                            EdgeCause::OPTICAL,
                            false);
        Simulator::Schedule(NanoSeconds(260),
                            &DarkCase::SetFiber,
                            this,
                            1,
                            EdgeCause::FAILURE,
                            false);
        Simulator::Schedule(NanoSeconds(290),
                            &DarkCase::SetFiber,
                            this,
                            1,
                            EdgeCause::OPTICAL,
                            true);
        Simulator::Schedule(NanoSeconds(330),
                            &DarkCase::SetFiber,
                            this,
                            1,
                            EdgeCause::FAILURE,
                            true);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(sinks[0].numbers.size() + sinks[2].numbers.size(), 0, "astray");
        // Frame n reaches the switch at 120 + 20 n and server 1 at 220 + 20 n: 0 and 1 are there
        // by 250, 2 to 6 are on the dark fiber, 7 to 11 touch [250, 330], the rest arrives.
        std::vector<uint32_t> arrived{0, 1};
        for (uint32_t n = 12; n < 30; ++n)
        {
            arrived.push_back(n);
        }
        NS_TEST_EXPECT_MSG_EQ((sinks[1].numbers == arrived), true, "only frames in the light");
        NS_TEST_EXPECT_MSG_EQ(context->GetDrops(DropReason::LINK_DOWN), 5, "under way");
        NS_TEST_EXPECT_MSG_EQ(context->GetDrops(DropReason::DARK), 7 + 5, "in the dark");
    }
};

/// The suite.
class OpticalSwitchTestSuite : public TestSuite
{
  public:
    OpticalSwitchTestSuite()
        : TestSuite("mixnet-optical-switch", TestSuite::Type::UNIT)
    {
        AddTestCase(new PassCase);
        AddTestCase(new DarkCase);
        // On the boundary of frames, one tick to either side of it, and anywhere; the switch
        // looking at arrivals in time, or late.
        for (const SimTick lookahead : {SimTick(0), SimTick(99999)})
        {
            for (const SimTick dark : {500000, 499999, 500001, 507123})
            {
                for (const SimTick lit : {900000, 899999, 900001, 933333})
                {
                    AddTestCase(new SwitchoverCase(dark, lit, lookahead));
                }
            }
            AddTestCase(new SwitchoverCase(505000, 505000, lookahead));
        }
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalSwitchTestSuite g_opticalSwitchTestSuite; //!< registers the suite

} // namespace
