/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "twin-comparison.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <map>
#include <vector>

namespace ns3
{

namespace
{

/// An iteration of a run.
struct Span
{
    uint32_t iteration{0}; //!< which
    double start{0};       //!< seconds
    double end{0};         //!< seconds
};

/// @param table table @param name a column of that type @return its values
template <class T>
const std::vector<T>&
GetColumn(const ResultTable& table, const std::string& name)
{
    for (const auto& column : table.GetColumns())
    {
        if (column.name == name)
        {
            return std::get<std::vector<T>>(column.values);
        }
    }
    MIXNET_CHECK(false, "no column " << name << " in " << table.GetName());
}

/// @return iterations of a run
std::vector<Span>
ListIterations(const RunResult& result)
{
    std::vector<Span> spans;
    const ResultTable* table = result.Find("/iterations");
    for (std::size_t i = 0; table != nullptr && i < table->GetNRows(); ++i)
    {
        spans.push_back({GetColumn<uint32_t>(*table, "iteration")[i],
                         GetColumn<double>(*table, "start")[i],
                         GetColumn<double>(*table, "end")[i]});
    }
    return spans;
}

/// @return slowdown of the iterations within [from, until]; -1: there are none
double
GetSlowdown(const std::vector<Span>& spans,
            const std::map<uint32_t, double>& twin,
            double from,
            double until)
{
    double took = 0;
    double twins = 0;
    for (const Span& s : spans)
    {
        const auto it = twin.find(s.iteration);
        if (s.start >= from && s.end <= until && it != twin.end())
        {
            took += s.end - s.start;
            twins += it->second;
        }
    }
    return twins > 0 ? took / twins - 1 : -1;
}

/// @return "3.1 % longer"
std::string
Describe(double slowdown)
{
    char text[64];
    std::snprintf(text,
                  sizeof(text),
                  "%.2f %% %s",
                  100 * std::abs(slowdown),
                  slowdown < 0 ? "shorter" : "longer");
    return text;
}

/// @param result in and out @param name of a table @param values of its new column
void
AddSlowdown(RunResult& result, const std::string& name, std::vector<double> values)
{
    for (ResultTable& table : result.tables)
    {
        if (table.GetName() == name)
        {
            table.Add("slowdown", "1", std::move(values));
            return;
        }
    }
}

} // namespace

void
CompareWithTwin(const std::string& name, const RunResult& twin, RunResult& result)
{
    const ResultTable* failures = result.Find("/failures");
    if (failures == nullptr)
    {
        return;
    }
    const std::vector<Span> spans = ListIterations(result);
    std::map<uint32_t, double> durations;
    for (const Span& s : ListIterations(twin))
    {
        durations[s.iteration] = s.end - s.start;
    }
    const auto& at = GetColumn<double>(*failures, "at");
    const auto& reacted = GetColumn<double>(*failures, "reacted");
    const auto& recovered = GetColumn<double>(*failures, "recovered");
    const auto& noop = GetColumn<uint8_t>(*failures, "noop");
    const auto& kind = GetColumn<std::string>(*failures, "kind");
    const auto& element = GetColumn<std::string>(*failures, "element");
    const auto& action = GetColumn<std::string>(*failures, "action");
    std::vector<double> slowdown;
    for (std::size_t i = 0; i < at.size(); ++i)
    {
        const double from = std::max({at[i], reacted[i], recovered[i]});
        double until = std::numeric_limits<double>::infinity();
        for (std::size_t j = i + 1; j < at.size(); ++j)
        {
            until = noop[j] == 0 && at[j] > at[i] ? std::min(until, at[j]) : until;
        }
        slowdown.push_back(GetSlowdown(spans, durations, from, until));
        if (noop[i] == 0 && slowdown.back() > -1)
        {
            result.notes.push_back(name + ": after " + kind[i] + " " + element[i] + " " +
                                   action[i] + " iterations take " + Describe(slowdown.back()) +
                                   " than without failures");
        }
    }
    std::vector<double> ofRecoveries;
    if (const ResultTable* recoveries = result.Find("/recoveries"))
    {
        for (const double resumed : GetColumn<double>(*recoveries, "resumed"))
        {
            double until = std::numeric_limits<double>::infinity();
            for (std::size_t j = 0; j < at.size(); ++j)
            {
                until = noop[j] == 0 && at[j] > resumed ? std::min(until, at[j]) : until;
            }
            ofRecoveries.push_back(GetSlowdown(spans, durations, resumed, until));
        }
        AddSlowdown(result, "/recoveries", std::move(ofRecoveries));
    }
    AddSlowdown(result, "/failures", std::move(slowdown));
}

} // namespace ns3
