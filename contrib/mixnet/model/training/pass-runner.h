/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PASS_RUNNER_H
#define MIXNET_PASS_RUNNER_H

#include "crossed-compute.h"
#include "moved-demand.h"
#include "stage-context.h"
#include "stage-traffic.h"

#include "ns3/compute-turn.h"
#include "ns3/exposure-meter.h"
#include "ns3/pipeline-schedule.h"
#include "ns3/stage-program.h"
#include "ns3/tensor-crossing.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class PassRunner;

/// @ingroup mixnet
/// What the passes of a stage share.
struct StageScope
{
    StageContext& context;              //!< of the job
    StageHost& host;                    //!< coordinator
    const uint32_t replica;             //!< DP replica
    const uint32_t stage;               //!< PP stage
    const StageGroup& group;            //!< its GPUs
    ExposureMeter meter;                //!< what its ranks do
    StageTraffic traffic;               //!< who sends what to whom
    ComputeTurn turn;                   //!< which pass computes
    TensorCrossings crossings;          //!< TP blocks that a failure spread over servers
    MovedDemand moved;                  //!< what that changes for controllers
    std::vector<StageProgram> programs; //!< by chunk: its steps
};

/// @ingroup mixnet
/// Who gives passes to a PassRunner.
class PassOwner
{
  public:
    virtual ~PassOwner() = default;
    /// @param pass a runner whose pass is over; it may be given the next
    virtual void OnPassDone(PassRunner& pass) = 0;
};

/**
 * @ingroup mixnet
 * Runs a pass of a stage step by step (StageProgram), each step ended by one event. Compute steps
 * take turns with those of other passes of the stage (ComputeTurn); all-to-alls run beside them.
 * All-to-alls start when the last EP rank is ready and end for all ranks together.
 *
 *     Open -> Run -> RunStep -> (OnTurn) -> StartCompute -> OnComputeDone -> EndStep -> RunStep ...
 *                            -> StartAllToAll -> (OnLight) -> Launch -> OnCollective -> EndStep ...
 *                            -> StartContextExchange -> OnCollective -> EndStep ...
 *                            -> the owner's OnPassDone
 */
class PassRunner : private CollectiveSink, private TurnTaker
{
  public:
    /// @param scope what it shares @param owner whom to tell
    PassRunner(StageScope& scope, PassOwner& owner);

    PassRunner(const PassRunner&) = delete;
    PassRunner& operator=(const PassRunner&) = delete;

    /// @param stream stream of the draws of its compute times
    void SetStream(int64_t stream)
    {
        m_speeds.SetStream(stream);
    }

    /// GPUs have become slower or faster: from the next operation on.
    void UpdateSpeeds()
    {
        m_speeds.SetSlowGpus(m_scope.context.variation,
                             *m_scope.context.layout,
                             m_scope.replica,
                             m_scope.stage);
    }

    /// Begin to wait for the input of a pass; tells the controllers when it begins with an
    /// all-to-all. @param pass the pass
    void Open(const PipelinePass& pass);

    /// The input is there. @param predecessor operation that ended now and lets it start
    /// @param others operations that it had to wait for as well; NONE counts for nothing
    void Run(uint32_t predecessor, const std::vector<uint32_t>& others);

    /// Forget the pass, whatever it does; late events are ignored.
    void Abort();

    /// @param pass a pass @return true when it waits for the input of this one
    bool IsAwaiting(const PipelinePass& pass) const
    {
        return m_state == State::AWAITING_ARRIVAL && m_pass == pass;
    }

    /// @return true when it has no pass
    bool IsIdle() const
    {
        return m_state == State::IDLE;
    }

    /// @return its pass, or the last one
    const PipelinePass& GetPass() const
    {
        return m_pass;
    }

    /// @return its last operation that has ended
    uint32_t GetLastOp() const
    {
        return m_lastOp;
    }

    /// @return what it is doing, for reports of unfinished work
    std::string Describe() const;

  private:
    /// What it is doing.
    enum class State : uint8_t
    {
        IDLE,             //!< no pass
        AWAITING_ARRIVAL, //!< the neighbor's hand-over has not arrived
        AWAITING_TURN,    //!< another pass computes
        COMPUTING,        //!< a step's compute event is pending
        AWAITING_LIGHT,   //!< circuits of an all-to-all
        EXCHANGING        //!< transfers of the step at the cursor are under way
    };

    void OnTurn(uint32_t op) override;
    void OnCollective(const CollectiveResult& result) override;

    /// Start the step at the cursor, or end the pass.
    void RunStep();
    /// The step at the cursor is over.
    void EndStep();
    /// Start the compute step at the cursor; it is this pass's turn.
    void StartCompute();
    /// @param step compute step @return what it computes: activations when it is recomputed
    PassKind GetKind(const StageStep& step) const;
    /// @param step compute step @return true when it may have TP collectives
    bool HasCollectives(const StageStep& step) const;
    /// @param step compute step, not of experts @return its block
    const ComputeBlock& GetBlock(const StageStep& step) const;
    /// @param step compute step @return bytes of its TP collectives
    ByteCount GetTensorBytes(const StageStep& step);
    /// Fill m_blocks with what ranks do, and m_block with the slowest. @param step experts, or
    /// anything where ranks differ
    void FillBlocks(const StageStep& step);
    /// A step of a group with a broken TP block is over. @param block of its last rank
    void OnCrossed(const ComputeBlock& block);
    /// The compute event. @param generation of the pass that scheduled it
    void OnComputeDone(uint64_t generation);
    /// @param step all-to-all to start
    void StartAllToAll(const StageStep& step);
    /// A controller grants its circuits. @param generation of the pass that asked
    void OnLight(uint64_t generation);
    /// Send the all-to-all's transfers.
    void Launch();
    /// Tell the host. @param result the end of the all-to-all
    void ReportAllToAll(const CollectiveResult& result);
    /// @param step exchange of keys and values, or of their gradients, to start
    void StartContextExchange(const StageStep& step);
    /// @param result the end of the exchange
    void EndContextExchange(const CollectiveResult& result);
    /// Tell the controllers what comes. @param step an all-to-all
    void Announce(const StageStep& step);

    /// @return steps of the pass
    const std::vector<StageStep>& GetProgram() const;
    /// @param step step of an MoE layer @return its routing
    LayerTraffic& GetTraffic(const StageStep& step);
    /// @param step an all-to-all @return its name
    AllToAllId GetId(const StageStep& step) const;
    /// @param part index of a region of the group @return its controller or null
    RegionalController* GetController(std::size_t part) const;
    /// Fill m_demand. @param part index of a region @param step an all-to-all
    /// @return false when there is none
    bool FillDemand(std::size_t part, const StageStep& step);
    /// Add to m_demand what moved GPUs do. @param region its region @param step an all-to-all
    void AddMovedDemand(const GroupRegion& region, const StageStep& step);
    /// @param step compute step @param rank TP block @return what it does, as if it were whole
    const ComputeBlock& GetBlockOf(const StageStep& step, uint32_t rank);
    /// Record an operation after m_lastOp. @param kind kind @param start start @param end end
    OpRecord MakeOp(OpKind kind, Time start, Time end) const;
    /// @param op an operation that has ended: from now on the last one
    void Record(const OpRecord& op);
    /// Record a TP collective. @param after the computation @param start start @param end end
    void RecordTensor(bool after, Time start, Time end);

    StageScope& m_scope;                       //!< shared
    PassOwner& m_owner;                        //!< whom to tell
    StageSpeeds m_speeds;                      //!< how its ranks differ
    uint64_t m_generation{0};                  //!< of events; others are late
    Callback<void> m_onLight;                  //!< OnLight of this generation
    std::unique_ptr<CrossedCompute> m_crossed; //!< with a broken TP block

    PipelinePass m_pass;                  //!< the pass
    State m_state{State::IDLE};           //!< what it is doing
    std::size_t m_step{0};                //!< cursor: index into the program
    uint32_t m_lastOp{OpRecord::NONE};    //!< its last operation that has ended
    std::vector<uint32_t> m_others;       //!< that the next operation had to wait for as well
    OperationLoad m_load;                 //!< of the compute step at the cursor
    Time m_stepStart;                     //!< of the step at the cursor
    Time m_launched;                      //!< of the all-to-all at the cursor
    std::size_t m_dark{0};                //!< controllers that have not granted yet
    std::vector<std::size_t> m_requested; //!< regions asked for the all-to-all at the cursor
    ComputeBlock m_block;                 //!< the step's, of its slowest rank
    std::vector<ComputeBlock> m_blocks;   //!< scratch: by rank
    DemandMatrix m_demand;                //!< scratch
    std::vector<ByteCount> m_edges;       //!< scratch: by broken TP block
};

} // namespace ns3

#endif // MIXNET_PASS_RUNNER_H
