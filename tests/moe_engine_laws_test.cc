/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/pointer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

using namespace ns3;

namespace
{

// Dispatch forward and combine backward send the same transfers in the same order, and so do the
// other two; they are each other's transpose.
TEST(IterationEngine, BackwardRepeatsForward)
{
    TrainingJob job = TinyJob();
    job.degrees.expert = 4;
    JobRun run(job, MakeServers(4, 1));
    Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
    gate->script = [](const GateQuery& q, Matrix<uint32_t>& tokens) {
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            const uint32_t first = 10 * rank + q.layer + 1;
            tokens(rank, 0) = first;
            tokens(rank, 1) = 30 - q.layer;
            tokens(rank, 3) = 128 - first - 30 + q.layer;
        }
    };
    run.engine->SetAttribute("Gate", PointerValue(gate));
    run.transport->recording = true;
    run.Run();
    ExpectCompleted(run);
    std::vector<std::vector<Transfer>> batches;
    std::size_t next = 0;
    for (const AllToAllRecord& record : run.allToAlls)
    {
        batches.emplace_back(run.transport->sent.begin() + next,
                             run.transport->sent.begin() + next + record.transfers);
        next += record.transfers;
    }
    // Layer 0: batches 0, 1 and 6, 7; layer 1: 2, 3 and 4, 5. Nobody sends to rank 2.
    ASSERT_EQ(batches.size(), 8U);
    const auto equal = [](const std::vector<Transfer>& a, const std::vector<Transfer>& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
            return x.source == y.source && x.destination == y.destination && x.bytes == y.bytes &&
                   x.lanes == y.lanes && x.trafficClass == y.trafficClass;
        });
    };
    EXPECT_EQ(batches[0].size(), 9U);
    EXPECT_TRUE(equal(batches[0], batches[6]));
    EXPECT_TRUE(equal(batches[1], batches[7]));
    EXPECT_TRUE(equal(batches[2], batches[4]));
    EXPECT_TRUE(equal(batches[3], batches[5]));
    EXPECT_FALSE(equal(batches[0], batches[2]));
    for (const Transfer& t : batches[0])
    {
        EXPECT_EQ(std::count_if(batches[1].begin(),
                                batches[1].end(),
                                [&t](const Transfer& r) {
                                    return r.source == t.destination && r.destination == t.source &&
                                           r.bytes == t.bytes;
                                }),
                  1);
    }
    EXPECT_EQ(run.allToAlls[4].id.phase, AllToAllPhase::BACKWARD_COMBINE);
    EXPECT_EQ(run.matrices[0], run.matrices[6]);
}

// Law: an operation starts when its predecessor ends.
TEST(IterationEngine, OperationsFollowTheirPredecessors)
{
    TrainingJob job = TinyJob();
    job.model.layers = 4;
    job.model.moeLayers = 4;
    job.degrees = {2, 2, 2, 2};
    job.microBatches = 4;
    JobRun run(job, MakeServers(8, 2));
    run.transport->bitsPerSecond = 8000000000ULL;
    run.transport->latency = MicroSeconds(6);
    run.Run();
    ExpectCompleted(run);
    uint32_t critical = 0;
    for (const OpRecord& op : run.ops)
    {
        critical += op.critical;
        if (op.predecessor == OpRecord::NONE)
        {
            EXPECT_EQ(op.start, run.iterations[0].start);
        }
        else
        {
            EXPECT_EQ(op.start, run.ops[op.predecessor].end) << op.id;
        }
    }
    EXPECT_GT(critical, 10U);
    EXPECT_LT(critical, run.ops.size() / 2);
}

TEST(IterationEngine, SameJobSameRecords)
{
    const auto tell = [] {
        TrainingJob job = TinyJob();
        job.degrees = {2, 1, 2, 2};
        job.microBatches = 3;
        job.iterations = 2;
        JobRun run(job, MakeServers(8, 1));
        run.transport->bitsPerSecond = 8000000000ULL;
        run.transport->latency = MicroSeconds(1);
        run.Run();
        std::string text;
        for (const OpRecord& op : run.ops)
        {
            text += std::to_string(op.id) + " " + std::to_string(op.predecessor) + " " +
                    std::to_string(op.start.GetTimeStep()) + " " +
                    std::to_string(op.end.GetTimeStep()) + " " + GetName(op.kind) + "\n";
        }
        return text;
    };
    const std::string first = tell();
    EXPECT_GT(first.size(), 1000U);
    EXPECT_EQ(first, tell());
}

TEST(IterationEngine, ALostTransferEndsTheJob)
{
    TrainingJob job = TinyJob();
    JobRun run(job, MakeServers(2, 1));
    int left = 5;
    run.transport->loses = [&left](const Transfer&) { return --left == 0; };
    run.Run();
    EXPECT_EQ(run.finished, 1);
    EXPECT_FALSE(run.completed);
    EXPECT_EQ(run.engine->GetState(), EngineState::FAILED);
    EXPECT_EQ(run.engine->GetLoss(),
              "all-to-all of replica 0, stage 0: exchanging micro-batch 0 forward, dispatch of "
              "layer 1");
    EXPECT_EQ(run.engine->DescribeUnfinished().size(), 1U);
    EXPECT_TRUE(run.iterations.empty());
}

// A transport that never delivers: the event queue runs dry, and the engine says where it stands.
TEST(IterationEngine, AStalledJobSaysWhereItStands)
{
    TrainingJob job = TinyJob();
    job.degrees = {1, 1, 2, 2};
    JobRun run(job, MakeServers(4, 1));
    run.transport->latency = Hours(24);
    run.engine->Start();
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    EXPECT_EQ(run.finished, 0);
    EXPECT_EQ(run.engine->GetState(), EngineState::RUNNING);
    const auto lines = run.engine->DescribeUnfinished();
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_EQ(lines[0],
              "iteration 0, replica 0, stage 0: exchanging micro-batch 0 forward, dispatch of "
              "layer 0");
    EXPECT_EQ(lines[1], "iteration 0, replica 0, stage 1: awaiting input of micro-batch 0 forward");
}

} // namespace
