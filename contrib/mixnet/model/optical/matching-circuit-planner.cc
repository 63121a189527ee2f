/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "matching-circuit-planner.h"

#include "greedy-circuit-planner.h"
#include "port-budget.h"
#include "weighted-matching.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(MatchingCircuitPlanner);

namespace
{

/// Throws when LEMON is missing.
void
RequireLemon()
{
    if (!HasLemon())
    {
        throw InputError("ns3::MatchingCircuitPlanner",
                         "this build has no LEMON, whose matchings it needs",
                         "another planner, or a new build with the Debian package liblemon-dev");
    }
}

/// @param bytes demand, not 0 @param circuits circuits so far @return what one more is worth
uint64_t
GetWorth(uint64_t bytes, uint32_t circuits)
{
    return std::max<uint64_t>(1, bytes / (circuits + 1));
}

} // namespace

TypeId
MatchingCircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MatchingCircuitPlanner")
                            .SetParent<CircuitPlanner>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<MatchingCircuitPlanner>();
    return tid;
}

const char*
MatchingCircuitPlanner::GetDuplexReason() const
{
    return nullptr;
}

CircuitPlan
MatchingCircuitPlanner::DoPlan(const PlanRequest& request)
{
    RequireLemon();
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    const bool simplex = request.kind == CircuitKind::SIMPLEX;
    // An assignment is a matching of senders with receivers; those come behind.
    const uint32_t shift = simplex ? servers : 0;
    const std::vector<PairDemand> pairs = RankPairs(request.demand, nullptr, request.kind);
    CircuitPlan plan = request.MakePlan();
    PortBudget budget(request);
    std::vector<WeightedEdge> edges;
    do
    {
        edges.clear();
        for (const PairDemand& p : pairs)
        {
            if (budget.CanServe(p.a, p.b))
            {
                edges.push_back({p.a, shift + p.b, GetWorth(p.bytes, plan.GetCount(p.a, p.b))});
            }
        }
        const std::vector<uint32_t> partner = FindMaximumWeightMatching(servers + shift, edges);
        for (uint32_t a = 0; a < servers; ++a)
        {
            if (a < partner[a])
            {
                budget.Take(a, partner[a] - shift, plan);
            }
        }
    } while (!edges.empty());
    return plan;
}

Matrix<uint32_t>
PlanSimplexCircuits(const DemandMatrix& demand, const std::vector<uint32_t>& ports)
{
    const auto servers = static_cast<uint32_t>(demand.Rows());
    MIXNET_CHECK(demand.Columns() == servers && ports.size() == servers,
                 "demand and ports of different regions");
    PortTable table(servers, 1, 0);
    for (uint32_t s = 0; s < servers; ++s)
    {
        table(s, 0) = ports[s];
    }
    const CircuitPlan none(servers, CircuitKind::SIMPLEX);
    const CircuitPlan plan = CreateObject<MatchingCircuitPlanner>()->Plan(
        {demand, table, none, nullptr, nullptr, CircuitKind::SIMPLEX});
    Matrix<uint32_t> circuits(servers, servers, 0);
    for (const PlannedPair& p : plan.GetPairs())
    {
        circuits(p.a, p.b) += p.count;
    }
    return circuits;
}

} // namespace ns3
