/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLOS_TOPOLOGY_H
#define CLOS_TOPOLOGY_H

#include "clos-plan.h"
#include "topology-generator.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * What the generators with an electrical Clos fabric share: its settings, and the switches above
 * the NICs. Sizes follow ClosPlan.
 */
class ClosTopology : public TopologyGenerator
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    /// @param nics all NICs of the cluster, on the Clos or not; they set the default radix, so that
    /// fabrics of one cluster take the same switches @return what to plan for
    ClosRequest GetRequest(uint32_t nics) const;

    /// @param plan sizes @param graph out: the switches, tier by tier @return the leaves
    static std::vector<VertexId> AddSwitches(const ClosPlan& plan, FabricGraph& graph);

    /// @param plan sizes, as given to AddSwitches @param leaves what it returned @param graph out:
    /// the links between the switches
    void AddTrunks(const ClosPlan& plan,
                   const std::vector<VertexId>& leaves,
                   FabricGraph& graph) const;

  private:
    uint32_t m_radix;               //!< 0: by the number of NICs
    uint32_t m_tiers;               //!< 0: fewest
    std::string m_oversubscription; //!< "d:u"
};

/**
 * @ingroup mixnet
 * Fat-tree: NICs fill the leaves in order of server and NIC, so that the NICs of one server lie on
 * one leaf, or on neighboring ones where a leaf's ports are no multiple of them. Any number of
 * servers, with any numbers of NICs. Two tiers (attribute Tiers) are a leaf-spine. See ClosPlan for
 * tiers, over-subscription and sizes.
 */
class FatTreeTopology : public ClosTopology
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;
};

} // namespace ns3

#endif // CLOS_TOPOLOGY_H
