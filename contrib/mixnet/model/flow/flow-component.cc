/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-component.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param ticks above or equal zero @return the next whole tick, rounding errors aside
int64_t
TickCeil(double ticks)
{
    MIXNET_CHECK(ticks < 9e18, "a flow that ends after the end of time");
    const auto whole = static_cast<int64_t>(ticks);
    return whole + (ticks - static_cast<double>(whole) > 1e-3 + ticks * 1e-15 ? 1 : 0);
}

} // namespace

void
FlowComponent::Clear()
{
    m_states.clear();
    m_finish.clear();
    m_live = 0;
    m_next = NEVER;
}

void
FlowComponent::Add(const State& state)
{
    m_states.push_back(state);
    m_finish.push_back(NEVER);
    if (state.rate > 0)
    {
        m_finish.back() = state.anchor + TickCeil(state.work / state.rate);
    }
    ++m_live;
}

void
FlowComponent::Build(const ResourcePartition& partition, Scratch& scratch)
{
    m_problem.Clear();
    scratch.row.resize(partition.GetNClasses());
    scratch.stamp.resize(partition.GetNClasses(), scratch.now);
    ++scratch.now;
    for (const auto& state : m_states)
    {
        m_problem.AddFlow(state.weight);
        const auto* term = partition.GetTerms(state.route);
        const auto* const end = term + partition.GetNConstraints(state.route);
        for (; term != end; ++term)
        {
            if (scratch.stamp[term->cls] != scratch.now)
            {
                scratch.stamp[term->cls] = scratch.now;
                scratch.row[term->cls] = m_problem.AddRow(partition.GetCapacity(term->cls));
            }
            const bool payload = partition.GetKind(term->cls) == ResourceKind::SCALE_UP;
            m_problem.AddUse(scratch.row[term->cls], term->share * (payload ? state.ratio : 1));
        }
    }
    m_problem.Reduce();
}

void
FlowComponent::Resolve(int64_t now)
{
    m_problem.Solve();
    int64_t next = NEVER;
    for (uint32_t f = 0; f < m_states.size(); ++f)
    {
        if (m_finish[f] == GONE)
        {
            continue;
        }
        State& s = m_states[f];
        const double rate = m_problem.GetRate(f);
        if (rate != s.rate)
        {
            s.work = std::max(0.0, s.work - s.rate * static_cast<double>(now - s.anchor));
            s.rate = rate;
            s.anchor = now;
            m_finish[f] = now + TickCeil(s.work / rate);
        }
        next = std::min(next, m_finish[f]);
    }
    m_next = next;
}

void
FlowComponent::TakeDue(int64_t now, std::vector<uint32_t>& due)
{
    for (uint32_t f = 0; f < m_states.size(); ++f)
    {
        if (m_finish[f] != GONE && m_finish[f] <= now)
        {
            due.push_back(f);
            Remove(f);
        }
    }
}

void
FlowComponent::Remove(uint32_t flow)
{
    m_problem.Remove(flow);
    m_finish[flow] = GONE;
    --m_live;
}

bool
FlowComponent::IsSparse() const
{
    return m_states.size() > 8 && 2 * m_live <= m_states.size();
}

void
FlowComponent::Compact()
{
    uint32_t to = 0;
    for (uint32_t f = 0; f < m_states.size(); ++f)
    {
        if (m_finish[f] != GONE)
        {
            m_states[to] = m_states[f];
            m_finish[to++] = m_finish[f];
        }
    }
    m_states.resize(to);
    m_finish.resize(to);
}

double
FlowComponent::GetWork(uint32_t flow, int64_t now) const
{
    const State& s = m_states[flow];
    return std::max(0.0, s.work - s.rate * static_cast<double>(now - s.anchor));
}

} // namespace ns3
