/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PROGRESS_LINE_H
#define MIXNET_PROGRESS_LINE_H

#include "ns3/nstime.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Progress of the runs of a scenario, in memory that parent and child processes share: a child
 * counts, the parent prints.
 */
class SharedProgress
{
  public:
    /// One run's counters.
    struct Slot
    {
        std::atomic<uint64_t> done{0};       //!< operations finished
        std::atomic<uint64_t> total{0};      //!< operations expected; 0 before it started
        std::atomic<int64_t> picoseconds{0}; //!< simulated time
    };

    /// @param runs number of runs
    explicit SharedProgress(std::size_t runs);
    SharedProgress(const SharedProgress&) = delete;
    SharedProgress& operator=(const SharedProgress&) = delete;
    ~SharedProgress();

    /// @param run a run @return its counters
    Slot& At(std::size_t run);
    /// @return number of runs
    std::size_t GetN() const;

  private:
    std::size_t m_runs;     //!< number of runs
    Slot* m_slots{nullptr}; //!< shared memory
};

/**
 * @ingroup mixnet
 * One line on standard error, at most once a second: percent, simulated time, time left. Silent
 * when standard error is no terminal, unless told otherwise.
 */
class ProgressLine
{
  public:
    /// @param progress counters @param enabled false prints nothing
    ProgressLine(SharedProgress& progress, bool enabled);
    ~ProgressLine();

    /// Print, if a second has passed since the last time.
    void Update();

  private:
    SharedProgress& m_progress;                    //!< counters
    bool m_enabled;                                //!< prints at all
    bool m_terminal;                               //!< overwrite one line, else append
    std::chrono::steady_clock::time_point m_start; //!< first call
    std::chrono::steady_clock::time_point m_last;  //!< last print
};

} // namespace ns3

#endif // MIXNET_PROGRESS_LINE_H
