/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-test-case.h"

#include "ns3/double.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

using namespace ns3;

namespace
{

constexpr auto FIRST = AllToAllPhase::FORWARD_DISPATCH; //!< phase that `paper` blocks

/// Dark time to the picosecond; untouched circuits stay up.
class DarkTimeCase : public OpticalCase
{
  public:
    explicit DarkTimeCase(bool whole)
        : OpticalCase(whole ? "dark time, whole region" : "dark time, changed ports"),
          m_whole(whole)
    {
    }

  private:
    void Look(Circuit c, bool lit, std::string when)
    {
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(c),
                              lit,
                              when << " circuit " << c.portA << "-" << c.portB);
        ++m_looks;
    }

    void DoRun() override
    {
        Build(4, 1);
        controller->SetAttribute("SwitchingDelay", TimeValue(PicoSeconds(25000000007)));
        controller->SetAttribute("ActivationTime", TimeValue(PicoSeconds(3000000001)));
        controller->SetAttribute("DarkScope", StringValue(m_whole ? "region" : "changed"));
        control->drain = PicoSeconds(1234567);
        // Ports 0 to 3 belong to servers 0 to 3. 0-1 stays, 2-3 is new.
        graph->ChangeMatching({{ocs, 0, 1}}, {});
        const Time asked = MicroSeconds(5);
        Simulator::Schedule(asked,
                            &DarkTimeCase::Request,
                            this,
                            std::string("a"),
                            AllToAllId{0, 0, 0, FIRST},
                            Pairs({{0, 1}, {3, 2}}));
        const Time dark = asked + control->drain;
        const Time lit = dark + PicoSeconds(28000000008);
        const Time tick = PicoSeconds(1);
        const Circuit kept{ocs, 0, 1};
        const Circuit fresh{ocs, 2, 3};
        for (const Time& t : {asked, dark - tick, dark + tick, lit - tick, lit + tick})
        {
            const bool inDark = t > dark && t < lit;
            Simulator::Schedule(t,
                                &DarkTimeCase::Look,
                                this,
                                kept,
                                !(m_whole && inDark),
                                std::string("kept"));
            Simulator::Schedule(t, &DarkTimeCase::Look, this, fresh, t > lit, std::string("new"));
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_looks, 10, "all looks");
        NS_TEST_ASSERT_MSG_EQ(reconfigurations.size(), 1, "one reconfiguration");
        const CircuitReconfiguration& r = reconfigurations[0];
        NS_TEST_EXPECT_MSG_EQ(started["a"], lit, "starts when lit");
        NS_TEST_EXPECT_MSG_EQ(r.requested, asked, "requested");
        NS_TEST_EXPECT_MSG_EQ(r.held, asked, "held");
        NS_TEST_EXPECT_MSG_EQ(r.drained, dark, "drained");
        NS_TEST_EXPECT_MSG_EQ(r.switched, dark + PicoSeconds(25000000007), "switched");
        NS_TEST_EXPECT_MSG_EQ(r.lit, lit, "lit");
        NS_TEST_EXPECT_MSG_EQ(r.GetDarkTime(), lit - asked, "dark time with drain");
        NS_TEST_EXPECT_MSG_EQ(r.kept, 1, "0-1 stays");
        NS_TEST_EXPECT_MSG_EQ(r.added.size(), 1, "2-3 is new");
        NS_TEST_EXPECT_MSG_EQ(r.darkEdges.size(), (m_whole ? 4 : 2), "dark fibers");
        NS_TEST_EXPECT_MSG_EQ(control->resumes, 1, "resumed");
        NS_TEST_EXPECT_MSG_EQ(ns3::GetName(controller->GetState()), std::string("steady"), "over");
    }

    bool m_whole;   //!< dark scope
    int m_looks{0}; //!< done
};

/// An empty difference: no hold, no dark time, counted as kept.
class KeptCase : public OpticalCase
{
  public:
    KeptCase()
        : OpticalCase("empty difference")
    {
    }

  private:
    void DoRun() override
    {
        Build(4, 2);
        const DemandMatrix demand = Pairs({{0, 1}, {2, 3}});
        DemandMatrix back(4, 4, 0);
        back(1, 0) = 2000;
        back(3, 2) = 2000;
        Simulator::Schedule(Seconds(1),
                            &KeptCase::Request,
                            this,
                            std::string("a"),
                            AllToAllId{0, 0, 0, FIRST},
                            demand);
        Simulator::Schedule(Seconds(2),
                            &KeptCase::Request,
                            this,
                            std::string("b"),
                            AllToAllId{0, 1, 0, FIRST},
                            back);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(started["a"], Seconds(1) + MilliSeconds(25), "first waits");
        NS_TEST_EXPECT_MSG_EQ(started["b"], Seconds(2), "second starts at once");
        NS_TEST_EXPECT_MSG_EQ(control->quiesces, 1, "held once");
        NS_TEST_EXPECT_MSG_EQ(controller->GetNKept(), 1, "kept");
        NS_TEST_ASSERT_MSG_EQ(decisions.size(), 2, "decisions");
        NS_TEST_EXPECT_MSG_EQ(decisions[0].kept, false, "first");
        NS_TEST_EXPECT_MSG_EQ(decisions[0].changed, 4, "two circuits per pair");
        NS_TEST_EXPECT_MSG_EQ(decisions[1].kept, true, "second");
        NS_TEST_EXPECT_MSG_EQ(decisions[1].plan, decisions[0].plan, "same plan");
        NS_TEST_EXPECT_MSG_EQ(decisions[1].circuits, 4, "four circuits");
        NS_TEST_EXPECT_MSG_EQ(decisions[1].idlePorts, 0, "all ports in use");
        // Control and EPS: 1 MB over EPS (400G) takes 20 us, over two circuits 10 us.
        NS_TEST_EXPECT_MSG_EQ(decisions[0].predictedCurrent, MicroSeconds(20), "EPS");
        NS_TEST_EXPECT_MSG_EQ(decisions[0].predictedProposed, MicroSeconds(10), "circuits");
    }
};

/// Requests that meet a busy region.
class QueueCase : public OpticalCase
{
  public:
    QueueCase()
        : OpticalCase("queued and replaced plans")
    {
    }

  private:
    void Ask(Time when, const std::string& name, uint32_t layer, const DemandMatrix& demand)
    {
        Simulator::Schedule(when,
                            &QueueCase::Request,
                            this,
                            name,
                            AllToAllId{0, layer, 0, FIRST},
                            demand);
    }

    void DoRun() override
    {
        Build(4, 1);
        controller->SetAttribute("SwitchingDelay", TimeValue(MilliSeconds(10)));
        controller->SetAttribute("ControlLatency", TimeValue(MilliSeconds(2)));
        control->drain = MilliSeconds(1);
        const DemandMatrix x = Pairs({{0, 1}, {2, 3}});
        const DemandMatrix y = Pairs({{0, 2}, {1, 3}});
        const DemandMatrix z = Pairs({{0, 3}, {1, 2}});
        Ask(MilliSeconds(100), "a", 0, z);
        Ask(MilliSeconds(101), "b", 1, x); // replaces z on its way: command at 103, lit at 114
        Ask(MilliSeconds(105), "c", 2, y); // waits
        Ask(MilliSeconds(106), "d", 3, z); // replaces y: command at 116, lit at 127
        Ask(MilliSeconds(107), "e", 4, z); // the same
        Ask(MilliSeconds(120), "f", 5, x);
        Ask(MilliSeconds(121), "g", 6, z); // back to what is being lit: nothing to do at 129
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(started.size(), 7, "all start");
        NS_TEST_EXPECT_MSG_EQ(started["a"], MilliSeconds(114), "with its successor");
        NS_TEST_EXPECT_MSG_EQ(started["b"], MilliSeconds(114), "lit");
        for (const char* name : {"c", "d", "e"})
        {
            NS_TEST_EXPECT_MSG_EQ(started[name], MilliSeconds(127), name);
        }
        NS_TEST_EXPECT_MSG_EQ(started["f"], MilliSeconds(129), "replaced by g");
        NS_TEST_EXPECT_MSG_EQ(started["g"], MilliSeconds(129), "already there");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations.size(), 2, "x and z");
        NS_TEST_EXPECT_MSG_EQ(controller->GetPlan().GetCount(0, 3), 1, "z is lit");
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit({ocs, 0, 3}), true, "in the graph too");
    }
};

/// A region that never empties goes on after the timeout.
class DrainTimeoutCase : public OpticalCase
{
  public:
    DrainTimeoutCase()
        : OpticalCase("drain timeout")
    {
    }

  private:
    void DoRun() override
    {
        Build(4, 1);
        control->drain = Seconds(-1);
        controller->SetAttribute("DrainTimeout", TimeValue(MilliSeconds(4)));
        auto delay = CreateObject<ConstantRandomVariable>();
        delay->SetAttribute("Constant", DoubleValue(0.007));
        controller->SetAttribute("SwitchingDelayVariable", PointerValue(delay));
        Simulator::Schedule(MilliSeconds(1),
                            &DrainTimeoutCase::Request,
                            this,
                            std::string("a"),
                            AllToAllId{0, 0, 0, FIRST},
                            Pairs({{0, 1}}));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(started["a"], MilliSeconds(12), "timeout 4 ms, switching 7 ms");
        NS_TEST_ASSERT_MSG_EQ(reconfigurations.size(), 1, "one");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[0].forced, true, "forced");
        NS_TEST_EXPECT_MSG_EQ(control->resumes, 1, "resumed");
    }
};

/// Failed fibers and regions without any.
class PortsCase : public OpticalCase
{
  public:
    PortsCase()
        : OpticalCase("failed ports, no ports, several groups")
    {
    }

  private:
    void DoRun() override
    {
        Build(4, 0);
        controller->Start();
        Request("none", AllToAllId{0, 0, 0, FIRST}, Pairs({{0, 1}}));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(started.count("none"), 1, "alpha 0 starts at once");
        NS_TEST_EXPECT_MSG_EQ(control->quiesces, 0, "and touches nothing");

        Build(4, 2);
        controller->Start();
        NS_TEST_EXPECT_MSG_EQ(graph->GetCircuits(ocs).size(), 4, "uniform before the run");
        std::vector<EdgeId> fibers;
        for (const uint32_t nic : graph->GetNics(ServerId(0), EdgeKind::FIBER))
        {
            fibers.push_back(graph->GetEdge(graph->GetVertex(ServerId(0)), nic));
        }
        control->SetEdges(fibers, EdgeCause::FAILURE, false);
        Request("failed", AllToAllId{0, 0, 0, FIRST}, Pairs({{0, 1}, {1, 2}, {2, 3}}));
        Simulator::Run();
        const CircuitPlan plan = controller->GetPlan();
        NS_TEST_EXPECT_MSG_EQ(plan.GetDegree(0), 0, "server 0 is out");
        NS_TEST_EXPECT_MSG_EQ(plan.GetCount(1, 2) + plan.GetCount(2, 3), 2, "the others are not");
        NS_TEST_EXPECT_MSG_EQ(decisions.back().idlePorts, 2, "one port each of 1 and 3");

        // Two groups share the region: the plan of one leaves the circuits of the other.
        Build(4, 2);
        Request("p", AllToAllId{0, 0, 0, FIRST, 0}, Pairs({{0, 1}}));
        Simulator::Run();
        Request("q", AllToAllId{0, 0, 0, FIRST, 1}, Pairs({{2, 3}}));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(controller->GetPlan().GetCount(0, 1), 2, "group 0 keeps");
        NS_TEST_EXPECT_MSG_EQ(controller->GetPlan().GetCount(2, 3), 2, "group 1 gets");
    }
};

/// The suite.
class OpticalTestSuite : public TestSuite
{
  public:
    OpticalTestSuite()
        : TestSuite("mixnet-optical", TestSuite::Type::UNIT)
    {
        AddTestCase(new DarkTimeCase(false));
        AddTestCase(new DarkTimeCase(true));
        AddTestCase(new KeptCase);
        AddTestCase(new QueueCase);
        AddTestCase(new DrainTimeoutCase);
        AddTestCase(new PortsCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalTestSuite g_opticalTestSuite; //!< registers the suite

} // namespace
