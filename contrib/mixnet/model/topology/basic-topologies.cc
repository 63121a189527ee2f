/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "basic-topologies.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(StarTopology);
NS_OBJECT_ENSURE_REGISTERED(DumbbellTopology);
NS_OBJECT_ENSURE_REGISTERED(ChainTopology);
NS_OBJECT_ENSURE_REGISTERED(CircuitPairTopology);

namespace
{

/// @param cluster the servers @param server one of them @param to where its NICs go @param spec
/// their edges @param graph out: the edges
void
AttachAll(const ClusterSpec& cluster,
          uint32_t server,
          VertexId to,
          const EdgeSpec& spec,
          FabricGraph& graph)
{
    for (uint32_t n = 0; n < cluster.GetNics(server); ++n)
    {
        graph.AddEdge(graph.GetVertex(ServerId(server)), to, spec);
    }
}

} // namespace

TypeId
StarTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::StarTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<StarTopology>();
    return tid;
}

std::string
StarTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    const VertexId center = graph.AddSwitch(1, "switch");
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        AttachAll(cluster, s, center, GetPacketEdge(), graph);
    }
    return "star";
}

TypeId
DumbbellTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DumbbellTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<DumbbellTopology>()
                            .AddAttribute("BottleneckRate",
                                          "Rate of the link in the middle, per direction",
                                          DataRateValue(DataRate("400Gbps")),
                                          MakeDataRateAccessor(&DumbbellTopology::m_bottleneckRate),
                                          MakeDataRateChecker());
    return tid;
}

std::string
DumbbellTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    const VertexId left = graph.AddSwitch(1, "left switch");
    const VertexId right = graph.AddSwitch(1, "right switch");
    const uint32_t half = (cluster.GetNServers() + 1) / 2;
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        AttachAll(cluster, s, s < half ? left : right, GetPacketEdge(), graph);
    }
    EdgeSpec bottleneck = GetPacketEdge();
    bottleneck.rate = m_bottleneckRate;
    graph.AddEdge(left, right, bottleneck);
    return "dumbbell";
}

TypeId
ChainTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::ChainTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<ChainTopology>()
                            .AddAttribute("Switches",
                                          "Length of the row",
                                          UintegerValue(2),
                                          MakeUintegerAccessor(&ChainTopology::m_switches),
                                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

std::string
ChainTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    std::vector<VertexId> row;
    for (uint32_t i = 0; i < m_switches; ++i)
    {
        row.push_back(graph.AddSwitch(1, "switch " + std::to_string(i)));
    }
    const uint64_t gaps = std::max(1U, cluster.GetNServers() - 1);
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        const uint64_t at = (2 * uint64_t(s) * (m_switches - 1) + gaps) / (2 * gaps);
        AttachAll(cluster, s, row[at], GetPacketEdge(), graph);
    }
    for (uint32_t i = 1; i < m_switches; ++i)
    {
        graph.AddEdge(row[i - 1], row[i], GetPacketEdge());
    }
    return "chain of " + std::to_string(m_switches) + " switches";
}

TypeId
CircuitPairTopology::GetTypeId()
{
    static TypeId tid = TypeId("ns3::CircuitPairTopology")
                            .SetParent<TopologyGenerator>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<CircuitPairTopology>();
    return tid;
}

std::string
CircuitPairTopology::DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const
{
    const VertexId ocs = graph.AddOcs(cluster.GetNNics(), "ocs");
    std::vector<ServerId> members;
    std::vector<Circuit> circuits;
    uint32_t port = 0;
    for (uint32_t s = 0; s < cluster.GetNServers(); ++s)
    {
        members.emplace_back(s);
        AttachAll(cluster, s, ocs, GetFiberEdge(), graph);
        const uint32_t nics = cluster.GetNics(s);
        if (s % 2 == 1)
        {
            const uint32_t before = cluster.GetNics(s - 1);
            for (uint32_t n = 0; n < std::min(before, nics); ++n)
            {
                circuits.push_back({ocs, port - before + n, port + n});
            }
        }
        port += nics;
    }
    graph.AddRegion(members, {ocs});
    graph.ChangeMatching(circuits, {});
    return "pairs of servers over one optical switch";
}

} // namespace ns3
