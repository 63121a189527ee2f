/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Gradients in buckets, beside the backward passes.

#include "moe_fixture.h"
#include "scenario_run_fixture.h"

#include "ns3/collective-cost.h"
#include "ns3/gradient-sync.h"
#include "ns3/job-summary.h"
#include "ns3/pointer.h"
#include "ns3/uniform-gate.h"

#include <algorithm>
#include <map>

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

/// Two layers on two EP ranks, a bucket for each.
TrainingJob
TwoBuckets()
{
    TrainingJob job = TinyJob();
    job.gradientOverlap = true;
    job.gradientBucket = ByteCount(1);
    return job;
}

/// @param run not yet run @param bitsPerSecond rate @return its iteration
IterationRecord
RunAt(JobRun& run, uint64_t bitsPerSecond)
{
    run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
    run.transport->bitsPerSecond = bitsPerSecond;
    run.Run();
    ExpectCompleted(run);
    return run.iterations.at(0);
}

// A GPU of the main job holds (88,080,384 + 49,152 + 301,989,888) / 8 x 4 B = 195,059,712 B of
// gradients of a layer: Megatron's 160 MB are full with each, 400 MB with every third.
TEST(GradientBuckets, FillUpFromTheLastLayer)
{
    TrainingJob job = MainJob();
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    ASSERT_EQ(MakeGradientBuckets(job, layout, 3).size(), 1U);
    EXPECT_EQ(MakeGradientBuckets(job, layout, 3)[0].layers,
              (std::vector<uint32_t>{27, 26, 25, 24, 23, 22, 21}));
    job.gradientOverlap = true;
    job.gradientBucket = ByteCount(160000000);
    EXPECT_EQ(MakeGradientBuckets(job, layout, 3).size(), 7U);
    job.gradientBucket = ByteCount(195059712 * 2);
    EXPECT_EQ(MakeGradientBuckets(job, layout, 3).size(), 4U) << "two fill it to the byte";
    job.gradientBucket = ByteCount(400000000);
    for (uint32_t stage = 0; stage < 7; ++stage)
    {
        const auto buckets = MakeGradientBuckets(job, layout, stage);
        ASSERT_EQ(buckets.size(), 3U);
        EXPECT_EQ(buckets[0].layers.size(), 3U);
        EXPECT_EQ(buckets[0].layers.front(), stage * 7 + 6);
        EXPECT_FALSE(buckets[0].head);
        EXPECT_EQ(buckets[2].layers, std::vector<uint32_t>{stage * 7});
        EXPECT_EQ(buckets[2].embedding, stage == 0);
        ByteCount shared;
        ByteCount expert;
        for (const GradientBucket& bucket : buckets)
        {
            const GradientBytes bytes = GetBucketBytes(job, layout, bucket, 4);
            shared += bytes.shared;
            expert += bytes.expert[5];
        }
        const GradientBytes all = GetGradientBytes(job, layout, stage);
        EXPECT_EQ(shared, all.shared);
        EXPECT_EQ(expert, all.expert[5]);
    }
    // The head's 100,663,296 B fill the first bucket of the last stage with two layers.
    const auto last = MakeGradientBuckets(job, layout, 7);
    ASSERT_EQ(last.size(), 3U);
    EXPECT_EQ(last[0].layers.size(), 2U);
    EXPECT_TRUE(last[0].head);
    EXPECT_EQ(last[1].layers.size(), 3U);
    EXPECT_FALSE(last[1].head);
}

// 1 GB/s: the gradients of layer 1 (4 x 40,400 B over two members) go while layer 0 computes, those
// of layer 0 are exposed. One bucket of both is what goes at the end otherwise.
TEST(GradientBuckets, HideBehindTheLayersBefore)
{
    TrainingJob job = TwoBuckets();
    const Time each = AllReduceTime(2, ByteCount(4 * 40400), DataRate("8Gbps"));
    const Time passes = MicroSeconds(5280) * 3 * 2 + NanoSeconds(12800) * 8;
    JobRun buckets(job, MakeServers(2, 1));
    const IterationRecord overlapped = RunAt(buckets, 8000000000ULL);
    EXPECT_EQ(overlapped.GetDuration(), passes + each);
    EXPECT_EQ(overlapped.exposed[At(TrafficClass::DP)], each);
    EXPECT_EQ(overlapped.exposed[At(TrafficClass::EP)], NanoSeconds(12800) * 8);
    EXPECT_EQ(overlapped.criticalPath[At(OpKind::GRADIENT_SYNC)], each);

    job.gradientBucket = ByteCount(1000000000);
    JobRun one(job, MakeServers(2, 1));
    const IterationRecord whole = RunAt(one, 8000000000ULL);
    job.gradientOverlap = false;
    JobRun end(job, MakeServers(2, 1));
    const IterationRecord plain = RunAt(end, 8000000000ULL);
    EXPECT_EQ(plain.GetDuration(), passes + each * 2);
    EXPECT_EQ(whole.GetDuration(), plain.GetDuration());
    EXPECT_EQ(overlapped.bytes, plain.bytes);
    EXPECT_EQ(whole.bytes, plain.bytes);
}

// 1 MB/s: each bucket takes 161.6 ms, longer than a backward pass of a layer (10.56 ms and two
// all-to-alls of 12.8 ms): the second follows the first, and both are on the critical path.
TEST(GradientBuckets, FollowOneAnother)
{
    JobRun run(TwoBuckets(), MakeServers(2, 1));
    const IterationRecord it = RunAt(run, 8000000ULL);
    const Time each = AllReduceTime(2, ByteCount(4 * 40400), DataRate("8Mbps"));
    const Time exchange = MicroSeconds(12800);
    ASSERT_GT(each, MicroSeconds(10560) + exchange * 2);
    EXPECT_EQ(it.GetDuration(),
              MicroSeconds(5280) * (2 + 2) + exchange * 6 + each * 2); // forward, layer 1 back
    EXPECT_EQ(it.criticalPath[At(OpKind::GRADIENT_SYNC)], each * 2);
    EXPECT_EQ(run.ops.back().predecessor, run.ops.back().id - 1);
    EXPECT_EQ(run.ops.back().start, run.ops[run.ops.size() - 2].end);
}

/// @return when all replicas have the gradients of a bucket
Time
GetReady(const JobRun& run, const GradientBucket& bucket, bool split)
{
    Time ready;
    uint32_t passes = 0;
    for (const OpRecord& op : run.ops)
    {
        const bool in =
            std::find(bucket.layers.begin(), bucket.layers.end(), op.layer) != bucket.layers.end();
        if (in && op.backward && op.kind == OpKind::ATTENTION && op.weightGradient == split)
        {
            ready = std::max(ready, op.end);
            ++passes;
        }
    }
    EXPECT_EQ(passes, bucket.layers.size() * run.job.microBatches * run.job.degrees.data);
    return ready;
}

// Every schedule, two replicas of which one has a slow GPU: a bucket starts when all replicas and
// micro-batches are through its layers and the bucket before has gone, and the bytes are the same.
TEST(GradientBuckets, WaitForAllReplicasUnderEverySchedule)
{
    const std::vector<Ptr<PipelineSchedule>> schedules{
        CreateObject<OneForwardOneBackwardSchedule>(),
        CreateObject<GpipeSchedule>(),
        CreateObject<InterleavedSchedule>(),
        CreateObject<OverlappedSchedule>(),
        CreateObject<ZeroBubbleSchedule>()};
    for (const auto& schedule : schedules)
    {
        for (const bool sharded : {false, true})
        {
            TrainingJob job = TwoBuckets();
            job.model.layers = job.model.moeLayers = 8;
            job.degrees = {2, 1, 2, 2, schedule == schedules[2] ? 2U : 1U};
            job.microBatches = 4;
            job.iterations = 2;
            job.optimizerSharding = sharded ? OptimizerSharding::ZERO1 : OptimizerSharding::NONE;
            const auto start = [&](JobRun& run) {
                ComputeVariation variation;
                variation.slowGpus[6] = 1.5;
                run.engine->SetVariation(variation);
                run.engine->SetAttribute("Schedule", PointerValue(schedule));
                return RunAt(run, 800000000ULL);
            };
            JobRun run(job, MakeServers(8, 1));
            const IterationRecord it = start(run);
            EXPECT_EQ(run.iterations[1].GetDuration(), it.GetDuration());
            job.gradientOverlap = false;
            JobRun end(job, MakeServers(8, 1));
            const IterationRecord plain = start(end);
            EXPECT_EQ(it.bytes, plain.bytes);
            EXPECT_EQ(it.transfers > plain.transfers, true);
            EXPECT_LT(it.GetDuration(), plain.GetDuration());
            EXPECT_LT(it.exposed[At(TrafficClass::DP)], plain.exposed[At(TrafficClass::DP)]);

            run.ops.resize(it.ops); // the first iteration
            for (uint32_t stage = 0; stage < 2; ++stage)
            {
                const auto buckets = MakeGradientBuckets(run.job, *run.layout, stage);
                ASSERT_EQ(buckets.size(), 4U);
                std::vector<OpRecord> syncs;
                std::copy_if(run.ops.begin(),
                             run.ops.end(),
                             std::back_inserter(syncs),
                             [stage](const OpRecord& op) {
                                 return op.stage == stage && op.kind == OpKind::GRADIENT_SYNC;
                             });
                ASSERT_EQ(syncs.size(), 4U);
                Time before;
                for (std::size_t b = 0; b < 4; ++b)
                {
                    EXPECT_EQ(
                        syncs[b].start,
                        std::max(before, GetReady(run, buckets[b], schedule->SplitsBackward())));
                    before = syncs[b].end;
                }
            }
        }
    }
}

// Only the last bucket must follow the last pass.
TEST(GradientBuckets, LowerTheLowerBound)
{
    TrainingJob job = MainJob();
    job.gradientBucket = ByteCount(160000000);
    const ParallelLayout layout(job, *MakeServers(128, 8), "test");
    const Ptr<GateModel> gate = CreateObject<UniformGate>();
    gate->Configure(MakeGateShape(job, layout));
    const Ptr<FabricGraph> graph = MakeServers(128, 8);
    const Ptr<ComputeModel> compute = CreateObject<RooflineComputeModel>();
    const JobSummary end = SummarizeJob(job, layout, *graph, *gate, *compute);
    job.gradientOverlap = true;
    const JobSummary overlapped = SummarizeJob(job, layout, *graph, *gate, *compute);
    EXPECT_LE(overlapped.lowerBound, end.lowerBound);
    EXPECT_EQ(overlapped.computeBound, end.computeBound);
    EXPECT_EQ(overlapped.dataBytes, end.dataBytes);
}

// From the keys to figures, at both fidelities.
TEST_F(ScenarioRun, GradientsInBuckets)
{
    for (const std::string fidelity : {"flow", "packet"})
    {
        const auto run = [&](const std::string& output, ScenarioOverrides overrides) {
            return RunNarrow(fidelity, output, std::move(overrides));
        };
        const auto end = run("end", {});
        const auto one = run("one", {{"gradientOverlap", "true"}});
        const auto each = run("each", {{"gradientOverlap", "true"}, {"gradientBucket", "100kB"}});
        const auto number = [](const nlohmann::json& r, const char* key) {
            return r[key].get<double>();
        };
        EXPECT_EQ(number(one, "iteration_time_s"), number(end, "iteration_time_s"));
        EXPECT_LT(number(each, "iteration_time_s"), number(end, "iteration_time_s"));
        EXPECT_EQ(number(each, "bytes_packet"), number(end, "bytes_packet"));
    }
}

TEST_F(ScenarioRun, BucketSettings)
{
    const auto read = [&](const ScenarioOverrides& overrides) {
        return ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
    };
    EXPECT_FALSE(read({}).job.gradientOverlap);
    const Scenario scenario = read({{"gradientOverlap", "true"}});
    EXPECT_TRUE(scenario.job.gradientOverlap);
    EXPECT_EQ(scenario.job.gradientBucket, ByteCount(160000000));
    std::map<std::string, std::string> settings;
    for (const auto& setting : scenario.settings.GetAll())
    {
        settings[setting.key] = setting.value;
    }
    EXPECT_EQ(settings["gradientOverlap"], "true");
    EXPECT_EQ(settings["gradientBucket"], "160000000B");
    EXPECT_EQ(read({{"gradientOverlap", "true"}, {"gradientBucket", "25MiB"}}).job.gradientBucket,
              ByteCount(25 << 20));
    // More than 40 data-parallel ranks: a million parameters for each.
    EXPECT_EQ(read({{"gradientOverlap", "true"}, {"parallel.dp", "10"}, {"cluster.servers", "80"}})
                  .job.gradientBucket,
              ByteCount(320000000));
    EXPECT_THAT(Refusal({{"gradientBucket", "25MiB"}}), HasSubstr("gradientBucket"));
    EXPECT_THAT(Refusal({{"gradientOverlap", "perhaps"}}), HasSubstr("gradientOverlap"));
}

} // namespace
