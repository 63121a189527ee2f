/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STAGE_RUNNER_H
#define STAGE_RUNNER_H

#include "pass-runner.h"
#include "stage-context.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Runs one stage of one replica: takes its passes in the order of the schedule, one after the other
 * or, where the schedule says so, two beside each other (PassRunner), and hands their results to
 * the neighbor stages; hand-overs run beside whatever comes next. A pass may start when all passes
 * before it, but for the one that it runs beside, are over and its input has arrived.
 */
class StageRunner : private PassOwner, private CollectiveSink
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

    /// @param order passes of a stage @return the most of them that run beside each other
    static uint32_t GetLanes(const std::vector<PipelinePass>& order);

    /// @param previous stage before; of the first, the last @param next stage after; of the last,
    /// the first (chunks go around)
    void SetNeighbors(StageRunner* previous, StageRunner* next);

    /// Every pass that runs beside others draws from a stream of its own, so that draws do not
    /// depend on the network.
    /// @param stream first stream of the draws of its compute times @param stride to the next
    void SetStream(int64_t stream, int64_t stride);

    /// GPUs have become slower or faster: from the next operation on.
    void UpdateSpeeds();

    /// Start an iteration.
    void Start();

    /**
     * Drop the iteration: nothing that is pending has an effect any more, and Start() begins anew.
     * All stages of a replica are aborted together, before any is started. Transfers under way go
     * on unheard; whoever aborts takes them, and requests of controllers, back.
     */
    void Abort();

    /// @return DP replica
    uint32_t GetReplica() const
    {
        return m_scope.replica;
    }

    /// @return PP stage
    uint32_t GetStage() const
    {
        return m_scope.stage;
    }

    /// @return its last operation that has ended
    uint32_t GetLastOp() const
    {
        return m_lastOp;
    }

    /// @return its meter
    ExposureMeter& GetMeter()
    {
        return m_scope.meter;
    }

    /// @return what it is doing, for reports of unfinished work
    std::string Describe() const;

  private:
    /// A hand-over under way.
    struct HandOver
    {
        PipelinePass pass; //!< that ended
        uint32_t op;       //!< its last operation
    };

    void OnPassDone(PassRunner& pass) override;
    void OnCollective(const CollectiveResult& result) override;

    /// Go on with the next passes of the schedule.
    void NextPasses();
    /// Hand a pass's result to the neighbor. @param pass it has ended @param op its last operation
    void StartHandOver(const PipelinePass& pass, uint32_t op);
    /// @param pass pass that the neighbor's hand-over lets start @param op the hand-over
    void Arrive(const PipelinePass& pass, uint32_t op);

    /// @return virtual stage of a pass @param pass a pass
    uint32_t GetPart(const PipelinePass& pass) const;
    /// @param pass a pass @return true when its result goes on: not the first or last of all
    bool HandsOver(const PipelinePass& pass) const;
    /// @param chunk chunk @param microBatch micro-batch @return index into m_arrived
    std::size_t GetIndex(uint32_t chunk, uint32_t microBatch) const;

    StageScope m_scope;                              //!< what its passes share
    std::vector<std::unique_ptr<PassRunner>> m_pass; //!< in progress or idle
    std::vector<PipelinePass> m_order;               //!< its passes
    StageRunner* m_previous{nullptr};                //!< stage before
    StageRunner* m_next{nullptr};                    //!< stage after

    std::size_t m_cursor{0};            //!< index into m_order of what is not yet begun
    uint32_t m_open{0};                 //!< passes begun and not over
    uint32_t m_lastOp{OpRecord::NONE};  //!< its last operation that has ended
    std::vector<uint32_t> m_group;      //!< last operations of the passes that were begun last
    std::vector<uint32_t> m_before;     //!< and of those before them
    uint32_t m_generation{0};           //!< of hand-overs; others are late
    std::vector<uint32_t> m_arrived[2]; //!< by direction, GetIndex(): hand-over or NONE
    std::vector<HandOver> m_handOvers;  //!< under way, or free
    std::vector<uint32_t> m_free;       //!< free ones
};

} // namespace ns3

#endif // STAGE_RUNNER_H
