/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Several scenarios by one command, interrupts, and names that are no text.

#include "scenario_run_fixture.h"

#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace ns3;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace
{

class ScenarioBatch : public ScenarioRun
{
  protected:
    /// @param name of a scenario, and of its file
    void Add(const std::string& name)
    {
        nlohmann::json scenario = nlohmann::json::parse(SCENARIO);
        scenario["name"] = name;
        std::ofstream(m_dir / (name + ".json")) << scenario;
    }

    /// @param names files without extension @param overrides command line @return exit code
    int RunAll(const std::vector<std::string>& names, const ScenarioOverrides& overrides = {})
    {
        RunnerOptions options;
        options.output = (m_dir / "out").string();
        options.jobs = 1;
        options.quiet = true;
        std::vector<std::string> files;
        for (const auto& name : names)
        {
            files.push_back((m_dir / (name + ".json")).string());
        }
        std::ostringstream out;
        m_err.str("");
        return RunScenarios(files, m_dir.string(), overrides, options, out, m_err);
    }
};

} // namespace

TEST_F(ScenarioBatch, EachScenarioHasAFolderOfItsName)
{
    Add("a");
    Add("b");
    EXPECT_EQ(RunAll({"a", "b"}), 0) << m_err.str();
    EXPECT_EQ(Summary("out/a").size(), 2U);
    EXPECT_EQ(Bytes("out/a", "iterations.csv"), Bytes("out/b", "iterations.csv"));
}

// The second overwrote the results of the first.
TEST_F(ScenarioBatch, ScenariosOfOneNameAreRefusedBeforeTheFirstRuns)
{
    Add("a");
    fs::copy_file(m_dir / "a.json", m_dir / "copy.json");
    const auto run = [&] { RunAll({"a", "copy"}); };
    EXPECT_THAT(run,
                ::testing::ThrowsMessage<InputError>(
                    AllOf(HasSubstr("copy.json: name"), HasSubstr("a.json"))));
    EXPECT_FALSE(fs::exists(m_dir / "out"));
}

// What is wrong with the last one is said before the first one has taken its hours.
TEST_F(ScenarioBatch, AllAreReadBeforeTheFirstRuns)
{
    Add("a");
    std::ofstream(m_dir / "bad.json") << R"({"name": "bad"})";
    EXPECT_THROW(RunAll({"a", "bad"}), InputError);
    EXPECT_FALSE(fs::exists(m_dir / "out"));
}

// An interrupt in the first one wrote an empty result over an earlier one of the second.
TEST_F(ScenarioBatch, AnInterruptLeavesResultsOfLaterScenariosAlone)
{
    Add("a");
    Add("b");
    ASSERT_EQ(RunAll({"b"}), 0);
    fs::create_directory(m_dir / "out" / "b");
    for (const char* file : {"result.h5", "summary.json", "iterations.csv", "run-info.json"})
    {
        fs::rename(m_dir / "out" / file, m_dir / "out" / "b" / file);
    }
    const std::string before = Bytes("out/b", "result.h5");
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
    {
        std::thread interrupt([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
            kill(getpid(), SIGINT);
        });
        interrupt.detach();
        _exit(RunAll({"a", "b"}, {{"iterations", "1000000"}}));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130);
    EXPECT_EQ(Summary("out/a")[0]["status"], "interrupted");
    EXPECT_EQ(Bytes("out/b", "result.h5"), before);
}

// Asked at messages and operations, not at all-to-alls only: a dense model has none.
TEST_F(ScenarioRun, ModelsWithoutExpertsStopWhenAsked)
{
    const Scenario s =
        ReadScenario((m_dir / "small.json").string(),
                     m_dir.string(),
                     {{"model.moeLayers", "0"}, {"model.denseFfnHiddenSize", "4096"}});
    SharedProgress progress(1);
    TrainingRun run(s, {0, s.fabrics.at(0), s.compute.at(0)}, nullptr);
    const RunResult result = run.Run(progress.At(0), [] { return true; });
    EXPECT_EQ(result.status, RunStatus::INTERRUPTED);
    const ResultTable* iterations = result.Find("/iterations");
    EXPECT_TRUE(iterations == nullptr || iterations->GetNRows() < s.job.iterations);
}

// A file name in another encoding ended in exit code 3, after the simulation.
TEST_F(ScenarioRun, NamesThatAreNoUtf8AreWrittenAllTheSame)
{
    RunnerOptions options;
    options.output = (m_dir / "latin").string();
    options.quiet = true;
    options.commandLine = {"mixnet-run", "s\xe9.json"};
    std::ostringstream out;
    ScenarioRunner runner(ReadScenario((m_dir / "small.json").string(), m_dir.string(), {}),
                          options);
    EXPECT_EQ(runner.Run(out, m_err), 0);
    EXPECT_THAT(Bytes("latin", "run-info.json"), HasSubstr("s\xef\xbf\xbd.json"));
}

// Context parallelism is communication as well; and means of byte counts are no rounded sums.
TEST_F(ScenarioRun, TheSummaryAddsAllKindsOfExposedCommunication)
{
    ASSERT_EQ(
        Run({{"parallel", R"({"dp": 1, "tp": 8, "pp": 1, "ep": 8, "cp": 2})"}, {"iterations", "3"}},
            "cp"),
        0)
        << m_err.str();
    std::istringstream csv(Bytes("cp", "iterations.csv"));
    std::string line;
    std::getline(csv, line);
    std::vector<std::string> names;
    std::istringstream heading(line);
    for (std::string name; std::getline(heading, name, ',');)
    {
        names.push_back(name);
    }
    double exposed = 0;
    double context = 0;
    uint64_t packet = 0;
    for (int row = 0; row < 3 && std::getline(csv, line); ++row)
    {
        std::istringstream cells(line);
        std::string cell;
        for (std::size_t c = 0; std::getline(cells, cell, ','); ++c)
        {
            exposed += names[c].rfind("exposed_", 0) == 0 ? std::stod(cell) : 0;
            context += names[c].rfind("exposed_cp", 0) == 0 ? std::stod(cell) : 0;
            packet += names[c].rfind("bytes_packet", 0) == 0 ? std::stoull(cell) : 0;
        }
    }
    EXPECT_GT(context, 0);
    const auto summary = Summary("cp")[0];
    EXPECT_NEAR(summary["exposed_s"].get<double>(), exposed / 3, 1e-12);
    EXPECT_EQ(summary["bytes_packet"].get<double>(), static_cast<double>(packet) / 3);
}

TEST_F(ScenarioRun, WhatIsNoFileOrThereTwiceIsRefused)
{
    EXPECT_THAT(Refusal({{"failures.file", ""}}), HasSubstr("does not exist"));
    EXPECT_THAT(Refusal({{"failures.file", "."}}), HasSubstr("does not exist"));
    EXPECT_THAT(Refusal({{"compute", R"(["paper", "roofline", "paper"])"}}),
                AllOf(HasSubstr("compute"), HasSubstr("'paper' twice")));
}

// The figure, and the table of another kind of run, would pass for this run's.
TEST_F(ScenarioRun, FilesOfAnEarlierRunDoNotStay)
{
    fs::create_directory(m_dir / "again");
    for (const char* name : {"iterations.csv", "iterations.png", "mine.txt"})
    {
        std::ofstream(m_dir / "again" / name) << "earlier";
    }
    ASSERT_EQ(Run({{"stopTime", "1us"}}, "again"), 2); // no iteration ends: no figure is drawn
    EXPECT_FALSE(fs::exists(m_dir / "again" / "iterations.png"));
    EXPECT_EQ(Bytes("again", "iterations.csv").find("earlier"), std::string::npos);
    EXPECT_TRUE(fs::exists(m_dir / "again" / "mine.txt"));
}

// The twin takes longer than the run that loses its only switch at once: what was asked for and
// cannot be told is said.
TEST_F(ScenarioRun, ATwinThatDoesNotEndIsSaid)
{
    EXPECT_EQ(
        Run({{"failures.events", R"(["t=1us nic 0/0 down"])"}, {"stopTime", "100us"}}, "twin"),
        2);
    EXPECT_THAT(Bytes("twin", "run-info.json"),
                HasSubstr("not compared, the run without failures did not end"));
}

// Forty are named, the others are counted.
TEST_F(ScenarioRun, EventsThatNeverHappenedAreCounted)
{
    nlohmann::json events;
    for (int i = 0; i < 45; ++i)
    {
        events.push_back("t=" + std::to_string(1000 + i) + "s nic 0/0 down");
    }
    ASSERT_EQ(Run({{"failures.events", events.dump()}}, "missed"), 0);
    EXPECT_THAT(Bytes("missed", "run-info.json"), HasSubstr("5 more failures never happened"));
}
