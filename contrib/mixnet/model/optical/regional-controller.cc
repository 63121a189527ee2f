/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "regional-controller.h"

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

const char*
GetName(RegionState s)
{
    static constexpr const char* names[] = {"steady",
                                            "commanding",
                                            "draining",
                                            "switching",
                                            "activating"};
    return names[static_cast<uint8_t>(s)];
}

RegionalController::RegionalController() = default;

TypeId
RegionalController::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RegionalController")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<RegionalController>()
            .AddAttribute("ReconfigurationPolicy",
                          "When to reconfigure.",
                          StringValue("ns3::PaperReconfigurationPolicy"),
                          MakePointerAccessor(&RegionalController::m_policy),
                          MakePointerChecker<ReconfigurationPolicy>())
            .AddAttribute("CircuitPlanner",
                          "Which server pairs get circuits.",
                          StringValue("ns3::GreedyCircuitPlanner"),
                          MakePointerAccessor(&RegionalController::m_planner),
                          MakePointerChecker<CircuitPlanner>())
            .AddAttribute("SwitchingDelay",
                          "Time the switch takes; with SwitchingDelayVariable only the time that "
                          "decisions expect.",
                          TimeValue(MilliSeconds(25)),
                          MakeTimeAccessor(&RegionalController::m_switchingDelay),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("SwitchingDelayVariable",
                          "Distribution of the switching delay in seconds; null for a constant.",
                          PointerValue(),
                          MakePointerAccessor(&RegionalController::m_switchingVariable),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("ControlLatency",
                          "Time for the demand to reach the controller and the command to reach "
                          "the switch; circuits stay lit meanwhile.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RegionalController::m_controlLatency),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("ActivationTime",
                          "Time the transceivers take to lock after switching (the paper measured "
                          "5.67 s and left it out).",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&RegionalController::m_activationTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DrainTimeout",
                          "Longest drain; then what is still on the fibers is lost. 0: no limit.",
                          TimeValue(MilliSeconds(10)),
                          MakeTimeAccessor(&RegionalController::m_drainTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("DarkScope",
                          "Which fibers go dark: the changed ones or all of the region.",
                          MixnetEnumValue<DarkScope>(CHANGED),
                          MakeMixnetEnumAccessor<DarkScope>(&RegionalController::m_scope),
                          MakeEnumChecker(CHANGED, "changed", REGION, "region"))
            .AddTraceSource("Decision",
                            "The policy was asked.",
                            MakeTraceSourceAccessor(&RegionalController::m_decisionTrace),
                            "ns3::RegionalController::DecisionTracedCallback")
            .AddTraceSource("Reconfiguration",
                            "A new plan is lit.",
                            MakeTraceSourceAccessor(&RegionalController::m_reconfigurationTrace),
                            "ns3::RegionalController::ReconfigurationTracedCallback")
            .AddTraceSource("State",
                            "The state has changed.",
                            MakeTraceSourceAccessor(&RegionalController::m_stateTrace),
                            "ns3::RegionalController::StateTracedCallback");
    return tid;
}

void
RegionalController::DoDispose()
{
    m_event.Cancel();
    m_waiters.clear();
    m_waiting.reset();
    m_control = nullptr;
    m_policy = nullptr;
    m_planner = nullptr;
    m_switchingVariable = nullptr;
    Object::DoDispose();
}

void
RegionalController::SetFabric(Ptr<FabricControl> control, RegionId region)
{
    m_control = control;
    m_region = region;
    m_ports = RegionPorts(*control->GetGraph(), region);
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

CircuitPlan
RegionalController::MakeInitialPlan()
{
    const FabricGraph& graph = *m_control->GetGraph();
    const bool average = m_policy->GetInitialPlan() == InitialPlan::AVERAGE && m_average.Rows() > 0;
    const DemandMatrix none(m_ports.GetNServers(), m_ports.GetNServers(), 0);
    const PortTable healthy = m_ports.CountHealthy(graph);
    const PlanRequest request{average ? m_average : none,
                              healthy,
                              m_plan,
                              average ? m_book.GetStanding() : nullptr,
                              &m_rates};
    return average ? m_planner->Plan(request)
                   : CreateObject<UniformCircuitPlanner>()->Plan(request);
}

void
RegionalController::Start()
{
    NS_LOG_FUNCTION(this << m_region);
    MIXNET_CHECK(m_control && m_policy && m_planner,
                 "controller without fabric, policy or planner");
    MIXNET_CHECK(IsIdle(), "controller started twice");
    m_plan = MakeInitialPlan();
    const PlanChange change = MapPlan(m_ports, *m_control->GetGraph(), m_plan);
    if (!change.IsEmpty())
    {
        m_control->Connect(change.added, change.removed);
    }
}

void
RegionalController::Announce(const AllToAllId& id, const DemandMatrix& demand)
{
    CheckShape("announced", demand);
    Consult(id, AllToAllEvent::ANNOUNCED, demand);
}

void
RegionalController::Request(const AllToAllId& id,
                            const DemandMatrix& demand,
                            const StartCallback& start)
{
    NS_LOG_FUNCTION(this << id.iteration << id.layer << id.microBatch << GetName(id.phase));
    CheckShape("requested", demand);
    if (m_policy->Considers(id.phase, AllToAllEvent::FINISHED))
    {
        m_active.push_back({id, demand});
    }
    if (const uint64_t generation = Consult(id, AllToAllEvent::REQUESTED, demand))
    {
        m_waiters.push_back({generation, start});
    }
    else
    {
        Simulator::ScheduleNow(&RegionalController::Tell, start);
    }
}

void
RegionalController::Finish(const AllToAllId& id)
{
    const auto it = std::find_if(m_active.begin(), m_active.end(), [&](const Active& a) {
        return std::tie(a.id.iteration, a.id.layer, a.id.microBatch, a.id.phase, a.id.group) ==
               std::tie(id.iteration, id.layer, id.microBatch, id.phase, id.group);
    });
    if (it != m_active.end())
    {
        const Active over = std::move(*it);
        m_active.erase(it);
        Consult(id, AllToAllEvent::FINISHED, over.demand);
    }
}

uint64_t
RegionalController::Consult(const AllToAllId& id, AllToAllEvent event, const DemandMatrix& demand)
{
    const bool considered = m_policy->Considers(id.phase, event);
    if (!considered && (event != AllToAllEvent::REQUESTED || m_decisionTrace.IsEmpty()))
    {
        return 0;
    }
    if (IsIdle())
    {
        m_plan = m_ports.ReadPlan(*m_control->GetGraph());
    }
    CircuitDecision record;
    record.time = Simulator::Now();
    record.region = m_region;
    record.id = id;
    record.event = event;
    record.action = ReconfigurationAction::KEEP;
    record.why = "the policy does not reconfigure here";
    record.predictedCurrent = PredictFinishTime(demand, m_plan, m_rates);
    record.predictedProposed = record.predictedCurrent;
    uint64_t generation = 0;
    if (considered)
    {
        const PortTable healthy = m_ports.CountHealthy(*m_control->GetGraph());
        const CircuitPlan& proposed = m_book.Propose(*m_planner, id.group, demand, healthy, m_plan);
        record.predictedProposed = PredictFinishTime(demand, proposed, m_rates);
        const ReconfigurationDecision decision = m_policy->Decide({id,
                                                                   event,
                                                                   demand,
                                                                   m_plan,
                                                                   proposed,
                                                                   record.predictedCurrent,
                                                                   record.predictedProposed,
                                                                   GetExpectedDarkTime(),
                                                                   !IsIdle()});
        record.action = decision.action;
        record.why = decision.why;
        if (decision.action != ReconfigurationAction::KEEP)
        {
            const PlanChange change = MapPlan(m_ports, *m_control->GetGraph(), proposed);
            const uint64_t before = m_generation;
            generation = Retarget(id, proposed, change);
            record.kept = m_generation == before;
            record.changed = record.kept ? 0 : static_cast<uint32_t>(change.added.size());
        }
    }
    Log(record);
    return record.action == ReconfigurationAction::BEFORE ? generation : 0;
}

void
RegionalController::Log(CircuitDecision& decision)
{
    if (m_decisionTrace.IsEmpty())
    {
        return;
    }
    const PortTable healthy = m_ports.CountHealthy(*m_control->GetGraph());
    uint32_t ports = 0;
    for (const uint32_t count : healthy.Data())
    {
        ports += count;
    }
    decision.circuits = m_plan.GetTotal();
    decision.idlePorts = ports - std::min(ports, 2 * m_plan.GetTotal());
    decision.plan = m_plan.GetHash();
    m_decisionTrace(decision);
}

uint64_t
RegionalController::Retarget(const AllToAllId& id,
                             const CircuitPlan& plan,
                             const PlanChange& change)
{
    if (IsIdle() ? change.IsEmpty() : plan == m_plan)
    {
        ++m_kept;
        return IsIdle() ? 0 : m_generation;
    }
    Target target{++m_generation, id, Simulator::Now(), plan};
    m_plan = plan;
    if (m_state == RegionState::STEADY || m_state == RegionState::COMMANDING)
    {
        m_target = std::move(target);
        Enter(RegionState::COMMANDING);
    }
    else
    {
        m_waiting = std::move(target);
    }
    return m_generation;
}

bool
RegionalController::IsIdle() const
{
    return m_state == RegionState::STEADY;
}

Time
RegionalController::GetExpectedDarkTime() const
{
    return m_controlLatency + m_switchingDelay + m_activationTime;
}

RegionState
RegionalController::GetState() const
{
    return m_state;
}

RegionId
RegionalController::GetRegion() const
{
    return m_region;
}

const CircuitPlan&
RegionalController::GetPlan() const
{
    return m_plan;
}

uint64_t
RegionalController::GetNReconfigurations() const
{
    return m_reconfigurations;
}

uint64_t
RegionalController::GetNKept() const
{
    return m_kept;
}

int64_t
RegionalController::AssignStreams(int64_t stream)
{
    int64_t used = m_planner->AssignStreams(stream);
    if (m_switchingVariable)
    {
        m_switchingVariable->SetStream(stream + used++);
    }
    return used;
}

} // namespace ns3
