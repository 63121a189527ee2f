/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Recomputation: forward work that comes again before the backward pass of its layer.

#include "moe_fixture.h"
#include "scenario_run_fixture.h"

#include "ns3/collective-cost.h"
#include "ns3/job-demand.h"
#include "ns3/job-summary.h"
#include "ns3/pointer.h"
#include "ns3/stage-program.h"
#include "ns3/uniform-gate.h"

#include <map>
#include <set>
#include <tuple>

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

constexpr Recompute ALL[] = {Recompute::NONE,
                             Recompute::SELECTIVE,
                             Recompute::EXPERTS,
                             Recompute::MOE,
                             Recompute::FULL};

/// @return a step per letter, small when recomputed
std::string
Spell(const std::vector<StageStep>& steps)
{
    const std::map<OpKind, char> letters{{OpKind::ATTENTION, 'A'},
                                         {OpKind::GATE, 'G'},
                                         {OpKind::DISPATCH, 'D'},
                                         {OpKind::EXPERT, 'E'},
                                         {OpKind::COMBINE, 'C'},
                                         {OpKind::SHARED, 'S'},
                                         {OpKind::DENSE, 'M'},
                                         {OpKind::HEAD, 'H'}};
    std::string text;
    for (const StageStep& step : steps)
    {
        const char letter = letters.at(step.kind);
        text += static_cast<char>(step.recomputed ? std::tolower(letter) : letter);
    }
    return text;
}

// A dense layer, an MoE layer with shared experts, and the head.
TEST(Recompute, Programs)
{
    TrainingJob job = TinyJob();
    job.model.moeLayers = 1;
    job.model.sharedFfnHidden = 50;
    job.model.vocabulary = 1000;
    const ParallelLayout layout(job, *MakeServers(2, 1), "test");
    const auto back = [&](Recompute r) {
        const StageProgram program = MakeStageProgram(job.model, layout, 0, r);
        EXPECT_EQ(Spell(program.forward), "AMAGDECSH");
        return Spell(program.backward);
    };
    EXPECT_EQ(back(Recompute::NONE), "HSCEDGAMA");
    EXPECT_EQ(back(Recompute::SELECTIVE), "HaSCEDGAaMA");
    EXPECT_EQ(back(Recompute::EXPERTS), "HeSCEDGAMA");
    EXPECT_EQ(back(Recompute::MOE), "HgdecsSCEDGAMA");
    EXPECT_EQ(back(Recompute::FULL), "HagdecsSCEDGAamMA");
    for (const Recompute r : ALL)
    {
        EXPECT_EQ(ParseRecompute(GetName(r), "x"), r);
    }
    EXPECT_THROW(ParseRecompute("some", "x"), InputError);
}

/// @return a run of one layer on two ranks at 1 GB/s: core of attention 0.5 ms
IterationRecord
RunOneLayer(Recompute recompute, std::vector<AllToAllRecord>& allToAlls)
{
    TrainingJob job = TinyJob();
    job.model.layers = 1;
    job.model.moeLayers = 1;
    job.recompute = recompute;
    JobRun run(job, MakeServers(2, 1));
    const Ptr<FixedComputeModel> fixed = MakeFixed();
    fixed->core = MicroSeconds(500);
    run.engine->SetAttribute("Compute", PointerValue(fixed));
    run.transport->bitsPerSecond = 8000000000ULL;
    run.Run();
    ExpectCompleted(run);
    allToAlls = run.allToAlls;
    for (const OpRecord& op : run.ops)
    {
        EXPECT_TRUE(op.critical);
        EXPECT_TRUE(op.backward || !op.recomputed);
    }
    return run.iterations.at(0);
}

// Forward 3 + 1 + 1.28 ms, backward twice that. Full: forward once more, 4/3 of the compute, and
// six all-to-alls of 12.8 us instead of four, 3/2 of the bytes.
TEST(Recompute, OneLayerByHand)
{
    std::vector<AllToAllRecord> seen;
    const IterationRecord none = RunOneLayer(Recompute::NONE, seen);
    const Time forward = MicroSeconds(5280);
    const Time sync = AllReduceTime(2, ByteCount(4 * 40400), DataRate("8Gbps"));
    const auto packet = [](const IterationRecord& it) {
        return it.bytes[At(TrafficClass::EP)][static_cast<std::size_t>(PathClass::PACKET)].Get();
    };
    ASSERT_EQ(none.compute, forward * 3);
    const std::map<Recompute, std::pair<Time, uint32_t>> expected{
        {Recompute::NONE, {Time(), 4}},
        {Recompute::SELECTIVE, {MicroSeconds(500), 4}},
        {Recompute::EXPERTS, {MicroSeconds(1280), 4}},
        {Recompute::MOE, {MicroSeconds(2280), 6}},
        {Recompute::FULL, {forward, 6}}};
    for (const auto& [recompute, what] : expected)
    {
        const IterationRecord it = RunOneLayer(recompute, seen);
        EXPECT_EQ(it.compute, none.compute + what.first) << GetName(recompute);
        EXPECT_EQ(it.allToAlls, what.second);
        EXPECT_EQ(seen.size(), what.second);
        EXPECT_EQ(packet(it), packet(none) / 4 * what.second);
        EXPECT_EQ(it.tokenCopies, none.tokenCopies) << "the gate is asked once";
        EXPECT_EQ(it.GetDuration(), it.compute + NanoSeconds(12800) * what.second + sync);
    }
    // FULL came last.
    const std::vector<AllToAllPhase> phases{AllToAllPhase::FORWARD_DISPATCH,
                                            AllToAllPhase::FORWARD_COMBINE,
                                            AllToAllPhase::RECOMPUTED_DISPATCH,
                                            AllToAllPhase::RECOMPUTED_COMBINE,
                                            AllToAllPhase::BACKWARD_COMBINE,
                                            AllToAllPhase::BACKWARD_DISPATCH};
    for (std::size_t i = 0; i < phases.size(); ++i)
    {
        EXPECT_EQ(seen[i].id.phase, phases[i]);
        EXPECT_EQ(seen[i].transposed, i == 1 || i == 3 || i == 5);
    }
}

// TP collectives: forward, backward and, with full, once more. Where only the inside of an
// operation comes again its inputs are kept, and nothing is sent.
TEST(Recompute, CollectivesOfTensorParallelism)
{
    std::map<Recompute, uint64_t> bytes;
    for (const Recompute recompute : ALL)
    {
        TrainingJob job = TinyJob();
        job.degrees.tensor = 2;
        job.recompute = recompute;
        JobRun run(job, MakeServers(2, 2));
        run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        run.Run();
        ExpectCompleted(run);
        bytes[recompute] =
            run.iterations[0]
                .bytes[At(TrafficClass::TP)][static_cast<std::size_t>(PathClass::SCALE_UP)]
                .Get();
    }
    ASSERT_GT(bytes[Recompute::NONE], 0U);
    EXPECT_EQ(bytes[Recompute::FULL], bytes[Recompute::NONE] / 2 * 3);
    EXPECT_EQ(bytes[Recompute::SELECTIVE], bytes[Recompute::NONE]);
    EXPECT_EQ(bytes[Recompute::EXPERTS], bytes[Recompute::NONE]);
    EXPECT_GT(bytes[Recompute::MOE], bytes[Recompute::NONE]);
    EXPECT_LT(bytes[Recompute::MOE], bytes[Recompute::FULL]);
}

// Names stay unique in every schedule, and counts, demands and bounds follow.
TEST(Recompute, NamesCountsDemandsAndBounds)
{
    for (const Recompute recompute : ALL)
    {
        TrainingJob job = TinyJob();
        job.model.layers = 8;
        job.model.moeLayers = 6;
        job.model.vocabulary = 500;
        job.degrees = {2, 1, 2, 2, 2};
        job.microBatches = 4;
        job.gradientOverlap = true;
        const auto demand = [&job] {
            const ParallelLayout layout(job, *MakeServers(8, 1), "test");
            const Ptr<GateModel> gate = CreateObject<UniformGate>();
            gate->Configure(MakeGateShape(job, layout));
            uint64_t sum = 0;
            for (const ServerPairBytes& pair : GetAverageDemand(job, layout, *gate, 4).expert)
            {
                sum += pair.bytes;
            }
            return std::make_pair(
                sum,
                SummarizeJob(job, layout, *MakeServers(8, 1), *gate, *MakeFixed()));
        };
        const auto [plain, without] = demand();
        job.recompute = recompute;
        const auto [planned, summary] = demand();
        EXPECT_EQ(planned, plain / 4 * job.GetAllToAllsPerLayer());
        EXPECT_EQ(summary.expertBytes.Get(),
                  without.expertBytes.Get() / 4 * job.GetAllToAllsPerLayer());
        EXPECT_EQ(summary.allToAllMean, without.allToAllMean);
        JobRun run(job, MakeServers(8, 1));
        run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        run.engine->SetAttribute("Schedule", PointerValue(CreateObject<InterleavedSchedule>()));
        run.transport->bitsPerSecond = 8000000000ULL;
        run.Run();
        ExpectCompleted(run);
        const IterationRecord& it = run.iterations[0];
        std::set<std::tuple<uint32_t, uint32_t, AllToAllPhase, uint32_t>> names;
        for (const AllToAllRecord& record : run.allToAlls)
        {
            names.emplace(record.id.layer, record.id.microBatch, record.id.phase, record.id.group);
        }
        EXPECT_EQ(names.size(), it.allToAlls);
        EXPECT_EQ(summary.allToAlls, it.allToAlls);
        EXPECT_GE(it.GetDuration(), summary.lowerBound);
        EXPECT_GE(it.GetDuration(), summary.computeBound);
        EXPECT_EQ(summary.computeBound > without.computeBound, recompute > Recompute::SELECTIVE);
        for (const OpSize& op : summary.ops)
        {
            EXPECT_EQ(op.recomputed.IsZero(),
                      !IsRecomputed(recompute, op.kind) || recompute == Recompute::SELECTIVE);
            EXPECT_EQ(op.recomputed == op.forward,
                      recompute > Recompute::SELECTIVE && IsRecomputed(recompute, op.kind));
        }
    }
}

// Split backward passes recompute before the gradients of the inputs, once; passes beside each
// other keep their all-to-alls apart.
TEST(Recompute, SplitAndOverlappedPasses)
{
    const std::vector<Ptr<PipelineSchedule>> schedules{CreateObject<ZeroBubbleSchedule>(),
                                                       CreateObject<OverlappedSchedule>()};
    for (const auto& schedule : schedules)
    {
        TrainingJob job = TinyJob();
        job.model.layers = job.model.moeLayers = 4;
        job.degrees = {1, 1, 2, 2};
        job.microBatches = 4;
        job.recompute = Recompute::FULL;
        JobRun run(job, MakeServers(4, 1));
        run.engine->SetAttribute("Compute", PointerValue(MakeFixed()));
        run.engine->SetAttribute("Schedule", PointerValue(schedule));
        run.transport->bitsPerSecond = 8000000000ULL;
        run.Run();
        ExpectCompleted(run);
        // A stage computes 2 layers x 4 micro-batches of 5.28 ms x (1 + 1 + 2).
        EXPECT_EQ(run.iterations[0].compute, MicroSeconds(5280) * 8 * 4);
        EXPECT_EQ(run.iterations[0].allToAlls, 4U * 4 * 6);
        for (const OpRecord& op : run.ops)
        {
            EXPECT_FALSE(op.recomputed && op.weightGradient);
        }
    }
}

// Scores and values of the main job: 2 x (6144 + 6144) x S(S+1)/2 pairs x 8 sequences / TP 8 FLOPs:
// what attention does beyond its projections; 22 % of it.
TEST(Recompute, CoreOfAttention)
{
    TrainingJob job = MainJob();
    const OpWork core = MakeAttentionCoreWork(job);
    const OpWork attention = MakeAttentionWork(job);
    EXPECT_EQ(core.flops, 2.0 * 12288 * 4096 * 4097 / 2);
    EXPECT_EQ(attention.flops - core.flops, 2.0 * 88080384 * 32768 / 8);
    EXPECT_NEAR(core.flops / attention.flops, 0.222, 0.001);
    EXPECT_EQ(core.bytes, (6144 + 1024 + 1024 + 6144) * 32768.0 * 2 / 8);
    for (const Recompute recompute : ALL)
    {
        job.recompute = recompute;
        const auto kinds = GetWorkKinds(job);
        EXPECT_EQ(std::count(kinds.begin(), kinds.end(), WorkKind::ATTENTION_CORE),
                  recompute == Recompute::SELECTIVE ? 1 : 0);
    }
}

// Every policy serves six all-to-alls per layer as it serves four: the recomputed dispatch takes
// the place of the backward combine, and the circuits of the layer do for the rest.
TEST_F(ScenarioRun, RecomputedAllToAllsUnderEveryPolicy)
{
    for (const std::string policy :
         {"paper", "previous", "predicted", "per-iteration", "never", "gain"})
    {
        const auto run = [&](const std::string& recompute) {
            EXPECT_EQ(Run({{"fabrics", R"([{"type": "mixnet", "policy": ")" + policy + R"("}])"},
                           {"gate.type", "synthetic"},
                           {"model.ffnHiddenSize", "1024"},
                           {"recompute", recompute}},
                          policy + recompute),
                      0)
                << m_err.str();
            return Summary(policy + recompute)[0];
        };
        const auto none = run("none");
        const auto full = run("full");
        EXPECT_EQ(full["reconfigurations"], none["reconfigurations"]) << policy;
        EXPECT_GT(full["iteration_time_s"].get<double>(), none["iteration_time_s"].get<double>());
    }
}

TEST_F(ScenarioRun, RecomputeSettings)
{
    for (const std::string fidelity : {"flow", "packet"})
    {
        std::map<std::string, double> bytes;
        for (const std::string recompute : {"none", "selective", "experts", "moe", "full"})
        {
            ASSERT_EQ(Run({{"fabrics", R"(["fat-tree"])"},
                           {"fidelity", fidelity},
                           {"model.hiddenSize", "512"},
                           {"model.ffnHiddenSize", "512"},
                           {"model.layers", "1"},
                           {"iterations", "1"},
                           {"recompute", recompute}},
                          fidelity + recompute),
                      0)
                << m_err.str();
            bytes[recompute] = Summary(fidelity + recompute)[0]["bytes_packet"].get<double>();
        }
        EXPECT_EQ(bytes["selective"], bytes["none"]);
        EXPECT_EQ(bytes["experts"], bytes["none"]);
        EXPECT_EQ(bytes["moe"], bytes["full"]);
        // Two all-to-alls x 2 micro-batches x 7/8 of 8 ranks' 1,024 copies x 1,024 B.
        EXPECT_EQ(bytes["full"] - bytes["none"], 2 * 2 * 7 * 1024 * 1024);
    }
    EXPECT_THAT(Refusal({{"recompute", "some"}}),
                AllOf(HasSubstr("recompute"), HasSubstr("selective")));
    EXPECT_THAT(Refusal({{"recompute", "experts"}, {"model.moeLayers", "0"}}),
                HasSubstr("recompute"));
    const std::string times = R"({"attention": {"forward": "1ms"}, "gate": {"forward": "1us"},
                                  "expert": {"forward": "1us"})";
    EXPECT_EQ(Refusal({{"compute", R"(["measured"])"}, {"computeTimes", times + "}"}}), "");
    EXPECT_THAT(Refusal({{"compute", R"(["measured"])"},
                         {"computeTimes", times + "}"},
                         {"recompute", "selective"}}),
                HasSubstr("computeTimes.attentionCore"));
    EXPECT_EQ(Refusal({{"compute", R"(["measured"])"},
                       {"computeTimes", times + R"(, "attentionCore": {"forward": "300us"}})"},
                       {"recompute", "selective"}}),
              "");
    EXPECT_THAT(Refusal({{"compute", R"(["measured"])"},
                         {"computeTimes", times + R"(, "attentionCore": {"forward": "300us"}})"}}),
                HasSubstr("attentionCore"));
}

} // namespace
