/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-switcher.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

/**
 * @file
 * @ingroup mixnet
 * The state machine of CircuitSwitcher.
 */

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("CircuitSwitcherStates");

void
CircuitSwitcher::Tell(LitCallback start)
{
    start();
}

void
CircuitSwitcher::Command(const AllToAllId& id, Time requested, uint64_t number)
{
    m_number = number;
    m_id = id;
    m_requested = requested;
    Enter(RegionState::COMMANDING);
}

void
CircuitSwitcher::Enter(RegionState next)
{
    NS_LOG_FUNCTION(this << m_region << GetName(m_state) << GetName(next));
    const RegionState from = m_state;
    m_state = next;
    m_event.Cancel();
    if (from != next)
    {
        m_stateTrace(from, next);
    }
    switch (next)
    {
    case RegionState::COMMANDING:
        m_event = Simulator::Schedule(GetCommandTime(),
                                      &CircuitSwitcher::Enter,
                                      this,
                                      RegionState::DRAINING);
        break;
    case RegionState::DRAINING:
        from == RegionState::COMMANDING ? Drain() : BeginStep();
        break;
    case RegionState::SWITCHING:
        Switch();
        m_event = Simulator::Schedule(DrawSwitchingDelay(),
                                      &CircuitSwitcher::Enter,
                                      this,
                                      RegionState::ACTIVATING);
        break;
    case RegionState::ACTIVATING:
        m_record.switched = Simulator::Now();
        if (m_activationTime.IsZero())
        {
            EndStep();
            break;
        }
        MovePorts(RegionState::ACTIVATING);
        m_event = Simulator::Schedule(m_activationTime, &CircuitSwitcher::EndStep, this);
        break;
    case RegionState::STEADY:
        Settle();
        break;
    }
}

void
CircuitSwitcher::Cancel()
{
    if (m_state == RegionState::COMMANDING)
    {
        Enter(RegionState::STEADY);
    }
}

Time
CircuitSwitcher::GetCommandTime() const
{
    return m_controlLatency;
}

PlanChange
CircuitSwitcher::FindChange()
{
    const FabricGraph& graph = *m_control->GetGraph();
    PlanChange change;
    for (const Circuit& c : m_wanted)
    {
        if (graph.IsMatched(c))
        {
            ++change.kept;
            continue;
        }
        change.added.push_back(c);
        ListInTheWay(graph, c, change.removed);
    }
    for (const auto* list : {&change.added, &change.removed})
    {
        for (const Circuit& c : *list)
        {
            change.fibers.push_back(graph.GetEdge(c.ocs, c.portA));
            change.fibers.push_back(graph.GetEdge(c.ocs, c.portB));
        }
    }
    const auto unify = [](auto& list) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
    };
    unify(change.removed);
    unify(change.fibers);
    return change;
}

void
CircuitSwitcher::Drain()
{
    m_change = FindChange();
    if (m_change.IsEmpty())
    {
        ++m_kept;
        Enter(RegionState::STEADY);
        return;
    }
    if (m_scope == REGION)
    {
        // The whole region is dark in any case: nothing can be lit before.
        const bool drain = m_drainPolicy->Drains();
        m_steps = {{m_change.added, m_change.removed, m_ports.GetFibers(), drain}};
    }
    else
    {
        m_steps = m_drainPolicy->Split(m_change, *m_control->GetGraph());
    }
    m_step = 0;
    BeginStep();
}

void
CircuitSwitcher::BeginStep()
{
    const SwitchingStep& step = m_steps[m_step++];
    m_record = CircuitReconfiguration();
    m_record.number = m_number;
    m_record.region = m_region;
    m_record.id = m_id;
    m_record.requested = m_requested;
    m_record.held = Simulator::Now();
    m_record.added = step.added;
    m_record.removed = step.removed;
    m_record.kept = m_change.kept;
    m_record.darkEdges = step.fibers;
    m_record.last = m_step == m_steps.size();
    const auto isSimplex = [](const Circuit& c) { return c.kind == CircuitKind::SIMPLEX; };
    m_byDirection =
        m_scope != REGION && (std::any_of(step.added.begin(), step.added.end(), isSimplex) ||
                              std::any_of(step.removed.begin(), step.removed.end(), isSimplex));
    const std::vector<Circuit> promised =
        m_new == NEW_WAIT ? FindPromised() : std::vector<Circuit>();
    if (!step.drain)
    {
        m_promise = m_new == NEW_WAIT ? m_control->Promise(promised) : 0;
        m_record.forced = m_scope == REGION || !step.removed.empty();
        Enter(RegionState::SWITCHING);
        return;
    }
    MovePorts(RegionState::DRAINING);
    const auto drained = MakeCallback(&CircuitSwitcher::OnDrained, this);
    m_token = m_byDirection ? m_control->QuiesceChannels(ListDirections(), m_drainTimeout, drained)
                            : m_control->Quiesce(m_record.darkEdges, m_drainTimeout, drained);
    m_promise = m_new == NEW_WAIT ? m_control->Promise(promised) : 0;
}

std::vector<ChannelId>
CircuitSwitcher::ListDirections() const
{
    const FabricGraph& graph = *m_control->GetGraph();
    std::vector<ChannelId> channels;
    for (const auto* list : {&m_record.added, &m_record.removed})
    {
        for (const Circuit& c : *list)
        {
            for (uint32_t i = 0; i < c.GetNDirections(); ++i)
            {
                const auto [from, to] = c.GetDirection(i);
                channels.push_back(FabricGraph::GetReverse(graph.GetEgress(c.ocs, from)));
                channels.push_back(graph.GetEgress(c.ocs, to));
            }
        }
    }
    std::sort(channels.begin(), channels.end());
    channels.erase(std::unique(channels.begin(), channels.end()), channels.end());
    return channels;
}

std::vector<Circuit>
CircuitSwitcher::FindPromised() const
{
    const FabricGraph& graph = *m_control->GetGraph();
    std::vector<Circuit> promised = m_record.added;
    if (m_byDirection)
    {
        return promised; // all others stay lit
    }
    for (const VertexId ocs : graph.GetRegionOcs(m_region))
    {
        for (const Circuit& c : graph.GetCircuits(ocs))
        {
            const auto& dark = m_record.darkEdges;
            const bool goes = std::find(m_record.removed.begin(), m_record.removed.end(), c) !=
                              m_record.removed.end();
            if (!goes &&
                std::find(dark.begin(), dark.end(), graph.GetEdge(ocs, c.portA)) != dark.end())
            {
                promised.push_back(c);
            }
        }
    }
    return promised;
}

void
CircuitSwitcher::OnDrained(bool empty)
{
    MIXNET_CHECK(m_state == RegionState::DRAINING, "drained while " << GetName(m_state));
    m_record.forced = !empty;
    Enter(RegionState::SWITCHING);
}

void
CircuitSwitcher::Switch()
{
    MovePorts(RegionState::SWITCHING);
    m_record.drained = Simulator::Now();
    if (m_byDirection)
    {
        // the other halves of these ports stay lit: what is not matched is dark
        m_control->Connect({}, m_record.removed);
    }
    else
    {
        m_control->SetEdges(m_record.darkEdges, EdgeCause::OPTICAL, false);
        m_control->Connect(m_record.added, m_record.removed);
    }
    if (m_token != 0 && m_held == MOVE)
    {
        m_control->Resume(std::exchange(m_token, 0));
    }
}

Time
CircuitSwitcher::DrawSwitchingDelay()
{
    if (!m_switchingVariable)
    {
        const std::size_t pairs = std::max(m_record.added.size(), m_record.removed.size());
        return GetSwitchingDelay(static_cast<uint32_t>(pairs));
    }
    const double seconds = m_switchingVariable->GetValue();
    if (!(seconds >= 0))
    {
        throw InputError("SwitchingDelayVariable",
                         "drew " + std::to_string(seconds) + " s",
                         "a distribution from 0 on");
    }
    constexpr double longest = 3600; // as CheckOpticalDelay()
    return CheckOpticalDelay(Seconds(std::min(seconds, 2 * longest)), "SwitchingDelayVariable");
}

void
CircuitSwitcher::MovePorts(RegionState to)
{
    const auto& fibers = m_ports.GetFibers();
    const FabricGraph& graph = *m_control->GetGraph();
    for (const EdgeId e : m_record.darkEdges)
    {
        const auto it = std::lower_bound(fibers.begin(), fibers.end(), e);
        MIXNET_CHECK(it != fibers.end() && *it == e, "fiber " << e << " is not of the region");
        const RegionState from = std::exchange(m_portStates[it - fibers.begin()], to);
        const bool first = graph.GetKind(graph.GetEndA(e)) == VertexKind::OCS;
        const VertexId ocs = first ? graph.GetEndA(e) : graph.GetEndB(e);
        m_portTrace(ocs, graph.GetPortAt(e, ocs), from, to);
    }
}

void
CircuitSwitcher::EndStep()
{
    Light();
    Enter(m_record.last ? RegionState::STEADY : RegionState::DRAINING);
}

void
CircuitSwitcher::Light()
{
    m_record.lit = Simulator::Now();
    MovePorts(RegionState::STEADY);
    if (m_byDirection)
    {
        m_control->Connect(m_record.added, {});
    }
    else
    {
        m_control->SetEdges(m_record.darkEdges, EdgeCause::OPTICAL, true);
    }
    if (m_token != 0)
    {
        m_control->Resume(std::exchange(m_token, 0));
    }
    if (m_promise != 0)
    {
        m_control->EndPromise(std::exchange(m_promise, 0));
    }
    m_reconfigurations += m_record.last ? 1 : 0;
    m_reconfigurationTrace(m_record);
    Lit(m_record);
}

void
CircuitSwitcher::Lit(const CircuitReconfiguration& /* reconfiguration */)
{
}

void
CircuitSwitcher::Settle()
{
    if (!m_lit.IsNull())
    {
        Simulator::ScheduleNow(&CircuitSwitcher::Tell, std::exchange(m_lit, LitCallback()));
    }
}

} // namespace ns3
