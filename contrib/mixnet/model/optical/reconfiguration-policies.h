/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECONFIGURATION_POLICIES_H
#define RECONFIGURATION_POLICIES_H

#include "reconfiguration-policy.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * The paper's simulation rule (section 7.1): for each layer and micro-batch the first forward
 * all-to-all (dispatch) waits for its exact plan; in the backward pass the plan is asked for when
 * the operation before the first all-to-all (combine) starts, and that all-to-all waits until it
 * is lit. The second all-to-all of either pass has the transposed demand, hence the same plan.
 */
class PaperReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Considers(AllToAllPhase phase, AllToAllEvent event) const override;
    ReconfigurationDecision Decide(const ReconfigurationContext& context) const override;
};

/**
 * @ingroup mixnet
 * The forward dispatch takes the circuits of the previous layer; the exact plan is begun when the
 * dispatch is over, so that it hides in expert compute, and the combine waits until it is lit.
 * Backward as in the paper's rule.
 */
class PreviousReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Considers(AllToAllPhase phase, AllToAllEvent event) const override;
    ReconfigurationDecision Decide(const ReconfigurationContext& context) const override;
};

/**
 * @ingroup mixnet
 * The forward dispatch takes a plan for its predicted demand, begun when the operation before it
 * (attention) starts and awaited; it keeps the circuits where there is no prediction yet. When the
 * dispatch is over the plan is corrected: the exact one is begun, hides in expert compute, and the
 * combine waits until it is lit. With CorrectionCircuits the correction adds that many circuits at
 * most (CorrectPlan()), and none when that does not shorten the predicted finish time. Backward as
 * in the paper's rule.
 */
class PredictedReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Considers(AllToAllPhase phase, AllToAllEvent event) const override;
    ReconfigurationDecision Decide(const ReconfigurationContext& context) const override;
    PlanBasis GetBasis(AllToAllPhase phase, AllToAllEvent event) const override;
    uint32_t GetMostChanges(AllToAllPhase phase, AllToAllEvent event) const override;

  private:
    uint32_t m_correctionCircuits{0}; //!< attribute
};

/**
 * @ingroup mixnet
 * Once forward and once backward per iteration and EP group: the first forward dispatch waits for a
 * plan of the sum of the last iteration's dispatches (in the first iteration: of its own demand);
 * the first backward combine waits for a plan of the sum of this iteration's dispatches so far,
 * asked for when the operation before it starts.
 */
class PerIterationReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Considers(AllToAllPhase phase, AllToAllEvent event) const override;
    ReconfigurationDecision Decide(const ReconfigurationContext& context) const override;
    PlanBasis GetBasis(AllToAllPhase phase, AllToAllEvent event) const override;
    InitialPlan GetInitialPlan() const override;
};

/**
 * @ingroup mixnet
 * One static plan, lit before the run.
 */
class NeverReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Considers(AllToAllPhase phase, AllToAllEvent event) const override;
    ReconfigurationDecision Decide(const ReconfigurationContext& context) const override;
    InitialPlan GetInitialPlan() const override;
};

/**
 * @ingroup mixnet
 * Asked where the paper's rule reconfigures; does so only if Horizon all-to-alls together save
 * more than the dark time. A dark time that compute would hide counts in full: the policy does
 * not know what hides it.
 */
class GainReconfigurationPolicy : public ReconfigurationPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Considers(AllToAllPhase phase, AllToAllEvent event) const override;
    ReconfigurationDecision Decide(const ReconfigurationContext& context) const override;
    InitialPlan GetInitialPlan() const override;

  private:
    uint32_t m_horizon{2}; //!< all-to-alls that profit
};

} // namespace ns3

#endif // RECONFIGURATION_POLICIES_H
