/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// An expert TP below TP: EP ranks are parts of TP blocks.

#include "folded_job.h"
#include "megatron_groups.h"

#include "ns3/checkpoint-model.h"
#include "ns3/collective-cost.h"
#include "ns3/compute-load.h"
#include "ns3/deduplicating-all-to-all.h"
#include "ns3/gate-traffic.h"
#include "ns3/gradient-sync.h"
#include "ns3/job-demand.h"
#include "ns3/job-summary.h"
#include "ns3/job-times.h"
#include "ns3/pointer.h"
#include "ns3/synthetic-gate.h"
#include "ns3/uniform-gate.h"

#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// @param groups lists of GPUs @return the same as sets
RankGroups
AsGroups(const std::vector<std::vector<GpuId>>& groups)
{
    RankGroups all;
    for (const std::vector<GpuId>& members : groups)
    {
        std::set<uint32_t> one;
        for (const GpuId gpu : members)
        {
            one.insert(gpu.Get());
        }
        all.insert(one);
    }
    return all;
}

// Megatron-Core numbers attention by (tp, cp, dp, pp) and experts by (etp, ep, dp, pp), both over
// the same world, dp being what is left of it; every order of its axes with tp first, in which
// ranks of an EP group follow each other. World 128: TP 4, CP 2, PP 2, ETP 1 or 2, EP 8.
TEST(ExpertTensor, GroupsAreMegatrons)
{
    for (const uint32_t etp : {1U, 2U, 4U})
    {
        ParallelDegrees d = Folded(4, etp, 8);
        d.context = 2;
        d.pipeline = 2;
        d.data = 128 / (etp * 8 * 2);
        d.order = AxisOrder::Parse("tp-cp-ep-dp-pp", "test");
        TrainingJob job = TinyJob();
        job.model.experts = 16;
        job.degrees = d;
        job.Validate("test");
        const ParallelLayout layout(job, *MakeServers(16, 8), "test");
        const std::vector<std::pair<std::string, uint32_t>> attention{{"tp", 4},
                                                                      {"cp", 2},
                                                                      {"dp", 8},
                                                                      {"pp", 2}};
        const std::vector<std::pair<std::string, uint32_t>> experts{{"tp", etp},
                                                                    {"ep", 8},
                                                                    {"dp", 8 / etp},
                                                                    {"pp", 2}};
        // By GPU of an EP rank: EP group; by EP rank and GPU: replicas of experts; blocks.
        std::vector<std::vector<GpuId>> ep;
        std::map<std::vector<uint32_t>, std::vector<GpuId>> edp;
        std::map<std::vector<uint32_t>, std::vector<GpuId>> shared;
        std::vector<std::vector<GpuId>> tensor;
        std::vector<std::vector<GpuId>> expertTensor;
        for (uint32_t g = 0; g < layout.GetGroups().size(); ++g)
        {
            const StageGroup& group = layout.GetGroups()[g];
            ASSERT_EQ(group.expertRanks.size(), 8U);
            ep.resize(ep.size() + etp);
            for (uint32_t rank = 0; rank < 8; ++rank)
            {
                expertTensor.emplace_back();
                for (uint32_t lane = 0; lane < etp; ++lane)
                {
                    const GpuId gpu(group.expertRanks[rank].Get() + lane);
                    ep[ep.size() - etp + lane].push_back(gpu);
                    edp[{g % 2, rank, lane}].push_back(gpu);
                    expertTensor.back().push_back(gpu);
                }
            }
            for (uint32_t block = 0; block < group.ranks.size(); ++block)
            {
                tensor.emplace_back();
                for (uint32_t lane = 0; lane < 4; ++lane)
                {
                    const GpuId gpu(group.ranks[block].Get() + lane);
                    tensor.back().push_back(gpu);
                    shared[{g % 2, lane}].push_back(gpu);
                    const GpuPlace place = *layout.FindPlace(gpu);
                    EXPECT_EQ(place.rank, block);
                    EXPECT_EQ(place.lane, lane);
                }
            }
        }
        const auto values = [](const auto& map) {
            std::vector<std::vector<GpuId>> all;
            for (const auto& [key, members] : map)
            {
                all.push_back(members);
            }
            return all;
        };
        EXPECT_EQ(AsGroups(ep), MegatronGroups(experts, {"ep"})) << etp;
        EXPECT_EQ(AsGroups(values(edp)), MegatronGroups(experts, {"dp"})) << etp;
        EXPECT_EQ(AsGroups(expertTensor), MegatronGroups(experts, {"tp"})) << etp;
        EXPECT_EQ(AsGroups(tensor), MegatronGroups(attention, {"tp"})) << etp;
        EXPECT_EQ(AsGroups(values(shared)), MegatronGroups(attention, {"cp", "dp"})) << etp;
    }
}

// 64 tokens x top-2 of 2 blocks are 256 copies of 200 B; (R - 1)/R of them leave their EP rank, in
// 4 all-to-alls of 2 layers. TP collectives: of attention 2 x 3 x 64 x 200 B for a block, pass and
// layer; of experts 2 (ETP - 1) x 256 x 200 B for all of a pass and layer.
TEST(ExpertTensor, BytesByHand)
{
    for (const uint32_t etp : {1U, 2U, 4U})
    {
        SCOPED_TRACE(etp);
        const uint64_t ranks = 8 / etp;
        JobRun run(FoldedJob(etp), MakeServers(2, 4));
        run.transport->recording = true;
        run.Run();
        ExpectCompleted(run);
        const IterationRecord& it = run.iterations[0];
        uint64_t sent = 0;
        uint32_t transfers = 0;
        for (const Transfer& t : run.transport->sent)
        {
            if (t.trafficClass == TrafficClass::EP)
            {
                sent += t.bytes.Get();
                ++transfers;
                EXPECT_EQ(t.lanes, etp);
                EXPECT_EQ(t.source.Get() % etp, 0U);
            }
        }
        EXPECT_EQ(sent, 256 * 200 * (ranks - 1) / ranks * 8);
        EXPECT_EQ(transfers, ranks * (ranks - 1) * 8);
        EXPECT_EQ(it.tokenCopies, 2 * 256U);
        EXPECT_EQ(it.crossingCopies, 2 * 128U);
        const uint64_t attention = 2 * 3 * 64 * 200 * 2;
        const uint64_t experts = 2 * (etp - 1) * 256 * 200;
        EXPECT_EQ(it.bytes[At(TrafficClass::TP)][static_cast<std::size_t>(PathClass::SCALE_UP)],
                  ByteCount(4 * (attention + experts)));
        // The gate's copies as the summary and the planners see them.
        Ptr<UniformGate> gate = CreateObject<UniformGate>();
        gate->Configure(MakeGateShape(run.job, *run.layout));
        const JobDemand demand = GetAverageDemand(run.job, *run.layout, *gate, 4);
        ASSERT_EQ(demand.expert.size(), 2U);
        EXPECT_EQ(demand.expert[0].bytes, 64 * 200 * 8U);
        const JobSummary summary =
            SummarizeJob(run.job, *run.layout, *run.graph, *gate, *MakeFixed(), 0, nullptr);
        EXPECT_EQ(summary.expertBytes, ByteCount(sent));
    }
}

// What EP ranks of TP blocks send each other is what EP ranks without TP do that have as many
// tokens: of TP 4 and 64 tokens, 16.
TEST(ExpertTensor, RoutesLikeRanksWithoutTp)
{
    TrainingJob folded = FoldedJob(1);
    TrainingJob plain = FoldedJob(1);
    plain.degrees = {1, 1, 1, 8};
    plain.sequenceLength = 16;
    const auto route = [](const TrainingJob& job, Deduplication level) {
        TrainingJob j = job;
        j.deduplication = level;
        const ParallelLayout layout(j, *MakeServers(2, 4), "test");
        Ptr<SyntheticGate> gate = CreateObject<SyntheticGate>();
        gate->AssignStreams(7);
        gate->Configure(MakeGateShape(j, layout));
        TrafficMatrix matrix;
        const GateCounts counts = GateTraffic(j, layout, *gate).Route({0, 1, 0, 0}, 0, matrix);
        std::vector<uint64_t> all = matrix.GetBytes().Data();
        all.push_back(counts.crossingTokens);
        all.push_back(counts.crossingCopies);
        if (matrix.GetServerBytes() != nullptr)
        {
            const auto& servers = matrix.GetServerBytes()->Data();
            all.insert(all.end(), servers.begin(), servers.end());
        }
        return all;
    };
    for (const Deduplication level :
         {Deduplication::NONE, Deduplication::RANK, Deduplication::SERVER})
    {
        EXPECT_EQ(route(folded, level), route(plain, level)) << GetName(level);
    }
    EXPECT_EQ(MakeExpertWork(folded, 50).flops, MakeExpertWork(plain, 50).flops);
    EXPECT_EQ(MakeExpertWork(folded, 50).flops, 2.0 * 3 * 100 * 200 * 50);
    EXPECT_EQ(MakeExpertWork(FoldedJob(2), 50).flops, 3.0 * 100 * 200 * 50);
    EXPECT_EQ(MakeGateWork(folded).flops, 2.0 * 100 * 8 * 64 / 4);
}

// The EP rank with the hot expert holds the others up, and is the GPU that is named: 30 copies for
// expert 5 (second block, second GPU), 10 for expert 6, which computes a third of the time.
TEST(ExpertTensor, TheHottestGpuHoldsItsBlockUp)
{
    const TrainingJob job = FoldedJob(1);
    const ParallelLayout layout(job, *MakeServers(2, 4), "test");
    const Ptr<FixedComputeModel> fixed = MakeFixed();
    const JobTimes times(job, layout, *fixed);
    std::vector<ComputeBlock> blocks;
    times.GetExpertBlocks({0, 0, 0, 0, 0, 30, 10, 0}, PassKind::FORWARD, blocks);
    ASSERT_EQ(blocks.size(), 8U);
    EXPECT_EQ(blocks[5].compute, MicroSeconds(300));
    EXPECT_EQ(blocks[6].compute, MicroSeconds(100));
    EXPECT_EQ(blocks[5].gather, Time()) << "no TP collectives around them";
    const OperationLoad load = GetComputeLoad(blocks, layout.GetGroups()[0].expertRanks);
    EXPECT_EQ(load.most.resource.index, 5U);
    EXPECT_EQ(load.next.resource.index, 6U);
    // ETP 2: experts 4 and 5 on GPUs 4 and 5, 6 and 7 on the next two.
    const TrainingJob pairs = FoldedJob(2);
    const ParallelLayout half(pairs, *MakeServers(2, 4), "test");
    const JobTimes shared(pairs, half, *fixed);
    shared.GetExpertBlocks({0, 0, 0, 0, 0, 30, 10, 0}, PassKind::FORWARD, blocks);
    ASSERT_EQ(blocks.size(), 4U);
    EXPECT_EQ(blocks[2].compute, MicroSeconds(300));
    EXPECT_EQ(blocks[2].gather, AllGatherTime(2, ByteCount(30 * 200), half.GetScaleUpRate()));
    EXPECT_EQ(GetComputeLoad(blocks, half.GetGroups()[0].expertRanks).most.resource.index, 4U);
}

// All copies for expert 5: its GPU computes 256 x 10 us in a pass of a layer, the others nothing;
// attention and gate take all 4 ms, twice that backward. Of 2 layers, the mean of 8 GPUs.
TEST(ExpertTensor, GpusThatWaitDoNotCompute)
{
    for (const double slow : {1.0, 3.0})
    {
        JobRun run(FoldedJob(1), MakeServers(2, 4));
        Ptr<ScriptedGate> gate = CreateObject<ScriptedGate>();
        gate->script = [](const GateQuery&, Matrix<uint32_t>& tokens) {
            for (uint32_t rank = 0; rank < 8; ++rank)
            {
                tokens(rank, 5) = 32;
            }
        };
        run.engine->SetAttribute("Gate", PointerValue(gate));
        run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        ComputeVariation variation;
        variation.slowGpus[6] = slow; // beside the hot one: a third of its block's attention only
        run.engine->SetVariation(variation);
        run.Run();
        ExpectCompleted(run);
        const Time experts = MicroSeconds(10) * 256;
        const Time block = MilliSeconds(4);
        const Time slowed = TimeStep(static_cast<uint64_t>(block.GetTimeStep() * slow));
        const IterationRecord& it = run.iterations[0];
        EXPECT_EQ(it.compute, ((block * 4 + slowed * 4) + experts) * 3 * 2 / 8) << slow;
        // The critical path holds what the slowest did.
        EXPECT_EQ(it.criticalPath[At(OpKind::EXPERT)], experts * 3 * 2);
    }
}

// Gradients, checkpoints and parameters of a GPU are those of whole experts on fewer GPUs: 8
// experts / EP 8 = 1 expert, or 8 / EP 2 = 4 of which a GPU has a fourth.
TEST(ExpertTensor, GradientsAreReducedByTheSameGpus)
{
    const auto sync = [](uint32_t etp) {
        TrainingJob job = FoldedJob(etp);
        job.degrees.data = 3;
        const ParallelLayout layout(job, *MakeServers(6, 4), "test");
        TransferGraph graph;
        AppendGradientSync(graph, job, layout, 0, 4);
        std::vector<std::vector<uint64_t>> all;
        for (const Transfer& t : graph.GetTransfers())
        {
            all.push_back({t.source.Get(), t.destination.Get(), t.bytes.Get(), t.lanes});
        }
        const GradientBytes bytes = GetGradientBytes(job, layout, 0);
        EXPECT_EQ(bytes.expert.size(), 2U);
        EXPECT_EQ(bytes.expert[1], ByteCount(2ULL * 4 * 3 * 100 * 200 * 4));
        EXPECT_TRUE(bytes.replicated.empty());
        const CheckpointModel checkpoint({}, job, layout);
        all.push_back({checkpoint.GetState().largestGpu.Get(), checkpoint.GetState().loaded.Get()});
        return all;
    };
    EXPECT_GT(sync(4).size(), 1U);
    EXPECT_EQ(sync(1), sync(4));
    EXPECT_EQ(sync(2), sync(4));
}

// EP 4 = one TP block of 4: all-to-alls stay in it; with every expert on a GPU there are none.
TEST(ExpertTensor, AnEpGroupInOneBlock)
{
    TrainingJob job = FoldedJob(1);
    job.degrees = Folded(4, 1, 4);
    JobRun run(job, MakeServers(1, 4));
    run.Run();
    ExpectCompleted(run);
    EXPECT_EQ(run.iterations[0].allToAlls, 8U);
    EXPECT_EQ(run.iterations[0].crossingCopies, 0U);
    EXPECT_EQ(run.matrices[0](0, 3), 64 / 4 * 2 / 4 * 200U);
}

// One copy per server crosses once, whatever the TP of experts.
TEST(ExpertTensor, OneCopyPerServer)
{
    TrainingJob job = FoldedJob(1);
    job.deduplication = Deduplication::SERVER;
    JobRun run(job, MakeServers(2, 4));
    Ptr<DeduplicatingAllToAll> algorithm = CreateObject<DeduplicatingAllToAll>();
    algorithm->SetFabric(run.graph, nullptr);
    run.engine->SetAttribute("AllToAll", PointerValue(algorithm));
    run.transport->recording = true;
    run.Run();
    ExpectCompleted(run);
    uint64_t crossing = 0;
    for (const Transfer& t : run.transport->sent)
    {
        const bool other = t.source.Get() / 4 != t.destination.Get() / 4;
        crossing += t.trafficClass == TrafficClass::EP && other ? t.bytes.Get() : 0;
        EXPECT_TRUE(!other || t.trafficClass != TrafficClass::EP ||
                    t.source.Get() % 4 == t.destination.Get() % 4);
    }
    EXPECT_EQ(crossing, 4 * run.iterations[0].crossingTokens * 200);
    EXPECT_LT(run.iterations[0].crossingTokens, run.iterations[0].crossingCopies);
}

} // namespace
