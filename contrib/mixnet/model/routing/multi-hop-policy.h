/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MULTI_HOP_POLICY_H
#define MULTI_HOP_POLICY_H

#include "circuit-paths.h"
#include "fabric-routing-policy.h"

#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Shortest ways over open circuits, through the NICs of other servers where no circuit is direct
 * (TopoOpt); the packet fabric, where there is one, when circuits do not reach.
 *
 * - A way has the fewest circuits. Among equal ones those that stay in the region come first.
 * - IDEAL: evenly over the equal ways, at most MaxPaths of them (they differ in their first relays
 *   before they differ in later ones, and start at one that depends on the pair of servers, so that
 *   pairs do not all take the lowest ids); on each way evenly over the parallel circuits of every
 *   hop.
 * - PER_FLOW: one way by hash; of c parallel circuits of a hop a lane from GPU g takes g mod c.
 */
class MultiHopPolicy : public FabricRoutingPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RouteScope GetScope() const override;
    void Choose(const FabricGraph& graph,
                const RouteQuery& query,
                std::vector<LaneRoute>& routes) const override;

  private:
    /// A piece of a way's bytes, [begin, end) of 1 as a fraction end / denominator.
    using Fraction = std::pair<std::size_t, std::size_t>;

    /**
     * Walk the way with a number: the number's digits, lowest first, in a base that is the number
     * of next servers at each step, choose them.
     *
     * @param from a server @param to another one that is reachable @param number the way
     * @param offset added to each digit
     * @return true unless digits are left over (the number of no way); servers are in m_way
     */
    bool Walk(ServerId from, ServerId to, uint64_t number, uint64_t offset) const;
    /// Add the way m_way. @param share its share, split over parallel circuits @param query the
    /// lane
    /// @param single take one circuit per hop @param local index of the GPU in its server
    void AppendWay(double share,
                   bool single,
                   uint32_t local,
                   std::vector<LaneRoute>& routes,
                   std::size_t& count) const;
    /// @param from a server @param to another one that is reachable @return number of shortest
    /// ways, at most m_maxPaths
    uint64_t CountWays(ServerId from, ServerId to) const;

    uint32_t m_maxPaths{8};               //!< attribute
    mutable CircuitPaths m_paths;         //!< what is open now
    mutable std::vector<ServerId> m_way;  //!< servers of the way at hand
    mutable std::vector<ServerId> m_next; //!< next servers
    mutable std::vector<Fraction> m_cuts; //!< where parallel circuits change along a way
};

} // namespace ns3

#endif // MULTI_HOP_POLICY_H
