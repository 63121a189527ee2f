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

FlowSolver::FlowSolver(double ticksPerSecond)
    : m_ticksPerSecond(ticksPerSecond),
      m_partition(*this)
{
}

void
FlowSolver::SetRecallBudget(std::size_t bytes)
{
    m_recall.SetBudget(bytes);
}

uint32_t
FlowSolver::GetNFlows() const
{
    return m_nFlows;
}

uint32_t
FlowSolver::GetComponent(FlowHandle flow) const
{
    return m_flows[flow].component;
}

void
FlowSolver::Fit()
{
    const auto classes = m_partition.GetNClasses();
    if (m_active.size() < classes)
    {
        m_active.resize(classes, 0);
        m_owner.resize(classes, NONE);
        m_parent.resize(classes);
        m_stamp.resize(classes, 0);
        m_group.resize(classes);
    }
}

FlowHandle
FlowSolver::NewFlow(const FlowSpec& spec)
{
    MIXNET_CHECK(spec.bits >= 0 && spec.weight > 0, "bad flow");
    if (m_freeFlows.empty())
    {
        m_freeFlows.push_back(static_cast<FlowHandle>(m_flows.size()));
        m_flows.emplace_back();
    }
    const FlowHandle flow = m_freeFlows.back();
    m_freeFlows.pop_back();
    m_flows[flow].spec = spec;
    m_partition.Hold(spec.route);
    ++m_nFlows;
    return flow;
}

void
FlowSolver::FreeFlow(FlowHandle flow)
{
    Flow& f = m_flows[flow];
    const auto* const terms = m_partition.GetTerms(f.spec.route);
    const uint32_t n = m_partition.GetNConstraints(f.spec.route);
    for (uint32_t i = 0; i < n; ++i)
    {
        --m_active[terms[i].cls];
    }
    --m_components[f.component].live;
    f.component = NONE;
    m_freeFlows.push_back(flow);
    --m_nFlows;
    m_partition.Release(f.spec.route);
}

uint32_t
FlowSolver::NewComponent()
{
    if (m_freeComponents.empty())
    {
        m_freeComponents.push_back(static_cast<uint32_t>(m_components.size()));
        m_components.emplace_back();
    }
    const uint32_t c = m_freeComponents.back();
    m_freeComponents.pop_back();
    return c;
}

void
FlowSolver::FreeComponent(uint32_t c)
{
    Component& component = m_components[c];
    component.flows.Clear();
    component.next = NEVER;
    component.live = 0;
    component.course = NONE;
    component.recording = false;
    component.joined = false;
    component.keys.clear();
    component.steps.clear();
    component.handles.clear();
    m_freeComponents.push_back(c);
    Changed(c);
}

void
FlowSolver::Place(FlowHandle flow, uint32_t c, uint32_t local)
{
    Flow& f = m_flows[flow];
    const bool fresh = f.component == NONE;
    f.component = c;
    f.local = local;
    const auto* const terms = m_partition.GetTerms(f.spec.route);
    const uint32_t n = m_partition.GetNConstraints(f.spec.route);
    for (uint32_t i = 0; i < n; ++i)
    {
        m_active[terms[i].cls] += fresh ? 1 : 0;
        m_owner[terms[i].cls] = c;
    }
    ++m_components[c].live;
}

void
FlowSolver::Changed(uint32_t c)
{
    m_changed.push_back(c);
}

void
FlowSolver::Start(int64_t now, const FlowSpec* specs, std::size_t count, FlowHandle* handles)
{
    MIXNET_CHECK(now >= m_now, "time runs backwards");
    m_now = now;
    Fit();
    m_batch.clear();
    BeginGrouping();
    for (std::size_t i = 0; i < count; ++i)
    {
        handles[i] = NewFlow(specs[i]);
        m_batch.push_back(handles[i]);
        Tie(handles[i], true);
    }
    const uint32_t groups = SortByGroup();
    for (uint32_t g = 0; g < groups; ++g)
    {
        const uint32_t first = m_groupStart[g];
        const uint32_t size = m_groupStart[g + 1] - first;
        m_due.clear();
        for (const uint32_t c : m_met)
        {
            if (m_group[Find(m_components[c].cls)] == g)
            {
                m_due.push_back(c);
            }
        }
        if (m_due.empty())
        {
            StartFresh(now, first, size);
        }
        else
        {
            std::vector<uint32_t> met;
            met.swap(m_due);
            StartJoining(now, first, size, met);
            met.swap(m_due);
        }
    }
}

void
FlowSolver::StartFresh(int64_t now, uint32_t first, uint32_t count)
{
    const uint32_t c = NewComponent();
    Component& component = m_components[c];
    component.start = now;
    component.recording = m_recall.IsOn();
    for (uint32_t i = 0; i < count; ++i)
    {
        const FlowHandle h = m_batch[first + i];
        const FlowSpec& spec = m_flows[h].spec;
        Place(h, c, i);
        if (component.recording)
        {
            component.keys.push_back({m_partition.GetEdition(spec.route),
                                      spec.bits,
                                      spec.weight,
                                      spec.payloadRatio,
                                      spec.route});
            component.handles.push_back(h);
        }
    }
    if (component.recording && TryRecall(c))
    {
        return;
    }
    component.handles.clear();
    for (uint32_t i = 0; i < count; ++i)
    {
        const FlowHandle h = m_batch[first + i];
        const FlowSpec& spec = m_flows[h].spec;
        component.flows.Add({h,
                             spec.route,
                             i,
                             spec.weight,
                             spec.payloadRatio,
                             spec.bits * m_ticksPerSecond,
                             0,
                             now});
    }
    Rebuild(now, c);
}

void
FlowSolver::Stop(int64_t now, const FlowHandle* flows, std::size_t count, double* bitsLeft)
{
    MIXNET_CHECK(now >= m_now, "time runs backwards");
    m_now = now;
    std::vector<std::pair<uint32_t, uint32_t>> touched;
    for (std::size_t i = 0; i < count; ++i)
    {
        const uint32_t c = m_flows[flows[i]].component;
        MIXNET_CHECK(c != NONE, "stop of a flow that has ended");
        Disturb(c);
        Component& component = m_components[c];
        const uint32_t local = m_flows[flows[i]].local;
        bitsLeft[i] = component.flows.GetWork(local, now) / m_ticksPerSecond;
        component.flows.Remove(local);
        component.joined = true;
        FreeFlow(flows[i]);
        const auto at = std::find_if(touched.begin(), touched.end(), [c](const auto& t) {
            return t.first == c;
        });
        if (at == touched.end())
        {
            touched.emplace_back(c, 1);
        }
        else
        {
            ++at->second;
        }
    }
    for (const auto& [c, gone] : touched)
    {
        if (m_components[c].live == 0)
        {
            FreeComponent(c);
        }
        else
        {
            Continue(now, c, gone);
        }
    }
}

void
FlowSolver::Advance(int64_t now, uint32_t c, std::vector<FlowEnd>& ended)
{
    MIXNET_CHECK(now >= m_now, "time runs backwards");
    m_now = now;
    const std::size_t before = ended.size();
    Component& component = m_components[c];
    if (component.course != NONE)
    {
        AdvanceReplay(c, now, ended);
    }
    else
    {
        m_due.clear();
        component.flows.TakeDue(now, m_due);
        for (const uint32_t f : m_due)
        {
            const auto& state = component.flows.Get(f);
            const FlowSpec& spec = m_flows[state.tag].spec;
            ended.push_back({state.tag, spec.cookie, spec.order});
            if (component.recording)
            {
                component.steps.push_back({now - component.start, state.index});
            }
            FreeFlow(state.tag);
        }
        if (component.live > 0)
        {
            Continue(now, c, static_cast<uint32_t>(m_due.size()));
        }
        else
        {
            if (component.recording)
            {
                m_recall.Insert(component.hash, component.keys, component.steps);
            }
            FreeComponent(c);
        }
    }
    if (ended.size() > before + 1)
    {
        std::sort(ended.begin() + static_cast<std::ptrdiff_t>(before),
                  ended.end(),
                  [](const FlowEnd& a, const FlowEnd& b) { return a.order < b.order; });
    }
}

double
FlowSolver::GetRate(FlowHandle flow)
{
    const uint32_t c = m_flows[flow].component;
    Recompute(c);
    return m_components[c].flows.Get(m_flows[flow].local).rate;
}

double
FlowSolver::GetBitsLeft(FlowHandle flow, int64_t now)
{
    const uint32_t c = m_flows[flow].component;
    Recompute(c);
    return m_components[c].flows.GetWork(m_flows[flow].local, now) / m_ticksPerSecond;
}

} // namespace ns3
