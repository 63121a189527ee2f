/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Schedules with two passes of a stage at a time.

#include "moe_passes.h"

#include "ns3/job-summary.h"
#include "ns3/mixnet-error.h"
#include "ns3/uniform-gate.h"

#include <tuple>

using namespace ns3;

namespace
{

TEST(Overlapped, ByHand)
{
    Ptr<OverlappedSchedule> s = CreateObject<OverlappedSchedule>();
    EXPECT_EQ(Spell(s->GetOrder(0, 2, 5)), "F0 F1 F2 F3|B0 F4|B1 B2 B3 B4");
    EXPECT_EQ(Spell(s->GetOrder(1, 2, 5)), "F0 F1|B0 F2|B1 F3|B2 F4|B3 B4");
    EXPECT_EQ(Spell(s->GetOrder(0, 3, 2)), "F0 F1 B0 B1");
    EXPECT_EQ(Spell(s->GetOrder(0, 1, 1)), "F0 B0");
    EXPECT_THROW(s->GetOrder(0, 2, 5, 2), InputError);
}

// Laws: every micro-batch once forward, then once backward, then once for its weights; in flight
// (until its last gradient) at most min(p, m) under ZB-H1, as in the first stage of 1F1B, and
// min(2 (p - s), m) where passes overlap.
TEST(PipelineSchedule, SplitAndOverlappedPassesHappenOnce)
{
    Ptr<OverlappedSchedule> overlapped = CreateObject<OverlappedSchedule>();
    Ptr<ZeroBubbleSchedule> split = CreateObject<ZeroBubbleSchedule>();
    for (uint32_t p = 1; p <= 9; ++p)
    {
        for (uint32_t m = 1; m <= 24; ++m)
        {
            for (uint32_t s = 0; s < p; ++s)
            {
                for (const bool zero : {false, true})
                {
                    const auto order =
                        zero ? split->GetOrder(s, p, m) : overlapped->GetOrder(s, p, m);
                    ASSERT_EQ(order.size(), (zero ? 3 : 2) * m);
                    std::vector<int> seen(m);
                    uint32_t held = 0;
                    uint32_t most = 0;
                    for (const PipelinePass& pass : order)
                    {
                        const bool weight = pass.part == BackwardPart::WEIGHT;
                        ASSERT_EQ(seen[pass.microBatch]++, weight ? 2 : pass.backward ? 1 : 0);
                        held += !pass.backward;
                        most = std::max(most, held);
                        held -= zero ? weight : pass.backward;
                        ASSERT_FALSE(zero && pass.beside);
                    }
                    EXPECT_EQ(held, 0U);
                    EXPECT_EQ(most, zero ? std::min(p, m) : std::min(2 * (p - s), m));
                }
            }
        }
    }
}

// No stages wait for each other forever, whatever their number and that of the micro-batches.
TEST(IterationEngine, NoScheduleDeadlocks)
{
    for (uint32_t p = 1; p <= 5; ++p)
    {
        for (uint32_t m = 1; m <= 11; ++m)
        {
            JobRun zero(PipelineJob(p, m), MakeServers(p, 1));
            Play(zero, CreateObject<ZeroBubbleSchedule>(), MakeSplit(1));
            JobRun overlapped(PipelineJob(p, m), MakeServers(p, 1));
            Play(overlapped, CreateObject<OverlappedSchedule>(), MakeFixed());
        }
        for (uint32_t v = 2; v <= 4; ++v)
        {
            for (uint32_t m = p; m <= 3 * p; m += p)
            {
                JobRun run(PipelineJob(p, m, v), MakeServers(p, 1));
                Play(run, CreateObject<OverlappedSchedule>(), MakeFixed());
            }
        }
    }
}

// One stage, one MoE layer: compute phases P = attention + gate = 4 ms and e = 1.28 ms forward,
// twice that backward, all-to-alls of x = 1 ms, not above any of them. A pair runs
//     P, expert backward, expert, P backward
// and each of its four all-to-alls hides behind the phase of the other pass beside it: its period
// is 3 (P + e). The first forward and the last backward pass are alone and expose 4 x, whatever the
// number of micro-batches; 1F1B exposes 4 x per micro-batch. The gradients' ring takes two steps.
TEST(Overlapped, AllToAllsHideBehindTheOtherPass)
{
    for (const uint32_t m : {1U, 2U, 7U})
    {
        TrainingJob job = PipelineJob(1, m);
        job.degrees.expert = 2;
        const Time compute = MicroSeconds(5280) * 3 * m;
        const Time x = MilliSeconds(1);
        for (const bool overlap : {false, true})
        {
            JobRun run(job, MakeServers(2, 1));
            run.transport->latency = x;
            Ptr<PipelineSchedule> schedule = CreateObject<OneForwardOneBackwardSchedule>();
            if (overlap)
            {
                schedule = CreateObject<OverlappedSchedule>();
            }
            Play(run, schedule, MakeFixed());
            ExpectInOrder(run);
            const IterationRecord& it = run.iterations[0];
            EXPECT_EQ(it.compute, compute);
            EXPECT_EQ(it.exposed[At(TrafficClass::EP)], x * 4 * (overlap ? 1 : m));
            EXPECT_EQ(it.GetDuration(), compute + x * 4 * (overlap ? 1 : m) + x * 2);
            EXPECT_EQ(it.allToAlls, 4 * m);
            // Its all-to-alls never meet: in progress for 4 x each micro-batch, the ring for 2 x.
            EXPECT_EQ(it.communication, x * 4 * m + x * 2);
            EXPECT_DOUBLE_EQ(it.hiddenShare, overlap ? 1 - 6.0 / (4 * m + 2) : 0);
        }
    }
}

// All-to-alls longer than compute: phases c = 1.28 ms (forward), 2 c (backward), x = 5 ms. In a
// pair
//     backward  combine [0, x], expert [x, x + 2c], dispatch [x + 2c, 2x + 2c], P to 2x + 4c
//     forward   P [0, c], dispatch [c, c + x], expert [x + 2c, x + 3c], combine to 2x + 3c
// so its period is 2x + 4c, where one pass after the other takes 4x + 6c.
TEST(Overlapped, LongAllToAllsOverlapEachOther)
{
    for (const uint32_t m : {1U, 2U, 6U})
    {
        TrainingJob job = PipelineJob(1, m);
        job.degrees.expert = 2;
        Ptr<FixedComputeModel> compute = MakeFixed();
        compute->attention = MilliSeconds(1);
        compute->gate = MicroSeconds(280);
        const Time c = MicroSeconds(1280);
        const Time x = MilliSeconds(5);
        JobRun run(job, MakeServers(2, 1));
        run.transport->latency = x;
        Play(run, CreateObject<OverlappedSchedule>(), compute);
        ExpectInOrder(run);
        const IterationRecord& it = run.iterations[0];
        const Time alone = x * 4 + c * 6;
        const Time pair = x * 2 + c * 4;
        EXPECT_EQ(it.GetDuration(), alone + pair * (m - 1) + x * 2);
        EXPECT_EQ(it.exposed[At(TrafficClass::EP)], x * 4 + (pair - c * 6) * (m - 1));
    }
}

// Without communication a pair fills a slot of f + b: the bubble of 1F1B, and that of interleaved
// 1F1B with chunks, once there are enough micro-batches to fill the pipeline with pairs.
TEST(Overlapped, BubbleIsThatOf1F1B)
{
    const Time f = MicroSeconds(5280);
    for (const auto& [p, m, v] : std::vector<std::tuple<uint32_t, uint32_t, uint32_t>>{{1, 4, 1},
                                                                                       {2, 5, 1},
                                                                                       {4, 9, 1},
                                                                                       {4, 16, 1},
                                                                                       {2, 6, 2},
                                                                                       {4, 16, 2},
                                                                                       {3, 9, 3}})
    {
        JobRun run(PipelineJob(p, m, v), MakeServers(p, 1));
        Play(run, CreateObject<OverlappedSchedule>(), MakeFixed());
        ExpectInOrder(run);
        EXPECT_EQ(run.iterations[0].GetDuration(), f * 3 * (m * v + p - 1))
            << p << " " << m << " " << v;
        const double idle = 1.0 - run.iterations[0].compute.GetSeconds() /
                                      run.iterations[0].GetDuration().GetSeconds();
        EXPECT_NEAR(idle, PipelineSchedule::GetBubbleFraction(p, m, v), 1e-12);
    }
}

// Replicas, TP, chunks, a head, shared experts, uneven ranks, two iterations: compute stays
// exclusive, the critical path gapless (the engine checks its length), bytes those of 1F1B; the
// bounds worked out before the run are bounds.
TEST(Overlapped, EverythingAtOnce)
{
    TrainingJob job = TinyJob();
    job.model.layers = 9;
    job.model.moeLayers = 8;
    job.model.vocabulary = 1000;
    job.model.sharedFfnHidden = 100;
    job.degrees = {2, 2, 2, 2};
    job.degrees.chunks = 2;
    job.microBatches = 6;
    job.iterations = 2;
    Ptr<UniformGate> gate = CreateObject<UniformGate>();
    Ptr<FixedComputeModel> compute = MakeFixed();
    compute->shared = MilliSeconds(1);
    std::vector<IterationRecord> records;
    for (Ptr<PipelineSchedule> schedule :
         std::vector<Ptr<PipelineSchedule>>{CreateObject<InterleavedSchedule>(),
                                            CreateObject<OverlappedSchedule>()})
    {
        JobRun run(job, MakeServers(8, 2));
        run.transport->bitsPerSecond = 8000000000ULL;
        run.transport->latency = MicroSeconds(700);
        ComputeVariation variation;
        variation.jitter = "ns3::UniformRandomVariable[Min=0.5|Max=1.5]";
        run.engine->SetVariation(variation);
        gate->Configure(MakeGateShape(job, *run.layout));
        const JobSummary s =
            SummarizeJob(job, *run.layout, *run.graph, *gate, *compute, 0, PeekPointer(schedule));
        run.engine->SetAttribute("Schedule", PointerValue(schedule));
        EXPECT_EQ(run.engine->AssignStreams(1), schedule->Overlaps() ? 8 : 4);
        Play(run, schedule, compute);
        ExpectInOrder(run);
        EXPECT_GT(run.iterations[0].GetDuration(), s.computeBound / 2); // jitter: of the mean
        records.push_back(run.iterations[0]);
    }
    EXPECT_EQ(records[0].bytes, records[1].bytes);
    EXPECT_EQ(records[0].allToAlls, records[1].allToAlls);
    EXPECT_LT(records[1].exposed[At(TrafficClass::EP)], records[0].exposed[At(TrafficClass::EP)]);
    EXPECT_GT(records[1].hiddenShare, records[0].hiddenShare);
}

// Bounds before the run hold for schedules that hide what they would add up.
TEST(Overlapped, BoundsStayBounds)
{
    TrainingJob job = PipelineJob(4, 12);
    job.degrees.expert = 2;
    for (Ptr<PipelineSchedule> schedule :
         std::vector<Ptr<PipelineSchedule>>{CreateObject<OverlappedSchedule>(),
                                            CreateObject<ZeroBubbleSchedule>()})
    {
        JobRun run(job, MakeServers(8, 1));
        Ptr<UniformGate> gate = CreateObject<UniformGate>();
        gate->Configure(MakeGateShape(job, *run.layout));
        Ptr<SplitComputeModel> compute = MakeSplit(2);
        const JobSummary s =
            SummarizeJob(job, *run.layout, *run.graph, *gate, *compute, 0, PeekPointer(schedule));
        Play(run, schedule, compute);
        EXPECT_LE(s.computeBound, run.iterations[0].GetDuration());
        EXPECT_GT(s.computeBound, run.iterations[0].GetDuration() * 3 / 4);
    }
}

} // namespace
