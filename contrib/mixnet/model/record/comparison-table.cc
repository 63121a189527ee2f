/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "comparison-table.h"

#include "table-text.h"

#include "ns3/traffic-class.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>

namespace ns3
{

namespace
{

/// @param table /iterations @param summary out
void
Fill(const ResultTable& table, RunSummary& summary)
{
    const TableReader c(table);
    const std::size_t n = table.GetNRows();
    summary.iterations = static_cast<uint32_t>(n);
    double least = 0;
    double most = 0;
    for (std::size_t i = 0; i < n; ++i)
    {
        const double duration = c.Get("end", i) - c.Get("start", i);
        least = i == 0 ? duration : std::min(least, duration);
        most = std::max(most, duration);
        summary.mean += duration;
        for (std::size_t k = 0; k < N_TRAFFIC_CLASSES; ++k)
        {
            summary.exposed +=
                c.Get(std::string("exposed_") + GetName(static_cast<TrafficClass>(k)), i);
        }
        summary.waiting += c.Get("waiting_for_circuits", i);
        summary.hiddenShare += c.Get("hidden_share", i);
        summary.dark += c.Get("dark_time", i);
        summary.scaleUpBytes += c.Get("bytes_scale_up", i);
        summary.circuitBytes += c.Get("bytes_circuit", i);
        summary.packetBytes += c.Get("bytes_packet", i);
        summary.reconfigurations += c.Get("reconfigurations", i);
        summary.distinctPlans =
            std::max(summary.distinctPlans, static_cast<uint64_t>(c.Get("distinct_plans", i)));
    }
    summary.spread = most - least;
    for (double* mean : {&summary.mean,
                         &summary.exposed,
                         &summary.waiting,
                         &summary.hiddenShare,
                         &summary.dark,
                         &summary.scaleUpBytes,
                         &summary.circuitBytes,
                         &summary.packetBytes,
                         &summary.reconfigurations})
    {
        *mean /= static_cast<double>(std::max<std::size_t>(n, 1));
    }
}

/// @param table /decisions @param summary out
void
Fill(const ResultTable& table, DecisionSummary& summary)
{
    const TableReader c(table);
    for (std::size_t i = 0; i < table.GetNRows(); ++i)
    {
        if (c.Get("kept", i) != 0)
        {
            continue;
        }
        ++summary.changed;
        const double served = c.Get("served", i);
        const double gain = c.Get("actual_gain", i);
        if (served == 0 || c.Get("replaced", i) != 0 || std::isinf(gain))
        {
            continue;
        }
        ++summary.judged;
        summary.predictedGain +=
            served * (c.Get("predicted_current", i) - c.Get("predicted_proposed", i));
        summary.actualGain += gain;
        summary.dark += c.Get("dark", i);
        summary.worthwhile += gain > c.Get("dark", i) ? 1 : 0;
    }
    const auto n = static_cast<double>(std::max<uint64_t>(summary.judged, 1));
    for (double* mean :
         {&summary.predictedGain, &summary.actualGain, &summary.dark, &summary.worthwhile})
    {
        *mean /= n;
    }
}

} // namespace

std::vector<RunSummary>
Summarize(const std::vector<RunLabel>& labels, const std::vector<RunResult>& results)
{
    std::vector<RunSummary> summaries;
    std::map<std::string, double> reference;
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        RunSummary s;
        s.label = labels[i];
        s.status = results[i].status;
        const ResultTable* table = results[i].Find("/iterations");
        if (table != nullptr)
        {
            Fill(*table, s);
        }
        if (const ResultTable* decisions = results[i].Find("/decisions"))
        {
            Fill(*decisions, s.decisions);
        }
        const auto it = reference.emplace(s.label.compute, s.mean).first;
        s.relative = it->second > 0 ? s.mean / it->second : 0;
        summaries.push_back(s);
    }
    return summaries;
}

void
PrintComparison(std::ostream& out, const std::vector<RunSummary>& summaries)
{
    std::vector<std::string> models;
    for (const auto& s : summaries)
    {
        if (std::find(models.begin(), models.end(), s.label.compute) == models.end())
        {
            models.push_back(s.label.compute);
        }
    }
    for (const auto& model : models)
    {
        std::vector<std::vector<std::string>> rows{{"fabric",
                                                    "iteration",
                                                    "spread",
                                                    "relative",
                                                    "exposed",
                                                    "waiting",
                                                    "hidden",
                                                    "dark",
                                                    "NVSwitch",
                                                    "circuit",
                                                    "packet",
                                                    "reconf.",
                                                    "plans"}};
        for (const auto& s : summaries)
        {
            if (s.label.compute != model)
            {
                continue;
            }
            if (s.iterations == 0)
            {
                rows.push_back({s.label.fabric, "no iteration ended"});
                continue;
            }
            rows.push_back({s.label.fabric,
                            Duration(s.mean),
                            Duration(s.spread),
                            Fixed(s.relative, 3),
                            Duration(s.exposed),
                            Duration(s.waiting),
                            Fixed(100 * s.hiddenShare, 1) + " %",
                            Duration(s.dark),
                            Volume(s.scaleUpBytes),
                            Volume(s.circuitBytes),
                            Volume(s.packetBytes),
                            Fixed(s.reconfigurations, 0),
                            std::to_string(s.distinctPlans)});
        }
        out << "\ncompute model: " << model
            << " (times, bytes and reconfigurations per iteration; relative to the first row)\n";
        PrintAligned(rows, out);
    }
}

} // namespace ns3
