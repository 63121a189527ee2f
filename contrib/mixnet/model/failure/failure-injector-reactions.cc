/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// FailureInjector: who learns of failures, and what they do then.

#include "failure-injector.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

void
FailureInjector::Detect(std::size_t record, std::size_t element)
{
    if (m_log.Get(record).recovered)
    {
        return;
    }
    m_log.Get(record).detected = Simulator::Now();
    if (m_reaction.IsZero())
    {
        React(record, element);
        return;
    }
    m_events.push_back(
        Simulator::Schedule(m_reaction, &FailureInjector::React, this, record, element));
}

void
FailureInjector::React(std::size_t record, std::size_t element)
{
    if (!m_control || m_log.Get(record).recovered)
    {
        return;
    }
    const FailureTarget& target = m_state->GetTarget(element);
    const FabricGraph& graph = *m_control->GetGraph();
    std::vector<EdgeId> down;
    std::vector<EdgeId> up;
    for (const EdgeId e : target.edges)
    {
        const bool known = graph.HasCause(e, EdgeCause::FAILURE);
        if (known != m_state->IsBroken(e))
        {
            (known ? up : down).push_back(e);
        }
    }
    const MoveTotals before = m_transport->GetMoves();
    m_control->SetEdges(down, EdgeCause::FAILURE, false);
    m_control->SetEdges(up, EdgeCause::FAILURE, true);
    if (target.region.IsValid() && m_controllers[target.region.Get()] && m_state->IsDown(element))
    {
        m_controllers[target.region.Get()]->GiveUp();
    }
    FailureRecord& r = m_log.Get(record);
    r.reacted = Simulator::Now();
    r.moves = m_transport->GetMoves().moves - before.moves;
    r.moved = m_transport->GetMoves().bytes - before.bytes;
    TellRanks(record, m_touched[record], true);
    CheckRecovery();
}

void
FailureInjector::TellRanks(std::size_t record, const std::vector<GpuId>& gpus, bool detected)
{
    if (gpus.empty() || m_ranks.IsNull())
    {
        return;
    }
    const FailureRecord& r = m_log.Get(record);
    RankFailure failure;
    failure.record = record;
    failure.kind = r.kind;
    failure.at = r.at;
    failure.detected = detected;
    // a server may come back while one of its GPUs stays dead: equal states are told together
    for (const GpuId g : gpus)
    {
        const bool alive = !m_state->IsDead(g);
        const double factor = m_state->GetFactor(g);
        if (!failure.gpus.empty() && (failure.alive != alive || failure.factor != factor))
        {
            m_ranks(failure);
            failure.gpus.clear();
        }
        failure.alive = alive;
        failure.factor = factor;
        failure.gpus.push_back(g);
    }
    m_ranks(failure);
}

void
FailureInjector::OnChange(const GraphChange& /* change */)
{
    CheckRecovery();
}

void
FailureInjector::OnCompletion(const Completion& completion)
{
    if (completion.status != TransferStatus::DELIVERED)
    {
        CheckRecovery();
    }
}

void
FailureInjector::CheckRecovery()
{
    if (m_open.empty() || m_transport->GetNWayless() > 0)
    {
        return;
    }
    m_open.erase(std::remove_if(m_open.begin(),
                                m_open.end(),
                                [this](std::size_t open) {
                                    FailureRecord& r = m_log.Get(open);
                                    const bool rank = !m_ranks.IsNull() && !m_touched[open].empty();
                                    if (r.reacted && !r.recovered && !rank)
                                    {
                                        r.recovered = Simulator::Now();
                                    }
                                    return r.recovered.has_value() || (r.reacted && rank);
                                }),
                 m_open.end());
}

void
FailureInjector::CloseLosses()
{
    const FabricLosses now = m_control->GetLosses();
    if (m_last != SIZE_MAX)
    {
        FailureRecord& r = m_log.Get(m_last);
        r.framesLost = now.framesLost - m_before.framesLost;
        r.resent = now.resent - m_before.resent;
    }
    m_before = now;
}

} // namespace ns3
