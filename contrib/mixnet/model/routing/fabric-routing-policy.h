/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_ROUTING_POLICY_H
#define FABRIC_ROUTING_POLICY_H

#include "circuit-paths.h"
#include "ecmp-tables.h"

#include "ns3/routing-policy.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ns3
{

/// What the ways of a policy depend on, so that nothing is resolved anew in vain.
enum class RouteScope : uint8_t
{
    PACKET,    //!< the packet fabric
    ENDPOINTS, //!< the packet fabric, and the circuits of the two servers
    EVERYTHING //!< the packet fabric and all circuits
};

/**
 * @ingroup mixnet
 * What the policies of this module share: how a lane crosses the packet fabric (EPS).
 *
 * - It leaves by the EPS NICs that its own GPU owns, if any (IDEAL: evenly; PER_FLOW: one by hash).
 *   With one EPS NIC per GPU each lane so uses its own.
 * - Else by one EPS NIC of its server: of e usable ones, GPU g of G takes number floor(g e / G), so
 *   that GPUs spread evenly over NICs and stay on their NUMA node. With attribute SpreadOverNics
 *   and IDEAL, evenly over all of them.
 * - It arrives at the NIC of the same index, where the destination has a usable EPS NIC of that
 *   index (RailAlignment, the default: rails are not crossed in the network), else at the NIC that
 *   the first two rules give the destination GPU.
 * - A server without a usable EPS NIC (all failed, or their switches) reaches the packet fabric by
 * a relay, with attribute Detour (default): over a duplex circuit to a peer that has one, and on
 * from there; likewise at the destination (MixNet paper, section 5.4). IDEAL: evenly over all its
 *   circuits to such peers; PER_FLOW: one by hash.
 * - Usable means up and not held by a quiesce. GPUs with several NICs of their own meet others one
 *   by one. If the fabric has no way between the two NICs, the
 *   first pair of usable NICs that has one is taken.
 */
class FabricRoutingPolicy : public RoutingPolicy
{
  public:
    /// How traffic shares the parallel circuits of a pair.
    enum CircuitSharing
    {
        BY_FLOW,  //!< PER_FLOW: a lane from GPU g takes circuit g mod c; IDEAL: evenly
        BY_PACKET //!< every lane takes all, in proportion to rate (LaneRoute::pooled)
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    /// @return what its ways depend on
    virtual RouteScope GetScope() const = 0;

    /// @param tables ways through the packet fabric; without them (or for another graph) every pair
    /// of NICs that are up counts as joined
    void SetTables(std::shared_ptr<const EcmpTables> tables);

  protected:
    /**
     * Add the ways over the packet fabric.
     *
     * @param graph what is up now @param query the lane @param share its share of the lane
     * @param routes out: ways, from number `count` on @param count in and out: number of ways
     * @param detour whether servers without usable EPS NICs may take a relay
     * @return false when there is none
     */
    bool AppendEps(const FabricGraph& graph,
                   const RouteQuery& query,
                   double share,
                   std::vector<LaneRoute>& routes,
                   std::size_t& count,
                   bool detour = true) const;

    /**
     * Add the ways over circuits that join the pair: IDEAL evenly over all, PER_FLOW number g mod
     * c; with CircuitSharing by packet all of them, pooled, in proportion to rate.
     *
     * @param graph what is up now @param query the lane @param circuits open ones, at least one
     * @param routes out: ways, from number `count` on @param count in and out: number of ways
     */
    void AppendCircuits(const FabricGraph& graph,
                        const RouteQuery& query,
                        const std::vector<OpenCircuit>& circuits,
                        std::vector<LaneRoute>& routes,
                        std::size_t& count) const;

    /// @return true when parallel circuits are shared by packet
    bool IsByPacket() const
    {
        return m_sharing == BY_PACKET;
    }

    /// @param graph what is up now @param from server of it @param circuit a circuit @return rate
    /// of the slower one of its fibers, bit/s
    static double GetRate(const FabricGraph& graph, ServerId from, const OpenCircuit& circuit);

    /**
     * @param graph what is up now @param query a lane
     * @return rates of the source's NICs by which the lanes of its transfer leave for the packet
     * fabric, each NIC once, bit/s; 0 when there is none
     */
    double GetEpsRate(const FabricGraph& graph, const RouteQuery& query) const;

    /// @param routes ways; those beyond `count` are kept for their memory @param count in and out:
    /// number of ways @return the next one, without legs
    static LaneRoute& AddRoute(std::vector<LaneRoute>& routes, std::size_t& count);

  private:
    /// Circuits by which a server without usable EPS NICs gets to one with them.
    /// @param graph what is up now @param server the server @param circuits out: to such peers
    void ListRelays(const FabricGraph& graph,
                    ServerId server,
                    std::vector<OpenCircuit>& circuits) const;
    /// As AppendEps, when one end or both have no usable EPS NIC.
    bool AppendDetour(const FabricGraph& graph,
                      const RouteQuery& query,
                      double share,
                      std::vector<LaneRoute>& routes,
                      std::size_t& count) const;
    /// One way of AppendDetour. @param first circuit to the relay of the source; null: none needed
    /// @param last circuit of the destination to its relay; null: none needed
    bool AppendRelayed(const FabricGraph& graph,
                       const RouteQuery& query,
                       const OpenCircuit* first,
                       const OpenCircuit* last,
                       double share,
                       std::vector<LaneRoute>& routes,
                       std::size_t& count) const;
    /// @param graph what is up now @param server a server @param nics out: its usable EPS NICs
    static void ListUsable(const FabricGraph& graph, ServerId server, std::vector<uint32_t>& nics);
    /// @param graph what is up now @param gpu a GPU @param usable usable NICs of its server, not
    /// empty @param query the lane @param nics out: those that the GPU takes, at least one
    void PickNics(const FabricGraph& graph,
                  GpuId gpu,
                  const std::vector<uint32_t>& usable,
                  const RouteQuery& query,
                  std::vector<uint32_t>& nics) const;
    /// @param graph what is up now @param leg in and out: a crossing between usable NICs; where the
    /// fabric does not join them, other ones that it does @return false when there are none
    bool Join(const FabricGraph& graph, NetworkLeg& leg) const;

    bool m_railAlignment{true};                 //!< attribute
    bool m_spread{false};                       //!< attribute
    bool m_detour{true};                        //!< attribute
    CircuitSharing m_sharing{BY_FLOW};          //!< attribute
    std::shared_ptr<const EcmpTables> m_tables; //!< ways through the packet fabric
    mutable std::vector<uint32_t> m_usable;     //!< usable EPS NICs of the source
    mutable std::vector<uint32_t> m_usableTo;   //!< usable EPS NICs of the destination
    mutable std::vector<uint32_t> m_nics;       //!< picked at the source
    mutable std::vector<uint32_t> m_nicsTo;     //!< picked at the destination
    mutable std::vector<uint32_t> m_leaving;    //!< by all lanes of a transfer
    mutable std::vector<OpenCircuit> m_firsts;  //!< of AppendDetour: at the source
    mutable std::vector<OpenCircuit> m_lasts;   //!< at the destination
    mutable std::vector<uint32_t> m_peerNics;   //!< usable ones of a peer
};

} // namespace ns3

#endif // FABRIC_ROUTING_POLICY_H
