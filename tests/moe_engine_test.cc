/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "moe_fixture.h"

#include "ns3/collective-cost.h"
#include "ns3/pointer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace ns3;

namespace
{

// p stages of one layer, m micro-batches, no network time: m + p - 1 slots of forward + backward,
// f = 3 + 1 + 128 x 0.01 = 5.28 ms, backward twice that; bubble (p-1)/(m+p-1) on average.
TEST(IterationEngine, BubbleIsTheClosedForm)
{
    const std::vector<Ptr<PipelineSchedule>> schedules{
        CreateObject<OneForwardOneBackwardSchedule>(),
        CreateObject<GpipeSchedule>()};
    for (const auto& schedule : schedules)
    {
        for (const auto& [p, m] :
             std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}, {4, 8}, {8, 8}, {5, 2}})
        {
            TrainingJob job = TinyJob();
            job.model.layers = p;
            job.model.moeLayers = p;
            job.degrees = {1, 1, p, 1};
            job.microBatches = m;
            JobRun run(job, MakeServers(p, 1));
            run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
            run.engine->SetAttribute("Schedule", PointerValue(schedule));
            run.Run();
            ExpectCompleted(run);
            const IterationRecord& it = run.iterations[0];
            const Time slot = MicroSeconds(5280) * 3;
            EXPECT_EQ(it.GetDuration(), slot * (m + p - 1));
            EXPECT_EQ(it.compute, slot * m);
            const double idle = 1 - it.compute.GetSeconds() / it.GetDuration().GetSeconds();
            EXPECT_NEAR(idle, PipelineSchedule::GetBubbleFraction(p, m), 1e-12);
            EXPECT_EQ(it.GetExposed(), Time());
        }
    }
}

// Interleaved, p stages of v chunks of one layer: m v + p - 1 slots of a chunk. With hand-overs,
// too, every chunk is passed once each way, and chunks go around the stages.
TEST(IterationEngine, InterleavingShrinksTheBubble)
{
    struct Case
    {
        uint32_t p;
        uint32_t v;
        uint32_t m;
    };

    for (const Case& c : std::vector<Case>{{4, 2, 8}, {4, 3, 4}, {2, 4, 6}, {1, 2, 3}, {4, 1, 8}})
    {
        TrainingJob job = TinyJob();
        job.model.layers = c.p * c.v;
        job.model.moeLayers = job.model.layers;
        job.degrees = {1, 1, c.p, 1, c.v};
        job.microBatches = c.m;
        JobRun run(job, MakeServers(c.p, 1));
        run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        run.engine->SetAttribute("Schedule", PointerValue(CreateObject<InterleavedSchedule>()));
        run.transport->recording = true;
        run.Run();
        ExpectCompleted(run);
        const IterationRecord& it = run.iterations[0];
        const Time slot = MicroSeconds(5280) * 3;
        EXPECT_EQ(it.GetDuration(), slot * (c.m * c.v + c.p - 1));
        EXPECT_EQ(it.compute, slot * (c.m * c.v));
        const double idle = 1 - it.compute.GetSeconds() / it.GetDuration().GetSeconds();
        EXPECT_NEAR(idle, PipelineSchedule::GetBubbleFraction(c.p, c.m, c.v), 1e-12);
        const auto transfers = std::count_if(run.ops.begin(), run.ops.end(), [](const OpRecord& o) {
            return o.kind == OpKind::STAGE_TRANSFER;
        });
        EXPECT_EQ(transfers, 2 * (c.p * c.v - 1) * c.m);
        const auto around = std::count_if(run.transport->sent.begin(),
                                          run.transport->sent.end(),
                                          [&](const Transfer& t) {
                                              return t.trafficClass == TrafficClass::PP &&
                                                     t.source == GpuId(c.p - 1) &&
                                                     t.destination == GpuId(0);
                                          });
        // To a neighbor backward, when there are two stages.
        const uint32_t backward = c.p == 2 ? c.v * c.m : 0;
        EXPECT_EQ(around, c.p == 1 ? 0 : (c.v - 1) * c.m + backward);
        for (const OpRecord& o : run.ops)
        {
            if (o.kind == OpKind::ATTENTION)
            {
                EXPECT_EQ(o.stage, o.layer % c.p);
            }
        }
    }
}

// Two ranks, one layer, 1 GB/s, balanced: 128 copies per rank, 64 to the other, 200 B each:
// all-to-all 12.8 us. Forward 3 + 1 + 1.28 ms + 2 all-to-alls; backward twice the compute and 2
// all-to-alls; then the gradients of attention and gate, 4 x (4 x 100^2 + 400) B over 2 members.
TEST(IterationEngine, OneLayerByHand)
{
    TrainingJob job = TinyJob();
    job.model.layers = 1;
    job.model.moeLayers = 1;
    JobRun run(job, MakeServers(2, 1));
    run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    run.transport->bitsPerSecond = 8000000000ULL;
    run.Run();
    ExpectCompleted(run);
    const IterationRecord& it = run.iterations[0];
    const Time exchange = NanoSeconds(12800);
    const Time sync = AllReduceTime(2, ByteCount(4 * 40400), DataRate("8Gbps"));
    EXPECT_EQ(it.compute, MicroSeconds(5280) * 3);
    EXPECT_EQ(it.exposed[At(TrafficClass::EP)], exchange * 4);
    EXPECT_EQ(it.exposed[At(TrafficClass::DP)], sync);
    EXPECT_EQ(it.exposed[At(TrafficClass::TP)], Time());
    EXPECT_EQ(it.GetDuration(), it.compute + exchange * 4 + sync);
    EXPECT_EQ(it.hiddenShare, 0);
    EXPECT_EQ(it.waitingForCircuits, Time());
    EXPECT_EQ(it.allToAlls, 4U);
    EXPECT_EQ(it.transfers, 4 * 2 + 4U);
    EXPECT_EQ(it.bytes[At(TrafficClass::EP)][static_cast<std::size_t>(PathClass::PACKET)],
              ByteCount(4 * 2 * 12800));
    EXPECT_EQ(it.criticalPath[At(OpKind::ATTENTION)], MilliSeconds(9));
    EXPECT_EQ(it.criticalPath[At(OpKind::DISPATCH)], exchange * 2);
    EXPECT_EQ(it.criticalPath[At(OpKind::GRADIENT_SYNC)], sync);

    const std::vector<OpKind> expected{OpKind::ATTENTION,
                                       OpKind::GATE,
                                       OpKind::DISPATCH,
                                       OpKind::EXPERT,
                                       OpKind::COMBINE,
                                       OpKind::COMBINE,
                                       OpKind::EXPERT,
                                       OpKind::DISPATCH,
                                       OpKind::GATE,
                                       OpKind::ATTENTION,
                                       OpKind::GRADIENT_SYNC};
    ASSERT_EQ(run.ops.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
    {
        EXPECT_EQ(run.ops[i].kind, expected[i]) << i;
        EXPECT_TRUE(run.ops[i].critical);
        EXPECT_EQ(run.ops[i].backward, i >= 5);
        EXPECT_EQ(run.ops[i].start, i == 0 ? Time() : run.ops[i - 1].end);
    }
}

// The hot expert is a straggler: expert 0 (rank 0) receives 3/4 of the copies, 192 of 256.
TEST(IterationEngine, TheHottestRankHoldsTheOthersUp)
{
    TrainingJob job = TinyJob();
    job.model.layers = 1;
    job.model.moeLayers = 1;
    JobRun run(job, MakeServers(2, 1));
    Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
    gate->script = [](const GateQuery&, Matrix<uint32_t>& tokens) {
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            tokens(rank, 0) = 96;
            tokens(rank, 3) = 32;
        }
    };
    run.engine->SetAttribute("Gate", PointerValue(gate));
    run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    run.Run();
    ExpectCompleted(run);
    const IterationRecord& it = run.iterations[0];
    EXPECT_EQ(it.GetDuration(), (MilliSeconds(4) + MicroSeconds(1920)) * 3);
    // Mean of 192 and 64 copies: the rest of the iteration rank 1 idles.
    EXPECT_EQ(it.compute, (MilliSeconds(4) + MicroSeconds(1280)) * 3);
    // Law: what rank 0 and 1 send each other differs by direction: 96 against 32 copies.
    ASSERT_EQ(run.allToAlls.size(), 4U);
    EXPECT_EQ(run.allToAlls[0].bytes, ByteCount(128 * 200));
}

// The main job's counts: 16 regions x 7 layers x 4 x 8 micro-batches = 3,584 all-to-alls of 56
// transfers; hand-overs 7 x 2 x 2 x 8 x 8; gradient rings 8 x 16 flows and 64 x 4 steps.
TEST(IterationEngine, MainJobCounts)
{
    JobRun run(MainJob(), MakeServers(128, 8));
    run.transport->bitsPerSecond = 400000000000ULL;
    run.Run();
    ExpectCompleted(run);
    const IterationRecord& it = run.iterations[0];
    EXPECT_EQ(it.allToAlls, 3584U);
    EXPECT_EQ(it.transfers, 3584U * 56 + 1792 + 128 + 256);
    EXPECT_EQ(run.transport->GetTotals().transfers, it.transfers);
    EXPECT_EQ(run.allToAlls[100].bytes, ByteCount(56 * 100663296ULL));
    EXPECT_EQ(run.allToAlls[100].transfers, 56U);
    EXPECT_EQ(it.bytes[At(TrafficClass::EP)][static_cast<std::size_t>(PathClass::PACKET)],
              ByteCount(3584ULL * 56 * 100663296ULL));
    // TP: per stage, layer, micro-batch and rank 2 x 2 x 7 x (tokens + copies) x 12,288 B; the head
    // of the last stages 2 x 7 x tokens x 12,288 B per micro-batch and rank.
    const uint64_t layers = 16ULL * 7 * 8 * 8 * 4 * 7 * (32768 + 65536) * 12288;
    const uint64_t heads = 2ULL * 8 * 8 * 2 * 7 * 32768 * 12288;
    EXPECT_EQ(it.bytes[At(TrafficClass::TP)][static_cast<std::size_t>(PathClass::SCALE_UP)],
              ByteCount(layers + heads));
    std::set<uint32_t> groups;
    for (const AllToAllRecord& record : run.allToAlls)
    {
        groups.insert(record.id.group);
    }
    EXPECT_EQ(groups.size(), 16U);
    // Balanced and symmetric: what is not compute or exposed is the bubble and the ends.
    EXPECT_GT(it.hiddenShare, 0);
    EXPECT_LT(it.hiddenShare, 0.5);
}

TEST(IterationEngine, OneExpertRankExchangesNothing)
{
    TrainingJob job = TinyJob();
    job.degrees = {1, 1, 1, 1};
    JobRun run(job, MakeServers(1, 1));
    run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    run.Run();
    ExpectCompleted(run);
    EXPECT_EQ(run.iterations[0].allToAlls, 0U);
    EXPECT_EQ(run.iterations[0].transfers, 0U);
    EXPECT_EQ(run.transport->GetTotals().transfers, 0U);
    EXPECT_EQ(run.iterations[0].GetDuration(), run.iterations[0].compute);
}

// One rank sends nothing, one expert receives nothing, and a whole layer stays at home.
TEST(IterationEngine, EmptyRowsColumnsAndMatrices)
{
    TrainingJob job = TinyJob();
    JobRun run(job, MakeServers(2, 1));
    Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
    gate->script = [](const GateQuery& q, Matrix<uint32_t>& tokens) {
        if (q.layer == 0)
        {
            tokens(0, 3) = 128; // rank 1 sends nothing, experts 0 to 2 receive nothing
        }
        else
        {
            tokens(0, 0) = 128;
            tokens(1, 2) = 128;
        }
    };
    run.engine->SetAttribute("Gate", PointerValue(gate));
    run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    run.transport->bitsPerSecond = 8000000000ULL;
    run.Run();
    ExpectCompleted(run);
    EXPECT_EQ(run.iterations[0].allToAlls, 8U);
    ASSERT_EQ(run.allToAlls.size(), 8U);
    EXPECT_EQ(run.allToAlls[0].bytes, ByteCount(25600));
    EXPECT_EQ(run.allToAlls[2].bytes, ByteCount(0));
    EXPECT_EQ(run.allToAlls[2].finished, run.allToAlls[2].ready);
    EXPECT_EQ(run.iterations[0].exposed[At(TrafficClass::EP)], NanoSeconds(25600) * 4);
}

// Dense first layers, an EP group inside one server, and replicas: everything at once completes
// and conserves bytes.
TEST(IterationEngine, DenseLayersAndGroupsInsideAServer)
{
    TrainingJob job = TinyJob();
    job.model.layers = 5;
    job.model.moeLayers = 3;
    job.model.vocabulary = 1000;
    job.degrees = {2, 2, 2, 2};
    job.microBatches = 3;
    job.iterations = 2;
    JobRun run(job, MakeServers(2, 8));
    run.transport->bitsPerSecond = 8000000000ULL;
    run.Run();
    ExpectCompleted(run);
    EXPECT_EQ(run.iterations[1].start, run.iterations[0].end);
    EXPECT_EQ(run.iterations[0].GetDuration(), run.iterations[1].GetDuration());
    // Layers 0-2 (dense, dense, MoE) and 3-4: 1 and 2 MoE layers, 4 x 3 x 2 replicas.
    EXPECT_EQ(run.iterations[0].allToAlls, 4U * 3 * 2 * 3);
    ByteCount packet;
    for (const IterationRecord& it : run.iterations)
    {
        for (const auto& byPath : it.bytes)
        {
            packet += byPath[static_cast<std::size_t>(PathClass::PACKET)];
        }
    }
    EXPECT_EQ(packet, run.transport->GetTotals().delivered);
}

// Hand-overs run beside compute: with m = 8 of 4 stages most of their time is hidden, and what is
// exposed is what the closed form of the pipeline leaves: longer by less than all of them.
TEST(IterationEngine, HandOversHideBehindCompute)
{
    TrainingJob job = TinyJob();
    job.model.layers = 4;
    job.model.moeLayers = 4;
    job.degrees = {1, 1, 4, 1};
    job.microBatches = 8;
    JobRun run(job, MakeServers(4, 1));
    run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    run.transport->latency = MilliSeconds(1);
    run.Run();
    ExpectCompleted(run);
    const IterationRecord& it = run.iterations[0];
    const Time ideal = MicroSeconds(5280) * 3 * 11;
    EXPECT_GT(it.GetDuration(), ideal);
    EXPECT_LT(it.GetDuration(), ideal + MilliSeconds(2 * 8 * 3));
    EXPECT_GT(it.hiddenShare, 0.3);
    EXPECT_EQ(it.exposed[At(TrafficClass::PP)], it.GetExposed());
    // The path leaves stage 3 for stage 0 over three hand-overs at least.
    EXPECT_GE(it.criticalPath[At(OpKind::STAGE_TRANSFER)], MilliSeconds(6));
    EXPECT_EQ(std::count_if(run.ops.begin(),
                            run.ops.end(),
                            [](const OpRecord& o) { return o.kind == OpKind::STAGE_TRANSFER; }),
              2 * 3 * 8);
}

} // namespace
