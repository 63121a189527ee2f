/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "exhaustive-circuit-planner.h"

#include "finish-bound.h"
#include "greedy-circuit-planner.h"
#include "plan-objective.h"
#include "port-budget.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ExhaustiveCircuitPlanner);

namespace
{

/// Finds a plan that is over before a bound, or proves that there is none.
class PlanSearch
{
  public:
    explicit PlanSearch(const PlanRequest& request)
        : m_request(request),
          m_demand(request.demand),
          m_pairs(RankPairs(request.demand)),
          m_counts(m_pairs.size(), 0),
          m_needed(m_pairs.size(), 0),
          m_packet(request.demand.Rows(), 0),
          m_out(request.demand.Rows(), 0),
          m_in(request.demand.Rows(), 0)
    {
        for (std::size_t s = 0; s < request.demand.Rows(); ++s)
        {
            m_free.push_back(request.freePorts(s, 0));
        }
    }

    /// @param bound to beat @return true when a plan beats it; GetPlan() is one
    bool Beat(const PlanLoad& bound)
    {
        const FinishBound beat(m_request, bound);
        for (std::size_t p = 0; p < m_pairs.size(); ++p)
        {
            m_needed[p] = beat.CountCircuits(m_pairs[p].a, m_pairs[p].b);
        }
        for (uint32_t s = 0; s < m_free.size(); ++s)
        {
            m_packet[s] = beat.GetPacketBytes(s);
        }
        return Extend(0);
    }

    /// @return what the last successful Beat() found
    const CircuitPlan& GetPlan() const
    {
        return m_plan;
    }

  private:
    /// @param p a pair @param on true: add its bytes to the EPS, false: take them off
    void Load(const PairDemand& p, bool on)
    {
        const uint64_t forth = on ? m_demand(p.a, p.b) : -m_demand(p.a, p.b);
        const uint64_t back = on ? m_demand(p.b, p.a) : -m_demand(p.b, p.a);
        m_out[p.a] += forth;
        m_in[p.b] += forth;
        m_out[p.b] += back;
        m_in[p.a] += back;
    }

    /// @param server server @return true when its bytes over the EPS are over before the bound
    bool FitsPackets(uint32_t server) const
    {
        return std::max(m_out[server], m_in[server]) <= m_packet[server];
    }

    /// @param k pairs before it are settled @return true when the others can be settled too
    bool Extend(std::size_t k)
    {
        if (k == m_pairs.size())
        {
            m_plan = CircuitPlan(static_cast<uint32_t>(m_free.size()));
            for (std::size_t p = 0; p < k; ++p)
            {
                if (m_counts[p] > 0)
                {
                    m_plan.Add(m_pairs[p].a, m_pairs[p].b, 0, m_counts[p]);
                }
            }
            return true;
        }
        const PairDemand& p = m_pairs[k];
        const uint32_t needed = m_needed[k];
        bool found = false;
        if (needed > 0 && needed <= std::min(m_free[p.a], m_free[p.b]))
        {
            m_counts[k] = needed;
            m_free[p.a] -= m_counts[k];
            m_free[p.b] -= m_counts[k];
            found = Extend(k + 1);
            m_free[p.a] += m_counts[k];
            m_free[p.b] += m_counts[k];
            m_counts[k] = 0;
        }
        if (!found)
        {
            Load(p, true);
            found = FitsPackets(p.a) && FitsPackets(p.b) && Extend(k + 1);
            Load(p, false);
        }
        return found;
    }

    const PlanRequest& m_request;    //!< what is asked
    const DemandMatrix& m_demand;    //!< bytes
    std::vector<PairDemand> m_pairs; //!< with demand, largest first: they decide most
    std::vector<uint32_t> m_counts;  //!< by pair: circuits
    std::vector<uint32_t> m_needed;  //!< by pair: circuits that beat the bound; 0: none do
    std::vector<uint64_t> m_packet;  //!< by server: bytes that beat the bound over the EPS
    std::vector<uint32_t> m_free;    //!< by server: ports
    std::vector<uint64_t> m_out;     //!< by server: bytes sent over the EPS
    std::vector<uint64_t> m_in;      //!< by server: bytes received over the EPS
    CircuitPlan m_plan;              //!< last one found
};

} // namespace

TypeId
ExhaustiveCircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ExhaustiveCircuitPlanner")
                            .SetParent<CircuitPlanner>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<ExhaustiveCircuitPlanner>();
    return tid;
}

const char*
ExhaustiveCircuitPlanner::GetDuplexReason() const
{
    return "it searches pairs of servers, and directions are twice as many";
}

CircuitPlan
ExhaustiveCircuitPlanner::DoPlan(const PlanRequest& request)
{
    MIXNET_CHECK(request.rates != nullptr, "exhaustive planner without rates");
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    if (servers > MAX_SERVERS || request.freePorts.Columns() != 1)
    {
        throw InputError("exhaustive circuit planner",
                         "a region of " + std::to_string(servers) + " servers and " +
                             std::to_string(request.freePorts.Columns()) + " OCS units",
                         "up to " + std::to_string(MAX_SERVERS) + " servers on one OCS unit");
    }
    CircuitPlan best(servers);
    PlanLoad bound{1, 0}; // stuck: every way is better
    for (PlanSearch search(request); search.Beat(bound);)
    {
        best = search.GetPlan();
        bound = FindSlowest(request.demand, best, *request.rates);
        if (bound.bytes == 0)
        {
            break;
        }
    }
    std::vector<PairDemand> pairs = RankPairs(request.demand);
    if (!bound.IsStuck())
    {
        pairs.erase(
            std::remove_if(pairs.begin(),
                           pairs.end(),
                           [&best](const PairDemand& p) { return best.GetCount(p.a, p.b) == 0; }),
            pairs.end());
    }
    CircuitPlan plan(servers);
    PortBudget budget(request);
    for (const PlannedPair& p : best.GetPairs())
    {
        for (uint32_t c = 0; c < p.count; ++c)
        {
            budget.Take(p.a, p.b, plan);
        }
    }
    FillGreedily(pairs, GreedyCircuitPlanner::SKIP, GreedyCircuitPlanner::FEWEST, budget, plan);
    return plan;
}

} // namespace ns3
