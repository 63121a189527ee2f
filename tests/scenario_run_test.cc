/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Whole runs through the scenario runner: results, laws, determinism, exit codes.

#include "scenario_run_fixture.h"

#include "ns3/hdf5-writer.h"
#include "ns3/run-pool.h"
#include "ns3/simulator.h"
#include "ns3/weighted-matching.h"

#include <set>

using namespace ns3;
using ::testing::HasSubstr;
using ::testing::Not;

namespace
{

// Every congestion control reaches the packets: a run ends, loses nothing, prints its settings, and
// takes a time of its own.
TEST_F(ScenarioRun, EveryCongestionControlRuns)
{
    std::set<double> times;
    for (const std::string name : {"none", "dcqcn", "hpcc", "swift", "timely", "dctcp"})
    {
        ASSERT_EQ(Run({{"fidelity", "packet"},
                       {"iterations", "1"},
                       {"model.layers", "1"},
                       {"batch.sequenceLength", "16"},
                       {"batch.microBatches", "1"},
                       {"fabrics", R"(["fat-tree"])"},
                       {"transport.congestionControl", name},
                       {"transport.window", name == "timely" ? "bdp" : "none"}},
                      name),
                  0)
            << m_err.str();
        const auto info = nlohmann::json::parse(Bytes(name, "run-info.json"))["runs"][0];
        EXPECT_THAT(info["notes"].dump(), HasSubstr("frames dropped: 0")) << name;
        times.insert(Summary(name)[0]["iteration_time_s"].get<double>());
    }
    EXPECT_GE(times.size(), 4U);
}

TEST_F(ScenarioRun, SameSeedSameBytesWhateverTheNumberOfProcesses)
{
    ASSERT_EQ(Run({}, "a", 1), 0) << m_err.str();
    ASSERT_EQ(Run({}, "b", 3), 0) << m_err.str();
    ASSERT_GT(Bytes("a", "result.h5").size(), 10000U);
    EXPECT_EQ(Bytes("a", "result.h5"), Bytes("b", "result.h5"));
    EXPECT_EQ(Bytes("a", "summary.json"), Bytes("b", "summary.json"));
    ASSERT_EQ(Run({{"seed", "7"}}, "c", 1), 0);
    EXPECT_NE(Bytes("a", "result.h5"), Bytes("c", "result.h5")) << "the seed is a setting";
    for (const auto& entry : fs::directory_iterator(m_dir / "a"))
    {
        EXPECT_EQ(entry.path().extension().string().find("part"), std::string::npos);
    }
}

TEST_F(ScenarioRun, PacketWorldIsDeterministicAndNearTheFluidWorld)
{
    const ScenarioOverrides packet{{"fidelity", "packet"},
                                   {"iterations", "1"},
                                   {"batch.sequenceLength", "64"},
                                   {"batch.microBatches", "1"},
                                   {"transport.congestionControl", "none"},
                                   {"transport.loadBalance", "per-flow"}};
    ScenarioOverrides flow = packet;
    flow[0].second = "flow";
    ASSERT_EQ(Run(packet, "p1", 1), 0) << m_err.str();
    ASSERT_EQ(Run(packet, "p2", 2), 0) << m_err.str();
    EXPECT_EQ(Bytes("p1", "result.h5"), Bytes("p2", "result.h5"));
    const auto info = nlohmann::json::parse(Bytes("p1", "run-info.json"))["runs"][0];
    EXPECT_THAT(info["notes"].dump(), HasSubstr("frames dropped: 0")) << "lossless";
    ASSERT_EQ(Run(flow, "f", 1), 0) << m_err.str();
    for (std::size_t i = 0; i < 2; ++i)
    {
        const double p = Summary("p1")[i]["iteration_time_s"];
        const double f = Summary("f")[i]["iteration_time_s"];
        // With the same hashes both see the same collisions in the fat-tree.
        EXPECT_GT(p / f, 0.98) << i;
        EXPECT_LT(p / f, 1.02) << i;
        EXPECT_EQ(Summary("p1")[i]["bytes_circuit"], Summary("f")[i]["bytes_circuit"]);
        EXPECT_EQ(Summary("p1")[i]["bytes_packet"], Summary("f")[i]["bytes_packet"]);
    }
}

TEST_F(ScenarioRun, LossRecoveryAndItsAttributesReachTheNics)
{
    // timers far below the round trip: packets are sent twice although none is lost
    ASSERT_EQ(Run({{"fidelity", "packet"},
                   {"iterations", "1"},
                   {"batch.sequenceLength", "16"},
                   {"batch.microBatches", "1"},
                   {"transport.lossRecovery", "selective-repeat"},
                   {"transport.recovery.timeout", "16us"},
                   {"transport.recovery.shortTimeout", "4us"},
                   {"transport.recovery.retryLimit", "254"},
                   {"transport.recovery.reorderTolerance", "8"}},
                  "sr"),
              0)
        << m_err.str();
    const auto info = nlohmann::json::parse(Bytes("sr", "run-info.json"))["runs"][0];
    EXPECT_THAT(info["notes"].dump(), HasSubstr("frames dropped: 0"));
    EXPECT_THAT(info["notes"].dump(), Not(HasSubstr("retransmitted: 0")));
}

TEST_F(ScenarioRun, AlphaZeroIsTheElectricalFabric)
{
    ASSERT_EQ(Run({{"optical.alpha", "0"}}, "zero"), 0) << m_err.str();
    const auto runs = Summary("zero");
    EXPECT_EQ(runs[0]["iteration_time_s"], runs[1]["iteration_time_s"]);
    EXPECT_EQ(runs[0]["bytes_packet"], runs[1]["bytes_packet"]);
    EXPECT_EQ(runs[1]["bytes_circuit"], 0);
}

TEST_F(ScenarioRun, StopTimeListsWhatIsUnfinished)
{
    EXPECT_EQ(Run({{"stopTime", "1ms"}}, "cut"), 2);
    EXPECT_THAT(m_err.str(), HasSubstr("stop time"));
    EXPECT_THAT(m_err.str(), HasSubstr("unfinished:"));
    EXPECT_GT(Bytes("cut", "result.h5").size(), 1000U) << "what there is can be read";
}

// Every planner, policy and predictor that a scenario may name exists and runs to the end.
TEST_F(ScenarioRun, EveryPlannerAndPolicyRuns)
{
    const ScenarioOverrides small{{"fidelity", "flow"}, {"batch.microBatches", "1"}};
    for (const std::string planner :
         {"greedy", "finish-time", "matching", "birkhoff", "exhaustive", "uniform", "rotor"})
    {
        ScenarioOverrides overrides = small;
        overrides.emplace_back("fabrics", R"(["mixnet"])");
        overrides.emplace_back("optical.planner", planner);
        overrides.emplace_back("optical.keepUseful", "true");
        overrides.emplace_back("optical.planningTime", "10us");
        if (planner != "matching" || HasLemon())
        {
            EXPECT_EQ(Run(overrides, planner), 0) << planner << m_err.str();
        }
    }
    for (const std::string& policy : GetPolicies())
    {
        ScenarioOverrides overrides = small;
        overrides.emplace_back("fabrics", R"([{"type": "mixnet", "policy": ")" + policy + "\"}]");
        overrides.emplace_back("optical.predictor", "last-layer");
        EXPECT_EQ(Run(overrides, policy), 0) << policy << m_err.str();
    }
}

TEST_F(ScenarioRun, RefusalsNameFileKeyValueAndWhatIsAccepted)
{
    EXPECT_EQ(Refusal({}), "");
    EXPECT_THAT(Refusal({{"cluster.nicRate", "400"}}), HasSubstr("cluster.nicRate: '400'"));
    EXPECT_THAT(Refusal({{"clutser.nicRate", "400Gbps"}}), HasSubstr("clutser"));
    EXPECT_THAT(Refusal({{"parallel.ep", "16"}}),
                HasSubstr("DP 1 x TP 8 x PP 1 x EP 16 = 128 GPUs"));
    EXPECT_THAT(Refusal({{"fidelity", "accelerated"}}), HasSubstr("not built yet"));
    EXPECT_THAT(Refusal({{"fabrics.0.policy", "paper"}}), HasSubstr("fabrics.0.policy"));
    EXPECT_THAT(Refusal({{"fabrics.1.policy", "sometimes"}}), HasSubstr("per-iteration"));
    EXPECT_THAT(Refusal({{"optical.planner", "random"}}), HasSubstr("birkhoff"));
    EXPECT_THAT(Refusal({{"optical.predictor", "oracle"}}), HasSubstr("last-layer"));
    EXPECT_THAT(Refusal({{"optical.alpha", "9"}}), HasSubstr("alpha 9"));
    EXPECT_THAT(Refusal({{"optical.technology", "mirrors"}}), HasSubstr("piezo"));
    EXPECT_THAT(Refusal({{"optical.technology", "silicon-photonics"}}), HasSubstr("5 servers"));
    EXPECT_EQ(
        Refusal({{"optical.technology", "silicon-photonics"}, {"optical.switchesPerRegion", "2"}}),
        "");
    // 8 servers x 6 ports = 48: a switch of one's own by its ports.
    EXPECT_EQ(Refusal({{"optical.switchPorts", "48"}}), "");
    EXPECT_THAT(Refusal({{"optical.switchPorts", "47"}}), HasSubstr("up to 7 servers"));
    EXPECT_EQ(Refusal({{"optical.switchPorts", "24"}, {"optical.switchesPerRegion", "2"}}), "");
    EXPECT_THAT(Refusal({{"optical.technology", "piezo"}, {"optical.switchPorts", "48"}}),
                HasSubstr("which has 576"));
    EXPECT_THAT(Refusal({{"optical.switchingDelay", "4:42ms, 1:41ms"}}), HasSubstr("rise"));
    EXPECT_THAT(Refusal({{"optical.switchingDelay", "ns3::UniformRandomVariable[Mim=1]"}}),
                HasSubstr("'Mim=1' is no attribute"));
    EXPECT_THAT(Refusal({{"optical.switchingDelay", "ns3::FatTreeTopology"}}),
                HasSubstr("no random variable"));
    EXPECT_THAT(Refusal({{"optical.switchingDelay", "ns3::UniformRandomVariable[Max=nan]"}}),
                HasSubstr("'Max=nan' is no value"));
    EXPECT_THAT(Refusal({{"optical.planner", "ns3::GreedyCircuitPlanner[KeepTolerance=-1]"}}),
                HasSubstr("'KeepTolerance=-1' is no value"));
    EXPECT_THAT(Refusal({{"optical.planner", "ns3::GreedyCircuitPlanner[PlanningTime=5]"}}),
                HasSubstr("'5' has no unit"));
    EXPECT_THAT(Refusal({{"optical.planner", "ns3::GreedyCircuitPlanner[Rule=luck]"}}),
                HasSubstr("'Rule=luck' is no value"));
    for (const char* key :
         {"switchingDelay", "activationTime", "controlLatency", "planningTime", "drainTimeout"})
    {
        EXPECT_THAT(Refusal({{std::string("optical.") + key, "2h"}}), HasSubstr("up to 1h")) << key;
    }
    EXPECT_THAT(Refusal({{"optical.switchingDelay", "1:5ms, 2:2h"}}), HasSubstr("up to 1h"));
    EXPECT_THAT(Refusal({{"optical.switchingDelay", "ns3::EmpiricalRandomVariable"}}),
                HasSubstr("has no values"));
    for (const char* planner :
         {"exhaustive", "finish-time", "ns3::FinishTimeCircuitPlanner[KeepUseful=true]"})
    {
        EXPECT_THAT(Refusal({{"optical.planner", planner}, {"optical.circuits", "simplex"}}),
                    HasSubstr(std::string("the planner '") + planner + "' plans duplex"));
    }
    EXPECT_THAT(Refusal({{"optical.drainPolicy", "bounded"}, {"optical.drainTimeout", "0ms"}}),
                HasSubstr("without a bound"));
    EXPECT_THAT(Refusal({{"gate.trace", "absent.h5"}}), HasSubstr("absent.h5"));
    EXPECT_THAT(Refusal({{"transport.payload", "64KiB"}}), HasSubstr("9000B"));
    EXPECT_THAT(Refusal({{"transport.lossRecovery", "sack"}}),
                HasSubstr("go-back-n, selective-repeat"));
    EXPECT_THAT(Refusal({{"transport.recovery.reorderTolerance", "3"}}),
                HasSubstr("reorderTolerance"));
    EXPECT_THAT(Refusal({{"model", "gpt-9"}}), HasSubstr("gpt-9"));
    EXPECT_THAT(Refusal({{"iterations", "0"}}), HasSubstr("iterations"));
    EXPECT_THAT(Refusal({{"cluster.switchRadix", "70000"}}), HasSubstr("65535"));
    EXPECT_THAT(Refusal({{"cluster.nicRate", "1bps"}}), HasSubstr("1Mbps"));
    EXPECT_THAT(Refusal({{"cluster.switchBuffer", "8GiB"}}), HasSubstr("4GiB"));
    EXPECT_THAT(Refusal({{"fabrics.0.alpha", "2"}}), HasSubstr("fabrics.0.alpha"));
    EXPECT_THAT(Refusal({{"fabrics.0.oversubscription", "0:1"}}), HasSubstr("fabrics.0"));
    EXPECT_THAT(Refusal({{"name", "../up"}}), HasSubstr("'../up'"));
}

TEST_F(ScenarioRun, ABadCombinationLeavesNothingBehind)
{
    EXPECT_EQ(Run({{"model.experts", "4"}}, "bad"), 1);
    EXPECT_THAT(m_err.str(), HasSubstr("EP 8"));
    EXPECT_FALSE(fs::exists(m_dir / "bad"));
    std::ofstream(m_dir / "file") << "x";
    EXPECT_THROW(Run({}, "file"), InputError);
}

TEST_F(ScenarioRun, AChildThatDiesIsReportedAndTheOthersGoOn)
{
    RunPool pool(2, false);
    const auto results = pool.Run(3, [](std::size_t index, SharedProgress::Slot&) {
        if (index == 0)
        {
            std::abort();
        }
        if (index == 1)
        {
            throw InvariantError("broken on purpose");
        }
        RunResult result;
        result.message = "fine";
        return result;
    });
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results[0].status, RunStatus::INTERNAL);
    EXPECT_THAT(results[0].message, HasSubstr("signal"));
    EXPECT_EQ(results[1].status, RunStatus::INTERNAL);
    EXPECT_EQ(results[1].message, "broken on purpose");
    EXPECT_EQ(results[2].status, RunStatus::DONE);
    EXPECT_EQ(results[2].message, "fine");
}

TEST_F(ScenarioRun, TheMainJobUsesManyPlansAndARegionOfFourServersFew)
{
    const std::string workloads = std::string(MIXNET_SOURCE_DIR) + "/workloads";
    const auto run = [&](const std::string& scenario, const ScenarioOverrides& overrides) {
        RunnerOptions options;
        options.output = (m_dir / scenario).string();
        options.quiet = true;
        std::ostringstream out;
        ScenarioRunner runner(
            ReadScenario(workloads + "/scenarios/" + scenario + ".json", workloads, overrides),
            options);
        EXPECT_EQ(runner.Run(out, m_err), 0) << m_err.str();
        return Summary(scenario)[0];
    };
    const std::string paper = R"([{"type": "mixnet", "policy": "paper"}])";
    const auto main =
        run("main", {{"iterations", "1"}, {"compute", "roofline"}, {"fabrics", paper}});
    EXPECT_GT(main["distinct_plans"], 50U);
    EXPECT_GT(main["reconfigurations"], 1000.0) << "16 regions x 7 layers x 8 micro-batches x 2";
    EXPECT_LE(main["reconfigurations"], 1792.0);
    const auto rare = run("main",
                          {{"iterations", "1"},
                           {"compute", "roofline"},
                           {"fabrics", R"([{"type": "mixnet", "policy": "per-iteration"}])"}});
    EXPECT_GT(rare["reconfigurations"], 16.0) << "16 regions, once forward, once backward";
    EXPECT_LE(rare["reconfigurations"], 32.0);
    const auto prototype = run("prototype", {{"fidelity", "flow"}, {"fabrics", paper}});
    EXPECT_LE(prototype["distinct_plans"], 2U) << "every pair of 4 servers has its circuit";
}

TEST(DryQueue, AJobWithoutAWaySaysWhatItWaitsFor)
{
    EnsurePicosecondClock();
    TrainingJob job;
    job.model.layers = job.model.moeLayers = 1;
    job.model.hidden = 1024;
    job.model.ffnHidden = 1024;
    job.model.heads = 8;
    job.model.experts = job.model.topK = 2;
    job.degrees = {1, 8, 1, 2};
    job.sequenceLength = 128;
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::StarTopology");
        MixnetFabric fabric = helper.Install(ClusterSpec(2, 1));
        const EdgeId cut = fabric.GetGraph()->GetEdge(fabric.GetGraph()->GetVertex(ServerId(1)), 0);
        fabric.GetControl()->SetEdges({cut}, EdgeCause::FAILURE, false);
        const auto engine = CreateObject<IterationEngine>();
        engine->SetJob(job, std::make_shared<ParallelLayout>(job, *fabric.GetGraph(), "test"));
        engine->SetTransport(fabric.GetTransport());
        engine->Start();
        Simulator::Run();
        EXPECT_EQ(engine->GetState(), EngineState::RUNNING);
        ASSERT_FALSE(engine->DescribeUnfinished().empty());
        EXPECT_THAT(engine->DescribeUnfinished()[0], HasSubstr("dispatch"));
        const auto waiting = fabric.GetTransport()->GetUnfinished();
        ASSERT_EQ(waiting.size(), 2U) << "both directions of the dispatch";
        const TransferTotals totals = fabric.GetTransport()->GetTotals();
        EXPECT_EQ(totals.unfinished, waiting[0].transfer.bytes + waiting[1].transfer.bytes);
        EXPECT_EQ(totals.injected, totals.unfinished);
        engine->Dispose();
    }
    Simulator::Destroy();
}

} // namespace
