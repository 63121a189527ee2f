/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/mixnet-error.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/stage-program.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @return "F0 F1 B0 ..."
std::string
Spell(const std::vector<PipelinePass>& order)
{
    std::string text;
    for (const PipelinePass& p : order)
    {
        text += (text.empty() ? "" : " ") + std::string(p.backward ? "B" : "F") +
                std::to_string(p.microBatch);
    }
    return text;
}

/// @return kinds and layers of a pass
std::string
Spell(const std::vector<StageStep>& program)
{
    std::string text;
    for (const StageStep& s : program)
    {
        text += (text.empty() ? "" : " ") + std::string(GetName(s.kind));
        text += s.layer == OpRecord::NONE ? "" : std::to_string(s.layer);
    }
    return text;
}

TEST(OneForwardOneBackward, ByHand)
{
    Ptr<OneForwardOneBackwardSchedule> s = CreateObject<OneForwardOneBackwardSchedule>();
    EXPECT_EQ(Spell(s->GetOrder(0, 3, 4)), "F0 F1 F2 B0 F3 B1 B2 B3");
    EXPECT_EQ(Spell(s->GetOrder(1, 3, 4)), "F0 F1 B0 F2 B1 F3 B2 B3");
    EXPECT_EQ(Spell(s->GetOrder(2, 3, 4)), "F0 B0 F1 B1 F2 B2 F3 B3");
    // Fewer micro-batches than stages.
    EXPECT_EQ(Spell(s->GetOrder(0, 4, 2)), "F0 F1 B0 B1");
    EXPECT_EQ(Spell(s->GetOrder(0, 1, 1)), "F0 B0");
}

TEST(Gpipe, ByHand)
{
    EXPECT_EQ(Spell(CreateObject<GpipeSchedule>()->GetOrder(1, 3, 3)), "F0 F1 F2 B0 B1 B2");
}

// Narayanan et al., figure 4 (lower half), cut down to 2 stages of 2 chunks: "F0.1" is chunk 1 over
// micro-batch 0.
TEST(Interleaved, ByHand)
{
    Ptr<InterleavedSchedule> s = CreateObject<InterleavedSchedule>();
    const auto spell = [&](uint32_t stage, uint32_t stages, uint32_t microBatches) {
        std::string text;
        for (const PipelinePass& p : s->GetOrder(stage, stages, microBatches, 2))
        {
            text += (text.empty() ? "" : " ") + std::string(p.backward ? "B" : "F") +
                    std::to_string(p.microBatch) + "." + std::to_string(p.chunk);
        }
        return text;
    };
    EXPECT_EQ(spell(0, 2, 2), "F0.0 F1.0 F0.1 F1.1 B0.1 B1.1 B0.0 B1.0");
    EXPECT_EQ(spell(1, 2, 4),
              "F0.0 F1.0 F0.1 B0.1 F1.1 B1.1 F2.0 B0.0 F3.0 B1.0 F2.1 B2.1 F3.1 B3.1 B2.0 B3.0");
    EXPECT_THROW(s->GetOrder(0, 4, 6, 2), InputError);
    EXPECT_THROW(CreateObject<GpipeSchedule>()->GetOrder(0, 4, 8, 2), InputError);
    // Every chunk once forward, then once backward, for any shape.
    for (uint32_t p = 1; p <= 5; ++p)
    {
        for (uint32_t v = 1; v <= 4; ++v)
        {
            for (uint32_t stage = 0; stage < p; ++stage)
            {
                const auto order = s->GetOrder(stage, p, 3 * p, v);
                ASSERT_EQ(order.size(), 2 * 3 * p * v);
                std::vector<int> seen(3 * p * v);
                for (const PipelinePass& pass : order)
                {
                    ASSERT_EQ(seen[pass.chunk * 3 * p + pass.microBatch]++, pass.backward ? 1 : 0);
                }
            }
        }
    }
}

// Laws: once forward, then once backward; 1F1B holds at most p - s micro-batches.
TEST(PipelineSchedule, PassesOnceEachWay)
{
    const std::vector<Ptr<PipelineSchedule>> schedules{
        CreateObject<OneForwardOneBackwardSchedule>(),
        CreateObject<GpipeSchedule>()};
    for (const auto& schedule : schedules)
    {
        for (uint32_t p = 1; p <= 9; ++p)
        {
            for (uint32_t m = 1; m <= 9; ++m)
            {
                for (uint32_t s = 0; s < p; ++s)
                {
                    const auto order = schedule->GetOrder(s, p, m);
                    ASSERT_EQ(order.size(), 2 * m);
                    uint32_t held = 0;
                    uint32_t most = 0;
                    std::vector<int> seen(m);
                    for (const PipelinePass& pass : order)
                    {
                        ASSERT_EQ(seen[pass.microBatch]++, pass.backward ? 1 : 0);
                        held += pass.backward ? -1 : 1;
                        most = std::max(most, held);
                    }
                    if (schedule == schedules[0])
                    {
                        EXPECT_EQ(most, std::min(p - s, m));
                    }
                }
            }
        }
    }
    EXPECT_DOUBLE_EQ(PipelineSchedule::GetBubbleFraction(8, 8), 7.0 / 15);
    EXPECT_DOUBLE_EQ(PipelineSchedule::GetBubbleFraction(1, 8), 0);
}

TEST(StageProgram, MirrorsForwardInBackward)
{
    TrainingJob job = TinyJob();
    job.model.layers = 3;
    job.model.moeLayers = 2;
    job.model.vocabulary = 10;
    const ParallelLayout layout(job, *MakeServers(2, 1), "test");
    const StageProgram program = MakeStageProgram(job.model, layout, 0);
    EXPECT_EQ(Spell(program.forward),
              "attention0 dense0 attention1 gate1 dispatch1 expert1 combine1 "
              "attention2 gate2 dispatch2 expert2 combine2 head");
    EXPECT_EQ(Spell(program.backward),
              "head combine2 expert2 dispatch2 gate2 attention2 "
              "combine1 expert1 dispatch1 gate1 attention1 dense0 attention0");
    EXPECT_EQ(program.slots, 2U);
    // Layer 1 is the first MoE layer.
    EXPECT_EQ(program.forward[4].moeLayer, 0U);
    EXPECT_EQ(program.forward[4].phase, AllToAllPhase::FORWARD_DISPATCH);
    EXPECT_EQ(program.forward[6].phase, AllToAllPhase::FORWARD_COMBINE);
    EXPECT_EQ(program.backward[1].phase, AllToAllPhase::BACKWARD_COMBINE);
    EXPECT_EQ(program.backward[3].phase, AllToAllPhase::BACKWARD_DISPATCH);
    EXPECT_TRUE(IsTransposed(AllToAllPhase::FORWARD_COMBINE));
    EXPECT_FALSE(IsTransposed(AllToAllPhase::BACKWARD_COMBINE));
}

TEST(StageProgram, OneRankExchangesNothing)
{
    TrainingJob job = TinyJob();
    job.degrees.expert = 1;
    const ParallelLayout layout(job, *MakeServers(1, 1), "test");
    EXPECT_EQ(Spell(MakeStageProgram(job.model, layout, 0).forward),
              "attention0 gate0 expert0 attention1 gate1 expert1");
}

} // namespace
