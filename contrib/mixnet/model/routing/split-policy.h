/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SPLIT_POLICY_H
#define SPLIT_POLICY_H

#include "circuit-paths.h"
#include "fabric-routing-policy.h"

#include "ns3/data-rate.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * A pair of servers uses its open circuits and the packet fabric (EPS) at once, each in proportion
 * to its rate, so that both end together. Without an open circuit, or without the EPS, the other
 * one carries all.
 *
 * - Rate of the circuits: the sum over those that the lanes of the transfer use. IDEAL: all c of
 *   them, each lane over all of them in proportion to their rates; PER_FLOW: a lane from GPU g
 *   takes circuit g mod c, so L lanes use min(c, L). With CircuitSharing by packet all of them,
 * too.
 * - Rate of the EPS: the sum over the source's NICs that the lanes leave by (FabricRoutingPolicy),
 *   times EpsWeight.
 *
 * Every lane splits alike. A circuit counts for the slower one of its two fibers. What other
 * traffic does to the EPS is not looked at: EpsWeight below 1 leaves room for it.
 *
 * With c circuits and e NICs of the EPS at one rate R, idle, IDEAL, n bytes take n / ((c + e) R)
 * where lanes spread evenly over the NICs; n / (c R) over circuits alone.
 */
class SplitPolicy : public FabricRoutingPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;

  private:
    double m_epsWeight{1};                       //!< attribute
    mutable std::vector<OpenCircuit> m_circuits; //!< of the pair
};

} // namespace ns3

#endif // SPLIT_POLICY_H
