/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Ranks and NICs that are lost while gradients are reduced: overlapped with the backward passes,
// for a sharded optimizer, or both.

#include "recovery_fixture.h"
#include "result_columns.h"
#include "scenario_run_fixture.h"

#include <numeric>

using namespace ns3;

namespace
{

/// How gradients are reduced.
struct Choice
{
    OptimizerSharding sharding; //!< of the optimizer
    bool overlap;               //!< beside backward passes
};

const Choice CHOICES[] = {{OptimizerSharding::NONE, false},
                          {OptimizerSharding::NONE, true},
                          {OptimizerSharding::ZERO1, false},
                          {OptimizerSharding::ZERO1, true}};

/// @return a job of three replicas on 6 servers of 4 GPUs
TrainingJob
ThreeReplicas(const Choice& choice)
{
    TrainingJob job = SmallJob();
    job.degrees.data = 3;
    job.optimizerSharding = choice.sharding;
    job.gradientOverlap = choice.overlap;
    job.gradientBucket = ByteCount(100000);
    job.optimizerTime = MicroSeconds(200);
    return job;
}

/// It, with spares: two GPUs in each region of two servers, and a server.
class GradientRun : public RecoveryRun
{
  public:
    explicit GradientRun(const Choice& choice)
        : RecoveryRun(ThreeReplicas(choice), SparePlan{6, 4, 2, 2, 1})
    {
        checkpoints.interval = 2;
        checkpoints.serverRate = DataRate("8Gbps");
        checkpoints.sharded = choice.sharding == OptimizerSharding::ZERO1;
        recovery->SetCheckpoints(checkpoints);
    }
};

/// @return payload of gradients and parameters in an iteration
uint64_t
CountDataBytes(const IterationRecord& iteration)
{
    return iteration.bytes[At(TrafficClass::DP)][static_cast<std::size_t>(PathClass::PACKET)].Get();
}

/// Between servers, by hand: a rank's replicas are on servers of their own, so a buffer of B goes
/// 2(n - 1) B through n of them as an all-reduce, (n - 1) B as one of its halves. No vocabulary.
/// @return bytes of all parameters of all stages
uint64_t
ExpectDataBytes(const TrainingJob& job, const Choice& choice, uint32_t replicas)
{
    const uint64_t each = choice.sharding == OptimizerSharding::ZERO1
                              ? uint64_t(job.model.bytesPerGradient) + job.model.bytesPerParameter
                              : uint64_t(job.model.bytesPerGradient) * 2;
    return job.model.GetParameters() * each * (replicas - 1);
}

/// @return of the middle of an operation of the third iteration
Time
FindMiddle(const JobRun& run, OpKind kind)
{
    for (const OpRecord& op : run.ops)
    {
        if (op.iteration == 2 && op.kind == kind)
        {
            return (op.start + op.end) / 2;
        }
    }
    ADD_FAILURE() << "no operation";
    return Time();
}

/// What holds after every run.
void
ExpectConserved(const RecoveryRun& run)
{
    EXPECT_TRUE(run.completed) << run.engine->GetLoss();
    ASSERT_EQ(run.recoveries.size(), 1U);
    const TransferTotals totals = run.transport->GetTotals();
    EXPECT_EQ(totals.unfinished, ByteCount(0));
    EXPECT_EQ(totals.failed, ByteCount(0));
    EXPECT_EQ(totals.injected, totals.delivered + totals.aborted);
    EXPECT_EQ(totals.aborted, run.recoveries[0].dropped.aborted);
    // What arrived belongs to an iteration, to one that was done again, or to the one dropped.
    ByteCount counted = run.recoveries[0].dropped.delivered;
    for (const IterationRecord& i : run.iterations)
    {
        for (const auto& paths : i.bytes)
        {
            counted += paths[static_cast<std::size_t>(PathClass::PACKET)];
        }
    }
    EXPECT_EQ(totals.delivered, counted);
}

} // namespace

// Healthy first, as the times of the failures come from there.
TEST(GradientFailures, SparesTakeOverInTheMiddleOfAnyStep)
{
    for (const Choice& choice : CHOICES)
    {
        SCOPED_TRACE(std::string(GetName(choice.sharding)) +
                     (choice.overlap ? ", overlapped" : ""));
        const bool sharded = choice.sharding == OptimizerSharding::ZERO1;
        std::vector<Time> middles;
        std::vector<Time> healthy;
        {
            GradientRun run(choice);
            run.Run();
            ExpectCompleted(run);
            for (const OpKind kind : {OpKind::GRADIENT_SYNC, OpKind::OPTIMIZER})
            {
                middles.push_back(FindMiddle(run, kind));
            }
            if (sharded)
            {
                middles.push_back(FindMiddle(run, OpKind::PARAMETER_GATHER));
            }
            for (const IterationRecord& i : run.iterations)
            {
                EXPECT_EQ(CountDataBytes(i), ExpectDataBytes(run.job, choice, 3));
                healthy.push_back(i.GetDuration());
            }
        }
        for (const Time& middle : middles)
        {
            for (const bool server : {false, true})
            {
                GradientRun run(choice);
                run.At(middle, server ? std::vector<uint32_t>{4, 5, 6, 7} : std::vector{5U});
                run.Run();
                ExpectConserved(run);
                const RecoveryRecord& r = run.recoveries[0];
                EXPECT_EQ(r.dropped.iteration, 2U);
                // No replica has the optimizer's part that is lost; a checkpoint is as old as the
                // iteration that was dropped.
                EXPECT_EQ(r.fromPeers, !sharded);
                EXPECT_EQ(r.resumedAt, 2U);
                EXPECT_EQ(r.action,
                          server ? "server 1 to spare server 9" : "GPU 5 to spare GPU 24");
                ASSERT_EQ(run.iterations.size(), 4U);
                EXPECT_EQ(CountDataBytes(run.iterations[2]), ExpectDataBytes(run.job, choice, 3));
                EXPECT_EQ(CountDataBytes(run.iterations[3]), ExpectDataBytes(run.job, choice, 3));
                if (server)
                {
                    EXPECT_EQ(run.iterations[3].GetDuration(), healthy[3]);
                }
            }
        }
    }
}

// Two of three replicas go on: (n - 1) is 1 instead of 2, and each has a half of the optimizer's
// state instead of a third, out of a checkpoint. Lost in iteration 3, so 2 and 3 are done again; a
// replica that is whole goes on where it is.
TEST(GradientFailures, ShrinkingSharesTheOptimizerAnew)
{
    for (const Choice& choice : CHOICES)
    {
        SCOPED_TRACE(std::string(GetName(choice.sharding)) +
                     (choice.overlap ? ", overlapped" : ""));
        const bool sharded = choice.sharding == OptimizerSharding::ZERO1;
        Time middle;
        {
            GradientRun run(choice);
            run.Run();
            middle = FindMiddle(run, OpKind::GRADIENT_SYNC) + run.iterations[2].GetDuration();
            ASSERT_LT(middle, run.iterations[3].end);
        }
        GradientRun run(choice);
        run.recovery->SetAttribute("Policy", PointerValue(CreateObject<ShrinkRecoveryPolicy>()));
        run.At(middle, {9});
        run.Run();
        ExpectConserved(run);
        const RecoveryRecord& r = run.recoveries[0];
        EXPECT_EQ(r.action, "without replica 1");
        EXPECT_EQ(r.resumedAt, sharded ? 2U : 3U);
        EXPECT_EQ(r.lost, sharded ? 1U : 0U);
        // A server has a stage of a replica: two of four layers, shared parameters on both EP
        // ranks.
        const ModelSpec& m = run.job.model;
        const uint64_t common = 2 * (m.GetAttentionParameters() + m.GetGateParameters());
        const uint64_t experts = 2 * 4 * m.GetExpertParameters();
        ASSERT_EQ(m.GetParameters(), 2 * (common + experts));
        const uint64_t weights = 2 * (2 * common + experts);
        const uint64_t optimizer = 12 * (common / 2 + experts / 2);
        EXPECT_EQ(r.restore, sharded ? NanoSeconds(weights + optimizer) : Time());
        const IterationRecord& last = run.iterations.back();
        EXPECT_EQ(last.iteration, 3U);
        EXPECT_EQ(CountDataBytes(last), ExpectDataBytes(run.job, choice, 2));
        EXPECT_EQ(run.engine->GetDegrees().data, 2U);
    }
}

// The last replica has nobody to share with: parameters are with whoever uses them.
TEST(GradientFailures, TheLastReplicaSendsNoGradients)
{
    for (const Choice& choice : CHOICES)
    {
        GradientRun run(choice);
        run.recovery->SetAttribute("Policy", PointerValue(CreateObject<ShrinkRecoveryPolicy>()));
        run.At(MicroSeconds(150), {0});
        run.At(MicroSeconds(151), {8});
        run.Run();
        EXPECT_TRUE(run.completed) << run.engine->GetLoss();
        EXPECT_EQ(run.engine->GetDegrees().data, 1U);
        EXPECT_EQ(CountDataBytes(run.iterations.back()), 0U);
        EXPECT_EQ(run.transport->GetTotals().unfinished, ByteCount(0));
    }
}

// A NIC dies when the first bucket starts, in the packets' world and in the flows'; it is back
// during the next iteration's passes. Every byte of the healthy run arrives once, later.
TEST_F(ScenarioRun, GradientsGoOnOverTheNicsThatAreLeft)
{
    for (const std::string fidelity : {"flow", "packet"})
    {
        for (const Choice& choice : CHOICES)
        {
            SCOPED_TRACE(fidelity + ", " + GetName(choice.sharding) +
                         (choice.overlap ? ", overlapped" : ""));
            const auto run = [&](const std::string& events) {
                ScenarioOverrides keys{{"fidelity", fidelity},
                                       {"failures.events", events},
                                       {"parallel.dp", "2"},
                                       {"parallel.ep", "4"},
                                       {"iterations", "3"},
                                       {"model.hiddenSize", "256"},
                                       {"model.ffnHiddenSize", "256"},
                                       {"batch.sequenceLength", "64"},
                                       {"batch.microBatches", "1"},
                                       {"optimizer.sharding", GetName(choice.sharding)},
                                       {"gradientOverlap", choice.overlap ? "true" : "false"},
                                       {"optimizer.time", "1ms"}};
                if (choice.overlap)
                {
                    keys.emplace_back("gradientBucket", "64KiB");
                }
                return RunSecond(keys);
            };
            const auto healthy = run("[]");
            const std::string events =
                R"(["t=1:gradients nic 0/0 down", "t=2:dispatch nic 0/0 up"])";
            const auto lost = run(events);
            const auto again = run(events);
            const ResultColumns before(healthy, "/iterations");
            const ResultColumns after(lost, "/iterations");
            const ResultColumns twice(again, "/iterations");
            ASSERT_EQ(after.GetNRows(), 3U);
            const ResultColumns failures(lost, "/failures");
            ASSERT_EQ(failures.GetNRows(), 2U);
            EXPECT_GT(failures.Number("at", 0), after.Number("start", 1));
            EXPECT_LT(failures.Number("at", 0), after.Number("end", 1));
            for (std::size_t i = 0; i < 3; ++i)
            {
                EXPECT_EQ(after.Number("end", i), twice.Number("end", i));
            }
            const auto length = [](const ResultColumns& rows, std::size_t i) {
                return rows.Number("end", i) - rows.Number("start", i);
            };
            EXPECT_EQ(length(after, 0), length(before, 0));
            EXPECT_GT(length(after, 1), length(before, 1));
            const ResultColumns laws(lost, "/laws");
            const ResultColumns owed(healthy, "/laws");
            EXPECT_EQ(laws.Number("delivered", 0), owed.Number("delivered", 0));
            EXPECT_EQ(laws.Number("unfinished", 0), 0);
        }
    }
}
