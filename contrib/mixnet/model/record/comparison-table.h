/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_COMPARISON_TABLE_H
#define MIXNET_COMPARISON_TABLE_H

#include "run-result.h"

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ns3
{

/// What a run is called.
struct RunLabel
{
    std::string fabric;      //!< row of the table, e.g. "mixnet/paper"
    std::string type;        //!< kind of fabric, e.g. "mixnet"
    std::string policy;      //!< reconfiguration policy, "" where there are no controllers
    std::string compute;     //!< compute model
    std::string fidelity;    //!< "packet" or "flow"
    std::string loadBalance; //!< "ideal" or "per-flow"
};

/// Decisions that changed circuits, as far as they can be judged: an all-to-all that they served is
/// over, no later decision changed the circuits before, and every byte had a way under the old
/// ones.
struct DecisionSummary
{
    uint64_t changed{0};     //!< decisions that changed circuits
    uint64_t judged{0};      //!< of these, those that can be judged; the rest is about them
    double predictedGain{0}; //!< mean of served x (predicted_current - predicted_proposed), s
    double actualGain{0};    //!< mean of actual_gain, s
    double dark{0};          //!< mean of dark, s
    double worthwhile{0};    //!< share whose actual gain exceeded their dark time
};

/// A run in figures: means over its iterations.
struct RunSummary
{
    RunLabel label;                    //!< what it is
    RunStatus status{RunStatus::DONE}; //!< how it ended
    uint32_t iterations{0};            //!< ended iterations
    double mean{0};                    //!< iteration time, s
    double spread{0};                  //!< largest minus smallest iteration time, s
    double relative{0};                //!< to the first fabric with the same compute model
    double exposed{0};                 //!< exposed communication, s
    double waiting{0};                 //!< of that, waiting for circuits, s
    double hiddenShare{0};             //!< share of communication hidden
    double dark{0};                    //!< dark time, s
    double scaleUpBytes{0};            //!< per iteration
    double circuitBytes{0};            //!< per iteration
    double packetBytes{0};             //!< per iteration
    double reconfigurations{0};        //!< per iteration
    uint64_t distinctPlans{0};         //!< largest number in an iteration
    DecisionSummary decisions;         //!< of the whole run
};

/**
 * @param labels runs @param results their results, as many or fewer
 * @return a summary per result; relative times where the reference has ended an iteration
 */
std::vector<RunSummary> Summarize(const std::vector<RunLabel>& labels,
                                  const std::vector<RunResult>& results);

/// @param out stream @param summaries rows of the comparison, printed as one table per compute
/// model
void PrintComparison(std::ostream& out, const std::vector<RunSummary>& summaries);

} // namespace ns3

#endif // MIXNET_COMPARISON_TABLE_H
