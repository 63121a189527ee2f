/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOPO_OPT_TOPOLOGY_H
#define TOPO_OPT_TOPOLOGY_H

#include "topology-generator.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * TopoOpt: all NICs by fiber on optical patch panels, no packet fabric. One region holds all
 * servers and all panels. Which NICs are joined, once for a whole job, is a planner's business;
 * other pairs are reached over several circuits (MultiHopPolicy).
 *
 * By default one panel takes all NICs. Panels of PanelPorts ports are added until all NICs fit; NIC
 * f of each server goes to panel f mod panels, so that each panel can join any pair of servers. A
 * panel that cannot hold one NIC of every server is refused.
 *
 * Source: the TopoOpt baseline of the MixNet paper, section 7.1 (one flat patch panel, degree = all
 * NICs).
 */
class TopoOptTopology : public TopologyGenerator
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;

  private:
    /// @param cluster the servers @param panels number of panels @return ports of the fullest
    static uint32_t GetPortsNeeded(const ClusterSpec& cluster, uint32_t panels);

    uint32_t m_panelPorts; //!< ports of a panel; 0: one panel for all
};

} // namespace ns3

#endif // TOPO_OPT_TOPOLOGY_H
