/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "relay-policy.h"

#include "ns3/enum.h"
#include "ns3/ns3-compat.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RelayPolicy);

TypeId
RelayPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RelayPolicy")
            .SetParent<FabricRoutingPolicy>()
            .SetGroupName("Mixnet")
            .AddConstructor<RelayPolicy>()
            .AddAttribute("Onward",
                          "How a relay sends on: eps (the packet fabric), circuit "
                          "(a second circuit), either (a second circuit where "
                          "there is one, else the packet fabric)",
                          MixnetEnumValue<Onward>(EPS),
                          MakeMixnetEnumAccessor<Onward>(&RelayPolicy::m_onward),
                          MakeEnumChecker(EPS, "eps", CIRCUIT, "circuit", EITHER, "either"));
    return tid;
}

RouteScope
RelayPolicy::GetScope() const
{
    return RouteScope::EVERYTHING; // the fiber of a relay may be held
}

bool
RelayPolicy::AppendRelay(const FabricGraph& graph,
                         const RouteQuery& query,
                         const OpenCircuit& circuit,
                         double share,
                         std::vector<LaneRoute>& routes,
                         std::size_t& count) const
{
    const ServerId from = graph.GetServerOf(query.source);
    RouteQuery rest = query;
    rest.source =
        graph.GetGpu(circuit.peer,
                     graph.GetLocalIndex(query.source) % graph.GetServerSpec(circuit.peer).gpus);
    const std::size_t before = count;
    if (!AppendOnward(graph, rest, share, routes, count))
    {
        count = before;
        return false;
    }
    for (std::size_t i = before; i < count; ++i)
    {
        routes[i].legs.insert(
            routes[i].legs.begin(),
            {PathClass::CIRCUIT, from, circuit.peer, circuit.nic, circuit.peerNic});
    }
    return true;
}

bool
RelayPolicy::AppendOnward(const FabricGraph& graph,
                          const RouteQuery& rest,
                          double share,
                          std::vector<LaneRoute>& routes,
                          std::size_t& count) const
{
    if (m_onward != EPS)
    {
        ListOpenCircuits(graph,
                         graph.GetServerOf(rest.source),
                         graph.GetServerOf(rest.destination),
                         m_second);
        if (!m_second.empty())
        {
            const std::size_t before = count;
            AppendCircuits(graph, rest, m_second, routes, count);
            for (std::size_t i = before; i < count; ++i)
            {
                routes[i].share *= share;
                routes[i].pooled = false;
            }
            return true;
        }
    }
    return m_onward != CIRCUIT && m_answers && AppendEps(graph, rest, share, routes, count, false);
}

void
RelayPolicy::Choose(const FabricGraph& graph,
                    const RouteQuery& query,
                    std::vector<LaneRoute>& routes) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    const bool ideal = query.balance == LoadBalance::IDEAL;
    std::size_t count = 0;
    ListOpenCircuits(graph, from, to, m_circuits);
    if (!m_circuits.empty())
    {
        AppendCircuits(graph, query, m_circuits, routes, count);
        routes.resize(count);
        return;
    }
    m_answers = AppendEps(graph, query, 1.0, routes, count, false);
    if (!m_answers)
    {
        count = 0;
        if (!AppendEps(graph, query, 1.0, routes, count))
        {
            count = 0;
        }
    }
    const std::size_t direct = count;
    ListOpenCircuits(graph, from, m_circuits);
    m_relays.clear();
    for (const OpenCircuit& circuit : m_circuits)
    {
        std::size_t tried = direct;
        if (AppendRelay(graph, query, circuit, 1.0, routes, tried))
        {
            m_relays.push_back(circuit);
        }
    }
    count = direct;
    if (!m_relays.empty())
    {
        count = 0;
        const std::size_t first = ideal ? 0 : query.hash % m_relays.size();
        const std::size_t ways = ideal ? m_relays.size() : 1;
        for (std::size_t i = 0; i < ways; ++i)
        {
            AppendRelay(graph,
                        query,
                        m_relays[first + i],
                        1.0 / static_cast<double>(ways),
                        routes,
                        count);
        }
    }
    routes.resize(count);
}

} // namespace ns3
