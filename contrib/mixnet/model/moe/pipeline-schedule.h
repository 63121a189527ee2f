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

/// One pass of a chunk of a stage over one micro-batch.
struct PipelinePass
{
    uint32_t microBatch{0}; //!< micro-batch
    bool backward{false};   //!< direction
    uint32_t chunk{0};      //!< chunk of the stage
    bool beside{false};     //!< runs beside the pass before it in the order

    /// @param o other @return true when it is the same pass, whatever runs beside it
    bool operator==(const PipelinePass& o) const
    {
        return microBatch == o.microBatch && backward == o.backward && chunk == o.chunk;
    }
};

/**
 * @ingroup mixnet
 * Strategy: in which order a stage takes its forward and backward passes.
 *
 * Laws: every micro-batch passes every chunk forward once and then backward once; any two stages
 * take the backward passes in the same order.
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
     * @param chunks chunks of a stage
     * @return its passes, in order
     * @throws InputError when it cannot be done with so many micro-batches or chunks
     */
    std::vector<PipelinePass> GetOrder(uint32_t stage,
                                       uint32_t stages,
                                       uint32_t microBatches,
                                       uint32_t chunks = 1) const;

    /**
     * Idle share of a stage when all chunks take the same time and nothing is sent: with p stages
     * of v chunks and m micro-batches the iteration lasts m v + p - 1 slots of a chunk's forward
     * plus backward, of which every stage fills m v. The same for 1F1B and GPipe, whose v is 1
     * (Narayanan et al., SC 2021, section 2.2, gives it relative to the ideal time: (p-1)/(v m)).
     *
     * @param stages p @param microBatches m @param chunks v @return (p-1)/(v m+p-1)
     */
    static double GetBubbleFraction(uint32_t stages, uint32_t microBatches, uint32_t chunks = 1);

  private:
    /// @param stage stage @param stages number of stages @param microBatches number of
    /// micro-batches
    /// @param chunks chunks of a stage @return its passes, in order
    virtual std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                                 uint32_t stages,
                                                 uint32_t microBatches,
                                                 uint32_t chunks) const = 0;
    /// @return true when stages may have several chunks
    virtual bool Interleaves() const;
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

  private:
    std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                         uint32_t stages,
                                         uint32_t microBatches,
                                         uint32_t chunks) const override;
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

  private:
    std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                         uint32_t stages,
                                         uint32_t microBatches,
                                         uint32_t chunks) const override;
};

/**
 * @ingroup mixnet
 * Interleaved 1F1B (Narayanan et al., SC 2021, section 2.2): a stage has v chunks of the layers and
 * takes them in turn, p micro-batches at a time. Forward pass k of a stage is chunk (k mod p v) / p
 * over micro-batch (k / p v) p + k mod p, backward pass k the same with the chunks from the last;
 * 2 (p - 1 - s) + (v - 1) p forward passes come first (all, when m = p), then one forward and one
 * backward in turn, then the backward passes left. With one chunk it is 1F1B with twice its forward
 * passes in advance. Micro-batches must be a multiple of the stages.
 */
class InterleavedSchedule : public PipelineSchedule
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  private:
    std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                         uint32_t stages,
                                         uint32_t microBatches,
                                         uint32_t chunks) const override;
    bool Interleaves() const override;
};

} // namespace ns3

#endif // PIPELINE_SCHEDULE_H
