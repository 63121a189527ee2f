/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "static-circuit-planner.h"

#include "greedy-circuit-planner.h"
#include "port-budget.h"

#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StaticCircuitPlanner);

namespace
{

/// Union-find over servers.
class Pieces
{
  public:
    explicit Pieces(uint32_t n)
        : m_parent(n)
    {
        std::iota(m_parent.begin(), m_parent.end(), 0U);
    }

    uint32_t Find(uint32_t s)
    {
        while (m_parent[s] != s)
        {
            s = m_parent[s] = m_parent[m_parent[s]];
        }
        return s;
    }

    /// The lower id leads the piece.
    void Join(uint32_t a, uint32_t b)
    {
        const uint32_t x = Find(a);
        const uint32_t y = Find(b);
        m_parent[std::max(x, y)] = std::min(x, y);
    }

  private:
    std::vector<uint32_t> m_parent;
};

/// @param demand a demand @return true when it has bytes
bool
HasBytes(const DemandMatrix* demand)
{
    return demand != nullptr && std::any_of(demand->Data().begin(),
                                            demand->Data().end(),
                                            [](uint64_t bytes) { return bytes > 0; });
}

/// Joins all servers that have ports into one piece.
class BackboneBuilder
{
  public:
    BackboneBuilder(bool ring, PortBudget& budget, CircuitPlan& plan)
        : m_ring(ring),
          m_budget(budget),
          m_plan(plan),
          m_pieces(plan.GetNServers()),
          m_free(plan.GetNServers())
    {
        for (uint32_t s = plan.GetNServers(); s-- > 0;)
        {
            m_free[s] = budget.GetFree(s);
            if (m_free[s] > 0)
            {
                m_anchor = s;
                ++m_left;
            }
        }
    }

    void Build(const PlanRequest& request)
    {
        if (HasBytes(request.standing))
        {
            JoinAlong(RankPairs(*request.standing));
        }
        JoinAlong(RankPairs(request.demand, request.standing));
        JoinById();
        if (m_ring && m_left == 1 && m_plan.GetNServers() > 2)
        {
            Close();
        }
    }

  private:
    /// @param s server @return true when another circuit may start there
    bool IsOpen(uint32_t s) const
    {
        return m_budget.GetFree(s) > 0 && (!m_ring || m_plan.GetDegree(s) < 2);
    }

    /// @param a server @param b server @return true when they were joined
    bool Join(uint32_t a, uint32_t b)
    {
        const uint32_t x = m_pieces.Find(a);
        const uint32_t y = m_pieces.Find(b);
        // What is joined keeps a port for the rest, unless there is no rest.
        if (x == y || !IsOpen(a) || !IsOpen(b) || (m_left > 2 && m_free[x] + m_free[y] < 3) ||
            !m_budget.Take(a, b, m_plan))
        {
            return false;
        }
        m_pieces.Join(a, b);
        m_free[m_pieces.Find(a)] = m_free[x] + m_free[y] - 2;
        --m_left;
        return true;
    }

    void JoinAlong(const std::vector<PairDemand>& pairs)
    {
        for (const PairDemand& p : pairs)
        {
            Join(p.a, p.b);
        }
    }

    /// Join what is left to the piece of the lowest server with ports, piece after piece.
    void JoinById()
    {
        for (bool joined = true; joined && m_left > 1;)
        {
            joined = false;
            for (uint32_t b = 0; b < m_plan.GetNServers() && m_left > 1; ++b)
            {
                for (uint32_t a = 0; a < m_plan.GetNServers() && IsOpen(b); ++a)
                {
                    if (m_pieces.Find(a) == m_pieces.Find(m_anchor) && Join(a, b))
                    {
                        joined = true;
                        break;
                    }
                }
            }
        }
    }

    /// Make a path a ring, if its ends still share a unit.
    void Close()
    {
        std::vector<uint32_t> ends;
        for (uint32_t s = 0; s < m_plan.GetNServers(); ++s)
        {
            if (IsOpen(s))
            {
                ends.push_back(s);
            }
        }
        if (ends.size() == 2)
        {
            m_budget.Take(ends[0], ends[1], m_plan);
        }
    }

    bool m_ring;                  //!< ring or tree
    PortBudget& m_budget;         //!< ports
    CircuitPlan& m_plan;          //!< what is built
    Pieces m_pieces;              //!< what is joined
    std::vector<uint32_t> m_free; //!< by leader of a piece: its free ports
    uint32_t m_left{0};           //!< pieces with ports at first
    uint32_t m_anchor{0};         //!< lowest server with ports
};

/// @param pairs all pairs with demand @param plan plan; throws when one has no way
void
CheckWays(const std::vector<PairDemand>& pairs, const CircuitPlan& plan)
{
    Pieces pieces(plan.GetNServers());
    for (const PlannedPair& p : plan.GetPairs())
    {
        pieces.Join(p.a, p.b);
    }
    for (const PairDemand& p : pairs)
    {
        if (pieces.Find(p.a) != pieces.Find(p.b))
        {
            throw InputError("static circuit plan",
                             "servers " + std::to_string(p.a) + " and " + std::to_string(p.b) +
                                 " exchange " + std::to_string(p.bytes) +
                                 " bytes but no way over circuits joins them",
                             "at least two healthy optical ports per server, on shared panels");
        }
    }
}

} // namespace

TypeId
StaticCircuitPlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::StaticCircuitPlanner")
            .SetParent<CircuitPlanner>()
            .SetGroupName("Mixnet")
            .AddConstructor<StaticCircuitPlanner>()
            .AddAttribute("Backbone",
                          "What connects all servers first: a ring or a tree.",
                          MixnetEnumValue<Backbone>(RING),
                          MakeMixnetEnumAccessor<Backbone>(&StaticCircuitPlanner::m_backbone),
                          MakeEnumChecker(RING, "ring", TREE, "tree"));
    return tid;
}

const char*
StaticCircuitPlanner::GetDuplexReason() const
{
    return "its backbone joins servers both ways";
}

CircuitPlan
StaticCircuitPlanner::DoPlan(const PlanRequest& request)
{
    CircuitPlan plan(static_cast<uint32_t>(request.demand.Rows()));
    PortBudget budget(request);
    BackboneBuilder(m_backbone == RING, budget, plan).Build(request);
    const std::vector<PairDemand> pairs = RankPairs(request.demand, request.standing);
    FillGreedily(pairs, GreedyCircuitPlanner::SKIP, GreedyCircuitPlanner::FEWEST, budget, plan);
    CheckWays(pairs, plan);
    return plan;
}

} // namespace ns3
