/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "multi-hop-policy.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MultiHopPolicy);

TypeId
MultiHopPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MultiHopPolicy")
                            .SetParent<FabricRoutingPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<MultiHopPolicy>()
                            .AddAttribute("MaxPaths",
                                          "Equally short ways that ideal balancing spreads over",
                                          UintegerValue(8),
                                          MakeUintegerAccessor(&MultiHopPolicy::m_maxPaths),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RouteScope
MultiHopPolicy::GetScope() const
{
    return RouteScope::EVERYTHING;
}

bool
MultiHopPolicy::Walk(ServerId from, ServerId to, uint64_t number, uint64_t offset) const
{
    m_way.assign(1, from);
    while (m_way.back() != to)
    {
        m_paths.GetNextServers(m_way.back(), to, m_next);
        const uint64_t ways = m_next.size();
        m_way.push_back(m_next[(number % ways + offset % ways) % ways]);
        number /= ways;
    }
    return number == 0;
}

uint64_t
MultiHopPolicy::CountWays(ServerId from, ServerId to) const
{
    if (m_paths.GetDistance(from, to) <= 1)
    {
        return 1;
    }
    std::vector<ServerId> next;
    m_paths.GetNextServers(from, to, next);
    uint64_t ways = 0;
    for (std::size_t i = 0; i < next.size() && ways < m_maxPaths; ++i)
    {
        ways += CountWays(next[i], to);
    }
    return std::min<uint64_t>(ways, m_maxPaths);
}

void
MultiHopPolicy::AppendWay(double share,
                          bool single,
                          uint32_t local,
                          std::vector<LaneRoute>& routes,
                          std::size_t& count) const
{
    // On a hop of c circuits, circuit j carries the bytes [j / c, (j + 1) / c) of the way.
    m_cuts.assign(1, {0, 1});
    for (std::size_t hop = 1; !single && hop < m_way.size(); ++hop)
    {
        const std::size_t circuits = m_paths.GetCircuits(m_way[hop - 1], m_way[hop]).count;
        for (std::size_t j = 1; j < circuits; ++j)
        {
            m_cuts.emplace_back(j, circuits);
        }
    }
    std::sort(m_cuts.begin(), m_cuts.end(), [](const Fraction& a, const Fraction& b) {
        return a.first * b.second < b.first * a.second;
    });
    m_cuts.erase(std::unique(m_cuts.begin(),
                             m_cuts.end(),
                             [](const Fraction& a, const Fraction& b) {
                                 return a.first * b.second == b.first * a.second;
                             }),
                 m_cuts.end());
    m_cuts.emplace_back(1, 1);
    for (std::size_t i = 0; i + 1 < m_cuts.size(); ++i)
    {
        const Fraction begin = m_cuts[i];
        const Fraction end = m_cuts[i + 1];
        LaneRoute& route = FabricRoutingPolicy::AddRoute(routes, count);
        route.share = share *
                      static_cast<double>(end.first * begin.second - begin.first * end.second) /
                      static_cast<double>(begin.second * end.second);
        for (std::size_t hop = 1; hop < m_way.size(); ++hop)
        {
            const auto bundle = m_paths.GetCircuits(m_way[hop - 1], m_way[hop]);
            const std::size_t j =
                single ? local % bundle.count : begin.first * bundle.count / begin.second;
            const OpenCircuit& circuit = bundle.first[j];
            route.legs.push_back(
                {PathClass::CIRCUIT, m_way[hop - 1], m_way[hop], circuit.nic, circuit.peerNic});
        }
    }
}

void
MultiHopPolicy::Choose(const FabricGraph& graph,
                       const RouteQuery& query,
                       std::vector<LaneRoute>& routes) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    m_paths.Refresh(graph);
    std::size_t count = 0;
    if (m_paths.GetDistance(from, to) == CircuitPaths::UNREACHABLE)
    {
        if (!AppendEps(graph, query, 1.0, routes, count))
        {
            count = 0;
        }
        routes.resize(count);
        return;
    }
    const uint32_t local = graph.GetLocalIndex(query.source);
    if (query.balance == LoadBalance::PER_FLOW)
    {
        Walk(from, to, query.hash, 0);
        AppendWay(1.0, true, local, routes, count);
        routes.resize(count);
        return;
    }
    const uint64_t ways = CountWays(from, to);
    const uint64_t offset = uint64_t(from.Get()) * 7 + to.Get();
    uint64_t found = 0;
    for (uint64_t number = 0; found < ways; ++number)
    {
        if (Walk(from, to, number, offset))
        {
            ++found;
            AppendWay(1.0 / static_cast<double>(ways), false, local, routes, count);
        }
    }
    routes.resize(count);
}

} // namespace ns3
