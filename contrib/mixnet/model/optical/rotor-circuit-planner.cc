/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rotor-circuit-planner.h"

#include "port-budget.h"
#include "tournament.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RotorCircuitPlanner);

TypeId
RotorCircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RotorCircuitPlanner")
                            .SetParent<CircuitPlanner>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RotorCircuitPlanner>();
    return tid;
}

const char*
RotorCircuitPlanner::GetDuplexReason() const
{
    return nullptr;
}

CircuitPlan
RotorCircuitPlanner::DoPlan(const PlanRequest& request)
{
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    const uint32_t rounds = CountRounds(servers, request.kind);
    CircuitPlan plan = request.MakePlan();
    PortBudget budget(request);
    uint32_t alpha = 0;
    for (uint32_t s = 0; s < servers; ++s)
    {
        alpha = std::max(alpha, budget.GetFree(s));
    }
    for (uint32_t k = 0; k < alpha && rounds > 0; ++k)
    {
        for (const Meeting& m : GetRound(servers, m_round, request.kind))
        {
            budget.Take(m.x, m.y, plan);
        }
        m_round = (m_round + 1) % rounds;
    }
    return plan;
}

} // namespace ns3
