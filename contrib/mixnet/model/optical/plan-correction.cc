/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-correction.h"

#include <map>
#include <optional>
#include <tuple>

namespace ns3
{

namespace
{

/// Ends and unit of circuits, as in PlannedPair.
using Pair = std::tuple<uint32_t, uint32_t, uint32_t>;
/// Number of circuits by pair and unit.
using Counts = std::map<Pair, uint32_t>;

/// @param plan a plan @return its circuits
Counts
Count(const CircuitPlan& plan)
{
    Counts counts;
    for (const PlannedPair& p : plan.GetPairs())
    {
        counts[{p.a, p.b, p.unit}] = p.count;
    }
    return counts;
}

/// @param counts circuits @param like plan of the same servers and kind @return the plan
CircuitPlan
Make(const Counts& counts, const CircuitPlan& like)
{
    CircuitPlan plan(like.GetNServers(), like.GetKind());
    for (const auto& [pair, count] : counts)
    {
        if (count > 0)
        {
            plan.Add(std::get<0>(pair), std::get<1>(pair), std::get<2>(pair), count);
        }
    }
    return plan;
}

/// @param counts circuits @param pair a pair @return its circuits
uint32_t
Get(const Counts& counts, const Pair& pair)
{
    const auto it = counts.find(pair);
    return it == counts.end() ? 0 : it->second;
}

/// A step from a plan to another one.
class Step
{
  public:
    /// @param wanted where to @param duplex kind of circuits @param healthy ports @param demand
    /// bytes
    Step(const Counts& wanted, bool duplex, const PortTable& healthy, const DemandMatrix& demand)
        : m_wanted(wanted),
          m_duplex(duplex),
          m_healthy(healthy),
          m_demand(demand)
    {
    }

    /// @param counts in: circuits; out: with one more of a pair @param pair the pair
    /// @return false when there is no port for it
    bool Add(Counts& counts, const Pair& pair) const
    {
        ++counts[pair];
        return Fit(counts, std::get<0>(pair), std::get<2>(pair), true) &&
               Fit(counts, std::get<1>(pair), std::get<2>(pair), m_duplex);
    }

  private:
    /// @param pair a pair @param server a server @param out its light goes out of it
    /// @return true when a circuit of the pair takes a port of the server
    bool Takes(const Pair& pair, uint32_t server, bool out) const
    {
        return m_duplex ? std::get<0>(pair) == server || std::get<1>(pair) == server
                        : (out ? std::get<0>(pair) : std::get<1>(pair)) == server;
    }

    /// Remove a circuit of an end that has too many. @return false when none may go
    bool Fit(Counts& counts, uint32_t server, uint32_t unit, bool out) const
    {
        uint32_t used = 0;
        std::optional<Pair> least;
        double bytes = 0;
        for (const auto& [pair, count] : counts)
        {
            if (count == 0 || std::get<2>(pair) != unit || !Takes(pair, server, out))
            {
                continue;
            }
            used += count;
            const auto& [a, b, ignored] = pair;
            const auto both = static_cast<double>(m_demand(a, b)) +
                              (m_duplex ? static_cast<double>(m_demand(b, a)) : 0);
            if (count > Get(m_wanted, pair) && (!least || both / count < bytes))
            {
                least = pair;
                bytes = both / count;
            }
        }
        if (used <= m_healthy(server, unit))
        {
            return true;
        }
        if (least)
        {
            --counts[*least];
        }
        return least.has_value();
    }

    const Counts& m_wanted;       //!< where to
    bool m_duplex;                //!< kind of circuits
    const PortTable& m_healthy;   //!< ports
    const DemandMatrix& m_demand; //!< bytes
};

} // namespace

CircuitPlan
CorrectPlan(const CircuitPlan& current,
            const CircuitPlan& wanted,
            const PortTable& healthy,
            const DemandMatrix& demand,
            const RegionRates& rates,
            uint32_t most)
{
    const Counts goal = Count(wanted);
    const Step step(goal, current.GetKind() == CircuitKind::DUPLEX, healthy, demand);
    Counts counts = Count(current);
    CircuitPlan best = current;
    PlanLoad shortest = FindSlowest(demand, current, rates);
    for (uint32_t i = 0; i < most; ++i)
    {
        std::optional<Counts> next;
        PlanLoad nextLoad;
        for (const auto& [pair, count] : goal)
        {
            Counts candidate = counts;
            if (count <= Get(counts, pair) || !step.Add(candidate, pair))
            {
                continue;
            }
            const PlanLoad load = FindSlowest(demand, Make(candidate, current), rates);
            if (!next || load < nextLoad)
            {
                next = candidate;
                nextLoad = load;
            }
        }
        if (!next)
        {
            break;
        }
        counts = *next;
        if (nextLoad < shortest)
        {
            shortest = nextLoad;
            best = Make(counts, current);
        }
    }
    return best;
}

} // namespace ns3
