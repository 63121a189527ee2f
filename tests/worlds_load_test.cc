/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What the load meter says bounded an operation, in both worlds.

#include "ns3/collective-runner.h"
#include "ns3/collectives.h"
#include "ns3/data-rate.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

constexpr std::array BOTH{Fidelity::PACKET, Fidelity::FLOW}; //!< worlds

/// A fabric, and transfers over it as one operation.
struct Case
{
    std::string topology{"ns3::StarTopology"};
    std::vector<std::pair<std::string, uint32_t>> attributes;
    uint64_t gigabits{0}; //!< of a dumbbell's link; 0: no dumbbell
    bool degraded{false}; //!< the last edge, a dumbbell's link, is down to 100 Gb/s
    uint32_t servers{4};
    uint32_t nics{1};
    uint32_t lanes{1};
    uint64_t bytes{2 << 20};                        //!< of every ordered pair
    std::pair<uint32_t, uint32_t> hot{0, 0};        //!< pair with eight times as much
    TrafficClass trafficClass{TrafficClass::OTHER}; //!< of all
    std::string balance{"default"};                 //!< of the world
};

/// What came of it.
struct Outcome : CollectiveSink
{
    void OnCollective(const CollectiveResult& r) override
    {
        result = r;
    }

    CollectiveResult result;
    std::vector<double> loads; //!< by resource, of the first account
    std::string most;          //!< name of what bounded it
    std::string next;          //!< name of the next
    std::vector<double> wire;  //!< by channel: what the world says
};

/// @param fidelity world @param c case @return the fabric
MixnetFabric
MakeFabric(Fidelity fidelity, const Case& c)
{
    MixnetFabricHelper helper;
    helper.SetTopology(c.topology);
    for (const auto& [name, value] : c.attributes)
    {
        helper.SetTopologyAttribute(name, UintegerValue(value));
    }
    if (c.gigabits > 0)
    {
        helper.SetTopologyAttribute("BottleneckRate",
                                    DataRateValue(DataRate(c.gigabits * 1000000000)));
    }
    WorldConfig world;
    world.fidelity = fidelity;
    world.congestionType = "ns3::NoCongestionControl";
    world.loadBalance = fidelity == Fidelity::FLOW ? "default" : c.balance;
    helper.SetWorld(world);
    return helper.Install(ClusterSpec(c.servers, c.nics));
}

/// @param fabric fabric @param c case @return transfers of an all-to-all between servers
TransferGraph
MakeGraph(const MixnetFabric& fabric, const Case& c)
{
    TransferGraph graph;
    for (uint32_t i = 0; i < c.servers; ++i)
    {
        for (uint32_t j = 0; j < c.servers; ++j)
        {
            Transfer t;
            t.source = fabric.GetGraph()->GetGpu(ServerId(i), 0);
            t.destination = fabric.GetGraph()->GetGpu(ServerId(j), 0);
            t.bytes = ByteCount(c.hot == std::make_pair(i, j) ? 8 * c.bytes : c.bytes);
            t.lanes = c.lanes;
            t.trafficClass = c.trafficClass;
            if (i != j)
            {
                graph.AddTransfer(t);
            }
        }
    }
    return graph;
}

/// @param fidelity world @param c case @return what bounded it
Outcome
Measure(Fidelity fidelity, const Case& c)
{
    Outcome outcome;
    {
        MixnetFabric fabric = MakeFabric(fidelity, c);
        fabric.AssignStreams(1);
        const Ptr<Transport> transport = fabric.GetTransport();
        transport->EnableLoadMeter();
        if (c.degraded)
        {
            fabric.GetControl()->SetRate({EdgeId(fabric.GetGraph()->GetNEdges() - 1)},
                                         DataRate("100Gbps"));
        }
        const Ptr<CollectiveRunner> runner = CreateObject<CollectiveRunner>();
        runner->SetTransport(transport);
        // The account is closed when the outcome hears of the end: watch it from the transport.
        std::vector<double> loads;
        transport->TraceConnectWithoutContext(
            "Completion",
            Callback<void, const Completion&>(
                [&](const Completion&) { loads = transport->GetLoadMeter()->GetBytes(1); }));
        const CollectiveRunner::Run run = runner->Open();
        runner->GetGraph(run) = MakeGraph(fabric, c);
        runner->Start(run, outcome, 0);
        Simulator::Run();
        outcome.loads = loads;
        const FabricResources& resources = transport->GetLoadMeter()->GetResources();
        outcome.most = resources.GetName(outcome.result.load.most.resource);
        outcome.next = resources.GetName(outcome.result.load.next.resource);
        for (uint32_t ch = 0; ch < 2 * fabric.GetGraph()->GetNEdges(); ++ch)
        {
            outcome.wire.push_back(
                static_cast<double>(fabric.GetWorld().GetWireBytes(ChannelId(ch))));
        }
        runner->Dispose();
    }
    Simulator::Destroy();
    return outcome;
}

/// @param o outcome @return load of the first bound / time of the operation
double
Explained(const Outcome& o)
{
    return o.result.load.most.time.GetSeconds() /
           (o.result.finished - o.result.started).GetSeconds();
}

} // namespace

TEST(WorldsLoad, TheSlowLinkIsNamed)
{
    // Four servers, two a side: 2 x 2 pairs cross the link either way, 4 of them x 2 MiB at 100G;
    // a NIC sends 3 of them at 400G. Loads: link 4 / 100, NIC 3 / 400, so 16 / 3 times as much.
    Case c;
    c.topology = "ns3::DumbbellTopology";
    c.gigabits = 100;
    for (const Fidelity f : BOTH)
    {
        const Outcome o = Measure(f, c);
        EXPECT_EQ(o.most, "left switch port 2 -> right switch") << "tie: lowest channel";
        EXPECT_EQ(o.result.load.most.resource.kind, FabricResourceKind::LINK);
        EXPECT_EQ(o.result.load.most.alike, 2U) << "both directions";
        EXPECT_EQ(o.result.load.next.resource.kind, FabricResourceKind::NIC);
        EXPECT_EQ(o.result.load.next.alike, 8U) << "four NICs, both directions";
        EXPECT_NEAR(o.result.load.most.time.GetSeconds() / o.result.load.next.time.GetSeconds(),
                    16.0 / 3,
                    1e-6);
        EXPECT_GT(Explained(o), 0.97);
        EXPECT_LE(Explained(o), 1.0);
    }
}

TEST(WorldsLoad, ADegradedLinkIsNamedByTheRateItHas)
{
    Case slow;
    slow.topology = "ns3::DumbbellTopology";
    slow.gigabits = 100;
    Case degraded = slow;
    degraded.gigabits = 400;
    degraded.degraded = true;
    for (const Fidelity f : BOTH)
    {
        const Outcome built = Measure(f, slow);
        const Outcome o = Measure(f, degraded);
        EXPECT_EQ(o.most, built.most);
        EXPECT_EQ(o.result.load.most.time, built.result.load.most.time);
        EXPECT_EQ(o.result.load.most.bytes, built.result.load.most.bytes);
        EXPECT_EQ(o.result.load.next.resource.kind, FabricResourceKind::NIC)
            << "not the same link at the rate it was built with";
    }
}

TEST(WorldsLoad, TheHotPairIsNamed)
{
    Case c;
    c.hot = {2, 1};
    for (const Fidelity f : BOTH)
    {
        const Outcome o = Measure(f, c);
        // NIC of 2 sends 8 + 1 + 1, NIC of 1 receives 8 + 1 + 1: a tie, the lower channel wins.
        EXPECT_EQ(o.most, "switch -> server 1 nic 0");
        EXPECT_EQ(o.result.load.most.alike, 2U);
        EXPECT_EQ(o.result.load.next.alike, 6U) << "all others carry 1 + 1 + 1";
        EXPECT_NEAR(o.result.load.most.time.GetSeconds() / o.result.load.next.time.GetSeconds(),
                    10.0 / 3,
                    1e-4)
            << "a RETH per message";
        EXPECT_GT(Explained(o), 0.95);
    }
}

TEST(WorldsLoad, ACircuitIsNamedByBothItsEnds)
{
    Case c;
    c.topology = "ns3::CircuitPairTopology";
    c.servers = 2;
    c.hot = {1, 0};
    for (const Fidelity f : BOTH)
    {
        const Outcome o = Measure(f, c);
        EXPECT_EQ(o.most, "server 1 nic 0 -> server 0 nic 0");
        EXPECT_EQ(o.result.load.most.resource.kind, FabricResourceKind::CIRCUIT);
        EXPECT_EQ(o.result.load.most.alike, 2U) << "its two fibers";
        EXPECT_EQ(o.next, "server 0 nic 0 -> server 1 nic 0");
        EXPECT_GT(Explained(o), 0.9);
    }
}

TEST(WorldsLoad, LoadsOfChannelsAreTheBytesThatTheWorldCarried)
{
    // The fluid world: to the byte (sums of rounded shares). The packet world counts answers on its
    // links as well, 0.5 % of the data at one in four packets; a way taken for another would be
    // wrong by a message of 2 MiB.
    for (const std::string balance : {"per-flow", "spray"})
    {
        Case c;
        c.topology = "ns3::FatTreeTopology";
        c.attributes = {{"SwitchRadix", 4}, {"Tiers", 3}};
        c.servers = 12;
        c.hot = {0, 7};
        c.balance = balance;
        for (const Fidelity f : BOTH)
        {
            const Outcome o = Measure(f, c);
            double carried = 0;
            for (std::size_t ch = 0; ch < o.wire.size(); ++ch)
            {
                const double more = o.wire[ch] - o.loads[ch];
                const bool sprayed = f == Fidelity::PACKET && balance == "spray";
                if (f == Fidelity::FLOW)
                {
                    EXPECT_NEAR(more, 0, 1) << ch;
                }
                else if (!sprayed)
                {
                    EXPECT_GE(more, 0) << ch;
                    EXPECT_LT(more, 1e6) << ch;
                }
                carried += o.loads[ch];
            }
            EXPECT_GT(carried, 12.0 * 11 * (2 << 20) * 2) << "every byte crossed two links";
        }
    }
}

TEST(WorldsLoad, LanesOverSeveralNicsAndScaleUpPorts)
{
    Case c;
    c.topology = "ns3::FatTreeTopology";
    c.nics = 4;
    c.lanes = 8;
    for (const Fidelity f : BOTH)
    {
        const Outcome o = Measure(f, c);
        // Hashed flows may meet on a link between switches.
        EXPECT_EQ(o.result.load.most.resource.kind,
                  f == Fidelity::FLOW ? FabricResourceKind::NIC : FabricResourceKind::LINK);
        EXPECT_GT(Explained(o), 0.7);
        double scaleUp = 0;
        for (std::size_t r = o.wire.size(); r < o.loads.size(); ++r)
        {
            scaleUp += o.loads[r];
        }
        // A lane whose GPU does not own the NIC leaves one port and enters another, at both ends.
        EXPECT_GT(scaleUp, 0);
        EXPECT_LE(scaleUp, 4.0 * 12 * (2 << 20));
    }
}

TEST(WorldsLoad, TwoOperationsAtOnceKeepTheirOwnAccounts)
{
    // What others send is no load of an operation: it shows as time that the load does not explain.
    for (const Fidelity f : BOTH)
    {
        Case c;
        Outcome first;
        Outcome second;
        {
            MixnetFabric fabric = MakeFabric(f, c);
            const Ptr<Transport> transport = fabric.GetTransport();
            transport->EnableLoadMeter();
            const Ptr<CollectiveRunner> runner = CreateObject<CollectiveRunner>();
            runner->SetTransport(transport);
            for (Outcome* outcome : {&first, &second})
            {
                const CollectiveRunner::Run run = runner->Open();
                runner->GetGraph(run) = MakeGraph(fabric, c);
                runner->Start(run, *outcome, 0);
            }
            Simulator::Run();
            runner->Dispose();
        }
        Simulator::Destroy();
        EXPECT_EQ(first.result.load.most.bytes, second.result.load.most.bytes);
        EXPECT_NEAR(Explained(first), 0.5, 0.05);
    }
}

TEST(WorldsLoad, OffItTellsNothing)
{
    MixnetFabric fabric = MakeFabric(Fidelity::FLOW, Case());
    EXPECT_EQ(fabric.GetTransport()->GetLoadMeter(), nullptr);
}
