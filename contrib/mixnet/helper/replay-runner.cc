/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "replay-runner.h"

#include "run-pool.h"
#include "run-report.h"

#include "ns3/link-report.h"
#include "ns3/result-writer.h"
#include "ns3/token-trace-reader.h"
#include "ns3/why-report.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <iomanip>
#include <ostream>
#include <sstream>

namespace ns3
{

namespace
{

/// @param seconds s @return it in a unit that suits
std::string
FormatSeconds(double seconds)
{
    const std::array<std::pair<double, const char*>, 4> units{
        {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
    std::size_t u = 0;
    while (seconds > 0 && u + 1 < units.size() && seconds < units[u].first)
    {
        ++u;
    }
    std::ostringstream text;
    text << std::fixed << std::setprecision(3) << seconds / units[u].first << " "
         << units[u].second;
    return text.str();
}

/// @param column a column @return its value in row 0, with its unit
std::string
FormatCell(const ResultTable::Column& column)
{
    std::ostringstream text;
    std::visit(
        [&](const auto& values) {
            using T = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<T, double>)
            {
                if (column.unit == "s")
                {
                    text << FormatSeconds(values[0]);
                    return;
                }
                const bool rate = column.unit == "B/s";
                text << std::fixed << std::setprecision(3) << values[0] * (rate ? 1e-9 : 1)
                     << (rate ? " GB/s" : "");
            }
            else
            {
                text << values[0] << (column.unit == "1" ? "" : " " + column.unit);
            }
        },
        column.values);
    return text.str();
}

} // namespace

ReplayRunner::ReplayRunner(std::unique_ptr<const Replay> replay,
                           const std::string& path,
                           const std::string& workloads,
                           const ScenarioOverrides& overrides,
                           RunnerOptions options)
    : m_replay(std::move(replay)),
      m_options(std::move(options))
{
    ReplayKind kind = m_replay->GetKind();
    const std::string stem = std::filesystem::path(kind.file).stem().string();
    kind.name = stem.empty() ? kind.name : stem;
    m_scenario = ReadReplayScenario(path, workloads, overrides, kind);
    for (const auto& file : m_replay->GetFiles())
    {
        m_scenario.inputs.emplace_back(std::filesystem::path(file).filename().string(),
                                       HashFile(file));
    }
    if (m_options.output.empty())
    {
        m_options.output = "mixnet-results/" + m_scenario.name;
    }
}

std::vector<RunLabel>
ReplayRunner::MakeLabels() const
{
    WorldConfig world;
    world.fidelity = m_scenario.fidelity;
    world.loadBalance = m_scenario.transport.loadBalance;
    const bool ideal = GetLoadBalance(world) == LoadBalance::IDEAL;
    std::vector<RunLabel> labels;
    for (const auto& f : m_scenario.fabrics)
    {
        labels.push_back({f.name,
                          f.type,
                          f.policy,
                          "",
                          GetName(m_scenario.fidelity),
                          ideal                            ? "ideal"
                          : world.loadBalance == "default" ? "per-flow"
                                                           : world.loadBalance});
    }
    return labels;
}

void
ReplayRunner::PrintTable(std::ostream& out, const std::vector<RunResult>& results) const
{
    // One row per figure, one column per fabric: there are more figures than fabrics.
    std::vector<const ResultTable*> tables;
    std::size_t width = 16;
    out << "\n" << std::left << std::setw(24) << "";
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        tables.push_back(results[i].Find(m_replay->GetSummaryTable()));
        width = std::max(width, m_scenario.fabrics[i].name.size());
    }
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        out << "  " << std::right << std::setw(static_cast<int>(width))
            << m_scenario.fabrics[i].name;
    }
    const ResultTable* first = nullptr;
    for (const ResultTable* t : tables)
    {
        first = first == nullptr ? t : first;
    }
    for (std::size_t c = 1; first != nullptr && c < first->GetColumns().size(); ++c)
    {
        out << "\n" << std::left << std::setw(24) << first->GetColumns()[c].name << std::right;
        for (const ResultTable* t : tables)
        {
            out << "  " << std::setw(static_cast<int>(width))
                << (t == nullptr ? "-" : FormatCell(t->GetColumns()[c]));
        }
    }
    out << "\n";
}

int
ReplayRunner::Run(std::ostream& out, std::ostream& err)
{
    const auto& fabrics = m_scenario.fabrics;
    if (!m_options.quiet || m_options.dryRun)
    {
        out << m_scenario.name << ", " << GetName(m_scenario.fidelity) << " fidelity, "
            << fabrics.size() << " runs\n"
            << m_replay->Describe(m_scenario) << "\n";
        PrintSettings(out, m_scenario.settings.GetAll());
    }
    if (m_options.dryRun)
    {
        for (const auto& fabric : fabrics)
        {
            out << "\n" << fabric.name << "\n" << m_replay->DryRun(m_scenario, fabric);
        }
        out << "\ndry run: nothing was simulated or written\n";
        return 0;
    }
    const ResultWriter writer(m_options.output);
    out.flush();
    const auto begin = std::chrono::steady_clock::now();
    RunPool pool(m_options.jobs, !m_options.quiet);
    ResultContent content;
    content.results = pool.Run(fabrics.size(), [&](std::size_t i, SharedProgress::Slot& slot) {
        return m_replay->Run(m_scenario,
                             fabrics[i],
                             static_cast<uint32_t>(i),
                             slot,
                             &RunPool::IsInterrupted);
    });
    content.scenario = m_scenario.name;
    content.settings = m_scenario.settings.GetAll();
    content.inputs = m_scenario.inputs;
    content.labels = MakeLabels();
    content.commandLine = m_options.commandLine;
    content.summaryTable = m_replay->GetSummaryTable();
    content.wallSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::vector<std::string> names;
    for (const auto& f : fabrics)
    {
        names.push_back(f.name);
    }
    const int code = ReportProblems(err, names, content.results);
    if (code == 1)
    {
        RemoveIfEmpty(m_options.output);
        return code;
    }
    writer.Write(content);
    if (!m_options.quiet)
    {
        PrintTable(out, content.results);
        PrintTaskPaths(out, names, content.results);
        PrintBusyLinks(out, names, content.results, m_replay->GetSummaryTable());
        PrintNotes(out, content.results, content.wallSeconds);
    }
    out << "results: " << writer.GetFolder() << std::endl;
    return code;
}

} // namespace ns3
