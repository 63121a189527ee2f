/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ITERATION_ENGINE_H
#define ITERATION_ENGINE_H

#include "gradient-phase.h"
#include "stage-runner.h"

#include "ns3/callback.h"
#include "ns3/collective-runner.h"
#include "ns3/compute-model.h"
#include "ns3/gate-model.h"
#include "ns3/object.h"
#include "ns3/parallel-layout.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/ptr.h"
#include "ns3/regional-controller.h"
#include "ns3/traced-callback.h"
#include "ns3/training-job.h"
#include "ns3/training-records.h"
#include "ns3/transport.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// What an engine is doing.
enum class EngineState : uint8_t
{
    CONFIGURED,  //!< not started
    RUNNING,     //!< in an iteration
    INTERRUPTED, //!< in no iteration, until Resume()
    FINISHED,    //!< all iterations are done
    FAILED       //!< the network lost transfers of the job, or it was stopped
};

/// What an interrupted iteration had done.
struct DroppedWork
{
    uint32_t iteration{0}; //!< which; the next one, when between two
    Time begun;            //!< when it began; now, when between two
    bool between{false};   //!< a checkpoint was being written before it
    ByteCount delivered;   //!< payload that its transfers had delivered
    ByteCount aborted;     //!< payload of its transfers under way
    uint64_t transfers{0}; //!< number of these
};

/**
 * @ingroup mixnet
 * Runs the iterations of a training job on any Transport, event by event: a StageRunner for every
 * (replica, stage), their gradients and optimizer (GradientPhase), and a barrier that ends the
 * iteration.
 *
 * With controllers, every all-to-all whose EP group has servers in their region is announced to
 * them when the operation before it starts, requested when it is ready, held until they grant it,
 * and reported finished. Without, it starts when ready.
 *
 * Laws, checked at the end of every iteration: the critical path is as long as the iteration, and
 * no rank is busy for longer.
 *
 * Use: SetJob(), SetTransport(), attributes, optional SetController(), Start().
 */
class IterationEngine : public Object, private StageHost, private GradientHost
{
  public:
    /// Told when the job has ended: true when all iterations are done.
    using FinishedCallback = Callback<void, bool>;

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param job a valid job @param layout its layout
    void SetJob(const TrainingJob& job, std::shared_ptr<const ParallelLayout> layout);

    /// @param transport what moves the bytes
    void SetTransport(Ptr<Transport> transport);

    /// @param controller controller of its region, started
    void SetController(Ptr<RegionalController> controller);

    /// @param variation how GPUs differ from the compute model
    void SetVariation(const ComputeVariation& variation);

    /// @param callback told when an iteration enters a phase, each once
    void SetPhaseCallback(const PhaseWatch::PhaseCallback& callback)
    {
        m_context.phases.SetCallback(callback);
    }

    /// @param stream first stream of the draws of compute times, one for every stage group and pass
    /// that runs beside others; after the schedule
    /// @return streams used, once the job is known
    int64_t AssignStreams(int64_t stream);

    /// @param finished told once, when the job has ended
    void SetFinishedCallback(const FinishedCallback& finished);

    /// Configure the gate and begin with the first iteration in the next event.
    /// @throws InputError when the gate cannot serve the job
    void Start();

    /// @name Failures of ranks (JobRecovery)
    /// @{

    /// Time to stand still before an iteration, e.g. for a checkpoint.
    using PauseCallback = Callback<Time, uint32_t>;

    /// @param pause asked before every iteration but the first one and those that are resumed
    void SetPauseCallback(const PauseCallback& pause);
    /// A rank of a replica is gone, and nobody knows: the replica starts nothing more, the others
    /// go on until they wait for it. @param replica DP replica
    void Freeze(uint32_t replica);
    /// Drop the iteration: abort its transfers, take back what controllers were asked.
    /// @return what it had done; nothing when it is interrupted already
    DroppedWork Interrupt();
    /**
     * Go on.
     *
     * @param layout where
     * @param iteration the next one
     */
    void Resume(std::shared_ptr<const ParallelLayout> layout, uint32_t iteration);
    /// End the job. @param why as GetLoss()
    void Stop(const std::string& why);
    /// @param gpu GPU @param factor of its compute times from its next operation on; 1: none
    void SetGpuFactor(GpuId gpu, double factor);

    /// @}

    /// @return what it is doing
    EngineState GetState() const
    {
        return m_state;
    }

    /// @return degrees of parallelism with which it runs, or last ran
    const ParallelDegrees& GetDegrees() const
    {
        return m_job.degrees;
    }

    /// @return iterations that have ended
    uint32_t GetNIterations() const
    {
        return m_context.iteration;
    }

    /// @return what was lost, when FAILED
    const std::string& GetLoss() const
    {
        return m_loss;
    }

    /// @return one sentence for every stage that has not ended the iteration
    std::vector<std::string> DescribeUnfinished() const;

    /// TracedCallback signature for operations; fired when their iteration has ended.
    typedef void (*OpTracedCallback)(const OpRecord& op);
    /// TracedCallback signature for iterations.
    typedef void (*IterationTracedCallback)(const IterationRecord& iteration);
    /// TracedCallback signature for all-to-alls.
    typedef void (*AllToAllTracedCallback)(const AllToAllRecord& allToAll);

  protected:
    void DoDispose() override;

  private:
    /// Stages of a layout that is no longer used.
    struct Retired
    {
        std::shared_ptr<const ParallelLayout> layout;     //!< theirs
        std::unique_ptr<JobTimes> times;                  //!< theirs
        std::vector<std::unique_ptr<StageRunner>> stages; //!< aborted
    };

    void OnStageDone(StageRunner& stage) override;
    void OnLayerGradients(uint32_t replica, uint32_t stage, uint32_t layer, uint32_t op) override;
    void OnAllToAll(const AllToAllRecord& record) override;
    void OnLoss(const std::string& what) override;
    void OnUpdated(uint32_t op) override;

    /// Make the stage runners.
    void BuildStages();
    /// @param stage stage @return its passes
    std::vector<PipelinePass> GetOrder(uint32_t stage) const;
    /// Start the next iteration. @param attempt the engine's, when this was planned
    void BeginIteration(uint64_t attempt);
    /// @param op operation that ended the iteration
    void EndIteration(uint32_t op);
    /// @param record times of the iteration to fill from the meters
    void MeasureExposure(IterationRecord& record);
    /// @param state how the job ended
    void End(EngineState state);
    /// @param replica replica @param stage stage @return its runner
    StageRunner& GetStage(uint32_t replica, uint32_t stage);

    TrainingJob m_job;                              //!< the job
    std::shared_ptr<const ParallelLayout> m_layout; //!< its layout
    Ptr<Transport> m_transport;                     //!< what moves the bytes
    Ptr<GateModel> m_gate;                          //!< attribute
    Ptr<ComputeModel> m_compute;                    //!< attribute
    Ptr<PipelineSchedule> m_schedule;               //!< attribute
    Ptr<AllToAllAlgorithm> m_allToAll;              //!< attribute
    uint32_t m_steppedUpTo{0};                      //!< attribute
    uint32_t m_tensorChannels{0};                   //!< attribute
    int64_t m_stream{-1};                           //!< first; -1: as they come
    FinishedCallback m_finished;                    //!< told once

    StageContext m_context;                             //!< shared by the stages
    std::unique_ptr<JobTimes> m_times;                  //!< durations
    std::unique_ptr<GateTraffic> m_traffic;             //!< routing in bytes
    std::vector<std::unique_ptr<StageRunner>> m_stages; //!< by group
    std::unique_ptr<GradientPhase> m_gradients;         //!< what follows the passes
    Time m_begin;                                       //!< of the iteration
    EngineState m_state{EngineState::CONFIGURED};       //!< what it is doing
    std::string m_loss;                                 //!< what was lost
    PauseCallback m_pause;                              //!< asked between iterations
    uint64_t m_attempt{0};                              //!< rises with every interruption
    ByteCount m_delivered;                              //!< before this iteration
    std::map<uint32_t, double> m_slowGpus;              //!< factors that GPUs have from the start
    bool m_between{true};                               //!< no iteration has begun
    std::set<uint32_t> m_frozen;                        //!< replicas that start nothing more
    std::vector<Retired> m_retired;                     //!< their events may come still

    TracedCallback<const OpRecord&> m_opTrace;               //!< operations
    TracedCallback<const IterationRecord&> m_iterationTrace; //!< iterations
    TracedCallback<const AllToAllRecord&> m_allToAllTrace;   //!< all-to-alls
};

} // namespace ns3

#endif // ITERATION_ENGINE_H
