/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "why-report.h"

#include "table-text.h"

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

constexpr double LEAST_SHARE = 0.02;  //!< of a phase that is printed
constexpr std::size_t MOST_LINES = 4; //!< of a run that are printed

/// A phase so far.
struct Phase
{
    WhyLine line;                        //!< sums
    double load{0};                      //!< of the resources that bounded it, s
    double next{0};                      //!< of the next ones, s
    std::map<std::string, double> kinds; //!< time by kind of resource, s
    std::map<std::pair<std::string, std::string>, double> resources; //!< time by kind and name, s
};

/// @param times by key @return the key with the longest time; of several, the first
template <class K>
std::pair<K, double>
FindLongest(const std::map<K, double>& times)
{
    const auto at = std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
    });
    return *at;
}

/// @param phase with sums: fill in what bounded it
void
Judge(Phase& phase)
{
    WhyLine& line = phase.line;
    const double time = std::max(line.time, 1e-30);
    std::tie(line.kind, line.kindShare) = FindLongest(phase.kinds);
    line.kindShare /= time;
    std::map<std::string, double> names;
    for (const auto& [key, seconds] : phase.resources)
    {
        if (key.first == line.kind)
        {
            names[key.second] = seconds;
        }
    }
    std::tie(line.resource, line.resourceShare) = FindLongest(names);
    line.resourceShare /= time;
    line.explained = phase.load / time;
    line.next = phase.load > 0 ? phase.next / phase.load : 0;
}

/// @param share share @return in percent
std::string
Percent(double share)
{
    return Fixed(100 * share, share < 0.0995 ? 1 : 0) + " %";
}

/// @param line line @return what bounded it, in words
std::string
DescribeBound(const WhyLine& line)
{
    if (line.kind == "dark")
    {
        return std::to_string(line.ops) + " waits, " +
               Duration(line.time / static_cast<double>(line.ops)) + " each";
    }
    std::string text = line.kind == "gpu" ? "GPU" : line.kind;
    if (line.kindShare < 0.9995)
    {
        text += " for " + Percent(line.kindShare);
    }
    // Not where the model does not tell one from another.
    if (!line.resource.empty() && line.resource != "all" && line.resource != "scale-up domains")
    {
        text += "; " + line.resource + " for " + Percent(line.resourceShare);
    }
    return text;
}

} // namespace

std::vector<WhyLine>
ListWhy(const RunResult& result)
{
    const ResultTable* table = result.Find("/bottlenecks");
    if (table == nullptr)
    {
        return {};
    }
    const TableReader c(*table);
    std::map<std::string, Phase> phases;
    double all = 0;
    for (std::size_t i = 0; i < table->GetNRows(); ++i)
    {
        const std::string& name = c.GetText("phase", i);
        const std::string& kind = c.GetText("resource_kind", i);
        Phase& phase = phases[name];
        const double time = c.Get("time", i);
        phase.line.phase = name;
        phase.line.ops += static_cast<uint64_t>(c.Get("ops", i));
        phase.line.time += time;
        phase.load += c.Get("load", i);
        phase.next += c.Get("next_load", i);
        phase.kinds[kind] += time;
        phase.resources[{kind, c.GetText("resource_name", i)}] += time;
        all += time;
    }
    std::vector<WhyLine> lines;
    for (auto& [name, phase] : phases)
    {
        Judge(phase);
        phase.line.share = all > 0 ? phase.line.time / all : 0;
        lines.push_back(phase.line);
    }
    std::stable_sort(lines.begin(), lines.end(), [](const WhyLine& a, const WhyLine& b) {
        return a.share > b.share;
    });
    return lines;
}

void
PrintWhy(std::ostream& out,
         const std::vector<std::string>& names,
         const std::vector<RunResult>& results)
{
    std::vector<std::vector<std::string>> rows{
        {"run", "share", "of it", "bounded by", "explained", "next"}};
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        const std::vector<WhyLine> lines = ListWhy(results[i]);
        for (std::size_t k = 0; k < std::min(MOST_LINES, lines.size()); ++k)
        {
            const WhyLine& line = lines[k];
            if (line.share < LEAST_SHARE)
            {
                break;
            }
            const bool dark = line.kind == "dark";
            rows.push_back({k == 0 ? names[i] : "",
                            Percent(line.share),
                            line.phase,
                            DescribeBound(line),
                            dark ? "" : Percent(line.explained),
                            dark || line.next == 0 ? "" : Percent(line.next)});
        }
    }
    if (rows.size() > 1)
    {
        out << "\nwhy: shares of the critical path, and the resource whose load / rate is largest\n"
               "(explained: that, over the time; next: of the runner-up, over that)\n";
        PrintAligned(rows, out, {0, 2, 3});
    }
}

void
PrintTaskPaths(std::ostream& out,
               const std::vector<std::string>& names,
               const std::vector<RunResult>& results)
{
    std::vector<std::vector<std::string>> rows{{"run", "share", "of the critical path"}};
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        const ResultTable* table = results[i].Find("/task_kinds");
        std::vector<std::pair<double, std::string>> kinds; // minus time
        double all = 0;
        for (std::size_t k = 0; table != nullptr && k < table->GetNRows(); ++k)
        {
            const TableReader c(*table);
            kinds.emplace_back(-c.Get("critical", k), c.GetText("kind", k));
            all += c.Get("critical", k);
        }
        std::sort(kinds.begin(), kinds.end());
        for (std::size_t k = 0; k < std::min(MOST_LINES, kinds.size()) && all > 0; ++k)
        {
            if (-kinds[k].first / all >= LEAST_SHARE)
            {
                rows.push_back(
                    {k == 0 ? names[i] : "", Percent(-kinds[k].first / all), kinds[k].second});
            }
        }
    }
    if (rows.size() > 1)
    {
        out << "\n";
        PrintAligned(rows, out, {0, 2});
    }
}

} // namespace ns3
