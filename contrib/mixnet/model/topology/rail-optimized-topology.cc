/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rail-optimized-topology.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RailOptimizedTopology);

TypeId
RailOptimizedTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RailOptimizedTopology")
                            .SetParent<ClosTopology>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RailOptimizedTopology>();
    return tid;
}

std::string
RailOptimizedTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    const uint32_t rails = cluster.GetMaxNics();
    const uint32_t servers = cluster.GetNServers();
    const ClosRequest request = GetRequest(cluster.GetNNics());
    ClosPlan plan;
    if (rails == 1)
    {
        plan = PlanClos(servers, request);
    }
    else
    {
        if (request.tiers == 1)
        {
            throw InputError("Tiers", "several rails on one tier", "2, 3 or 0 (automatic)");
        }
        const uint32_t group = SplitLeaf(request.radix, request.ratio).down;
        const uint32_t groups = (servers + group - 1) / group;
        plan = PlanClosOverLeaves(groups * rails, rails, request);
    }
    const std::vector<VertexId> leaves = AddSwitches(plan, graph);
    for (uint32_t s = 0; s < servers; ++s)
    {
        for (uint32_t rail = 0; rail < cluster.GetNics(s); ++rail)
        {
            graph.AddEdge(graph.GetVertex(ServerId(s)),
                          leaves[s / plan.leafDown * rails + rail],
                          GetPacketEdge());
        }
    }
    AddTrunks(plan, leaves, graph);
    return "rail-optimized: " + std::to_string(rails) + " rails, groups of " +
           std::to_string(plan.leafDown) + " servers, " + plan.Describe();
}

} // namespace ns3
