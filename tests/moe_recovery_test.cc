/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "recovery_fixture.h"

#include "ns3/boolean.h"
#include "ns3/collective-cost.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return iteration numbers of a run
std::vector<uint32_t>
ListIterations(const JobRun& run)
{
    std::vector<uint32_t> numbers;
    for (const IterationRecord& i : run.iterations)
    {
        numbers.push_back(i.iteration);
    }
    return numbers;
}

using Numbers = std::vector<uint32_t>;

/// @return time of a healthy iteration
Time
GetHealthyTime()
{
    RecoveryRun run(SmallJob());
    run.Run();
    EXPECT_TRUE(run.completed);
    EXPECT_TRUE(run.recoveries.empty());
    return run.iterations.at(2).GetDuration();
}

} // namespace

// DP 2: replica 1 has the state of the lost rank, so the iteration that was dropped begins again
// after detection, the transfer of one GPU's state, and the restart.
TEST(Recovery, AGpuMovesToTheSpareOfItsRegion)
{
    const Time healthy = GetHealthyTime();
    RecoveryRun run(SmallJob());
    run.At(healthy + MicroSeconds(300), {1});
    run.Run();
    EXPECT_TRUE(run.completed);
    EXPECT_EQ(ListIterations(run), (Numbers{0, 1, 2, 3}));
    ASSERT_EQ(run.recoveries.size(), 1U);
    const RecoveryRecord& r = run.recoveries[0];
    EXPECT_EQ(r.action, "GPU 1 to spare GPU 16");
    EXPECT_EQ(r.failed, healthy + MicroSeconds(300));
    EXPECT_EQ(r.detected, healthy + MicroSeconds(350));
    EXPECT_TRUE(r.fromPeers);
    EXPECT_EQ(r.lost, 0U);
    EXPECT_EQ(r.resumedAt, 1U);
    EXPECT_EQ(r.resumed, r.detected + r.restore + Seconds(5));
    EXPECT_EQ(run.iterations[1].start, r.resumed);
    EXPECT_GT(r.dropped.aborted + r.dropped.delivered, ByteCount(0));
    const TransferTotals totals = run.transport->GetTotals();
    EXPECT_EQ(totals.unfinished, ByteCount(0));
    EXPECT_EQ(totals.aborted, r.dropped.aborted);
    EXPECT_EQ(run.recovery->GetPool().GetNGpus(0), 1U);
}

// The ring of TP 2 has two edges, both across the network now: 1/2 of the buffer each, on one
// channel (one lane has stayed) of 1 GB/s with 1 us latency.
TEST(Recovery, TensorCollectivesOfABrokenBlockCrossTheNetwork)
{
    TrainingJob job = SmallJob();
    RecoveryRun run(job);
    run.transport->recording = true;
    run.At(MicroSeconds(10), {1});
    run.Run();
    ASSERT_TRUE(run.completed);
    // Of attention: an all-gather of tokens x hidden x 2 bytes.
    const uint64_t buffer = job.GetTokens() * job.GetTokenBytes();
    std::size_t crossings = 0;
    for (const Transfer& t : run.transport->sent)
    {
        if (t.trafficClass == TrafficClass::TP)
        {
            const bool out = t.source == GpuId(0) && t.destination == GpuId(16);
            const bool back = t.source == GpuId(16) && t.destination == GpuId(0);
            EXPECT_TRUE(out || back) << t.source << " " << t.destination;
            crossings += t.bytes == ByteCount(buffer / 2) ? 1 : 0;
        }
        EXPECT_NE(t.source, GpuId(1));
        EXPECT_NE(t.destination, GpuId(1));
    }
    EXPECT_GT(crossings, 0U);
    // In each iteration the broken block takes longer by what its collectives do.
    const Time whole = AllGatherTime(2, ByteCount(buffer), run.layout->GetScaleUpRate());
    const Time broken = ByteCount(buffer / 2) / DataRate("8Gbps") + MicroSeconds(1);
    bool found = false;
    for (const OpRecord& op : run.ops)
    {
        if (op.iteration == 2 && op.kind == OpKind::TENSOR_COLLECTIVE && op.stage == 0 &&
            op.replica == 0 && op.end - op.start == broken)
        {
            found = true;
        }
        if (op.iteration == 2 && op.kind == OpKind::TENSOR_COLLECTIVE && op.replica == 1)
        {
            EXPECT_NE(op.end - op.start, broken);
        }
    }
    EXPECT_TRUE(found) << broken << ", whole " << whole;
    EXPECT_GT(run.iterations[2].exposed[At(TrafficClass::TP)], Time());
}

// Both replicas of stage 0 lose the rank: no peer has the state, so all goes back to the last
// checkpoint. Interval 2, lost in iteration 3: iterations 2 and 3 again.
TEST(Recovery, WithoutPeersTheJobGoesBackToItsCheckpoint)
{
    const Time healthy = GetHealthyTime();
    RecoveryRun run(SmallJob());
    run.checkpoints.interval = 2;
    run.checkpoints.serverRate = DataRate("8Gbps");
    run.recovery->SetCheckpoints(run.checkpoints);
    const Time save = run.recovery->GetCheckpoints().GetBlockingTime();
    EXPECT_GT(save, Time());
    run.At(healthy * 3 + save + MicroSeconds(20), {0, 8});
    run.Run();
    EXPECT_TRUE(run.completed);
    EXPECT_EQ(ListIterations(run), (Numbers{0, 1, 2, 2, 3}));
    ASSERT_EQ(run.recoveries.size(), 1U);
    const RecoveryRecord& r = run.recoveries[0];
    EXPECT_FALSE(r.fromPeers);
    EXPECT_EQ(r.dropped.iteration, 3U);
    EXPECT_EQ(r.resumedAt, 2U);
    EXPECT_EQ(r.lost, 1U);
    EXPECT_EQ(r.restore, run.recovery->GetCheckpoints().GetRestoreTime());
    EXPECT_EQ(run.iterations[2].start, run.iterations[1].end + save);
}

// A checkpoint that was being written when the rank was lost does not count.
TEST(Recovery, ATornCheckpointIsNoCheckpoint)
{
    const Time healthy = GetHealthyTime();
    RecoveryRun run(SmallJob());
    run.checkpoints.interval = 2;
    run.checkpoints.serverRate = DataRate("80Mbps");
    run.recovery->SetCheckpoints(run.checkpoints);
    run.recovery->SetAttribute("RestoreFromPeers", BooleanValue(false));
    ASSERT_GT(run.recovery->GetCheckpoints().GetBlockingTime(), MicroSeconds(200));
    run.At(healthy * 2 + MicroSeconds(20), {0});
    run.Run();
    EXPECT_TRUE(run.completed);
    EXPECT_EQ(ListIterations(run), (Numbers{0, 1, 0, 1, 2, 3}));
    ASSERT_EQ(run.recoveries.size(), 1U);
    EXPECT_TRUE(run.recoveries[0].dropped.between);
    EXPECT_EQ(run.recoveries[0].lost, 2U);
}

TEST(Recovery, AServerMovesToTheGlobalPoolAndItsMessagesWithIt)
{
    RecoveryRun run(SmallJob());
    run.transport->recording = true;
    run.At(MicroSeconds(150), {4, 5, 6, 7});
    run.Run();
    EXPECT_TRUE(run.completed);
    ASSERT_EQ(run.recoveries.size(), 1U);
    EXPECT_EQ(run.recoveries[0].action, "server 1 to spare server 6");
    bool used = false;
    std::size_t after = 0;
    for (const Transfer& t : run.transport->sent)
    {
        const ServerId from = run.layout->GetServer(t.source);
        const ServerId to = run.layout->GetServer(t.destination);
        used = used || from == ServerId(6) || to == ServerId(6);
        after += used ? 1 : 0;
        EXPECT_FALSE(used && (from == ServerId(1) || to == ServerId(1)));
        EXPECT_NE(t.trafficClass, TrafficClass::TP);
    }
    EXPECT_GT(after, 50U);
    EXPECT_EQ(run.recovery->GetPool().GetNServers(), 0U);
}

TEST(Recovery, WithoutSparesTheJobStopsAndNamesItsRanks)
{
    RecoveryRun run(SmallJob(), 0, 0);
    run.At(MicroSeconds(150), {13});
    run.Run();
    EXPECT_EQ(run.finished, 1);
    EXPECT_FALSE(run.completed);
    EXPECT_EQ(run.engine->GetState(), EngineState::FAILED);
    EXPECT_EQ(run.engine->GetLoss(),
              "no spare for GPU 13 (replica 1, stage 1, EP rank 0, TP rank 1)");
    EXPECT_EQ(run.transport->GetTotals().unfinished, ByteCount(0));
    ASSERT_EQ(run.recoveries.size(), 1U);
    EXPECT_TRUE(run.recoveries[0].stopped);
}

// A GPU without a spare GPU in its region takes its server along; the three that live serve as
// spares then.
TEST(Recovery, WithoutSpareGpusTheServerMoves)
{
    RecoveryRun run(SmallJob(), 0, 1);
    run.At(MicroSeconds(150), {2});
    run.At(Seconds(6), {24});
    run.Run();
    EXPECT_TRUE(run.completed) << run.engine->GetLoss();
    ASSERT_GE(run.recoveries.size(), 1U);
    EXPECT_EQ(run.recoveries[0].action, "server 0 to spare server 4");
    EXPECT_EQ(run.recovery->GetPool().GetNGpus(0), 3U);
}

TEST(Recovery, ShrinkGivesUpTheReplica)
{
    RecoveryRun run(SmallJob(), 2, 1);
    run.recovery->SetAttribute("Policy", PointerValue(CreateObject<ShrinkRecoveryPolicy>()));
    run.At(MicroSeconds(150), {1});
    run.Run();
    EXPECT_TRUE(run.completed);
    ASSERT_EQ(run.recoveries.size(), 1U);
    EXPECT_EQ(run.recoveries[0].action, "without replica 0");
    EXPECT_EQ(run.recoveries[0].restore, Time());
    EXPECT_EQ(run.engine->GetDegrees().data, 1U);
    // One replica routes half of the copies.
    EXPECT_EQ(run.iterations[3].tokenCopies * 2, uint64_t(2) * 2 * 4 * 2 * SmallJob().GetCopies());
    RecoveryRun last(SmallJob(), 0, 0);
    last.recovery->SetAttribute("Policy", PointerValue(CreateObject<ShrinkRecoveryPolicy>()));
    last.At(MicroSeconds(150), {1});
    last.At(Seconds(5) + MicroSeconds(400), {9});
    last.Run();
    EXPECT_FALSE(last.completed);
}

TEST(Recovery, SpareOrShrinkPrefersSpares)
{
    RecoveryRun run(SmallJob(), 1, 0);
    run.recovery->SetAttribute("Policy", PointerValue(CreateObject<SpareOrShrinkRecoveryPolicy>()));
    run.At(MicroSeconds(150), {1});
    run.At(Seconds(5) + MicroSeconds(400), {2});
    run.Run();
    EXPECT_TRUE(run.completed);
    ASSERT_EQ(run.recoveries.size(), 2U);
    EXPECT_EQ(run.recoveries[0].action, "GPU 1 to spare GPU 16");
    EXPECT_EQ(run.recoveries[1].action, "without replica 0");
}

// A GPU that dies while the job restores starts the recovery over; one that dies and is not yet
// detected when the job goes on holds it up again.
TEST(Recovery, FailuresDuringRecoveryStartItOver)
{
    RecoveryRun run(SmallJob());
    run.At(MicroSeconds(150), {1});
    run.At(Seconds(2), {0});
    run.detection = Seconds(4);
    run.At(Seconds(4), {12});
    run.Run();
    EXPECT_TRUE(run.completed);
    ASSERT_EQ(run.recoveries.size(), 2U);
    EXPECT_EQ(run.recoveries[0].failures, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(run.recoveries[0].action, "GPU 1 to spare GPU 16, GPU 0 to spare GPU 17");
    EXPECT_GT(run.recoveries[0].resumed, Seconds(7));
    EXPECT_EQ(run.recoveries[1].detected, Seconds(8));
    EXPECT_EQ(run.recoveries[1].dropped.iteration, 0U);
}

// Dead and back before anybody noticed: its state is gone all the same.
TEST(Recovery, AGpuThatComesBackHasLostItsState)
{
    RecoveryRun run(SmallJob());
    run.At(MicroSeconds(150), {1});
    run.At(MicroSeconds(160), {1}, true);
    run.Run();
    EXPECT_TRUE(run.completed);
    ASSERT_EQ(run.recoveries.size(), 1U);
    EXPECT_EQ(run.recoveries[0].action, "in place");
    EXPECT_TRUE(run.recoveries[0].fromPeers);
    EXPECT_EQ(run.recovery->GetPool().GetNGpus(0), 2U);
}

TEST(Recovery, SlowGpusAreSlowFromTheirNextOperationOn)
{
    const Time healthy = GetHealthyTime();
    RecoveryRun run(SmallJob());
    run.At(healthy + MicroSeconds(1), {3}, true, 2);
    run.At(healthy * 2 + MicroSeconds(1000), {3}, true, 1);
    run.Run();
    EXPECT_TRUE(run.completed);
    EXPECT_TRUE(run.recoveries.empty());
    EXPECT_EQ(run.iterations[0].GetDuration(), healthy);
    EXPECT_GT(run.iterations[1].GetDuration(), healthy + MicroSeconds(100));
    EXPECT_EQ(run.iterations[3].GetDuration(), healthy);
}
