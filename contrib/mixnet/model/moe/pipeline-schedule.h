/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// One pass of a stage over one micro-batch.
struct PipelinePass
{
    uint32_t microBatch{0}; //!< micro-batch
    bool backward{false};   //!< direction

    /// @param o other @return equality
    bool operator==(const PipelinePass& o) const
    {
        return microBatch == o.microBatch && backward == o.backward;
    }
};

/**
 * @ingroup mixnet
 * Strategy: in which order a stage takes its forward and backward passes.
 *
 * Laws: every micro-batch passes forward once and then backward once; any two stages take the
 * backward passes in the same order.
 */
class PipelineSchedule : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param stage stage, from 0
     * @param stages number of stages
     * @param microBatches number of micro-batches
     * @return its passes, in order
     */
    virtual std::vector<PipelinePass> GetOrder(uint32_t stage,
                                               uint32_t stages,
                                               uint32_t microBatches) const = 0;

    /**
     * Idle share of a stage when all stages take the same time and nothing is sent: with p stages
     * and m micro-batches the iteration lasts m + p - 1 slots of forward plus backward, of which
     * every stage fills m. The same for 1F1B and GPipe (Narayanan et al., SC 2021, section 2.2,
     * gives it relative to the ideal time: (p-1)/m).
     *
     * @param stages p @param microBatches m @return (p-1)/(m+p-1)
     */
    static double GetBubbleFraction(uint32_t stages, uint32_t microBatches);
};

/**
 * @ingroup mixnet
 * 1F1B: min(p-1-s, m) forward passes, then one forward and one backward in turn, then the backward
 * passes left (Narayanan et al., SOSP 2019). At most p - s micro-batches are in flight.
 */
class OneForwardOneBackwardSchedule : public PipelineSchedule
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::vector<PipelinePass> GetOrder(uint32_t stage,
                                       uint32_t stages,
                                       uint32_t microBatches) const override;
};

/**
 * @ingroup mixnet
 * GPipe: all forward passes, then all backward passes (Huang et al., NeurIPS 2019).
 */
class GpipeSchedule : public PipelineSchedule
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    std::vector<PipelinePass> GetOrder(uint32_t stage,
                                       uint32_t stages,
                                       uint32_t microBatches) const override;
};

} // namespace ns3

#endif // PIPELINE_SCHEDULE_H
