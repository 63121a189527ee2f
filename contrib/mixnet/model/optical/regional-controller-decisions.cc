/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-correction.h"
#include "regional-controller.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

/**
 * @file
 * @ingroup mixnet
 * What RegionalController decides, and its log.
 */

namespace ns3
{

namespace
{

/// @param demand a demand @return the same bytes the other way
DemandMatrix
Transpose(const DemandMatrix& demand)
{
    DemandMatrix reverse(demand.Columns(), demand.Rows());
    for (std::size_t i = 0; i < demand.Rows(); ++i)
    {
        for (std::size_t j = 0; j < demand.Columns(); ++j)
        {
            reverse(j, i) = demand(i, j);
        }
    }
    return reverse;
}

} // namespace

uint64_t
RegionalController::Consult(const AllToAllId& id, AllToAllEvent event, const DemandMatrix& demand)
{
    const bool considered = m_policy->Considers(id.phase, event);
    if (!considered && (event != AllToAllEvent::REQUESTED || !IsLogging()))
    {
        return 0;
    }
    if (IsIdle())
    {
        m_plan = m_ports.ReadPlan(*m_control->GetGraph(), GetKind());
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
    if (IsLogging())
    {
        record.predictedReverse = PredictFinishTime(Transpose(demand), m_plan, m_rates);
    }
    record.demand = &demand;
    uint64_t generation = 0;
    const DemandMatrix* basis =
        considered ? m_knowledge.Find(m_policy->GetBasis(id.phase, event), id, demand) : nullptr;
    if (considered && basis == nullptr)
    {
        record.why = "nothing to plan from, or planned already";
    }
    if (basis != nullptr)
    {
        const PortTable healthy = m_ports.CountHealthy(*m_control->GetGraph());
        const CircuitPlan proposed = Propose(id, event, *basis, demand, healthy);
        record.predictedProposed = PredictFinishTime(demand, proposed, m_rates);
        record.basisKind = m_policy->GetBasis(id.phase, event);
        record.basis = record.basisKind == PlanBasis::CURRENT ? nullptr : basis;
        const PlanChange change = Map(proposed);
        const std::size_t pairs = std::max(change.added.size(), change.removed.size());
        record.expectedDark = GetExpectedDarkTime(static_cast<uint32_t>(pairs));
        const ReconfigurationDecision decision = m_policy->Decide({id,
                                                                   event,
                                                                   demand,
                                                                   m_plan,
                                                                   proposed,
                                                                   record.predictedCurrent,
                                                                   record.predictedProposed,
                                                                   record.expectedDark,
                                                                   !IsIdle()});
        record.action = decision.action;
        record.why = decision.why;
        if (decision.action != ReconfigurationAction::KEEP)
        {
            const uint64_t before = m_generation;
            generation = Retarget(id, proposed, change);
            record.kept = m_generation == before;
            record.reconfiguration = record.kept ? 0 : m_generation;
            record.changed = record.kept ? 0 : static_cast<uint32_t>(change.added.size());
        }
    }
    Log(record);
    return record.action == ReconfigurationAction::BEFORE ? generation : 0;
}

CircuitPlan
RegionalController::Propose(const AllToAllId& id,
                            AllToAllEvent event,
                            const DemandMatrix& basis,
                            const DemandMatrix& demand,
                            const PortTable& healthy)
{
    if (m_policy->GetBasis(id.phase, event) == PlanBasis::CURRENT)
    {
        return m_plan;
    }
    const CircuitPlan& plan = m_book.Propose(*m_planner, id.group, basis, healthy, m_plan);
    const uint32_t most = m_policy->GetMostChanges(id.phase, event);
    return most == 0 ? plan : CorrectPlan(m_plan, plan, healthy, demand, m_rates, most);
}

void
RegionalController::JudgePrediction(const AllToAllId& id, const DemandMatrix& demand)
{
    const bool guessed =
        m_predictor && id.phase == AllToAllPhase::FORWARD_DISPATCH &&
        m_policy->GetBasis(id.phase, AllToAllEvent::REQUESTED) == PlanBasis::PREDICTED;
    const DemandMatrix* predicted =
        guessed && IsAlive() && !m_predictionTrace.IsEmpty() ? m_predictor->Predict(id) : nullptr;
    if (predicted == nullptr || GetReceiveShares(demand).empty() ||
        GetReceiveShares(*predicted).empty())
    {
        return;
    }
    DemandPrediction prediction;
    prediction.time = Simulator::Now();
    prediction.region = m_region;
    prediction.id = id;
    prediction.top = std::max<uint32_t>(1, static_cast<uint32_t>(demand.Rows() / 4));
    prediction.score = ScorePrediction(*predicted, demand, prediction.top);
    for (std::size_t s = 0; s < demand.Rows(); ++s)
    {
        for (std::size_t r = 0; r < demand.Columns(); ++r)
        {
            prediction.bytes += ByteCount(s == r ? 0 : demand(s, r));
        }
    }
    prediction.finish = PredictFinishTime(demand, m_plan, m_rates);
    m_predictionTrace(prediction);
}

void
RegionalController::Log(CircuitDecision& decision)
{
    if (!IsLogging())
    {
        return;
    }
    m_log.Add(decision);
    const PortTable healthy = m_ports.CountHealthy(*m_control->GetGraph());
    uint32_t ports = 0;
    for (const uint32_t count : healthy.Data())
    {
        ports += count;
    }
    decision.circuits = m_plan.GetTotal();
    const uint32_t halves = m_circuits == DUPLEX ? 2 : 1;
    decision.idlePorts = ports - std::min(ports, halves * m_plan.GetTotal());
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
        // not the last one of all: that may have been lost with the controller
        return IsIdle() ? 0 : m_waiting ? m_waiting->generation : m_target.generation;
    }
    Target target{++m_generation, id, Simulator::Now(), plan};
    m_plan = plan;
    if (m_state == RegionState::STEADY || m_state == RegionState::COMMANDING)
    {
        m_target = std::move(target);
        Command(m_target.id, m_target.requested, m_target.generation);
    }
    else
    {
        m_waiting = std::move(target);
    }
    return m_generation;
}

bool
RegionalController::IsLogging() const
{
    return !m_decisionTrace.IsEmpty() || !m_outcomeTrace.IsEmpty();
}

void
RegionalController::TellOutcomes(const std::vector<CircuitOutcome>& outcomes)
{
    for (const CircuitOutcome& outcome : outcomes)
    {
        m_outcomeTrace(outcome);
    }
}

void
RegionalController::Lit(const CircuitReconfiguration& reconfiguration)
{
    if (reconfiguration.last)
    {
        TellOutcomes(m_log.Light(reconfiguration.number, reconfiguration.GetDarkTime()));
    }
}

} // namespace ns3
