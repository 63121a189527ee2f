/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-planner.h"

#include "useful-circuits.h"

#include "ns3/boolean.h"
#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CircuitPlanner);

TypeId
CircuitPlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CircuitPlanner")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddAttribute("KeepUseful",
                          "Keep present circuits wherever the demand is over as soon with them.",
                          BooleanValue(false),
                          MakeBooleanAccessor(&CircuitPlanner::m_keepUseful),
                          MakeBooleanChecker())
            .AddAttribute("KeepTolerance",
                          "With KeepUseful: how much later the demand may be over, in percent.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&CircuitPlanner::m_keepTolerance),
                          MakeUintegerChecker<uint32_t>(0, 1000))
            .AddAttribute("PlanningTime",
                          "Simulated time from the demand to the plan; 0: planning is free, as in "
                          "the paper. The manual lists measured times.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&CircuitPlanner::m_planningTime),
                          MakeTimeChecker(Time(0)));
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
    MIXNET_CHECK(request.current.GetKind() == request.kind || request.current.GetTotal() == 0,
                 "present circuits of another kind than the planned ones");
    RequireKind(request.kind);
    CircuitPlan plan = DoPlan(request);
    if (m_keepUseful)
    {
        plan = KeepUsefulCircuits(request, plan, m_keepTolerance);
    }
    MIXNET_CHECK(plan.GetNServers() == servers && plan.GetKind() == request.kind,
                 "plan for another region or of another kind");
    PortTable left = request.freePorts;
    PortTable receivers = request.freePorts;
    PortTable& leftB = request.kind == CircuitKind::DUPLEX ? left : receivers;
    for (const PlannedPair& p : plan.GetPairs())
    {
        MIXNET_CHECK(p.unit < left.Columns() && left(p.a, p.unit) >= p.count &&
                         leftB(p.b, p.unit) >= p.count,
                     "more circuits than ports between servers " << p.a << " and " << p.b);
        left(p.a, p.unit) -= p.count;
        leftB(p.b, p.unit) -= p.count;
    }
    return plan;
}

const char*
CircuitPlanner::GetDuplexReason() const
{
    return "its circuits have no direction";
}

void
CircuitPlanner::RequireKind(CircuitKind kind) const
{
    if (kind == CircuitKind::SIMPLEX && GetDuplexReason() != nullptr)
    {
        throw InputError(GetInstanceTypeId().GetName(),
                         std::string("asked for simplex circuits: ") + GetDuplexReason(),
                         "duplex circuits, or another planner");
    }
}

Time
CircuitPlanner::GetPlanningTime() const
{
    return m_planningTime;
}

int64_t
CircuitPlanner::AssignStreams(int64_t /* stream */)
{
    return 0;
}

} // namespace ns3
