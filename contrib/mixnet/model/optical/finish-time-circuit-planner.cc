/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "finish-time-circuit-planner.h"

#include "packet-relief.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FinishTimeCircuitPlanner);

namespace
{

/// 128 bits: bytes x rate overflows 64.
__extension__ using Wide = unsigned __int128;

constexpr uint64_t PRECISION = 1024; //!< of the search, as a share of the finish time

/// @param load a finish time, not stuck @param rate another rate
/// @return the least bytes that take longer at that rate
uint64_t
ScaleUp(const PlanLoad& load, uint64_t rate)
{
    return static_cast<uint64_t>(Wide(load.bytes) * rate / load.rate) + 1;
}

/**
 * Give the ports left over to pairs that are not later with them than the plan.
 *
 * @param request request @param pairs ranked @param plan plan @param bound its finish time
 * @return the plan with more circuits
 */
CircuitPlan
FillInTime(const PlanRequest& request,
           const std::vector<PairDemand>& pairs,
           const CircuitPlan& plan,
           const PlanLoad& bound)
{
    CircuitPlan filled(plan.GetNServers());
    PortBudget budget(request);
    for (const PlannedPair& p : plan.GetPairs())
    {
        budget.TakeAt(p, filled);
    }
    const FinishBound beat(request, bound);
    std::vector<PairDemand> served;
    for (const PairDemand& p : pairs)
    {
        const uint32_t needed = beat.CountCircuits(p.a, p.b);
        if (filled.GetCount(p.a, p.b) == 0 && needed > 0 &&
            needed <= budget.CountServable(p.a, p.b))
        {
            for (uint32_t c = 0; c < needed; ++c)
            {
                budget.Take(p.a, p.b, filled);
            }
        }
        if (filled.GetCount(p.a, p.b) > 0)
        {
            served.push_back(p);
        }
    }
    FillGreedily(served, GreedyCircuitPlanner::SKIP, GreedyCircuitPlanner::FEWEST, budget, filled);
    return filled;
}

} // namespace

TypeId
FinishTimeCircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FinishTimeCircuitPlanner")
                            .SetParent<CircuitPlanner>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<FinishTimeCircuitPlanner>();
    return tid;
}

const char*
FinishTimeCircuitPlanner::GetDuplexReason() const
{
    return "it weighs pairs of servers, both directions on one circuit";
}

CircuitPlan
FinishTimeCircuitPlanner::DoPlan(const PlanRequest& request)
{
    MIXNET_CHECK(request.rates != nullptr, "circuits cannot be weighed without rates");
    const std::vector<PairDemand> pairs = RankPairs(request.demand);
    CircuitPlan best(static_cast<uint32_t>(request.demand.Rows()));
    PortBudget budget(request);
    FillGreedily(pairs, GreedyCircuitPlanner::SKIP, GreedyCircuitPlanner::FEWEST, budget, best);
    PlanLoad bound = FindSlowest(request.demand, best, *request.rates);
    PacketRelief relief(request, pairs);
    bool found = false;
    const auto beat = [&](const PlanLoad& wanted) {
        const std::optional<CircuitPlan> plan = relief.Beat(wanted);
        if (plan)
        {
            best = *plan;
            bound = FindSlowest(request.demand, best, *request.rates);
            found = true;
        }
        return plan.has_value();
    };
    if (bound.IsStuck() && !beat(bound))
    {
        return best;
    }
    const uint64_t rate = bound.rate;
    uint64_t low = 0;
    uint64_t high = bound.bytes;
    while (high - low > high / PRECISION + 1)
    {
        const uint64_t middle = low + (high - low) / 2;
        if (beat({middle, rate}))
        {
            high = std::min(middle, ScaleUp(bound, rate));
            low = std::min(low, high);
        }
        else
        {
            low = middle;
        }
    }
    return found ? FillInTime(request, pairs, best, bound) : best;
}

} // namespace ns3
