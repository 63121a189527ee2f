/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-solver.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

void
FlowSolver::StartJoining(int64_t now, uint32_t first, uint32_t count, std::vector<uint32_t>& met)
{
    ++m_stats.joins;
    const uint32_t target = met.front();
    for (const uint32_t c : met)
    {
        Disturb(c);
        if (c != target)
        {
            Absorb(target, c);
        }
    }
    Component& component = m_components[target];
    for (uint32_t i = 0; i < count; ++i)
    {
        const FlowHandle h = m_batch[first + i];
        const FlowSpec& spec = m_flows[h].spec;
        Place(h, target, component.flows.GetSize());
        component.flows.Add({h,
                             spec.route,
                             0,
                             spec.weight,
                             spec.payloadRatio,
                             spec.bits * m_ticksPerSecond,
                             0,
                             now});
    }
    component.joined = true;
    component.untilSplit = component.live / 8;
    Rebuild(now, target);
}

void
FlowSolver::Absorb(uint32_t target, uint32_t source)
{
    Component& to = m_components[target];
    const FlowComponent& from = m_components[source].flows;
    for (uint32_t f = 0; f < from.GetSize(); ++f)
    {
        if (from.IsLive(f))
        {
            Place(from.Get(f).tag, target, to.flows.GetSize());
            to.flows.Add(from.Get(f));
        }
    }
    FreeComponent(source);
}

void
FlowSolver::Rebuild(int64_t now, uint32_t c)
{
    Component& component = m_components[c];
    FlowComponent& flows = component.flows;
    if (flows.GetLive() < flows.GetSize())
    {
        flows.Compact();
        for (uint32_t f = 0; f < flows.GetSize(); ++f)
        {
            m_flows[flows.Get(f).tag].local = f;
        }
    }
    flows.Build(m_partition, m_scratch);
    flows.Resolve(now);
    ++m_stats.solves;
    component.next = flows.GetNext();
    Changed(c);
}

void
FlowSolver::Continue(int64_t now, uint32_t c, uint32_t gone)
{
    Component& component = m_components[c];
    if (component.joined)
    {
        const bool look = component.untilSplit < gone;
        component.untilSplit -= look ? component.untilSplit : gone;
        if (look && Split(now, c))
        {
            return;
        }
    }
    if (component.flows.IsSparse())
    {
        Rebuild(now, c);
        return;
    }
    component.flows.Resolve(now);
    ++m_stats.solves;
    component.next = component.flows.GetNext();
    Changed(c);
}

bool
FlowSolver::Split(int64_t now, uint32_t c)
{
    FlowComponent& flows = m_components[c].flows;
    m_batch.clear();
    BeginGrouping();
    for (uint32_t f = 0; f < flows.GetSize(); ++f)
    {
        if (flows.IsLive(f))
        {
            m_batch.push_back(flows.Get(f).tag);
            Tie(flows.Get(f).tag, false);
        }
    }
    m_components[c].untilSplit = static_cast<uint32_t>(m_batch.size()) / 8;
    const uint32_t groups = SortByGroup();
    if (groups == 1)
    {
        return false;
    }
    ++m_stats.splits;
    m_states.clear();
    for (const FlowHandle h : m_batch)
    {
        m_states.push_back(flows.Get(m_flows[h].local));
    }
    flows.Clear();
    m_components[c].live = 0;
    for (uint32_t g = 0; g < groups; ++g)
    {
        const uint32_t to = g == 0 ? c : NewComponent();
        Component& part = m_components[to];
        for (uint32_t i = m_groupStart[g]; i < m_groupStart[g + 1]; ++i)
        {
            Place(m_batch[i], to, part.flows.GetSize());
            part.flows.Add(m_states[i]);
        }
        part.joined = true;
        part.untilSplit = part.live / 8;
        Rebuild(now, to);
    }
    return true;
}

} // namespace ns3
