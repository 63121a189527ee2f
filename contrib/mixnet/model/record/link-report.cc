/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "link-report.h"

#include "table-text.h"

#include <algorithm>
#include <numeric>
#include <ostream>

namespace ns3
{

std::vector<BusyLink>
ListBusyLinks(const RunResult& result, double seconds, std::size_t most)
{
    const ResultTable* table = result.Find("/links");
    if (table == nullptr)
    {
        return {};
    }
    const TableReader c(*table);
    std::vector<std::size_t> order(table->GetNRows());
    std::iota(order.begin(), order.end(), 0);
    std::vector<double> loads;
    for (const std::size_t i : order)
    {
        loads.push_back(8 * c.Get("bytes", i) / c.Get("rate", i));
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return loads[a] > loads[b];
    });
    std::vector<BusyLink> links;
    for (std::size_t k = 0; k < std::min(most, order.size()) && loads[order[k]] > 0; ++k)
    {
        const std::size_t i = order[k];
        const auto port = static_cast<uint64_t>(c.Get("from_port", i));
        links.push_back(
            {c.GetText("from", i) + " port " + std::to_string(port) + " -> " + c.GetText("to", i),
             c.GetText("kind", i),
             loads[i],
             seconds > 0 ? loads[i] / seconds : 0});
    }
    return links;
}

void
PrintBusyLinks(std::ostream& out,
               const std::vector<std::string>& names,
               const std::vector<RunResult>& results,
               const std::string& table)
{
    constexpr std::size_t most = 3;
    std::vector<std::vector<std::string>> rows{{"run", "load", "of the run", "link"}};
    for (std::size_t i = 0; i < results.size(); ++i)
    {
        const ResultTable* figures = results[i].Find(table);
        const double seconds =
            figures && figures->GetNRows() > 0 ? TableReader(*figures).Get("makespan", 0) : 0;
        const auto links = ListBusyLinks(results[i], seconds, most);
        for (std::size_t k = 0; k < links.size(); ++k)
        {
            rows.push_back({k == 0 ? names[i] : "",
                            Duration(links[k].load),
                            Fixed(100 * links[k].share, 1) + " %",
                            links[k].name});
        }
    }
    if (rows.size() > 1)
    {
        out << "\nbusiest links (load: wire bytes / rate)\n";
        PrintAligned(rows, out, {0, 3});
    }
}

} // namespace ns3
