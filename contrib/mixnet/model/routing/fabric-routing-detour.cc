/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// FabricRoutingPolicy: ways of servers whose packet NICs are all down.

#include "fabric-routing-policy.h"

#include <algorithm>

namespace ns3
{

void
FabricRoutingPolicy::ListRelays(const FabricGraph& graph,
                                ServerId server,
                                std::vector<OpenCircuit>& circuits) const
{
    ListOpenCircuits(graph, server, circuits);
    const auto useless = [&](const OpenCircuit& c) {
        ListUsable(graph, c.peer, m_peerNics);
        return m_peerNics.empty() ||
               graph.GetLitPeer(c.peer, c.peerNic) != std::make_pair(server, c.nic);
    };
    circuits.erase(std::remove_if(circuits.begin(), circuits.end(), useless), circuits.end());
}

bool
FabricRoutingPolicy::AppendDetour(const FabricGraph& graph,
                                  const RouteQuery& query,
                                  double share,
                                  std::vector<LaneRoute>& routes,
                                  std::size_t& count) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    const bool leaves = m_usable.empty();
    const bool arrives = m_usableTo.empty();
    ListOpenCircuits(graph, from, to, m_firsts);
    if (!m_firsts.empty())
    {
        const std::size_t before = count;
        const std::vector<OpenCircuit> direct = m_firsts;
        AppendCircuits(graph, query, direct, routes, count);
        for (std::size_t i = before; i < count; ++i)
        {
            routes[i].share *= share;
            routes[i].pooled = false;
        }
        return true;
    }
    if (leaves)
    {
        ListRelays(graph, from, m_firsts);
    }
    if (arrives)
    {
        ListRelays(graph, to, m_lasts);
    }
    if ((leaves && m_firsts.empty()) || (arrives && m_lasts.empty()))
    {
        return false;
    }
    const bool ideal = query.balance == LoadBalance::IDEAL;
    const std::size_t nFirst = leaves ? m_firsts.size() : 1;
    const std::size_t nLast = arrives ? m_lasts.size() : 1;
    const std::size_t ways = ideal ? std::max(nFirst, nLast) : 1;
    const std::size_t begin = ideal ? 0 : query.hash % (nFirst * nLast);
    // the lists are read before the ways are made, which use the same memory
    const std::vector<OpenCircuit> firsts = m_firsts;
    const std::vector<OpenCircuit> lasts = m_lasts;
    for (std::size_t i = 0; i < ways; ++i)
    {
        const OpenCircuit* first = leaves ? &firsts[(begin + i) % nFirst] : nullptr;
        const std::size_t at = ideal ? i : begin / nFirst;
        const OpenCircuit* last = arrives ? &lasts[at % nLast] : nullptr;
        if (!AppendRelayed(graph,
                           query,
                           first,
                           last,
                           share / static_cast<double>(ways),
                           routes,
                           count))
        {
            return false;
        }
    }
    return true;
}

bool
FabricRoutingPolicy::AppendRelayed(const FabricGraph& graph,
                                   const RouteQuery& query,
                                   const OpenCircuit* first,
                                   const OpenCircuit* last,
                                   double share,
                                   std::vector<LaneRoute>& routes,
                                   std::size_t& count) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    const auto stand = [&graph](ServerId server, GpuId gpu) {
        return graph.GetGpu(server, graph.GetLocalIndex(gpu) % graph.GetServerSpec(server).gpus);
    };
    RouteQuery middle = query;
    const ServerId a = first != nullptr ? first->peer : from;
    const ServerId b = last != nullptr ? last->peer : to;
    middle.source = a == from ? query.source : stand(a, query.source);
    middle.destination = b == to ? query.destination : stand(b, query.destination);
    const std::size_t before = count;
    if (a == b)
    {
        AddRoute(routes, count).share = share;
    }
    else if (!AppendEps(graph, middle, share, routes, count))
    {
        return false;
    }
    for (std::size_t i = before; i < count; ++i)
    {
        auto& legs = routes[i].legs;
        if (first != nullptr)
        {
            legs.insert(legs.begin(), {PathClass::CIRCUIT, from, a, first->nic, first->peerNic});
        }
        if (last != nullptr)
        {
            legs.push_back({PathClass::CIRCUIT, b, to, last->peerNic, last->nic});
        }
    }
    return true;
}

} // namespace ns3
