/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "uniform-circuit-planner.h"

#include "port-budget.h"

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

CircuitPlan
UniformCircuitPlanner::DoPlan(const PlanRequest& request)
{
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    CircuitPlan plan(servers);
    PortBudget budget(request);
    const uint32_t seats = servers + servers % 2; // the last seat of an odd number is empty
    const std::vector<uint32_t> server = Order(servers);
    const std::vector<uint32_t> rounds = Order(seats > 0 ? seats - 1 : 0);
    for (bool served = true; served;)
    {
        served = false;
        for (const uint32_t round : rounds)
        {
            // Circle method: seat n-1 stays, the others turn.
            for (uint32_t k = 0; k < seats / 2; ++k)
            {
                const uint32_t x = k == 0 ? seats - 1 : (round + k) % (seats - 1);
                const uint32_t y = (round + seats - 1 - k) % (seats - 1);
                if (x < servers && y < servers && budget.Take(server[x], server[y], plan))
                {
                    served = true;
                }
            }
        }
    }
    return plan;
}

} // namespace ns3
