/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "clos-topology.h"

#include "ns3/string.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(ClosTopology);
NS_OBJECT_ENSURE_REGISTERED(FatTreeTopology);

TypeId
ClosTopology::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::ClosTopology")
            .SetParent<TopologyGenerator>()
            .SetGroupName("Mixnet")
            .AddAttribute("SwitchRadix",
                          "Ports of every switch; 0 takes the smallest even k whose k-ary "
                          "three-tier fat-tree holds all NICs of the cluster (16 for 1,024)",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ClosTopology::m_radix),
                          MakeUintegerChecker<uint32_t>(0, 65535))
            .AddAttribute("Tiers",
                          "Tiers of switches, 1 to 3; 0 takes the fewest that fit",
                          UintegerValue(0),
                          MakeUintegerAccessor(&ClosTopology::m_tiers),
                          MakeUintegerChecker<uint32_t>(0, 3))
            .AddAttribute("Oversubscription",
                          "Host ports to uplinks of a leaf, e.g. 3:1; kept exactly, ports that do "
                          "not divide stay unused",
                          StringValue("1:1"),
                          MakeStringAccessor(&ClosTopology::m_oversubscription),
                          MakeStringChecker());
    return tid;
}

ClosRequest
ClosTopology::GetRequest(uint32_t nics) const
{
    return {m_radix == 0 ? GetSmallestRadix(nics) : m_radix,
            m_tiers,
            Oversubscription::Parse(m_oversubscription)};
}

std::vector<VertexId>
ClosTopology::AddSwitches(const ClosPlan& plan, FabricGraph& graph)
{
    std::vector<VertexId> leaves;
    for (uint32_t i = 0; i < plan.leaves; ++i)
    {
        leaves.push_back(graph.AddSwitch(1, "leaf " + std::to_string(i)));
    }
    const std::string middle = plan.tiers == 2 ? "spine " : "aggregation ";
    for (uint32_t i = 0; i < plan.GetNMiddle(); ++i)
    {
        graph.AddSwitch(2, middle + std::to_string(i));
    }
    for (uint32_t i = 0; i < plan.GetNCores(); ++i)
    {
        graph.AddSwitch(3, "core " + std::to_string(i));
    }
    return leaves;
}

void
ClosTopology::AddTrunks(const ClosPlan& plan,
                        const std::vector<VertexId>& leaves,
                        FabricGraph& graph) const
{
    if (plan.tiers == 1)
    {
        return;
    }
    const EdgeSpec link = GetPacketEdge();
    const auto join = [&](uint32_t a, uint32_t b, uint32_t links) {
        for (uint32_t i = 0; i < links; ++i)
        {
            graph.AddEdge(VertexId(a), VertexId(b), link);
        }
    };
    const auto perPod = static_cast<uint32_t>(plan.leafTrunks.size());
    const uint32_t firstMiddle = leaves.back().Get() + 1;
    const uint32_t firstCore = firstMiddle + plan.GetNMiddle();
    uint32_t leaf = leaves.front().Get();
    uint32_t middle = firstMiddle;
    for (const uint32_t inPod : plan.podLeaves)
    {
        for (uint32_t i = 0; i < inPod; ++i, ++leaf)
        {
            for (uint32_t m = 0; m < perPod; ++m)
            {
                join(leaf, middle + m, plan.leafTrunks[m]);
            }
        }
        middle += perPod;
    }
    for (uint32_t pod = 0; pod < plan.podLeaves.size(); ++pod)
    {
        uint32_t core = firstCore;
        for (uint32_t m = 0; m < plan.coreTrunks.size(); ++m)
        {
            for (const uint32_t trunk : plan.coreTrunks[m])
            {
                join(firstMiddle + pod * perPod + m, core++, trunk);
            }
        }
    }
}

TypeId
FatTreeTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FatTreeTopology")
                            .SetParent<ClosTopology>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<FatTreeTopology>();
    return tid;
}

std::string
FatTreeTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    const uint32_t nics = cluster.GetNNics();
    const ClosPlan plan = PlanClos(nics, GetRequest(nics));
    const std::vector<VertexId> leaves = AddSwitches(plan, graph);
    uint32_t attached = 0;
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        for (uint32_t n = 0; n < cluster.GetNics(s); ++n)
        {
            graph.AddEdge(graph.GetVertex(ServerId(s)),
                          leaves[attached++ / plan.leafDown],
                          GetPacketEdge());
        }
    }
    AddTrunks(plan, leaves, graph);
    return "fat-tree: " + plan.Describe();
}

} // namespace ns3
