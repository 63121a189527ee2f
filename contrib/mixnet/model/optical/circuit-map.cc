/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-map.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t NOBODY = UINT32_MAX; //!< OCS port without a fiber to the region

} // namespace

RegionPorts::RegionPorts(const FabricGraph& graph, RegionId region)
    : m_servers(static_cast<uint32_t>(graph.GetRegionServers(region).size())),
      m_ocs(graph.GetRegionOcs(region)),
      m_ports(m_servers * m_ocs.size()),
      m_atPort(m_ocs.size())
{
    for (uint32_t unit = 0; unit < GetNUnits(); ++unit)
    {
        RegionPort nobody;
        nobody.server = NOBODY;
        m_atPort[unit].assign(graph.GetOcsPortCount(m_ocs[unit]), nobody);
    }
    const std::vector<ServerId>& servers = graph.GetRegionServers(region);
    for (uint32_t server = 0; server < m_servers; ++server)
    {
        const VertexId vertex = graph.GetVertex(servers[server]);
        for (const uint32_t nic : graph.GetNics(servers[server], EdgeKind::FIBER))
        {
            const EdgeId fiber = graph.GetEdge(vertex, nic);
            const VertexId far =
                graph.GetEndA(fiber) == vertex ? graph.GetEndB(fiber) : graph.GetEndA(fiber);
            const auto it = std::find(m_ocs.begin(), m_ocs.end(), far);
            MIXNET_CHECK(it != m_ocs.end(),
                         graph.GetName(vertex) << " has a fiber to " << graph.GetName(far)
                                               << ", which is not in region " << region);
            const auto unit = static_cast<uint32_t>(it - m_ocs.begin());
            const RegionPort port{server,
                                  unit,
                                  nic,
                                  graph.GetNicNuma(servers[server], nic),
                                  graph.GetPortAt(fiber, far),
                                  fiber};
            m_ports[server * GetNUnits() + unit].push_back(port);
            m_atPort[unit][port.ocsPort] = port;
            m_fibers.push_back(fiber);
        }
    }
    std::sort(m_fibers.begin(), m_fibers.end());
}

const RegionPort&
RegionPorts::GetAt(uint32_t unit, uint32_t ocsPort) const
{
    const RegionPort& port = m_atPort[unit][ocsPort];
    MIXNET_CHECK(port.server != NOBODY, "no fiber of the region at OCS port " << ocsPort);
    return port;
}

bool
RegionPorts::IsHealthy(const FabricGraph& graph, EdgeId fiber)
{
    return !graph.HasCause(fiber, EdgeCause::FAILURE) &&
           !graph.HasCause(fiber, EdgeCause::ADMINISTRATIVE);
}

PortTable
RegionPorts::CountHealthy(const FabricGraph& graph) const
{
    PortTable table(m_servers, GetNUnits(), 0);
    for (const auto& ports : m_ports)
    {
        for (const RegionPort& p : ports)
        {
            table(p.server, p.unit) += IsHealthy(graph, p.fiber) ? 1 : 0;
        }
    }
    return table;
}

CircuitPlan
RegionPorts::ReadPlan(const FabricGraph& graph, CircuitKind kind) const
{
    CircuitPlan plan(m_servers, kind);
    for (uint32_t unit = 0; unit < GetNUnits(); ++unit)
    {
        for (const Circuit& c : graph.GetCircuits(m_ocs[unit]))
        {
            const RegionPort& p = GetAt(unit, c.portA);
            const RegionPort& q = GetAt(unit, c.portB);
            if (p.server == q.server || !IsHealthy(graph, p.fiber) || !IsHealthy(graph, q.fiber) ||
                (kind == CircuitKind::DUPLEX && c.kind != kind))
            {
                continue;
            }
            plan.Add(p.server, q.server, unit);
            if (kind == CircuitKind::SIMPLEX && c.kind == CircuitKind::DUPLEX)
            {
                plan.Add(q.server, p.server, unit);
            }
        }
    }
    return plan;
}

void
ListInTheWay(const FabricGraph& graph, const Circuit& wanted, std::vector<Circuit>& removed)
{
    const VertexId ocs = wanted.ocs;
    for (uint32_t i = 0; i < wanted.GetNDirections(); ++i)
    {
        const auto [from, to] = wanted.GetDirection(i);
        for (const auto& [port, peer] : {std::make_pair(from, graph.GetPeer(ocs, from)),
                                         std::make_pair(to, graph.GetFeeder(ocs, to))})
        {
            if (!peer)
            {
                continue;
            }
            const bool out = port == from;
            if (wanted.kind == CircuitKind::DUPLEX && !graph.IsOneWay(ocs, port))
            {
                removed.push_back({ocs, std::min(port, *peer), std::max(port, *peer)});
            }
            else
            {
                removed.push_back(
                    {ocs, out ? port : *peer, out ? *peer : port, CircuitKind::SIMPLEX});
            }
        }
    }
}

} // namespace ns3
