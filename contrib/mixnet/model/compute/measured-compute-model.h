/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_MEASURED_COMPUTE_MODEL_H
#define MIXNET_MEASURED_COMPUTE_MODEL_H

#include "compute-model.h"
#include "time-curve.h"

#include <array>

namespace ns3
{

/// @ingroup mixnet
/// Measured times of a GPU by what it computes, without its TP collectives.
struct ComputeTimes
{
    /// Of one kind.
    struct Pass
    {
        TimeCurve forward;  //!< forward
        TimeCurve backward; //!< backward; empty: twice the forward time
        TimeCurve weight{}; //!< part of the backward time for weights; empty: by FLOPs
    };

    std::array<Pass, N_WORK_KINDS> kinds; //!< by kind

    /// @param kind kind @return its times
    Pass& At(WorkKind kind)
    {
        return kinds[static_cast<std::size_t>(kind)];
    }

    /// @param kind kind @return its times
    const Pass& At(WorkKind kind) const
    {
        return kinds[static_cast<std::size_t>(kind)];
    }
};

/**
 * @ingroup mixnet
 * Times that were measured, by kind of work and direction: of attention, gate, shared experts,
 * dense MLP and head for the job's micro-batch, of an expert against the token copies it receives.
 * An expert without copies takes no time. What was not measured comes from Base; without it, it is
 * refused by name.
 */
class MeasuredComputeModel : public ComputeModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /// @param times what was measured
    void SetTimes(const ComputeTimes& times);

    /// @param work work of one GPU @return its measured time @throws InputError without one
    Time GetForwardTime(const OpWork& work) const override;
    /// @param work work of one GPU @return its measured time @throws InputError without one
    Time GetBackwardTime(const OpWork& work) const override;
    /// @param work work of one GPU @return its measured time, or its share of the backward time by
    /// FLOPs @throws InputError without a backward time, or when the part is above it
    Time GetWeightGradientTime(const OpWork& work) const override;

  protected:
    void DoDispose() override;

  private:
    /// @param work work of one GPU @return true when its kind was measured
    /// @throws InputError when it was not and there is no Base
    bool IsMeasured(const OpWork& work) const;

    ComputeTimes m_times;     //!< measured
    Ptr<ComputeModel> m_base; //!< attribute
};

} // namespace ns3

#endif // MIXNET_MEASURED_COMPUTE_MODEL_H
