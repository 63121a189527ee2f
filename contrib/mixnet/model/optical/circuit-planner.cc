/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-planner.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CircuitPlanner);

TypeId
CircuitPlanner::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CircuitPlanner").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

CircuitPlan
CircuitPlanner::Plan(const PlanRequest& request)
{
    const std::size_t servers = request.freePorts.Rows();
    MIXNET_CHECK(request.demand.Rows() == servers && request.demand.Columns() == servers &&
                     (request.standing == nullptr || (request.standing->Rows() == servers &&
                                                      request.standing->Columns() == servers)),
                 "demand of " << request.demand.Rows() << " servers, ports of " << servers);
    const CircuitPlan plan = DoPlan(request);
    MIXNET_CHECK(plan.GetNServers() == servers, "plan for another region");
    PortTable left = request.freePorts;
    for (const PlannedPair& p : plan.GetPairs())
    {
        MIXNET_CHECK(p.unit < left.Columns() && left(p.a, p.unit) >= p.count &&
                         left(p.b, p.unit) >= p.count,
                     "more circuits than ports between servers " << p.a << " and " << p.b);
        left(p.a, p.unit) -= p.count;
        left(p.b, p.unit) -= p.count;
    }
    return plan;
}

int64_t
CircuitPlanner::AssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3
