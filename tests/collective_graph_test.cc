/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/collective-builders.h"
#include "ns3/collective-cost.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

using namespace ns3;

namespace
{

using Node = TransferGraph::Node;

/// @return first GPUs of n servers of `gpus` GPUs
std::vector<GpuId>
Members(uint32_t n, uint32_t gpus)
{
    std::vector<GpuId> members;
    for (uint32_t i = 0; i < n; ++i)
    {
        members.emplace_back(i * gpus);
    }
    return members;
}

/// @return all nodes that must end before one of `nodes`, those included
std::set<Node>
Ancestors(const TransferGraph& graph, const std::vector<Node>& nodes)
{
    std::vector<std::vector<Node>> before(graph.GetNNodes());
    for (Node n = 0; n < graph.GetNNodes(); ++n)
    {
        const auto [begin, end] = graph.GetSuccessors(n);
        for (const Node* s = begin; s != end; ++s)
        {
            before[*s].push_back(n);
        }
    }
    std::set<Node> found(nodes.begin(), nodes.end());
    std::vector<Node> todo(nodes);
    while (!todo.empty())
    {
        const Node n = todo.back();
        todo.pop_back();
        for (const Node b : before[n])
        {
            if (found.insert(b).second)
            {
                todo.push_back(b);
            }
        }
    }
    return found;
}

TEST(TransferGraph, KnowsWhoWaitsForWhom)
{
    TransferGraph graph;
    const Node a = graph.AddLocal({NanoSeconds(1), ByteCount(5)});
    const Node b = AppendPointToPoint(graph, GpuId(0), GpuId(8), 2, TrafficClass::PP, ByteCount(9));
    const Node c = graph.AddLocal({NanoSeconds(2), ByteCount(6)});
    graph.AddDependency(a, c);
    graph.AddDependency(b, c);
    graph.Seal();
    EXPECT_FALSE(graph.IsFlat());
    EXPECT_EQ(graph.GetPredecessorCounts(), (std::vector<uint32_t>{0, 0, 2}));
    EXPECT_EQ(*graph.GetSuccessors(a).first, c);
    EXPECT_EQ(graph.GetSuccessors(c).first, graph.GetSuccessors(c).second);
    EXPECT_TRUE(graph.IsLocal(c));
    EXPECT_EQ(graph.GetLocal(c).scaleUpBytes, ByteCount(6));
    EXPECT_EQ(graph.GetTransfer(b).lanes, 2U);
    EXPECT_EQ(graph.GetTransferBytes(), ByteCount(9));
    graph.Clear();
    EXPECT_EQ(graph.GetNNodes(), 0U);
    EXPECT_TRUE(graph.IsFlat());
}

TEST(TransferGraph, RefusesACycle)
{
    TransferGraph graph;
    const Node a = graph.AddLocal({});
    const Node b = graph.AddLocal({});
    graph.AddDependency(a, b);
    graph.AddDependency(b, a);
    EXPECT_THROW(graph.Seal(), InvariantError);
    EXPECT_THROW(graph.AddDependency(a, a), InvariantError);
}

TEST(AllToAll, SumOfTransfersIsSumOfDemand)
{
    Matrix<uint64_t> bytes(3, 3);
    std::iota(bytes.Data().begin(), bytes.Data().end(), 1); // 1 2 3 / 4 5 6 / 7 8 9
    bytes(1, 2) = 0;
    TransferGraph graph;
    AppendAllToAll(graph, Members(3, 8), 8, TrafficClass::EP, bytes, false);
    EXPECT_EQ(graph.GetTransferBytes(), ByteCount(2 + 3 + 4 + 7 + 8));
    ASSERT_EQ(graph.GetNNodes(), 5U);
    EXPECT_TRUE(graph.IsFlat());
    EXPECT_EQ(graph.GetTransfer(2).source, GpuId(8));
    EXPECT_EQ(graph.GetTransfer(2).destination, GpuId(0));
    EXPECT_EQ(graph.GetTransfer(2).bytes, ByteCount(4));
    EXPECT_EQ(graph.GetTransfer(2).lanes, 8U);
}

TEST(AllToAll, TheWayBackCarriesTheTranspose)
{
    Matrix<uint64_t> bytes(4, 4);
    std::iota(bytes.Data().begin(), bytes.Data().end(), 100);
    TransferGraph there;
    TransferGraph back;
    AppendAllToAll(there, Members(4, 1), 1, TrafficClass::EP, bytes, false);
    AppendAllToAll(back, Members(4, 1), 1, TrafficClass::EP, bytes, true);
    ASSERT_EQ(there.GetNNodes(), 12U);
    ASSERT_EQ(back.GetNNodes(), 12U);
    for (const Transfer& t : there.GetTransfers())
    {
        const auto& list = back.GetTransfers();
        EXPECT_EQ(std::count_if(list.begin(),
                                list.end(),
                                [&t](const Transfer& r) {
                                    return r.source == t.destination && r.destination == t.source &&
                                           r.bytes == t.bytes;
                                }),
                  1);
    }
}

TEST(AllToAll, EmptyRowsAndColumnsSendNothing)
{
    TransferGraph graph;
    AppendAllToAll(graph, Members(3, 1), 1, TrafficClass::EP, Matrix<uint64_t>(3, 3), false);
    EXPECT_EQ(graph.GetNNodes(), 0U);
    EXPECT_THROW(
        AppendAllToAll(graph, Members(3, 1), 1, TrafficClass::EP, Matrix<uint64_t>(2, 2), false),
        InvariantError);
}

// A buffer that does not divide by the members: both forms carry 2(n-1) x bytes to the byte.
TEST(RingAllReduce, BothFormsCarryTheSameBytes)
{
    for (uint32_t n = 2; n <= 9; ++n)
    {
        RingSpec spec;
        spec.members = Members(n, 8);
        spec.bytes = ByteCount(1000003);
        for (const uint32_t limit : {0U, 100U})
        {
            spec.steppedUpTo = limit;
            TransferGraph graph;
            AppendRingAllReduce(graph, spec);
            EXPECT_EQ(graph.GetTransferBytes(), ByteCount(1000003) * (2 * (n - 1)));
            EXPECT_EQ(graph.GetNNodes(), limit == 0 ? n : 2 * n * (n - 1));
        }
    }
}

// In an all-reduce the result of every member depends on something that every other member sent.
TEST(RingAllReduce, EveryResultDependsOnEveryMember)
{
    for (uint32_t n = 2; n <= 7; ++n)
    {
        RingSpec spec;
        spec.members = Members(n, 1);
        spec.bytes = ByteCount(700);
        spec.steppedUpTo = n;
        TransferGraph graph;
        const auto done = AppendRingAllReduce(graph, spec);
        graph.Seal();
        ASSERT_EQ(done.size(), n);
        for (uint32_t i = 0; i < n; ++i)
        {
            std::set<uint32_t> senders;
            for (const Node node : Ancestors(graph, done[i]))
            {
                senders.insert(graph.GetTransfer(node).source.Get());
            }
            EXPECT_EQ(senders.size(), n) << "member " << i << " of " << n;
            // It receives n - 1 chunks reduced elsewhere and completes one itself.
            EXPECT_EQ(done[i].size(), n);
            for (const Node node : done[i])
            {
                EXPECT_EQ(graph.GetTransfer(node).destination, GpuId(i));
            }
        }
    }
}

// A step may only send what has arrived: data flows around the ring, so step k of member i waits
// for exactly one transfer, which member i - 1 sent to i.
TEST(RingAllReduce, StepsFollowTheNeighbor)
{
    RingSpec spec;
    spec.members = Members(5, 1);
    spec.bytes = ByteCount(50);
    spec.steppedUpTo = 5;
    TransferGraph graph;
    AppendRingAllReduce(graph, spec);
    graph.Seal();
    ASSERT_EQ(graph.GetNNodes(), 40U);
    for (Node n = 0; n < graph.GetNNodes(); ++n)
    {
        EXPECT_EQ(graph.GetPredecessorCounts()[n], n < 5 ? 0U : 1U);
        const auto [begin, end] = graph.GetSuccessors(n);
        for (const Node* s = begin; s != end; ++s)
        {
            EXPECT_EQ(graph.GetTransfer(*s).source, graph.GetTransfer(n).destination);
        }
    }
}

TEST(RingAllReduce, OneMemberAndNoBytesNeedNothing)
{
    TransferGraph graph;
    RingSpec spec;
    spec.members = Members(1, 1);
    spec.bytes = ByteCount(10);
    EXPECT_EQ(AppendRingAllReduce(graph, spec).size(), 1U);
    spec.members = Members(3, 1);
    spec.bytes = ByteCount(0);
    AppendRingAllReduce(graph, spec);
    EXPECT_EQ(graph.GetNNodes(), 0U);
}

// 8 members of 450 GB/s and 9 GB: gather 7/8 x 9 / 450 = 17.5 ms, all-reduce twice that. The
// members send 7 x 9 GB and 14 x 9 GB in total.
TEST(CollectiveCost, ClosedFormsByHand)
{
    EnsurePicosecondClock();
    const ByteCount bytes(9000000000ULL);
    const DataRate rate("3600Gbps");
    EXPECT_EQ(AllGatherTime(8, bytes, rate), MicroSeconds(17500));
    EXPECT_EQ(ReduceScatterTime(8, bytes, rate), MicroSeconds(17500));
    EXPECT_EQ(AllReduceTime(8, bytes, rate), MilliSeconds(35));
    EXPECT_EQ(AllReduceTime(1, bytes, rate), Time());
    EXPECT_EQ(GatherTraffic(8, bytes), ByteCount(63000000000ULL));
    EXPECT_EQ(AllReduceTraffic(8, bytes), ByteCount(126000000000ULL));
    EXPECT_EQ(AllReduceTraffic(1, bytes), ByteCount(0));
}

TEST(HierarchicalAllReduce, ReducesRingsAndTells)
{
    HierarchicalSpec spec;
    spec.ring.members = Members(3, 8);
    spec.ring.lanes = 8;
    spec.ring.bytes = ByteCount(3000);
    spec.localMembers = 2;
    spec.localBytes = ByteCount(750);
    spec.localLanes = 4;
    spec.scaleUpRate = DataRate("8Gbps");
    TransferGraph graph;
    AppendHierarchical(graph, spec);
    graph.Seal();
    // 3 reductions, 2 x 3 x 2 steps, 3 broadcasts.
    ASSERT_EQ(graph.GetNNodes(), 3U + 12U + 3U);
    EXPECT_EQ(graph.GetTransferBytes(), ByteCount(4 * 3000));
    for (const Node n : {0U, 1U, 2U, 15U, 16U, 17U})
    {
        ASSERT_TRUE(graph.IsLocal(n));
        EXPECT_EQ(graph.GetLocal(n).duration, NanoSeconds(375)); // 1/2 x 750 B at 1 GB/s
        EXPECT_EQ(graph.GetLocal(n).scaleUpBytes, ByteCount(3000));
    }
    // The last broadcast waits for reductions of all servers.
    const std::set<Node> before = Ancestors(graph, {17});
    EXPECT_TRUE(before.count(0) && before.count(1) && before.count(2));
}

TEST(HierarchicalAllReduce, OneServerIsTheClosedForm)
{
    HierarchicalSpec spec;
    spec.ring.members = Members(1, 8);
    spec.ring.bytes = ByteCount(6000);
    spec.localMembers = 3;
    spec.localBytes = ByteCount(3000);
    spec.localLanes = 2;
    spec.scaleUpRate = DataRate("8Gbps");
    TransferGraph graph;
    AppendHierarchical(graph, spec);
    graph.Seal();
    ASSERT_EQ(graph.GetNNodes(), 2U);
    EXPECT_EQ(graph.GetPredecessorCounts()[1], 1U);
    EXPECT_EQ(graph.GetLocal(0).duration + graph.GetLocal(1).duration,
              AllReduceTime(3, ByteCount(3000), spec.scaleUpRate));
}

} // namespace
