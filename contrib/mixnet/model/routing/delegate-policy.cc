/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "delegate-policy.h"

#include "ns3/fabric-graph.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DelegatePolicy);

namespace
{

/// @return true when the two ways cross the same NICs
bool
IsSameWay(const LaneRoute& a, const LaneRoute& b)
{
    return std::equal(a.legs.begin(),
                      a.legs.end(),
                      b.legs.begin(),
                      b.legs.end(),
                      [](const NetworkLeg& x, const NetworkLeg& y) {
                          return x.path == y.path && x.from == y.from && x.to == y.to &&
                                 x.fromNic == y.fromNic && x.toNic == y.toNic;
                      });
}

} // namespace

void
ListServerWays(const Router& router,
               const FabricGraph& graph,
               ServerId from,
               ServerId to,
               TrafficClass trafficClass,
               std::vector<LaneRoute>& ways)
{
    ways.clear();
    const uint32_t gpus = graph.GetServerSpec(from).gpus;
    const uint32_t peers = graph.GetServerSpec(to).gpus;
    RouteQuery query;
    query.trafficClass = trafficClass;
    query.balance = LoadBalance::IDEAL;
    query.lanes = gpus;
    std::vector<LaneRoute> routes;
    for (uint32_t g = 0; g < gpus; ++g)
    {
        query.lane = g;
        query.source = graph.GetGpu(from, g);
        query.destination = graph.GetGpu(to, g % peers);
        router.ResolveLane(query, nullptr, routes);
        if (routes.empty())
        {
            ways.clear();
            return;
        }
        for (LaneRoute& route : routes)
        {
            route.share /= gpus;
            const auto known = std::find_if(ways.begin(), ways.end(), [&](const LaneRoute& way) {
                return IsSameWay(way, route);
            });
            if (known == ways.end())
            {
                ways.push_back(route);
            }
            else
            {
                known->share += route.share;
            }
        }
    }
}

TypeId
DelegatePolicy::GetTypeId()
{
    static TypeId tid = TypeId("ns3::DelegatePolicy")
                            .SetParent<FabricRoutingPolicy>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<DelegatePolicy>();
    return tid;
}

void
DelegatePolicy::SetRouter(Ptr<Router> router)
{
    m_router = router;
}

void
DelegatePolicy::DoDispose()
{
    m_router = nullptr;
    FabricRoutingPolicy::DoDispose();
}

RouteScope
DelegatePolicy::GetScope() const
{
    return RouteScope::EVERYTHING; // that of the widest policy behind it
}

void
DelegatePolicy::Choose(const FabricGraph& graph,
                       const RouteQuery& query,
                       std::vector<LaneRoute>& routes) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    ListServerWays(*m_router, graph, from, to, query.trafficClass, routes);
    const uint32_t source = graph.GetLocalIndex(query.source);
    const uint32_t destination = graph.GetLocalIndex(query.destination);
    const auto others = std::remove_if(routes.begin(), routes.end(), [&](const LaneRoute& way) {
        return graph.GetNicGpu(from, way.legs.front().fromNic) != source ||
               graph.GetNicGpu(to, way.legs.back().toNic) != destination;
    });
    routes.erase(others, routes.end());
    if (routes.empty())
    {
        m_router->ResolveLane(query, nullptr, routes);
        return;
    }
    if (query.balance == LoadBalance::PER_FLOW)
    {
        std::swap(routes.front(), routes[query.hash % routes.size()]);
        routes.resize(1);
    }
    double sum = 0;
    for (const LaneRoute& way : routes)
    {
        sum += way.share;
    }
    for (LaneRoute& way : routes)
    {
        way.share /= sum;
    }
}

} // namespace ns3
