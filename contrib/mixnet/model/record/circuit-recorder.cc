/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-recorder.h"

#include "result-column.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

/// @tparam R row @tparam G getter @param rows rows @param get value of a row @return the column
template <class R, class G>
std::vector<uint32_t>
Counts(const std::vector<R>& rows, const G& get)
{
    std::vector<uint32_t> values;
    values.reserve(rows.size());
    for (const auto& row : rows)
    {
        values.push_back(static_cast<uint32_t>(get(row)));
    }
    return values;
}

/// @tparam R row @tparam G getter @param rows rows @param get time of a row @return in seconds;
/// infinite for Time::Max()
template <class R, class G>
std::vector<double>
Seconds(const std::vector<R>& rows, const G& get)
{
    std::vector<double> values;
    values.reserve(rows.size());
    for (const auto& row : rows)
    {
        const Time time = get(row);
        values.push_back(time == Time::Max() ? std::numeric_limits<double>::infinity()
                                             : time.GetSeconds());
    }
    return values;
}

} // namespace

CircuitRecorder::CircuitRecorder(uint32_t run)
    : m_run(run)
{
}

namespace
{

/// @param circuits circuits @return simplex ones
uint32_t
CountSimplex(const std::vector<Circuit>& circuits)
{
    return static_cast<uint32_t>(
        std::count_if(circuits.begin(), circuits.end(), [](const Circuit& c) {
            return c.kind == CircuitKind::SIMPLEX;
        }));
}

} // namespace

void
CircuitRecorder::Listen(const Ptr<RegionalController>& controller)
{
    ++m_regions;
    controller->TraceConnectWithoutContext("Decision",
                                           MakeCallback(&CircuitRecorder::OnDecision, this));
    controller->TraceConnectWithoutContext("Outcome",
                                           MakeCallback(&CircuitRecorder::OnOutcome, this));
    controller->TraceConnectWithoutContext("Prediction",
                                           MakeCallback(&CircuitRecorder::OnPrediction, this));
    controller->TraceConnectWithoutContext("Reconfiguration",
                                           MakeCallback(&CircuitRecorder::OnReconfiguration, this));
}

void
CircuitRecorder::SetLayout(std::shared_ptr<const ParallelLayout> layout, uint32_t denseLayers)
{
    m_layout = std::move(layout);
    m_denseLayers = denseLayers;
}

void
CircuitRecorder::OnDecision(const CircuitDecision& decision)
{
    m_byNumber[decision.region].push_back(m_decisions.size());
    m_decisions.push_back({decision, {}});
    m_decisions.back().made.demand = nullptr; // both end with this call
    m_decisions.back().made.basis = nullptr;
}

void
CircuitRecorder::OnOutcome(const CircuitOutcome& outcome)
{
    const auto& decisions = m_byNumber.at(outcome.region);
    m_decisions[decisions.at(outcome.decision - 1)].outcome = outcome;
}

void
CircuitRecorder::OnPrediction(const DemandPrediction& prediction)
{
    m_predictions.push_back(prediction);
}

void
CircuitRecorder::OnReconfiguration(const CircuitReconfiguration& reconfiguration)
{
    Row row{reconfiguration,
            static_cast<uint32_t>(reconfiguration.added.size()),
            static_cast<uint32_t>(reconfiguration.removed.size()),
            CountSimplex(reconfiguration.added) + CountSimplex(reconfiguration.removed)};
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
    for (const auto& [decision, outcome] : m_decisions)
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
    if (!m_rows.empty())
    {
        ResultTable t("/circuits");
        const auto& rows = m_rows;
        t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
        t.Add("region", "1", Counts(rows, [](const Row& r) { return r.times.region.Get(); }));
        t.Add("reconfiguration", "1", Counts(rows, [](const Row& r) { return r.times.number; }));
        t.Add("iteration", "1", Counts(rows, [](const Row& r) { return r.times.id.iteration; }));
        t.Add("layer", "1", Counts(rows, [](const Row& r) { return r.times.id.layer; }));
        t.Add("micro_batch", "1", Counts(rows, [](const Row& r) { return r.times.id.microBatch; }));
        t.Add("requested", "s", Seconds(rows, [](const Row& r) { return r.times.requested; }));
        t.Add("held", "s", Seconds(rows, [](const Row& r) { return r.times.held; }));
        t.Add("drained", "s", Seconds(rows, [](const Row& r) { return r.times.drained; }));
        t.Add("switched", "s", Seconds(rows, [](const Row& r) { return r.times.switched; }));
        t.Add("lit", "s", Seconds(rows, [](const Row& r) { return r.times.lit; }));
        t.Add("added", "1", Counts(rows, [](const Row& r) { return r.added; }));
        t.Add("removed", "1", Counts(rows, [](const Row& r) { return r.removed; }));
        t.Add("kept", "1", Counts(rows, [](const Row& r) { return r.times.kept; }));
        t.Add("forced", "1", Counts(rows, [](const Row& r) { return r.times.forced; }));
        t.Add("simplex", "1", Counts(rows, [](const Row& r) { return r.simplex; }));
        tables.push_back(std::move(t));
    }
    if (!m_decisions.empty())
    {
        tables.push_back(MakeDecisions());
    }
    if (!m_predictions.empty())
    {
        tables.push_back(MakePredictions());
    }
}

ResultTable
CircuitRecorder::MakePredictions() const
{
    using P = DemandPrediction;
    const auto& rows = m_predictions;
    ResultTable t("/predictions");
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
    t.Add("time", "s", Seconds(rows, [](const P& p) { return p.time; }));
    t.Add("region", "1", Counts(rows, [](const P& p) { return p.region.Get(); }));
    t.Add("iteration", "1", Counts(rows, [](const P& p) { return p.id.iteration; }));
    t.Add("layer", "1", Counts(rows, [](const P& p) { return p.id.layer; }));
    t.Add("micro_batch", "1", Counts(rows, [](const P& p) { return p.id.microBatch; }));
    if (m_layout)
    {
        const uint32_t stages = m_layout->GetDegrees().pipeline;
        t.Add("replica", "1", Counts(rows, [=](const P& p) { return p.id.group / stages; }));
        t.Add("stage", "1", Counts(rows, [=](const P& p) { return p.id.group % stages; }));
    }
    t.Add("bytes", "B", Column(rows, [](const P& p) { return p.bytes.Get(); }));
    t.Add("receiver_error", "1", Column(rows, [](const P& p) { return p.score.error; }));
    t.Add("pair_error", "1", Column(rows, [](const P& p) { return p.score.pairs; }));
    t.Add("misplaced", "B", Column(rows, [](const P& p) {
              return static_cast<uint64_t>(p.score.pairs * static_cast<double>(p.bytes.Get()) +
                                           0.5);
          }));
    t.Add("top", "1", Counts(rows, [](const P& p) { return p.top; }));
    t.Add("top_hit", "1", Column(rows, [](const P& p) { return p.score.top; }));
    t.Add("finish", "s", Seconds(rows, [](const P& p) { return p.finish; }));
    return t;
}

ResultTable
CircuitRecorder::MakeDecisions() const
{
    ResultTable t("/decisions");
    const auto& rows = m_decisions;
    using D = Decision;
    std::vector<std::string> phases;
    std::vector<std::string> events;
    std::vector<std::string> actions;
    std::vector<std::string> reasons;
    std::vector<uint64_t> plans;
    for (const auto& [d, outcome] : rows)
    {
        phases.emplace_back(ns3::GetName(d.id.phase));
        events.emplace_back(ns3::GetName(d.event));
        actions.emplace_back(ns3::GetName(d.action));
        reasons.emplace_back(d.why);
        plans.push_back(d.plan);
    }
    t.Add("run", "1", std::vector<uint32_t>(rows.size(), m_run));
    t.Add("time", "s", Seconds(rows, [](const D& d) { return d.made.time; }));
    t.Add("region", "1", Counts(rows, [](const D& d) { return d.made.region.Get(); }));
    t.Add("number", "1", Counts(rows, [](const D& d) { return d.made.number; }));
    t.Add("iteration", "1", Counts(rows, [](const D& d) { return d.made.id.iteration; }));
    t.Add("layer", "1", Counts(rows, [](const D& d) { return d.made.id.layer; }));
    t.Add("micro_batch", "1", Counts(rows, [](const D& d) { return d.made.id.microBatch; }));
    t.Add("phase", "text", std::move(phases));
    AddOperations(t);
    t.Add("event", "text", std::move(events));
    t.Add("action", "text", std::move(actions));
    t.Add("why", "text", std::move(reasons));
    t.Add("predicted_current", "s", Seconds(rows, [](const D& d) {
              return d.made.predictedCurrent;
          }));
    t.Add("predicted_proposed", "s", Seconds(rows, [](const D& d) {
              return d.made.predictedProposed;
          }));
    t.Add("expected_dark", "s", Seconds(rows, [](const D& d) { return d.made.expectedDark; }));
    t.Add("changed", "1", Counts(rows, [](const D& d) { return d.made.changed; }));
    t.Add("kept", "1", Counts(rows, [](const D& d) { return d.made.kept; }));
    t.Add("reconfiguration", "1", Counts(rows, [](const D& d) { return d.made.reconfiguration; }));
    t.Add("circuits", "1", Counts(rows, [](const D& d) { return d.made.circuits; }));
    t.Add("idle_ports", "1", Counts(rows, [](const D& d) { return d.made.idlePorts; }));
    t.Add("plan", "hash", std::move(plans));
    AddOutcomes(t);
    return t;
}

void
CircuitRecorder::AddOperations(ResultTable& t) const
{
    if (!m_layout)
    {
        return;
    }
    const auto& rows = m_decisions;
    const uint32_t stages = m_layout->GetDegrees().pipeline;
    using D = Decision;
    std::vector<std::string> kinds;
    for (const auto& [d, outcome] : rows)
    {
        const bool dispatch = d.id.phase == AllToAllPhase::FORWARD_DISPATCH ||
                              d.id.phase == AllToAllPhase::RECOMPUTED_DISPATCH ||
                              d.id.phase == AllToAllPhase::BACKWARD_DISPATCH;
        kinds.emplace_back(ns3::GetName(dispatch ? OpKind::DISPATCH : OpKind::COMBINE));
    }
    t.Add("replica", "1", Counts(rows, [=](const D& d) { return d.made.id.group / stages; }));
    t.Add("stage", "1", Counts(rows, [=](const D& d) { return d.made.id.group % stages; }));
    t.Add("op_layer", "1", Counts(rows, [this](const D& d) {
              return d.made.id.layer + m_denseLayers;
          }));
    t.Add("kind", "text", std::move(kinds));
    t.Add("backward", "1", Counts(rows, [](const D& d) { return IsBackward(d.made.id.phase); }));
    t.Add("recomputed", "1", Counts(rows, [](const D& d) {
              return IsRecomputed(d.made.id.phase);
          }));
}

void
CircuitRecorder::AddOutcomes(ResultTable& t) const
{
    const auto& rows = m_decisions;
    using D = Decision;
    t.Add("served", "1", Counts(rows, [](const D& d) { return d.outcome.served; }));
    t.Add("actual", "s", Seconds(rows, [](const D& d) { return d.outcome.actual; }));
    t.Add("actual_gain", "s", Seconds(rows, [](const D& d) { return d.outcome.gain; }));
    t.Add("waited", "s", Seconds(rows, [](const D& d) { return d.outcome.waited; }));
    t.Add("dark", "s", Seconds(rows, [](const D& d) { return d.outcome.dark; }));
    t.Add("replaced", "1", Counts(rows, [](const D& d) { return d.outcome.replaced; }));
}

} // namespace ns3
