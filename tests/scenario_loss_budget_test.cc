/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The loss budget of circuits, from a scenario to lost packets.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/loss-budget-config.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <string>
#include <vector>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

TEST_F(ScenarioRun, TheLossBudgetIsReadWithItsUnits)
{
    const auto read = [this](const ScenarioOverrides& overrides) {
        ScenarioOverrides all{{"fidelity", "packet"}};
        all.insert(all.end(), overrides.begin(), overrides.end());
        return ReadScenario((m_dir / "small.json").string(), m_dir.string(), all)
            .fabrics.at(1)
            .optical.lossBudget;
    };
    EXPECT_FALSE(read({})) << "off by default";
    const OpticalLossBudget def;
    const auto given = read({{"optical.lossBudget.launchPower", "-3.5dBm"},
                             {"optical.lossBudget.sensitivity", "-12dBm"},
                             {"optical.lossBudget.referenceErrorRate", "2e-9"},
                             {"optical.lossBudget.switchLoss", "1.5dB"},
                             {"optical.lossBudget.connectorLoss", "0.25dB"},
                             {"optical.lossBudget.connectors", "6"},
                             {"optical.lossBudget.fiberLoss", "0.35dB/km"},
                             {"fabrics.1.lossBudget.fiberLength", "2km"}});
    ASSERT_TRUE(given);
    EXPECT_EQ(given->launchDbm, -3.5);
    EXPECT_EQ(given->sensitivityDbm, -12);
    EXPECT_EQ(given->referenceRate, 2e-9);
    EXPECT_EQ(given->switchLossDb, 1.5);
    EXPECT_EQ(given->connectorLossDb, 0.25);
    EXPECT_EQ(given->connectors, 6U);
    EXPECT_EQ(given->fiberLossDbPerKm, 0.35);
    EXPECT_EQ(given->fiberKm, 2) << "the fabric's own; the scenario's for the rest";
    const auto some = read({{"optical.lossBudget.switchLoss", "4dB"}});
    ASSERT_TRUE(some);
    EXPECT_EQ(some->launchDbm, def.launchDbm);
    EXPECT_EQ(some->referenceRate, def.referenceRate);
    EXPECT_FALSE(read({{"optical.lossBudget.switchLoss", "4dB"}, {"fabrics.1.lossBudget", "off"}}));

    const auto refusal = [this](const std::string& key, const std::string& value) {
        return Refusal({{"fidelity", "packet"}, {"optical.lossBudget." + key, value}});
    };
    EXPECT_THAT(refusal("switchLoss", "3"), HasSubstr("dB"));
    EXPECT_THAT(refusal("launchPower", "3dB"), HasSubstr("dBm"));
    EXPECT_THAT(refusal("fiberLoss", "0.4dB"), HasSubstr("dB/km"));
    EXPECT_THAT(refusal("switchLoss", "-3dB"), HasSubstr("negative"));
    EXPECT_THAT(refusal("referenceErrorRate", "0.6"), HasSubstr("0.4"));
    EXPECT_THAT(refusal("mirrors", "3"), HasSubstr("mirrors"));
    EXPECT_THAT(Refusal({{"optical.lossBudget.switchLoss", "3dB"}}), HasSubstr("packet"))
        << "flows have no packets to lose";
    EXPECT_THAT(Refusal({{"optical.lossBudget", "on"}}), HasSubstr("off"));
}

// A circuit at margin 0 has its reference error rate: 3e-7 a bit. A frame of 4,178 wire bytes, of
// which 4,158 can be hit (preamble and gap cannot), is lost with probability 1 - (1 - 3e-7)^(8 x
// 4158) = 0.993 %: of 16,384 and some resent frames about 170; five standard deviations are 65.
TEST(LossBudget, LosesWhatTheErrorRateSays)
{
    struct Sink : TransferSink
    {
        void OnCompletion(const Completion& c) override
        {
            done = c.status == TransferStatus::DELIVERED;
        }

        bool done{false};
    };

    EnsurePicosecondClock();
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(1);
    for (const bool lossy : {false, true})
    {
        Sink sink;
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(1));
        WorldConfig world;
        world.fidelity = Fidelity::PACKET;
        if (lossy)
        {
            OpticalLossBudget budget;
            budget.referenceRate = 3e-7;
            budget.sensitivityDbm += budget.GetMarginDb();
            EXPECT_NEAR(budget.GetBitErrorRate(), 3e-7, 1e-12);
            world.lossBudget = budget;
        }
        helper.SetWorld(world);
        {
            MixnetFabric fabric = helper.Install(ClusterSpec(2, 2));
            fabric.AssignStreams(1);
            const FabricGraph& graph = *fabric.GetGraph();
            const VertexId ocs = graph.GetRegionOcs(RegionId(0))[0];
            fabric.GetControl()->Connect({{ocs, 0, 1}}, {});
            Transfer t;
            t.source = graph.GetGpu(ServerId(0), 0);
            t.destination = graph.GetGpu(ServerId(1), 0);
            t.bytes = ByteCount(64 << 20);
            t.trafficClass = TrafficClass::EP;
            fabric.GetTransport()->Send({t}, sink);
            Simulator::Run();
            EXPECT_TRUE(sink.done) << "the endpoints recover";
            double lost = 0;
            for (const DropCount& d : fabric.GetWorld().GetDrops())
            {
                EXPECT_EQ(d.reason, "corrupt");
                lost += static_cast<double>(d.frames);
            }
            const double bytes =
                static_cast<double>(fabric.GetWorld().GetWireBytes(graph.GetEgress(ocs, 1)));
            const double frames = bytes / 4178;
            const double expected = frames * (1 - std::pow(1 - 3e-7, 8 * 4158));
            if (lossy)
            {
                EXPECT_GT(frames, 16384 + 100) << "resent";
                EXPECT_NEAR(lost, expected, 5 * std::sqrt(expected));
            }
            else
            {
                EXPECT_EQ(lost, 0);
            }
        }
        Simulator::Destroy();
    }
}

// From the file to the run: frames are lost, and iterations take longer.
TEST_F(ScenarioRun, ALossBudgetOutOfItsMarginSlowsTheRun)
{
    const auto run = [this](const std::string& loss) {
        return RunSecond({{"fidelity", "packet"},
                          {"model.layers", "1"},
                          {"iterations", "1"},
                          {"batch.microBatches", "1"},
                          {"batch.sequenceLength", "64"},
                          {"optical.lossBudget.switchLoss", loss}});
    };
    const auto clean = run("3dB");
    const auto dirty = run("6dB"); // margin -1.56 dB: Q = 7.03 x 0.698, 4.6e-7 a bit
    const ResultColumns drops(dirty, "/drops");
    ASSERT_GT(drops.GetNRows(), 0U);
    EXPECT_EQ(drops.Text("reason", 0), "corrupt");
    EXPECT_GT(ResultColumns(dirty, "/iterations").Number("end", 0),
              ResultColumns(clean, "/iterations").Number("end", 0));
    for (const auto& table : clean)
    {
        EXPECT_NE(table.GetName(), "/drops");
    }
}

} // namespace
