/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "regional-controller.h"

#include "demand-predictors.h"
#include "uniform-circuit-planner.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RegionalController");

NS_OBJECT_ENSURE_REGISTERED(RegionalController);

RegionalController::RegionalController() = default;

TypeId
RegionalController::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RegionalController")
            .SetParent<CircuitSwitcher>()
            .SetGroupName("Mixnet")
            .AddConstructor<RegionalController>()
            .AddAttribute("ReconfigurationPolicy",
                          "When to reconfigure.",
                          StringValue("ns3::PaperReconfigurationPolicy"),
                          MakePointerAccessor(&RegionalController::m_policy),
                          MakePointerChecker<ReconfigurationPolicy>())
            .AddAttribute(
                "DemandPredictor",
                "What a dispatch will send, for policies that plan before they know; null: "
                "ns3::LastIterationDemandPredictor where the policy needs one.",
                PointerValue(),
                MakePointerAccessor(&RegionalController::m_predictor),
                MakePointerChecker<DemandPredictor>())
            .AddAttribute("CircuitPlanner",
                          "Which server pairs get circuits.",
                          StringValue("ns3::GreedyCircuitPlanner"),
                          MakePointerAccessor(&RegionalController::m_planner),
                          MakePointerChecker<CircuitPlanner>())
            .AddAttribute(
                "NicMapping",
                "Which NICs the parallel circuits of a pair take: those of either NUMA "
                "node in turn (MixNet paper, section 5.2), or the lowest.",
                MixnetEnumValue<RegionPorts::NicMapping>(RegionPorts::NUMA),
                MakeMixnetEnumAccessor<RegionPorts::NicMapping>(&RegionalController::m_mapping),
                MakeEnumChecker(RegionPorts::NUMA, "numa", RegionPorts::LOWEST, "lowest"))
            .AddAttribute("Circuits",
                          "What the planner plans: duplex circuits (the paper), or simplex ones, "
                          "which lead from the transmitter of a port to the receiver of another.",
                          MixnetEnumValue<Circuits>(DUPLEX),
                          MakeMixnetEnumAccessor<Circuits>(&RegionalController::m_circuits),
                          MakeEnumChecker(DUPLEX, "duplex", SIMPLEX, "simplex"))
            .AddTraceSource("Decision",
                            "The policy was asked.",
                            MakeTraceSourceAccessor(&RegionalController::m_decisionTrace),
                            "ns3::RegionalController::DecisionTracedCallback")
            .AddTraceSource("Outcome",
                            "An all-to-all that a decision served is over, or its circuits are "
                            "lit.",
                            MakeTraceSourceAccessor(&RegionalController::m_outcomeTrace),
                            "ns3::RegionalController::OutcomeTracedCallback")
            .AddTraceSource("Prediction",
                            "A dispatch that was planned from a prediction is ready.",
                            MakeTraceSourceAccessor(&RegionalController::m_predictionTrace),
                            "ns3::RegionalController::PredictionTracedCallback");
    return tid;
}

void
RegionalController::DoDispose()
{
    m_waiters.clear();
    m_waiting.reset();
    m_policy = nullptr;
    m_planner = nullptr;
    m_predictor = nullptr;
    m_knowledge.Configure(PlanBasis::EXACT, nullptr);
    CircuitSwitcher::DoDispose();
}

void
RegionalController::SetFabric(Ptr<FabricControl> control, RegionId region)
{
    CircuitSwitcher::SetFabric(control, region);
    m_log.SetRegion(region);
    m_rates = GetRegionRates(*control->GetGraph(), region);
    m_book.SetRates(m_rates);
    m_plan = m_ports.ReadPlan(*control->GetGraph());
}

void
RegionalController::CheckShape(const char* name, const DemandMatrix& demand) const
{
    MIXNET_CHECK(demand.Rows() == m_ports.GetNServers() && demand.Columns() == demand.Rows(),
                 name << " demand of " << demand.Rows() << " x " << demand.Columns()
                      << " servers for region " << m_region << " of " << m_ports.GetNServers());
}

void
RegionalController::SetAverageDemand(const DemandMatrix& average)
{
    CheckShape("average", average);
    m_average = average;
}

void
RegionalController::SetStandingDemand(const DemandMatrix& standing)
{
    CheckShape("standing", standing);
    m_book.SetStanding(standing);
}

const DemandMatrix*
RegionalController::GetInitialDemand() const
{
    const bool average = m_policy->GetInitialPlan() == InitialPlan::AVERAGE;
    return average && m_average.Rows() > 0 ? &m_average : nullptr;
}

const DemandMatrix*
RegionalController::GetStandingDemand() const
{
    return m_book.GetStanding();
}

CircuitPlan
RegionalController::MakeInitialPlan()
{
    const FabricGraph& graph = *m_control->GetGraph();
    const DemandMatrix* const average = GetInitialDemand();
    const DemandMatrix none(m_ports.GetNServers(), m_ports.GetNServers(), 0);
    const PortTable healthy = m_ports.CountHealthy(graph);
    const PlanRequest request{average != nullptr ? *average : none,
                              healthy,
                              m_plan,
                              average != nullptr ? m_book.GetStanding() : nullptr,
                              &m_rates,
                              GetKind()};
    return average != nullptr ? m_planner->Plan(request)
                              : CreateObject<UniformCircuitPlanner>()->Plan(request);
}

void
RegionalController::Start()
{
    NS_LOG_FUNCTION(this << m_region);
    MIXNET_CHECK(m_control && m_policy && m_planner,
                 "controller without fabric, policy or planner");
    MIXNET_CHECK(IsIdle(), "controller started twice");
    const PlanBasis basis =
        m_policy->GetBasis(AllToAllPhase::FORWARD_DISPATCH, AllToAllEvent::REQUESTED);
    if (basis == PlanBasis::PREDICTED && !m_predictor)
    {
        m_predictor = CreateObject<LastIterationDemandPredictor>();
    }
    m_knowledge.Configure(basis, m_predictor);
    m_planner->RequireKind(GetKind());
    if (m_plan.GetKind() != GetKind())
    {
        m_plan = m_ports.ReadPlan(*m_control->GetGraph(), GetKind());
    }
    m_plan = MakeInitialPlan();
    const PlanChange change = Map(m_plan);
    if (!change.IsEmpty())
    {
        m_control->Connect(change.added, change.removed);
    }
}

void
RegionalController::Announce(const AllToAllId& id, const DemandMatrix& demand)
{
    CheckShape("announced", demand);
    if (!IsAlive())
    {
        return;
    }
    Consult(id, AllToAllEvent::ANNOUNCED, demand);
}

void
RegionalController::Request(const AllToAllId& id,
                            const DemandMatrix& demand,
                            const StartCallback& start)
{
    NS_LOG_FUNCTION(this << id.iteration << id.layer << id.microBatch << GetName(id.phase));
    CheckShape("requested", demand);
    if (IsAlive() && m_policy->Considers(id.phase, AllToAllEvent::FINISHED))
    {
        m_active.push_back({id, demand});
    }
    const uint64_t generation = IsAlive() ? Consult(id, AllToAllEvent::REQUESTED, demand)
                                : m_health == Health::DEAD ? UNANSWERED
                                                           : 0;
    JudgePrediction(id, demand);
    m_knowledge.Learn(id, demand);
    if (IsLogging())
    {
        m_log.Request(id, Simulator::Now());
    }
    if (generation != 0)
    {
        m_waiters.push_back({generation, id, start});
    }
    else
    {
        Simulator::ScheduleNow(&RegionalController::Tell, start);
    }
}

void
RegionalController::Begin(const AllToAllId& id)
{
    m_log.Begin(id, Simulator::Now());
}

void
RegionalController::Finish(const AllToAllId& id)
{
    TellOutcomes(m_log.Finish(id, Simulator::Now()));
    const auto it = std::find_if(m_active.begin(), m_active.end(), [&](const Active& a) {
        return std::tie(a.id.iteration, a.id.layer, a.id.microBatch, a.id.phase, a.id.group) ==
               std::tie(id.iteration, id.layer, id.microBatch, id.phase, id.group);
    });
    if (it != m_active.end())
    {
        const Active over = std::move(*it);
        m_active.erase(it);
        if (IsAlive())
        {
            Consult(id, AllToAllEvent::FINISHED, over.demand);
        }
    }
}

void
RegionalController::ForgetRequests()
{
    m_waiters.clear();
    m_active.clear();
    m_log.Forget();
}

bool
RegionalController::IsIdle() const
{
    return m_state == RegionState::STEADY;
}

Time
RegionalController::GetExpectedDarkTime(uint32_t pairs) const
{
    return GetCommandTime() + GetSwitchingDelay(pairs) + m_activationTime;
}

Time
RegionalController::GetCommandTime() const
{
    return m_planner->GetPlanningTime() + CircuitSwitcher::GetCommandTime();
}

const CircuitPlan&
RegionalController::GetPlan() const
{
    return m_plan;
}

int64_t
RegionalController::AssignStreams(int64_t stream)
{
    const int64_t used = m_planner->AssignStreams(stream);
    return used + CircuitSwitcher::AssignStreams(stream + used);
}

CircuitKind
RegionalController::GetKind() const
{
    return m_circuits == DUPLEX ? CircuitKind::DUPLEX : CircuitKind::SIMPLEX;
}

PlanChange
RegionalController::Map(const CircuitPlan& plan) const
{
    return MapPlan(m_ports, *m_control->GetGraph(), plan, m_mapping);
}

PlanChange
RegionalController::FindChange()
{
    // ports may have failed since the plan was made
    const PortTable healthy = m_ports.CountHealthy(*m_control->GetGraph());
    m_target.plan = FitPlan(m_target.plan, healthy);
    return Map(m_target.plan);
}

void
RegionalController::Settle()
{
    const auto waits = [this](const Waiter& w) { return w.generation > m_target.generation; };
    const auto ready = std::stable_partition(m_waiters.begin(), m_waiters.end(), waits);
    for (auto it = ready; it != m_waiters.end(); ++it)
    {
        m_log.Begin(it->id, Simulator::Now());
        Simulator::ScheduleNow(&RegionalController::Tell, it->start);
    }
    m_waiters.erase(ready, m_waiters.end());
    if (m_waiting)
    {
        m_target = std::move(*m_waiting);
        m_waiting.reset();
        Command(m_target.id, m_target.requested, m_target.generation);
    }
    CircuitSwitcher::Settle();
}

} // namespace ns3
