/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RUN_RESULT_H
#define MIXNET_RUN_RESULT_H

#include "ns3/result-table.h"
#include "ns3/table-spill.h"

#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{

/// How a run ended; the values are the exit codes of the command line.
enum class RunStatus : uint8_t
{
    DONE = 0,         //!< all work done
    BAD_INPUT = 1,    //!< user input was wrong
    UNFINISHED = 2,   //!< ended with unfinished work
    INTERNAL = 3,     //!< a broken invariant
    INTERRUPTED = 130 //!< Ctrl-C
};

/// @param status how a run ended @return word
const char* GetName(RunStatus status);

/**
 * @ingroup mixnet
 * What one run (one fabric, policy and compute model) leaves behind: tables whose first column is
 * the run's number, and what cannot go into a byte-identical file.
 */
struct RunResult
{
    RunStatus status{RunStatus::DONE};   //!< how it ended
    std::string message;                 //!< why, when it is not DONE
    std::vector<std::string> unfinished; //!< what did not end, a line each (bounded)
    std::vector<std::string> notes;      //!< what a user should know of, a line each
    std::vector<ResultTable> tables;     //!< in order of name
    TableSpill spill;                    //!< tables too long for memory; not part of Save()
    double wallSeconds{0};               //!< volatile: wall time
    double cpuSeconds{0};                //!< volatile: CPU time
    uint64_t peakBytes{0};               //!< volatile: peak resident memory

    /// @param name table @return it, or null
    const ResultTable* Find(const std::string& name) const;
    /// @param out stream to the parent process
    void Save(std::ostream& out) const;
    /// @param in stream of Save @return the result
    static RunResult Load(std::istream& in);
};

} // namespace ns3

#endif // MIXNET_RUN_RESULT_H
