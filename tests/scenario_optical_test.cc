/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The optical switch of a scenario: what a file says is what runs.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/circuit-planner.h"

#include <gmock/gmock.h>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// A planner that is not the module's: leaves everything dark.
class DarkCircuitPlanner : public CircuitPlanner
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::DarkCircuitPlanner")
                                .SetParent<CircuitPlanner>()
                                .AddConstructor<DarkCircuitPlanner>();
        return tid;
    }

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override
    {
        return CircuitPlan(static_cast<uint32_t>(request.demand.Rows()));
    }
};

NS_OBJECT_ENSURE_REGISTERED(DarkCircuitPlanner);

// A strategy may be a class with attributes, such as one's own; short names are classes, too.
TEST_F(ScenarioRun, StrategiesMayBeClasses)
{
    const auto iteration = [this](const ScenarioOverrides& overrides, const std::string& name) {
        EXPECT_EQ(Run(overrides, name), 0) << m_err.str();
        return Summary(name)[1]["iteration_time_s"].get<double>();
    };
    const double named = iteration({{"fabrics.1.policy", "gain"}}, "named");
    EXPECT_EQ(iteration({{"fabrics.1.policy", "ns3::GainReconfigurationPolicy"}}, "class"), named);
    EXPECT_EQ(iteration({{"optical.planner", "ns3::GreedyCircuitPlanner[Rule=break]"}}, "break"),
              iteration({{"optical.greedyRule", "break"}}, "rule"));
    iteration({{"fabrics.1.policy", "never"}, {"optical.planner", "ns3::DarkCircuitPlanner"}},
              "own");
    EXPECT_GT(Summary("named")[1]["bytes_circuit"].get<double>(), 0);
    EXPECT_EQ(Summary("own")[1]["bytes_circuit"].get<double>(), 0);
    // The prediction of this one is always the last iteration's.
    EXPECT_EQ(iteration({{"fabrics.1.policy", "predicted"}}, "short"),
              iteration({{"fabrics.1.policy", "predicted"},
                         {"optical.predictor", "ns3::LastIterationDemandPredictor"}},
                        "long"));
    EXPECT_THAT(Refusal({{"fabrics.1.policy", "ns3::GreedyCircuitPlanner"}}),
                ::testing::HasSubstr("'ns3::GreedyCircuitPlanner' is no policy"));
    EXPECT_THAT(Refusal({{"optical.planner", "ns3::GreedyCircuitPlanner[Role=break]"}}),
                ::testing::HasSubstr("'Role=break' is no attribute"));
    EXPECT_THAT(
        Refusal({{"optical.predictor", "ns3::None"}}),
        ::testing::HasSubstr(
            "last-iteration, last-layer, average, copilot, uniform, or a class with attributes"));
}

// Every setting of the optical switch reaches the run: iterations take longer with slower switches,
// and the settings say what was used.
TEST_F(ScenarioRun, OpticalSettingsAreUsedAndPrinted)
{
    ASSERT_EQ(Run({{"optical.technology", "piezo"}, {"optical.switchingDelay", "0ms"}}, "fast"), 0);
    const double fast = Summary("fast")[1]["iteration_time_s"];
    const std::vector<std::pair<std::string, ScenarioOverrides>> slow{
        {"table", {{"optical.switchingDelay", "prototype"}}},
        {"variable", {{"optical.switchingDelay", "ns3::ConstantRandomVariable[Constant=0.020]"}}},
        {"activation", {{"optical.activationTime", "20ms"}}},
        {"latency", {{"optical.controlLatency", "20ms"}}}};
    for (const auto& [name, overrides] : slow)
    {
        ScenarioOverrides all{{"optical.switchingDelay", "0ms"}};
        all.insert(all.end(), overrides.begin(), overrides.end());
        ASSERT_EQ(Run(all, name), 0) << m_err.str();
        EXPECT_GT(double(Summary(name)[1]["iteration_time_s"]), fast + 0.008)
            << name << ": a change of 20 ms in one of two iterations at least";
    }
    for (const char* policy : {"immediate", "make-before-break", "bounded"})
    {
        ASSERT_EQ(Run({{"optical.drainPolicy", policy},
                       {"optical.heldTraffic", "move"},
                       {"optical.switchesPerRegion", "2"}},
                      policy),
                  0)
            << m_err.str();
        EXPECT_EQ(Summary(policy)[1]["bytes_circuit"].get<double>() > 0, true) << policy;
    }
    const Scenario scenario = ReadScenario((m_dir / "small.json").string(),
                                           m_dir.string(),
                                           {{"optical.technology", "mems"},
                                            {"optical.drainPolicy", "bounded"},
                                            {"optical.nicMapping", "lowest"}});
    std::map<std::string, std::string> used;
    for (const Setting& s : scenario.settings.GetAll())
    {
        used[s.key] = s.value;
    }
    EXPECT_EQ(used["optical.technology"], "mems");
    EXPECT_EQ(used["optical.switchingDelay"], "1ms") << "the file's wins";
    EXPECT_EQ(used["optical.drainPolicy"], "bounded");
    EXPECT_EQ(used["optical.drainTimeout"], "10ms");
    EXPECT_EQ(used["optical.heldTraffic"], "wait");
    EXPECT_EQ(used["optical.switchesPerRegion"], "1");
    EXPECT_EQ(used["optical.nicMapping"], "lowest");
}

// TopoOpt where ports run out: 64 NICs on panels of 24 ports are two NICs of a server on one of
// them and three on two, still joined by hops; too few for a port per server are refused by name.
TEST_F(ScenarioRun, PatchPanelsRunOutOfPorts)
{
    std::string text = SCENARIO;
    const std::string last = R"({"type": "mixnet", "policy": "paper"})";
    text.replace(text.find(last), last.size(), R"({"type": "topoopt", "panelPorts": 24})");
    std::ofstream(m_dir / "small.json") << text;
    const Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), {});
    const TrainingRun run(s, {1, s.fabrics.at(1), s.compute.at(0)}, nullptr);
    EXPECT_THAT(run.DescribeFabric(), ::testing::HasSubstr("3 patch panels"));
    ASSERT_EQ(Run({}, "panels"), 0) << m_err.str();
    const auto runs = Summary("panels");
    EXPECT_EQ(runs[1]["bytes_packet"].get<double>(), 0);
    // Hops over servers in between count at every circuit.
    EXPECT_GE(runs[1]["bytes_circuit"].get<double>(), runs[0]["bytes_packet"].get<double>());
    EXPECT_EQ(Run({{"fabrics.1.panelPorts", "7"}}, "few"), 1);
    EXPECT_THAT(m_err.str(), ::testing::HasSubstr("7 ports"));
}

// Simplex circuits reach the controllers: what is switched is simplex, and the settings say so. A
// planner that cannot is refused before the run.
TEST_F(ScenarioRun, CircuitsMayBeSimplex)
{
    const auto read = [this](const ScenarioOverrides& overrides) {
        return ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
    };
    for (const char* kind : {"duplex", "simplex"})
    {
        ASSERT_EQ(Run({{"optical.circuits", kind},
                       {"optical.alpha", "2"},
                       {"optical.switchingDelay", "10us"}},
                      kind),
                  0)
            << m_err.str();
        EXPECT_GT(Summary(kind)[1]["bytes_circuit"].get<double>(), 0) << kind;
        EXPECT_GT(Summary(kind)[1]["reconfigurations"].get<double>(), 0) << kind;
        const Scenario scenario = read({{"optical.circuits", kind}});
        std::map<std::string, std::string> used;
        for (const Setting& s : scenario.settings.GetAll())
        {
            used[s.key] = s.value;
        }
        EXPECT_EQ(used["optical.circuits"], kind);
        EXPECT_EQ(scenario.fabrics.at(1).optical.circuits, kind);
    }
    for (const char* kind : {"duplex", "simplex"})
    {
        const auto tables = RunSecond({{"optical.circuits", kind}, {"optical.alpha", "2"}});
        const ResultColumns circuits(tables, "/circuits");
        const double added = circuits.Number("added", 0) + circuits.Number("removed", 0);
        EXPECT_GT(added, 0);
        EXPECT_EQ(circuits.Number("simplex", 0), kind == std::string("simplex") ? added : 0);
    }
    EXPECT_THROW(read({{"optical.circuits", "simplex"}, {"optical.planner", "exhaustive"}}),
                 InputError);
    EXPECT_THROW(read({{"optical.circuits", "both"}}), InputError);
    EXPECT_EQ(read({{"optical.planner", "exhaustive"}}).fabrics.at(1).optical.circuits, "duplex");
}

// "bounded" is a drain with a limit: a fabric that drains without one must not inherit it.
TEST_F(ScenarioRun, AFabricThatDrainsDoesNotInheritTheBoundOfTheOthers)
{
    const auto timeout = [this](const ScenarioOverrides& overrides) {
        return ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides)
            .fabrics.at(1)
            .optical.drainTimeout;
    };
    EXPECT_EQ(timeout({{"optical.drainPolicy", "bounded"}}), MilliSeconds(10));
    EXPECT_EQ(timeout({{"optical.drainPolicy", "bounded"}, {"fabrics.1.drainPolicy", "drain"}}),
              Time(0));
    EXPECT_EQ(timeout({{"fabrics.1.drainPolicy", "bounded"}}), MilliSeconds(10));
    EXPECT_EQ(timeout({{"optical.drainTimeout", "3ms"}, {"fabrics.1.drainPolicy", "bounded"}}),
              MilliSeconds(3));
}

} // namespace
