/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_REPLAY_RUNNER_H
#define MIXNET_REPLAY_RUNNER_H

#include "replay.h"
#include "scenario-runner.h"

#include <iosfwd>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Runs a flow list or a task graph on every fabric of the settings, prints what is used and what
 * came out, and writes the result folder.
 */
class ReplayRunner
{
  public:
    /**
     * @param replay what to run
     * @param path JSON file of settings, or empty
     * @param workloads folder of presets
     * @param overrides command line
     * @param options how
     * @throws InputError when a setting is not accepted
     */
    ReplayRunner(std::unique_ptr<const Replay> replay,
                 const std::string& path,
                 const std::string& workloads,
                 const ScenarioOverrides& overrides,
                 RunnerOptions options);

    /**
     * @param out settings and tables
     * @param err problems
     * @return exit code: 0 done, 1 bad input, 2 unfinished, 3 internal error, 130 interrupted
     */
    int Run(std::ostream& out, std::ostream& err);

  private:
    /// @return labels of the runs
    std::vector<RunLabel> MakeLabels() const;
    /// @param out stream @param results results
    void PrintTable(std::ostream& out, const std::vector<RunResult>& results) const;

    std::unique_ptr<const Replay> m_replay; //!< what to run
    Scenario m_scenario;                    //!< settings
    RunnerOptions m_options;                //!< how
};

} // namespace ns3

#endif // MIXNET_REPLAY_RUNNER_H
