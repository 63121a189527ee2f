/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TRAINING_RUN_H
#define MIXNET_TRAINING_RUN_H

#include "failure-helper.h"
#include "mixnet-fabric-helper.h"
#include "recovery-helper.h"

#include "ns3/circuit-recorder.h"
#include "ns3/demand-recorder.h"
#include "ns3/iteration-engine.h"
#include "ns3/job-summary.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/parallel-layout.h"
#include "ns3/progress-line.h"
#include "ns3/regional-controller.h"
#include "ns3/run-result.h"
#include "ns3/token-trace.h"
#include "ns3/training-recorder.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// One variant of a scenario.
struct RunVariant
{
    uint32_t run{0};     //!< its number
    FabricConfig fabric; //!< the fabric
    std::string compute; //!< the compute model
};

/**
 * @ingroup mixnet
 * Builds one variant of a scenario (fabric, world, circuits, job), runs it, and hands over its
 * tables. The simulator of the process belongs to it from construction to destruction.
 */
class TrainingRun
{
  public:
    /**
     * @param scenario the scenario; must outlive this
     * @param variant which variant
     * @param trace the trace, null when the gate needs none
     * @throws InputError when the parts do not fit
     */
    TrainingRun(const Scenario& scenario,
                const RunVariant& variant,
                std::shared_ptr<const TokenTrace> trace);
    TrainingRun(const TrainingRun&) = delete;
    TrainingRun& operator=(const TrainingRun&) = delete;
    ~TrainingRun();

    /// @return sizes and bounds of the job on this fabric
    JobSummary Summarize() const;
    /// @return switches, ports and links of the fabric, several lines
    const std::string& DescribeFabric() const;
    /// @return controllers of the regions, by region
    const std::vector<Ptr<RegionalController>>& GetControllers() const;
    /// @return GPUs and NICs of a server by NUMA node, one line
    std::string DescribeServer() const;
    /// @return estimated memory of the run
    ByteCount EstimateMemory() const;

    /**
     * Run to the end.
     *
     * @param slot progress counters
     * @param isInterrupted asked now and then; true stops the run
     * @return tables and status
     */
    RunResult Run(SharedProgress::Slot& slot, bool (*isInterrupted)());

  private:
    void BuildFabric();   //!< graph, ways, world
    void BuildJob();      //!< gate, compute model, engine
    void BuildCircuits(); //!< controllers
    /// @param op traced
    void OnOp(const OpRecord& op);
    /// @param allToAll traced
    void OnAllToAll(const AllToAllRecord& allToAll);
    /// @param completed all iterations are done
    void OnFinished(bool completed);
    /// @param completion of a transfer, traced: long all-to-alls, and jobs without any, stop too
    void OnCompletion(const Completion& completion);
    /// Progress, and whether to stop.
    void Tick();
    /// @param result status, message and unfinished work are filled in
    void Judge(RunResult& result) const;
    /// @param tables /laws, /links and /op_sizes are added
    void AddLaws(std::vector<ResultTable>& tables) const;
    /// @param tables out: bytes over the NUMA links of servers, when there are any
    void AddNumaLinks(std::vector<ResultTable>& tables) const;

    const Scenario& m_scenario;                         //!< scenario
    RunVariant m_variant;                               //!< variant
    std::shared_ptr<const TokenTrace> m_trace;          //!< trace or null
    std::unique_ptr<MixnetFabric> m_fabric;             //!< graph, ways, doors
    Ptr<FabricGraph> m_graph;                           //!< of the fabric
    std::shared_ptr<const ParallelLayout> m_layout;     //!< layout
    Ptr<GateModel> m_gate;                              //!< gate
    Ptr<ComputeModel> m_compute;                        //!< compute model
    Ptr<PipelineSchedule> m_schedule;                   //!< order of the passes
    Ptr<IterationEngine> m_engine;                      //!< job
    std::vector<Ptr<RegionalController>> m_controllers; //!< by region
    Ptr<FailureInjector> m_failures;                    //!< or null
    std::unique_ptr<RunRecovery> m_recovery;            //!< or null
    TrainingRecorder m_recorder;                        //!< tables
    CircuitRecorder m_circuits;                         //!< tables
    DemandRecorder m_demand;                            //!< tables
    SharedProgress::Slot* m_slot{nullptr};              //!< progress
    bool (*m_isInterrupted)(){nullptr};                 //!< asked now and then
    bool m_interrupted{false};                          //!< stopped by the user
    uint64_t m_allToAlls{0};                            //!< ended so far
};

} // namespace ns3

#endif // MIXNET_TRAINING_RUN_H
