/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Collectives take their closed forms on idle networks, and never more than line rate.

#include "collective_timer.h"
#include "moe_fixture.h"

#include "ns3/collective-cost.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param n members @return ceil(log2 n)
uint32_t
CeilLog2(uint32_t n)
{
    uint32_t log = 0;
    while ((1U << log) < n)
    {
        ++log;
    }
    return log;
}

/// @param n members @return edges between the root and the rank that is farthest from it
uint32_t
TreeDepth(uint32_t n)
{
    uint32_t deepest = 0;
    for (uint32_t rank = 0; rank < n; ++rank)
    {
        uint32_t depth = 0;
        for (uint32_t at = rank; GetTreeParent(0, at, n) != n; at = GetTreeParent(0, at, n))
        {
            ++depth;
        }
        deepest = std::max(deepest, depth);
    }
    return deepest;
}

/**
 * Messages one after another that the end of a collective waits for, and the part of the buffer in
 * each: all of one size unless there are groups.
 */
struct ClosedForm
{
    uint32_t messages; //!< one after another
    uint32_t divisor;  //!< buffer / size of a message
};

/// @param c builder @param n members @param k chunks of a part @return see collectives.h
ClosedForm
ClosedFormOf(const CollectiveCase& c, uint32_t n, uint32_t k)
{
    const std::string name = c.name;
    if (name == "broadcast")
    {
        return {k + n - 2, k};
    }
    if (name == "tree broadcast")
    {
        // From the second round on, the root is the only one that is always busy: it sends each
        // chunk in every round.
        return {k * CeilLog2(n), k};
    }
    if (name == "tree all-reduce")
    {
        // Up and down, chunk by chunk. Edges share nothing on a line.
        return {2 * TreeDepth(n) + k - 1, 2 * k};
    }
    return {(c.kind == CollectiveKind::ALL_REDUCE ? 2 : 1) * (n - 1) * k, n * k};
}

// Lines of 1 GB/s and 6 us: every message takes L + bytes / R.
TEST(CollectiveTimes, ClosedFormsOnLines)
{
    EnsurePicosecondClock();
    const Ptr<LineTransport> line = CreateObject<LineTransport>();
    line->bitsPerSecond = 8000000000ULL;
    line->latency = MicroSeconds(6);
    {
        CollectiveTimer timer(line);
        for (const CollectiveCase& c : AllCollectives())
        {
            for (const uint32_t n : {2U, 3U, 4U, 6U, 8U, 9U})
            {
                for (const uint32_t k : {1U, 4U})
                {
                    CollectiveSpec spec;
                    spec.members = EveryGpu(n);
                    spec.bytes = ByteCount(36000000);
                    const uint32_t parts = ClosedFormOf(c, n, 1).divisor;
                    spec.chunk = ByteCount(36000000 / parts / k);
                    const ClosedForm form = ClosedFormOf(c, n, k);
                    EXPECT_EQ(timer.Run(c, spec),
                              (NanoSeconds(36000000 / form.divisor) + MicroSeconds(6)) *
                                  form.messages)
                        << c.name << " of " << n << " in " << k;
                }
            }
        }
    }
    line->Dispose();
    Simulator::Destroy();
}

// G groups of m: around all groups n-th parts, around a group m-th ones.
TEST(CollectiveTimes, GroupsOnLines)
{
    EnsurePicosecondClock();
    const Ptr<LineTransport> line = CreateObject<LineTransport>();
    line->bitsPerSecond = 8000000000ULL;
    line->latency = MicroSeconds(6);
    {
        CollectiveTimer timer(line);
        for (const auto& [groups, size] : {std::pair(2U, 3U), {3U, 2U}, {4U, 1U}, {3U, 4U}})
        {
            CollectiveSpec spec;
            spec.members = EveryGpu(groups * size);
            spec.groups = GroupsOf(std::vector<uint32_t>(groups, size));
            spec.bytes = ByteCount(36000000);
            const Time once =
                (NanoSeconds(36000000 / (groups * size)) + MicroSeconds(6)) * (groups - 1) +
                (NanoSeconds(36000000 / size) + MicroSeconds(6)) * (size - 1);
            EXPECT_EQ(timer.Run(AllCollectives()[0], spec), once) << groups << " x " << size;
            EXPECT_EQ(timer.Run(AllCollectives()[1], spec), once) << groups << " x " << size;
            EXPECT_EQ(timer.Run(AllCollectives()[2], spec), 2 * once) << groups << " x " << size;
        }
    }
    line->Dispose();
    Simulator::Destroy();
}

/// @param n servers @param gpus GPUs and NICs of each @param fidelity world @return on one switch
MixnetFabric
Star(uint32_t n, uint32_t gpus, Fidelity fidelity)
{
    MixnetFabricHelper helper;
    helper.SetTopology("ns3::StarTopology");
    WorldConfig config;
    config.fidelity = fidelity;
    config.congestionType = "ns3::NoCongestionControl";
    helper.SetWorld(config);
    ServerSpec server;
    server.gpus = gpus;
    return helper.Install(ClusterSpec(n, gpus, server));
}

/// @param timer on a transport @param bytes payload @return how long a message from GPU 0 to 1
/// takes
Time
TimeMessage(CollectiveTimer& timer, ByteCount bytes)
{
    return timer.Run([&](TransferGraph& graph) {
        Transfer t;
        t.source = GpuId(0);
        t.destination = GpuId(1);
        t.bytes = bytes;
        graph.AddTransfer(t);
    });
}

// On one switch, one GPU per server, rings and binomial trees share nothing, so that they take
// their number of steps times what one message takes: to the picosecond in the fluid world, and in
// the packet world but for acknowledgements on the way back.
TEST(CollectiveTimes, StepsTimesAMessageInBothWorlds)
{
    constexpr uint64_t BYTES = 36 << 17; // divides by all n and k
    for (const Fidelity fidelity : {Fidelity::FLOW, Fidelity::PACKET})
    {
        for (const uint32_t n : {3U, 4U})
        {
            {
                const MixnetFabric fabric = Star(n, 1, fidelity);
                CollectiveTimer timer(fabric.GetTransport());
                for (const CollectiveCase& c : AllCollectives())
                {
                    for (const uint32_t k : {1U, 2U})
                    {
                        if (c.name == std::string("tree all-reduce"))
                        {
                            continue; // two children share their parent's port
                        }
                        CollectiveSpec spec;
                        spec.members = EveryGpu(n);
                        spec.bytes = ByteCount(BYTES);
                        spec.chunk = ByteCount(BYTES / ClosedFormOf(c, n, 1).divisor / k);
                        const ClosedForm form = ClosedFormOf(c, n, k);
                        const Time closed =
                            TimeMessage(timer, ByteCount(BYTES / form.divisor)) * form.messages;
                        const Time found = timer.Run(c, spec);
                        if (fidelity == Fidelity::FLOW)
                        {
                            EXPECT_EQ(found, closed) << c.name << " of " << n << " in " << k;
                        }
                        else
                        {
                            EXPECT_NEAR(found.GetSeconds() / closed.GetSeconds(), 1, 0.01)
                                << c.name << " of " << n << " in " << k;
                        }
                    }
                }
            }
            Simulator::Destroy();
        }
    }
}

TEST(CollectiveBandwidth, IsThatOfNcclTests)
{
    // 1 GB in 20 ms: 50 GB/s. 8 ranks: all-reduce 2 x 7/8 of it, gathers and all-to-all 7/8.
    const auto busOf = [](CollectiveKind kind) {
        return GetCollectiveBandwidth(kind, 8, ByteCount(1000000000), MilliSeconds(20)).bus;
    };
    EXPECT_EQ(busOf(CollectiveKind::ALL_REDUCE), DataRate("700Gbps"));
    EXPECT_EQ(busOf(CollectiveKind::ALL_GATHER), DataRate("350Gbps"));
    EXPECT_EQ(busOf(CollectiveKind::REDUCE_SCATTER), DataRate("350Gbps"));
    EXPECT_EQ(busOf(CollectiveKind::ALL_TO_ALL), DataRate("350Gbps"));
    EXPECT_EQ(busOf(CollectiveKind::BROADCAST), DataRate("400Gbps"));
    EXPECT_EQ(busOf(CollectiveKind::POINT_TO_POINT), DataRate("400Gbps"));
    EXPECT_EQ(GetCollectiveBandwidth(CollectiveKind::ALL_REDUCE,
                                     8,
                                     ByteCount(1000000000),
                                     MilliSeconds(20))
                  .algorithm,
              DataRate("400Gbps"));
    EXPECT_EQ(GetBusFactor(CollectiveKind::ALL_REDUCE, 1), 0);
    EXPECT_EQ(GetBusFactor(CollectiveKind::ALL_REDUCE, 2), 1);
    EXPECT_THROW(GetCollectiveBandwidth(CollectiveKind::BROADCAST, 2, ByteCount(1), Time()),
                 InvariantError);
}

// One GPU per server at 400 Gb/s: no builder, size or chunk is above it; large ones come close.
TEST(CollectiveBandwidth, IsNeverAboveLineRate)
{
    const double line = 400e9;
    for (const uint32_t n : {2U, 5U, 8U})
    {
        {
            const MixnetFabric fabric = Star(n, 1, Fidelity::FLOW);
            CollectiveTimer timer(fabric.GetTransport());
            for (const CollectiveCase& c : AllCollectives())
            {
                double best = 0;
                for (const uint64_t bytes : {1ULL, 4096ULL, 1048577ULL, 1ULL << 28})
                {
                    for (const uint64_t pieces : {1ULL, 16ULL})
                    {
                        CollectiveSpec spec;
                        spec.members = EveryGpu(n);
                        spec.bytes = ByteCount(bytes);
                        spec.chunk = ByteCount((bytes + pieces - 1) / pieces);
                        const CollectiveBandwidth found =
                            GetCollectiveBandwidth(c.kind, n, spec.bytes, timer.Run(c, spec));
                        const auto bus = static_cast<double>(found.bus.GetBitRate());
                        EXPECT_LE(bus, line) << c.name << " of " << n << ", " << bytes << " B";
                        best = std::max(best, bus);
                    }
                }
                RecordProperty(std::string(c.name) + " of " + std::to_string(n),
                               std::to_string(best / line));
                EXPECT_GT(best,
                          (c.name == std::string("tree broadcast") ? 0.9 / CeilLog2(n) : 0.55) *
                              line)
                    << c.name << " of " << n;
            }
        }
        Simulator::Destroy();
    }
}

// Servers of four GPUs and NICs: what enters a server is at most what its NICs carry, and busbw,
// which hierarchy can lift above the NICs' sum, is never above the scale-up rate of a GPU.
TEST(CollectiveBandwidth, HierarchyKeepsToNicsAndScaleUp)
{
    {
        const MixnetFabric fabric = Star(3, 4, Fidelity::FLOW);
        CollectiveTimer timer(fabric.GetTransport());
        for (const CollectiveCase& c : AllCollectives())
        {
            CollectiveSpec spec;
            spec.members = EveryGpu(12);
            spec.groups = GroupByServer(spec.members, *fabric.GetGraph());
            ASSERT_EQ(spec.groups, GroupsOf({4, 4, 4}));
            spec.bytes = ByteCount(96 << 20);
            const Time whole = timer.Run(c, spec);
            spec.chunk = ByteCount(1 << 20);
            const Time time = std::min(whole, timer.Run(c, spec));
            const double bus =
                GetCollectiveBandwidth(c.kind, 12, spec.bytes, time).bus.GetBitRate();
            EXPECT_LE(bus, 3600e9) << c.name;
            const double entering =
                GetCollectiveBandwidth(c.kind, 3, spec.bytes, time).bus.GetBitRate();
            EXPECT_LE(entering, 1600e9) << c.name;
            if (c.grouped)
            {
                EXPECT_GT(entering, 800e9) << c.name << ", and hierarchy is worth it";
                EXPECT_LT(time, whole) << c.name << ": levels overlap";
                spec.groups.clear();
                EXPECT_LT(time, timer.Run(c, spec)) << c.name << " in one ring";
            }
        }
    }
    Simulator::Destroy();
}

// Two optical regions of two servers: two-level, half of a gather's bytes or less cross regions.
TEST(CollectiveGroups, ByRegion)
{
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("ServersPerRegion", UintegerValue(2));
        const MixnetFabric fabric = helper.Install(ClusterSpec(4));
        CollectiveSpec spec;
        spec.members = EveryGpu(8, 4); // two GPUs of every server
        spec.groups = GroupByRegion(spec.members, *fabric.GetGraph());
        EXPECT_EQ(spec.groups, GroupsOf({4, 4}));
        EXPECT_EQ(GroupByServer(spec.members, *fabric.GetGraph()), GroupsOf({2, 2, 2, 2}));
        std::swap(spec.members[0], spec.members[7]);
        EXPECT_EQ(GroupByRegion(spec.members, *fabric.GetGraph()),
                  (std::vector<std::vector<uint32_t>>{{0, 4, 5, 6}, {1, 2, 3, 7}}));
        std::swap(spec.members[0], spec.members[7]);
        spec.bytes = ByteCount(8 << 20);
        CollectiveTimer timer(fabric.GetTransport());
        for (const CollectiveCase& c : AllCollectives())
        {
            TransferGraph graph;
            c.append(graph, spec, {});
            uint64_t crossing = 0;
            for (const Transfer& t : graph.GetTransfers())
            {
                crossing += t.source.Get() / 16 != t.destination.Get() / 16 ? t.bytes.Get() : 0;
            }
            // all 8 parts enter the other region once; or once as sums
            const uint64_t once = c.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
            if (c.grouped)
            {
                EXPECT_EQ(crossing, once * spec.bytes.Get()) << c.name;
            }
            EXPECT_GT(timer.Run(c, spec), Time());
        }
    }
    Simulator::Destroy();
}

} // namespace
