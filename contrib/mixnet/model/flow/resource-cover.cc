/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Implied classes: covers of ResourcePartition.

#include "resource-partition.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

constexpr double SLACK = 1 + 1e-9; //!< rounding of sums of shares such as 1/3

} // namespace

bool
ResourcePartition::MayCover(uint32_t covered, uint32_t cls) const
{
    const Class& c = m_classes[cls];
    return !c.implied && cls != covered &&
           (c.kind != ResourceKind::SCALE_UP || m_classes[covered].kind == ResourceKind::SCALE_UP);
}

double
ResourcePartition::GetCover(uint32_t cls, uint32_t route) const
{
    double sum = 0;
    for (const auto& term : m_routes[route].terms)
    {
        for (const auto& cover : m_classes[cls].cover)
        {
            sum += cover.cls == term.cls ? cover.factor * term.share : 0;
        }
    }
    return sum;
}

void
ResourcePartition::CoverRoute(uint32_t cls, uint32_t id)
{
    const Route& route = m_routes[id];
    const auto at = std::find_if(route.terms.begin(), route.terms.end(), [cls](const Term& t) {
        return t.cls == cls;
    });
    const double missing = at->share - GetCover(cls, id) * SLACK;
    if (missing <= 0)
    {
        return;
    }
    double cheapest = std::numeric_limits<double>::infinity();
    Cover more;
    for (uint32_t i = 0; i < route.constraints; ++i)
    {
        const Term& term = route.terms[i];
        const double cost = missing / term.share * m_classes[term.cls].capacity;
        if (MayCover(cls, term.cls) && cost < cheapest)
        {
            cheapest = cost;
            more = {term.cls, missing / term.share};
        }
    }
    Class& covered = m_classes[cls];
    if (covered.coverCost + cheapest <= covered.capacity * SLACK)
    {
        covered.coverCost += cheapest;
        covered.cover.push_back(more);
    }
    else if (!FindCover(cls))
    {
        Uncover(cls);
    }
}

bool
ResourcePartition::FindCover(uint32_t cls)
{
    Class& covered = m_classes[cls];
    covered.cover.clear();
    covered.coverCost = 0;
    m_need.clear();
    for (const uint32_t r : covered.routes)
    {
        m_need.push_back(
            std::find_if(m_routes[r].terms.begin(), m_routes[r].terms.end(), [cls](const Term& t) {
                return t.cls == cls;
            })->share);
    }
    m_hits.assign(m_classes.size(), 0);
    m_factor.assign(m_classes.size(), 0);
    std::vector<uint32_t> candidates;
    // Each round satisfies at least one route; few rounds suffice where covers exist.
    for (std::size_t round = 0; round < 64 + covered.routes.size() / 8; ++round)
    {
        candidates.clear();
        for (uint32_t i = 0; i < covered.routes.size(); ++i)
        {
            const Route& route = m_routes[covered.routes[i]];
            for (uint32_t k = 0; m_need[i] > 0 && k < route.constraints; ++k)
            {
                const Term& term = route.terms[k];
                if (!MayCover(cls, term.cls))
                {
                    continue;
                }
                const double factor = m_need[i] / term.share;
                if (m_hits[term.cls]++ == 0)
                {
                    candidates.push_back(term.cls);
                    m_factor[term.cls] = factor;
                }
                m_factor[term.cls] = std::min(m_factor[term.cls], factor);
            }
        }
        if (candidates.empty())
        {
            return std::all_of(m_need.begin(), m_need.end(), [](double n) { return n <= 0; });
        }
        uint32_t best = candidates.front();
        for (const uint32_t c : candidates)
        {
            if (m_hits[c] / m_classes[c].capacity > m_hits[best] / m_classes[best].capacity)
            {
                best = c;
            }
        }
        const double factor = m_factor[best];
        covered.cover.push_back({best, factor});
        covered.coverCost += factor * m_classes[best].capacity;
        if (covered.coverCost > covered.capacity * SLACK)
        {
            return false;
        }
        for (uint32_t i = 0; i < covered.routes.size(); ++i)
        {
            for (const auto& term : m_routes[covered.routes[i]].terms)
            {
                if (term.cls == best && m_need[i] > 0)
                {
                    m_need[i] -= factor * term.share * SLACK;
                }
            }
        }
        for (const uint32_t c : candidates)
        {
            m_hits[c] = 0;
        }
    }
    return false;
}

void
ResourcePartition::Uncover(uint32_t cls)
{
    m_listener.BeforeRewrite(cls);
    Class& c = m_classes[cls];
    c.implied = false;
    c.cover.clear();
    c.coverCost = 0;
    for (const uint32_t r : c.routes)
    {
        MakeConstraint(r, cls);
    }
    m_listener.AfterUncover(cls);
}

} // namespace ns3
