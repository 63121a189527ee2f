/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-recorder.h"

#include <algorithm>
#include <map>
#include <string>

namespace ns3
{

CircuitRecorder::CircuitRecorder(uint32_t run)
    : m_run(run)
{
}

void
CircuitRecorder::Listen(const Ptr<RegionalController>& controller)
{
    ++m_regions;
    controller->TraceConnectWithoutContext("Decision",
                                           MakeCallback(&CircuitRecorder::OnDecision, this));
    controller->TraceConnectWithoutContext("Reconfiguration",
                                           MakeCallback(&CircuitRecorder::OnReconfiguration, this));
}

void
CircuitRecorder::OnDecision(const CircuitDecision& decision)
{
    m_decisions.push_back(decision);
}

void
CircuitRecorder::OnReconfiguration(const CircuitReconfiguration& reconfiguration)
{
    Row row{reconfiguration,
            static_cast<uint32_t>(reconfiguration.added.size()),
            static_cast<uint32_t>(reconfiguration.removed.size())};
    row.times.added = {};
    row.times.removed = {};
    row.times.darkEdges = {};
    m_rows.push_back(std::move(row));
}

CircuitSummary
CircuitRecorder::Summarize(Time from, Time to) const
{
    CircuitSummary summary;
    std::map<RegionId, std::vector<std::pair<Time, Time>>> dark;
    for (const auto& row : m_rows)
    {
        if (!row.times.last)
        {
            continue; // it took no light away
        }
        summary.reconfigurations += row.times.lit >= from && row.times.lit < to ? 1 : 0;
        const Time start = std::max(row.times.held, from);
        const Time end = std::min(row.times.lit, to);
        if (start < end)
        {
            dark[row.times.region].emplace_back(start, end);
        }
    }
    for (auto& [region, intervals] : dark)
    {
        std::sort(intervals.begin(), intervals.end());
        Time covered = from;
        for (const auto& [start, end] : intervals)
        {
            summary.dark += std::max(end, covered) - std::max(start, covered);
            covered = std::max(covered, end);
        }
    }
    summary.dark = m_regions > 0 ? summary.dark / static_cast<int64_t>(m_regions) : Time();
    std::set<uint64_t> plans;
    for (const auto& decision : m_decisions)
    {
        if (decision.time >= from && decision.time < to)
        {
            summary.kept += decision.kept ? 1 : 0;
            plans.insert(decision.plan);
        }
    }
    summary.distinctPlans = plans.size();
    return summary;
}

void
CircuitRecorder::AddTables(std::vector<ResultTable>& tables) const
{
    using Counts = std::vector<uint32_t>;
    const auto counts = [](const auto& rows, const auto& get) {
        Counts values;
        values.reserve(rows.size());
        for (const auto& row : rows)
        {
            values.push_back(static_cast<uint32_t>(get(row)));
        }
        return values;
    };
    const auto seconds = [](const auto& rows, const auto& get) {
        std::vector<double> values;
        values.reserve(rows.size());
        for (const auto& row : rows)
        {
            values.push_back(get(row).GetSeconds());
        }
        return values;
    };
    if (!m_rows.empty())
    {
        ResultTable t("/circuits");
        const auto& rows = m_rows;
        t.Add("run", "1", Counts(rows.size(), m_run));
        t.Add("region", "1", counts(rows, [](const Row& r) { return r.times.region.Get(); }));
        t.Add("iteration", "1", counts(rows, [](const Row& r) { return r.times.id.iteration; }));
        t.Add("layer", "1", counts(rows, [](const Row& r) { return r.times.id.layer; }));
        t.Add("micro_batch", "1", counts(rows, [](const Row& r) { return r.times.id.microBatch; }));
        t.Add("requested", "s", seconds(rows, [](const Row& r) { return r.times.requested; }));
        t.Add("held", "s", seconds(rows, [](const Row& r) { return r.times.held; }));
        t.Add("drained", "s", seconds(rows, [](const Row& r) { return r.times.drained; }));
        t.Add("switched", "s", seconds(rows, [](const Row& r) { return r.times.switched; }));
        t.Add("lit", "s", seconds(rows, [](const Row& r) { return r.times.lit; }));
        t.Add("added", "1", counts(rows, [](const Row& r) { return r.added; }));
        t.Add("removed", "1", counts(rows, [](const Row& r) { return r.removed; }));
        t.Add("kept", "1", counts(rows, [](const Row& r) { return r.times.kept; }));
        t.Add("forced", "1", counts(rows, [](const Row& r) { return r.times.forced; }));
        tables.push_back(std::move(t));
    }
    if (!m_decisions.empty())
    {
        ResultTable t("/decisions");
        const auto& rows = m_decisions;
        using D = CircuitDecision;
        std::vector<std::string> phases;
        std::vector<std::string> events;
        std::vector<std::string> actions;
        std::vector<std::string> reasons;
        std::vector<uint64_t> plans;
        for (const auto& d : rows)
        {
            phases.emplace_back(ns3::GetName(d.id.phase));
            events.emplace_back(ns3::GetName(d.event));
            actions.emplace_back(ns3::GetName(d.action));
            reasons.emplace_back(d.why);
            plans.push_back(d.plan);
        }
        t.Add("run", "1", Counts(rows.size(), m_run));
        t.Add("time", "s", seconds(rows, [](const D& d) { return d.time; }));
        t.Add("region", "1", counts(rows, [](const D& d) { return d.region.Get(); }));
        t.Add("iteration", "1", counts(rows, [](const D& d) { return d.id.iteration; }));
        t.Add("layer", "1", counts(rows, [](const D& d) { return d.id.layer; }));
        t.Add("micro_batch", "1", counts(rows, [](const D& d) { return d.id.microBatch; }));
        t.Add("phase", "text", std::move(phases));
        t.Add("event", "text", std::move(events));
        t.Add("action", "text", std::move(actions));
        t.Add("why", "text", std::move(reasons));
        t.Add("predicted_current", "s", seconds(rows, [](const D& d) {
                  return d.predictedCurrent;
              }));
        t.Add("predicted_proposed", "s", seconds(rows, [](const D& d) {
                  return d.predictedProposed;
              }));
        t.Add("changed", "1", counts(rows, [](const D& d) { return d.changed; }));
        t.Add("kept", "1", counts(rows, [](const D& d) { return d.kept; }));
        t.Add("circuits", "1", counts(rows, [](const D& d) { return d.circuits; }));
        t.Add("idle_ports", "1", counts(rows, [](const D& d) { return d.idlePorts; }));
        t.Add("plan", "hash", std::move(plans));
        tables.push_back(std::move(t));
    }
}

} // namespace ns3
