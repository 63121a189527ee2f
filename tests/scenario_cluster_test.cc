/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The insides of a scenario's servers: what a file says is what runs.

#include "scenario_run_fixture.h"

#include "ns3/hdf5-reader.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using testing::HasSubstr;

namespace
{

TEST_F(ScenarioRun, NumaLinksAreUsedPrintedAndCounted)
{
    const auto time = [this](const ScenarioOverrides& overrides, const std::string& name) {
        EXPECT_EQ(Run(overrides, name), 0) << m_err.str();
        return double(Summary(name)[1]["iteration_time_s"]);
    };
    const auto numa = [this](const std::string& name) {
        const Hdf5Reader result((m_dir / name / "result.h5").string());
        return result.ReadUint32("/numa_links/bytes");
    };
    // Nine experts on eight ranks: server 0 is sent twice as much. In a region of four servers with
    // six fibers each, every pair has two circuits.
    const ScenarioOverrides uneven{{"model.experts", "9"}, {"optical.serversPerRegion", "4"}};
    ScenarioOverrides link{{"model.experts", "9"},
                           {"optical.serversPerRegion", "4"},
                           {"cluster.numaLinkRate", "50Gbps"},
                           {"cluster.numaLinkDelay", "100ns"}};
    const double plain = time(uneven, "plain");
    EXPECT_FALSE(Hdf5Reader((m_dir / "plain" / "result.h5").string()).Has("/numa_links/bytes"));
    EXPECT_EQ(time(link, "gather"), plain) << "over NVSwitch nothing crosses";
    const auto crossed = numa("gather");
    EXPECT_EQ(crossed, std::vector<uint32_t>(crossed.size(), 0));
    EXPECT_EQ(crossed.size(), 2 * 2 * 8U) << "runs, directions, servers";
    ScenarioOverrides pcie = link;
    pcie.emplace_back("cluster.nicAccess", "pcie");
    const double spread = time(pcie, "spread");
    EXPECT_GT(spread, plain);
    const auto even = numa("spread");
    EXPECT_GT(*std::max_element(even.begin(), even.end()), 1000000U);
    pcie.emplace_back("optical.nicMapping", "lowest");
    // All NICs are in use either way, so that little more than the order of things changes.
    EXPECT_GT(time(pcie, "lowest"), spread) << "the circuits of hot pairs end at one node";
}

TEST_F(ScenarioRun, NumaSettingsAndRefusals)
{
    const Scenario scenario =
        ReadScenario((m_dir / "small.json").string(),
                     m_dir.string(),
                     {{"cluster.numaLinkRate", "62.4GB/s"}, {"cluster.nicAccess", "pcie"}});
    std::map<std::string, std::string> used;
    for (const Setting& s : scenario.settings.GetAll())
    {
        used[s.key] = s.value;
    }
    EXPECT_EQ(used["cluster.numaLinkRate"], "62.4GB/s");
    EXPECT_EQ(used["cluster.numaLinkDelay"], "0ns");
    EXPECT_EQ(used["cluster.nicAccess"], "pcie");
    EXPECT_EQ(used["cluster.numaNodes"], "2");
    EXPECT_EQ(MakeServerSpec(scenario.cluster).numaLinkRate, DataRate("499.2Gbps"));
    EXPECT_EQ(MakeServerSpec(scenario.cluster).nicAccess, NicAccess::PCIE);
    EXPECT_THAT(Refusal({{"cluster.numaNodes", "1"}, {"cluster.numaLinkRate", "100Gbps"}}),
                HasSubstr("cluster.numaLinkRate"));
    EXPECT_THAT(Refusal({{"cluster.numaNodes", "1"}, {"cluster.numaLinkDelay", "1us"}}),
                HasSubstr("cluster.numaLinkDelay"));
    EXPECT_THAT(Refusal({{"cluster.numaLinkRate", "100"}}), HasSubstr("numaLinkRate"));
    EXPECT_THAT(Refusal({{"cluster.numaLinkRate", "0Gbps"}}), HasSubstr("zero"));
    EXPECT_THAT(Refusal({{"cluster.numaLinkRate", "10kbps"}}), HasSubstr("too slow"));
    EXPECT_THAT(Refusal({{"cluster.numaLinkDelay", "1s"}}), HasSubstr("25ms"));
    EXPECT_THAT(Refusal({{"cluster.nicAccess", "nvlink"}}), HasSubstr("gather, pcie"));
    EXPECT_EQ(Refusal({{"cluster.numaNodes", "1"}, {"cluster.numaLinkRate", "none"}}), "");
}

} // namespace
