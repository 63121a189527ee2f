/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef JOB_TIMES_H
#define JOB_TIMES_H

#include "compute-model.h"
#include "exposure-meter.h"

#include "ns3/parallel-layout.h"
#include "ns3/training-records.h"

#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Durations of a job's operations on one rank, with the TP collectives around them as closed forms
 * inside the scale-up domain (design, decision 19):
 *
 *     attention, dense,  sequence parallel: all-gather before, reduce-scatter after;
 *     shared experts     else: all-reduce after
 *     expert             over ETP; sharded: all-gather of the copies received before,
 *                        reduce-scatter after; replicated: all-reduce after
 *     head               all-gather before (sequence parallel); backward: its gradient back
 *
 * The backward pass mirrors them; split, they belong to the gradients of the inputs. What is
 * recomputed has them again, but for the core of attention and experts alone, whose inputs are kept
 * where they are computed. The buffer of a collective is tokens (or copies) x hidden.
 */
class JobTimes
{
  public:
    /// @param job job @param layout its layout @param compute how long a GPU computes
    JobTimes(const TrainingJob& job, const ParallelLayout& layout, const ComputeModel& compute);

    /// @param kind ATTENTION, GATE, SHARED, DENSE or HEAD @param pass pass @return its block
    const ComputeBlock& GetBlock(OpKind kind, PassKind pass) const
    {
        return m_blocks[static_cast<std::size_t>(kind)][static_cast<std::size_t>(pass)];
    }

    /// @param kind ATTENTION, GATE, SHARED, DENSE or HEAD @param pass pass
    /// @return bytes that all GPUs of a TP block send in its TP collectives
    ByteCount GetTensorBytes(OpKind kind, PassKind pass) const
    {
        return m_bytes[static_cast<std::size_t>(kind)][static_cast<std::size_t>(pass)];
    }

    /// @param kind ATTENTION, GATE, SHARED or DENSE
    /// @return what of it comes again before its backward pass, if anything does
    const ComputeBlock& GetRecomputedBlock(OpKind kind) const
    {
        return kind == OpKind::ATTENTION && m_job.recompute == Recompute::SELECTIVE
                   ? m_core
                   : GetBlock(kind, PassKind::FORWARD);
    }

    /// @return true when TP collectives come again, too
    bool RepeatsCollectives() const
    {
        return m_job.recompute == Recompute::MOE || m_job.recompute == Recompute::FULL;
    }

    /**
     * @param copies by slot of the placement: token copies received
     * @param pass pass
     * @param blocks out, by EP rank: a pass over its experts, one after the other
     */
    void GetExpertBlocks(const std::vector<uint64_t>& copies,
                         PassKind pass,
                         std::vector<ComputeBlock>& blocks) const;

    /// @param copies token copies received @return bytes of the TP collectives around the experts,
    /// in any pass but that of the weights, which has none
    ByteCount GetExpertTensorBytes(uint64_t copies) const;

  private:
    /// A value for every pass.
    template <typename T>
    using ByPass = std::array<T, N_PASS_KINDS>;

    /// @param work work of one GPU @param pass pass @return how long it takes
    Time GetTime(const OpWork& work, PassKind pass) const;
    /// @param gpus that share it @param tokens rows of the buffer @return all-gather or
    /// reduce-scatter of them
    Time GetGatherTime(uint32_t gpus, uint64_t tokens) const;
    /// @param rank EP rank @param copies by slot @param pass pass @return it over its experts
    ComputeBlock GetExpertBlock(uint32_t rank,
                                const std::vector<uint64_t>& copies,
                                PassKind pass) const;

    const TrainingJob& m_job;                              //!< job
    const ComputeModel& m_compute;                         //!< how long a GPU computes
    ExpertPlacement m_placement;                           //!< experts over EP ranks
    DataRate m_rate;                                       //!< scale-up, per GPU
    std::array<ByPass<ComputeBlock>, N_OP_KINDS> m_blocks; //!< by kind, pass
    ComputeBlock m_core;                                   //!< of attention, when it is recomputed
    std::array<ByPass<ByteCount>, N_OP_KINDS> m_bytes;     //!< by kind, pass
};

} // namespace ns3

#endif // JOB_TIMES_H
