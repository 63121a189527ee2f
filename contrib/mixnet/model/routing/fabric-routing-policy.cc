/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-routing-policy.h"

#include "ns3/boolean.h"
#include "ns3/enum.h"
#include "ns3/ns3-compat.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricRoutingPolicy);

TypeId
FabricRoutingPolicy::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricRoutingPolicy")
            .SetParent<RoutingPolicy>()
            .SetGroupName("Mixnet")
            .AddAttribute("RailAlignment",
                          "Packet traffic arrives at the NIC of the index by which it left; false: "
                          "at the NIC of the destination GPU",
                          BooleanValue(true),
                          MakeBooleanAccessor(&FabricRoutingPolicy::m_railAlignment),
                          MakeBooleanChecker())
            .AddAttribute("SpreadOverNics",
                          "With ideal balancing, a GPU without a packet NIC of its own spreads "
                          "evenly over all packet NICs of its server",
                          BooleanValue(false),
                          MakeBooleanAccessor(&FabricRoutingPolicy::m_spread),
                          MakeBooleanChecker())
            .AddAttribute(
                "Detour",
                "A server whose packet NICs are all down reaches the packet fabric over a "
                "circuit to a peer that relays",
                BooleanValue(true),
                MakeBooleanAccessor(&FabricRoutingPolicy::m_detour),
                MakeBooleanChecker())
            .AddAttribute(
                "CircuitSharing",
                "Parallel circuits of a pair are shared by flow (one per lane) or by packet (every "
                "lane takes whichever is free)",
                MixnetEnumValue<CircuitSharing>(BY_FLOW),
                MakeMixnetEnumAccessor<CircuitSharing>(&FabricRoutingPolicy::m_sharing),
                MakeEnumChecker(BY_FLOW, "flow", BY_PACKET, "packet"));
    return tid;
}

void
FabricRoutingPolicy::SetTables(std::shared_ptr<const EcmpTables> tables)
{
    m_tables = tables;
}

LaneRoute&
FabricRoutingPolicy::AddRoute(std::vector<LaneRoute>& routes, std::size_t& count)
{
    if (count == routes.size())
    {
        routes.emplace_back();
    }
    LaneRoute& route = routes[count++];
    route.legs.clear();
    route.pooled = false;
    return route;
}

void
FabricRoutingPolicy::ListUsable(const FabricGraph& graph,
                                ServerId server,
                                std::vector<uint32_t>& nics)
{
    nics.clear();
    const VertexId vertex = graph.GetVertex(server);
    for (const uint32_t nic : graph.GetNics(server, EdgeKind::PACKET))
    {
        const EdgeId edge = graph.GetEdge(vertex, nic);
        if (graph.IsUp(edge) && !graph.IsHeld(edge))
        {
            nics.push_back(nic);
        }
    }
}

void
FabricRoutingPolicy::PickNics(const FabricGraph& graph,
                              GpuId gpu,
                              const std::vector<uint32_t>& usable,
                              const RouteQuery& query,
                              std::vector<uint32_t>& nics) const
{
    nics.clear();
    const ServerId server = graph.GetServerOf(gpu);
    const uint32_t local = graph.GetLocalIndex(gpu);
    for (const uint32_t nic : usable)
    {
        if (graph.GetNicGpu(server, nic) == local)
        {
            nics.push_back(nic);
        }
    }
    const bool ideal = query.balance == LoadBalance::IDEAL;
    if (nics.empty() && ideal && m_spread)
    {
        nics = usable;
    }
    else if (nics.empty())
    {
        nics.push_back(usable[uint64_t(local) * usable.size() / graph.GetServerSpec(server).gpus]);
    }
    else if (!ideal)
    {
        nics = {nics[query.hash % nics.size()]};
    }
}

double
FabricRoutingPolicy::GetRate(const FabricGraph& graph, ServerId from, const OpenCircuit& circuit)
{
    const auto rate = [&graph](ServerId server, uint32_t nic) {
        return graph.GetSpec(graph.GetEdge(graph.GetVertex(server), nic)).rate.GetBitRate();
    };
    return static_cast<double>(
        std::min(rate(from, circuit.nic), rate(circuit.peer, circuit.peerNic)));
}

void
FabricRoutingPolicy::AppendCircuits(const FabricGraph& graph,
                                    const RouteQuery& query,
                                    const std::vector<OpenCircuit>& circuits,
                                    std::vector<LaneRoute>& routes,
                                    std::size_t& count) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const bool byPacket = IsByPacket() && circuits.size() > 1;
    const bool all = byPacket || query.balance == LoadBalance::IDEAL;
    const std::size_t ways = all ? circuits.size() : 1;
    const std::size_t first = all ? 0 : graph.GetLocalIndex(query.source) % circuits.size();
    double sum = 0;
    for (std::size_t i = 0; byPacket && i < ways; ++i)
    {
        sum += GetRate(graph, from, circuits[i]);
    }
    for (std::size_t i = 0; i < ways; ++i)
    {
        const OpenCircuit& circuit = circuits[first + i];
        LaneRoute& route = AddRoute(routes, count);
        route.share =
            byPacket ? GetRate(graph, from, circuit) / sum : 1.0 / static_cast<double>(ways);
        route.pooled = byPacket;
        route.legs.push_back(
            {PathClass::CIRCUIT, from, circuit.peer, circuit.nic, circuit.peerNic});
    }
}

double
FabricRoutingPolicy::GetEpsRate(const FabricGraph& graph, const RouteQuery& query) const
{
    const ServerId from = graph.GetServerOf(query.source);
    ListUsable(graph, from, m_usable);
    m_leaving.clear();
    for (uint32_t lane = 0; lane < query.lanes && !m_usable.empty(); ++lane)
    {
        const GpuId gpu(query.source.Get() - query.lane + lane);
        PickNics(graph, gpu, m_usable, query, m_nics);
        m_leaving.insert(m_leaving.end(), m_nics.begin(), m_nics.end());
    }
    std::sort(m_leaving.begin(), m_leaving.end());
    m_leaving.erase(std::unique(m_leaving.begin(), m_leaving.end()), m_leaving.end());
    double rate = 0;
    for (const uint32_t nic : m_leaving)
    {
        const EdgeId edge = graph.GetEdge(graph.GetVertex(from), nic);
        rate += static_cast<double>(graph.GetSpec(edge).rate.GetBitRate());
    }
    return rate;
}

bool
FabricRoutingPolicy::Join(const FabricGraph& graph, NetworkLeg& leg) const
{
    if (!m_tables || &m_tables->GetGraph() != &graph)
    {
        return true;
    }
    const NicAddressMap& addresses = m_tables->GetAddresses();
    if (m_tables->IsReachable(addresses.GetAddress(leg.from, leg.fromNic),
                              addresses.GetAddress(leg.to, leg.toNic)))
    {
        return true;
    }
    for (const uint32_t from : m_usable)
    {
        for (const uint32_t to : m_usableTo)
        {
            if (m_tables->IsReachable(addresses.GetAddress(leg.from, from),
                                      addresses.GetAddress(leg.to, to)))
            {
                leg.fromNic = from;
                leg.toNic = to;
                return true;
            }
        }
    }
    return false;
}

bool
FabricRoutingPolicy::AppendEps(const FabricGraph& graph,
                               const RouteQuery& query,
                               double share,
                               std::vector<LaneRoute>& routes,
                               std::size_t& count,
                               bool detour) const
{
    const ServerId from = graph.GetServerOf(query.source);
    const ServerId to = graph.GetServerOf(query.destination);
    ListUsable(graph, from, m_usable);
    ListUsable(graph, to, m_usableTo);
    if (m_usable.empty() || m_usableTo.empty())
    {
        return detour && m_detour && AppendDetour(graph, query, share, routes, count);
    }
    PickNics(graph, query.source, m_usable, query, m_nics);
    PickNics(graph, query.destination, m_usableTo, query, m_nicsTo);
    const std::size_t ways =
        m_railAlignment ? m_nics.size() : std::max(m_nics.size(), m_nicsTo.size());
    for (std::size_t i = 0; i < ways; ++i)
    {
        NetworkLeg leg;
        leg.path = PathClass::PACKET;
        leg.from = from;
        leg.to = to;
        leg.fromNic = m_nics[i % m_nics.size()];
        const bool aligned = m_railAlignment &&
                             std::binary_search(m_usableTo.begin(), m_usableTo.end(), leg.fromNic);
        leg.toNic = aligned ? leg.fromNic : m_nicsTo[i % m_nicsTo.size()];
        if (!Join(graph, leg))
        {
            return false;
        }
        LaneRoute& route = AddRoute(routes, count);
        route.share = share / static_cast<double>(ways);
        route.legs.push_back(leg);
    }
    return true;
}

} // namespace ns3
