/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "demand-book.h"

#include <algorithm>

namespace ns3
{

void
DemandBook::SetStanding(const DemandMatrix& standing)
{
    m_standing = standing;
}

void
DemandBook::SetRates(const RegionRates& rates)
{
    m_rates = rates;
}

const DemandMatrix*
DemandBook::GetStanding() const
{
    return m_standing.Rows() > 0 ? &m_standing : nullptr;
}

bool
DemandBook::Note(uint32_t group, const DemandMatrix& demand, CircuitKind kind)
{
    auto it = std::find_if(m_groups.begin(), m_groups.end(), [group](const Entry& e) {
        return e.group == group;
    });
    const std::size_t servers = demand.Rows();
    const bool simplex = kind == CircuitKind::SIMPLEX;
    bool fresh = it == m_groups.end();
    if (fresh)
    {
        m_groups.push_back({group, DemandMatrix(servers, servers, 0)});
        it = m_groups.end() - 1;
    }
    for (std::size_t a = 0; a < servers; ++a)
    {
        for (std::size_t b = simplex ? 0 : a + 1; b < servers; ++b)
        {
            const uint64_t back = simplex ? 0 : demand(b, a);
            const uint64_t bytes = a == b ? 0 : demand(a, b) + back;
            fresh |= it->pair(a, b) != bytes;
            it->pair(a, b) = bytes;
        }
    }
    return fresh;
}

DemandMatrix
DemandBook::Sum() const
{
    DemandMatrix sum = m_groups.front().pair;
    for (std::size_t g = 1; g < m_groups.size(); ++g)
    {
        for (std::size_t i = 0; i < sum.Data().size(); ++i)
        {
            sum.Data()[i] += m_groups[g].pair.Data()[i];
        }
    }
    return sum;
}

const CircuitPlan&
DemandBook::Propose(CircuitPlanner& planner,
                    uint32_t group,
                    const DemandMatrix& demand,
                    const PortTable& healthy,
                    const CircuitPlan& current)
{
    const bool fresh = Note(group, demand, current.GetKind());
    if (fresh || healthy != m_ports)
    {
        m_answer =
            planner.Plan({Sum(), healthy, current, GetStanding(), &m_rates, current.GetKind()});
        m_ports = healthy;
    }
    return m_answer;
}

} // namespace ns3
