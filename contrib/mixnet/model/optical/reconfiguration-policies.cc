/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "reconfiguration-policies.h"

#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ReconfigurationPolicy);
NS_OBJECT_ENSURE_REGISTERED(PaperReconfigurationPolicy);
NS_OBJECT_ENSURE_REGISTERED(PreviousReconfigurationPolicy);
NS_OBJECT_ENSURE_REGISTERED(PredictedReconfigurationPolicy);
NS_OBJECT_ENSURE_REGISTERED(PerIterationReconfigurationPolicy);
NS_OBJECT_ENSURE_REGISTERED(NeverReconfigurationPolicy);
NS_OBJECT_ENSURE_REGISTERED(GainReconfigurationPolicy);

namespace
{

/// @return true where the combine of a forward pass waits for a plan that was begun before it, and
/// backward in the paper's rule
bool
WaitsForCombine(AllToAllPhase phase, AllToAllEvent event)
{
    return (phase == AllToAllPhase::FORWARD_COMBINE && event == AllToAllEvent::REQUESTED) ||
           ((phase == AllToAllPhase::RECOMPUTED_DISPATCH ||
             phase == AllToAllPhase::BACKWARD_COMBINE) &&
            event != AllToAllEvent::FINISHED);
}

/// @param phase phase @param event event @return true when a pass asks for its first all-to-all, or
/// a backward one, whose routing is known, announces it
bool
BeginsPass(AllToAllPhase phase, AllToAllEvent event)
{
    switch (phase)
    {
    case AllToAllPhase::FORWARD_DISPATCH:
        return event == AllToAllEvent::REQUESTED;
    case AllToAllPhase::RECOMPUTED_DISPATCH:
    case AllToAllPhase::BACKWARD_COMBINE:
        return event != AllToAllEvent::FINISHED;
    default:
        return false;
    }
}

/// @param event what happened @param announced reason then @param finished reason then
/// @return begin in the background, and wait for it
ReconfigurationDecision
DecideAhead(AllToAllEvent event, const char* announced, const char* finished)
{
    switch (event)
    {
    case AllToAllEvent::ANNOUNCED:
        return {ReconfigurationAction::BACKGROUND, announced};
    case AllToAllEvent::FINISHED:
        return {ReconfigurationAction::BACKGROUND, finished};
    default:
        return {ReconfigurationAction::BEFORE, "waits for the plan begun before"};
    }
}

} // namespace

const char*
GetName(AllToAllEvent e)
{
    static constexpr const char* names[] = {"announced", "requested", "finished"};
    return names[static_cast<uint8_t>(e)];
}

const char*
GetName(ReconfigurationAction a)
{
    static constexpr const char* names[] = {"keep", "before", "background"};
    return names[static_cast<uint8_t>(a)];
}

TypeId
ReconfigurationPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ReconfigurationPolicy").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

PlanBasis
ReconfigurationPolicy::GetBasis(AllToAllPhase /* phase */, AllToAllEvent /* event */) const
{
    return PlanBasis::EXACT;
}

uint32_t
ReconfigurationPolicy::GetMostChanges(AllToAllPhase /* phase */, AllToAllEvent /* event */) const
{
    return 0;
}

InitialPlan
ReconfigurationPolicy::GetInitialPlan() const
{
    return InitialPlan::UNIFORM;
}

TypeId
PaperReconfigurationPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PaperReconfigurationPolicy")
                            .SetParent<ReconfigurationPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PaperReconfigurationPolicy>();
    return tid;
}

bool
PaperReconfigurationPolicy::Considers(AllToAllPhase phase, AllToAllEvent event) const
{
    return BeginsPass(phase, event);
}

ReconfigurationDecision
PaperReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    if (context.event == AllToAllEvent::ANNOUNCED)
    {
        return {ReconfigurationAction::BACKGROUND,
                "exact plan, hidden behind the operation before"};
    }
    return {ReconfigurationAction::BEFORE,
            "the first all-to-all of a pass waits for its exact plan"};
}

TypeId
PreviousReconfigurationPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PreviousReconfigurationPolicy")
                            .SetParent<ReconfigurationPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PreviousReconfigurationPolicy>();
    return tid;
}

bool
PreviousReconfigurationPolicy::Considers(AllToAllPhase phase, AllToAllEvent event) const
{
    return WaitsForCombine(phase, event) ||
           (phase == AllToAllPhase::FORWARD_DISPATCH && event == AllToAllEvent::FINISHED);
}

ReconfigurationDecision
PreviousReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    return DecideAhead(context.event,
                       "exact plan, hidden behind the operation before",
                       "exact plan, hidden behind expert compute");
}

TypeId
PredictedReconfigurationPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PredictedReconfigurationPolicy")
            .SetParent<ReconfigurationPolicy>()
            .SetGroupName("Mixnet")
            .AddConstructor<PredictedReconfigurationPolicy>()
            .AddAttribute(
                "CorrectionCircuits",
                "Circuits that the correction between dispatch and combine may add; 0: "
                "as many as the exact plan asks for (MixNet paper, appendix B).",
                UintegerValue(0),
                MakeUintegerAccessor(&PredictedReconfigurationPolicy::m_correctionCircuits),
                MakeUintegerChecker<uint32_t>());
    return tid;
}

bool
PredictedReconfigurationPolicy::Considers(AllToAllPhase phase, AllToAllEvent event) const
{
    return WaitsForCombine(phase, event) || phase == AllToAllPhase::FORWARD_DISPATCH;
}

ReconfigurationDecision
PredictedReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    const bool correction = context.event == AllToAllEvent::FINISHED && m_correctionCircuits > 0;
    if (correction && context.proposed == context.current)
    {
        return {ReconfigurationAction::KEEP, "no correction within the limit pays"};
    }
    return DecideAhead(context.event,
                       "plan hidden behind the operation before",
                       "prediction corrected behind expert compute");
}

PlanBasis
PredictedReconfigurationPolicy::GetBasis(AllToAllPhase phase, AllToAllEvent event) const
{
    if (phase == AllToAllPhase::FORWARD_COMBINE && m_correctionCircuits > 0)
    {
        return PlanBasis::CURRENT;
    }
    return phase == AllToAllPhase::FORWARD_DISPATCH && event != AllToAllEvent::FINISHED
               ? PlanBasis::PREDICTED
               : PlanBasis::EXACT;
}

uint32_t
PredictedReconfigurationPolicy::GetMostChanges(AllToAllPhase phase, AllToAllEvent event) const
{
    const bool correction =
        phase == AllToAllPhase::FORWARD_DISPATCH && event == AllToAllEvent::FINISHED;
    return correction ? m_correctionCircuits : 0;
}

TypeId
PerIterationReconfigurationPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PerIterationReconfigurationPolicy")
                            .SetParent<ReconfigurationPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PerIterationReconfigurationPolicy>();
    return tid;
}

bool
PerIterationReconfigurationPolicy::Considers(AllToAllPhase phase, AllToAllEvent event) const
{
    return BeginsPass(phase, event);
}

ReconfigurationDecision
PerIterationReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    if (context.event == AllToAllEvent::ANNOUNCED)
    {
        return {ReconfigurationAction::BACKGROUND, "plan of the iteration, hidden"};
    }
    return {ReconfigurationAction::BEFORE, "the first all-to-all of a pass waits for its plan"};
}

PlanBasis
PerIterationReconfigurationPolicy::GetBasis(AllToAllPhase /* phase */,
                                            AllToAllEvent /* event */) const
{
    return PlanBasis::ITERATION;
}

InitialPlan
PerIterationReconfigurationPolicy::GetInitialPlan() const
{
    return InitialPlan::AVERAGE;
}

TypeId
NeverReconfigurationPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::NeverReconfigurationPolicy")
                            .SetParent<ReconfigurationPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<NeverReconfigurationPolicy>();
    return tid;
}

bool
NeverReconfigurationPolicy::Considers(AllToAllPhase /* phase */, AllToAllEvent /* event */) const
{
    return false;
}

ReconfigurationDecision
NeverReconfigurationPolicy::Decide(const ReconfigurationContext& /* context */) const
{
    return {ReconfigurationAction::KEEP, "one static plan"};
}

InitialPlan
NeverReconfigurationPolicy::GetInitialPlan() const
{
    return InitialPlan::AVERAGE;
}

TypeId
GainReconfigurationPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GainReconfigurationPolicy")
            .SetParent<ReconfigurationPolicy>()
            .SetGroupName("Mixnet")
            .AddConstructor<GainReconfigurationPolicy>()
            .AddAttribute("Horizon",
                          "All-to-alls that profit from a plan (two per pass).",
                          UintegerValue(2),
                          MakeUintegerAccessor(&GainReconfigurationPolicy::m_horizon),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

bool
GainReconfigurationPolicy::Considers(AllToAllPhase phase, AllToAllEvent event) const
{
    return BeginsPass(phase, event);
}

ReconfigurationDecision
GainReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    const bool announced = context.event == AllToAllEvent::ANNOUNCED;
    const auto action =
        announced ? ReconfigurationAction::BACKGROUND : ReconfigurationAction::BEFORE;
    if (context.pending && context.current == context.proposed)
    {
        return {action, "the plan is under way"};
    }
    // Time::Max() stands for bytes without a way: any plan that has one is worth it.
    const Time gain = context.predictedCurrent - context.predictedProposed;
    const Time threshold = context.darkTime / static_cast<int64_t>(m_horizon);
    if (context.predictedProposed < context.predictedCurrent && gain > threshold)
    {
        return {action, "predicted gain exceeds the dark time"};
    }
    return {ReconfigurationAction::KEEP, "predicted gain is below the dark time"};
}

InitialPlan
GainReconfigurationPolicy::GetInitialPlan() const
{
    return InitialPlan::AVERAGE;
}

} // namespace ns3
