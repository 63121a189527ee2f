/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "direct-or-eps-policy.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DirectOrEpsPolicy);
NS_OBJECT_ENSURE_REGISTERED(EpsOnlyPolicy);

TypeId
DirectOrEpsPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DirectOrEpsPolicy")
                            .SetParent<FabricRoutingPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<DirectOrEpsPolicy>();
    return tid;
}

RouteScope
DirectOrEpsPolicy::GetScope() const
{
    return RouteScope::ENDPOINTS;
}

void
DirectOrEpsPolicy::Choose(const FabricGraph& graph,
                          const RouteQuery& query,
                          std::vector<LaneRoute>& routes) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    ListOpenCircuits(graph, from, to, m_circuits);
    std::size_t count = 0;
    if (m_circuits.empty())
    {
        if (!AppendEps(graph, query, 1.0, routes, count))
        {
            count = 0;
        }
        routes.resize(count);
        return;
    }
    AppendCircuits(graph, query, m_circuits, routes, count);
    routes.resize(count);
}

TypeId
EpsOnlyPolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EpsOnlyPolicy")
                            .SetParent<FabricRoutingPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<EpsOnlyPolicy>();
    return tid;
}

RouteScope
EpsOnlyPolicy::GetScope() const
{
    return RouteScope::PACKET;
}

void
EpsOnlyPolicy::Choose(const FabricGraph& graph,
                      const RouteQuery& query,
                      std::vector<LaneRoute>& routes) const
{
    std::size_t count = 0;
    if (!AppendEps(graph, query, 1.0, routes, count))
    {
        count = 0;
    }
    routes.resize(count);
}

} // namespace ns3
