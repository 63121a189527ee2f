/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RUN_POOL_H
#define MIXNET_RUN_POOL_H

#include "ns3/progress-line.h"
#include "ns3/run-result.h"

#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Runs the variants of a scenario, each in a process of its own, a few at a time: ns-3 has one
 * simulator per process, and a variant can neither see nor slow down another one's state. Results
 * come back in the order of the variants, so they do not depend on the number of processes.
 *
 * A child that dies of a signal or throws becomes a RunResult with status INTERNAL or BAD_INPUT;
 * nothing is left behind on disk.
 */
class RunPool
{
  public:
    /// Simulate one variant. @param index variant @param slot counters to keep up to date
    /// @return its result
    using Job = std::function<RunResult(std::size_t index, SharedProgress::Slot& slot)>;

    /**
     * @param jobs processes at a time; 0: one per core
     * @param progress true shows the progress line
     */
    RunPool(unsigned jobs, bool progress);

    /**
     * @param runs number of variants
     * @param job what to do
     * @return results by variant; after Ctrl-C those that were under way are INTERRUPTED, and those
     * not started are left out at the end
     */
    std::vector<RunResult> Run(std::size_t runs, const Job& job);

    /// @return true once Ctrl-C or SIGTERM has reached this process
    static bool IsInterrupted();

  private:
    unsigned m_jobs; //!< processes at a time
    bool m_progress; //!< show the line
};

} // namespace ns3

#endif // MIXNET_RUN_POOL_H
