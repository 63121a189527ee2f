/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TASK_GRAPH_RUN_H
#define MIXNET_TASK_GRAPH_RUN_H

#include "replay.h"
#include "replayed-fabric.h"

#include "ns3/graph-file.h"
#include "ns3/task-graph-runner.h"
#include "ns3/task-recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * One task graph on one fabric: rank r on GPU r. Builds it at construction, runs it once.
 */
class TaskGraphRun
{
  public:
    /**
     * @param scenario settings
     * @param fabric one of its fabrics
     * @param run number of the run
     * @param graph task graph; all arguments must outlive this
     */
    TaskGraphRun(const Scenario& scenario,
                 const FabricConfig& fabric,
                 uint32_t run,
                 const GraphFile& graph);

    /// @return sizes of the fabric, lines
    const std::string& DescribeFabric() const
    {
        return m_fabric.Get().Describe();
    }

    /// @return estimated memory of the run
    ByteCount EstimateMemory() const;

    /// @param slot progress @param isInterrupted asked now and then @return tables and status
    RunResult Run(SharedProgress::Slot& slot, bool (*isInterrupted)());

  private:
    /// @return /task_summary
    ResultTable MakeSummary() const;
    /// @return /task_kinds
    ResultTable MakeKinds() const;
    /// @return /ranks
    ResultTable MakeRanks() const;

    /// @param result notes it when tasks are too many to be recorded @return true when they are
    /// recorded
    bool RecordsTasks(RunResult& result) const;

    const RecordConfig m_record;               //!< what to keep
    uint32_t m_run;                            //!< number of the run
    const GraphFile& m_graph;                  //!< task graph
    ReplayedFabric m_fabric;                   //!< where it runs
    TaskRecorder m_tasks;                      //!< when its tasks ran
    std::unique_ptr<TaskGraphRunner> m_runner; //!< runs it
};

/**
 * @ingroup mixnet
 * A task graph, to be run on fabrics.
 */
class TaskGraphReplay : public Replay
{
  public:
    /// @param file file of a task graph @throws InputError when it is not accepted
    explicit TaskGraphReplay(const std::string& file);

    ReplayKind GetKind() const override;
    std::vector<std::string> GetFiles() const override;
    std::string Describe(const Scenario& scenario) const override;
    std::string DryRun(const Scenario& scenario, const FabricConfig& fabric) const override;
    RunResult Run(const Scenario& scenario,
                  const FabricConfig& fabric,
                  uint32_t run,
                  SharedProgress::Slot& slot,
                  bool (*isInterrupted)()) const override;
    std::string GetSummaryTable() const override;

  private:
    GraphFile m_graph; //!< task graph
};

} // namespace ns3

#endif // MIXNET_TASK_GRAPH_RUN_H
