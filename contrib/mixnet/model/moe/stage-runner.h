/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAGE_RUNNER_H
#define STAGE_RUNNER_H

#include "compute-variation.h"
#include "exposure-meter.h"
#include "gate-model.h"
#include "iteration-ledger.h"
#include "job-times.h"
#include "parallel-layout.h"
#include "pipeline-schedule.h"
#include "stage-program.h"
#include "traffic-matrix.h"

#include "ns3/all-to-all.h"
#include "ns3/collective-runner.h"
#include "ns3/ptr.h"
#include "ns3/regional-controller.h"

#include <string>
#include <vector>

namespace ns3
{

class StageRunner;

/// @ingroup mixnet
/// What the stage runners of a job share; must outlive them.
struct StageContext
{
    const TrainingJob* job{nullptr};                  //!< the job
    const ParallelLayout* layout{nullptr};            //!< its layout
    const JobTimes* times{nullptr};                   //!< its durations
    ComputeVariation variation;                       //!< how GPUs differ from them
    Ptr<GateModel> gate;                              //!< who sends what to whom
    Ptr<CollectiveRunner> runner;                     //!< moves bytes
    Ptr<AllToAllAlgorithm> allToAll;                  //!< makes messages of all-to-alls
    std::vector<Ptr<RegionalController>> controllers; //!< by region; null or missing: none
    IterationLedger ledger;                           //!< what happened
    uint32_t iteration{0};                            //!< now
    bool stopped{false};                              //!< the job is over: start nothing more
};

/// @ingroup mixnet
/// Who coordinates the stages.
class StageHost
{
  public:
    virtual ~StageHost() = default;
    /// @param stage a stage whose last pass is over
    virtual void OnStageDone(StageRunner& stage) = 0;
    /// @param record an all-to-all that has ended
    virtual void OnAllToAll(const AllToAllRecord& record) = 0;
    /// @param what an operation that lost transfers
    virtual void OnLoss(const std::string& what) = 0;
};

/**
 * @ingroup mixnet
 * Runs one stage of one replica: takes its passes in the order of the schedule and every pass step
 * by step (StageProgram). One step at a time, each ended by one event. All-to-alls start when the
 * last EP rank is ready and end for all ranks together; hand-overs to the neighbor stages run
 * beside whatever comes next.
 *
 *     NextPass -> (Arrive) -> RunStep -> StartCompute -> OnComputeDone -> EndStep -> RunStep ...
 *                                     -> StartAllToAll -> (OnLight) -> Launch -> EndAllToAll
 *                                                         -> EndStep -> RunStep ...
 *                                     -> EndPass: HandOver, NextPass
 */
class StageRunner : private CollectiveSink
{
  public:
    /**
     * @param context shared
     * @param host coordinator
     * @param replica DP replica
     * @param stage PP stage
     * @param order passes of an iteration
     */
    StageRunner(StageContext& context,
                StageHost& host,
                uint32_t replica,
                uint32_t stage,
                std::vector<PipelinePass> order);

    StageRunner(const StageRunner&) = delete;
    StageRunner& operator=(const StageRunner&) = delete;

    /// @param previous stage before; of the first, the last @param next stage after; of the last,
    /// the first (chunks go around)
    void SetNeighbors(StageRunner* previous, StageRunner* next);

    /// @param stream stream of the draws of its compute times
    void SetStream(int64_t stream)
    {
        m_speeds.SetStream(stream);
    }

    /// Start an iteration.
    void Start();

    /// @return DP replica
    uint32_t GetReplica() const
    {
        return m_replica;
    }

    /// @return PP stage
    uint32_t GetStage() const
    {
        return m_stage;
    }

    /// @return its last operation that has ended
    uint32_t GetLastOp() const
    {
        return m_lastOp;
    }

    /// @return its meter
    ExposureMeter& GetMeter()
    {
        return m_meter;
    }

    /// @return what it is doing, for reports of unfinished work
    std::string Describe() const;

  private:
    /// What it is doing.
    enum class State : uint8_t
    {
        IDLE,             //!< not started, or all passes done
        AWAITING_ARRIVAL, //!< the neighbor's hand-over has not arrived
        COMPUTING,        //!< a step's compute event is pending
        AWAITING_LIGHT,   //!< circuits of an all-to-all
        EXCHANGING        //!< an all-to-all's transfers are under way
    };

    /// Routing of one MoE layer for one micro-batch, kept from forward to backward.
    struct LayerTraffic
    {
        TrafficMatrix matrix;                 //!< bytes
        std::vector<ComputeBlock> experts[2]; //!< by direction and rank
        bool known{false};                    //!< the gate has been asked
    };

    void OnCollective(const CollectiveResult& result) override;

    /// Go on with the next pass of the schedule.
    void NextPass();
    /// Start the step at the cursor, or end the pass.
    void RunStep();
    /// The step at the cursor is over.
    void EndStep();
    /// All steps are done: hand over, go on.
    void EndPass();
    /// @param step compute step to start
    void StartCompute(const StageStep& step);
    /// Fill m_blocks with what ranks do, and m_block with the slowest. @param step experts, or
    /// anything where ranks differ
    void FillBlocks(const StageStep& step);
    /// The compute event.
    void OnComputeDone();
    /// @param step all-to-all to start
    void StartAllToAll(const StageStep& step);
    /// A controller grants its circuits.
    void OnLight();
    /// Send the all-to-all's transfers.
    void Launch();
    /// @param result end of the all-to-all
    void EndAllToAll(const CollectiveResult& result);
    /// Tell the controllers what comes. @param step an all-to-all
    void Announce(const StageStep& step);
    /// Hand the pass's result to the neighbor. @param peer the neighbor
    void HandOver(StageRunner* peer);
    /// @param result end of a hand-over
    void EndHandOver(const CollectiveResult& result);
    /// @param pass pass that the neighbor's hand-over lets start @param op the hand-over
    void Arrive(const PipelinePass& pass, uint32_t op);

    /// @return virtual stage of a pass @param pass a pass
    uint32_t GetPart(const PipelinePass& pass) const;
    /// @param pass a pass @return true when its result goes on: not the first or last of all
    bool HandsOver(const PipelinePass& pass) const;
    /// @param chunk chunk @param microBatch micro-batch @return index into m_arrived and
    /// m_trafficOf
    std::size_t GetIndex(uint32_t chunk, uint32_t microBatch) const;
    /// @return steps of the current pass
    const std::vector<StageStep>& GetProgram() const;
    /// @param step step of an MoE layer @return its routing, asked for if not known
    LayerTraffic& GetTraffic(const StageStep& step);
    /// @param step an all-to-all @return its name
    AllToAllId GetId(const StageStep& step) const;
    /// @param part index of a region of the group @return its controller or null
    RegionalController* GetController(std::size_t part) const;
    /// Fill m_demand. @param part index of a region @param step an all-to-all
    /// @return false when there is none
    bool FillDemand(std::size_t part, const StageStep& step);
    /// Record an operation after m_lastOp. @param kind kind @param start start @param end end
    OpRecord MakeOp(OpKind kind, Time start, Time end) const;

    StageContext& m_context;              //!< shared
    StageHost& m_host;                    //!< coordinator
    const uint32_t m_replica;             //!< DP replica
    const uint32_t m_stage;               //!< PP stage
    const StageGroup& m_group;            //!< its GPUs
    std::vector<StageProgram> m_programs; //!< by chunk: its steps
    std::vector<PipelinePass> m_order;    //!< its passes
    StageRunner* m_previous{nullptr};     //!< stage before
    StageRunner* m_next{nullptr};         //!< stage after
    ExposureMeter m_meter;                //!< what its ranks do
    StageSpeeds m_speeds;                 //!< how they differ
    Callback<void> m_onLight;             //!< OnLight, made once

    State m_state{State::IDLE};           //!< what it is doing
    std::size_t m_pass{0};                //!< index into m_order
    std::size_t m_step{0};                //!< index into the program
    uint32_t m_lastOp{OpRecord::NONE};    //!< its last operation that has ended
    Time m_stepStart;                     //!< of the step at the cursor
    Time m_launched;                      //!< of the all-to-all at the cursor
    std::size_t m_dark{0};                //!< controllers that have not granted yet
    std::vector<std::size_t> m_requested; //!< regions asked for the all-to-all at the cursor
    ComputeBlock m_block;                 //!< the step's, of its slowest rank
    std::vector<ComputeBlock> m_blocks;   //!< scratch: by rank
    DemandMatrix m_demand;                //!< scratch
    Matrix<uint32_t> m_tokens;            //!< scratch
    std::vector<uint32_t> m_arrived[2];   //!< by direction, GetIndex(): hand-over or NONE
    std::vector<std::vector<LayerTraffic>> m_traffic; //!< pool, by entry and slot
    std::vector<uint32_t> m_freeTraffic;              //!< entries of the pool not in use
    std::vector<uint32_t> m_trafficOf;                //!< by GetIndex(): entry of the pool
};

} // namespace ns3

#endif // STAGE_RUNNER_H
