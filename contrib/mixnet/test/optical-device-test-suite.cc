/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-test-case.h"

#include "ns3/double.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/string.h"

#include <tuple>

using namespace ns3;

namespace
{

/// A region of eight servers with one fiber each, and a switcher that does what it is told. Port
/// and fiber p belong to server p.
class DeviceCase : public OpticalCase
{
  public:
    explicit DeviceCase(const std::string& name)
        : OpticalCase(name)
    {
    }

  protected:
    /// One change of a port: when, port, to.
    using PortChange = std::tuple<Time, uint32_t, RegionState>;

    void BuildDevice()
    {
        Build(8, 1);
        device = CreateObject<CircuitSwitcher>();
        device->SetFabric(control, region);
        device->TraceConnectWithoutContext("PortState", MakeCallback(&DeviceCase::OnPort, this));
        device->TraceConnectWithoutContext("Reconfiguration",
                                           MakeCallback(&DeviceCase::OnReconfiguration, this));
        control->drain = PicoSeconds(1234567);
    }

    void OnPort(VertexId where, uint32_t port, RegionState from, RegionState to)
    {
        NS_TEST_EXPECT_MSG_EQ((where == ocs), true, "of this switch");
        NS_TEST_EXPECT_MSG_EQ((from != to), true, "a change");
        NS_TEST_EXPECT_MSG_EQ((device->GetPortState(ocs, port) == to), true, "as it says");
        ports.emplace_back(Simulator::Now(), port, to);
    }

    void OnLit()
    {
        litAt.push_back(Simulator::Now());
    }

    /// @param at when @param wanted circuits
    void TurnAt(Time at, std::vector<Circuit> wanted)
    {
        Simulator::Schedule(at, [this, wanted] {
            device->Turn(wanted, MakeCallback(&DeviceCase::OnLit, this));
        });
    }

    Circuit At(uint32_t a, uint32_t b) const
    {
        return {ocs, a, b};
    }

    void DoTeardown() override
    {
        device->Dispose();
        OpticalCase::DoTeardown();
    }

    Ptr<CircuitSwitcher> device;   //!< under test
    std::vector<PortChange> ports; //!< told
    std::vector<Time> litAt;       //!< told
};

/// Every state of every port at its picosecond; ports of a circuit that stays are never touched.
class PortStateCase : public DeviceCase
{
  public:
    explicit PortStateCase(bool whole)
        : DeviceCase(std::string("states of ports, ") + (whole ? "whole switch" : "changed ports")),
          m_whole(whole)
    {
    }

  private:
    void DoRun() override
    {
        BuildDevice();
        device->SetAttribute("DarkScope", StringValue(m_whole ? "region" : "changed"));
        device->SetAttribute("ControlLatency", TimeValue(PicoSeconds(500003)));
        device->SetAttribute("SwitchingDelay", TimeValue(PicoSeconds(25000000007)));
        device->SetAttribute("ActivationTime", TimeValue(PicoSeconds(3000000001)));
        graph->ChangeMatching({At(0, 1), At(2, 3), At(4, 5)}, {});
        // 0-2 takes ports of 0-1 and 2-3; 4-5 stays; 1 and 3 are left unmatched, 6 and 7 are idle.
        TurnAt(MicroSeconds(5), {At(0, 2), At(4, 5)});
        Simulator::Run();
        const Time held = MicroSeconds(5) + PicoSeconds(500003);
        const Time dark = held + PicoSeconds(1234567);
        const Time moved = dark + PicoSeconds(25000000007);
        const Time lit = moved + PicoSeconds(3000000001);
        std::vector<PortChange> expected;
        for (const auto& [at, to] : {std::make_pair(held, RegionState::DRAINING),
                                     std::make_pair(dark, RegionState::SWITCHING),
                                     std::make_pair(moved, RegionState::ACTIVATING),
                                     std::make_pair(lit, RegionState::STEADY)})
        {
            for (uint32_t port = 0; port < (m_whole ? 8 : 4); ++port)
            {
                expected.emplace_back(at, port, to);
            }
        }
        NS_TEST_EXPECT_MSG_EQ((ports == expected), true, "states, ports, times");
        NS_TEST_ASSERT_MSG_EQ(litAt.size(), 1, "told");
        NS_TEST_EXPECT_MSG_EQ(litAt[0], lit, "when lit");
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(0, 2)), true, "new");
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(4, 5)), true, "kept");
        NS_TEST_EXPECT_MSG_EQ(graph->GetPeer(ocs, 1).has_value(), false, "left");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations.at(0).kept, 1, "4-5");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations.at(0).GetDarkTime(), lit - held, "dark time");
    }

    bool m_whole; //!< whole switch
};

/// Switching delays: measured by pairs, drawn, and draws that cannot be.
class DelayCase : public DeviceCase
{
  public:
    DelayCase()
        : DeviceCase("switching delays, measured and drawn")
    {
    }

  private:
    /// @return switching time of reconfiguration i @param i which
    Time Took(std::size_t i) const
    {
        return reconfigurations.at(i).switched - reconfigurations.at(i).drained;
    }

    void DoRun() override
    {
        BuildDevice();
        device->SetAttribute("SwitchingDelayTable", StringValue("prototype"));
        TurnAt(Seconds(1), {At(0, 1)});
        TurnAt(Seconds(2), {At(0, 2), At(1, 3), At(4, 5), At(6, 7)});
        TurnAt(Seconds(3), {At(4, 6), At(5, 7)});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(reconfigurations.size(), 3, "all");
        NS_TEST_EXPECT_MSG_EQ(Took(0), MicroSeconds(41400), "one pair");
        NS_TEST_EXPECT_MSG_EQ(Took(1), MicroSeconds(42400), "four pairs");
        NS_TEST_EXPECT_MSG_EQ(Took(2), PicoSeconds(41733333333), "two, between them");

        const auto twin = CreateObject<UniformRandomVariable>();
        twin->SetAttribute("Min", DoubleValue(0.010));
        twin->SetAttribute("Max", DoubleValue(0.025));
        twin->SetStream(77);
        device->SetAttribute("SwitchingDelayTable", StringValue(""));
        device->SetAttribute("SwitchingDelayVariable",
                             StringValue("ns3::UniformRandomVariable[Min=0.010|Max=0.025]"));
        NS_TEST_EXPECT_MSG_EQ(device->AssignStreams(77), 1, "one stream");
        TurnAt(Seconds(1), {At(0, 1)});
        TurnAt(Seconds(2), {At(0, 2)});
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(Took(3), Seconds(twin->GetValue()), "as drawn");
        NS_TEST_EXPECT_MSG_EQ(Took(4), Seconds(twin->GetValue()), "as drawn");
        NS_TEST_EXPECT_MSG_EQ((Took(3) != Took(4)), true, "and drawn each time");

        device->SetAttribute("SwitchingDelayVariable",
                             StringValue("ns3::ConstantRandomVariable[Constant=-1]"));
        TurnAt(Seconds(1), {At(0, 3)});
        bool refused = false;
        try
        {
            Simulator::Run();
        }
        catch (const InputError& e)
        {
            refused = std::string(e.what()).find("drew -1") != std::string::npos;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "no time before now");
    }
};

/// Make before break: the free pair is lit while the old ones carry on, then the rest.
class MakeBeforeBreakCase : public DeviceCase
{
  public:
    MakeBeforeBreakCase()
        : DeviceCase("make before break")
    {
    }

  private:
    void Look(bool old, bool made, bool rest)
    {
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(0, 1)), old, "old at " << Simulator::Now());
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(4, 5)), made, "made at " << Simulator::Now());
        NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(0, 2)), rest, "rest at " << Simulator::Now());
        ++m_looks;
    }

    void DoRun() override
    {
        BuildDevice();
        device->SetAttribute("DrainPolicy", StringValue("ns3::MakeBeforeBreakDrainPolicy"));
        device->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(10)));
        graph->ChangeMatching({At(0, 1), At(2, 3)}, {});
        TurnAt(MicroSeconds(5), {At(0, 2), At(4, 5)});
        const Time first = MicroSeconds(15);
        const Time dark = first + control->drain;
        const Time tick = PicoSeconds(1);
        for (const auto& [at, old, made, rest] :
             {std::make_tuple(first - tick, true, false, false),
              std::make_tuple(first + tick, true, true, false),
              std::make_tuple(dark - tick, true, true, false),
              std::make_tuple(dark + tick, false, true, false),
              std::make_tuple(dark + MicroSeconds(10) + tick, false, true, true)})
        {
            Simulator::Schedule(at, &MakeBeforeBreakCase::Look, this, old, made, rest);
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_looks, 5, "all looks");
        NS_TEST_ASSERT_MSG_EQ(reconfigurations.size(), 2, "two steps");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[0].last, false, "first");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[1].last, true, "second");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[0].GetDarkTime(), MicroSeconds(10), "not drained");
        NS_TEST_EXPECT_MSG_EQ(device->GetNReconfigurations(), 1, "one in all");
        NS_TEST_EXPECT_MSG_EQ(control->quiesces, 1, "one drain");
        NS_TEST_EXPECT_MSG_EQ(control->resumes, 1, "and its end");
        NS_TEST_ASSERT_MSG_EQ(litAt.size(), 1, "told once");
        NS_TEST_EXPECT_MSG_EQ(litAt[0], dark + MicroSeconds(10), "at the end");
    }

    int m_looks{0}; //!< done
};

/// A region that never drains is cut by the timeout; without drain nothing waits; nothing to do
/// takes no time; one change at a time.
class BoundCase : public DeviceCase
{
  public:
    BoundCase()
        : DeviceCase("bounded drain, no drain, nothing to do, busy")
    {
    }

  private:
    void DoRun() override
    {
        BuildDevice();
        device->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(10)));
        device->SetAttribute("DrainTimeout", TimeValue(PicoSeconds(7000001)));
        control->drain = Time(-1);
        TurnAt(Seconds(1), {At(0, 1)});
        TurnAt(Seconds(2), {At(0, 1)});
        bool refused = false;
        Simulator::Schedule(Seconds(1) + MicroSeconds(8), [this, &refused] {
            try
            {
                device->Turn({At(2, 3)}, CircuitSwitcher::LitCallback());
            }
            catch (const InputError& e)
            {
                refused = std::string(e.what()).find("switching") != std::string::npos;
            }
        });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(refused, true, "busy");
        NS_TEST_ASSERT_MSG_EQ(reconfigurations.size(), 1, "the second changes nothing");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[0].forced, true, "timeout");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[0].GetDarkTime(), PicoSeconds(17000001), "bound");
        NS_TEST_EXPECT_MSG_EQ(device->GetNKept(), 1, "kept");
        NS_TEST_ASSERT_MSG_EQ(litAt.size(), 2, "both told");
        NS_TEST_EXPECT_MSG_EQ(litAt[1], Seconds(2), "at once");

        device->SetAttribute("DrainPolicy", StringValue("ns3::ImmediateDrainPolicy"));
        const Time start = Simulator::Now();
        TurnAt(Time(0), {At(0, 2)});
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(reconfigurations.size(), 2, "done");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[1].drained, start, "no drain");
        NS_TEST_EXPECT_MSG_EQ(reconfigurations[1].lit, start + MicroSeconds(10), "lit");
        NS_TEST_EXPECT_MSG_EQ(control->quiesces, 1, "of the first only");
        NS_TEST_EXPECT_MSG_EQ(control->resumes, 1, "of the first only");
    }
};

/// A port that fails while mirrors move stays dark when they have, and is lit by its repair.
class FailureCase : public DeviceCase
{
  public:
    FailureCase()
        : DeviceCase("port failure and repair")
    {
    }

  private:
    void DoRun() override
    {
        BuildDevice();
        device->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(10)));
        TurnAt(Time(0), {At(0, 1), At(2, 3)});
        const EdgeId fiber = graph->GetEdge(ocs, 1);
        const auto look = [this](bool lit) {
            NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(0, 1)), lit, "at " << Simulator::Now());
            NS_TEST_EXPECT_MSG_EQ(graph->IsLit(At(2, 3)), true, "the other");
            ++m_looks;
        };
        Simulator::Schedule(MicroSeconds(5), [this, fiber] {
            control->SetEdges({fiber}, EdgeCause::FAILURE, false);
        });
        Simulator::Schedule(MicroSeconds(20), [=] { look(false); });
        Simulator::Schedule(MicroSeconds(30), [this, fiber] {
            control->SetEdges({fiber}, EdgeCause::FAILURE, true);
        });
        Simulator::Schedule(MicroSeconds(30) + PicoSeconds(1), [=] { look(true); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_looks, 2, "all looks");
        NS_TEST_EXPECT_MSG_EQ(litAt.size(), 1, "the change ended all the same");
    }

    int m_looks{0}; //!< done
};

/// The suite.
class OpticalDeviceTestSuite : public TestSuite
{
  public:
    OpticalDeviceTestSuite()
        : TestSuite("mixnet-optical-device", TestSuite::Type::UNIT)
    {
        AddTestCase(new PortStateCase(false));
        AddTestCase(new PortStateCase(true));
        AddTestCase(new DelayCase);
        AddTestCase(new MakeBeforeBreakCase);
        AddTestCase(new BoundCase);
        AddTestCase(new FailureCase);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalDeviceTestSuite g_opticalDeviceTestSuite; //!< registers the suite

} // namespace
