/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RUN_REPORT_H
#define MIXNET_RUN_REPORT_H

#include "ns3/run-result.h"
#include "ns3/settings-log.h"

#include <iosfwd>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * What the command line says about runs of every kind.
 */

namespace ns3
{

/// @param a exit code @param b exit code @return the graver: interrupted, internal error, bad
/// input, unfinished, done
int GetGraver(int a, int b);

/**
 * @param err problems and unfinished work
 * @param names what a run is called, by run
 * @param results results, as many or fewer
 * @return exit code: of the gravest problem
 */
int ReportProblems(std::ostream& err,
                   const std::vector<std::string>& names,
                   const std::vector<RunResult>& results);

/// @param folder a result folder that is to hold nothing: removed when empty
void RemoveIfEmpty(const std::string& folder);

/// @param out stream @param settings a line each
void PrintSettings(std::ostream& out, const std::vector<Setting>& settings);

/// @param out stream @param results their notes, each once, and memory @param wallSeconds of all
void PrintNotes(std::ostream& out, const std::vector<RunResult>& results, double wallSeconds);

} // namespace ns3

#endif // MIXNET_RUN_REPORT_H
