/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-budget.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

PortBudget::PortBudget(const PlanRequest& request)
    : m_simplex(request.kind == CircuitKind::SIMPLEX),
      m_free(request.freePorts),
      m_total(request.freePorts.Rows(), 0)
{
    for (std::size_t s = 0; s < m_free.Rows(); ++s)
    {
        for (std::size_t u = 0; u < m_free.Columns(); ++u)
        {
            m_total[s] += m_free(s, u);
        }
    }
    if (m_simplex)
    {
        m_freeIn = m_free;
        m_totalIn = m_total;
    }
    if (m_free.Columns() > 1)
    {
        m_current = request.current.GetPairs();
    }
}

const PlannedPair*
PortBudget::FindCurrent(uint32_t a, uint32_t b, uint32_t unit) const
{
    const bool swapped = !m_simplex && b < a;
    const auto key = std::make_tuple(swapped ? b : a, swapped ? a : b, unit);
    const auto it = std::lower_bound(
        m_current.begin(),
        m_current.end(),
        key,
        [](const PlannedPair& p, const auto& k) { return std::tie(p.a, p.b, p.unit) < k; });
    const bool found = it != m_current.end() && std::tie(it->a, it->b, it->unit) == key;
    return found && it->count > 0 ? &*it : nullptr;
}

std::optional<uint32_t>
PortBudget::ChooseUnit(uint32_t a, uint32_t b) const
{
    std::optional<uint32_t> best;
    uint32_t bestFree = 0;
    for (uint32_t unit = 0; unit < m_free.Columns(); ++unit)
    {
        const uint32_t free = std::min(m_free(a, unit), (m_simplex ? m_freeIn : m_free)(b, unit));
        if (free > 0 && FindCurrent(a, b, unit) != nullptr)
        {
            return unit;
        }
        if (free > bestFree)
        {
            best = unit;
            bestFree = free;
        }
    }
    return best;
}

uint32_t
PortBudget::CountServable(uint32_t a, uint32_t b) const
{
    uint32_t count = 0;
    for (uint32_t unit = 0; unit < m_free.Columns(); ++unit)
    {
        count += std::min(m_free(a, unit), (m_simplex ? m_freeIn : m_free)(b, unit));
    }
    return count;
}

bool
PortBudget::Take(uint32_t a, uint32_t b, CircuitPlan& plan)
{
    const std::optional<uint32_t> unit = ChooseUnit(a, b);
    if (!unit)
    {
        return false;
    }
    if (const PlannedPair* current = FindCurrent(a, b, *unit))
    {
        --m_current[current - m_current.data()].count;
    }
    --m_free(a, *unit);
    --(m_simplex ? m_freeIn : m_free)(b, *unit);
    --m_total[a];
    --(m_simplex ? m_totalIn : m_total)[b];
    plan.Add(a, b, *unit);
    return true;
}

void
PortBudget::TakeAt(const PlannedPair& circuits, CircuitPlan& plan)
{
    m_free(circuits.a, circuits.unit) -= circuits.count;
    m_total[circuits.a] -= circuits.count;
    (m_simplex ? m_freeIn : m_free)(circuits.b, circuits.unit) -= circuits.count;
    (m_simplex ? m_totalIn : m_total)[circuits.b] -= circuits.count;
    plan.Add(circuits.a, circuits.b, circuits.unit, circuits.count);
}

} // namespace ns3
