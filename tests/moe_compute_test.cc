/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/job-times.h"
#include "ns3/op-work.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return Mixtral 8x7B at EP 8, TP 4 (paper, production measurement)
TrainingJob
Mixtral8x7bJob()
{
    TrainingJob job = MainJob();
    job.model.hidden = 4096;
    job.model.ffnHidden = 14336;
    job.model.heads = 32;
    job.model.layers = 32;
    job.model.moeLayers = 32;
    job.degrees = {1, 4, 4, 8};
    return job;
}

// Per token 2 x 88,080,384 for the projections; causal scores and values 4 x 6144 for each of
// 4096 x 4097 / 2 pairs of each of 8 sequences; TP 8.
TEST(OpWork, AttentionOfMixtral8x22b)
{
    const OpWork work = MakeAttentionWork(MainJob());
    EXPECT_EQ(work.tokens, 32768U);
    EXPECT_DOUBLE_EQ(work.flops, (5772436045824.0 + 1649670094848.0) / 8);
}

// 65,536 copies x 2 x 301,989,888 weights / TP 8; without copies no weights are read.
TEST(OpWork, ExpertOfMixtral8x22b)
{
    const OpWork work = MakeExpertWork(MainJob(), 65536);
    EXPECT_DOUBLE_EQ(work.flops, 4947802324992.0);
    EXPECT_DOUBLE_EQ(work.bytes, (301989888.0 + 65536.0 * (2 * 6144 + 3 * 16384)) * 2 / 8);
    EXPECT_EQ(MakeExpertWork(MainJob(), 0).flops, 0);
    EXPECT_EQ(MakeExpertWork(MainJob(), 0).bytes, 0);
}

TEST(OpWork, GateHeadAndDense)
{
    EXPECT_DOUBLE_EQ(MakeGateWork(MainJob()).flops, 2.0 * 49152 * 32768 / 8);
    EXPECT_DOUBLE_EQ(MakeHeadWork(MainJob()).flops, 2.0 * 6144 * 32768 * 32768 / 8);
    TrainingJob job = MainJob();
    job.model.denseFfnHidden = 1000;
    EXPECT_DOUBLE_EQ(MakeDenseWork(job).flops, 2.0 * 3 * 6144 * 1000 * 32768 / 8);
    job.model.gatedMlp = false;
    EXPECT_DOUBLE_EQ(MakeDenseWork(job).flops, 2.0 * 2 * 6144 * 1000 * 32768 / 8);
}

// 989 TFLOP/s at 50 %: an expert of 4.9478 TFLOP takes 10.006 ms. The gate is bound by memory:
// 50,409,472 B at 3.35 TB/s are 15.048 us, its 0.4 GFLOP would take 0.8 us.
TEST(RooflineComputeModel, TakesTheSlowerOfArithmeticAndMemory)
{
    EnsurePicosecondClock();
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    EXPECT_NEAR(model->GetForwardTime(MakeExpertWork(MainJob(), 65536)).GetSeconds(),
                4947802324992.0 / 494.5e12,
                1e-11);
    EXPECT_NEAR(model->GetForwardTime(MakeGateWork(MainJob())).GetSeconds(),
                50409472.0 / 3.35e12,
                1e-11);
    EXPECT_EQ(model->GetForwardTime(MakeExpertWork(MainJob(), 0)), Time());
}

// The anchor itself: 100 ms for a balanced layer of 8x7B; 8x22B at TP 8 has 6/7 of its FLOPs.
TEST(PaperComputeModel, AnchorsAtTheExpertOfMixtral8x7b)
{
    EnsurePicosecondClock();
    Ptr<PaperComputeModel> model = CreateObject<PaperComputeModel>();
    const TrainingJob small = Mixtral8x7bJob();
    EXPECT_EQ(model->GetForwardTime(MakeExpertWork(small, 65536)), MilliSeconds(100));
    EXPECT_EQ(model->GetForwardTime(MakeExpertWork(small, 32768)), MilliSeconds(50));
    EXPECT_NEAR(model->GetForwardTime(MakeAttentionWork(small)).GetSeconds(), 0.016668, 1e-6);
    EXPECT_NEAR(model->GetForwardTime(MakeExpertWork(MainJob(), 65536)).GetSeconds(),
                0.1 * 6 / 7,
                1e-11);
    EXPECT_NEAR(model->GetForwardTime(MakeAttentionWork(MainJob())).GetSeconds(), 0.016072, 1e-6);
    model->SetAttribute("ExpertTime", TimeValue(MilliSeconds(200)));
    EXPECT_EQ(model->GetForwardTime(MakeExpertWork(small, 65536)), MilliSeconds(200));
}

// TP 8 at 450 GB/s, 32,768 tokens x 12,288 B = 402,653,184 B: gather 7/8 of it, 782.937 us.
// The hot expert with twice the copies takes twice as long, and so do its collectives.
TEST(JobTimes, TensorCollectivesAroundCompute)
{
    EnsurePicosecondClock();
    const TrainingJob job = MainJob();
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    const JobTimes times(job, layout, *model);
    const ComputeBlock& attention = times.GetBlock(OpKind::ATTENTION, PassKind::FORWARD);
    EXPECT_NEAR(attention.gather.GetSeconds(), 402653184.0 * 7 / 8 / 450e9, 1e-11);
    EXPECT_EQ(attention.scatter, attention.gather);
    EXPECT_EQ(attention.compute, model->GetForwardTime(MakeAttentionWork(job)));
    EXPECT_EQ(times.GetBlock(OpKind::ATTENTION, PassKind::BACKWARD).compute, attention.compute * 2);
    EXPECT_EQ(times.GetBlock(OpKind::GATE, PassKind::FORWARD).gather, Time());
    // All-gather and reduce-scatter: 8 GPUs send 7 x the buffer each time.
    EXPECT_EQ(times.GetTensorBytes(OpKind::ATTENTION, PassKind::BACKWARD),
              ByteCount(2 * 7 * 402653184ULL));

    std::vector<ComputeBlock> blocks;
    times.GetExpertBlocks({32768, 65536, 0, 0, 0, 0, 0, 0}, PassKind::FORWARD, blocks);
    ASSERT_EQ(blocks.size(), 8U);
    EXPECT_EQ(blocks[0].gather, attention.gather);
    EXPECT_NEAR(blocks[1].GetTotal().GetSeconds(), 2 * blocks[0].GetTotal().GetSeconds(), 1e-11);
    EXPECT_EQ(blocks[2].GetTotal(), Time());
}

// Without sequence parallelism, or with replicated tokens, one all-reduce takes the place of the
// pair: the same time and bytes, elsewhere.
TEST(JobTimes, AllReduceInsteadOfGatherAndScatter)
{
    EnsurePicosecondClock();
    TrainingJob job = MainJob();
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    const JobTimes before(job, layout, *model);
    TrainingJob other = job;
    other.sequenceParallel = false;
    other.tensorShards = TensorShards::REPLICATED;
    const JobTimes after(other, layout, *model);
    const ComputeBlock& a = before.GetBlock(OpKind::ATTENTION, PassKind::FORWARD);
    const ComputeBlock& b = after.GetBlock(OpKind::ATTENTION, PassKind::FORWARD);
    EXPECT_EQ(b.gather, Time());
    EXPECT_EQ(a.GetTotal(), b.GetTotal());
    std::vector<ComputeBlock> x;
    std::vector<ComputeBlock> y;
    before.GetExpertBlocks(std::vector<uint64_t>(8, 65536), PassKind::FORWARD, x);
    after.GetExpertBlocks(std::vector<uint64_t>(8, 65536), PassKind::FORWARD, y);
    EXPECT_EQ(y[0].gather, Time());
    EXPECT_EQ(x[0].GetTotal(), y[0].GetTotal());
}

TEST(JobTimes, WithoutTensorParallelismThereIsNoCollective)
{
    EnsurePicosecondClock();
    const TrainingJob job = TinyJob();
    const ParallelLayout layout(job, *MakeServers(2, 1), "test");
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    const JobTimes times(job, layout, *model);
    EXPECT_EQ(times.GetBlock(OpKind::ATTENTION, PassKind::FORWARD).gather, Time());
    EXPECT_EQ(times.GetExpertTensorBytes(100), ByteCount(0));
}

} // namespace
