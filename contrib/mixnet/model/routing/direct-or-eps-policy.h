/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DIRECT_OR_EPS_POLICY_H
#define DIRECT_OR_EPS_POLICY_H

#include "circuit-paths.h"
#include "fabric-routing-policy.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * The default (design, decision 11): a pair of servers uses the circuits that join it, where at
 * least one is open, else the packet fabric; never both. Open means matched, both fibers up, and
 * not held by a quiesce. On c parallel circuits, by NIC of the source:
 *
 * - IDEAL: every lane evenly over all c;
 * - PER_FLOW: a lane from GPU g (index within its server) takes circuit g mod c;
 * - CircuitSharing by packet: every lane takes all c, in proportion to rate.
 *
 * Source: MixNet paper, section 5.3, step 1.
 */
class DirectOrEpsPolicy : public FabricRoutingPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;

  private:
    mutable std::vector<OpenCircuit> m_circuits; //!< of the source, to the destination
};

/**
 * @ingroup mixnet
 * The packet fabric only, circuits or not (DP and PP in the MixNet paper, section 5.3).
 */
class EpsOnlyPolicy : public FabricRoutingPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;
};

} // namespace ns3

#endif // DIRECT_OR_EPS_POLICY_H
