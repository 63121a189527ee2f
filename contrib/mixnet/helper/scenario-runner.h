/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SCENARIO_RUNNER_H
#define MIXNET_SCENARIO_RUNNER_H

#include "training-run.h"

#include "ns3/comparison-table.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/run-result.h"
#include "ns3/token-trace.h"

#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// What the command line says beside the scenario.
struct RunnerOptions
{
    std::string output;                   //!< result folder; empty: mixnet-results/SCENARIO
    unsigned jobs{0};                     //!< processes at a time; 0: one per core
    bool quiet{false};                    //!< no settings, no progress, no table
    bool dryRun{false};                   //!< check and describe only
    std::vector<std::string> commandLine; //!< for run-info.json
};

/**
 * @ingroup mixnet
 * Runs every variant of a scenario (its fabrics times its compute models), prints what is used and
 * what came out, and writes the result folder.
 */
class ScenarioRunner
{
  public:
    /// @param scenario what to run @param options how
    ScenarioRunner(Scenario scenario, RunnerOptions options);

    /**
     * @param out settings and tables
     * @param err progress and problems
     * @return exit code: 0 done, 1 bad input, 2 unfinished, 3 internal error, 130 interrupted
     */
    int Run(std::ostream& out, std::ostream& err);

  private:
    /// @param out stream @param variants variants
    void PrintHeader(std::ostream& out) const;
    /// Check and describe every variant. @param out stream
    void DryRun(std::ostream& out) const;
    /// @return results of all variants, compared with their twins where failures have some
    std::vector<RunResult> RunAll() const;
    /// @return labels of the variants
    std::vector<RunLabel> MakeLabels() const;

    Scenario m_scenario;                       //!< what to run
    RunnerOptions m_options;                   //!< how
    std::vector<RunVariant> m_variants;        //!< by run
    std::shared_ptr<const TokenTrace> m_trace; //!< null without
};

/**
 * @ingroup mixnet
 * Run scenarios one after the other, all of them read before the first begins.
 *
 * @param files scenarios
 * @param workloads folder of presets
 * @param overrides command line, for all of them
 * @param options how; of several scenarios, each gets a folder of its name in the output folder
 * @param out settings and tables
 * @param err progress and problems
 * @return the gravest exit code; after an interrupt nothing more is started or written
 * @throws InputError when one is not accepted, or two would write into one folder
 */
int RunScenarios(const std::vector<std::string>& files,
                 const std::string& workloads,
                 const ScenarioOverrides& overrides,
                 const RunnerOptions& options,
                 std::ostream& out,
                 std::ostream& err);

} // namespace ns3

#endif // MIXNET_SCENARIO_RUNNER_H
