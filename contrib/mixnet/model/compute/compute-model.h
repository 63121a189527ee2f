/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COMPUTE_MODEL_H
#define COMPUTE_MODEL_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/op-work.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Strategy: how long a GPU computes (design, decision 12). Unless a model knows better, the
 * backward pass of an operation, which does two products for every one of the forward pass, takes
 * twice its time.
 */
class ComputeModel : public Object
{
  public:
    static constexpr uint32_t BACKWARD_FACTOR = 2; //!< backward / forward time, by default

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param work work of one GPU @return time of its forward pass
    virtual Time GetForwardTime(const OpWork& work) const = 0;

    /// @param work work of one GPU in the forward pass @return time of its backward pass
    virtual Time GetBackwardTime(const OpWork& work) const;

    /**
     * Part of the backward time that gradients of weights take (Qi et al., ICLR 2024, table 1). The
     * backward pass does two products for every one of the forward pass; one of the two gives the
     * gradient of the weights where the forward product has weights, which scores and values of
     * attention do not.
     *
     * @param work work of one GPU in the forward pass
     * @return unless a model knows better, backward time x weight FLOPs / (2 x FLOPs); it is not
     * above the backward time
     */
    virtual Time GetWeightGradientTime(const OpWork& work) const;

  protected:
    /// @param amount FLOPs or bytes @param perSecond rate, above zero
    /// @return amount / perSecond, rounded up to a tick
    static Time Quotient(double amount, double perSecond);
};

/**
 * @ingroup mixnet
 * Time = max(FLOPs / (peak x efficiency), bytes / memory bandwidth) (Williams, Waterman and
 * Patterson, CACM 52(4), 2009). Defaults: H100 SXM, bf16 dense 989 TFLOP/s at 50 %, 3.35 TB/s.
 */
class RooflineComputeModel : public ComputeModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    Time GetForwardTime(const OpWork& work) const override;

  private:
    double m_peak{0};           //!< TFLOP/s
    double m_efficiency{0};     //!< share of the peak that is reached
    DataRate m_memoryBandwidth; //!< HBM
};

/**
 * @ingroup mixnet
 * Compute times of the MixNet paper. It publishes one: "more than 100 ms" of expert compute per
 * layer for Mixtral 8x7B at micro-batch 8 (EP 8, TP 4, H800; its figure 3). The anchor takes that
 * as the forward time of one layer's experts of an EP rank with balanced experts, that is 65,536
 * copies (8 x 4,096 tokens, top-2) x 2 x 3 x 4,096 x 14,336 FLOPs / TP 4 = 5.77 TFLOP per GPU in
 * ExpertTime: 57.7 TFLOP/s at the default of 100 ms, 5.8 % of an H100's peak. All other work
 * (attention, gate, head, dense layers, other models) runs at the same rate, memory is ignored.
 *
 * It implies, at 8 x 4,096 tokens: Mixtral 8x22B at TP 8, expert 85.7 ms and attention 16.1 ms per
 * layer; Mixtral 8x7B at TP 4, attention 16.7 ms. The paper's other figure, 122 ms at batch 16, is
 * below twice the anchor: its times grow less than linearly in the batch.
 */
class PaperComputeModel : public ComputeModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return FLOPs of one GPU in ExpertTime
    static double GetAnchorFlops();

    Time GetForwardTime(const OpWork& work) const override;

  private:
    Time m_expertTime; //!< the anchor
};

} // namespace ns3

#endif // COMPUTE_MODEL_H
