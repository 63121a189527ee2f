/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_REPLAY_H
#define MIXNET_REPLAY_H

#include "ns3/mixnet-scenario.h"
#include "ns3/progress-line.h"
#include "ns3/run-result.h"

#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Something imported that is run on fabrics: a flow list or a task graph.
 */
class Replay
{
  public:
    virtual ~Replay() = default;

    /// @return what it is and what it needs
    virtual ReplayKind GetKind() const = 0;
    /// @return files that it was read from
    virtual std::vector<std::string> GetFiles() const = 0;
    /// @param scenario settings @return what it is and where it goes, a line or more
    virtual std::string Describe(const Scenario& scenario) const = 0;
    /// Build it, run nothing. @param scenario settings @param fabric one of its fabrics
    /// @return sizes, lines @throws InputError when it does not fit
    virtual std::string DryRun(const Scenario& scenario, const FabricConfig& fabric) const = 0;
    /**
     * @param scenario settings
     * @param fabric one of its fabrics
     * @param run number of the run
     * @param slot progress
     * @param isInterrupted asked now and then
     * @return tables and status
     */
    virtual RunResult Run(const Scenario& scenario,
                          const FabricConfig& fabric,
                          uint32_t run,
                          SharedProgress::Slot& slot,
                          bool (*isInterrupted)()) const = 0;
    /// @return table of one row per run that is printed at the end
    virtual std::string GetSummaryTable() const = 0;
};

} // namespace ns3

#endif // MIXNET_REPLAY_H
