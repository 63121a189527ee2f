/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Routing policies of scenarios: which bytes go where, and refusals.

#include "scenario_run_fixture.h"

#include <map>
#include <utility>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

// Every policy of a class reaches the router: the bytes of the job are the same, and so is their
// sum over paths; where they go is not.
TEST_F(ScenarioRun, RoutingPoliciesCarryTheSameBytesOverOtherPaths)
{
    std::map<std::string, std::pair<double, double>> bytes; // circuit, packet
    for (const std::string name :
         {"default", "direct-or-eps", "eps", "split", "multi-hop", "relay"})
    {
        ASSERT_EQ(Run({{"iterations", "1"},
                       {"fabrics", R"([{"type": "mixnet", "policy": "never"}])"},
                       {"routing.ep", name}},
                      name),
                  0)
            << m_err.str();
        const auto run = Summary(name)[0];
        bytes[name] = {run["bytes_circuit"].get<double>(), run["bytes_packet"].get<double>()};
    }
    const double all = bytes["eps"].second;
    EXPECT_EQ(bytes["eps"].first, 0);
    EXPECT_GT(all, 0);
    // what is relayed crosses both: all of EP that has no circuit, here all but DP's bytes and EP's
    // direct ones
    EXPECT_EQ(bytes["relay"].second, bytes["direct-or-eps"].second);
    EXPECT_EQ(bytes["relay"].first, all - bytes["multi-hop"].second);
    bytes.erase("relay");
    for (const auto& [name, paths] : bytes)
    {
        EXPECT_NEAR(paths.first + paths.second, all, 1e-9 * all) << name;
    }
    EXPECT_EQ(bytes["default"], bytes["direct-or-eps"]);
    EXPECT_GT(bytes["direct-or-eps"].first, bytes["split"].first);
    EXPECT_GT(bytes["split"].first, 0);

    // 8 servers with 6 circuits each are connected, so multi-hop needs no EPS: with EP over
    // circuits and DP (the gradients) over the EPS, and the other way round, the two change places.
    ASSERT_EQ(Run({{"iterations", "1"},
                   {"fabrics", R"([{"type": "mixnet", "policy": "never"}])"},
                   {"routing.ep", "eps"},
                   {"routing.dp", "multi-hop"}},
                  "classes"),
              0)
        << m_err.str();
    const auto swapped = Summary("classes")[0];
    EXPECT_GT(bytes["multi-hop"].second, 0);
    EXPECT_EQ(swapped["bytes_circuit"].get<double>(), bytes["multi-hop"].second);
    EXPECT_EQ(swapped["bytes_packet"].get<double>(), bytes["multi-hop"].first);

    // a fabric overrides the scenario
    ASSERT_EQ(Run({{"iterations", "1"},
                   {"fabrics", R"([{"type": "mixnet", "policy": "never", "name": "a"},
                                   {"type": "mixnet", "policy": "never", "name": "b",
                                    "routing": {"ep": "split", "epsWeight": 0}}])"},
                   {"routing.ep", "eps"}},
                  "own"),
              0)
        << m_err.str();
    EXPECT_EQ(Summary("own")[0]["bytes_circuit"].get<double>(), 0);
    EXPECT_EQ(Summary("own")[1]["bytes_circuit"].get<double>(), bytes["direct-or-eps"].first);

    // packets: every message arrives, and nothing is lost at relays
    for (const std::string name : {"split", "relay"})
    {
        ASSERT_EQ(Run({{"fidelity", "packet"},
                       {"iterations", "1"},
                       {"model.layers", "1"},
                       {"batch.sequenceLength", "16"},
                       {"batch.microBatches", "1"},
                       {"fabrics", R"([{"type": "mixnet", "policy": "never"}])"},
                       {"routing.ep", name}},
                      "packet-" + name),
                  0)
            << m_err.str();
        const auto info = nlohmann::json::parse(Bytes("packet-" + name, "run-info.json"));
        EXPECT_THAT(info["runs"][0]["notes"].dump(), HasSubstr("frames dropped: 0")) << name;
    }

    // what is effective is said
    std::map<std::string, std::string> settings;
    const Scenario scenario =
        ReadScenario((m_dir / "small.json").string(), m_dir.string(), {{"routing.ep", "split"}});
    for (const auto& setting : scenario.settings.GetAll())
    {
        settings[setting.key] = setting.value;
    }
    EXPECT_EQ(settings["routing.ep"], "split");
    EXPECT_EQ(settings["routing.dp"], "default");
    EXPECT_EQ(settings["routing.epsWeight"], "1");

    EXPECT_THAT(Refusal({{"routing.ep", "fastest"}}),
                ::testing::AllOf(HasSubstr("routing.ep"),
                                 HasSubstr("fastest"),
                                 HasSubstr("direct-or-eps"),
                                 HasSubstr("split")));
    EXPECT_THAT(Refusal({{"routing.moe", "eps"}}), HasSubstr("routing.moe"));
    EXPECT_THAT(Refusal({{"routing.epsWeight", "0.5"}}), HasSubstr("routing.epsWeight"));
    EXPECT_THAT(Refusal({{"routing.ep", "split"}, {"routing.epsWeight", "-1"}}),
                HasSubstr("routing.epsWeight"));
}

// Where relays send on to. With 6 circuits each, 8 servers are two circuits apart at most, so that
// no EP byte needs the EPS; with 5, some relays have no circuit to the destination.
TEST_F(ScenarioRun, RelaysSendOnAsAsked)
{
    const auto packet = [this](const ScenarioOverrides& routing, const std::string& alpha) {
        ScenarioOverrides all{{"iterations", "1"},
                              {"optical.alpha", alpha},
                              {"fabrics", R"([{"type": "mixnet", "policy": "never"}])"}};
        all.insert(all.end(), routing.begin(), routing.end());
        EXPECT_EQ(Run(all, "relays"), 0) << m_err.str();
        return Summary("relays")[0]["bytes_packet"].get<double>();
    };
    const auto relay = [&packet](const std::string& onward, const std::string& alpha) {
        return packet({{"routing.ep", "relay"}, {"routing.relayOnward", onward}}, alpha);
    };
    EXPECT_EQ(relay("circuit", "6"), packet({{"routing.ep", "multi-hop"}}, "6"));
    EXPECT_LT(relay("circuit", "5"), relay("either", "5"));
    EXPECT_LT(relay("either", "5"), relay("eps", "5"));
    EXPECT_THAT(Refusal({{"routing.ep", "relay"}, {"routing.relayOnward", "both"}}),
                ::testing::AllOf(HasSubstr("routing.relayOnward"), HasSubstr("either")));
    EXPECT_THAT(Refusal({{"routing.relayOnward", "eps"}}), HasSubstr("routing.relayOnward"));
}

// An all-to-all by delegates carries the same bytes between servers; within them it moves more, and
// in small chunks it takes less time. A fabric chooses for itself.
TEST_F(ScenarioRun, AllToAllsByDelegates)
{
    const ScenarioOverrides common{
        {"iterations", "1"},
        {"fabrics", R"([{"type": "mixnet", "policy": "never", "name": "direct"},
                        {"type": "mixnet", "policy": "never", "name": "whole",
                         "routing": {"allToAll": "delegates"}},
                        {"type": "mixnet", "policy": "never", "name": "chunks",
                         "routing": {"allToAll": "delegates", "chunk": "256KiB"}}])"}};
    ASSERT_EQ(Run(common, "fabrics"), 0) << m_err.str();
    const auto runs = Summary("fabrics");
    const auto network = [&runs](std::size_t i) {
        return runs[i]["bytes_circuit"].get<double>() + runs[i]["bytes_packet"].get<double>();
    };
    const auto value = [&runs](std::size_t i, const char* name) {
        return runs[i][name].get<double>();
    };
    EXPECT_EQ(network(1), network(0));
    EXPECT_EQ(network(2), network(0));
    EXPECT_EQ(value(1, "bytes_circuit"), value(0, "bytes_circuit"));
    EXPECT_GT(value(1, "bytes_scale_up"), value(0, "bytes_scale_up"));
    EXPECT_EQ(value(2, "bytes_scale_up"), value(1, "bytes_scale_up"));
    EXPECT_LT(value(2, "iteration_time_s"), value(1, "iteration_time_s"));

    std::map<std::string, std::string> settings;
    const Scenario scenario =
        ReadScenario((m_dir / "small.json").string(),
                     m_dir.string(),
                     {{"routing.allToAll", "delegates"}, {"routing.chunk", "1MiB"}});
    for (const auto& setting : scenario.settings.GetAll())
    {
        settings[setting.key] = setting.value;
    }
    EXPECT_EQ(settings["routing.allToAll"], "delegates");
    EXPECT_EQ(settings["routing.chunk"], "1MiB");
    EXPECT_EQ(scenario.fabrics[1].routing.chunk, ByteCount(1 << 20));
    EXPECT_THAT(Refusal({{"routing.allToAll", "ring"}}),
                ::testing::AllOf(HasSubstr("routing.allToAll"), HasSubstr("delegates")));
    EXPECT_THAT(Refusal({{"routing.chunk", "1MiB"}}), HasSubstr("routing.chunk"));
    for (const std::string chunk : {"100B", "1000", "-1MiB"})
    {
        EXPECT_THAT(Refusal({{"routing.allToAll", "delegates"}, {"routing.chunk", chunk}}),
                    HasSubstr("routing.chunk"));
    }
}

// Two servers with 6 circuits between them: by flow, GPUs g and g + 6 share circuit g, two of 8
// lanes on some circuits; by packet all lanes use all of them.
TEST_F(ScenarioRun, CircuitsSharedByPacket)
{
    const auto run = [this](const ScenarioOverrides& own) {
        ScenarioOverrides all{{"iterations", "1"},
                              {"model.layers", "1"},
                              {"batch.sequenceLength", "64"},
                              {"batch.microBatches", "1"},
                              {"parallel.ep", "2"},
                              {"cluster.servers", "2"},
                              {"transport.loadBalance", "per-flow"},
                              {"fabrics", R"([{"type": "mixnet", "policy": "never"}])"}};
        all.insert(all.end(), own.begin(), own.end());
        EXPECT_EQ(Run(all, "sharing"), 0) << m_err.str();
        return Summary("sharing")[0];
    };
    for (const std::string fidelity : {"flow", "packet"})
    {
        const auto byFlow = run({{"fidelity", fidelity}});
        const auto byPacket = run({{"fidelity", fidelity}, {"routing.circuitSharing", "packet"}});
        EXPECT_EQ(byPacket["bytes_circuit"], byFlow["bytes_circuit"]) << fidelity;
        EXPECT_GT(byFlow["bytes_circuit"].get<double>(), 0);
        EXPECT_LT(byPacket["iteration_time_s"].get<double>(),
                  byFlow["iteration_time_s"].get<double>())
            << fidelity;
    }
    const auto turns = [&run](const std::string& packets) {
        return run({{"fidelity", "packet"},
                    {"routing.circuitSharing", "packet"},
                    {"transport.stripePackets", packets}})["iteration_time_s"]
            .get<double>();
    };
    EXPECT_NE(turns("1"), turns("64"));
    EXPECT_THAT(Refusal({{"routing.circuitSharing", "byte"}}),
                ::testing::AllOf(HasSubstr("routing.circuitSharing"), HasSubstr("packet")));
    EXPECT_THAT(Refusal({{"transport.stripePackets", "0"}}), HasSubstr("transport.stripePackets"));
}

} // namespace
