/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "availability-study.h"

#include "ns3/checkpoint-model.h"
#include "ns3/double.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace ns3
{

namespace
{

constexpr int64_t WALK_STREAM = 6000000; //!< stream of the walk

/// @return values of a column; empty without the table
std::vector<double>
GetColumn(const RunResult& result, const std::string& table, const std::string& name)
{
    const ResultTable* t = result.Find(table);
    for (std::size_t i = 0; t != nullptr && i < t->GetColumns().size(); ++i)
    {
        if (t->GetColumns()[i].name == name)
        {
            return std::get<std::vector<double>>(t->GetColumns()[i].values);
        }
    }
    return {};
}

/// @return mean seconds of the iterations of a run; 0 when there are none
double
GetMeanIteration(const RunResult& result)
{
    const auto starts = GetColumn(result, "/iterations", "start");
    const auto ends = GetColumn(result, "/iterations", "end");
    double sum = 0;
    for (std::size_t i = 0; i < starts.size(); ++i)
    {
        sum += ends[i] - starts[i];
    }
    return starts.empty() ? 0 : sum / starts.size();
}

/// The worst of the kinds that are away.
class WorstOf : public IterationTimes
{
  public:
    /// @param healthy seconds @param degraded by kind: seconds
    WorstOf(double healthy, std::vector<double> degraded)
        : m_healthy(healthy),
          m_degraded(std::move(degraded))
    {
    }

    double GetTime(const DegradedState& state) override
    {
        double worst = m_healthy;
        for (std::size_t k = 0; k < state.size(); ++k)
        {
            worst = state[k] > 0 ? std::max(worst, m_degraded[k]) : worst;
        }
        return worst;
    }

  private:
    double m_healthy;               //!< seconds
    std::vector<double> m_degraded; //!< by kind
};

/// @return true when the job never uses a spare, and has a replica to go on with
bool
Shrinks(const Scenario& scenario)
{
    return scenario.recovery.policy == "shrink" && scenario.job.degrees.data > 1;
}

/// As if what every element that is away costs came on top.
class SumOf : public IterationTimes
{
  public:
    /// @param healthy seconds @param degraded by kind: seconds
    SumOf(double healthy, std::vector<double> degraded)
        : m_healthy(healthy),
          m_degraded(std::move(degraded))
    {
    }

    double GetTime(const DegradedState& state) override
    {
        double sum = m_healthy;
        for (std::size_t k = 0; k < state.size(); ++k)
        {
            sum += state[k] * std::max(0.0, m_degraded[k] - m_healthy);
        }
        return sum;
    }

  private:
    double m_healthy;               //!< seconds
    std::vector<double> m_degraded; //!< by kind
};

/// @return "healthy", "nic 1 gpu 2"
std::string
Describe(const DegradedState& state, const std::vector<FailingKind>& kinds)
{
    std::string text;
    for (std::size_t k = 0; k < state.size(); ++k)
    {
        if (state[k] > 0)
        {
            text += (text.empty() ? "" : " ") + kinds[k].name + " " + std::to_string(state[k]);
        }
    }
    return text.empty() ? "healthy" : text;
}

/// @param run its number @param r what the walk came to @param least goodput when what elements
/// cost adds up @param kinds kinds @param tables out
void
AddTables(uint32_t run,
          const AvailabilityResult& r,
          double least,
          const std::vector<FailingKind>& kinds,
          std::vector<ResultTable>& tables)
{
    const auto one = [](double value) { return std::vector<double>{value}; };
    ResultTable t("/availability");
    t.Add("run", "1", std::vector<uint32_t>{run});
    t.Add("horizon", "s", one(r.horizon));
    t.Add("availability", "1", one(r.GetAvailability()));
    t.Add("goodput", "1", one(r.GetGoodput()));
    t.Add("goodput_least", "1", one(least));
    t.Add("useful_iterations", "1", one(r.usefulIterations));
    t.Add("up", "s", one(r.up));
    t.Add("shrunk", "s", one(r.shrunk));
    t.Add("lost", "s", one(r.lost));
    t.Add("saving", "s", one(r.saving));
    t.Add("restoring", "s", one(r.restoring));
    t.Add("waiting", "s", one(r.waiting));
    t.Add("checkpoints", "1", std::vector<uint64_t>{r.checkpoints});
    for (std::size_t k = 0; k < kinds.size(); ++k)
    {
        t.Add("failures_" + kinds[k].name, "1", std::vector<uint64_t>{r.failures[k]});
    }
    tables.push_back(std::move(t));
    std::vector<std::string> states;
    std::vector<double> seconds;
    for (const auto& [state, time] : r.timeByState)
    {
        states.push_back(Describe(state, kinds));
        seconds.push_back(time);
    }
    ResultTable s("/availability_states");
    s.Add("run", "1", std::vector<uint32_t>(states.size(), run));
    s.Add("state", "text", states);
    s.Add("time", "s", seconds);
    tables.push_back(std::move(s));
}

/// @param name of the variant @param r what the walk came to @param least goodput at the least
/// @param kinds what fails @param save seconds of a checkpoint; 0: none @param notes out
void
AddNotes(const std::string& name,
         const AvailabilityResult& r,
         double least,
         const std::vector<FailingKind>& kinds,
         double save,
         std::vector<std::string>& notes)
{
    double rate = 0;
    for (const FailingKind& k : kinds)
    {
        rate += k.stopsRanks ? k.elements / k.mtbf : 0;
    }
    char text[500];
    std::snprintf(text,
                  sizeof(text),
                  "%s: over %.4g days available %.3f %%, goodput %.3f %% (%.3f %% if what elements "
                  "cost adds up) of %.4g s iterations; restoring %.4g s, waiting %.4g s, saving "
                  "%.4g s, lost %.4g s",
                  name.c_str(),
                  r.horizon / 86400,
                  100 * r.GetAvailability(),
                  100 * r.GetGoodput(),
                  100 * least,
                  r.healthyIteration,
                  r.restoring,
                  r.waiting,
                  r.saving,
                  r.lost);
    notes.emplace_back(text);
    if (rate > 0 && save > 0)
    {
        std::snprintf(text,
                      sizeof(text),
                      "%s: a rank is lost every %.4g h; Young's checkpoint interval is %.4g s, "
                      "%.4g iterations",
                      name.c_str(),
                      1 / rate / 3600,
                      std::sqrt(2 * save / rate),
                      std::sqrt(2 * save / rate) / r.healthyIteration);
        notes.emplace_back(text);
    }
}

} // namespace

AvailabilityStudy::AvailabilityStudy(const Scenario& scenario)
    : m_scenario(scenario)
{
    Scenario healthy = scenario;
    healthy.record.controllerDemand = false; // only iterations of its states are looked at
    if (!Shrinks(scenario))
    {
        healthy.recovery.policy = "spare"; // what a run with one loss shows
    }
    healthy.failures.events.clear();
    healthy.failures.rates = FailureRates{};
    m_scenarios.push_back(healthy);
    for (const FailureKind kind : {FailureKind::NIC, FailureKind::GPU, FailureKind::SERVER})
    {
        if (scenario.availability.rates[static_cast<std::size_t>(kind)].mtbf > 0)
        {
            m_kinds.push_back(kind);
            FailureEvent event;
            event.element.kind = kind;
            event.element.first = kind == FailureKind::NIC ? "0/0" : "0";
            m_scenarios.push_back(healthy);
            Scenario& failing = m_scenarios.back();
            failing.failures.events.push_back(event);
            // Without spares the job waits for the repair; what it needs then is what it needs to
            // go on with one.
            if (kind == FailureKind::GPU && failing.recovery.regionGpus.GetCount(1000) == 0)
            {
                failing.recovery.regionGpus = {0, 1};
            }
            if (kind == FailureKind::SERVER && failing.recovery.globalServers.GetCount(1000) == 0)
            {
                failing.recovery.globalServers = {0, 1};
            }
        }
    }
}

std::vector<FailingKind>
AvailabilityStudy::MakeKinds(const RunVariant& variant, const std::vector<RunResult>& runs) const
{
    const ClusterConfig& c = m_scenario.cluster;
    const SparePlan spares = GetSparePlan(m_scenario, variant.fabric);
    std::vector<FailingKind> kinds;
    for (std::size_t i = 0; i < m_kinds.size(); ++i)
    {
        const FailureRate& rate =
            m_scenario.availability.rates[static_cast<std::size_t>(m_kinds[i])];
        FailingKind kind;
        kind.name = GetName(m_kinds[i]);
        kind.mtbf = rate.mtbf;
        kind.mttr = rate.mttr;
        kind.elements = c.servers;
        kind.elements *= m_kinds[i] == FailureKind::NIC   ? c.nicsPerServer
                         : m_kinds[i] == FailureKind::GPU ? c.gpusPerServer
                                                          : 1;
        kind.stopsRanks = m_kinds[i] != FailureKind::NIC;
        const bool isGpu = m_kinds[i] == FailureKind::GPU;
        kind.pools = isGpu ? spares.GetNRegions() : 1;
        kind.spares = isGpu ? spares.gpusPerRegion : spares.globalServers;
        if (m_scenario.recovery.policy == "shrink")
        {
            kind.pools = 1;
            kind.spares = 0;
        }
        kind.fallsBack = isGpu && kind.spares + spares.globalServers > 0;
        const auto failed = GetColumn(runs[i + 1], "/recoveries", "failed");
        const auto resumed = GetColumn(runs[i + 1], "/recoveries", "resumed");
        kind.downtime = resumed.empty() ? 0 : resumed[0] - failed[0];
        kind.restart = kind.downtime;
        kind.losesWork = !m_scenario.recovery.restoreFromPeers ||
                         m_scenario.recovery.checkpoints.sharded || m_scenario.job.degrees.data < 2;
        kinds.push_back(kind);
    }
    if (!kinds.empty() && kinds.back().fallsBack)
    {
        // Servers that never fail stand in for GPUs.
        FailingKind servers;
        servers.name = GetName(FailureKind::SERVER);
        servers.elements = c.servers;
        servers.stopsRanks = true;
        servers.spares = m_scenario.recovery.policy == "shrink" ? 0 : spares.globalServers;
        kinds.push_back(servers);
    }
    return kinds;
}

void
AvailabilityStudy::Add(const RunVariant& variant,
                       const std::vector<RunResult>& runs,
                       const std::string& name,
                       RunResult& result) const
{
    std::vector<double> degraded;
    for (const RunResult& run : runs)
    {
        degraded.push_back(GetMeanIteration(run));
        if (run.status != RunStatus::DONE || degraded.back() <= 0)
        {
            const std::string why = "no availability, a run with a failure did not end: ";
            result.notes.push_back(name + ": " + why + run.message);
            if (result.status == RunStatus::DONE)
            {
                result.status = RunStatus::UNFINISHED;
                result.message = why + run.message;
            }
            return;
        }
    }
    const double healthy = degraded.front();
    degraded.erase(degraded.begin());
    const std::vector<FailingKind> kinds = MakeKinds(variant, runs);
    const auto saves = GetColumn(runs.front(), "/checkpoints", "blocking");
    degraded.resize(kinds.size(), healthy);
    const auto walk = [&](IterationTimes& times) {
        const auto draws = CreateObject<ExponentialRandomVariable>();
        draws->SetAttribute("Mean", DoubleValue(1));
        draws->SetStream(WALK_STREAM);
        AvailabilityWalk w(kinds,
                           {m_scenario.recovery.checkpoints.interval, saves.empty() ? 0 : saves[0]},
                           times,
                           draws);
        const std::string& policy = m_scenario.recovery.policy;
        w.SetReplicas(
            policy == "shrink" || policy == "spare-or-shrink" ? m_scenario.job.degrees.data : 0);
        return w.Run(m_scenario.availability.horizon);
    };
    WorstOf worst(healthy, degraded);
    SumOf sum(healthy, degraded);
    const AvailabilityResult r = walk(worst);
    const double least = walk(sum).GetGoodput();
    AddTables(variant.run, r, least, kinds, result.tables);
    AddNotes(name, r, least, kinds, saves.empty() ? 0 : saves[0], result.notes);
}

} // namespace ns3
