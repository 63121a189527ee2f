/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_WHY_REPORT_H
#define MIXNET_WHY_REPORT_H

#include "run-result.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{

/// What a phase contributes to the critical paths of a run, and what bounded it.
struct WhyLine
{
    std::string phase;       //!< kind of operation, or "waiting for circuits"
    double share{0};         //!< of the iterations' time
    uint64_t ops{0};         //!< operations on critical paths
    double time{0};          //!< of these, s
    std::string kind;        //!< kind of resource that bounded the longest part of it
    double kindShare{0};     //!< of the phase's time, that part
    std::string resource;    //!< resource of that kind that bounded it the longest
    double resourceShare{0}; //!< of the phase's time, bounded by that resource
    double explained{0};     //!< load of the resources that bounded it / the phase's time
    double next{0};          //!< load of the next resources / load of those that bounded it
};

/// @param result a run with /bottlenecks @return its phases, by falling share; empty without
std::vector<WhyLine> ListWhy(const RunResult& result);

/**
 * Print the phases of runs that take at least 2 % of the iterations' time, at most four of a run.
 *
 * @param out stream
 * @param names of the runs
 * @param results their results, as many or fewer; nothing is printed when none has critical paths
 */
void PrintWhy(std::ostream& out,
              const std::vector<std::string>& names,
              const std::vector<RunResult>& results);

/// Print by kind of task what makes up the critical paths of task graphs; nothing without
/// /task_kinds. @param out stream @param names of the runs @param results their results
void PrintTaskPaths(std::ostream& out,
                    const std::vector<std::string>& names,
                    const std::vector<RunResult>& results);

} // namespace ns3

#endif // MIXNET_WHY_REPORT_H
