/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_COMPUTE_VARIATION_H
#define MIXNET_COMPUTE_VARIATION_H

#include "exposure-meter.h"

#include "ns3/parallel-layout.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// How GPUs of a job differ from what the compute model says; factors of compute times.
struct ComputeVariation
{
    /// Random variable above zero with mean 1, "ns3::X[...]", drawn for every EP rank and
    /// operation; empty: none.
    std::string jitter;
    std::map<uint32_t, double> slowGpus; //!< by GPU: factor of all its operations, from 1 on

    /// @return true when no GPU differs
    bool IsOff() const
    {
        return jitter.empty() && slowGpus.empty();
    }

    /// @param where for messages @throws InputError when the jitter is no random variable, draws
    /// zero or less, or when the mean of 10,000 draws is not within 5 % of 1
    void CheckJitter(const std::string& where) const;

    /// @return what differs, one sentence each
    std::vector<std::string> GetNotes() const;
};

/**
 * @ingroup mixnet
 * Factors of the compute times of one stage group. GPUs in lockstep are as slow as the slowest of
 * them and share a draw: those of a TP block, of an EP rank where it computes experts. TP
 * collectives are not stretched.
 *
 * Draws follow the stage's program, whatever the network does: one stream per group, so that
 * fabrics are compared with the same draws.
 */
class StageSpeeds
{
  public:
    /// @param variation how GPUs differ @param layout layout @param replica DP replica
    /// @param stage PP stage
    StageSpeeds(const ComputeVariation& variation,
                const ParallelLayout& layout,
                uint32_t replica,
                uint32_t stage);

    /// @return true when all ranks take the time that the compute model says
    bool IsOff() const
    {
        return m_slow.empty() && !m_jitter;
    }

    /// Take over how slow GPUs are now; draws go on. @param variation how GPUs differ
    /// @param layout layout @param replica DP replica @param stage PP stage
    void SetSlowGpus(const ComputeVariation& variation,
                     const ParallelLayout& layout,
                     uint32_t replica,
                     uint32_t stage);

    /// @param stream stream of the draws
    void SetStream(int64_t stream);

    /// @param blocks by EP rank, in and out: of one operation
    /// @param together EP ranks of a TP block are in lockstep, too
    /// @throws InputError when the jitter draws zero or less
    void Apply(std::vector<ComputeBlock>& blocks, bool together);

  private:
    uint32_t m_ranksPerBlock;           //!< EP ranks of a TP block
    std::vector<double> m_slow;         //!< by EP rank; empty: none is slow
    Ptr<RandomVariableStream> m_jitter; //!< factor of an operation; null: none
};

} // namespace ns3

#endif // MIXNET_COMPUTE_VARIATION_H
