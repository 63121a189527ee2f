/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROUTING_TEST_CASE_H
#define ROUTING_TEST_CASE_H

#include "topology-test-case.h"

#include "ns3/fabric-router.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

/// A graph and its router.
struct RoutedFabric
{
    Ptr<FabricGraph> graph;   //!< the graph
    Ptr<FabricRouter> router; //!< its router

    /// @param g a graph
    explicit RoutedFabric(Ptr<FabricGraph> g)
        : graph(g),
          router(CreateObject<FabricRouter>())
    {
        router->AssignStreams(1);
        router->SetGraph(graph);
    }

    /// @param transfer what to send @param balance how @param id hashed for PER_FLOW @return its
    /// ways
    FluidRoute Resolve(const Transfer& transfer,
                       LoadBalance balance = LoadBalance::IDEAL,
                       uint64_t id = 0) const
    {
        FluidRoute route;
        router->ResolveTransfer(transfer, balance, TransferId(id), route);
        return route;
    }

    /// @param from server @param fromGpu its GPU @param to server @param toGpu its GPU @param lanes
    /// number of lanes @param traffic class @return the transfer
    Transfer Make(uint32_t from,
                  uint32_t fromGpu,
                  uint32_t to,
                  uint32_t toGpu,
                  uint32_t lanes = 1,
                  TrafficClass traffic = TrafficClass::EP) const
    {
        Transfer transfer;
        transfer.source = graph->GetGpu(ServerId(from), fromGpu);
        transfer.destination = graph->GetGpu(ServerId(to), toGpu);
        transfer.bytes = ByteCount(1000000);
        transfer.lanes = lanes;
        transfer.trafficClass = traffic;
        return transfer;
    }

    /// @param transfer one lane @param balance how @param hash for PER_FLOW @return its ways
    std::vector<LaneRoute> Lane(const Transfer& transfer, LoadBalance balance, uint64_t hash) const
    {
        RouteQuery query;
        query.source = transfer.source;
        query.destination = transfer.destination;
        query.trafficClass = transfer.trafficClass;
        query.balance = balance;
        query.hash = hash;
        std::vector<LaneRoute> routes;
        router->ResolveLane(query, nullptr, routes);
        return routes;
    }
};

/// @param route a route @param c a channel @return its share; 0 when it is not used
inline double
ShareOf(const FluidRoute& route, ChannelId c)
{
    for (const ChannelShare& share : route.channels)
    {
        if (share.channel == c)
        {
            return share.share;
        }
    }
    return 0;
}

/**
 * Law: at every switch and server in the middle as much leaves as arrives; the source sends, and
 * the destination receives, all bytes once.
 *
 * @param graph the graph @param route a route @param from source @param to destination
 * @return worst deviation from it, as a share of all bytes
 */
inline double
GetImbalance(const FabricGraph& graph, const FluidRoute& route, uint32_t from, uint32_t to)
{
    std::map<uint32_t, double> surplus;
    for (const ChannelShare& share : route.channels)
    {
        surplus[graph.GetSource(share.channel).Get()] += share.share;
        surplus[graph.GetTarget(share.channel).Get()] -= share.share;
    }
    surplus[graph.GetVertex(ServerId(from)).Get()] -= 1;
    surplus[graph.GetVertex(ServerId(to)).Get()] += 1;
    double worst = 0;
    for (const auto& [vertex, value] : surplus)
    {
        worst = std::max(worst, std::abs(value));
    }
    return worst;
}

#endif // ROUTING_TEST_CASE_H
