/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-plan.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

CircuitPlan::CircuitPlan(uint32_t servers, CircuitKind kind)
    : m_kind(kind),
      m_counts(servers, servers, 0),
      m_degree(servers, 0),
      m_inDegree(servers, 0)
{
}

void
CircuitPlan::Add(uint32_t a, uint32_t b, uint32_t unit, uint32_t count)
{
    MIXNET_CHECK(a != b && a < GetNServers() && b < GetNServers() && count > 0,
                 "circuit between servers " << a << " and " << b);
    const bool duplex = m_kind == CircuitKind::DUPLEX;
    m_counts(a, b) += count;
    m_degree[a] += count;
    m_inDegree[b] += count;
    if (duplex)
    {
        m_counts(b, a) += count;
        m_degree[b] += count;
        m_inDegree[a] += count;
    }
    m_total += count;
    const bool swapped = duplex && b < a;
    m_pairs.push_back({swapped ? b : a, swapped ? a : b, unit, count});
}

std::vector<PlannedPair>
CircuitPlan::GetPairs() const
{
    std::vector<PlannedPair> sorted = m_pairs;
    std::sort(sorted.begin(), sorted.end(), [](const PlannedPair& x, const PlannedPair& y) {
        return std::tie(x.a, x.b, x.unit) < std::tie(y.a, y.b, y.unit);
    });
    std::vector<PlannedPair> merged;
    merged.reserve(sorted.size());
    for (const PlannedPair& p : sorted)
    {
        if (!merged.empty() && merged.back().a == p.a && merged.back().b == p.b &&
            merged.back().unit == p.unit)
        {
            merged.back().count += p.count;
        }
        else
        {
            merged.push_back(p);
        }
    }
    return merged;
}

uint64_t
CircuitPlan::GetHash() const
{
    uint64_t hash = 0xcbf29ce484222325U ^ static_cast<uint64_t>(m_kind);
    for (uint32_t count : m_counts.Data())
    {
        for (int byte = 0; byte < 4; ++byte, count >>= 8)
        {
            hash = (hash ^ (count & 0xffU)) * 0x100000001b3U;
        }
    }
    return hash;
}

CircuitPlan
FitPlan(const CircuitPlan& plan, const PortTable& healthy)
{
    CircuitPlan fitting(plan.GetNServers(), plan.GetKind());
    PortTable out = healthy;
    PortTable in = healthy;
    PortTable& other = plan.GetKind() == CircuitKind::DUPLEX ? out : in;
    for (const PlannedPair& pair : plan.GetPairs())
    {
        const uint32_t count =
            std::min({pair.count, out(pair.a, pair.unit), other(pair.b, pair.unit)});
        if (count > 0)
        {
            out(pair.a, pair.unit) -= count;
            other(pair.b, pair.unit) -= count;
            fitting.Add(pair.a, pair.b, pair.unit, count);
        }
    }
    return fitting;
}

} // namespace ns3
