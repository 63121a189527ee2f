/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-router.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-object-text.h"
#include "ns3/string.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FabricRouter);

namespace
{

/// @param id a transfer @param lane one of its lanes @return well-mixed bits
uint64_t
HashLane(TransferId id, uint32_t lane)
{
    constexpr uint64_t multiplier = 0x9e3779b97f4a7c15ULL; // 2^64 / golden ratio, odd
    uint64_t h = (id.Get() + 1) * multiplier + lane;
    for (int round = 0; round < 2; ++round)
    {
        h = (h ^ (h >> 32)) * multiplier;
    }
    return h ^ (h >> 32);
}

} // namespace

TypeId
FabricRouter::GetTypeId()
{
    const auto help = [](const std::string& traffic) {
        return "TypeId name of the routing policy of " + traffic +
               " traffic, with attributes as in ns3::SplitPolicy[EpsWeight=0.5]; empty: by the "
               "fabric";
    };
    static TypeId tid = TypeId("ns3::FabricRouter")
                            .SetParent<Router>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<FabricRouter>()
                            .AddAttribute("TpPolicy",
                                          help("tensor-parallel"),
                                          StringValue(""),
                                          MakeStringAccessor(&FabricRouter::m_tpPolicy),
                                          MakeStringChecker())
                            .AddAttribute("EpPolicy",
                                          help("expert-parallel"),
                                          StringValue(""),
                                          MakeStringAccessor(&FabricRouter::m_epPolicy),
                                          MakeStringChecker())
                            .AddAttribute("DpPolicy",
                                          help("data-parallel"),
                                          StringValue(""),
                                          MakeStringAccessor(&FabricRouter::m_dpPolicy),
                                          MakeStringChecker())
                            .AddAttribute("PpPolicy",
                                          help("pipeline-parallel"),
                                          StringValue(""),
                                          MakeStringAccessor(&FabricRouter::m_ppPolicy),
                                          MakeStringChecker())
                            .AddAttribute("OtherPolicy",
                                          help("other"),
                                          StringValue(""),
                                          MakeStringAccessor(&FabricRouter::m_otherPolicy),
                                          MakeStringChecker())
                            .AddAttribute("CpPolicy",
                                          help("context-parallel"),
                                          StringValue(""),
                                          MakeStringAccessor(&FabricRouter::m_cpPolicy),
                                          MakeStringChecker());
    return tid;
}

FabricRouter::FabricRouter()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

FabricRouter::~FabricRouter()
{
    Detach();
}

void
FabricRouter::DoDispose()
{
    Detach();
    m_policies = {};
    m_routesChanged = RoutesChangedCallback();
    Router::DoDispose();
}

void
FabricRouter::Detach()
{
    if (m_graph)
    {
        m_graph->Unsubscribe(GraphPhase::ROUTING, MakeCallback(&FabricRouter::OnChange, this));
        m_graph = nullptr;
    }
}

void
FabricRouter::SetGraph(Ptr<FabricGraph> graph)
{
    MIXNET_CHECK(!m_graph && graph, "a router gets one graph");
    m_graph = graph;
    m_tables = std::make_shared<EcmpTables>(*graph);
    m_builder = std::make_unique<FluidRouteBuilder>(*m_tables);
    for (std::size_t c = 0; c < N_TRAFFIC_CLASSES; ++c)
    {
        const auto trafficClass = static_cast<TrafficClass>(c);
        const std::string name = GetPolicyName(trafficClass);
        const auto factory =
            ParseObjectText(name,
                            RoutingPolicy::GetTypeId(),
                            "routing policy",
                            std::string("FabricRouter, policy of ") + GetName(trafficClass),
                            "ns3::DirectOrEpsPolicy, ns3::EpsOnlyPolicy, ns3::MultiHopPolicy, "
                            "ns3::RelayPolicy, ns3::SplitPolicy");
        SetPolicy(trafficClass, factory.Create<RoutingPolicy>());
    }
    graph->Subscribe(GraphPhase::ROUTING, MakeCallback(&FabricRouter::OnChange, this));
    CountStranded();
}

const char*
FabricRouter::GetHybridPolicyName(TrafficClass trafficClass)
{
    switch (trafficClass)
    {
    case TrafficClass::EP:
    case TrafficClass::OTHER:
        return "ns3::DirectOrEpsPolicy";
    case TrafficClass::TP:
        return "ns3::SplitPolicy";
    default:
        return "ns3::EpsOnlyPolicy";
    }
}

std::string
FabricRouter::GetPolicyName(TrafficClass trafficClass) const
{
    const std::array<const std::string*, N_TRAFFIC_CLASSES> named{&m_tpPolicy,
                                                                  &m_epPolicy,
                                                                  &m_dpPolicy,
                                                                  &m_ppPolicy,
                                                                  &m_otherPolicy,
                                                                  &m_cpPolicy};
    const std::string& name = *named[static_cast<std::size_t>(trafficClass)];
    if (!name.empty())
    {
        return name;
    }
    bool packet = false;
    bool fiber = false;
    for (uint32_t s = 0; s < m_graph->GetNServers(); ++s)
    {
        packet = packet || !m_graph->GetNics(ServerId(s), EdgeKind::PACKET).empty();
        fiber = fiber || !m_graph->GetNics(ServerId(s), EdgeKind::FIBER).empty();
    }
    if (!packet)
    {
        return "ns3::MultiHopPolicy";
    }
    return fiber ? GetHybridPolicyName(trafficClass) : "ns3::EpsOnlyPolicy";
}

void
FabricRouter::SetPolicy(TrafficClass trafficClass, Ptr<RoutingPolicy> policy)
{
    MIXNET_CHECK(m_tables, "SetPolicy comes after SetGraph");
    if (const auto fabric = DynamicCast<FabricRoutingPolicy>(policy))
    {
        fabric->SetTables(m_tables);
    }
    m_policies[static_cast<std::size_t>(trafficClass)] = policy;
    ++m_policyVersion;
}

Ptr<RoutingPolicy>
FabricRouter::GetPolicy(TrafficClass trafficClass) const
{
    return m_policies[static_cast<std::size_t>(trafficClass)];
}

int64_t
FabricRouter::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    m_seeds.clear();
    return 1;
}

void
FabricRouter::EnsureSeeds() const
{
    while (m_seeds.size() < m_tables->GetNSwitches())
    {
        const uint64_t high = m_random->GetInteger(0, UINT32_MAX);
        m_seeds.push_back(high << 32 | m_random->GetInteger(0, UINT32_MAX));
    }
}

uint64_t
FabricRouter::GetHashSeed(VertexId v) const
{
    EnsureSeeds();
    return m_seeds[m_tables->GetIndex(v)];
}

const EcmpTables&
FabricRouter::GetTables() const
{
    return *m_tables;
}

void
FabricRouter::SetRoutesChangedCallback(const RoutesChangedCallback& callback)
{
    m_routesChanged = callback;
}

void
FabricRouter::OnChange(const GraphChange& change)
{
    const auto packet = [this](EdgeId e) { return m_graph->GetSpec(e).kind == EdgeKind::PACKET; };
    if (std::any_of(change.down.begin(), change.down.end(), packet) ||
        std::any_of(change.up.begin(), change.up.end(), packet))
    {
        CountStranded();
    }
    const std::vector<VertexId> switches = m_tables->Update(change);
    if (!switches.empty() && !m_routesChanged.IsNull())
    {
        m_routesChanged(switches);
    }
}

const RoutingPolicy&
FabricRouter::Select(const RoutingPolicy* override, TrafficClass trafficClass) const
{
    return override != nullptr ? *override : *m_policies[static_cast<std::size_t>(trafficClass)];
}

void
FabricRouter::ResolveLane(const RouteQuery& query,
                          const RoutingPolicy* policy,
                          std::vector<LaneRoute>& routes) const
{
    if (m_graph->GetServerOf(query.source) == m_graph->GetServerOf(query.destination))
    {
        routes.assign(1, LaneRoute());
        return;
    }
    Choose(Select(policy, query.trafficClass), query, routes);
}

void
FabricRouter::Choose(const RoutingPolicy& policy,
                     const RouteQuery& query,
                     std::vector<LaneRoute>& routes) const
{
    policy.Choose(*m_graph, query, routes);
    if (!m_graph->HasOneWay())
    {
        return;
    }
    const auto oneWay = [this](const LaneRoute& route) {
        return route.legs.back().path == PathClass::CIRCUIT &&
               std::any_of(route.legs.begin(), route.legs.end(), [this](const NetworkLeg& leg) {
                   return leg.path == PathClass::CIRCUIT &&
                          m_graph->GetLitPeer(leg.to, leg.toNic) !=
                              std::make_pair(leg.from, leg.fromNic);
               });
    };
    if (std::none_of(routes.begin(), routes.end(), oneWay))
    {
        return;
    }
    RouteQuery back = query;
    std::swap(back.source, back.destination);
    policy.Choose(*m_graph, back, m_answers);
    if (m_answers.empty())
    {
        routes.erase(std::remove_if(routes.begin(), routes.end(), oneWay), routes.end());
        double left = 0;
        for (const LaneRoute& route : routes)
        {
            left += route.share;
        }
        for (LaneRoute& route : routes)
        {
            route.share /= left;
        }
    }
}

void
FabricRouter::ResolveTransfer(const Transfer& transfer,
                              LoadBalance balance,
                              TransferId id,
                              FluidRoute& route) const
{
    const ServerId from = m_graph->GetServerOf(transfer.source);
    const ServerId to = m_graph->GetServerOf(transfer.destination);
    const uint32_t lastLane = transfer.lanes - 1;
    MIXNET_CHECK(m_graph->GetServerOf(GpuId(transfer.source.Get() + lastLane)) == from &&
                     m_graph->GetServerOf(GpuId(transfer.destination.Get() + lastLane)) == to,
                 "the lanes of a transfer leave its servers");
    const double laneShare = 1.0 / transfer.lanes;
    EcmpChoice choice{balance, &m_seeds, 0};
    if (balance == LoadBalance::PER_FLOW)
    {
        EnsureSeeds();
    }
    m_builder->Clear();
    for (uint32_t lane = 0; lane < transfer.lanes; ++lane)
    {
        const GpuId source(transfer.source.Get() + lane);
        const GpuId destination(transfer.destination.Get() + lane);
        if (from == to)
        {
            m_builder->AddLocal(source, destination, laneShare);
            continue;
        }
        choice.hash = balance == LoadBalance::PER_FLOW ? HashLane(id, lane) : 0;
        const RouteQuery query{source,
                               destination,
                               lane,
                               transfer.lanes,
                               transfer.trafficClass,
                               balance,
                               choice.hash};
        Choose(Select(transfer.policy, transfer.trafficClass), query, m_routes);
        bool joined = !m_routes.empty();
        for (const LaneRoute& way : m_routes)
        {
            joined = joined &&
                     m_builder->AddRoute(source, destination, way, way.share * laneShare, choice);
        }
        if (!joined)
        {
            route = FluidRoute();
            return;
        }
    }
    m_builder->Finish(route);
}

void
FabricRouter::ResolveWay(const RouteQuery& lane, const LaneRoute& way, FluidRoute& route) const
{
    EnsureSeeds();
    m_builder->Clear();
    if (way.legs.empty())
    {
        m_builder->AddLocal(lane.source, lane.destination, 1);
    }
    else if (!m_builder->AddRoute(lane.source,
                                  lane.destination,
                                  way,
                                  1,
                                  {lane.balance, &m_seeds, lane.hash}))
    {
        route = FluidRoute();
        return;
    }
    m_builder->Finish(route);
}

} // namespace ns3
