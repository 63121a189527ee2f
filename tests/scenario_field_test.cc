/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What users of other simulators suffered from in whole runs, as tests: each is named after what it
// guards.

#include "scenario_run_fixture.h"

#include <sys/wait.h>
#include <unistd.h>

using namespace ns3;
using ::testing::HasSubstr;

// Queue limits in packets made a buffer six times as large with jumbo frames. Buffers are bytes:
// the payload does not move them, and the settings print bytes.
TEST_F(ScenarioRun, BuffersAreBytesWhateverThePayload)
{
    for (const std::string payload : {"1000B", "9000B"})
    {
        const ScenarioOverrides overrides{{"transport.payload", payload},
                                          {"cluster.switchBuffer", "8MiB"}};
        const Scenario scenario =
            ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
        EXPECT_EQ(scenario.cluster.switchBuffer, ByteCount(8 << 20)) << payload;
        std::string printed;
        for (const auto& setting : scenario.settings.GetAll())
        {
            if (setting.key == "cluster.switchBuffer")
            {
                printed = setting.value;
            }
        }
        EXPECT_THAT(printed, ::testing::MatchesRegex("[0-9.]+(B|KiB|MiB|kB|MB)")) << payload;
    }
}

// Two runs at once from one directory: outputs go where asked, and each is what it is alone.
TEST_F(ScenarioRun, TwoAtOnceDoNotClobberEachOther)
{
    const ScenarioOverrides one{{"fidelity", "flow"}, {"iterations", "1"}};
    const ScenarioOverrides other{{"fidelity", "flow"},
                                  {"iterations", "1"},
                                  {"optical.alpha", "4"}};
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
    {
        _exit(Run(other, "other"));
    }
    EXPECT_EQ(Run(one, "one"), 0) << m_err.str();
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    ASSERT_EQ(Run(one, "one-alone"), 0);
    ASSERT_EQ(Run(other, "other-alone"), 0);
    for (const std::string name : {"one", "other"})
    {
        EXPECT_GT(Bytes(name, "result.h5").size(), 1000U);
        EXPECT_EQ(Bytes(name, "result.h5"), Bytes(name + "-alone", "result.h5")) << name;
        EXPECT_EQ(Bytes(name, "iterations.csv"), Bytes(name + "-alone", "iterations.csv"));
    }
    EXPECT_NE(Bytes("one", "iterations.csv"), Bytes("other", "iterations.csv"));
}

TEST_F(ScenarioRun, PeakMemoryIsPrinted)
{
    RunnerOptions options;
    options.output = (m_dir / "loud").string();
    ScenarioRunner runner(ReadScenario((m_dir / "small.json").string(),
                                       m_dir.string(),
                                       {{"fidelity", "flow"}, {"iterations", "1"}}),
                          options);
    std::ostringstream out;
    ASSERT_EQ(runner.Run(out, m_err), 0) << m_err.str();
    EXPECT_THAT(out.str(), HasSubstr(" MB per process"));
}
