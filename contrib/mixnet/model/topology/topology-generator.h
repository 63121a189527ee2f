/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPOLOGY_GENERATOR_H
#define TOPOLOGY_GENERATOR_H

#include "cluster-spec.h"
#include "fabric-graph.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * Strategy: wires the servers of a cluster into a fabric. Chosen by TypeId name:
 *
 * | name | fabric |
 * |---|---|
 * | ns3::FatTreeTopology | switched Clos of one to three tiers, any over-subscription |
 * | ns3::RailOptimizedTopology | Clos whose leaves each serve one NIC index of a group |
 * | ns3::HybridTopology | MixNet: a fat-tree and one regional OCS per group of servers |
 * | ns3::TopoOptTopology | all NICs on optical patch panels |
 * | ns3::StarTopology, DumbbellTopology, ChainTopology, CircuitPairTopology | small ones |
 *
 * Law, the same for every generator: vertices are the servers, then the switches from the servers
 * upwards, then the optical switches; edges are those of the NICs, by server and NIC, then those
 * between switches. Thus the edge of a NIC is its NicAddressMap address, and fabrics that differ
 * only in what is above the NICs number servers, GPUs and NICs alike.
 */
class TopologyGenerator : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param cluster the servers
     * @return their fabric
     * @throws InputError when the settings cannot serve the cluster; it says what could
     */
    Ptr<FabricGraph> Build(const ClusterSpec& cluster);

    /// @return what the last Build made: switches per tier, ports, links; several lines
    std::string Describe() const;

  protected:
    /**
     * @param cluster the servers, checked
     * @param graph out: holds the servers as vertices already; add the rest
     * @return one line that says what was built
     */
    virtual std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const = 0;

    /// @return an electrical edge at the NICs' rate
    EdgeSpec GetPacketEdge() const;
    /// @return a fiber at the NICs' rate
    EdgeSpec GetFiberEdge() const;

  private:
    DataRate m_nicRate;        //!< of every NIC and switch port
    Time m_linkDelay;          //!< of every electrical link
    Time m_fiberDelay;         //!< of every fiber between a NIC and an optical switch
    std::string m_description; //!< of the last Build
};

/**
 * @ingroup mixnet
 * @param graph a fabric
 * @return its sizes: servers, switches and ports in use per tier, links per pair of tiers,
 * optical switches, fibers, regions; several lines
 */
std::string DescribeFabric(const FabricGraph& graph);

} // namespace ns3

#endif // TOPOLOGY_GENERATOR_H
