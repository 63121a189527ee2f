/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-helper.h"

#include "ns3/failure-rates.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr int64_t DRAWN_STREAM = 4000000;     //!< first stream of drawn failures
constexpr int64_t BIT_ERROR_STREAM = 5000000; //!< first stream of bit errors
constexpr std::size_t MAX_NOTES = 40;         //!< failures told in notes; all are in the table

/// @param records records @param which one of their instants @return it in seconds; -1: never
std::vector<double>
ListInstants(const std::vector<FailureRecord>& records, std::optional<Time> FailureRecord::*which)
{
    std::vector<double> seconds;
    for (const FailureRecord& r : records)
    {
        seconds.push_back(r.*which ? (r.*which)->GetSeconds() : -1.0);
    }
    return seconds;
}

/// @param run its number @param log log @param budget longest switchover @return /failures
ResultTable
MakeTable(uint32_t run, const FailureLog& log, Time budget)
{
    const auto& records = log.GetAll();
    std::vector<std::string> kind;
    std::vector<std::string> element;
    std::vector<std::string> action;
    std::vector<std::string> value;
    std::vector<std::string> note;
    std::vector<double> at;
    std::vector<uint8_t> noop;
    std::vector<uint8_t> late;
    std::vector<uint64_t> moves;
    std::vector<uint64_t> moved;
    std::vector<uint64_t> lost;
    std::vector<uint64_t> resent;
    for (const FailureRecord& r : records)
    {
        kind.emplace_back(GetName(r.kind));
        element.push_back(r.element);
        action.emplace_back(GetName(r.action));
        value.push_back(r.value);
        at.push_back(r.at.GetSeconds());
        noop.push_back(r.noop ? 1 : 0);
        late.push_back(FailureLog::IsLate(r, budget) ? 1 : 0);
        moves.push_back(r.moves);
        moved.push_back(r.moved.Get());
        lost.push_back(r.framesLost);
        resent.push_back(r.resent.Get());
        note.push_back(r.note);
    }
    ResultTable table("/failures");
    table.Add("run", "1", std::vector<uint32_t>(records.size(), run));
    table.Add("kind", "text", kind);
    table.Add("element", "text", element);
    table.Add("action", "text", action);
    table.Add("value", "text", value);
    table.Add("at", "s", at);
    table.Add("detected", "s", ListInstants(records, &FailureRecord::detected));
    table.Add("reacted", "s", ListInstants(records, &FailureRecord::reacted));
    table.Add("recovered", "s", ListInstants(records, &FailureRecord::recovered));
    table.Add("noop", "1", noop);
    table.Add("over_budget", "1", late);
    table.Add("moves", "1", moves);
    table.Add("moved", "B", moved);
    table.Add("frames_lost", "1", lost);
    table.Add("resent", "B", resent);
    table.Add("note", "text", note);
    return table;
}

} // namespace

Ptr<FailureInjector>
InstallFailures(const FailureConfig& config,
                const MixnetFabric& fabric,
                const std::vector<Ptr<RegionalController>>& controllers)
{
    if (config.IsEmpty())
    {
        return nullptr;
    }
    const auto injector = CreateObject<FailureInjector>();
    injector->SetAttribute("ReactionTime", TimeValue(config.reactionTime));
    injector->SetAttribute("SwitchoverBudget", TimeValue(config.switchoverBudget));
    injector->SetDetectionTimes(config.detection);
    injector->SetFabric(fabric.GetControl(), fabric.GetTransport());
    for (const auto& controller : controllers)
    {
        injector->SetController(controller);
    }
    std::vector<FailureEvent> events = config.events;
    const std::vector<FailureEvent> drawn =
        DrawFailures(*fabric.GetGraph(), config.rates, config.horizon, DRAWN_STREAM);
    events.insert(events.end(), drawn.begin(), drawn.end());
    injector->SetSchedule(events);
    injector->AssignStreams(BIT_ERROR_STREAM);
    return injector;
}

void
ReportFailures(uint32_t run,
               const std::string& name,
               const Ptr<FailureInjector>& injector,
               RunResult& result)
{
    if (!injector)
    {
        return;
    }
    const std::vector<std::string> missed = injector->Finish();
    const FailureLog& log = injector->GetLog();
    if (!log.GetAll().empty())
    {
        result.tables.push_back(MakeTable(run, log, injector->GetBudget()));
    }
    std::vector<std::string> lines = log.Describe(injector->GetBudget());
    if (lines.size() > MAX_NOTES)
    {
        const std::string verdict = lines.back();
        lines.resize(MAX_NOTES);
        lines.push_back("more failures: see the table /failures");
        lines.push_back(verdict);
    }
    for (const auto& line : lines)
    {
        result.notes.push_back(name + ": " + line);
    }
    const std::size_t told = std::min(missed.size(), MAX_NOTES);
    result.notes.insert(result.notes.end(),
                        missed.begin(),
                        missed.begin() + static_cast<std::ptrdiff_t>(told));
    if (told < missed.size())
    {
        result.notes.push_back(name + ": " + std::to_string(missed.size() - told) +
                               " more failures never happened: the run was over before");
    }
}

} // namespace ns3
