/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "useful-circuits.h"

#include "plan-objective.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <tuple>
#include <vector>

namespace ns3
{

namespace
{

/// Circuits of a pair on a unit that only one of two plans has.
using Excess = std::vector<PlannedPair>;

/// @param x a plan @param y another one @return what x has more than y
Excess
Subtract(const CircuitPlan& x, const CircuitPlan& y)
{
    const std::vector<PlannedPair> less = y.GetPairs();
    Excess excess = x.GetPairs();
    for (PlannedPair& p : excess)
    {
        const auto it =
            std::lower_bound(less.begin(),
                             less.end(),
                             p,
                             [](const PlannedPair& l, const PlannedPair& r) {
                                 return std::tie(l.a, l.b, l.unit) < std::tie(r.a, r.b, r.unit);
                             });
        if (it != less.end() && std::tie(it->a, it->b, it->unit) == std::tie(p.a, p.b, p.unit))
        {
            p.count -= std::min(p.count, it->count);
        }
    }
    excess.erase(std::remove_if(excess.begin(),
                                excess.end(),
                                [](const PlannedPair& p) { return p.count == 0; }),
                 excess.end());
    return excess;
}

/// A plan under change, and whether its demand is still over in time.
class Swaps
{
  public:
    Swaps(const PlanRequest& request, const CircuitPlan& plan, const PlanLoad& bound)
        : m_demand(request.demand),
          m_rates(*request.rates),
          m_bound(bound),
          m_simplex(request.kind == CircuitKind::SIMPLEX),
          m_counts(plan.GetNServers(), plan.GetNServers(), 0),
          m_free(request.freePorts),
          m_freeIn(m_simplex ? request.freePorts : PortTable()),
          m_out(plan.GetNServers(), 0),
          m_in(plan.GetNServers(), 0),
          m_added(Subtract(plan, request.current))
    {
        for (uint32_t i = 0; i < plan.GetNServers(); ++i)
        {
            for (uint32_t j = 0; j < plan.GetNServers(); ++j)
            {
                m_counts(i, j) = plan.GetCount(i, j);
                if (i != j && m_counts(i, j) == 0)
                {
                    m_out[i] += m_demand(i, j);
                    m_in[j] += m_demand(i, j);
                }
            }
        }
        for (const PlannedPair& p : plan.GetPairs())
        {
            m_free(p.a, p.unit) -= p.count;
            FreeAtB()(p.b, p.unit) -= p.count;
        }
    }

    /// @param p a circuit to put back @return true when it is in the plan again
    bool Restore(const PlannedPair& p)
    {
        Change(p, 1);
        const bool done = MakeRoom(p.a, p.unit, m_free, [&] {
            return MakeRoom(p.b, p.unit, FreeAtB(), [&] { return IsInTime(p); });
        });
        if (!done)
        {
            Change(p, -1);
        }
        return done;
    }

    /// @return new circuits that are left
    const Excess& GetAdded() const
    {
        return m_added;
    }

  private:
    /// Give a server its port back at the cost of a new circuit, if it lacks one.
    /// @tparam Then what must hold then @param server server @param unit unit @param free m_free or
    /// m_freeIn @param then the test @return true when it holds; else nothing is changed
    template <class Then>
    bool MakeRoom(uint32_t server, uint32_t unit, const PortTable& free, const Then& then)
    {
        if (free(server, unit) != NO_PORT)
        {
            return then();
        }
        const bool atA = !m_simplex || &free == &m_free;
        const bool atB = !m_simplex || !atA;
        for (PlannedPair& p : m_added)
        {
            if (p.count > 0 && p.unit == unit && ((atA && p.a == server) || (atB && p.b == server)))
            {
                --p.count;
                Change(p, -1);
                if (IsInTime(p) && then())
                {
                    return true;
                }
                Change(p, 1);
                ++p.count;
            }
        }
        return false;
    }

    /// @param p a pair on a unit @param by circuits more, 1 or -1
    void Change(const PlannedPair& p, int by)
    {
        const uint32_t before = m_counts(p.a, p.b);
        m_counts(p.a, p.b) += by;
        m_counts(p.b, p.a) += m_simplex ? 0 : by;
        m_free(p.a, p.unit) -= by;
        FreeAtB()(p.b, p.unit) -= by;
        const uint32_t after = m_counts(p.a, p.b);
        if (before == 0 || after == 0)
        {
            const uint64_t forth = after == 0 ? m_demand(p.a, p.b) : -m_demand(p.a, p.b);
            const uint64_t opposite = m_simplex ? 0 : m_demand(p.b, p.a);
            const uint64_t back = after == 0 ? opposite : -opposite;
            m_out[p.a] += forth;
            m_in[p.b] += forth;
            m_out[p.b] += back;
            m_in[p.a] += back;
        }
    }

    /// @param bytes bytes @param rate their rate @return true when they are over in time
    bool IsInTime(uint64_t bytes, uint64_t rate) const
    {
        return bytes == 0 || !(m_bound < PlanLoad{bytes, rate});
    }

    /// @param p a pair that changed @return true when its own bytes and the EPS are in time
    bool IsInTime(const PlannedPair& p) const
    {
        const uint64_t bytes = std::max(m_demand(p.a, p.b), m_simplex ? 0 : m_demand(p.b, p.a));
        const uint64_t rate =
            std::min(m_rates.circuit[p.a].GetBitRate(), m_rates.circuit[p.b].GetBitRate());
        const uint64_t a = m_rates.packet[p.a].GetBitRate();
        const uint64_t b = m_rates.packet[p.b].GetBitRate();
        const uint32_t circuits = m_counts(p.a, p.b);
        return (circuits == 0 || IsInTime(bytes, rate * circuits)) && IsInTime(m_out[p.a], a) &&
               IsInTime(m_in[p.a], a) && IsInTime(m_out[p.b], b) && IsInTime(m_in[p.b], b);
    }

    /// @return ports that circuits take at their server b
    PortTable& FreeAtB()
    {
        return m_simplex ? m_freeIn : m_free;
    }

    static constexpr uint32_t NO_PORT = UINT32_MAX; //!< one less than none

    const DemandMatrix& m_demand; //!< bytes
    const RegionRates& m_rates;   //!< rates
    PlanLoad m_bound;             //!< latest end
    bool m_simplex;               //!< kind of circuits
    Matrix<uint32_t> m_counts;    //!< circuits; duplex: symmetric
    PortTable m_free;             //!< ports left; NO_PORT while one is missing
    PortTable m_freeIn;           //!< simplex: receivers left; m_free: transmitters
    std::vector<uint64_t> m_out;  //!< by server: bytes sent over the EPS
    std::vector<uint64_t> m_in;   //!< by server: bytes received over the EPS
    Excess m_added;               //!< new circuits
};

} // namespace

CircuitPlan
KeepUsefulCircuits(const PlanRequest& request, const CircuitPlan& plan, uint32_t tolerance)
{
    MIXNET_CHECK(request.rates != nullptr, "circuits cannot be weighed without rates");
    PlanLoad bound = FindSlowest(request.demand, plan, *request.rates);
    if (bound.IsStuck())
    {
        return plan;
    }
    if (tolerance > 0)
    {
        bound = {bound.bytes * (100 + tolerance), bound.rate * 100};
    }
    Swaps swaps(request, plan, bound);
    CircuitPlan kept(plan.GetNServers(), plan.GetKind());
    // What both plans have, what comes back, what is still new.
    for (const PlannedPair& p : plan.GetPairs())
    {
        const Excess& added = swaps.GetAdded();
        const auto it = std::find_if(added.begin(), added.end(), [&p](const PlannedPair& x) {
            return std::tie(x.a, x.b, x.unit) == std::tie(p.a, p.b, p.unit);
        });
        const uint32_t fresh = it == added.end() ? 0 : it->count;
        if (p.count > fresh)
        {
            kept.Add(p.a, p.b, p.unit, p.count - fresh);
        }
    }
    for (const PlannedPair& p : Subtract(request.current, plan))
    {
        for (uint32_t c = 0; c < p.count && swaps.Restore(p); ++c)
        {
            kept.Add(p.a, p.b, p.unit);
        }
    }
    for (const PlannedPair& p : swaps.GetAdded())
    {
        if (p.count > 0)
        {
            kept.Add(p.a, p.b, p.unit, p.count);
        }
    }
    return kept;
}

uint32_t
CountChanges(const CircuitPlan& from, const CircuitPlan& to)
{
    uint32_t changes = 0;
    for (const Excess& side : {Subtract(from, to), Subtract(to, from)})
    {
        for (const PlannedPair& p : side)
        {
            changes += p.count;
        }
    }
    return changes;
}

} // namespace ns3
