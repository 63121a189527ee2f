/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_LINK_REPORT_H
#define MIXNET_LINK_REPORT_H

#include "run-result.h"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{

/// A direction of a link, and how long its bytes took.
struct BusyLink
{
    std::string name; //!< both ends, with the port it leaves
    std::string kind; //!< "packet" or "fiber"
    double load{0};   //!< wire bytes / rate, s
    double share{0};  //!< of the run's length
};

/**
 * @param result a run with /links
 * @param seconds its length
 * @param most how many
 * @return its links with the largest load, the first of several that are alike first
 */
std::vector<BusyLink> ListBusyLinks(const RunResult& result, double seconds, std::size_t most);

/**
 * Print the three links of each run that carried bytes the longest.
 *
 * @param out stream
 * @param names of the runs
 * @param results their results, as many or fewer
 * @param table of their figures: column makespan is their length
 */
void PrintBusyLinks(std::ostream& out,
                    const std::vector<std::string>& names,
                    const std::vector<RunResult>& results,
                    const std::string& table);

} // namespace ns3

#endif // MIXNET_LINK_REPORT_H
