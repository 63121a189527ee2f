/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TRAINING_RECORDER_H
#define MIXNET_TRAINING_RECORDER_H

#include "circuit-recorder.h"

#include "ns3/fabric-resources.h"
#include "ns3/mixnet-matrix.h"
#include "ns3/result-table.h"
#include "ns3/training-records.h"
#include "ns3/transport.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Listens to the training engine and the transport of one run: tables /ops, /iterations, /demand
 * and /flow_stats.
 */
class TrainingRecorder
{
  public:
    /**
     * @param run number of the run
     * @param demand true keeps the matrices of micro-batch 0 (they do not depend on the fabric)
     */
    TrainingRecorder(uint32_t run, bool demand);

    /// @param op traced
    void OnOp(const OpRecord& op);
    /// @param iteration traced
    void OnIteration(const IterationRecord& iteration);
    /// @param allToAll traced
    void OnAllToAll(const AllToAllRecord& allToAll);
    /// @param completion traced
    void OnCompletion(const Completion& completion);

    /// @return iterations so far
    const std::vector<IterationRecord>& GetIterations() const;
    /// @param circuits of the same run @param tables the tables are added
    void AddTables(const CircuitRecorder& circuits, std::vector<ResultTable>& tables) const;
    /// @param resources names @param tables /critical_path, /bottlenecks and /slack are added
    void AddWhyTables(const FabricResources& resources, std::vector<ResultTable>& tables) const;

  private:
    /// Flow completion times of one class.
    struct FlowStats
    {
        uint64_t count{0}; //!< delivered transfers
        uint64_t bytes{0}; //!< their payload
        Time sum;          //!< of completion times
        Time min;          //!< shortest
        Time max;          //!< longest
    };

    /// A matrix of the demand table.
    struct Demand
    {
        uint32_t iteration{0};   //!< iteration
        uint32_t layer{0};       //!< layer
        uint32_t replica{0};     //!< DP replica
        uint32_t stage{0};       //!< PP stage
        Matrix<uint64_t> matrix; //!< bytes [source EP rank][destination EP rank]
    };

    /// @return /ops
    ResultTable MakeOps() const;
    /// @param circuits circuits @return /iterations
    ResultTable MakeIterations(const CircuitRecorder& circuits) const;
    /// @return /demand
    ResultTable MakeDemand() const;
    /// @return /flow_stats
    ResultTable MakeFlowStats() const;

    uint32_t m_run;                                   //!< number of the run
    bool m_keepDemand;                                //!< keep matrices
    std::vector<OpRecord> m_ops;                      //!< in order of trace
    std::vector<IterationRecord> m_iterations;        //!< in order of end
    std::vector<Demand> m_demand;                     //!< sampled
    std::array<FlowStats, N_TRAFFIC_CLASSES> m_flows; //!< by class
};

} // namespace ns3

#endif // MIXNET_TRAINING_RECORDER_H
