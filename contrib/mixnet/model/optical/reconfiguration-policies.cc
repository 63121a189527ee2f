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
    switch (phase)
    {
    case AllToAllPhase::FORWARD_DISPATCH:
        return event == AllToAllEvent::REQUESTED;
    case AllToAllPhase::BACKWARD_COMBINE:
        return event != AllToAllEvent::FINISHED;
    default:
        return false;
    }
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
    switch (phase)
    {
    case AllToAllPhase::FORWARD_DISPATCH:
        return event == AllToAllEvent::FINISHED;
    case AllToAllPhase::FORWARD_COMBINE:
        return event == AllToAllEvent::REQUESTED;
    case AllToAllPhase::BACKWARD_COMBINE:
        return event != AllToAllEvent::FINISHED;
    default:
        return false;
    }
}

ReconfigurationDecision
PreviousReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    switch (context.event)
    {
    case AllToAllEvent::ANNOUNCED:
        return {ReconfigurationAction::BACKGROUND,
                "exact plan, hidden behind the operation before"};
    case AllToAllEvent::FINISHED:
        return {ReconfigurationAction::BACKGROUND, "exact plan, hidden behind expert compute"};
    default:
        return {ReconfigurationAction::BEFORE, "waits for the plan begun before"};
    }
}

TypeId
PredictedReconfigurationPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PredictedReconfigurationPolicy")
                            .SetParent<ReconfigurationPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<PredictedReconfigurationPolicy>();
    return tid;
}

bool
PredictedReconfigurationPolicy::Considers(AllToAllPhase phase, AllToAllEvent event) const
{
    switch (phase)
    {
    case AllToAllPhase::FORWARD_DISPATCH:
        return true;
    case AllToAllPhase::FORWARD_COMBINE:
        return event == AllToAllEvent::REQUESTED;
    case AllToAllPhase::BACKWARD_COMBINE:
        return event != AllToAllEvent::FINISHED;
    default:
        return false;
    }
}

ReconfigurationDecision
PredictedReconfigurationPolicy::Decide(const ReconfigurationContext& context) const
{
    switch (context.event)
    {
    case AllToAllEvent::ANNOUNCED:
        return {ReconfigurationAction::BACKGROUND, "plan hidden behind the operation before"};
    case AllToAllEvent::FINISHED:
        return {ReconfigurationAction::BACKGROUND, "prediction corrected behind expert compute"};
    default:
        return {ReconfigurationAction::BEFORE, "waits for the plan begun before"};
    }
}

PlanBasis
PredictedReconfigurationPolicy::GetBasis(AllToAllPhase phase, AllToAllEvent event) const
{
    return phase == AllToAllPhase::FORWARD_DISPATCH && event != AllToAllEvent::FINISHED
               ? PlanBasis::PREDICTED
               : PlanBasis::EXACT;
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
    return phase == AllToAllPhase::FORWARD_DISPATCH
               ? event == AllToAllEvent::REQUESTED
               : phase == AllToAllPhase::BACKWARD_COMBINE && event != AllToAllEvent::FINISHED;
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
    switch (phase)
    {
    case AllToAllPhase::FORWARD_DISPATCH:
        return event == AllToAllEvent::REQUESTED;
    case AllToAllPhase::BACKWARD_COMBINE:
        return event != AllToAllEvent::FINISHED;
    default:
        return false;
    }
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
