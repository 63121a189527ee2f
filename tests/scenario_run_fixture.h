/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCENARIO_RUN_FIXTURE_H
#define SCENARIO_RUN_FIXTURE_H

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/ns3-compat.h"
#include "ns3/scenario-runner.h"
#include "ns3/training-run.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace ns3
{

namespace fs = std::filesystem;

/// A Mixtral-like model, three layers, on 8 servers: one region.
constexpr const char* SCENARIO = R"({
  "schema": "mixnet-scenario/1",
  "name": "small",
  "model": {"layers": 3, "hiddenSize": 4096, "ffnHiddenSize": 14336, "heads": 32, "kvHeads": 8,
            "experts": 8, "topK": 2},
  "parallel": {"dp": 1, "tp": 8, "pp": 1, "ep": 8},
  "batch": {"sequenceLength": 512, "microBatchSize": 1, "microBatches": 2},
  "iterations": 2,
  "cluster": {"servers": 8},
  "optical": {"alpha": 6, "switchingDelay": "1ms"},
  "fabrics": ["fat-tree", {"type": "mixnet", "policy": "paper"}]
})";

/// Runs of it in a folder of their own, through the scenario runner.
class ScenarioRun : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
        std::string pattern = (fs::temp_directory_path() / "mixnet-run-XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        m_dir = pattern;
        std::ofstream(m_dir / "small.json") << SCENARIO;
    }

    void TearDown() override
    {
        fs::remove_all(m_dir);
    }

    /// @param overrides command line @param output folder @param jobs processes @return exit code
    int Run(const ScenarioOverrides& overrides, const std::string& output, unsigned jobs = 1)
    {
        RunnerOptions options;
        options.output = (m_dir / output).string();
        options.jobs = jobs;
        options.quiet = true;
        m_err.str("");
        ScenarioRunner runner(
            ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides),
            options);
        std::ostringstream out;
        return runner.Run(out, m_err);
    }

    /// @param overrides command line @return message of the refusal, empty when accepted
    std::string Refusal(const ScenarioOverrides& overrides)
    {
        try
        {
            ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
        }
        catch (const InputError& e)
        {
            return e.what();
        }
        return "";
    }

    /// @param overrides command line @return tables of its second fabric, run in this process
    std::vector<ResultTable> RunSecond(const ScenarioOverrides& overrides)
    {
        const Scenario s = ReadScenario((m_dir / "small.json").string(), m_dir.string(), overrides);
        SharedProgress progress(1);
        TrainingRun run(s, {1, s.fabrics.at(1), s.compute.at(0)}, nullptr);
        const RunResult result = run.Run(progress.At(0), nullptr);
        EXPECT_EQ(result.status, RunStatus::DONE) << result.message;
        return result.tables;
    }

    /// @param output folder @param file file in it @return its bytes
    std::string Bytes(const std::string& output, const std::string& file)
    {
        std::ifstream in(m_dir / output / file, std::ios::binary);
        std::ostringstream out;
        out << in.rdbuf();
        return out.str();
    }

    /// @param output folder @return summary of its runs
    nlohmann::json Summary(const std::string& output)
    {
        return nlohmann::json::parse(Bytes(output, "summary.json"))["runs"];
    }

    /**
     * One iteration of a narrow model (hidden size 512) on the fat-tree, short at packet fidelity.
     *
     * @param fidelity fidelity @param output folder @param overrides command line
     * @return its summary
     */
    nlohmann::json RunNarrow(const std::string& fidelity,
                             const std::string& output,
                             ScenarioOverrides overrides)
    {
        overrides.insert(overrides.end(),
                         {{"fabrics", R"(["fat-tree"])"},
                          {"iterations", "1"},
                          {"fidelity", fidelity},
                          {"model.hiddenSize", "512"},
                          {"model.ffnHiddenSize", "512"}});
        EXPECT_EQ(Run(overrides, fidelity + output), 0) << m_err.str();
        return Summary(fidelity + output)[0];
    }

    fs::path m_dir;
    std::ostringstream m_err;
};

} // namespace ns3

#endif // SCENARIO_RUN_FIXTURE_H
