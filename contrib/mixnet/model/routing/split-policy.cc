/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "split-policy.h"

#include "ns3/double.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SplitPolicy);

TypeId
SplitPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::SplitPolicy")
                            .SetParent<FabricRoutingPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<SplitPolicy>()
                            .AddAttribute("EpsWeight",
                                          "What the rate of the packet NICs counts for, where "
                                          "they are busy with other traffic, too",
                                          DoubleValue(1.0),
                                          MakeDoubleAccessor(&SplitPolicy::m_epsWeight),
                                          MakeDoubleChecker<double>(0.0));
    return tid;
}

RouteScope
SplitPolicy::GetScope() const
{
    return RouteScope::ENDPOINTS;
}

void
SplitPolicy::Choose(const FabricGraph& graph,
                    const RouteQuery& query,
                    std::vector<LaneRoute>& routes) const
{
    const ServerId from = graph.GetServerOf(query.source);
    ListOpenCircuits(graph, from, graph.GetServerOf(query.destination), m_circuits);
    const std::size_t open = m_circuits.size();
    const bool all = IsByPacket() || query.balance == LoadBalance::IDEAL;
    double circuitRate = 0; // of those that the transfer uses
    for (std::size_t i = 0; i < (all ? open : std::min<std::size_t>(open, query.lanes)); ++i)
    {
        const std::size_t firstLane = graph.GetLocalIndex(query.source) - query.lane;
        circuitRate += GetRate(graph, from, m_circuits[all ? i : (firstLane + i) % open]);
    }
    std::size_t count = 0;
    double share = 1;
    if (circuitRate > 0)
    {
        const double eps = m_epsWeight * GetEpsRate(graph, query);
        share = eps / (circuitRate + eps);
    }
    if (share > 0 && !AppendEps(graph, query, share, routes, count))
    {
        count = 0;
        share = 0;
    }
    const std::size_t ways = open == 0 ? 0 : all ? open : 1;
    const std::size_t first = all || open == 0 ? 0 : graph.GetLocalIndex(query.source) % open;
    for (std::size_t i = 0; i < ways; ++i)
    {
        const OpenCircuit& circuit = m_circuits[first + i];
        LaneRoute& route = AddRoute(routes, count);
        route.pooled = IsByPacket() && ways > 1;
        route.share = (1 - share) * (all ? GetRate(graph, from, circuit) / circuitRate : 1.0);
        route.legs.push_back(
            {PathClass::CIRCUIT, from, circuit.peer, circuit.nic, circuit.peerNic});
    }
    routes.resize(count);
}

} // namespace ns3
