/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "resource-partition.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// @param use a use @return hash of it; hashes of a set of uses are added
uint64_t
HashOf(const ResourceUse& use)
{
    uint64_t bits;
    std::memcpy(&bits, &use.share, sizeof bits);
    uint64_t h = (bits ^ (use.resource * 0xbf58476d1ce4e5b9ULL)) * 0x9e3779b97f4a7c15ULL;
    h = (h ^ (h >> 31)) * 0x94d049bb133111ebULL;
    return h ^ (h >> 29);
}

} // namespace

ResourcePartition::ResourcePartition(Listener& listener)
    : m_listener(listener)
{
}

uint32_t
ResourcePartition::GetNClasses() const
{
    return static_cast<uint32_t>(m_classes.size());
}

uint32_t
ResourcePartition::GetNResources() const
{
    return static_cast<uint32_t>(m_classOf.size());
}

uint32_t
ResourcePartition::AddResource(double capacity, ResourceKind kind)
{
    MIXNET_CHECK(capacity > 0, "a resource of capacity zero");
    uint32_t cls = 0;
    while (cls < m_classes.size() &&
           !(m_classes[cls].capacity == capacity && m_classes[cls].kind == kind &&
             m_classes[cls].routes.empty()))
    {
        ++cls;
    }
    if (cls == m_classes.size())
    {
        m_classes.emplace_back();
        m_classes[cls].capacity = capacity;
        m_classes[cls].kind = kind;
        m_classes[cls].implied = kind != ResourceKind::PORT;
    }
    const uint32_t resource = GetNResources();
    m_classOf.push_back(cls);
    m_place.push_back(static_cast<uint32_t>(m_classes[cls].members.size()));
    m_classes[cls].members.push_back(resource);
    return resource;
}

void
ResourcePartition::SetIdleLimit(uint32_t limit)
{
    m_idleLimit = limit;
}

void
ResourcePartition::SetCutCallback(std::function<void(uint32_t, uint32_t)> onCut)
{
    m_onCut = std::move(onCut);
}

bool
ResourcePartition::UsesClass(uint32_t route, uint32_t cls) const
{
    const auto& terms = m_routes[route].terms;
    return std::any_of(terms.begin(), terms.end(), [cls](const Term& t) { return t.cls == cls; });
}

void
ResourcePartition::FindParts(std::vector<ResourceUse>& uses)
{
    std::sort(uses.begin(), uses.end(), [this](const ResourceUse& a, const ResourceUse& b) {
        return std::tie(m_classOf[a.resource], a.share, a.resource) <
               std::tie(m_classOf[b.resource], b.share, b.resource);
    });
    m_parts.clear();
    for (uint32_t u = 0; u < uses.size(); ++u)
    {
        MIXNET_CHECK(uses[u].share > 0, "a share of zero or less");
        const uint32_t cls = m_classOf[uses[u].resource];
        if (m_parts.empty() || m_parts.back().cls != cls || m_parts.back().share != uses[u].share)
        {
            m_parts.push_back({cls, uses[u].share, u, 0});
        }
        ++m_parts.back().count;
    }
}

uint32_t
ResourcePartition::FindRoute(uint64_t hash) const
{
    const auto range = m_byHash.equal_range(hash);
    for (auto it = range.first; it != range.second; ++it)
    {
        const auto& terms = m_routes[it->second].terms;
        const bool same = terms.size() == m_parts.size() &&
                          std::all_of(m_parts.begin(), m_parts.end(), [&](const Part& p) {
                              return p.count == m_classes[p.cls].members.size() &&
                                     std::any_of(terms.begin(), terms.end(), [&p](const Term& t) {
                                         return t.cls == p.cls && t.share == p.share;
                                     });
                          });
        if (same)
        {
            return it->second;
        }
    }
    return NONE;
}

uint32_t
ResourcePartition::AddRoute(std::vector<ResourceUse>& uses)
{
    MIXNET_CHECK(!uses.empty(), "a route that uses nothing");
    FindParts(uses);
    uint64_t hash = 0;
    for (const auto& use : uses)
    {
        hash += HashOf(use);
    }
    uint32_t route = FindRoute(hash);
    if (route != NONE)
    {
        Hold(route);
        return route;
    }
    if (m_freeRoutes.empty())
    {
        m_freeRoutes.push_back(static_cast<uint32_t>(m_routes.size()));
        m_routes.emplace_back();
    }
    route = m_freeRoutes.back();
    m_freeRoutes.pop_back();
    m_routes[route] = Route();
    m_routes[route].holders = 1;
    m_routes[route].hash = hash;
    m_byHash.emplace(hash, route);
    const std::vector<Part> parts = m_parts;
    for (const auto& part : parts)
    {
        const bool whole = part.count == m_classes[part.cls].members.size();
        m_routes[route].terms.push_back({whole ? part.cls : Cut(part, uses), part.share});
    }
    Register(route);
    return route;
}

uint32_t
ResourcePartition::Cut(const Part& part, const std::vector<ResourceUse>& uses)
{
    const bool constraint = !m_classes[part.cls].implied;
    if (constraint)
    {
        m_listener.BeforeRewrite(part.cls);
    }
    const uint32_t fresh = GetNClasses();
    // a copy of the members would keep their capacity: of nearly all resources, in every class
    std::vector<uint32_t> members = std::move(m_classes[part.cls].members);
    m_classes.push_back(m_classes[part.cls]);
    Class& from = m_classes[part.cls];
    Class& to = m_classes[fresh];
    from.members = std::move(members);
    to.members = {};
    for (uint32_t u = part.first; u < part.first + part.count; ++u)
    {
        const uint32_t resource = uses[u].resource;
        const uint32_t last = from.members.back();
        from.members[m_place[resource]] = last;
        m_place[last] = m_place[resource];
        from.members.pop_back();
        m_place[resource] = static_cast<uint32_t>(to.members.size());
        to.members.push_back(resource);
        m_classOf[resource] = fresh;
    }
    for (const uint32_t r : to.routes)
    {
        Route& route = m_routes[r];
        const auto at = std::find_if(route.terms.begin(),
                                     route.terms.end(),
                                     [&part](const Term& t) { return t.cls == part.cls; });
        route.terms.push_back({fresh, at->share});
        if (constraint)
        {
            std::swap(route.terms[route.constraints++], route.terms.back());
            route.edition = ++m_edition;
        }
    }
    m_listener.AfterCut(part.cls, fresh);
    if (m_onCut)
    {
        m_onCut(part.cls, fresh);
    }
    return fresh;
}

void
ResourcePartition::Register(uint32_t id)
{
    const auto implied = [this](const Term& t) { return m_classes[t.cls].implied; };
    auto& terms = m_routes[id].terms;
    // Tight classes first: once a class is a constraint it may cover those behind it.
    std::stable_sort(terms.begin(), terms.end(), [&](const Term& a, const Term& b) {
        return std::make_pair(implied(a), -a.share / m_classes[a.cls].capacity) <
               std::make_pair(implied(b), -b.share / m_classes[b.cls].capacity);
    });
    m_routes[id].constraints =
        static_cast<uint32_t>(std::find_if(terms.begin(), terms.end(), implied) - terms.begin());
    m_routes[id].edition = ++m_edition;
    for (const auto& term : terms)
    {
        m_classes[term.cls].routes.push_back(id);
    }
    const std::vector<Term> copy = terms;
    for (const auto& term : copy)
    {
        if (implied(term))
        {
            CoverRoute(term.cls, id);
        }
    }
}

void
ResourcePartition::MakeConstraint(uint32_t id, uint32_t cls)
{
    Route& route = m_routes[id];
    const auto at = std::find_if(route.terms.begin(), route.terms.end(), [cls](const Term& t) {
        return t.cls == cls;
    });
    std::swap(*at, route.terms[route.constraints++]);
    route.edition = ++m_edition;
}

void
ResourcePartition::Hold(uint32_t id)
{
    if (m_routes[id].holders++ == 0)
    {
        Unlink(id);
    }
}

void
ResourcePartition::Release(uint32_t id)
{
    Route& route = m_routes[id];
    MIXNET_CHECK(route.holders > 0, "route " << id << " is released too often");
    if (--route.holders > 0)
    {
        return;
    }
    route.older = m_newest;
    route.newer = NONE;
    (m_newest == NONE ? m_oldest : m_routes[m_newest].newer) = id;
    m_newest = id;
    if (++m_idle > m_idleLimit)
    {
        Forget(m_oldest);
    }
}

void
ResourcePartition::Unlink(uint32_t id)
{
    const Route& route = m_routes[id];
    (route.older == NONE ? m_oldest : m_routes[route.older].newer) = route.newer;
    (route.newer == NONE ? m_newest : m_routes[route.newer].older) = route.older;
    --m_idle;
}

void
ResourcePartition::Forget(uint32_t id)
{
    m_listener.BeforeForget(id);
    Unlink(id);
    Route& route = m_routes[id];
    for (const auto& term : route.terms)
    {
        Class& cls = m_classes[term.cls];
        cls.carried +=
            term.share * (cls.kind == ResourceKind::SCALE_UP ? route.payload : route.wire);
        cls.routes.erase(std::find(cls.routes.begin(), cls.routes.end(), id));
    }
    const auto range = m_byHash.equal_range(route.hash);
    m_byHash.erase(std::find_if(range.first, range.second, [id](const auto& entry) {
        return entry.second == id;
    }));
    route = Route();
    m_freeRoutes.push_back(id);
}

void
ResourcePartition::AddCarried(uint32_t route, double wire, double payload)
{
    m_routes[route].wire += wire;
    m_routes[route].payload += payload;
}

std::vector<double>
ResourcePartition::GetCarried() const
{
    std::vector<double> byClass(m_classes.size());
    for (uint32_t c = 0; c < m_classes.size(); ++c)
    {
        byClass[c] = m_classes[c].carried;
    }
    for (const auto& route : m_routes)
    {
        for (const auto& term : route.terms)
        {
            const bool payload = m_classes[term.cls].kind == ResourceKind::SCALE_UP;
            byClass[term.cls] += term.share * (payload ? route.payload : route.wire);
        }
    }
    std::vector<double> carried(m_classOf.size());
    for (uint32_t r = 0; r < m_classOf.size(); ++r)
    {
        carried[r] = byClass[m_classOf[r]];
    }
    return carried;
}

} // namespace ns3
