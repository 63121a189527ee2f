/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Messages that start in the dark, in both worlds.

#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/regional-controller.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t BYTES = 4 << 20; //!< of a message: 1,024 packets

/// 4,178 wire bytes a packet, 16 more in the first, 20 ps a byte; two fibers of 1 us.
/// @return time of a message over a circuit
Time
OverCircuit()
{
    return PicoSeconds((1024 * 4178 + 16) * 20) + MicroSeconds(2);
}

/// Four links and three switches, each of which takes the first packet once more.
/// @return time of a message over the EPS, between servers of different leaves
Time
OverEps()
{
    return OverCircuit() + MicroSeconds(2) + 3 * PicoSeconds(4194 * 20);
}

/// Eight servers; circuits 0-1 and 4-5; at 20 us the first is turned into 0-2, lit again at 55 us.
class NewTraffic : public ::testing::TestWithParam<Fidelity>, public TransferSink
{
  protected:
    void Build(const std::string& traffic, uint32_t fibers = 1)
    {
        EnsurePicosecondClock();
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(fibers));
        helper.SetFidelity(GetParam());
        m_fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(8, fibers + 1)));
        m_fabric->AssignStreams(1);
        m_ocs = m_fabric->GetGraph()->GetRegionOcs(RegionId(0))[0];
        m_device = CreateObject<CircuitSwitcher>();
        m_device->SetFabric(m_fabric->GetControl(), RegionId(0));
        m_device->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(30)));
        m_device->SetAttribute("ActivationTime", TimeValue(MicroSeconds(5)));
        m_device->SetAttribute("NewTraffic", StringValue(traffic));
        m_ends.clear();
    }

    void Turn(Time at, std::vector<Circuit> wanted)
    {
        Simulator::Schedule(at, [this, wanted] {
            m_device->Turn(wanted, CircuitSwitcher::LitCallback());
        });
    }

    void TearDown() override
    {
        if (m_device)
        {
            m_device->Dispose();
        }
        m_fabric.reset();
        Simulator::Destroy();
    }

    void Send(Time at, uint64_t tag, uint32_t from, uint32_t to, TrafficClass c = TrafficClass::EP)
    {
        Simulator::Schedule(at, [=] {
            Transfer t;
            t.source = m_fabric->GetGraph()->GetGpu(ServerId(from), 0);
            t.destination = m_fabric->GetGraph()->GetGpu(ServerId(to), 0);
            t.bytes = ByteCount(BYTES);
            t.trafficClass = c;
            t.tag = tag;
            m_ids[tag] = m_fabric->GetTransport()->Send({t}, *this);
        });
    }

    void OnCompletion(const Completion& c) override
    {
        EXPECT_TRUE(m_ends.emplace(c.tag, c).second) << "message " << c.tag << " ends once";
    }

    /// @param tag a message @param path its only path
    void ExpectWholly(uint64_t tag, PathClass path)
    {
        ASSERT_EQ(m_ends.count(tag), 1U) << "message " << tag;
        const Completion& c = m_ends.at(tag);
        EXPECT_EQ(c.status, TransferStatus::DELIVERED) << "message " << tag;
        for (const PathClass p : {PathClass::CIRCUIT, PathClass::PACKET})
        {
            EXPECT_EQ(c.bytesByPath[static_cast<std::size_t>(p)].Get(), p == path ? BYTES : 0)
                << "message " << tag;
        }
    }

    std::unique_ptr<MixnetFabric> m_fabric; //!< the world
    VertexId m_ocs;                         //!< its switch
    Ptr<CircuitSwitcher> m_device;          //!< its device
    std::map<uint64_t, Completion> m_ends;  //!< by tag
    std::map<uint64_t, TransferId> m_ids;   //!< by tag
};

// 0-2 is promised: a message between them waits for it, or not. 0-1 is going: its message does not
// wait; nor does one of a class that never uses circuits, nor one whose circuit stays alight.
TEST_P(NewTraffic, WaitsForPromisedLightOnly)
{
    for (const bool waits : {false, true})
    {
        Build(waits ? "wait" : "lit");
        m_fabric->GetControl()->Connect({{m_ocs, 0, 1}, {m_ocs, 4, 5}}, {});
        Turn(MicroSeconds(20), {{m_ocs, 0, 2}});
        Send(MicroSeconds(30), 1, 0, 2);
        Send(MicroSeconds(30), 2, 1, 0);
        Send(MicroSeconds(30), 3, 2, 0, TrafficClass::DP);
        Send(MicroSeconds(30), 4, 4, 5);
        Simulator::Run();
        ASSERT_EQ(m_ends.size(), 4U);
        ExpectWholly(1, waits ? PathClass::CIRCUIT : PathClass::PACKET);
        if (waits)
        {
            EXPECT_EQ(m_ends[1].finished, MicroSeconds(55) + OverCircuit());
        }
        else // acknowledgements of the others share its NIC
        {
            EXPECT_GE(m_ends[1].finished, MicroSeconds(30) + OverEps());
            EXPECT_LT(m_ends[1].finished, MicroSeconds(31) + OverEps());
        }
        EXPECT_EQ(m_ends[1].posted, MicroSeconds(30)) << "waiting counts";
        ExpectWholly(2, PathClass::PACKET);
        ExpectWholly(3, PathClass::PACKET);
        EXPECT_LT(m_ends[2].finished, MicroSeconds(55) + 2 * OverEps()) << "at once";
        ExpectWholly(4, PathClass::CIRCUIT);
        EXPECT_EQ(m_ends[4].finished, MicroSeconds(30) + OverCircuit());
        TearDown();
    }
}

// The light never comes: a fiber fails in the dark. Who waits goes over the EPS at that instant,
// who comes later does not wait. Repaired in the dark, it is promised again.
TEST_P(NewTraffic, AFailedFiberEndsTheWaiting)
{
    Build("wait");
    const Ptr<FabricControl> control = m_fabric->GetControl();
    control->Connect({{m_ocs, 0, 1}}, {});
    Turn(MicroSeconds(20), {{m_ocs, 0, 2}, {m_ocs, 6, 7}});
    Send(MicroSeconds(30), 1, 0, 2);
    Send(MicroSeconds(31), 2, 6, 7);
    const auto set = [=](uint32_t port, bool up) {
        control->SetEdges({m_fabric->GetGraph()->GetEdge(m_ocs, port)}, EdgeCause::FAILURE, up);
    };
    Simulator::Schedule(MicroSeconds(40), [=] { set(2, false); });
    Simulator::Schedule(MicroSeconds(41), [=] { set(6, false); });
    Simulator::Schedule(MicroSeconds(42), [=] { set(6, true); });
    Send(MicroSeconds(43), 3, 7, 6);
    Simulator::Schedule(MicroSeconds(44),
                        [this] { EXPECT_EQ(m_fabric->GetTransport()->GetNAwaiting(), 1U); });
    Simulator::Run();
    ASSERT_EQ(m_ends.size(), 3U);
    ExpectWholly(1, PathClass::PACKET);
    EXPECT_EQ(m_ends[1].finished, MicroSeconds(40) + OverEps());
    ExpectWholly(2, PathClass::PACKET);
    EXPECT_GT(m_ends[2].finished, MicroSeconds(41) + OverCircuit());
    EXPECT_LE(m_ends[2].finished, MicroSeconds(41) + OverEps());
    ExpectWholly(3, PathClass::CIRCUIT);
    EXPECT_EQ(m_ends[3].finished, MicroSeconds(55) + OverCircuit());
}

// All of the region is dark: a circuit that stays is awaited too. With two circuits of a pair of
// which one stays alight, nobody waits. While the old light drains its successor is promised.
TEST_P(NewTraffic, WhatIsDarkIsAwaitedAndWhatIsLitIsUsed)
{
    Build("wait");
    m_device->SetAttribute("DarkScope", StringValue("region"));
    m_fabric->GetControl()->Connect({{m_ocs, 0, 1}, {m_ocs, 4, 5}}, {});
    Turn(MicroSeconds(20), {{m_ocs, 0, 2}});
    Send(MicroSeconds(30), 1, 4, 5);
    Simulator::Run();
    ExpectWholly(1, PathClass::CIRCUIT);
    EXPECT_EQ(m_ends[1].finished, MicroSeconds(55) + OverCircuit());
    TearDown();

    Build("wait", 2); // server s has ports 2 s and 2 s + 1
    m_fabric->GetControl()->Connect({{m_ocs, 0, 2}}, {});
    Turn(MicroSeconds(20), {{m_ocs, 1, 3}});
    Send(MicroSeconds(30), 1, 0, 1);
    Simulator::Run();
    ExpectWholly(1, PathClass::CIRCUIT);
    EXPECT_EQ(m_ends[1].finished, MicroSeconds(30) + OverCircuit());
    TearDown();

    Build("wait");
    m_fabric->GetControl()->Connect({{m_ocs, 0, 1}}, {});
    Send(MicroSeconds(0), 1, 0, 1);
    Turn(MicroSeconds(20), {{m_ocs, 0, 2}});
    Send(MicroSeconds(20) + NanoSeconds(100), 2, 2, 0); // two fibers of light are still under way
    Simulator::Run();
    ASSERT_EQ(m_ends.size(), 2U);
    ExpectWholly(2, PathClass::CIRCUIT);
    EXPECT_GT(m_ends[2].finished, MicroSeconds(55) + NanoSeconds(500) + OverCircuit())
        << "dark begins when the light is out";
    EXPECT_EQ(m_ends[1].status, TransferStatus::DELIVERED);
    const auto& paths = m_ends[1].bytesByPath;
    EXPECT_EQ(paths[1].Get() + paths[2].Get(), BYTES);
}

// A waiting message can be told to go, or be given up; it counts as unfinished.
TEST_P(NewTraffic, WaitingMessagesCanGoOrBeGivenUp)
{
    Build("wait");
    m_fabric->GetControl()->Connect({{m_ocs, 0, 1}}, {});
    Turn(MicroSeconds(20), {{m_ocs, 0, 2}, {m_ocs, 6, 7}});
    Send(MicroSeconds(30), 1, 0, 2);
    Send(MicroSeconds(30), 2, 6, 7);
    Simulator::Schedule(MicroSeconds(35), [this] {
        const Ptr<Transport> transport = m_fabric->GetTransport();
        EXPECT_EQ(transport->GetUnfinished().size(), 2U);
        transport->Reroute(m_ids[1]);
        transport->Abort(m_ids[2]);
    });
    Simulator::Run();
    ExpectWholly(1, PathClass::PACKET);
    EXPECT_EQ(m_ends[1].finished, MicroSeconds(35) + OverEps());
    EXPECT_EQ(m_ends[2].status, TransferStatus::ABORTED);
    EXPECT_EQ(m_ends[2].finished, MicroSeconds(35));
    EXPECT_EQ(m_fabric->GetTransport()->GetTotals().aborted, ByteCount(BYTES));
}

// A plan replaces the one that is being lit: who waits for the first has its light for a moment
// only, drains with it, and ends over the EPS. Nothing is stuck, every byte arrives once.
TEST_P(NewTraffic, AReplacedPlanLeavesNobodyBehind)
{
    Build("wait");
    m_device->Dispose();
    const auto controller = CreateObject<RegionalController>();
    m_device = controller;
    controller->SetFabric(m_fabric->GetControl(), RegionId(0));
    controller->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(30)));
    controller->SetAttribute("NewTraffic", StringValue("wait"));
    controller->SetAttribute("HeldTraffic", StringValue("move"));
    uint32_t started = 0;
    const auto ask = [&](uint32_t layer, uint32_t peer) {
        DemandMatrix demand(8, 8, 0);
        demand(0, peer) = BYTES;
        controller->Request({0, layer, 0, AllToAllPhase::FORWARD_DISPATCH},
                            demand,
                            Callback<void>([&started] { ++started; }));
    };
    Simulator::Schedule(MicroSeconds(20), [&] { ask(0, 2); });
    Simulator::Schedule(MicroSeconds(30), [&] { ask(1, 1); }); // waits until 0-2 is lit at 50 us
    Send(MicroSeconds(35), 1, 0, 2);
    Simulator::Run();
    EXPECT_EQ(started, 2U);
    ASSERT_EQ(m_ends.size(), 1U);
    EXPECT_EQ(m_ends[1].status, TransferStatus::DELIVERED);
    const auto& paths = m_ends[1].bytesByPath;
    EXPECT_EQ(paths[1].Get() + paths[2].Get(), BYTES);
    EXPECT_GT(paths[2].Get(), BYTES * 9 / 10) << "over the EPS";
    EXPECT_LT(m_ends[1].finished, MicroSeconds(55) + OverEps());
    EXPECT_EQ(m_fabric->GetTransport()->GetUnfinished().size(), 0U);
}

INSTANTIATE_TEST_SUITE_P(Worlds,
                         NewTraffic,
                         ::testing::Values(Fidelity::PACKET, Fidelity::FLOW),
                         [](const auto& world) { return std::string(GetName(world.param)); });

} // namespace
