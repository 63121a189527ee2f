/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "birkhoff-circuit-planner.h"

#include "birkhoff-schedule.h"
#include "port-budget.h"

#include <algorithm>
#include <queue>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(BirkhoffCircuitPlanner);

namespace
{

/// 128 bits: bytes x grants may pass 64.
__extension__ using Wide = unsigned __int128;

/// A slot in the queue for ports.
struct Claim
{
    uint64_t bytes{0};    //!< length
    uint32_t grants{0};   //!< so far
    std::size_t index{0}; //!< of the slot
};

/// Order of a max-heap: true when x comes after y.
struct GrantedLater
{
    bool operator()(const Claim& x, const Claim& y) const
    {
        const Wide left = Wide(x.bytes) * (y.grants + 1);
        const Wide right = Wide(y.bytes) * (x.grants + 1);
        return left != right ? left < right : x.index > y.index;
    }
};

} // namespace

TypeId
BirkhoffCircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::BirkhoffCircuitPlanner")
                            .SetParent<CircuitPlanner>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<BirkhoffCircuitPlanner>();
    return tid;
}

const char*
BirkhoffCircuitPlanner::GetDuplexReason() const
{
    return nullptr;
}

CircuitPlan
BirkhoffCircuitPlanner::DoPlan(const PlanRequest& request)
{
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    const bool simplex = request.kind == CircuitKind::SIMPLEX;
    DemandMatrix both(servers, servers, 0);
    for (uint32_t i = 0; i < servers; ++i)
    {
        for (uint32_t j = 0; j < servers; ++j)
        {
            both(i, j) = i == j ? 0 : request.demand(i, j) + (simplex ? 0 : request.demand(j, i));
        }
    }
    const BirkhoffSchedule schedule = DecomposeDemand(both);
    std::priority_queue<Claim, std::vector<Claim>, GrantedLater> claims;
    for (std::size_t s = 0; s < schedule.slots.size(); ++s)
    {
        claims.push({schedule.slots[s].bytes, 0, s});
    }
    CircuitPlan plan = request.MakePlan();
    PortBudget budget(request);
    while (!claims.empty())
    {
        Claim claim = claims.top();
        claims.pop();
        const std::vector<uint32_t>& to = schedule.slots[claim.index].to;
        bool granted = false;
        for (uint32_t i = 0; i < servers; ++i)
        {
            // Both ways between two servers are one duplex circuit.
            const bool twice = !simplex && to[to[i]] == i && to[i] < i;
            granted |= !twice && both(i, to[i]) > 0 && budget.Take(i, to[i], plan);
        }
        ++claim.grants;
        if (granted)
        {
            claims.push(claim);
        }
    }
    return plan;
}

} // namespace ns3
