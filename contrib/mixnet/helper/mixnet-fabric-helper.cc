/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-fabric-helper.h"

#include "ns3/ns3-compat.h"

namespace ns3
{

MixnetFabric::MixnetFabric(Ptr<FabricGraph> graph,
                           Ptr<FabricRouter> router,
                           std::unique_ptr<SimulationWorld> world,
                           const std::string& description)
    : m_graph(graph),
      m_router(router),
      m_world(std::move(world)),
      m_description(description)
{
}

MixnetFabric::~MixnetFabric()
{
    // The world says whether this was moved from: in 3.37 a moved Ptr keeps its object.
    if (m_world)
    {
        m_world.reset();
        m_router->Dispose();
        m_graph->Dispose();
    }
}

Ptr<FabricGraph>
MixnetFabric::GetGraph() const
{
    return m_graph;
}

Ptr<FabricRouter>
MixnetFabric::GetRouter() const
{
    return m_router;
}

Ptr<Transport>
MixnetFabric::GetTransport() const
{
    return m_world->GetTransport();
}

Ptr<FabricControl>
MixnetFabric::GetControl() const
{
    return m_world->GetControl();
}

const SimulationWorld&
MixnetFabric::GetWorld() const
{
    return *m_world;
}

const std::string&
MixnetFabric::Describe() const
{
    return m_description;
}

int64_t
MixnetFabric::AssignStreams(int64_t stream)
{
    const int64_t router = m_router->AssignStreams(stream);
    return router + m_world->AssignStreams(stream + router);
}

MixnetFabricHelper::MixnetFabricHelper()
{
    m_topology.SetTypeId("ns3::FatTreeTopology");
    m_router.SetTypeId(FabricRouter::GetTypeId());
}

void
MixnetFabricHelper::SetTopology(const std::string& typeId)
{
    m_topology = ObjectFactory();
    m_topology.SetTypeId(typeId);
}

void
MixnetFabricHelper::SetTopologyAttribute(const std::string& name, const AttributeValue& value)
{
    m_topology.Set(name, value);
}

void
MixnetFabricHelper::SetRouterAttribute(const std::string& name, const AttributeValue& value)
{
    m_router.Set(name, value);
}

void
MixnetFabricHelper::SetFidelity(Fidelity fidelity)
{
    m_config.fidelity = fidelity;
}

void
MixnetFabricHelper::SetWorld(const WorldConfig& config)
{
    m_config = config;
}

MixnetFabric
MixnetFabricHelper::Install(const ClusterSpec& cluster) const
{
    EnsurePicosecondClock();
    const Ptr<TopologyGenerator> generator = m_topology.Create<TopologyGenerator>();
    const Ptr<FabricGraph> graph = generator->Build(cluster);
    return Install(graph, generator->Describe());
}

MixnetFabric
MixnetFabricHelper::Install(Ptr<FabricGraph> graph, const std::string& description) const
{
    EnsurePicosecondClock();
    const Ptr<FabricRouter> router = m_router.Create<FabricRouter>();
    router->SetGraph(graph);
    return MixnetFabric(graph, router, MakeWorld(m_config, graph, router), description);
}

} // namespace ns3
