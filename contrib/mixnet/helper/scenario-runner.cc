/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scenario-runner.h"

#include "availability-study.h"
#include "op-size-report.h"
#include "run-pool.h"
#include "run-report.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/result-writer.h"
#include "ns3/token-trace-reader.h"
#include "ns3/twin-comparison.h"
#include "ns3/why-report.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <ostream>
#include <set>

namespace ns3
{

namespace
{

/// The front door draws a figure into every folder that was written.
/// @param folder result folder
void
TellFrontDoor(const std::string& folder)
{
    const char* list = std::getenv("MIXNET_RESULT_LIST");
    if (list != nullptr)
    {
        std::ofstream(list, std::ios::app) << std::filesystem::absolute(folder).string() << "\n";
    }
}

/// @return what a variant is called
std::string
MakeName(const RunVariant& variant)
{
    return variant.fabric.name + ", " + variant.compute;
}

/// An error of ours is not passed over because its run is not in the table.
/// @param what that run is @param other it @param result what it belongs to
void
TakeInternalError(const std::string& what, const RunResult& other, RunResult& result)
{
    if (other.status == RunStatus::INTERNAL && result.status != RunStatus::INTERNAL)
    {
        result.status = RunStatus::INTERNAL;
        result.message = what + other.message;
    }
}

} // namespace

ScenarioRunner::ScenarioRunner(Scenario scenario, RunnerOptions options)
    : m_scenario(std::move(scenario)),
      m_options(std::move(options))
{
    for (const auto& compute : m_scenario.compute)
    {
        for (const auto& fabric : m_scenario.fabrics)
        {
            m_variants.push_back({static_cast<uint32_t>(m_variants.size()), fabric, compute});
        }
    }
    if (m_scenario.gate.type == "trace")
    {
        m_trace = std::make_shared<TokenTrace>(ReadTokenTrace(m_scenario.gate.trace));
    }
    if (m_options.output.empty())
    {
        m_options.output = "mixnet-results/" + m_scenario.name;
    }
}

std::vector<RunLabel>
ScenarioRunner::MakeLabels() const
{
    const std::string& balance = m_scenario.transport.loadBalance;
    const bool ideal =
        balance == "ideal" || (balance == "default" && m_scenario.fidelity == Fidelity::FLOW);
    std::vector<RunLabel> labels;
    for (const auto& v : m_variants)
    {
        labels.push_back({v.fabric.name,
                          v.fabric.type,
                          v.fabric.policy,
                          v.compute,
                          GetName(m_scenario.fidelity),
                          ideal                  ? "ideal"
                          : balance == "default" ? "per-flow"
                                                 : balance});
    }
    return labels;
}

void
ScenarioRunner::PrintHeader(std::ostream& out) const
{
    out << "scenario " << m_scenario.name << ", " << GetName(m_scenario.fidelity) << " fidelity, "
        << m_variants.size() << " runs\n\n";
    PrintSettings(out, m_scenario.settings.GetAll());
    if (m_trace)
    {
        out << "\ntrace: " << m_trace->model << ", " << m_trace->iterations << " iterations x "
            << m_trace->layers << " layers x " << m_trace->ranks << " ranks x "
            << m_trace->destinations << (m_trace->destinationIsExpert ? " experts" : " ranks")
            << (m_trace->topK > 0 ? ", top-" + std::to_string(m_trace->topK) : ", top-k not known")
            << "\n";
    }
}

void
ScenarioRunner::DryRun(std::ostream& out) const
{
    std::set<std::string> notes;
    std::set<std::string> computes;
    for (const auto& variant : m_variants)
    {
        const TrainingRun run(m_scenario, variant, m_trace);
        const JobSummary s = run.Summarize();
        out << "\n"
            << variant.fabric.name << ", compute model " << variant.compute << "\n"
            << run.DescribeFabric() << (run.DescribeFabric().empty() ? "" : "\n")
            << "  of server 0: " << run.DescribeServer() << "\n  " << s.gpus << " GPUs, "
            << s.servers << " servers, " << s.regions << " regions, " << s.groups << " EP groups\n"
            << "  all-to-alls per iteration: " << s.allToAlls << ", up to " << s.allToAllTransfers
            << " rank pairs each\n"
            << "  bytes of an all-to-all: " << s.allToAllMin.Get() << " to " << s.allToAllMax.Get()
            << ", mean " << s.allToAllMean.Get() << "\n"
            << "  bytes per iteration: EP " << s.expertBytes.Get() << ", PP "
            << s.pipelineBytes.Get()
            << (s.contextBytes > ByteCount(0) ? ", CP " + std::to_string(s.contextBytes.Get()) : "")
            << ", DP " << s.dataBytes.Get() << "\n"
            << "  lower bound of an iteration: " << s.lowerBound.GetSeconds() << " s, of that "
            << s.computeBound.GetSeconds() << " s whatever the network\n"
            << "  estimated memory, roughly: " << FormatBytes(run.EstimateMemory()) << "\n";
        if (computes.insert(variant.compute).second)
        {
            PrintOpSizes(out, m_scenario.job.model, s.ops);
        }
        notes.insert(s.notes.begin(), s.notes.end());
    }
    for (const auto& note : notes)
    {
        out << "note: " << note << "\n";
    }
    out << "\ndry run: nothing was simulated or written\n";
}

std::vector<RunResult>
ScenarioRunner::RunAll() const
{
    RunPool pool(m_options.jobs, !m_options.quiet);
    const std::size_t runs = m_variants.size();
    Scenario healthy = m_scenario;
    healthy.failures = FailureConfig();
    healthy.record.controllerDemand = false; // only their iterations are looked at
    const AvailabilityStudy study(m_scenario);
    const std::size_t states =
        m_scenario.availability.horizon > 0 ? study.GetScenarios().size() : 0;
    const std::size_t first = m_scenario.twin ? 2 * runs : runs; // of those of the study
    std::vector<RunResult> results =
        pool.Run(first + runs * states, [&](std::size_t index, SharedProgress::Slot& slot) {
            const std::size_t variant = index < first ? index % runs : (index - first) / states;
            TrainingRun run(index < runs    ? m_scenario
                            : index < first ? healthy
                                            : study.GetScenarios()[(index - first) % states],
                            m_variants[variant],
                            m_trace);
            return run.Run(slot, &RunPool::IsInterrupted);
        });
    for (std::size_t i = runs; i < std::min(results.size(), first); ++i)
    {
        const std::string name = MakeName(m_variants[i - runs]);
        if (results[i].status == RunStatus::DONE)
        {
            CompareWithTwin(name, results[i], results[i - runs]);
            continue;
        }
        results[i - runs].notes.push_back(
            name + ": not compared, the run without failures did not end: " + results[i].message);
        TakeInternalError("the run without failures: ", results[i], results[i - runs]);
    }
    for (std::size_t i = first; i < results.size(); ++i)
    {
        TakeInternalError("a run of its availability: ", results[i], results[(i - first) / states]);
    }
    for (std::size_t i = 0; results.size() == first + runs * states && i < runs && states > 0; ++i)
    {
        const auto begin = results.begin() + static_cast<std::ptrdiff_t>(first + i * states);
        study.Add(m_variants[i],
                  std::vector<RunResult>(begin, begin + static_cast<std::ptrdiff_t>(states)),
                  MakeName(m_variants[i]),
                  results[i]);
    }
    results.resize(std::min(results.size(), runs));
    return results;
}

int
ScenarioRunner::Run(std::ostream& out, std::ostream& err)
{
    if (!m_options.quiet || m_options.dryRun)
    {
        PrintHeader(out);
    }
    if (m_options.dryRun)
    {
        DryRun(out);
        return 0;
    }
    const ResultWriter writer(m_options.output);
    out.flush();
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<RunResult> results = RunAll();
    ResultContent content;
    content.scenario = m_scenario.name;
    content.settings = m_scenario.settings.GetAll();
    content.inputs = m_scenario.inputs;
    content.labels = MakeLabels();
    content.results = results;
    content.commandLine = m_options.commandLine;
    content.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::vector<std::string> names;
    for (const auto& v : m_variants)
    {
        names.push_back(MakeName(v));
    }
    const int code = ReportProblems(err, names, results);
    if (code == 1)
    {
        RemoveIfEmpty(m_options.output);
        return code;
    }
    writer.Write(content);
    if (!m_options.quiet)
    {
        PrintComparison(out, Summarize(content.labels, results));
        PrintWhy(out, names, results);
        PrintNotes(out, results, content.wallSeconds);
    }
    out << "results: " << writer.GetFolder() << std::endl;
    TellFrontDoor(writer.GetFolder());
    return code;
}

int
RunScenarios(const std::vector<std::string>& files,
             const std::string& workloads,
             const ScenarioOverrides& overrides,
             const RunnerOptions& options,
             std::ostream& out,
             std::ostream& err)
{
    std::vector<Scenario> scenarios;
    std::map<std::string, std::string> byName;
    for (const auto& file : files)
    {
        scenarios.push_back(ReadScenario(file, workloads, overrides));
        const auto [at, fresh] = byName.emplace(scenarios.back().name, file);
        if (!fresh)
        {
            throw InputError(file + ": name",
                             "'" + at->first + "' is also the name of " + at->second +
                                 ": both would write into one folder",
                             "a name of its own for each scenario");
        }
    }
    int code = 0;
    for (Scenario& scenario : scenarios)
    {
        RunnerOptions own = options;
        if (files.size() > 1 && !own.output.empty())
        {
            own.output = (std::filesystem::path(own.output) / scenario.name).string();
        }
        code = GetGraver(code, ScenarioRunner(std::move(scenario), own).Run(out, err));
        if (code == 130)
        {
            break;
        }
    }
    return code;
}

} // namespace ns3
