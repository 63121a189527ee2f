/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RELAY_POLICY_H
#define RELAY_POLICY_H

#include "circuit-paths.h"
#include "fabric-routing-policy.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A pair of servers without a circuit of its own crosses a circuit to a peer, and the packet fabric
 * (EPS) from there: circuits of the source that would idle relieve its packet NICs.
 *
 * - A pair with open circuits uses these, as under DirectOrEpsPolicy.
 * - Else a relay is any circuit of the source that is open, whose other end has a way over the EPS
 *   to the destination. IDEAL: evenly over all of them; PER_FLOW: one by hash. At the relay the
 *   bytes leave by the NIC that the GPU of the lane's index would use there.
 * - Without a relay, or without an EPS NIC of the source, by which answers come back in the packet
 *   world: the EPS.
 *
 * It does not look at what the relay's NICs carry themselves. It is no way around failed packet
 * NICs of the source; MultiHopPolicy is.
 */
class RelayPolicy : public FabricRoutingPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;

  private:
    /// Add the ways through one relay. @param graph what is up now @param query the lane
    /// @param circuit to the relay @param share of the lane @param routes ways, from number `count`
    /// on @param count in and out: number of ways @return false when there is none
    bool AppendRelay(const FabricGraph& graph,
                     const RouteQuery& query,
                     const OpenCircuit& circuit,
                     double share,
                     std::vector<LaneRoute>& routes,
                     std::size_t& count) const;

    mutable std::vector<OpenCircuit> m_circuits; //!< of the source
    mutable std::vector<OpenCircuit> m_relays;   //!< those that lead on
};

} // namespace ns3

#endif // RELAY_POLICY_H
