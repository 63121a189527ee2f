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
 * A pair of servers without a circuit of its own crosses a circuit to a peer and goes on from there
 * (attribute Onward): circuits of the source that would idle relieve its packet NICs.
 *
 * - EPS (default): the peer sends it on over the packet fabric, by the NIC that the GPU of the
 *   lane's index would use there;
 * - CIRCUIT: over its circuits to the destination; where no peer has one, the source's own packet
 *   NICs carry the bytes;
 * - EITHER: over its circuits to the destination, else over the packet fabric.
 *
 * A pair with open circuits uses these, as under DirectOrEpsPolicy. Else a relay is any circuit of
 * the source that is open, whose other end has such a way on. IDEAL: evenly over all of them, and
 * evenly over the parallel circuits behind a relay; PER_FLOW: one by hash, and there the circuit
 * that a lane from the GPU takes (g mod c). Without a relay: the source's packet NICs.
 *
 * Relaying into the packet fabric takes a way of the source's own to it, by which answers come back
 * in the packet world; without a packet NIC that is up, that is the Detour of every policy. Answers
 * to what is relayed into a circuit come back over both circuits. The policy does not look at what
 * the relay's NICs carry themselves.
 */
class RelayPolicy : public FabricRoutingPolicy
{
  public:
    /// How a relay sends on.
    enum Onward
    {
        EPS,     //!< over the packet fabric
        CIRCUIT, //!< over a second circuit
        EITHER   //!< over a second circuit where there is one, else over the packet fabric
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;

  private:
    /**
     * Add the ways through one relay.
     *
     * @param graph what is up now @param query the lane @param circuit to the relay
     * @param share of the lane @param routes ways, from number `count` on
     * @param count in and out: number of ways
     * @return false when there is none
     */
    bool AppendRelay(const FabricGraph& graph,
                     const RouteQuery& query,
                     const OpenCircuit& circuit,
                     double share,
                     std::vector<LaneRoute>& routes,
                     std::size_t& count) const;
    /// As AppendRelay, from the relay on only. @param rest the lane, from the relay on
    bool AppendOnward(const FabricGraph& graph,
                      const RouteQuery& rest,
                      double share,
                      std::vector<LaneRoute>& routes,
                      std::size_t& count) const;

    Onward m_onward{EPS};                        //!< attribute
    mutable bool m_answers{false};               //!< the source has a way over the packet fabric
    mutable std::vector<OpenCircuit> m_circuits; //!< of the source
    mutable std::vector<OpenCircuit> m_relays;   //!< those that lead on
    mutable std::vector<OpenCircuit> m_second;   //!< of a relay, to the destination
};

} // namespace ns3

#endif // RELAY_POLICY_H
