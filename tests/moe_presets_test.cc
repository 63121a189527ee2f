/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The shipped models against what their authors publish, and the work of their operations against
// hand calculations.

#include "moe_fixture.h"
#include "moe_preset.h"

#include "ns3/mixnet-error.h"
#include "ns3/op-sizes.h"
#include "ns3/stage-program.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// A model and its published parameters, in billions.
struct Published
{
    const char* name;
    double total;
    double active;
    double tolerance; //!< of both: half a unit of what is printed
};

// Sources: Mixtral (arXiv 2401.04088, section 1: 47B, 13B), Mixtral 8x22B (announcement: 141B,
// 39B), LLaMA-MoE (arXiv 2406.16554: 6.7B, 3.5B), Qwen1.5-MoE (announcement: 14.3B, 2.7B),
// DeepSeek-V3 (arXiv 2412.19437: 671B, 37B), Qwen3 (arXiv 2505.09388: 235B, 22B), OLMoE (arXiv
// 2409.02060: 6.9B, 1.3B). DeepSeek-V2-Lite (arXiv 2405.04434: 15.7B, 2.4B) counts as active what
// is left without the embedding, 0.2B.
TEST(ModelPresets, HaveTheirPublishedParameters)
{
    const std::vector<Published> all{{"mixtral-8x7b", 46.7, 12.9, 0.05},
                                     {"mixtral-8x22b", 141, 39, 0.5},
                                     {"llama-moe", 6.7, 3.5, 0.05},
                                     {"qwen1.5-moe-a2.7b", 14.3, 2.7, 0.05},
                                     {"deepseek-v2-lite", 15.7, 2.4 + 0.21, 0.06},
                                     {"deepseek-v3", 671, 37, 0.6},
                                     {"qwen3-235b-a22b", 235, 22, 0.5},
                                     {"olmoe-1b-7b", 6.9, 1.3, 0.05}};
    for (const Published& p : all)
    {
        const ModelSpec spec = ReadPreset(p.name);
        EXPECT_EQ(spec.name, p.name);
        EXPECT_NEAR(spec.GetParameters() / 1e9, p.total, p.tolerance) << p.name;
        EXPECT_NEAR(spec.GetActiveParameters() / 1e9, p.active, p.tolerance) << p.name;
    }
}

TEST(ModelPresets, AreAllReadable)
{
    const std::set<std::string> names = ListPresets();
    for (const std::string& name : names)
    {
        EXPECT_EQ(ReadPreset(name).name, name);
    }
    EXPECT_GE(names.size(), 10U);
    // The paper has two Qwen-MoE: 64 experts in its Table 1, 32 in its section 7.3.
    EXPECT_EQ(ReadPreset("qwen-moe-64").experts, 64U);
    EXPECT_EQ(ReadPreset("qwen-moe-32").experts, 32U);
}

// DeepSeek-V3's MLA by hand: down 7168 x 1536 and 7168 x (512 + 64), up 1536 x 128 x 192 and
// 512 x 128 x 256, out 128 x 128 x 7168 = 187,105,280 weights.
TEST(ModelPresets, LatentAttentionByHand)
{
    const ModelSpec m = ReadPreset("deepseek-v3");
    const uint64_t weights =
        7168ULL * 1536 + 1536ULL * 24576 + 7168ULL * 576 + 512ULL * 32768 + 16384ULL * 7168;
    EXPECT_EQ(m.GetAttentionParameters(), weights);
    EXPECT_EQ(weights, 187105280U);
    EXPECT_EQ(m.GetQuerySize(), 128U * 192);
    EXPECT_EQ(m.GetValueSize(), 128U * 128);

    TrainingJob job;
    job.model = m;
    job.sequenceLength = 4096;
    const OpWork work = MakeAttentionWork(job);
    // 2 FLOPs per weight and token, 2 x (24,576 + 16,384) per pair of 4,096 x 4,097 / 2 positions.
    const double scores = 2.0 * (24576 + 16384) * 4096 * 4097 / 2;
    EXPECT_DOUBLE_EQ(work.flops, 2.0 * weights * 4096 + scores);
    // x, latents of 1,536 + 512 + 64, q and k of 24,576, v and output of 16,384, y.
    const double elements = 2 * 7168 + 2112 + 2 * 24576 + 2 * 16384;
    EXPECT_DOUBLE_EQ(work.bytes, (weights + elements * 4096) * 2);
    EXPECT_DOUBLE_EQ(MakeSharedWork(job).flops, 2.0 * 3 * 7168 * 2048 * 4096);
    EXPECT_DOUBLE_EQ(MakeDenseWork(job).flops, 2.0 * 3 * 7168 * 18432 * 4096);
}

// 61 layers on 16 stages: 13 stages of 4 and 3 of 3; the first three layers are dense.
TEST(ModelPresets, DeepSeekOnSixteenStages)
{
    TrainingJob job;
    job.model = ReadPreset("deepseek-v3");
    job.degrees = {1, 1, 16, 64};
    job.sequenceLength = 4096;
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    ASSERT_EQ(layout.GetNotes().size(), 1U);
    EXPECT_EQ(layout.GetNotes()[0], "61 layers over 16 stages: 13 of 4, 3 of 3");
    std::vector<OpKind> kinds;
    for (const StageStep& step : MakeStageProgram(job.model, layout, 0).forward)
    {
        kinds.push_back(step.kind);
    }
    const std::vector<OpKind> expected{OpKind::ATTENTION,
                                       OpKind::DENSE,
                                       OpKind::ATTENTION,
                                       OpKind::DENSE,
                                       OpKind::ATTENTION,
                                       OpKind::DENSE,
                                       OpKind::ATTENTION,
                                       OpKind::GATE,
                                       OpKind::DISPATCH,
                                       OpKind::EXPERT,
                                       OpKind::COMBINE,
                                       OpKind::SHARED};
    EXPECT_EQ(kinds, expected);
    // Backward: the shared experts come first, then the gradient of the combine.
    const auto backward = MakeStageProgram(job.model, layout, 1).backward;
    EXPECT_EQ(backward[0].kind, OpKind::SHARED);
    EXPECT_EQ(backward[1].kind, OpKind::COMBINE);
    EXPECT_EQ(MakeStageProgram(job.model, layout, 0).slots, 1U);
}

// 60 experts on 16 EP ranks: 12 ranks hold 4, 4 hold 3.
TEST(ModelPresets, SixtyExpertsOnSixteenRanks)
{
    TrainingJob job;
    job.model = ReadPreset("qwen1.5-moe-a2.7b");
    job.degrees = {1, 1, 4, 16};
    job.sequenceLength = 4096;
    const ParallelLayout layout(job, *MakeServers(8, 8), "test");
    ASSERT_EQ(layout.GetNotes().size(), 1U);
    EXPECT_EQ(layout.GetNotes()[0], "60 experts over 16 EP ranks: 12 of 4, 4 of 3");
}

// Balanced experts of 8x22B at EP 8, TP 8, 65,536 copies a rank: 2 x 3 x 6,144 x 16,384 x 65,536 /
// 8 FLOPs per GPU.
TEST(OpSizes, ListsWhatAMicroBatchComputes)
{
    EnsurePicosecondClock();
    TrainingJob job;
    job.model = ReadPreset("mixtral-8x22b");
    job.degrees = {2, 8, 8, 8};
    job.sequenceLength = 4096;
    job.microBatchSequences = 8;
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    const std::vector<OpSize> sizes = ListOpSizes(job, layout, *model);
    ASSERT_EQ(sizes.size(), 4U);
    EXPECT_EQ(sizes[0].kind, OpKind::ATTENTION);
    EXPECT_EQ(sizes[0].layers, 56U);
    EXPECT_EQ(sizes[2].kind, OpKind::EXPERT);
    EXPECT_DOUBLE_EQ(sizes[2].flops, 2.0 * 3 * 6144 * 16384 * 65536 / 8);
    EXPECT_NEAR(sizes[2].forward.GetSeconds(),
                sizes[2].flops / 494.5e12 + 2 * (65536.0 * 12288 * 7 / 8 / 450e9),
                1e-9);
    // All-gather and reduce-scatter over 8 GPUs: 7 x the buffer each.
    EXPECT_EQ(sizes[2].tensorBytes, ByteCount(2 * 7 * 65536ULL * 12288));
    EXPECT_EQ(sizes[3].kind, OpKind::HEAD);
    EXPECT_EQ(sizes[3].layers, 1U);
}

// CP 4: a rank has 8,192 tokens with 8 keys and 8 values of 128 elements of 2 B each, and receives
// those of three others; nothing is exchanged without CP, and attention is what it was.
TEST(OpSizes, ListsTheContextExchange)
{
    EnsurePicosecondClock();
    TrainingJob job;
    job.model = ReadPreset("mixtral-8x22b");
    job.degrees = {2, 8, 8, 8};
    job.degrees.context = 4;
    job.sequenceLength = 4096;
    job.microBatchSequences = 8;
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    Ptr<RooflineComputeModel> model = CreateObject<RooflineComputeModel>();
    const std::vector<OpSize> sizes = ListOpSizes(job, layout, *model);
    ASSERT_EQ(sizes.size(), 5U);
    EXPECT_EQ(sizes[0].kind, OpKind::CONTEXT_EXCHANGE);
    EXPECT_EQ(sizes[0].layers, 56U);
    EXPECT_EQ(sizes[0].contextBytes, ByteCount(3ULL * 8192 * 2 * 8 * 128 * 2));
    EXPECT_EQ(sizes[0].tensorBytes, ByteCount(0));
    EXPECT_EQ(sizes[0].forward, Time());
    EXPECT_EQ(sizes[1].kind, OpKind::ATTENTION);
    EXPECT_EQ(sizes[1].contextBytes, ByteCount(0));
}

TEST(ModelSpec, RefusesLatentSizesThatDoNotFit)
{
    ModelSpec m = ReadPreset("deepseek-v2-lite");
    m.kvLoraRank = 0;
    EXPECT_THROW(m.Validate("test"), InputError);
    m = ReadPreset("deepseek-v2-lite");
    m.kvHeads = 4;
    EXPECT_THROW(m.Validate("test"), InputError);
    m = ReadPreset("mixtral-8x7b");
    m.moeLayers = 0;
    m.sharedFfnHidden = 128;
    EXPECT_THROW(m.Validate("test"), InputError);
}

} // namespace
