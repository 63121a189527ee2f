/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The roofline against published times: what doc/training.rst says about its error.

#include "moe_fixture.h"

#include "ns3/mixnet-json.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/op-sizes.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param model preset @param topK experts of a token @param degrees layout
/// @param sequences of a micro-batch @param length tokens of each
/// @return milliseconds by kind of operation and direction
std::array<std::array<double, 2>, N_OP_KINDS>
Roofline(const std::string& model,
         uint32_t topK,
         const ParallelDegrees& degrees,
         uint32_t sequences,
         uint32_t length)
{
    EnsurePicosecondClock();
    SettingsLog log;
    TrainingJob job;
    job.model = ReadModelSpec(JsonReader::FromFile(std::string(MIXNET_SOURCE_DIR) +
                                                       "/workloads/models/" + model + ".json",
                                                   &log));
    job.model.topK = topK;
    job.degrees = degrees;
    job.microBatchSequences = sequences;
    job.sequenceLength = length;
    job.Validate(model);
    const auto servers = static_cast<uint32_t>(degrees.GetGpus() / 8);
    const ParallelLayout layout(job, *MakeServers(servers, 8), model);
    // Its defaults are those of h100-400g and h800-400g.
    const Ptr<RooflineComputeModel> roofline = CreateObject<RooflineComputeModel>();
    std::array<std::array<double, 2>, N_OP_KINDS> times{};
    for (const OpSize& op : ListOpSizes(job, layout, *roofline))
    {
        times[At(op.kind)] = {op.forward.GetSeconds() * 1e3, op.backward.GetSeconds() * 1e3};
    }
    return times;
}

// DeepSeek's training profile (github.com/deepseek-ai/profile-data, train.json: H800, EP 64, TP 1,
// 4,096 tokens), ms of compute kernels per annotated range, mean over its four layers. attn(F)
// holds the gate, mlp(F) the shared expert; backward = (B) + (W).
TEST(Calibration, RooflineAgainstTheProfileOfDeepSeekV3)
{
    constexpr double attention[] = {4.370, 9.341 + 2.389};
    constexpr double mlp[] = {4.604, 5.306 + 6.378};
    constexpr double attentionError[] = {0.034, -0.229};
    constexpr double mlpError[] = {0.426, 0.124};
    const auto t = Roofline("deepseek-v3", 8, {1, 1, 1, 64}, 1, 4096);
    double measured = 0;
    double modeled = 0;
    for (const std::size_t pass : {0, 1})
    {
        const double a = t[At(OpKind::ATTENTION)][pass] + t[At(OpKind::GATE)][pass];
        const double m = t[At(OpKind::EXPERT)][pass] + t[At(OpKind::SHARED)][pass];
        EXPECT_NEAR(a / attention[pass] - 1, attentionError[pass], 0.001);
        EXPECT_NEAR(m / mlp[pass] - 1, mlpError[pass], 0.001);
        measured += attention[pass] + mlp[pass];
        modeled += a + m;
    }
    EXPECT_NEAR(modeled / measured - 1, 0.027, 0.001);
    // All but the gate is bound by arithmetic: the efficiency that would fit the sum.
    EXPECT_NEAR(0.5 * modeled / measured, 0.513, 0.001);
}

// Times in the task graphs of the paper's artifact (LLaMA-MoE, EP 16, TP 1, top-2, 8 x 1,024
// tokens, H100), ms: attention 2.308 and 4.615, the two dense products of an expert 0.264 + 0.334
// and 0.609 + 0.649.
TEST(Calibration, RooflineAgainstTheTaskGraphsOfTheArtifact)
{
    const auto t = Roofline("llama-moe", 2, {2, 1, 4, 16}, 8, 1024);
    EXPECT_NEAR(t[At(OpKind::ATTENTION)][0] / 2.308 - 1, 0.024, 0.001);
    EXPECT_NEAR(t[At(OpKind::ATTENTION)][1] / 4.615 - 1, 0.024, 0.001);
    EXPECT_NEAR(t[At(OpKind::EXPERT)][0] / 0.598 - 1, -0.063, 0.001);
    EXPECT_NEAR(t[At(OpKind::EXPERT)][1] / 1.258 - 1, -0.109, 0.001);
}

// The paper's figure, more than 100 ms, is for 8.6 times what the roofline says (Mixtral 8x7B,
// EP 8, TP 4, 8 x 4,096 tokens): no efficiency fits it and the profile.
TEST(Calibration, ThePaperIsFarFromTheRoofline)
{
    TrainingJob job = MainJob();
    job.model.hidden = 4096;
    job.model.ffnHidden = 14336;
    job.degrees.tensor = 4;
    EnsurePicosecondClock();
    const Time roofline =
        CreateObject<RooflineComputeModel>()->GetForwardTime(MakeExpertWork(job, 65536));
    EXPECT_NEAR(100 / (roofline.GetSeconds() * 1e3), 8.57, 0.01);
}

} // namespace
