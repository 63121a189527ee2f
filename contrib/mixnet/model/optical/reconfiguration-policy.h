/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECONFIGURATION_POLICY_H
#define RECONFIGURATION_POLICY_H

#include "circuit-plan.h"

#include "ns3/demand.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

namespace ns3
{

/// Where an all-to-all is in its life when the policy is asked.
enum class AllToAllEvent : uint8_t
{
    ANNOUNCED, //!< the operation before it has started; its demand is known or guessed
    REQUESTED, //!< it is ready to start
    FINISHED   //!< its last byte has arrived
};

/// What to do about the circuits.
enum class ReconfigurationAction : uint8_t
{
    KEEP,      //!< leave the circuits alone; a requested all-to-all starts at once
    BEFORE,    //!< reconfigure; a requested all-to-all starts when the plan is lit
    BACKGROUND //!< reconfigure; a requested all-to-all starts at once
};

/// What to light before the run.
enum class InitialPlan : uint8_t
{
    UNIFORM, //!< circuits spread evenly over the pairs, whatever the demand
    AVERAGE  //!< the planner's plan for the average demand; uniform when none is known
};

/// Which demand a plan is made for.
enum class PlanBasis : uint8_t
{
    EXACT,     //!< the all-to-all's own
    PREDICTED, //!< what a DemandPredictor says of it; without a prediction the circuits are kept
    CURRENT,   //!< nothing: the plan proposed is the one that is lit or under way, to be waited for
    ITERATION  //!< what a whole iteration sums to, asked once per pass: the first all-to-all of its
               //!< EP group; for the others the circuits are kept
};

/// @param e event @return "announced", "requested", "finished"
const char* GetName(AllToAllEvent e);
/// @param a action @return "keep", "before", "background"
const char* GetName(ReconfigurationAction a);

/// All that a decision may depend on.
struct ReconfigurationContext
{
    AllToAllId id;               //!< the all-to-all
    AllToAllEvent event;         //!< what happened to it
    const DemandMatrix& demand;  //!< its bytes
    const CircuitPlan& current;  //!< circuits lit, or to be lit by what is under way
    const CircuitPlan& proposed; //!< the planner's answer to the demand
    Time predictedCurrent;       //!< finish time of the demand under `current`, EPS included
    Time predictedProposed;      //!< finish time of the demand under `proposed`
    Time darkTime;               //!< expected: control, switching and activation
    bool pending{false};         //!< a reconfiguration is under way or waits
};

/// A decision and its reason.
struct ReconfigurationDecision
{
    ReconfigurationAction action{ReconfigurationAction::KEEP}; //!< what to do
    const char* why{""}; //!< a literal, for the log, e.g. "exact plan blocks the first all-to-all"
};

/**
 * @ingroup mixnet
 * Strategy: when to reconfigure (design, decision 9). A pure function of its attributes and the
 * context. BEFORE and BACKGROUND with a plan that is already lit, or already being lit, change
 * nothing: BEFORE then means "wait for it".
 */
class ReconfigurationPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * Cheap question asked first, so that no plan is computed in vain.
     *
     * @param phase phase of the all-to-all
     * @param event what happened to it
     * @return false when the answer is KEEP whatever the plan
     */
    virtual bool Considers(AllToAllPhase phase, AllToAllEvent event) const = 0;

    /// @param context all there is to know; Considers() was true @return the decision
    virtual ReconfigurationDecision Decide(const ReconfigurationContext& context) const = 0;

    /// @param phase phase of the all-to-all @param event what happened to it
    /// @return what the proposed plan is made for; EXACT unless overridden
    virtual PlanBasis GetBasis(AllToAllPhase phase, AllToAllEvent event) const;

    /// @param phase phase of the all-to-all @param event what happened to it
    /// @return circuits that the proposed plan may add to those there are (CorrectPlan()); 0: as
    /// many as the planner likes, unless overridden
    virtual uint32_t GetMostChanges(AllToAllPhase phase, AllToAllEvent event) const;

    /// @return what to light before the run
    virtual InitialPlan GetInitialPlan() const;
};

} // namespace ns3

#endif // RECONFIGURATION_POLICY_H
