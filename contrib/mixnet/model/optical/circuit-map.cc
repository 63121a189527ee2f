/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-map.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

constexpr uint32_t NOBODY = UINT32_MAX; //!< OCS port without a fiber to the region

/// Works on one plan.
class Mapper
{
  public:
    Mapper(const RegionPorts& ports, const FabricGraph& graph)
        : m_ports(ports),
          m_graph(graph),
          m_taken(ports.GetNUnits())
    {
        for (uint32_t unit = 0; unit < ports.GetNUnits(); ++unit)
        {
            m_taken[unit].assign(graph.GetOcsPortCount(ports.GetOcs(unit)), false);
        }
    }

    PlanChange Map(const CircuitPlan& plan)
    {
        std::vector<PlannedPair> pairs = plan.GetPairs();
        for (PlannedPair& p : pairs)
        {
            p.count -= Keep(p);
        }
        std::stable_sort(pairs.begin(), pairs.end(), [](const auto& x, const auto& y) {
            return x.count > y.count;
        });
        for (const PlannedPair& p : pairs)
        {
            AddNew(p);
        }
        RemoveWanted();
        return Finish();
    }

  private:
    /// Circuits of one pair per NUMA node, at both ends.
    struct Spread
    {
        std::vector<uint32_t> a; //!< by NUMA node of the lower server
        std::vector<uint32_t> b; //!< by NUMA node of the higher one
    };

    /// @param c by NUMA node @param node node @return a reference that exists
    static uint32_t& At(std::vector<uint32_t>& c, uint32_t node)
    {
        if (c.size() <= node)
        {
            c.resize(node + 1, 0);
        }
        return c[node];
    }

    /// @param p port @return true when it may be used and is not
    bool IsFree(const RegionPort& p) const
    {
        return !m_taken[p.unit][p.ocsPort] && RegionPorts::IsHealthy(m_graph, p.fiber);
    }

    /// @param p a port of the pair's lower server @param b the higher server @return the port at
    /// the other end of its healthy circuit to b, or null
    const RegionPort* FindPeer(const RegionPort& p, uint32_t b) const
    {
        const auto peer = m_graph.GetPeer(m_ports.GetOcs(p.unit), p.ocsPort);
        if (!peer || !IsFree(p))
        {
            return nullptr;
        }
        const RegionPort& q = m_ports.GetAt(p.unit, *peer);
        return q.server == b && IsFree(q) ? &q : nullptr;
    }

    /// @param pair a pair @return circuits of it that stay where they are
    uint32_t Keep(const PlannedPair& pair)
    {
        Spread spread;
        uint32_t kept = 0;
        for (; kept < pair.count; ++kept)
        {
            const RegionPort* best = nullptr;
            const RegionPort* bestPeer = nullptr;
            uint32_t least = UINT32_MAX;
            for (const RegionPort& p : m_ports.Get(pair.a, pair.unit))
            {
                const RegionPort* q = FindPeer(p, pair.b);
                const uint32_t used =
                    q == nullptr ? UINT32_MAX : At(spread.a, p.numa) + At(spread.b, q->numa);
                if (used < least)
                {
                    least = used;
                    best = &p;
                    bestPeer = q;
                }
            }
            if (best == nullptr)
            {
                break;
            }
            Occupy(*best, *bestPeer, spread);
        }
        m_change.kept += kept;
        if (kept < pair.count)
        {
            m_spread.emplace_back(pair, spread);
        }
        return kept;
    }

    /// @param p port @param q port @param spread of their pair
    void Occupy(const RegionPort& p, const RegionPort& q, Spread& spread)
    {
        m_taken[p.unit][p.ocsPort] = true;
        m_taken[q.unit][q.ocsPort] = true;
        ++At(spread.a, p.numa);
        ++At(spread.b, q.numa);
    }

    /// @param server server @param unit unit @param used circuits of the pair by NUMA node
    /// @return the port for its next circuit
    const RegionPort& Choose(uint32_t server, uint32_t unit, std::vector<uint32_t>& used) const
    {
        std::vector<uint32_t> free;
        for (const RegionPort& p : m_ports.Get(server, unit))
        {
            At(free, p.numa) += IsFree(p) ? 1 : 0;
        }
        const RegionPort* best = nullptr;
        std::tuple<uint32_t, int64_t, uint32_t, bool> least;
        for (const RegionPort& p : m_ports.Get(server, unit))
        {
            if (!IsFree(p))
            {
                continue;
            }
            const bool matched = m_graph.GetPeer(m_ports.GetOcs(unit), p.ocsPort).has_value();
            const auto rank = std::make_tuple(At(used, p.numa),
                                              -static_cast<int64_t>(free[p.numa]),
                                              p.numa,
                                              matched);
            if (best == nullptr || rank < least)
            {
                best = &p;
                least = rank;
            }
        }
        MIXNET_CHECK(best != nullptr, "no free port at server " << server << ", unit " << unit);
        return *best;
    }

    /// @param pair a pair with the circuits it still needs
    void AddNew(const PlannedPair& pair)
    {
        if (pair.count == 0)
        {
            return;
        }
        const auto it = std::lower_bound(m_spread.begin(),
                                         m_spread.end(),
                                         pair,
                                         [](const auto& x, const PlannedPair& p) {
                                             return std::tie(x.first.a, x.first.b, x.first.unit) <
                                                    std::tie(p.a, p.b, p.unit);
                                         });
        for (uint32_t i = 0; i < pair.count; ++i)
        {
            const RegionPort& p = Choose(pair.a, pair.unit, it->second.a);
            const RegionPort& q = Choose(pair.b, pair.unit, it->second.b);
            Occupy(p, q, it->second);
            m_change.added.push_back({m_ports.GetOcs(pair.unit),
                                      std::min(p.ocsPort, q.ocsPort),
                                      std::max(p.ocsPort, q.ocsPort)});
        }
    }

    /// Take out the circuits whose ports the new ones need.
    void RemoveWanted()
    {
        for (const Circuit& c : m_change.added)
        {
            for (const uint32_t port : {c.portA, c.portB})
            {
                if (const auto peer = m_graph.GetPeer(c.ocs, port))
                {
                    m_change.removed.push_back(
                        {c.ocs, std::min(port, *peer), std::max(port, *peer)});
                }
            }
        }
        std::sort(m_change.removed.begin(), m_change.removed.end());
        m_change.removed.erase(std::unique(m_change.removed.begin(), m_change.removed.end()),
                               m_change.removed.end());
        std::sort(m_change.added.begin(), m_change.added.end());
    }

    /// @return the change with its fibers
    PlanChange Finish()
    {
        for (const auto* list : {&m_change.added, &m_change.removed})
        {
            for (const Circuit& c : *list)
            {
                m_change.fibers.push_back(m_graph.GetEdge(c.ocs, c.portA));
                m_change.fibers.push_back(m_graph.GetEdge(c.ocs, c.portB));
            }
        }
        std::sort(m_change.fibers.begin(), m_change.fibers.end());
        m_change.fibers.erase(std::unique(m_change.fibers.begin(), m_change.fibers.end()),
                              m_change.fibers.end());
        return std::move(m_change);
    }

    const RegionPorts& m_ports;                           //!< ports
    const FabricGraph& m_graph;                           //!< matching and health
    std::vector<std::vector<bool>> m_taken;               //!< by unit and OCS port
    std::vector<std::pair<PlannedPair, Spread>> m_spread; //!< of pairs that need more, by pair
    PlanChange m_change;                                  //!< result
};

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
RegionPorts::ReadPlan(const FabricGraph& graph) const
{
    CircuitPlan plan(m_servers);
    for (uint32_t unit = 0; unit < GetNUnits(); ++unit)
    {
        for (const Circuit& c : graph.GetCircuits(m_ocs[unit]))
        {
            const RegionPort& p = GetAt(unit, c.portA);
            const RegionPort& q = GetAt(unit, c.portB);
            if (p.server != q.server && IsHealthy(graph, p.fiber) && IsHealthy(graph, q.fiber))
            {
                plan.Add(p.server, q.server, unit);
            }
        }
    }
    return plan;
}

PlanChange
MapPlan(const RegionPorts& ports, const FabricGraph& graph, const CircuitPlan& plan)
{
    return Mapper(ports, graph).Map(plan);
}

} // namespace ns3
