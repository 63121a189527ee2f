/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PIPELINE_SCHEDULE_H
#define PIPELINE_SCHEDULE_H

#include "training-records.h"

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Which gradients a backward pass makes.
enum class BackwardPart : uint8_t
{
    WHOLE, //!< all
    INPUT, //!< those of inputs, which the stage before waits for
    WEIGHT //!< those of weights, which nobody waits for
};

/// One pass of a chunk of a stage over one micro-batch.
struct PipelinePass
{
    uint32_t microBatch{0};                 //!< micro-batch
    bool backward{false};                   //!< direction
    uint32_t chunk{0};                      //!< chunk of the stage
    bool beside{false};                     //!< runs beside the pass before it in the order
    BackwardPart part{BackwardPart::WHOLE}; //!< of a backward pass

    /// @return what it computes
    PassKind GetKind() const
    {
        return part == BackwardPart::WHOLE   ? GetPassKind(backward)
               : part == BackwardPart::INPUT ? PassKind::INPUT_GRADIENT
                                             : PassKind::WEIGHT_GRADIENT;
    }

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
 * Laws: every micro-batch passes every chunk forward once and then backward once, or once for the
 * inputs and then once for the weights; any two stages take the backward passes in the same order.
 * A pass beside another may start before that one ends.
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

    /// @return true when stages may have several chunks
    virtual bool Interleaves() const;
    /// @return true when a pass may run beside another
    virtual bool Overlaps() const;
    /// @return true when backward passes are split into inputs and weights
    virtual bool SplitsBackward() const;

  private:
    /// @param stage stage @param stages number of stages @param microBatches number of
    /// micro-batches
    /// @param chunks chunks of a stage @return its passes, in order
    virtual std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                                 uint32_t stages,
                                                 uint32_t microBatches,
                                                 uint32_t chunks) const = 0;
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

    bool Interleaves() const override;

  private:
    std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                         uint32_t stages,
                                         uint32_t microBatches,
                                         uint32_t chunks) const override;
};

/**
 * @ingroup mixnet
 * 1F1B whose forward and backward passes run two at a time, so that the all-to-alls of one hide
 * behind the compute of the other (DeepSeek-V3 technical report, 2024, section 3.2.2;
 * Megatron-Core's overlap of expert all-to-alls under 1F1B). 2 (p - 1 - s) + (v - 1) p + 1 forward
 * passes come first, one more than interleaved 1F1B has, so that the two are of different
 * micro-batches; then one forward beside one backward; then the backward passes left. Passes are
 * those of InterleavedSchedule. One chunk: at most 2 (p - s) micro-batches are in flight, twice as
 * many as 1F1B has, and any number of micro-batches will do. Without communication the bubble is
 * that of 1F1B: a pair is a slot of one forward plus one backward.
 */
class OverlappedSchedule : public PipelineSchedule
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Interleaves() const override;
    bool Overlaps() const override;

  private:
    std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                         uint32_t stages,
                                         uint32_t microBatches,
                                         uint32_t chunks) const override;
};

/**
 * @ingroup mixnet
 * ZB-H1 (Qi et al., "Zero Bubble Pipeline Parallelism", ICLR 2024, section 2.1): 1F1B whose
 * backward passes are split. A stage hands over after the gradients of the inputs (B); those of the
 * weights (W) come later: stage s puts off s of them, so that all stages hold up to p
 * micro-batches, as the first stage of 1F1B does, and fills the end of the pipeline with them.
 * Bubble of the iteration: (p - 1) (T_F + T_B - T_W) against 1F1B's (p - 1) (T_F + T_B + T_W), when
 * T_W is neither above T_F nor T_B.
 */
class ZeroBubbleSchedule : public PipelineSchedule
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool SplitsBackward() const override;

  private:
    std::vector<PipelinePass> DoGetOrder(uint32_t stage,
                                         uint32_t stages,
                                         uint32_t microBatches,
                                         uint32_t chunks) const override;
};

} // namespace ns3

#endif // PIPELINE_SCHEDULE_H
