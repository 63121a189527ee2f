/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Reported figures of a job: the share of communication that is hidden, and bytes by path.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/comparison-table.h"

#include <iomanip>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

// Means over iterations, in the summary and in the printed table.
TEST_F(ScenarioRun, HiddenShareAndBytesByPathAreReported)
{
    RunResult result;
    result.tables = RunSecond({{"gate.type", "synthetic"}, {"schedule", "1f1b-overlap"}});
    const ResultColumns t(result.tables, "/iterations");
    double share = 0;
    double circuit = 0;
    double packet = 0;
    for (std::size_t i = 0; i < t.GetNRows(); ++i)
    {
        share += t.Number("hidden_share", i) / static_cast<double>(t.GetNRows());
        circuit += t.Number("bytes_circuit", i) / static_cast<double>(t.GetNRows());
        packet += t.Number("bytes_packet", i) / static_cast<double>(t.GetNRows());
    }
    EXPECT_GT(share, 0);
    EXPECT_GT(circuit, 0);
    EXPECT_GT(packet, 0);
    const auto summaries =
        Summarize({{"mixnet", "mixnet", "paper", "roofline", "flow", "ideal"}}, {result});
    ASSERT_EQ(summaries.size(), 1U);
    EXPECT_NEAR(summaries[0].hiddenShare, share, 1e-12);
    EXPECT_NEAR(summaries[0].circuitBytes, circuit, 1);
    EXPECT_NEAR(summaries[0].packetBytes, packet, 1);
    std::ostringstream printed;
    PrintComparison(printed, summaries);
    std::ostringstream percent;
    percent << std::fixed << std::setprecision(1) << 100 * share << " %";
    for (const std::string& part : {std::string("hidden"), percent.str(), std::string("circuit")})
    {
        EXPECT_THAT(printed.str(), HasSubstr(part));
    }
}

} // namespace
