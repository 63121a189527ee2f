/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_CIRCUIT_RECORDER_H
#define MIXNET_CIRCUIT_RECORDER_H

#include "ns3/nstime.h"
#include "ns3/parallel-layout.h"
#include "ns3/regional-controller.h"
#include "ns3/result-table.h"
#include "ns3/training-records.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace ns3
{

/// What the circuits of all regions did in an interval.
struct CircuitSummary
{
    Time dark;                    //!< union of a region's dark intervals, mean over regions
    uint64_t reconfigurations{0}; //!< lit in the interval
    uint64_t kept{0};             //!< decisions that left the circuits alone
    uint64_t distinctPlans{0};    //!< different plans in force after decisions
};

/**
 * @ingroup mixnet
 * Listens to the regional controllers of one run: tables /circuits, /decisions and /predictions.
 */
class CircuitRecorder
{
  public:
    /// @param run number of the run
    explicit CircuitRecorder(uint32_t run);

    /// @param controller a controller to listen to; this must outlive it
    void Listen(const Ptr<RegionalController>& controller);

    /**
     * Without this the columns of /decisions that join with /ops are left out.
     *
     * @param layout where groups are
     * @param denseLayers layers of the model before its first MoE layer
     */
    void SetLayout(std::shared_ptr<const ParallelLayout> layout, uint32_t denseLayers);

    /// @param from start @param to end @return summary of [from, to)
    CircuitSummary Summarize(Time from, Time to) const;

    /// @param tables /circuits, /decisions and /predictions are added, when there is anything to
    /// say
    void AddTables(std::vector<ResultTable>& tables) const;

  private:
    /// @param decision traced
    void OnDecision(const CircuitDecision& decision);
    /// @param outcome traced
    void OnOutcome(const CircuitOutcome& outcome);
    /// @param prediction traced
    void OnPrediction(const DemandPrediction& prediction);
    /// @return /predictions
    ResultTable MakePredictions() const;
    /// @return /decisions
    ResultTable MakeDecisions() const;
    /// @param t /decisions: the columns that join with /ops
    void AddOperations(ResultTable& t) const;
    /// @param t /decisions: what they led to
    void AddOutcomes(ResultTable& t) const;
    /// @param reconfiguration traced
    void OnReconfiguration(const CircuitReconfiguration& reconfiguration);

    /// What is kept of a reconfiguration.
    struct Row
    {
        CircuitReconfiguration times; //!< without its lists
        uint32_t added{0};            //!< number of new pairs
        uint32_t removed{0};          //!< number of old pairs
        uint32_t simplex;             //!< of both, simplex ones
    };

    /// A decision and what it led to so far.
    struct Decision
    {
        CircuitDecision made;   //!< what it said
        CircuitOutcome outcome; //!< what came of it
    };

    uint32_t m_run;                                          //!< number of the run
    uint32_t m_regions{0};                                   //!< controllers listened to
    std::vector<Decision> m_decisions;                       //!< in order of time
    std::vector<DemandPrediction> m_predictions;             //!< in order of time
    std::vector<Row> m_rows;                                 //!< in order of light
    std::map<RegionId, std::vector<std::size_t>> m_byNumber; //!< decisions of a region, in order
    std::shared_ptr<const ParallelLayout> m_layout;          //!< where groups are; may be null
    uint32_t m_denseLayers{0};                               //!< before the first MoE layer
};

} // namespace ns3

#endif // MIXNET_CIRCUIT_RECORDER_H
