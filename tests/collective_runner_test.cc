/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective_runner_fixture.h"

#include "ns3/collective-builders.h"
#include "ns3/collective-cost.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Rings on an idle line.
class CollectiveRunnerTest : public CollectiveRunnerFixture
{
  protected:
    /// @param members members @param bytes buffer @param steppedUpTo form @return duration
    Time RunRing(uint32_t members, ByteCount bytes, uint32_t steppedUpTo)
    {
        RingSpec spec;
        for (uint32_t i = 0; i < members; ++i)
        {
            spec.members.emplace_back(i * 8);
        }
        spec.lanes = 4;
        spec.bytes = bytes;
        spec.steppedUpTo = steppedUpTo;
        const CollectiveRunner::Run run = runner->Open();
        AppendRingAllReduce(runner->GetGraph(run), spec);
        keeper.results.clear();
        runner->Start(run, keeper, 0);
        Simulator::Run();
        EXPECT_EQ(keeper.results.size(), 1U);
        return keeper.results[0].finished - keeper.results[0].started;
    }
};

// On steady, equal edges a ring of n takes 2(n-1)/n x bytes / rate: 4 lanes of 1 GB/s, 36 MB
// (divides by 2, 3, 4, 6, 9); and the steps pay the latency 2(n-1) times, the flow form once.
TEST_F(CollectiveRunnerTest, RingsMeetTheClosedForm)
{
    const ByteCount bytes(36000000);
    const DataRate rate(4 * 8000000000ULL);
    for (const uint32_t n : {2U, 3U, 4U, 6U, 9U})
    {
        transport->latency = Time();
        EXPECT_EQ(RunRing(n, bytes, 16), AllReduceTime(n, bytes, rate)) << n;
        EXPECT_EQ(RunRing(n, bytes, 0), AllReduceTime(n, bytes, rate)) << n;
        transport->latency = MicroSeconds(6);
        EXPECT_EQ(RunRing(n, bytes, 16),
                  AllReduceTime(n, bytes, rate) + MicroSeconds(6) * (2 * (n - 1)));
        EXPECT_EQ(RunRing(n, bytes, 0), AllReduceTime(n, bytes, rate) + MicroSeconds(6));
    }
}

TEST_F(CollectiveRunnerTest, HierarchicalIsReducePlusRingPlusBroadcast)
{
    HierarchicalSpec spec;
    spec.ring.members = {GpuId(0), GpuId(8)};
    spec.ring.lanes = 8;
    spec.ring.bytes = ByteCount(8000000);
    spec.localMembers = 2;
    spec.localBytes = ByteCount(2000000);
    spec.localLanes = 4;
    spec.scaleUpRate = DataRate("80Gbps");
    const CollectiveRunner::Run run = runner->Open();
    AppendHierarchical(runner->GetGraph(run), spec);
    runner->Start(run, keeper, 7);
    Simulator::Run();
    ASSERT_EQ(keeper.results.size(), 1U);
    const CollectiveResult& r = keeper.results[0];
    // 1/2 x 2 MB at 10 GB/s = 0.1 ms, twice; 2 x 1/2 x 8 MB at 8 GB/s = 1 ms.
    EXPECT_EQ(r.finished - r.started, MicroSeconds(1200));
    EXPECT_EQ(r.tag, 7U);
    EXPECT_EQ(r.bytes, ByteCount(16000000));
    EXPECT_EQ(r.bytesByPath[static_cast<std::size_t>(PathClass::PACKET)], ByteCount(16000000));
    // Reduce-scatter and all-gather of 2 members, 1 x 2 MB x 4 lanes each, in 2 servers.
    EXPECT_EQ(r.bytesByPath[static_cast<std::size_t>(PathClass::SCALE_UP)], ByteCount(32000000));
}

TEST_F(CollectiveRunnerTest, AnAllToAllEndsWithItsLastTransfer)
{
    Matrix<uint64_t> bytes(2, 2);
    bytes(0, 1) = 1000;
    bytes(1, 0) = 5000;
    const CollectiveRunner::Run run = runner->Open();
    AppendAllToAll(runner->GetGraph(run), {GpuId(0), GpuId(8)}, 1, TrafficClass::EP, bytes, false);
    runner->Start(run, keeper, 1);
    EXPECT_TRUE(keeper.results.empty());
    EXPECT_EQ(runner->GetNActive(), 1U);
    Simulator::Run();
    ASSERT_EQ(keeper.results.size(), 1U);
    EXPECT_EQ(keeper.results[0].finished, MicroSeconds(5));
    EXPECT_EQ(keeper.results[0].transfers, 2U);
    EXPECT_EQ(keeper.results[0].lost, 0U);
    EXPECT_EQ(runner->GetNActive(), 0U);
}

TEST_F(CollectiveRunnerTest, AnEmptyGraphEndsInTheNextEvent)
{
    runner->Start(runner->Open(), keeper, 3);
    EXPECT_TRUE(keeper.results.empty());
    Simulator::Run();
    ASSERT_EQ(keeper.results.size(), 1U);
    EXPECT_EQ(keeper.results[0].tag, 3U);
    EXPECT_EQ(keeper.results[0].finished, keeper.results[0].started);
}

TEST_F(CollectiveRunnerTest, RunsSideBySideDoNotMix)
{
    for (uint64_t i = 1; i <= 5; ++i)
    {
        const CollectiveRunner::Run run = runner->Open();
        AppendPointToPoint(runner->GetGraph(run),
                           GpuId(0),
                           GpuId(1),
                           1,
                           TrafficClass::PP,
                           ByteCount(1000 * (6 - i)));
        runner->Start(run, keeper, i);
    }
    EXPECT_EQ(runner->GetNActive(), 5U);
    Simulator::Run();
    ASSERT_EQ(keeper.results.size(), 5U);
    for (uint64_t i = 0; i < 5; ++i)
    {
        EXPECT_EQ(keeper.results[i].tag, 5 - i);
        EXPECT_EQ(keeper.results[i].bytes, ByteCount(1000 * (i + 1)));
    }
    // The pool gives the graphs back empty.
    EXPECT_EQ(runner->GetGraph(runner->Open()).GetNNodes(), 0U);
}

TEST_F(CollectiveRunnerTest, ALostTransferIsCountedAndStopsNobody)
{
    transport->loses = [](const Transfer& t) { return t.source == GpuId(8); };
    EXPECT_GT(RunRing(3, ByteCount(3000), 3), Time());
    EXPECT_EQ(keeper.results[0].lost, 4U);
    EXPECT_EQ(keeper.results[0].transfers, 12U);
    EXPECT_EQ(keeper.results[0].bytesByPath[static_cast<std::size_t>(PathClass::PACKET)],
              ByteCount(8000));
}

} // namespace
