/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RAIL_OPTIMIZED_TOPOLOGY_H
#define RAIL_OPTIMIZED_TOPOLOGY_H

#include "clos-topology.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Rail-optimized Clos: as many consecutive servers as a leaf has host ports form a group, and NIC r
 * of each is on leaf r of the group (rail r), so that GPUs of one rank reach each other over one
 * switch within the group. Spines join all leaves of all rails: any NIC reaches any other. With
 * three tiers a pod holds whole groups where its floor(R / 2) leaves allow, so that crossing rails
 * within a group stays in the pod.
 *
 * There are at least two tiers unless the servers have one NIC each and fit on one switch. Where
 * servers have unequal numbers of NICs, the higher rails simply connect fewer of them.
 *
 * Source: the rail-optimized baseline of the MixNet paper, section 7.1; leaf and spine as in the
 * usual reference designs of vendors.
 */
class RailOptimizedTopology : public ClosTopology
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;
};

} // namespace ns3

#endif // RAIL_OPTIMIZED_TOPOLOGY_H
