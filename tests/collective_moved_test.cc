/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective_runner_fixture.h"

#include "ns3/collective-builders.h"
#include "ns3/collectives.h"
#include "ns3/moved-lanes.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

/// Collectives whose GPUs' work has moved.
class MovedLanes : public CollectiveRunnerFixture
{
  protected:
    MovedLanes()
    {
        transport->recording = true;
    }

    /// Start a hand-over of 8 lanes of 1 MB each between servers 0 and 1, and then another.
    void StartTwo()
    {
        const CollectiveRunner::Run run = runner->Open();
        TransferGraph& graph = runner->GetGraph(run);
        const auto transfer = [](uint32_t from, uint32_t to) {
            Transfer t;
            t.source = GpuId(from);
            t.destination = GpuId(to);
            t.lanes = 8;
            t.bytes = ByteCount(8000000);
            return t;
        };
        const TransferGraph::Node first = graph.AddTransfer(transfer(0, 8));
        const TransferGraph::Node local = graph.AddLocal({MilliSeconds(1), ByteCount(5)});
        const TransferGraph::Node last = graph.AddTransfer(transfer(8, 16));
        graph.AddDependency(first, local);
        graph.AddDependency(local, last);
        runner->Start(run, keeper, 9);
    }
};

} // namespace

// Every lane of every part, expanded, is the lane of the transfer with its ends replaced: an
// independent count by lane.
TEST(AppendCut, EveryLaneKeepsItsBytesAndGetsItsEnds)
{
    std::mt19937 random(1);
    std::size_t cut = 0;
    for (int round = 0; round < 2000; ++round)
    {
        Transfer t;
        t.lanes = 1 + random() % 8;
        t.source = GpuId(random() % 16);
        t.destination = GpuId(32 + random() % 16);
        t.bytes = ByteCount(1 + random() % 100);
        t.tag = round;
        std::map<GpuId, GpuId> moved;
        for (uint32_t i = 0; i < random() % 4; ++i)
        {
            moved[GpuId(random() % 64)] = GpuId(100 + 2 * i);
        }
        std::vector<Transfer> parts;
        AppendCut(t, moved, parts);
        cut += parts.size() > 1 ? 1 : 0;
        using Lane = std::pair<uint32_t, uint32_t>;
        std::map<Lane, uint64_t> expected;
        std::map<Lane, uint64_t> got;
        const auto place = [&moved](uint32_t gpu) {
            return moved.count(GpuId(gpu)) > 0 ? moved.at(GpuId(gpu)).Get() : gpu;
        };
        const auto laneBytes = [](const Transfer& x, uint32_t lane) {
            return x.bytes.Get() / x.lanes + (lane < x.bytes.Get() % x.lanes ? 1 : 0);
        };
        for (uint32_t l = 0; l < t.lanes; ++l)
        {
            expected[{place(t.source.Get() + l), place(t.destination.Get() + l)}] +=
                laneBytes(t, l);
        }
        for (const Transfer& part : parts)
        {
            EXPECT_EQ(part.tag, t.tag);
            for (uint32_t l = 0; l < part.lanes; ++l)
            {
                got[{part.source.Get() + l, part.destination.Get() + l}] += laneBytes(part, l);
            }
        }
        ASSERT_EQ(got, expected) << "round " << round;
    }
    EXPECT_GT(cut, 200U);
}

// GPU 3 does the work of another place: lanes 0-2, 3, 4-7 of both transfers; the collective ends
// once, when its last part has arrived, and carries all bytes.
TEST_F(MovedLanes, ARunEndsWithItsLastPart)
{
    runner->SetMoved({{GpuId(3), GpuId(24)}, {GpuId(16), GpuId(25)}});
    StartTwo();
    Simulator::Run();
    ASSERT_EQ(keeper.results.size(), 1U);
    EXPECT_EQ(keeper.results[0].bytes, ByteCount(16000000));
    EXPECT_EQ(keeper.results[0].transfers, 5U);
    ASSERT_EQ(transport->sent.size(), 5U);
    EXPECT_EQ(transport->sent[1].source, GpuId(24));
    EXPECT_EQ(transport->sent[1].destination, GpuId(11));
    EXPECT_EQ(transport->sent[2].lanes, 4U);
    EXPECT_EQ(transport->sent[3].destination, GpuId(25));
    EXPECT_EQ(keeper.results[0].finished, MilliSeconds(3));
}

TEST_F(MovedLanes, AbortedRunsEndUnheardAndTheRunnerGoesOn)
{
    StartTwo();
    StartTwo();
    Simulator::Schedule(MicroSeconds(1500), [this] {
        // The first transfers have arrived, the local operations are under way.
        EXPECT_EQ(runner->AbortAll(), 0U);
        EXPECT_EQ(runner->GetNActive(), 0U);
        StartTwo();
    });
    Simulator::Schedule(MicroSeconds(2000), [this] {
        EXPECT_EQ(runner->AbortAll(), 1U);
        StartTwo();
    });
    Simulator::Run();
    ASSERT_EQ(keeper.results.size(), 1U);
    EXPECT_EQ(keeper.results[0].finished, MilliSeconds(5));
    const TransferTotals totals = transport->GetTotals();
    EXPECT_EQ(totals.aborted, ByteCount(8000000));
    EXPECT_EQ(totals.delivered, ByteCount(4 * 8000000));
    EXPECT_EQ(totals.unfinished, ByteCount(0));
    EXPECT_EQ(runner->GetNActive(), 0U);
}
