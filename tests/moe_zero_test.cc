/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// ZeRO stage 1: reduce-scatter of gradients, the optimizer's step, all-gather of parameters.

#include "moe_fixture.h"
#include "scenario_run_fixture.h"

#include "ns3/collective-cost.h"
#include "ns3/gradient-sync.h"
#include "ns3/hybrid-topology.h"
#include "ns3/job-demand.h"
#include "ns3/job-summary.h"
#include "ns3/pointer.h"
#include "ns3/uinteger.h"
#include "ns3/uniform-gate.h"

#include <map>

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

/// Two replicas on two regions of 8 servers.
class ZeroBytes : public ::testing::Test
{
  protected:
    ZeroBytes()
    {
        job = MainJob();
        job.degrees = {2, 8, 1, 8};
        job.gradientChunk = ByteCount(32 << 20);
        const Ptr<HybridTopology> topology = CreateObject<HybridTopology>();
        topology->SetAttribute("ServersPerRegion", UintegerValue(8));
        graph = topology->Build(ClusterSpec(16));
    }

    /// @param sharding sharding @param step which half @param steppedUpTo explicit rings
    /// @return bytes into and out of every server
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> Count(ReduceStep step, uint32_t steppedUpTo)
    {
        const ParallelLayout layout(job, *graph, "test");
        TransferGraph transfers;
        AppendGradientStep(transfers,
                           job,
                           layout,
                           GetWholeBucket(job, layout, 0),
                           step,
                           steppedUpTo);
        transfers.Seal();
        std::map<uint32_t, std::pair<uint64_t, uint64_t>> bytes;
        for (const Transfer& t : transfers.GetTransfers())
        {
            EXPECT_EQ(t.trafficClass, TrafficClass::DP);
            bytes[layout.GetServer(t.source).Get()].first += t.bytes.Get();
            bytes[layout.GetServer(t.destination).Get()].second += t.bytes.Get();
        }
        return bytes;
    }

    TrainingJob job;
    Ptr<FabricGraph> graph;
};

// Into and out of each of n servers (n-1)/n of the buffer, in each half: shared gradients over 16
// servers, those of an expert rank over 2. Gradients have 4 bytes, parameters 2.
TEST_F(ZeroBytes, EachHalfMovesItsShareOfEveryServer)
{
    const ParallelLayout layout(job, *graph, "test");
    const GradientBytes gradients = GetGradientBytes(job, layout, 0);
    const double shared = static_cast<double>(gradients.shared.Get());
    const double expert = static_cast<double>(gradients.expert[0].Get());
    const double each = shared * 15 / 16 + expert / 2;
    ASSERT_GT(expert, shared);
    for (const GradientAlgorithm a : {GradientAlgorithm::RING, GradientAlgorithm::TWO_LEVEL})
    {
        job.gradientSync = a;
        for (const uint32_t steppedUpTo : {0U, 4U, 100U})
        {
            const auto reduced = Count(ReduceStep::REDUCE_SCATTER, steppedUpTo);
            const auto gathered = Count(ReduceStep::ALL_GATHER, steppedUpTo);
            ASSERT_EQ(reduced.size(), 16U);
            ASSERT_EQ(gathered.size(), 16U);
            for (const auto& [server, bytes] : reduced)
            {
                EXPECT_NEAR(static_cast<double>(bytes.first), each, 32);
                EXPECT_NEAR(static_cast<double>(bytes.second), each, 32);
                EXPECT_NEAR(static_cast<double>(gathered.at(server).first), each / 2, 32);
                EXPECT_NEAR(static_cast<double>(gathered.at(server).second), each / 2, 32);
            }
        }
    }
}

// With as many bytes per parameter as per gradient, the halves are the all-reduce, to the byte.
TEST_F(ZeroBytes, HalvesMakeAnAllReduce)
{
    job.model.bytesPerParameter = job.model.bytesPerGradient;
    for (const GradientAlgorithm a : {GradientAlgorithm::RING, GradientAlgorithm::TWO_LEVEL})
    {
        job.gradientSync = a;
        for (const uint32_t steppedUpTo : {4U, 100U})
        {
            auto halves = Count(ReduceStep::REDUCE_SCATTER, steppedUpTo);
            uint64_t sum = 0;
            for (const auto& [server, bytes] : Count(ReduceStep::ALL_GATHER, steppedUpTo))
            {
                halves[server].first += bytes.first;
                halves[server].second += bytes.second;
            }
            const auto whole = Count(ReduceStep::ALL_REDUCE, steppedUpTo);
            for (const auto& [server, bytes] : whole)
            {
                EXPECT_NEAR(static_cast<double>(halves[server].first),
                            static_cast<double>(bytes.first),
                            64);
                sum += halves[server].first - bytes.first; // wraps: differences cancel
            }
            EXPECT_EQ(sum, 0U);
        }
    }
}

// What is counted before a run (plans, bounds) is what the steps send.
TEST_F(ZeroBytes, DemandAndSummaryCountBothHalves)
{
    job.optimizerSharding = OptimizerSharding::ZERO1;
    const ParallelLayout layout(job, *graph, "test");
    const Ptr<GateModel> gate = CreateObject<UniformGate>();
    gate->Configure(MakeGateShape(job, layout));
    uint64_t halves = 0;
    for (const ReduceStep step : {ReduceStep::REDUCE_SCATTER, ReduceStep::ALL_GATHER})
    {
        for (const auto& [server, bytes] : Count(step, 4))
        {
            halves += bytes.first;
        }
    }
    uint64_t planned = 0;
    for (const ServerPairBytes& pair : GetAverageDemand(job, layout, *gate, 4).data)
    {
        planned += pair.bytes;
    }
    EXPECT_EQ(planned, halves);
    const Ptr<ComputeModel> compute = CreateObject<RooflineComputeModel>();
    const JobSummary sharded = SummarizeJob(job, layout, *graph, *gate, *compute);
    EXPECT_EQ(sharded.dataBytes, ByteCount(halves));
    job.optimizerTime = MilliSeconds(7);
    EXPECT_EQ(SummarizeJob(job, layout, *graph, *gate, *compute).lowerBound,
              sharded.lowerBound + MilliSeconds(7));
    job.optimizerTime = Time();
    job.optimizerSharding = OptimizerSharding::NONE;
    EXPECT_GT(SummarizeJob(job, layout, *graph, *gate, *compute).lowerBound, sharded.lowerBound);
}

TEST_F(ZeroBytes, TreesAreRefused)
{
    job.optimizerSharding = OptimizerSharding::ZERO1;
    job.gradientSync = GradientAlgorithm::TREE;
    try
    {
        job.Validate("s.json");
        ADD_FAILURE() << "accepted";
    }
    catch (const InputError& e)
    {
        EXPECT_THAT(e.what(),
                    AllOf(HasSubstr("optimizer.sharding"), HasSubstr("gradientSync tree")));
    }
}

// Two members, 1 GB/s, one layer: B = 4 x 40,400 bytes of shared gradients. Reduce-scatter B/2 at
// 1 GB/s, the optimizer's step, all-gather of half as many bytes. (No expert has a replica.)
TEST(ZeroEngine, OneLayerByHand)
{
    TrainingJob job = TinyJob();
    job.model.layers = 1;
    job.model.moeLayers = 1;
    const auto run = [&job] {
        JobRun r(job, MakeServers(2, 1));
        r.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        r.transport->bitsPerSecond = 8000000000ULL;
        r.Run();
        ExpectCompleted(r);
        return std::make_pair(r.iterations[0], r.ops);
    };
    const IterationRecord plain = run().first;
    job.optimizerSharding = OptimizerSharding::ZERO1;
    job.optimizerTime = MicroSeconds(300);
    const auto [it, ops] = run();
    const Time exchange = NanoSeconds(12800);
    const Time reduce = NanoSeconds(4 * 40400 / 2);
    const Time gather = NanoSeconds(2 * 40400 / 2);
    EXPECT_EQ(it.compute, MicroSeconds(5280) * 3 + MicroSeconds(300));
    EXPECT_EQ(it.exposed[At(TrafficClass::DP)], reduce + gather);
    EXPECT_EQ(it.GetDuration(), it.compute + exchange * 4 + reduce + gather);
    EXPECT_EQ(it.criticalPath[At(OpKind::GRADIENT_SYNC)], reduce);
    EXPECT_EQ(it.criticalPath[At(OpKind::OPTIMIZER)], MicroSeconds(300));
    EXPECT_EQ(it.criticalPath[At(OpKind::PARAMETER_GATHER)], gather);
    ASSERT_GE(ops.size(), 3U);
    EXPECT_EQ(ops[ops.size() - 3].kind, OpKind::GRADIENT_SYNC);
    EXPECT_EQ(ops[ops.size() - 2].kind, OpKind::OPTIMIZER);
    EXPECT_EQ(ops[ops.size() - 1].kind, OpKind::PARAMETER_GATHER);

    // As many bytes per parameter as per gradient, no optimizer time: the all-reduce again.
    job.optimizerTime = Time();
    job.model.bytesPerParameter = 4;
    const IterationRecord same = run().first;
    EXPECT_EQ(same.GetDuration(), plain.GetDuration());
    EXPECT_EQ(same.bytes, plain.bytes);
    EXPECT_EQ(same.exposed, plain.exposed);
    job.model.bytesPerParameter = 1;
    EXPECT_LT(run().first.GetDuration(), plain.GetDuration());
}

// Every combination goes through: stages, replicas, groups inside a server, several iterations.
TEST(ZeroEngine, StagesAndReplicas)
{
    TrainingJob job = TinyJob();
    job.model.layers = 5;
    job.model.moeLayers = 3;
    job.model.vocabulary = 1000;
    job.degrees = {2, 2, 2, 2};
    job.microBatches = 3;
    job.iterations = 2;
    job.optimizerSharding = OptimizerSharding::ZERO1;
    job.optimizerTime = MicroSeconds(10);
    for (const GradientAlgorithm a : {GradientAlgorithm::RING, GradientAlgorithm::TWO_LEVEL})
    {
        job.gradientSync = a;
        JobRun run(job, MakeServers(4, 4));
        run.transport->bitsPerSecond = 8000000000ULL;
        run.Run();
        ExpectCompleted(run);
        EXPECT_EQ(run.iterations[1].start, run.iterations[0].end);
        EXPECT_EQ(run.iterations[0].GetDuration(), run.iterations[1].GetDuration());
        std::map<OpKind, uint32_t> ops;
        for (const OpRecord& op : run.ops)
        {
            ++ops[op.kind];
        }
        EXPECT_EQ(ops[OpKind::GRADIENT_SYNC], 4U);
        EXPECT_EQ(ops[OpKind::OPTIMIZER], 4U);
        EXPECT_EQ(ops[OpKind::PARAMETER_GATHER], 4U);
    }
}

TEST(ZeroEngine, LostParametersEndTheJob)
{
    TrainingJob job = TinyJob();
    job.optimizerSharding = OptimizerSharding::ZERO1;
    JobRun run(job, MakeServers(2, 1));
    const uint64_t part = 2ULL * 40400 * 2 / 2; // of two layers
    run.transport->loses = [part](const Transfer& t) {
        return t.trafficClass == TrafficClass::DP && t.bytes.Get() == part;
    };
    run.Run();
    EXPECT_EQ(run.engine->GetState(), EngineState::FAILED);
    EXPECT_EQ(run.engine->GetLoss(), "parameter all-gather of stage 0");
}

// The keys reach the bytes, at both fidelities; 8 servers: 2 x 7 B of gradients become 7 B of
// gradients and 7/2 B of parameters.
TEST_F(ScenarioRun, ShardedOptimizer)
{
    for (const std::string fidelity : {"flow", "packet"})
    {
        const auto run = [&](const std::string& output, ScenarioOverrides overrides) {
            return RunNarrow(fidelity, output, std::move(overrides));
        };
        const auto none = run("none", {});
        const auto zero = run("zero", {{"optimizer.sharding", "zero1"}});
        const auto same =
            run("same", {{"optimizer.sharding", "zero1"}, {"model.bytesPerParameter", "4"}});
        const auto slow =
            run("slow", {{"optimizer.sharding", "zero1"}, {"optimizer.time", "50ms"}});
        const auto number = [](const nlohmann::json& r, const char* key) {
            return r[key].get<double>();
        };
        // 32 heads of 16, 8 key and value heads: (512 + 2 x 128 + 512) x 512 + 512 x 8, 3 layers
        const double shared = 3 * ((512 + 2 * 128 + 512) * 512 + 512 * 8);
        EXPECT_EQ(number(none, "bytes_packet") - number(zero, "bytes_packet"),
                  7 * shared * (2 * 4 - 4 - 2));
        EXPECT_EQ(number(same, "bytes_packet"), number(none, "bytes_packet"));
        EXPECT_LT(number(zero, "iteration_time_s"), number(none, "iteration_time_s"));
        EXPECT_NEAR(number(slow, "iteration_time_s"),
                    number(zero, "iteration_time_s") + 0.05,
                    1e-9);
    }
}

TEST_F(ScenarioRun, ShardedOptimizerSettings)
{
    const Scenario scenario =
        ReadScenario((m_dir / "small.json").string(),
                     m_dir.string(),
                     {{"optimizer.sharding", "zero1"}, {"optimizer.time", "3ms"}});
    EXPECT_EQ(scenario.job.optimizerSharding, OptimizerSharding::ZERO1);
    EXPECT_EQ(scenario.job.optimizerTime, MilliSeconds(3));
    EXPECT_EQ(scenario.job.model.bytesPerParameter, 2U);
    std::map<std::string, std::string> settings;
    for (const auto& setting : scenario.settings.GetAll())
    {
        settings[setting.key] = setting.value;
    }
    EXPECT_EQ(settings["optimizer.sharding"], "zero1");
    EXPECT_EQ(settings["optimizer.time"], "3ms");
    EXPECT_EQ(settings["model.bytesPerParameter"], "2");
    EXPECT_THAT(Refusal({{"optimizer.sharding", "zero3"}}),
                AllOf(HasSubstr("optimizer.sharding"), HasSubstr("zero1")));
    EXPECT_THAT(Refusal({{"optimizer.sharding", "zero1"}, {"gradientSync", "tree"}}),
                AllOf(HasSubstr("optimizer.sharding"), HasSubstr("two-level")));
    EXPECT_THAT(Refusal({{"optimizer.time", "-1ms"}}), HasSubstr("optimizer.time"));
    EXPECT_THAT(Refusal({{"optimizer.shards", "2"}}), HasSubstr("optimizer.shards"));
    EXPECT_THAT(Refusal({{"model.bytesPerParameter", "0"}}), HasSubstr("model.bytesPerParameter"));
}

} // namespace
