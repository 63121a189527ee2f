/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flow lists: hosts, fabrics of a preset, what is left, what is refused.

#include "run_flows_fixture.h"

#include <gmock/gmock.h>
#include <numeric>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

TEST_F(RunFlows, SaysWhatItDoesNotUse)
{
    ImportedFile topology = MakeTopology(2, {1}, {{0, 2}, {1, 2}});
    ImportedFile list = MakeFlowList({{0, 1, 3000}}, 2);
    list.numbers["/flows/priority"] = {3};
    list.numbers["/flows/port"] = {100};
    topology.numbers["/topology/tiers/queue_down"] = {0};
    topology.numbers["/topology/tiers/queue_up"] = {100000};
    const RunResult result = Run(list, topology, FLOW);
    for (const char* what : {"priorities", "destination ports", "queue sizes"})
    {
        EXPECT_THAT(result.notes,
                    ::testing::Contains(::testing::AllOf(HasSubstr(what), HasSubstr("not used"))));
    }
}

TEST_F(RunFlows, HostsAreServersOrGpusOfAPreset)
{
    std::vector<TestFlow> flows;
    for (int64_t k = 0; k < 8; ++k)
    {
        flows.push_back({0, 1, 1000000});
    }
    const ImportedFile list = MakeFlowList(flows, 16);
    ScenarioOverrides overrides{{"cluster", "h100-400g"}};
    const RunResult gpus = Run(list, overrides);
    EXPECT_EQ(Column<uint32_t>(gpus, "/flows", "destination_gpu")[7], 1U);
    overrides.emplace_back("cluster.servers", "16");
    const RunResult servers = Run(list, overrides);
    EXPECT_EQ(Column<uint32_t>(servers, "/flows", "source_gpu")[7], 7U);
    EXPECT_EQ(Column<uint32_t>(servers, "/flows", "destination_gpu")[7], 15U);
    // eight NICs at once, each as if alone
    EXPECT_NEAR(Column<double>(servers, "/flow_summary", "slowdown_p99")[0], 1.0, 1e-6);
    overrides.back().second = "1";
    EXPECT_EQ(RunThere(std::make_unique<FlowListReplay>(Write(list, "f.h5"), ""), overrides, "o"),
              1);
    EXPECT_THAT(m_err.str(), HasSubstr("1 servers x 8 GPUs for 16 hosts; accepted: 2 servers"));
}

TEST_F(RunFlows, EveryFabricCarriesEveryByte)
{
    std::vector<TestFlow> flows;
    for (int64_t k = 0; k < 64; ++k)
    {
        flows.push_back(
            {k, (k * 5 + 8) % 64 == k ? (k + 1) % 64 : (k * 5 + 8) % 64, 1000 + 999 * k});
    }
    const std::string path = Write(MakeFlowList(flows, 64), "flows.h5");
    for (const char* fidelity : {"flow", "packet"})
    {
        const ScenarioOverrides overrides{
            {"cluster", "h100-400g"},
            {"fidelity", fidelity},
            {"fabrics", R"(["fat-tree", "rail-optimized", "topoopt", "mixnet"])"}};
        ASSERT_EQ(RunThere(std::make_unique<FlowListReplay>(path, ""), overrides, fidelity), 0)
            << m_err.str();
        const std::string summary = Bytes(fidelity, "summary.json");
        EXPECT_THAT(summary, HasSubstr("\"fabric\": \"mixnet/never\""));
        std::size_t all = 0;
        for (std::size_t at = 0; (at = summary.find("\"finished\": 64", at)) != std::string::npos;
             ++at)
        {
            ++all;
        }
        EXPECT_EQ(all, 4U);
        EXPECT_THAT(m_out.str(), HasSubstr("slowdown_p99"));
        ASSERT_EQ(RunThere(std::make_unique<FlowListReplay>(path, ""), overrides, "again"), 0);
        EXPECT_EQ(Bytes("again", "result.h5"), Bytes(fidelity, "result.h5"));
        EXPECT_FALSE(Bytes("again", "result.h5").empty());
    }
}

TEST_F(RunFlows, WhatHasNotEndedIsListed)
{
    ImportedFile list =
        MakeFlowList({{0, 1, 1000000000, 0, NONE32, NONE32, 0}, {1, 0, 10, 0, 0}}, 2);
    AddTriggers(list, {{0, 0}});
    const std::string path = Write(list, "f.h5");
    const std::string topology = Write(Star(2), "t.h5");
    EXPECT_EQ(
        RunThere(std::make_unique<FlowListReplay>(path, topology), {{"stopTime", "1ms"}}, "o"),
        2);
    EXPECT_THAT(m_err.str(), HasSubstr("stopped at the stop time after 1ms: 2 of 2 flows"));
    EXPECT_THAT(m_err.str(), HasSubstr("flow 1: host 0 to 1, 1000000000 B, started at 0"));
    EXPECT_THAT(m_err.str(), HasSubstr("flow 2: host 1 to 0, 10 B, waits for trigger 100"));
}

TEST_F(RunFlows, KeysThatDoNotApplyAreRefused)
{
    const std::string path = Write(MakeFlowList({{0, 1, 10}}, 2), "f.h5");
    const std::string topology = Write(Star(2), "t.h5");
    for (const char* key : {"model", "iterations", "gate.type", "compute"})
    {
        EXPECT_EQ(RunThere(std::make_unique<FlowListReplay>(path, ""), {{key, "1"}}, "o"), 1)
            << key;
    }
    for (const char* key : {"fabrics", "cluster.servers", "optical.alpha"})
    {
        EXPECT_EQ(RunThere(std::make_unique<FlowListReplay>(path, topology), {{key, "1"}}, "o"), 1)
            << key;
    }
    EXPECT_EQ(RunThere(std::make_unique<FlowListReplay>(path, ""),
                       {{"fabrics", R"([{"type": "mixnet", "policy": "paper"}])"}},
                       "o"),
              1);
    EXPECT_THAT(m_err.str(), HasSubstr("never"));
    EXPECT_FALSE(std::filesystem::exists(m_dir / "o"));
    const ImportedFile list = MakeFlowList({{0, 5, 10}}, 6);
    EXPECT_EQ(RunThere(std::make_unique<FlowListReplay>(Write(list, "g.h5"), topology), {}, "o"),
              1);
    EXPECT_THAT(m_err.str(), HasSubstr("g.h5: /flows row 0: names node 5, which is not in"));
}

} // namespace
