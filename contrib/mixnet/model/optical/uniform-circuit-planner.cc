/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uniform-circuit-planner.h"

#include "port-budget.h"
#include "tournament.h"

#include "ns3/boolean.h"

#include <numeric>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(UniformCircuitPlanner);

TypeId
UniformCircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::UniformCircuitPlanner")
                            .SetParent<CircuitPlanner>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<UniformCircuitPlanner>()
                            .AddAttribute("Random",
                                          "Shuffle servers and rounds.",
                                          BooleanValue(false),
                                          MakeBooleanAccessor(&UniformCircuitPlanner::m_random),
                                          MakeBooleanChecker());
    return tid;
}

UniformCircuitPlanner::UniformCircuitPlanner()
    : m_uniform(CreateObject<UniformRandomVariable>())
{
}

int64_t
UniformCircuitPlanner::AssignStreams(int64_t stream)
{
    m_uniform->SetStream(stream);
    return 1;
}

std::vector<uint32_t>
UniformCircuitPlanner::Order(uint32_t n)
{
    std::vector<uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    for (uint32_t i = n; m_random && i > 1; --i)
    {
        std::swap(order[i - 1], order[m_uniform->GetInteger(0, i - 1)]);
    }
    return order;
}

const char*
UniformCircuitPlanner::GetDuplexReason() const
{
    return nullptr;
}

CircuitPlan
UniformCircuitPlanner::DoPlan(const PlanRequest& request)
{
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    CircuitPlan plan = request.MakePlan();
    PortBudget budget(request);
    const std::vector<uint32_t> server = Order(servers);
    const std::vector<uint32_t> rounds = Order(CountRounds(servers, request.kind));
    for (bool served = true; served;)
    {
        served = false;
        for (const uint32_t round : rounds)
        {
            for (const Meeting& m : GetRound(servers, round, request.kind))
            {
                served |= budget.Take(server[m.x], server[m.y], plan);
            }
        }
    }
    return plan;
}

} // namespace ns3
