/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// FlowSolver: who competes with whom, recall, and changes of the ground below.

#include "flow-solver.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

void
FlowSolver::BeginGrouping()
{
    ++m_pass;
    m_met.clear();
}

uint32_t
FlowSolver::Find(uint32_t cls)
{
    while (m_parent[cls] != cls)
    {
        m_parent[cls] = m_parent[m_parent[cls]];
        cls = m_parent[cls];
    }
    return cls;
}

void
FlowSolver::Tie(FlowHandle flow, bool meet)
{
    const uint32_t route = m_flows[flow].spec.route;
    const auto* const terms = m_partition.GetTerms(route);
    const uint32_t n = m_partition.GetNConstraints(route);
    uint32_t root = NONE;
    for (uint32_t i = 0; i < n; ++i)
    {
        const uint32_t cls = terms[i].cls;
        if (m_stamp[cls] != m_pass)
        {
            m_stamp[cls] = m_pass;
            m_parent[cls] = cls;
            m_group[cls] = NONE;
            if (meet && m_active[cls] > 0)
            {
                Component& component = m_components[m_owner[cls]];
                if (component.stamp != m_pass)
                {
                    component.stamp = m_pass;
                    component.cls = cls;
                    m_met.push_back(m_owner[cls]);
                }
                else
                {
                    m_parent[cls] = Find(component.cls);
                }
            }
        }
        const uint32_t other = Find(cls);
        if (root == NONE)
        {
            root = other;
        }
        else if (other != root)
        {
            m_parent[other] = root;
        }
    }
}

uint32_t
FlowSolver::SortByGroup()
{
    m_groupStart.assign(1, 0);
    bool sorted = true;
    for (const FlowHandle h : m_batch)
    {
        const uint32_t root = Find(m_partition.GetTerms(m_flows[h].spec.route)->cls);
        if (m_group[root] == NONE)
        {
            m_group[root] = static_cast<uint32_t>(m_groupStart.size() - 1);
            m_groupStart.push_back(0);
        }
        else if (m_group[root] + 2 != m_groupStart.size())
        {
            sorted = false;
        }
        ++m_groupStart[m_group[root] + 1];
    }
    const auto groups = static_cast<uint32_t>(m_groupStart.size() - 1);
    for (uint32_t g = 0; g < groups; ++g)
    {
        m_groupStart[g + 1] += m_groupStart[g];
    }
    if (!sorted)
    {
        m_sorted.resize(m_batch.size());
        for (const FlowHandle h : m_batch)
        {
            const uint32_t root = Find(m_partition.GetTerms(m_flows[h].spec.route)->cls);
            m_sorted[m_groupStart[m_group[root]]++] = h;
        }
        m_batch.swap(m_sorted);
        for (uint32_t g = groups; g > 0; --g)
        {
            m_groupStart[g] = m_groupStart[g - 1];
        }
        m_groupStart[0] = 0;
    }
    return groups;
}

bool
FlowSolver::TryRecall(uint32_t c)
{
    Component& component = m_components[c];
    component.hash = FlowRecall::HashOf(component.keys);
    component.course = m_recall.Find(component.hash, component.keys);
    if (component.course == NONE)
    {
        return false;
    }
    ++m_stats.recalled;
    component.recording = false;
    component.cursor = 0;
    component.next = component.start + m_recall.Get(component.course).steps.front().tick;
    Changed(c);
    return true;
}

void
FlowSolver::AdvanceReplay(uint32_t c, int64_t now, std::vector<FlowEnd>& ended)
{
    Component& component = m_components[c];
    const auto& steps = m_recall.Get(component.course).steps;
    while (component.cursor < steps.size() && component.start + steps[component.cursor].tick <= now)
    {
        const FlowHandle h = component.handles[steps[component.cursor++].flow];
        ended.push_back({h, m_flows[h].spec.cookie, m_flows[h].spec.order});
        FreeFlow(h);
    }
    if (component.live == 0)
    {
        m_recall.Unpin(component.course);
        FreeComponent(c);
        return;
    }
    component.next = component.start + steps[component.cursor].tick;
    Changed(c);
}

void
FlowSolver::Recompute(uint32_t c)
{
    Component& component = m_components[c];
    if (component.course == NONE)
    {
        return;
    }
    ++m_stats.fallbacks;
    const auto& steps = m_recall.Get(component.course).steps;
    for (uint32_t i = 0; i < component.cursor; ++i)
    {
        component.handles[steps[i].flow] = NONE;
    }
    FlowComponent& flows = component.flows;
    const int64_t start = component.start;
    for (uint32_t i = 0; i < component.keys.size(); ++i)
    {
        const auto& key = component.keys[i];
        flows.Add({component.handles[i],
                   key.route,
                   i,
                   key.weight,
                   key.ratio,
                   key.bits * m_ticksPerSecond,
                   0,
                   start});
    }
    flows.Build(m_partition, m_scratch);
    flows.Resolve(start);
    std::vector<uint32_t> due;
    for (uint32_t i = 0; i < component.cursor; i += static_cast<uint32_t>(due.size()))
    {
        due.clear();
        const int64_t tick = start + steps[i].tick;
        flows.TakeDue(tick, due);
        MIXNET_CHECK(!due.empty(), "a recalled course that the solver does not take");
        if (flows.IsSparse())
        {
            flows.Compact();
            flows.Build(m_partition, m_scratch);
        }
        flows.Resolve(tick);
    }
    MIXNET_CHECK(flows.GetNext() == component.next && flows.GetLive() == component.live,
                 "a recalled course that the solver does not take");
    for (uint32_t f = 0; f < flows.GetSize(); ++f)
    {
        if (flows.IsLive(f))
        {
            m_flows[flows.Get(f).tag].local = f;
        }
    }
    m_recall.Unpin(component.course);
    component.course = NONE;
    component.handles.clear();
}

void
FlowSolver::Disturb(uint32_t c)
{
    Recompute(c);
    m_components[c].recording = false;
}

void
FlowSolver::BeforeRewrite(uint32_t cls)
{
    for (uint32_t c = 0; c < m_components.size(); ++c)
    {
        const auto& keys = m_components[c].keys;
        if (m_components[c].course != NONE &&
            std::any_of(keys.begin(), keys.end(), [this, cls](const auto& k) {
                return m_partition.UsesClass(k.route, cls);
            }))
        {
            Disturb(c);
        }
    }
}

void
FlowSolver::AfterCut(uint32_t cls, uint32_t part)
{
    Fit();
    m_active[part] = m_active[cls];
    m_owner[part] = m_owner[cls];
}

void
FlowSolver::AfterUncover(uint32_t cls)
{
    Fit();
    uint32_t target = NONE;
    for (const Flow& flow : m_flows)
    {
        const uint32_t c = flow.component;
        if (c == NONE || !m_partition.UsesClass(flow.spec.route, cls))
        {
            continue;
        }
        ++m_active[cls];
        if (target == NONE)
        {
            target = c;
            m_owner[cls] = c;
        }
        else if (c != target)
        {
            Absorb(target, c);
        }
    }
    if (target != NONE)
    {
        m_components[target].joined = true;
        Rebuild(m_now, target);
    }
}

void
FlowSolver::BeforeForget(uint32_t route)
{
    for (uint32_t c = 0; c < m_components.size(); ++c)
    {
        const auto& keys = m_components[c].keys;
        if (m_components[c].course != NONE &&
            std::any_of(keys.begin(), keys.end(), [route](const auto& k) {
                return k.route == route;
            }))
        {
            Disturb(c);
        }
    }
}

} // namespace ns3
