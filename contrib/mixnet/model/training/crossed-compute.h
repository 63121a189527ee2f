/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_CROSSED_COMPUTE_H
#define MIXNET_CROSSED_COMPUTE_H

#include "stage-context.h"

#include "ns3/callback.h"
#include "ns3/collective-runner.h"
#include "ns3/exposure-meter.h"
#include "ns3/tensor-crossing.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A compute step of a group some of whose TP blocks are spread over servers. Whole blocks take the
 * time that is known when they start; a broken one has its TP collectives in the network:
 *
 *     Start -> gather in the network -> OnComputed -> scatter in the network -> EndBlock
 *
 * The step is over with its last rank.
 */
class CrossedCompute : private CollectiveSink
{
  public:
    /// Told once per step: what its last rank did, from the start until now.
    using DoneCallback = Callback<void, const ComputeBlock&>;

    /**
     * @param context of the job
     * @param host coordinator, told of losses
     * @param meter of the group
     * @param crossings of the group; must outlive this
     * @param done told when a step is over
     */
    CrossedCompute(StageContext& context,
                   StageHost& host,
                   ExposureMeter& meter,
                   const TensorCrossings& crossings,
                   const DoneCallback& done);

    /// @param blocks by EP rank, as if none were broken; those of a broken TP block end with its
    /// last
    void Start(const std::vector<ComputeBlock>& blocks);

    /// Forget the step; late events are ignored.
    void Abort();

    /// @param blocks by rank @return payload of their TP collectives that leaves the scale-up
    /// domain
    ByteCount GetBytes(const std::vector<ComputeBlock>& blocks) const;

    /// @param after the TP collective after the computation, or before it
    /// @return what bounded it, of the rank that was last; empty when it took the closed form
    const OperationLoad& GetLoad(bool after) const
    {
        return m_lastLoad[after];
    }

    /// Once a step is over: put what broken blocks took in the place of their plans. @param blocks
    /// by rank
    void FillTaken(std::vector<ComputeBlock>& blocks) const;

  private:
    /// A broken block on its way.
    struct Course
    {
        ComputeBlock planned;              //!< as if it were whole
        ComputeBlock taken;                //!< so far
        Time since;                        //!< when its collective began
        bool after{false};                 //!< it has computed
        std::array<OperationLoad, 2> load; //!< of the collectives before and after
    };

    void OnCollective(const CollectiveResult& result) override;
    /// @param blocks by EP rank @param block a TP block @return the one that it takes longest for
    const ComputeBlock& FindSlowest(const std::vector<ComputeBlock>& blocks, uint32_t block) const;
    /// @param block a TP block @param visit told its EP ranks
    template <class F>
    void ForEachRank(uint32_t block, const F& visit) const;
    /// @param index of a block @param time closed form of the collective before or after
    void StartCollective(uint32_t index, Time time);
    /// @param index of a block that has its inputs
    void StartCompute(uint32_t index);
    /// @param index of a block that has computed @param generation of the step
    void OnComputed(uint32_t index, uint32_t generation);
    /// @param index of a block that is over
    void EndBlock(uint32_t index);
    /// @param generation of the step, whose last block is over
    void End(uint32_t generation);

    StageContext& m_context;                 //!< of the job
    StageHost& m_host;                       //!< coordinator
    ExposureMeter& m_meter;                  //!< of the group
    const TensorCrossings& m_crossings;      //!< of the group
    DoneCallback m_done;                     //!< told at the end
    std::vector<ComputeBlock> m_blocks;      //!< scratch: of the meter
    std::vector<Course> m_courses;           //!< by broken block
    ComputeBlock m_whole;                    //!< slowest whole block
    ComputeBlock m_last;                     //!< of the broken block that ended last
    std::array<OperationLoad, 2> m_lastLoad; //!< of the same
    Time m_start;                            //!< of the step
    uint32_t m_open{0};                      //!< broken blocks that are not over
    uint32_t m_generation{0};                //!< of events; others are late
};

} // namespace ns3

#endif // MIXNET_CROSSED_COMPUTE_H
