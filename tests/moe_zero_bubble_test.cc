/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Schedules that split backward passes.

#include "moe_passes.h"

#include "ns3/mixnet-error.h"

#include <tuple>

using namespace ns3;

namespace
{

// Qi et al., figure 2 (upper half), cut down to 3 stages.
TEST(ZeroBubble, ByHand)
{
    Ptr<ZeroBubbleSchedule> s = CreateObject<ZeroBubbleSchedule>();
    EXPECT_EQ(Spell(s->GetOrder(0, 3, 4)), "F0 F1 F2 B0 W0 F3 B1 W1 B2 W2 B3 W3");
    EXPECT_EQ(Spell(s->GetOrder(1, 3, 4)), "F0 F1 B0 F2 B1 W0 F3 B2 W1 B3 W2 W3");
    EXPECT_EQ(Spell(s->GetOrder(2, 3, 4)), "F0 B0 F1 B1 F2 B2 W0 F3 B3 W1 W2 W3");
    EXPECT_EQ(Spell(s->GetOrder(3, 4, 1)), "F0 B0 W0");
    EXPECT_THROW(s->GetOrder(0, 3, 4, 2), InputError);
}

// f = 3 + 1 + 128 x 0.01 = 5.28 ms and backward b = 2 f, of which T_W is a part. The paper's closed
// forms of what the iteration lasts beyond m (T_F + T_B + T_W), without communication:
// 1F1B (p - 1) (T_F + T_B + T_W), ZB-H1 (p - 1) (T_F + T_B - T_W).
TEST(ZeroBubble, BubbleIsTheClosedForm)
{
    const Time f = MicroSeconds(5280);
    for (const auto& [p, m] :
         std::vector<std::pair<uint32_t, uint32_t>>{{1, 3}, {2, 2}, {4, 4}, {4, 9}, {6, 20}})
    {
        for (const int64_t quarters : {1, 2})
        {
            const Time w = f * 2 * quarters / 4;
            JobRun run(PipelineJob(p, m), MakeServers(p, 1));
            Play(run, CreateObject<ZeroBubbleSchedule>(), MakeSplit(quarters));
            ExpectInOrder(run);
            EXPECT_EQ(run.iterations[0].GetDuration(), f * 3 * m + (f * 3 - w * 2) * (p - 1));
            EXPECT_EQ(run.iterations[0].compute, f * 3 * m);
            JobRun before(PipelineJob(p, m), MakeServers(p, 1));
            Play(before, CreateObject<OneForwardOneBackwardSchedule>(), MakeSplit(quarters));
            EXPECT_EQ(before.iterations[0].GetDuration(), f * 3 * (m + p - 1));
        }
    }
}

// A stage hands over after the gradients of the inputs, and its all-to-alls belong to them:
// splitting changes neither their number nor their bytes nor the compute.
TEST(ZeroBubble, SplittingConservesWork)
{
    TrainingJob job = TinyJob();
    job.model.layers = 4;
    job.model.moeLayers = 3;
    job.model.vocabulary = 1000;
    job.degrees = {2, 2, 2, 2};
    job.microBatches = 3;
    const auto play = [&job](Ptr<PipelineSchedule> schedule, std::vector<OpRecord>& ops) {
        JobRun run(job, MakeServers(8, 2));
        run.transport->bitsPerSecond = 8000000000ULL;
        Play(run, schedule, MakeSplit(1));
        ExpectInOrder(run);
        ops = run.ops;
        return run.iterations[0];
    };
    std::vector<OpRecord> whole;
    std::vector<OpRecord> split;
    const IterationRecord a = play(CreateObject<OneForwardOneBackwardSchedule>(), whole);
    const IterationRecord b = play(CreateObject<ZeroBubbleSchedule>(), split);
    EXPECT_EQ(a.compute, b.compute);
    EXPECT_EQ(a.allToAlls, b.allToAlls);
    EXPECT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(a.transfers, b.transfers);
    EXPECT_EQ(a.tokenCopies, b.tokenCopies);
    EXPECT_LT(b.GetDuration(), a.GetDuration());
    // By operation: the whole is the sum of its parts.
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t, OpKind>;
    std::map<Key, Time> times[2];
    bool weights = false;
    for (const auto* ops : {&whole, &split})
    {
        for (const OpRecord& op : *ops)
        {
            if (op.backward && !IsAllToAll(op.kind) && op.layer != OpRecord::NONE)
            {
                times[ops == &split][{op.replica, op.stage, op.layer, op.microBatch, op.kind}] +=
                    op.end - op.start;
            }
            weights = weights || op.weightGradient;
            EXPECT_FALSE(op.weightGradient &&
                         (IsAllToAll(op.kind) || op.kind == OpKind::TENSOR_COLLECTIVE));
        }
    }
    EXPECT_TRUE(weights);
    EXPECT_EQ(times[0], times[1]);
}

// Buckets of gradients wait for the gradients of their weights, not for those of the inputs.
TEST(ZeroBubble, BucketsWaitForTheirWeights)
{
    TrainingJob job = PipelineJob(2, 4);
    job.degrees.data = 2;
    job.gradientOverlap = true;
    job.gradientBucket = ByteCount(1000000);
    JobRun run(job, MakeServers(4, 1));
    run.transport->bitsPerSecond = 8000000000ULL;
    Play(run, CreateObject<ZeroBubbleSchedule>(), MakeSplit(2));
    ExpectInOrder(run);
    uint32_t syncs = 0;
    for (const OpRecord& sync : run.ops)
    {
        if (sync.kind == OpKind::GRADIENT_SYNC)
        {
            Time last;
            for (const OpRecord& op : run.ops)
            {
                if (op.stage == sync.stage && op.weightGradient && op.layer == op.stage)
                {
                    last = std::max(last, op.end);
                }
            }
            EXPECT_GE(sync.start, last);
            ++syncs;
        }
    }
    EXPECT_GE(syncs, 2U);
}

// Gradients of weights: one of the two products of every forward product with weights; scores and
// values of attention have none. Times that were measured say for themselves.
TEST(ComputeModel, SplitsTheBackwardPass)
{
    EnsurePicosecondClock();
    const TrainingJob job = MainJob();
    Ptr<RooflineComputeModel> roofline = CreateObject<RooflineComputeModel>();
    for (const OpWork& work : {MakeExpertWork(job, 4096), MakeGateWork(job), MakeHeadWork(job)})
    {
        EXPECT_EQ(work.weightFlops, work.flops);
        EXPECT_NEAR(roofline->GetWeightGradientTime(work).GetSeconds(),
                    roofline->GetForwardTime(work).GetSeconds(),
                    1e-12);
    }
    // Attention of Mixtral 8x22B at 4,096 tokens: 2 x 88.1 M weights per token against 2 x 12,288 x
    // 2,048.5 pairs per token: 77.8 % of the FLOPs have weights.
    const OpWork attention = MakeAttentionWork(job);
    const double weights = 2.0 * 6144 * 128 * (48 + 8 + 8 + 48);
    const double core = 2.0 * 12288 * 2048.5;
    EXPECT_NEAR(attention.weightFlops / attention.flops, weights / (weights + core), 1e-12);
    EXPECT_NEAR(roofline->GetWeightGradientTime(attention).GetSeconds(),
                roofline->GetForwardTime(attention).GetSeconds() * weights / (weights + core),
                1e-11);
    EXPECT_EQ(roofline->GetWeightGradientTime(MakeExpertWork(job, 0)), Time());
}

} // namespace
