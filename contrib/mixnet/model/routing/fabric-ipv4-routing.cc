/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-ipv4-routing.h"

#include "ns3/arp-cache.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-port.h"
#include "ns3/packet-fabric-context.h"
#include "ns3/string.h"
#include "ns3/tcp-l4-protocol.h"

#include <array>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricIpv4Routing);

TypeId
FabricIpv4Routing::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FabricIpv4Routing")
            .SetParent<Ipv4RoutingProtocol>()
            .SetGroupName("Mixnet")
            .AddConstructor<FabricIpv4Routing>()
            .AddAttribute(
                "TrafficClass",
                "Class whose routing policy the packets of this server follow: tp, ep, dp, "
                "pp or other",
                StringValue("other"),
                MakeStringAccessor(&FabricIpv4Routing::SetTrafficClass,
                                   &FabricIpv4Routing::GetTrafficClass),
                MakeStringChecker());
    return tid;
}

FabricIpv4Routing::FabricIpv4Routing() = default;
FabricIpv4Routing::~FabricIpv4Routing() = default;

void
FabricIpv4Routing::DoDispose()
{
    m_router = nullptr;
    m_directory = nullptr;
    m_ipv4 = nullptr;
    Ipv4RoutingProtocol::DoDispose();
}

void
FabricIpv4Routing::SetRouter(Ptr<const FabricRouter> router, Ptr<FabricIpv4Directory> directory)
{
    m_router = router;
    m_directory = directory;
}

void
FabricIpv4Routing::SetTrafficClass(std::string name)
{
    const auto trafficClass = FindTrafficClass(name);
    if (!trafficClass)
    {
        throw InputError("ns3::FabricIpv4Routing::TrafficClass",
                         "'" + name + "' is no traffic class",
                         GetTrafficClassNames());
    }
    m_trafficClass = *trafficClass;
}

std::string
FabricIpv4Routing::GetTrafficClass() const
{
    return GetName(m_trafficClass);
}

std::optional<uint32_t>
FabricIpv4Routing::FindNic(uint32_t interface) const
{
    const auto port = DynamicCast<MixnetPort>(m_ipv4->GetNetDevice(interface));
    return port ? std::optional<uint32_t>(port->GetNicAddress()) : std::nullopt;
}

GpuId
FabricIpv4Routing::GetGpu(uint32_t nic) const
{
    const EcmpTables& tables = m_router->GetTables();
    const ServerId server = tables.GetAddresses().GetServer(nic);
    const uint32_t local = tables.GetGraph().GetNicGpu(server, tables.GetAddresses().GetNic(nic));
    return tables.GetGraph().GetGpu(server, local);
}

uint64_t
FabricIpv4Routing::Hash(const Ipv4Header& header, Ptr<const Packet> packet)
{
    constexpr uint64_t multiplier = 0x9e3779b97f4a7c15ULL; // 2^64 / golden ratio, odd
    std::array<uint8_t, 4> ports{};
    if (header.GetProtocol() == TcpL4Protocol::PROT_NUMBER && packet && packet->GetSize() >= 4)
    {
        packet->CopyData(ports.data(), ports.size());
    }
    uint64_t h = (uint64_t{header.GetSource().Get()} << 32 | header.GetDestination().Get()) + 1;
    uint64_t rest = header.GetProtocol();
    for (const uint8_t byte : ports)
    {
        rest = rest << 8 | byte;
    }
    for (const uint64_t word : {rest, uint64_t{0}})
    {
        h = (h ^ (h >> 32)) * multiplier + word;
    }
    return h ^ (h >> 32);
}

std::optional<FabricIpv4Routing::Hop>
FabricIpv4Routing::Choose(uint32_t source, uint32_t destination, uint64_t hash, bool relayed) const
{
    RouteQuery query;
    query.source = GetGpu(source);
    query.destination = GetGpu(destination);
    query.trafficClass = m_trafficClass;
    query.balance = LoadBalance::PER_FLOW;
    query.hash = hash;
    m_router->ResolveLane(query, nullptr, m_routes);
    if (m_routes.empty())
    {
        return std::nullopt;
    }
    // the upper half of the hash, as a fraction of 1, falls into the share of one way
    const double draw = static_cast<double>(hash >> 32) / 4294967296.0;
    double end = 0;
    const LaneRoute* way = &m_routes.back();
    for (const LaneRoute& route : m_routes)
    {
        end += route.share;
        if (draw < end)
        {
            way = &route;
            break;
        }
    }
    const NetworkLeg& leg = way->legs.front();
    const NicAddressMap& addresses = m_router->GetTables().GetAddresses();
    if (relayed && way->legs.size() > 1 && way->legs.back().path == PathClass::PACKET)
    {
        // a second relay might send it back to the first one
        const FabricGraph& graph = m_router->GetTables().GetGraph();
        for (const uint32_t nic : graph.GetNics(leg.from, EdgeKind::PACKET))
        {
            if (const auto hop = ChooseAt(addresses.GetAddress(leg.from, nic), destination))
            {
                return hop;
            }
        }
        return std::nullopt;
    }
    return Hop{addresses.GetAddress(leg.from, leg.fromNic),
               addresses.GetAddress(leg.to, leg.toNic)};
}

std::optional<FabricIpv4Routing::Hop>
FabricIpv4Routing::ChooseAt(uint32_t nic, uint32_t destination) const
{
    const EcmpTables& tables = m_router->GetTables();
    const NicAddressMap& addresses = tables.GetAddresses();
    const FabricGraph& graph = tables.GetGraph();
    const ServerId server = addresses.GetServer(nic);
    const ServerId target = addresses.GetServer(destination);
    const EdgeId edge = graph.GetEdge(graph.GetVertex(server), addresses.GetNic(nic));
    if (graph.IsHeld(graph.GetEgress(graph.GetVertex(server), addresses.GetNic(nic))))
    {
        return std::nullopt;
    }
    if (graph.GetSpec(edge).kind == EdgeKind::FIBER)
    {
        const auto peer = graph.GetLitPeer(server, addresses.GetNic(nic));
        return peer && peer->first == target
                   ? std::optional<Hop>({nic, addresses.GetAddress(target, peer->second)})
                   : std::nullopt;
    }
    // the NIC that is addressed, else the first one that the fabric joins
    if (tables.IsReachable(nic, destination))
    {
        return Hop{nic, destination};
    }
    for (const uint32_t port : graph.GetNics(target, EdgeKind::PACKET))
    {
        const uint32_t other = addresses.GetAddress(target, port);
        if (tables.IsReachable(nic, other))
        {
            return Hop{nic, other};
        }
    }
    return std::nullopt;
}

Ptr<Ipv4Route>
FabricIpv4Routing::MakeRoute(const Ipv4Header& header, Ipv4Address source, const Hop& hop) const
{
    const auto gateway = m_directory->FindAddress(hop.to);
    const auto own = m_directory->FindAddress(hop.from);
    if (!gateway || !own)
    {
        const NicAddressMap& addresses = m_router->GetTables().GetAddresses();
        const uint32_t nic = own ? hop.to : hop.from;
        throw InputError("NIC " + std::to_string(addresses.GetNic(nic)) + " of server " +
                             std::to_string(addresses.GetServer(nic).Get()),
                         "has no IPv4 address, and a packet shall use it",
                         "an address for every NIC");
    }
    const int32_t interface = m_ipv4->GetInterfaceForAddress(*own);
    const auto l3 = DynamicCast<Ipv4L3Protocol>(m_ipv4);
    MIXNET_CHECK(interface >= 0 && l3, "the fabric's routing needs an ns3::Ipv4L3Protocol");
    const Ptr<ArpCache> cache = l3->GetInterface(static_cast<uint32_t>(interface))->GetArpCache();
    if (cache)
    {
        ArpCache::Entry* known = cache->Lookup(*gateway);
        ArpCache::Entry* entry = known ? known : cache->Add(*gateway);
        entry->SetMacAddress(PacketFabricContext::GetMac(hop.to));
        entry->MarkPermanent();
    }
    const Ptr<Ipv4Route> route = Create<Ipv4Route>();
    route->SetDestination(header.GetDestination());
    route->SetSource(source);
    route->SetGateway(*gateway);
    route->SetOutputDevice(m_ipv4->GetNetDevice(static_cast<uint32_t>(interface)));
    return route;
}

Ipv4Address
FabricIpv4Routing::GetSource(Ipv4Address source, Ptr<NetDevice> device) const
{
    if (source.IsInitialized() && !source.IsAny())
    {
        return source;
    }
    for (uint32_t i = 0; i < m_ipv4->GetNInterfaces(); ++i)
    {
        const bool wanted = device ? m_ipv4->GetNetDevice(i) == device : FindNic(i).has_value();
        if (wanted && m_ipv4->GetNAddresses(i) > 0)
        {
            return m_ipv4->GetAddress(i, 0).GetLocal();
        }
    }
    return source;
}

Ptr<Ipv4Route>
FabricIpv4Routing::RouteOutput(Ptr<Packet> p,
                               const Ipv4Header& header,
                               Ptr<NetDevice> oif,
                               Socket::SocketErrno& sockerr)
{
    sockerr = Socket::ERROR_NOROUTETOHOST;
    const Ipv4Address destination = header.GetDestination();
    const int32_t local = m_ipv4->GetInterfaceForAddress(destination);
    if (local >= 0)
    {
        const Ptr<Ipv4Route> route = Create<Ipv4Route>();
        route->SetDestination(destination);
        const Ipv4Address source = header.GetSource();
        const bool known = source.IsInitialized() && !source.IsAny();
        route->SetSource(known ? source : destination);
        route->SetGateway(Ipv4Address::GetZero());
        route->SetOutputDevice(m_ipv4->GetNetDevice(static_cast<uint32_t>(local)));
        sockerr = Socket::ERROR_NOTERROR;
        return route;
    }
    const auto to = m_directory->FindNic(destination);
    const Ipv4Address source = GetSource(header.GetSource(), oif);
    const auto from = m_directory->FindNic(source);
    if (!to || !from)
    {
        return nullptr;
    }
    Ipv4Header flow = header;
    flow.SetSource(source);
    auto hop = Choose(*from, *to, Hash(flow, p), false);
    if (const auto bound = DynamicCast<MixnetPort>(oif))
    {
        const uint32_t nic = bound->GetNicAddress();
        hop = hop && hop->from == nic ? hop : ChooseAt(nic, *to);
    }
    if (!hop)
    {
        return nullptr;
    }
    sockerr = Socket::ERROR_NOTERROR;
    return MakeRoute(header, source, *hop);
}

bool
FabricIpv4Routing::RouteInput(Ptr<const Packet> p,
                              const Ipv4Header& header,
                              Ptr<const NetDevice> idev,
                              MIXNET_ROUTE_INPUT_CALLBACK(UnicastForwardCallback) ucb,
                              MIXNET_ROUTE_INPUT_CALLBACK(MulticastForwardCallback) /* mcb */,
                              MIXNET_ROUTE_INPUT_CALLBACK(LocalDeliverCallback) lcb,
                              MIXNET_ROUTE_INPUT_CALLBACK(ErrorCallback) ecb)
{
    const auto interface = static_cast<uint32_t>(m_ipv4->GetInterfaceForDevice(idev));
    if (m_ipv4->IsDestinationAddress(header.GetDestination(), interface))
    {
        if (lcb.IsNull())
        {
            return false;
        }
        lcb(p, header, interface);
        return true;
    }
    const auto to = m_directory->FindNic(header.GetDestination());
    const auto here = FindNic(interface);
    if (!to || !here)
    {
        return false;
    }
    const auto hop =
        m_ipv4->IsForwarding(interface) ? Choose(*here, *to, Hash(header, p), true) : std::nullopt;
    if (!hop)
    {
        ecb(p, header, Socket::ERROR_NOROUTETOHOST);
        return true;
    }
    ucb(MakeRoute(header, header.GetSource(), *hop), p, header);
    return true;
}

void
FabricIpv4Routing::NotifyInterfaceUp(uint32_t /* interface */)
{
}

void
FabricIpv4Routing::NotifyInterfaceDown(uint32_t /* interface */)
{
}

void
FabricIpv4Routing::NotifyAddAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    if (const auto nic = FindNic(interface))
    {
        m_directory->Add(address.GetLocal(), *nic);
    }
}

void
FabricIpv4Routing::NotifyRemoveAddress(uint32_t interface, Ipv4InterfaceAddress address)
{
    if (FindNic(interface))
    {
        m_directory->Remove(address.GetLocal());
    }
}

void
FabricIpv4Routing::SetIpv4(Ptr<Ipv4> ipv4)
{
    MIXNET_CHECK(m_router && m_directory, "SetRouter comes before SetIpv4");
    m_ipv4 = ipv4;
    for (uint32_t i = 0; i < ipv4->GetNInterfaces(); ++i)
    {
        for (uint32_t a = 0; a < ipv4->GetNAddresses(i); ++a)
        {
            NotifyAddAddress(i, ipv4->GetAddress(i, a));
        }
    }
}

} // namespace ns3
