/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// NUMA links inside servers, in both worlds: when the NUMA node of a circuit's NIC matters.

#include "ns3/circuit-map.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/server-paths.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t LANE = 1 << 20;                           //!< payload of a lane, bytes
const Time CROSSING = NanoSeconds(100);                      //!< delay of a NUMA link
constexpr std::array BOTH{Fidelity::PACKET, Fidelity::FLOW}; //!< worlds

/// Two servers with two circuits between them, and what their insides are like.
struct Case
{
    Fidelity fidelity{Fidelity::FLOW};
    RegionPorts::NicMapping mapping{RegionPorts::NUMA};
    NicAccess access{NicAccess::PCIE};
    uint64_t gigabits{0}; //!< of the NUMA link, 0: none
    Time delay;           //!< of the NUMA link
};

/// What came of it.
struct Outcome : TransferSink
{
    void OnCompletion(const Completion& c) override
    {
        end = std::max(end, c.finished);
        delivered += c.status == TransferStatus::DELIVERED ? c.bytes.Get() : 0;
        scaleUp += c.bytesByPath[static_cast<std::size_t>(PathClass::SCALE_UP)].Get();
    }

    Time end;                   //!< of the last transfer
    uint64_t delivered{0};      //!< payload
    uint64_t scaleUp{0};        //!< payload that crossed scale-up domains
    std::vector<uint64_t> numa; //!< bytes over 0 to 1 and 1 to 0 of server 0, then of server 1
};

/**
 * Four GPUs, one packet NIC and four fibers a server: GPUs 0 and 1, fibers 1 and 2 on NUMA node 0;
 * GPUs 2 and 3, fibers 3 and 4 on node 1; fiber NIC n belongs to GPU n - 1.
 */
MixnetFabric
MakeFabric(const Case& c)
{
    ServerSpec spec;
    spec.gpus = 4;
    spec.numaLinkRate = DataRate(c.gigabits * 1000000000);
    spec.numaLinkDelay = c.delay;
    spec.nicAccess = c.access;
    WorldConfig world;
    world.fidelity = c.fidelity;
    world.congestionType = "ns3::NoCongestionControl";
    MixnetFabricHelper helper;
    helper.SetTopology("ns3::HybridTopology");
    helper.SetTopologyAttribute("OcsNics", UintegerValue(4));
    helper.SetWorld(world);
    return helper.Install(ClusterSpec(2, 5, spec));
}

/// @param from GPU of server 0 @param server destination @param to its GPU @param lanes number
/// @return a transfer of LANE bytes a lane
Transfer
Make(uint32_t from, uint32_t server, uint32_t to, uint32_t lanes)
{
    Transfer t;
    t.source = GpuId(from);
    t.destination = GpuId(4 * server + to);
    t.lanes = lanes;
    t.bytes = ByteCount(lanes * LANE);
    t.trafficClass = TrafficClass::EP;
    return t;
}

/// @param c a case @param t what to send over two circuits between the servers @param abort when to
/// give it up; 0: never @return what came of it
Outcome
Send(const Case& c, const Transfer& t, Time abort = Time(0))
{
    Outcome outcome;
    {
        MixnetFabric fabric = MakeFabric(c);
        const Ptr<FabricGraph> graph = fabric.GetGraph();
        const RegionPorts ports(*graph, RegionId(0));
        CircuitPlan plan(2);
        plan.Add(0, 1, 0, 2);
        fabric.GetControl()->Connect(MapPlan(ports, *graph, plan, c.mapping).added, {});
        const TransferId id = fabric.GetTransport()->Send({t}, outcome);
        if (!abort.IsZero())
        {
            Simulator::Schedule(abort, [&] { fabric.GetTransport()->Abort(id); });
        }
        Simulator::Run();
        const ServerPaths paths(*graph);
        for (uint32_t link = 0; link < paths.GetNumaLinks().size(); ++link)
        {
            outcome.numa.push_back(fabric.GetWorld().GetNumaBytes(link));
        }
    }
    Simulator::Destroy();
    return outcome;
}

/// @return wire time of the two lanes that share a circuit at 400 Gb/s (20 ps a byte; 82 B of
/// headers a packet of 4,096 B, 16 B a message), and two fibers of 1 us
Time
GetNetworkTime()
{
    return PicoSeconds(20 * 2 * (LANE + LANE / 4096 * 82 + 16)) + MicroSeconds(2);
}

/// Times are of the clock they are made with.
class WorldsNuma : public ::testing::Test
{
  protected:
    WorldsNuma()
    {
        EnsurePicosecondClock();
    }
};

/// @param is a time @param should what it should be @param tolerance ticks @param what it is
void
ExpectTicks(Time is, Time should, int64_t tolerance, const char* what)
{
    EXPECT_LE(std::abs((is - should).GetTimeStep()), tolerance)
        << what << ": " << is << ", not " << should;
}

// Lane g takes circuit g mod 2. Spread, the circuits end at NICs of both nodes: lanes 1 and 2 meet
// the wrong one, so each direction of a server's link carries one lane of four. Unspread, both
// circuits end at node 0 and the lanes of GPUs 2 and 3 pass one direction. With a link of 250 Gb/s
// (32 ps a byte), slower than the 800 Gb/s of the two NICs, the first fits under the network's
// time, the second does not: 2 lanes x 32 ps a byte.
TEST_F(WorldsNuma, SpreadCircuitsGoAtFullRateUnspreadOnesAtTheLinks)
{
    Case c;
    c.gigabits = 250;
    c.delay = CROSSING;
    const Time link = PicoSeconds(32 * 2 * LANE);
    ASSERT_GT(link, GetNetworkTime());
    ASSERT_LT(PicoSeconds(32 * LANE), GetNetworkTime());
    for (const Fidelity fidelity : BOTH)
    {
        c.fidelity = fidelity;
        c.mapping = RegionPorts::NUMA;
        const Outcome spread = Send(c, Make(0, 1, 0, 4));
        // A lane that passes the link at both ends is the last: two crossings later.
        const int64_t ticks = fidelity == Fidelity::PACKET ? 0 : 1;
        ExpectTicks(spread.end, GetNetworkTime() + 2 * CROSSING, ticks, "spread");
        EXPECT_EQ(spread.delivered, 4 * LANE);
        EXPECT_EQ(spread.scaleUp, 0U);
        EXPECT_EQ(spread.numa, std::vector<uint64_t>(4, LANE)) << GetName(fidelity);
        c.mapping = RegionPorts::LOWEST;
        const Outcome heap = Send(c, Make(0, 1, 0, 4));
        // The packet world moves the message over the link while it travels; the fluid world adds
        // the fibers' delay behind the slower of both, as a pipeline would.
        const Time fibers = fidelity == Fidelity::PACKET ? Time(0) : MicroSeconds(2);
        ExpectTicks(heap.end, link + fibers + 2 * CROSSING, ticks, "unspread");
        EXPECT_EQ(heap.delivered, 4 * LANE);
        EXPECT_EQ(heap.numa, (std::vector<uint64_t>{0, 2 * LANE, 2 * LANE, 0}))
            << GetName(fidelity);
    }
}

// A link as fast as both NICs, or NVSwitch: where the circuits end makes no difference.
TEST_F(WorldsNuma, FastLinksAndNvSwitchHideIt)
{
    for (const Fidelity fidelity : BOTH)
    {
        for (const auto mapping : {RegionPorts::NUMA, RegionPorts::LOWEST})
        {
            Case c;
            c.fidelity = fidelity;
            c.mapping = mapping;
            c.gigabits = 800;
            c.delay = CROSSING;
            const int64_t ticks = fidelity == Fidelity::PACKET ? 0 : 1;
            const Outcome fast = Send(c, Make(0, 1, 0, 4));
            ExpectTicks(fast.end, GetNetworkTime() + 2 * CROSSING, ticks, "fast link");
            c.gigabits = 250;
            c.access = NicAccess::GATHER;
            const Outcome gathered = Send(c, Make(0, 1, 0, 4));
            ExpectTicks(gathered.end,
                        GetNetworkTime(),
                        ticks,
                        "NVSwitch to the GPU beside the NIC");
            EXPECT_EQ(gathered.numa, std::vector<uint64_t>(4, 0));
            EXPECT_GT(gathered.scaleUp, LANE) << "instead";
        }
    }
}

TEST_F(WorldsNuma, WithoutOneNothingIsChargedOrCounted)
{
    for (const Fidelity fidelity : BOTH)
    {
        Case c;
        c.fidelity = fidelity;
        c.mapping = RegionPorts::LOWEST;
        const Outcome none = Send(c, Make(0, 1, 0, 4));
        ExpectTicks(none.end,
                    GetNetworkTime(),
                    fidelity == Fidelity::PACKET ? 0 : 1,
                    "no NUMA link");
        EXPECT_TRUE(none.numa.empty());
        c.delay = CROSSING;
        const Outcome late = Send(c, Make(0, 1, 0, 4));
        ExpectTicks(late.end, none.end + 2 * CROSSING, 0, "a delay, no limit");
        EXPECT_TRUE(late.numa.empty());
    }
}

// Without NVSwitch, moves between GPUs of different nodes pass the link too.
TEST_F(WorldsNuma, MovesBetweenGpusOfAServer)
{
    for (const Fidelity fidelity : BOTH)
    {
        Case c;
        c.fidelity = fidelity;
        c.gigabits = 250;
        c.delay = CROSSING;
        const Outcome across = Send(c, Make(1, 0, 2, 1));
        ExpectTicks(across.end, PicoSeconds(32 * LANE) + CROSSING, 1, "GPU 1 to GPU 2");
        EXPECT_EQ(across.numa, (std::vector<uint64_t>{LANE, 0, 0, 0}));
        EXPECT_EQ(across.scaleUp, LANE) << "over their ports, as ever";
        const Outcome beside = Send(c, Make(0, 0, 1, 1));
        EXPECT_LT(beside.end, PicoSeconds(3 * LANE)) << "3,600 Gb/s";
        EXPECT_EQ(beside.numa, std::vector<uint64_t>(4, 0));
        c.access = NicAccess::GATHER;
        EXPECT_LT(Send(c, Make(1, 0, 2, 1)).end, PicoSeconds(3 * LANE)) << "NVSwitch";
    }
}

// Given up while its last byte is on the NUMA link (the network's part is over), or while the link
// is the bottleneck: it ends then, and nothing comes after.
TEST_F(WorldsNuma, GivingUpOnTheWay)
{
    for (const Fidelity fidelity : BOTH)
    {
        Case c;
        c.fidelity = fidelity;
        c.mapping = RegionPorts::LOWEST;
        c.gigabits = 250;
        c.delay = MicroSeconds(50);
        for (const Time& when : {MicroSeconds(40), PicoSeconds(32 * 2 * LANE) + MicroSeconds(30)})
        {
            const Outcome outcome = Send(c, Make(0, 1, 0, 4), when);
            EXPECT_EQ(outcome.end, when);
            EXPECT_EQ(outcome.delivered, 0U);
            EXPECT_LE(outcome.numa[1], 2 * LANE);
            EXPECT_GT(outcome.numa[1], LANE) << "counted as far as it came";
        }
    }
}

TEST(ServerPaths, NodesAndLinks)
{
    FabricGraph graph;
    ServerSpec spec;
    spec.gpus = 8;
    spec.numaNodes = 4;
    spec.numaLinkRate = DataRate("400Gbps");
    spec.nicAccess = NicAccess::PCIE;
    graph.AddServer(ServerSpec());
    const ServerId s = graph.AddServer(spec);
    const VertexId v = graph.AddSwitch(1, "switch");
    for (uint32_t nic = 0; nic < 4; ++nic)
    {
        graph.AddEdge(graph.GetVertex(s), v, EdgeSpec());
    }
    const ServerPaths paths(graph);
    ASSERT_EQ(paths.GetNumaLinks().size(), 12U) << "every two nodes, both ways; none of server 0";
    for (uint32_t gpu = 0; gpu < 8; ++gpu)
    {
        const GpuId g = graph.GetGpu(s, gpu);
        EXPECT_EQ(paths.GetNuma(g), gpu / 2);
        for (uint32_t nic = 0; nic < 4; ++nic)
        {
            const ServerPath out = paths.GetPathOut(g, nic);
            const ServerPath in = paths.GetPathIn(nic, g);
            EXPECT_EQ(out.gpu, g);
            ASSERT_EQ(out.link == UINT32_MAX, gpu / 2 == nic);
            if (out.link != UINT32_MAX)
            {
                const NumaLink& there = paths.GetNumaLinks()[out.link];
                const NumaLink& back = paths.GetNumaLinks()[in.link];
                EXPECT_EQ(there.server, s);
                EXPECT_EQ(there.from, gpu / 2);
                EXPECT_EQ(there.to, nic);
                EXPECT_EQ(back.from, nic);
                EXPECT_EQ(back.to, gpu / 2);
            }
        }
    }
    spec.numaLinkDelay = NanoSeconds(-1);
    EXPECT_THROW(graph.AddServer(spec), InputError);
    // With NVSwitch the bytes pass a link only between a NIC and its owner on another node.
    spec.numaLinkDelay = NanoSeconds(1);
    spec.nicAccess = NicAccess::GATHER;
    const ServerId odd = graph.AddServer(spec);
    graph.AddEdge(graph.GetVertex(odd), v, EdgeSpec());
    graph.SetNicOwner(odd, 0, 6, 1);
    const ServerPaths more(graph);
    const ServerPath out = more.GetPathOut(graph.GetGpu(odd, 2), 0);
    EXPECT_EQ(out.gpu, graph.GetGpu(odd, 6));
    EXPECT_EQ(more.GetNumaLinks()[out.link].from, 3U);
    EXPECT_EQ(more.GetNumaLinks()[out.link].to, 1U);
    EXPECT_EQ(out.delay, NanoSeconds(1));
}

} // namespace
