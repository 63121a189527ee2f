/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Bytes, sizes, trees, beginnings and ends of the collectives' graphs.

#include "collective_cases.h"

#include "ns3/collective-catalog.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace ns3;

namespace
{

using Node = TransferGraph::Node;

// Bytes in all are the law's; moves say what the transfers carry; no message is above the chunk.
TEST(CollectiveLaws, BytesAreTheLawsAndMessagesFit)
{
    for (const CollectiveCase& c : AllCollectives())
    {
        for (CollectiveSpec spec : AllSpecs())
        {
            std::vector<BufferMove> moves;
            spec.moves = &moves;
            TransferGraph graph;
            c.append(graph, spec, {});
            const uint64_t n = spec.members.size();
            const uint64_t times = c.kind == CollectiveKind::ALL_REDUCE ? 2 * (n - 1) : n - 1;
            ASSERT_EQ(graph.GetTransferBytes(), spec.bytes * times) << Describe(c, spec);
            std::map<Node, uint64_t> carried;
            for (const BufferMove& m : moves)
            {
                carried[m.node] += m.bytes;
                ASSERT_EQ(graph.GetTransfer(m.node).source, spec.members[m.from]);
                ASSERT_EQ(graph.GetTransfer(m.node).destination, spec.members[m.to]);
            }
            ASSERT_EQ(carried.size(), graph.GetNNodes());
            // a message has at least a byte of each part it joins: seven at most here
            const uint64_t most = std::max<uint64_t>(spec.chunk.Get(), 7);
            for (const auto& [node, bytes] : carried)
            {
                ASSERT_EQ(graph.GetTransfer(node).bytes.Get(), bytes);
                ASSERT_TRUE(spec.chunk == ByteCount(0) || bytes <= most) << Describe(c, spec);
            }
        }
    }
}

// What a member receives of 840 B (divides by all n here). Ring: all-gather and reduce-scatter B -
// B/n, all-reduce twice that; broadcast B, but for the root. Tree: half of B per child and tree on
// the way up, half per tree of which it is not the root on the way down.
TEST(CollectiveLaws, BytesReceivedByAMember)
{
    for (const uint32_t n : {2U, 3U, 4U, 5U, 6U, 7U, 8U, 12U})
    {
        CollectiveSpec spec;
        spec.members = EveryGpu(n);
        spec.bytes = ByteCount(840);
        for (const CollectiveCase& c : AllCollectives())
        {
            for (const bool split : {false, true})
            {
                spec.groups = split && n % 2 == 0 ? GroupsOf({n / 2, n / 2}) : GroupsOf({n});
                TransferGraph graph;
                c.append(graph, spec, {});
                std::vector<uint64_t> received(n);
                for (const Transfer& t : graph.GetTransfers())
                {
                    received[t.destination.Get()] += t.bytes.Get();
                }
                for (uint32_t r = 0; r < n; ++r)
                {
                    uint64_t expected = 840 - 840 / n;
                    if (c.kind == CollectiveKind::BROADCAST)
                    {
                        expected = r == n - 1 ? 0 : 840;
                    }
                    else if (c.name == std::string("tree all-reduce"))
                    {
                        expected = 0;
                        for (const uint32_t tree : {0U, 1U})
                        {
                            expected += GetTreeParent(tree, r, n) < n ? 420 : 0;
                            for (uint32_t child = 0; child < n; ++child)
                            {
                                expected += GetTreeParent(tree, child, n) == r ? 420 : 0;
                            }
                        }
                    }
                    else if (c.kind == CollectiveKind::ALL_REDUCE)
                    {
                        expected *= 2;
                    }
                    ASSERT_EQ(received[r], expected) << c.name << ", rank " << r << " of " << n;
                }
            }
        }
    }
}

// Both trees reach all ranks; at most ceil(log2 n) deep; no rank has children in both unless it is
// rank 0; two children at most in a tree and two in both together.
TEST(DoubleTree, LoadsEveryRankAlike)
{
    for (uint32_t n = 2; n <= 130; ++n)
    {
        uint32_t log = 0;
        while ((1U << log) < n)
        {
            ++log;
        }
        std::vector<uint32_t> children(n);
        for (const uint32_t tree : {0U, 1U})
        {
            uint32_t roots = 0;
            for (uint32_t r = 0; r < n; ++r)
            {
                const uint32_t parent = GetTreeParent(tree, r, n);
                roots += parent == n ? 1 : 0;
                children[std::min(parent, n - 1)] += parent == n ? 0 : 1;
                uint32_t depth = 0;
                for (uint32_t at = parent; at != n && depth <= n; at = GetTreeParent(tree, at, n))
                {
                    ++depth;
                }
                ASSERT_LE(depth, log) << n;
            }
            ASSERT_EQ(roots, 1U);
        }
        for (uint32_t r = 0; r < n; ++r)
        {
            ASSERT_LE(children[r], 2U) << "rank " << r << " of " << n;
        }
        ASSERT_NE(GetTreeParent(0, 0, n), GetTreeParent(1, 0, n)) << "roots differ";
    }
}

// Rings longer than steppedUpTo are one flow per edge; each rank receives what the steps bring it.
TEST(CollectiveLaws, FlowFormCarriesWhatTheStepsCarry)
{
    for (const auto& c : AllCollectives())
    {
        CollectiveSpec spec;
        spec.members = EveryGpu(6);
        spec.bytes = ByteCount(1003);
        TransferGraph steps;
        c.append(steps, spec, {});
        spec.steppedUpTo = 5;
        TransferGraph flows;
        c.append(flows, spec, {});
        EXPECT_EQ(flows.GetNNodes(), c.grouped ? 6U : steps.GetNNodes());
        std::map<GpuId, ByteCount> a;
        std::map<GpuId, ByteCount> b;
        for (const Transfer& t : steps.GetTransfers())
        {
            a[t.destination] += t.bytes;
        }
        for (const Transfer& t : flows.GetTransfers())
        {
            b[t.destination] += t.bytes;
        }
        EXPECT_EQ(a, b) << c.name;
    }
}

// No rank sends before it is ready, and the ends come after all that a rank sends and receives.
TEST(CollectiveLaws, BeginsAfterAndEndsBefore)
{
    for (const CollectiveCase& c : AllCollectives())
    {
        CollectiveSpec spec;
        spec.groups = GroupsOf({3, 3});
        spec.members = EveryGpu(6);
        spec.bytes = ByteCount(64);
        spec.chunk = ByteCount(4);
        TransferGraph graph;
        std::vector<Node> ready;
        for (uint32_t r = 0; r < 6; ++r)
        {
            ready.push_back(graph.AddLocal({}));
        }
        const CollectiveEnds ends = c.append(graph, spec, ready);
        graph.Seal();
        // by node: its ancestors, as nodes are numbered in an order of dependencies
        std::vector<std::vector<bool>> before(graph.GetNNodes(),
                                              std::vector<bool>(graph.GetNNodes()));
        for (Node n = 0; n < graph.GetNNodes(); ++n)
        {
            before[n][n] = true;
            const auto [begin, end] = graph.GetSuccessors(n);
            for (const Node* s = begin; s != end; ++s)
            {
                ASSERT_GT(*s, n);
                for (Node a = 0; a <= n; ++a)
                {
                    before[*s][a] = before[*s][a] || before[n][a];
                }
            }
        }
        for (Node n = 6; n < graph.GetNNodes(); ++n)
        {
            const Transfer& t = graph.GetTransfer(n);
            EXPECT_TRUE(before[n][t.source.Get()]) << c.name;
            for (const GpuId gpu : {t.source, t.destination})
            {
                const auto& list = ends[gpu.Get()];
                EXPECT_TRUE(std::any_of(list.begin(), list.end(), [&](Node e) {
                    return before[e][n];
                })) << c.name;
            }
        }
    }
}

TEST(CollectiveLaws, OneMemberIsReadyAtOnce)
{
    for (const CollectiveCase& c : AllCollectives())
    {
        CollectiveSpec spec;
        spec.members = EveryGpu(1);
        spec.bytes = ByteCount(10);
        TransferGraph graph;
        const Node ready = graph.AddLocal({});
        EXPECT_EQ(c.append(graph, spec, {ready}), (CollectiveEnds{{ready}}));
        EXPECT_EQ(graph.GetNNodes(), 1U);
    }
}

TEST(CollectiveLaws, RefusesGroupsThatAreNoPartition)
{
    TransferGraph graph;
    CollectiveSpec spec;
    spec.members = EveryGpu(3);
    spec.bytes = ByteCount(10);
    spec.groups = {{0, 1}};
    EXPECT_THROW(AppendAllGather(graph, spec), InvariantError);
    spec.groups = {{0, 1}, {1, 2}};
    EXPECT_THROW(AppendAllReduce(graph, spec), InvariantError);
    spec.groups = {{0, 1, 2}, {}};
    EXPECT_THROW(AppendReduceScatter(graph, spec), InvariantError);
    EXPECT_THROW(AppendBroadcast(graph, spec, 3), InvariantError);
}

// All names stand for a graph that carries at least what busbw counts: factor x size into a rank.
TEST(CollectiveCatalog, NamesStandForGraphs)
{
    uint32_t found = 0;
    for (const std::string operation : {"all-reduce",
                                        "all-gather",
                                        "reduce-scatter",
                                        "broadcast",
                                        "all-to-all",
                                        "point-to-point"})
    {
        for (const std::string algorithm :
             {"", "ring", "tree", "hierarchical", "two-level", "direct"})
        {
            NamedCollective what{};
            try
            {
                what = FindCollective(operation, algorithm, "test");
            }
            catch (const InputError& e)
            {
                EXPECT_NE(std::string(e.what()).find("accepted: all-reduce ring, "),
                          std::string::npos);
                continue;
            }
            ++found;
            EXPECT_EQ(what.operation, operation);
            CollectiveSpec spec;
            spec.members = EveryGpu(4);
            spec.bytes = ByteCount(4000);
            TransferGraph graph;
            what.append(graph, spec);
            const double ranks = operation == "broadcast"        ? 3 // but for the root
                                 : operation == "point-to-point" ? 1
                                                                 : 4;
            EXPECT_EQ(static_cast<double>(graph.GetTransferBytes().Get()),
                      ranks * 4000 * GetBusFactor(what.kind, 4))
                << operation << " " << algorithm;
        }
    }
    EXPECT_EQ(found, 14U + 6U) << "14 algorithms, 6 defaults";
}

} // namespace
