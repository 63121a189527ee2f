/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FABRIC_HELPER_H
#define MIXNET_FABRIC_HELPER_H

#include "simulation-world.h"

#include "ns3/cluster-spec.h"
#include "ns3/object-factory.h"
#include "ns3/topology-generator.h"

#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * A fabric that is ready to carry transfers. Movable; destroy it before Simulator::Destroy().
 */
class MixnetFabric
{
  public:
    /// @param graph graph @param router router @param world world @param description sizes
    MixnetFabric(Ptr<FabricGraph> graph,
                 Ptr<FabricRouter> router,
                 std::unique_ptr<SimulationWorld> world,
                 const std::string& description);
    MixnetFabric(MixnetFabric&&) = default;
    MixnetFabric& operator=(MixnetFabric&&) = delete;
    ~MixnetFabric();

    /// @return what is connected to what
    Ptr<FabricGraph> GetGraph() const;
    /// @return which way
    Ptr<FabricRouter> GetRouter() const;
    /// @return moves bytes
    Ptr<Transport> GetTransport() const;
    /// @return changes the network
    Ptr<FabricControl> GetControl() const;
    /// @return the world behind both
    const SimulationWorld& GetWorld() const;
    /// @return sizes: switches per tier, ports, links; several lines
    const std::string& Describe() const;
    /// @param stream first stream @return number of streams used
    int64_t AssignStreams(int64_t stream);

  private:
    Ptr<FabricGraph> m_graph;                 //!< graph
    Ptr<FabricRouter> m_router;               //!< router
    std::unique_ptr<SimulationWorld> m_world; //!< world
    std::string m_description;                //!< sizes
};

/**
 * @ingroup mixnet
 * Builds a fabric for a scratch program:
 *
 *     MixnetFabricHelper helper;
 *     helper.SetTopology("ns3::HybridTopology");
 *     helper.SetTopologyAttribute("OcsNics", UintegerValue(6));
 *     helper.SetFidelity(Fidelity::PACKET);
 *     MixnetFabric fabric = helper.Install(ClusterSpec(8));
 */
class MixnetFabricHelper
{
  public:
    MixnetFabricHelper();

    /// @param typeId a TopologyGenerator, e.g. "ns3::FatTreeTopology" (the default)
    void SetTopology(const std::string& typeId);
    /// @param name attribute of the topology @param value its value
    void SetTopologyAttribute(const std::string& name, const AttributeValue& value);
    /// @param name attribute of the router @param value its value
    void SetRouterAttribute(const std::string& name, const AttributeValue& value);
    /// @param fidelity which world (default: flow)
    void SetFidelity(Fidelity fidelity);
    /// @param config world, in all detail
    void SetWorld(const WorldConfig& config);

    /**
     * Set the clock to picoseconds if it is not yet, and build.
     *
     * @param cluster the servers
     * @return the fabric
     */
    MixnetFabric Install(const ClusterSpec& cluster) const;

    /**
     * Build on a graph of one's own, in place of the topology.
     *
     * @param graph a complete graph
     * @param description its sizes, for Describe()
     * @return the fabric
     */
    MixnetFabric Install(Ptr<FabricGraph> graph, const std::string& description) const;

  private:
    ObjectFactory m_topology; //!< generator
    ObjectFactory m_router;   //!< router
    WorldConfig m_config;     //!< world
};

} // namespace ns3

#endif // MIXNET_FABRIC_HELPER_H
