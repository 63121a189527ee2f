/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup mixnet
 * The command line: runs a scenario. See doc/scenarios.rst for its keys and doc/results.rst for
 * what it writes.
 */

#include "ns3/flow-list-run.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/ns3-compat.h"
#include "ns3/replay-runner.h"
#include "ns3/scenario-runner.h"
#include "ns3/task-graph-run.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr const char* USAGE = R"(usage: mixnet-run [SCENARIO.json ...] [options] [--key=value ...]

  SCENARIO.json        scenario to run; without one, the main job (scenarios/main.json)
  --fidelity=F         flow (max-min fair rates) or packet (every RoCE packet)
  --output=DIR         result folder (default: mixnet-results/NAME of the scenario); of several
                       scenarios, the folder in which each gets one of its name
  --seed=N             ns-3 run number, from 1 (default: 1)
  --trace=T.h5         measured trace, in place of the scenario's
  --flows=F.h5         run an imported flow list in place of a training job ...
  --topology=T.h5      ... on an imported topology; without, on --cluster=PRESET and --fabrics
  --workload=G.h5      run an imported task graph in place of a training job, on --cluster=PRESET
  --failures=F         what fails: a script, or a trace (.csv), beside the scenario's own events
  --jobs=N             runs at a time, each a process (default: one per core)
  --dry-run            check all inputs, print settings, sizes, lower bounds, memory; run nothing
  --quiet              print nothing but problems and the result folder
  --workloads=DIR      folder of presets, traces and scenarios
  --key=value          any key of the scenario by its dotted path, times, rates and sizes with
                       their unit: --optical.alpha=4 --cluster.nicRate=100Gbps --iterations=1
  --help               this text

exit codes: 0 done, 1 bad input, 2 unfinished work, 3 internal error, 130 interrupted
)";

/// The command line, taken apart.
struct Arguments
{
    std::vector<std::string> scenarios; //!< files
    ScenarioOverrides overrides;        //!< dotted keys
    RunnerOptions runner;               //!< output, jobs, ...
    std::string workloads;              //!< folder
    std::string flows;                  //!< flow list in place of a training job
    std::string topology;               //!< its fabric
    std::string workload;               //!< task graph in place of a training job
    bool help{false};                   //!< only print the usage
};

/// @return folder of presets: beside the repository's ./mixnet, or where the environment says
std::string
DefaultWorkloads()
{
    const char* given = std::getenv("MIXNET_WORKLOADS");
    return given != nullptr ? given : "workloads";
}

/// @param text value of --jobs @return it
unsigned
ParseJobs(const std::string& text)
{
    if (text.empty() || text.size() > 4 ||
        text.find_first_not_of("0123456789") != std::string::npos || std::stoul(text) == 0)
    {
        throw InputError("command line", "--jobs '" + text + "' is not accepted", "1 to 9999");
    }
    return static_cast<unsigned>(std::stoul(text));
}

/// @param text text @return it as a JSON string
std::string
Quote(const std::string& text)
{
    std::string quoted = "\"";
    for (const char c : text)
    {
        quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
    }
    return quoted + "\"";
}

/// @param key option without dashes @param value its value @param a out
void
TakeOption(const std::string& key, const std::string& value, Arguments& a)
{
    if (key == "output")
    {
        a.runner.output = value;
    }
    else if (key == "jobs")
    {
        a.runner.jobs = ParseJobs(value);
    }
    else if (key == "workloads")
    {
        a.workloads = value;
    }
    else if (key == "flows" || key == "topology" || key == "workload")
    {
        std::string& file = key == "flows" ? a.flows : key == "topology" ? a.topology : a.workload;
        file = value;
        if (value.empty())
        {
            throw InputError("command line", "--" + key + " names no file", "a file");
        }
    }
    else if (key == "trace")
    {
        a.overrides.emplace_back("gate.type", "trace");
        a.overrides.emplace_back("gate.trace", Quote(value));
    }
    else if (key == "failures")
    {
        const bool isObject = value.rfind('{', 0) == 0; // the scenario's key, as studies give it
        a.overrides.emplace_back(isObject ? key : "failures.file", isObject ? value : Quote(value));
    }
    else
    {
        a.overrides.emplace_back(key, value);
    }
}

/// @param argc count @param argv words @return them, taken apart
Arguments
Parse(int argc, char* argv[])
{
    Arguments a;
    a.workloads = DefaultWorkloads();
    a.runner.commandLine.assign(argv, argv + argc);
    for (int i = 1; i < argc; ++i)
    {
        const std::string word = argv[i];
        const std::size_t equals = word.find('=');
        if (word == "--help" || word == "-h")
        {
            a.help = true;
        }
        else if (word == "--dry-run")
        {
            a.runner.dryRun = true;
        }
        else if (word == "--quiet")
        {
            a.runner.quiet = true;
        }
        else if (word.rfind("--", 0) == 0 && equals != std::string::npos)
        {
            TakeOption(word.substr(2, equals - 2), word.substr(equals + 1), a);
        }
        else if (word.rfind("--", 0) == 0 && i + 1 < argc)
        {
            TakeOption(word.substr(2), argv[++i], a);
        }
        else if (word.rfind("-", 0) == 0)
        {
            throw InputError("command line", "'" + word + "' is not accepted", "see --help");
        }
        else
        {
            a.scenarios.push_back(word);
        }
    }
    return a;
}

/// @param a command line with a flow list or a task graph @return exit code
int
RunReplay(const Arguments& a)
{
    if (!a.workload.empty() && !(a.flows.empty() && a.topology.empty()))
    {
        throw InputError("command line",
                         "--workload together with --flows or --topology",
                         "a task graph on --cluster=PRESET and --fabrics");
    }
    if (a.flows.empty() && a.workload.empty())
    {
        throw InputError("command line", "--topology without a flow list", "--flows=F.h5 with it");
    }
    if (a.scenarios.size() > 1)
    {
        throw InputError("command line",
                         std::to_string(a.scenarios.size()) + " files of settings",
                         "one at most");
    }
    std::unique_ptr<const Replay> replay;
    if (a.workload.empty())
    {
        replay = std::make_unique<FlowListReplay>(a.flows, a.topology);
    }
    else
    {
        replay = std::make_unique<TaskGraphReplay>(a.workload);
    }
    ReplayRunner runner(std::move(replay),
                        a.scenarios.empty() ? "" : a.scenarios.front(),
                        a.workloads,
                        a.overrides,
                        a.runner);
    return runner.Run(std::cout, std::cerr);
}

/// @param a command line @return worst exit code of its scenarios
int
RunAll(const Arguments& a)
{
    if (!a.flows.empty() || !a.topology.empty() || !a.workload.empty())
    {
        return RunReplay(a);
    }
    std::vector<std::string> files = a.scenarios;
    if (files.empty())
    {
        files.push_back((std::filesystem::path(a.workloads) / "scenarios" / "main.json").string());
    }
    return RunScenarios(files, a.workloads, a.overrides, a.runner, std::cout, std::cerr);
}

} // namespace

int
main(int argc, char* argv[])
{
    EnsurePicosecondClock();
    try
    {
        const Arguments arguments = Parse(argc, argv);
        if (arguments.help)
        {
            std::cout << USAGE;
            return 0;
        }
        return RunAll(arguments);
    }
    catch (const InputError& e)
    {
        std::cerr << "mixnet-run: " << e.what() << std::endl;
        return 1;
    }
    catch (const std::exception& e)
    {
        std::cerr << "mixnet-run: internal error: " << e.what() << std::endl;
        return 3;
    }
}
