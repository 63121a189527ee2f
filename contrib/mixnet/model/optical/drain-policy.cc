/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "drain-policy.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DrainPolicy);
NS_OBJECT_ENSURE_REGISTERED(FullDrainPolicy);
NS_OBJECT_ENSURE_REGISTERED(ImmediateDrainPolicy);
NS_OBJECT_ENSURE_REGISTERED(MakeBeforeBreakDrainPolicy);

TypeId
DrainPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DrainPolicy").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

TypeId
FullDrainPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FullDrainPolicy")
                            .SetParent<DrainPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<FullDrainPolicy>();
    return tid;
}

std::vector<SwitchingStep>
FullDrainPolicy::Split(const PlanChange& change, const FabricGraph& /* graph */) const
{
    return {{change.added, change.removed, change.fibers, true}};
}

TypeId
ImmediateDrainPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ImmediateDrainPolicy")
                            .SetParent<DrainPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<ImmediateDrainPolicy>();
    return tid;
}

std::vector<SwitchingStep>
ImmediateDrainPolicy::Split(const PlanChange& change, const FabricGraph& /* graph */) const
{
    return {{change.added, change.removed, change.fibers, false}};
}

TypeId
MakeBeforeBreakDrainPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::MakeBeforeBreakDrainPolicy")
                            .SetParent<DrainPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<MakeBeforeBreakDrainPolicy>();
    return tid;
}

std::vector<SwitchingStep>
MakeBeforeBreakDrainPolicy::Split(const PlanChange& change, const FabricGraph& graph) const
{
    SwitchingStep make;
    make.drain = false;
    SwitchingStep rest;
    rest.removed = change.removed;
    for (const Circuit& c : change.added)
    {
        std::vector<Circuit> inTheWay;
        ListInTheWay(graph, c, inTheWay);
        (inTheWay.empty() ? make : rest).added.push_back(c);
    }
    const auto uses = [&graph](const std::vector<Circuit>& circuits, EdgeId e) {
        return std::any_of(circuits.begin(), circuits.end(), [&](const Circuit& c) {
            return graph.GetEdge(c.ocs, c.portA) == e || graph.GetEdge(c.ocs, c.portB) == e;
        });
    };
    for (const EdgeId e : change.fibers)
    {
        const bool first = uses(make.added, e);
        if (first)
        {
            make.fibers.push_back(e);
        }
        // the halves of a port may belong to simplex circuits of both steps
        if (!first || uses(rest.added, e) || uses(rest.removed, e))
        {
            rest.fibers.push_back(e);
        }
    }
    std::vector<SwitchingStep> steps;
    for (SwitchingStep* step : {&make, &rest})
    {
        if (!step->added.empty() || !step->removed.empty())
        {
            steps.push_back(std::move(*step));
        }
    }
    return steps;
}

} // namespace ns3
