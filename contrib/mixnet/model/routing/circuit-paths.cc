/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-paths.h"

#include "ns3/fabric-graph.h"

#include <algorithm>

namespace ns3
{

void
ListOpenCircuits(const FabricGraph& graph, ServerId server, std::vector<OpenCircuit>& circuits)
{
    circuits.clear();
    const VertexId vertex = graph.GetVertex(server);
    for (const uint32_t nic : graph.GetNics(server, EdgeKind::FIBER))
    {
        const auto peer = graph.GetLitPeer(server, nic);
        if (peer && peer->first != server && !graph.IsHeld(graph.GetEgress(vertex, nic)) &&
            !graph.IsHeld(FabricGraph::GetReverse(
                graph.GetEgress(graph.GetVertex(peer->first), peer->second))))
        {
            circuits.push_back({nic, peer->first, peer->second});
        }
    }
}

void
ListOpenCircuits(const FabricGraph& graph,
                 ServerId from,
                 ServerId to,
                 std::vector<OpenCircuit>& circuits)
{
    ListOpenCircuits(graph, from, circuits);
    circuits.erase(std::remove_if(circuits.begin(),
                                  circuits.end(),
                                  [to](const OpenCircuit& c) { return c.peer != to; }),
                   circuits.end());
}

void
CircuitPaths::Refresh(const FabricGraph& graph)
{
    if (m_graph == &graph && m_version == graph.GetOpticalVersion())
    {
        return;
    }
    m_graph = &graph;
    m_version = graph.GetOpticalVersion();
    m_first.clear();
    m_circuits.clear();
    m_region.clear();
    for (uint32_t s = 0; s < graph.GetNServers(); ++s)
    {
        m_first.push_back(m_circuits.size());
        m_region.push_back(graph.GetRegion(ServerId(s)));
        ListOpenCircuits(graph, ServerId(s), m_scratch);
        std::stable_sort(
            m_scratch.begin(),
            m_scratch.end(),
            [](const OpenCircuit& a, const OpenCircuit& b) { return a.peer < b.peer; });
        m_circuits.insert(m_circuits.end(), m_scratch.begin(), m_scratch.end());
    }
    m_first.push_back(m_circuits.size());
    m_distances.assign(graph.GetNServers(), {});
    ListFeeders();
}

void
CircuitPaths::ListFeeders()
{
    m_firstFeeder.assign(m_distances.size() + 1, 0);
    m_feeders.resize(m_circuits.size());
    for (const OpenCircuit& c : m_circuits)
    {
        ++m_firstFeeder[c.peer.Get() + 1];
    }
    for (std::size_t s = 1; s < m_firstFeeder.size(); ++s)
    {
        m_firstFeeder[s] += m_firstFeeder[s - 1];
    }
    std::vector<std::size_t> next(m_firstFeeder.begin(), m_firstFeeder.end() - 1);
    for (uint32_t s = 0; s < m_distances.size(); ++s)
    {
        for (std::size_t c = m_first[s]; c < m_first[s + 1]; ++c)
        {
            m_feeders[next[m_circuits[c].peer.Get()]++] = s;
        }
    }
}

const std::vector<uint16_t>&
CircuitPaths::GetDistances(ServerId to)
{
    std::vector<uint16_t>& distance = m_distances[to.Get()];
    if (!distance.empty())
    {
        return distance;
    }
    distance.assign(m_distances.size(), UNREACHABLE);
    distance[to.Get()] = 0;
    std::vector<uint32_t> queue{to.Get()};
    for (std::size_t head = 0; head < queue.size(); ++head)
    {
        const uint32_t at = queue[head];
        for (std::size_t c = m_firstFeeder[at]; c < m_firstFeeder[at + 1]; ++c)
        {
            const uint32_t feeder = m_feeders[c];
            if (distance[feeder] == UNREACHABLE)
            {
                distance[feeder] = static_cast<uint16_t>(distance[at] + 1);
                queue.push_back(feeder);
            }
        }
    }
    return distance;
}

uint16_t
CircuitPaths::GetDistance(ServerId from, ServerId to)
{
    return GetDistances(to)[from.Get()];
}

void
CircuitPaths::GetNextServers(ServerId from, ServerId to, std::vector<ServerId>& next)
{
    next.clear();
    const std::vector<uint16_t>& distance = GetDistances(to);
    const RegionId home = m_region[from.Get()];
    bool near = false;
    for (std::size_t c = m_first[from.Get()]; c < m_first[from.Get() + 1]; ++c)
    {
        const ServerId peer = m_circuits[c].peer;
        if (distance[peer.Get()] + 1 != distance[from.Get()] ||
            (!next.empty() && next.back() == peer))
        {
            continue;
        }
        const bool here = peer == to || (home.IsValid() && m_region[peer.Get()] == home);
        if (here && !near)
        {
            near = true;
            next.clear();
        }
        if (here || !near)
        {
            next.push_back(peer);
        }
    }
}

CircuitPaths::Bundle
CircuitPaths::GetCircuits(ServerId from, ServerId to) const
{
    const auto begin = m_circuits.begin() + static_cast<std::ptrdiff_t>(m_first[from.Get()]);
    const auto end = m_circuits.begin() + static_cast<std::ptrdiff_t>(m_first[from.Get() + 1]);
    const auto first =
        std::find_if(begin, end, [to](const OpenCircuit& c) { return c.peer == to; });
    const auto last = std::find_if(first, end, [to](const OpenCircuit& c) { return c.peer != to; });
    return {first == last ? nullptr : &*first, static_cast<std::size_t>(last - first)};
}

void
CircuitPaths::GetNextNics(ServerId at, ServerId to, std::vector<uint32_t>& nics)
{
    nics.clear();
    if (at == to || GetDistance(at, to) == UNREACHABLE)
    {
        return;
    }
    std::vector<ServerId> next;
    GetNextServers(at, to, next);
    for (const ServerId server : next)
    {
        const Bundle bundle = GetCircuits(at, server);
        for (std::size_t c = 0; c < bundle.count; ++c)
        {
            nics.push_back(bundle.first[c].nic);
        }
    }
    std::sort(nics.begin(), nics.end());
}

} // namespace ns3
