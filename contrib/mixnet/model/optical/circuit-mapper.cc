/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-map.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace ns3
{

namespace
{

/// Works on one plan.
class Mapper
{
  public:
    Mapper(const RegionPorts& ports, const FabricGraph& graph, RegionPorts::NicMapping mapping)
        : m_ports(ports),
          m_graph(graph),
          m_spreads(mapping == RegionPorts::NUMA),
          m_taken(ports.GetNUnits()),
          m_torn(ports.GetNUnits()),
          m_needed{PortTable(ports.GetNServers(), ports.GetNUnits(), 0),
                   PortTable(ports.GetNServers(), ports.GetNUnits(), 0)}
    {
        for (uint32_t unit = 0; unit < ports.GetNUnits(); ++unit)
        {
            m_taken[unit].assign(graph.GetOcsPortCount(ports.GetOcs(unit)), 0);
            m_torn[unit] = m_taken[unit];
        }
    }

    PlanChange Map(const CircuitPlan& plan)
    {
        if (plan.GetKind() == CircuitKind::SIMPLEX)
        {
            m_kind = CircuitKind::SIMPLEX;
            m_halfA = TRANSMITTER;
            m_halfB = RECEIVER;
        }
        std::vector<PlannedPair> pairs = plan.GetPairs();
        for (PlannedPair& p : pairs)
        {
            p.count -= Keep(p);
            Needed(m_halfA)(p.a, p.unit) += p.count;
            Needed(m_halfB)(p.b, p.unit) += p.count;
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
        std::vector<uint32_t> a; //!< by NUMA node of the pair's first server
        std::vector<uint32_t> b; //!< by NUMA node of its second one
    };

    /// What a circuit takes of a port, as bits.
    enum Half : uint8_t
    {
        TRANSMITTER = 1,
        RECEIVER = 2,
        BOTH = 3
    };

    /// @param half of a port @return what its circuit has of the port at the other end
    static Half Opposite(Half half)
    {
        return half == TRANSMITTER ? RECEIVER : half == RECEIVER ? TRANSMITTER : BOTH;
    }

    /// @param half of ports @return how many of them new circuits still need
    PortTable& Needed(Half half)
    {
        return m_needed[half == RECEIVER ? 1 : 0];
    }

    /// @param c by NUMA node @param node node @return a reference that exists
    static uint32_t& At(std::vector<uint32_t>& c, uint32_t node)
    {
        if (c.size() <= node)
        {
            c.resize(node + 1, 0);
        }
        return c[node];
    }

    /// @param p port @param half of it @return true when it may be used and is not
    bool IsFree(const RegionPort& p, Half half) const
    {
        return (m_taken[p.unit][p.ocsPort] & half) == 0 && RegionPorts::IsHealthy(m_graph, p.fiber);
    }

    /// @param p a port of the pair's first server @param b the second server @return the port at
    /// the other end of its healthy circuit to b, or null
    const RegionPort* FindPeer(const RegionPort& p, uint32_t b) const
    {
        const VertexId ocs = m_ports.GetOcs(p.unit);
        const auto peer = m_graph.GetPeer(ocs, p.ocsPort);
        if (!peer || !IsFree(p, m_halfA) ||
            (m_kind == CircuitKind::DUPLEX && m_graph.IsOneWay(ocs, p.ocsPort)))
        {
            return nullptr;
        }
        const RegionPort& q = m_ports.GetAt(p.unit, *peer);
        return q.server == b && IsFree(q, m_halfB) ? &q : nullptr;
    }

    /// @param numa of a port @param used circuits of its pair by NUMA node
    /// @return circuits that count against the port
    uint32_t CountNear(uint32_t numa, std::vector<uint32_t>& used) const
    {
        return m_spreads ? At(used, numa) : 0;
    }

    /// @param p a port that is free to take @param half of it @return the port at the other end of
    /// the circuit that taking it takes out, or null
    const RegionPort* FindTorn(const RegionPort& p, Half half) const
    {
        const VertexId ocs = m_ports.GetOcs(p.unit);
        auto peer = (half & TRANSMITTER) != 0 ? m_graph.GetPeer(ocs, p.ocsPort) : std::nullopt;
        if (!peer && (half & RECEIVER) != 0)
        {
            peer = m_graph.GetFeeder(ocs, p.ocsPort);
        }
        return peer && (m_torn[p.unit][p.ocsPort] & half) == 0 ? &m_ports.GetAt(p.unit, *peer)
                                                               : nullptr;
    }

    /// @param server server @param unit unit @param half of its ports @return true when its new
    /// circuits must take others out
    bool IsShort(uint32_t server, uint32_t unit, Half half) const
    {
        const auto& ports = m_ports.Get(server, unit);
        const auto free =
            std::count_if(ports.begin(), ports.end(), [this, half](const RegionPort& p) {
                return IsFree(p, half) && FindTorn(p, half) == nullptr;
            });
        return m_needed[half == RECEIVER ? 1 : 0](server, unit) > static_cast<uint32_t>(free);
    }

    /// @param p a port that is free to take @param half of it @return 0: taking it takes no circuit
    /// out, 1: one whose other end is needed too, 2: one for this port alone
    uint32_t GetTearing(const RegionPort& p, Half half) const
    {
        const RegionPort* q = FindTorn(p, half);
        const Half other = Opposite(half);
        return q == nullptr ? 0 : IsFree(*q, other) && IsShort(q->server, q->unit, other) ? 1 : 2;
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
                    q == nullptr ? UINT32_MAX
                                 : CountNear(p.numa, spread.a) + CountNear(q->numa, spread.b);
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
        m_taken[p.unit][p.ocsPort] |= m_halfA;
        m_taken[q.unit][q.ocsPort] |= m_halfB;
        ++At(spread.a, p.numa);
        ++At(spread.b, q.numa);
    }

    /// @param server server @param unit unit @param half of the port @param used circuits of the
    /// pair by NUMA node @return the port for its next circuit
    const RegionPort& Choose(uint32_t server,
                             uint32_t unit,
                             Half half,
                             std::vector<uint32_t>& used) const
    {
        std::vector<uint32_t> free;
        for (const RegionPort& p : m_ports.Get(server, unit))
        {
            At(free, p.numa) += IsFree(p, half) ? 1 : 0;
        }
        const RegionPort* best = nullptr;
        std::tuple<uint32_t, uint32_t, int64_t, uint32_t> least;
        for (const RegionPort& p : m_ports.Get(server, unit))
        {
            if (!IsFree(p, half))
            {
                continue;
            }
            const auto rank = std::make_tuple(CountNear(p.numa, used),
                                              GetTearing(p, half),
                                              m_spreads ? -static_cast<int64_t>(free[p.numa]) : 0,
                                              m_spreads ? p.numa : 0);
            if (best == nullptr || rank < least)
            {
                best = &p;
                least = rank;
            }
        }
        MIXNET_CHECK(best != nullptr, "no free port at server " << server << ", unit " << unit);
        return *best;
    }

    /// @param p the port of a new circuit at one of its ends @param half what it takes of it
    void Serve(const RegionPort& p, Half half)
    {
        --Needed(half)(p.server, p.unit);
        if (const RegionPort* q = FindTorn(p, half))
        {
            m_torn[p.unit][p.ocsPort] |= half;
            m_torn[q->unit][q->ocsPort] |= Opposite(half);
        }
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
            const RegionPort& p = Choose(pair.a, pair.unit, m_halfA, it->second.a);
            Serve(p, m_halfA);
            const RegionPort& q = Choose(pair.b, pair.unit, m_halfB, it->second.b);
            Serve(q, m_halfB);
            Occupy(p, q, it->second);
            const bool swapped = m_kind == CircuitKind::DUPLEX && q.ocsPort < p.ocsPort;
            m_change.added.push_back({m_ports.GetOcs(pair.unit),
                                      swapped ? q.ocsPort : p.ocsPort,
                                      swapped ? p.ocsPort : q.ocsPort,
                                      m_kind});
        }
    }

    /// Take out the circuits whose ports the new ones need.
    void RemoveWanted()
    {
        for (const Circuit& c : m_change.added)
        {
            ListInTheWay(m_graph, c, m_change.removed);
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
    bool m_spreads;                                       //!< over NUMA nodes
    CircuitKind m_kind{CircuitKind::DUPLEX};              //!< of the plan
    Half m_halfA{BOTH};                                   //!< what a circuit takes at a
    Half m_halfB{BOTH};                                   //!< what it takes at b
    std::vector<std::vector<uint8_t>> m_taken;            //!< by unit and OCS port: halves in use
    std::vector<std::vector<uint8_t>> m_torn;             //!< likewise: their circuit is taken out
    std::array<PortTable, 2> m_needed;                    //!< ports that new circuits still need;
                                                          //!< simplex: transmitters, receivers
    std::vector<std::pair<PlannedPair, Spread>> m_spread; //!< of pairs that need more, by pair
    PlanChange m_change;                                  //!< result
};

} // namespace

PlanChange
MapPlan(const RegionPorts& ports,
        const FabricGraph& graph,
        const CircuitPlan& plan,
        RegionPorts::NicMapping mapping)
{
    return Mapper(ports, graph, mapping).Map(plan);
}

} // namespace ns3
