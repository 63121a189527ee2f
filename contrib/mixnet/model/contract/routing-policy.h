/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_ROUTING_POLICY_H
#define MIXNET_ROUTING_POLICY_H

#include "traffic-class.h"

#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

class FabricGraph;

/// How parallel ways are shared.
enum class LoadBalance : uint8_t
{
    IDEAL,   //!< every transfer splits evenly over all equal ways (default of the fluid world)
    PER_FLOW //!< one way per lane, by hash (default of the packet world)
};

/// One lane that asks its way.
struct RouteQuery
{
    GpuId source;                                   //!< source of this lane
    GpuId destination;                              //!< destination of this lane
    uint32_t lane{0};                               //!< index of the lane
    uint32_t lanes{1};                              //!< lanes of the transfer
    TrafficClass trafficClass{TrafficClass::OTHER}; //!< what it belongs to
    LoadBalance balance{LoadBalance::PER_FLOW};     //!< how parallel ways are shared
    uint64_t hash{0};                               //!< flow hash for PER_FLOW
};

/// One crossing between two servers: over one circuit, or through the packet fabric.
struct NetworkLeg
{
    PathClass path{PathClass::PACKET}; //!< CIRCUIT or PACKET
    ServerId from;                     //!< server it leaves
    ServerId to;                       //!< server it reaches
    uint32_t fromNic{0};               //!< NIC it leaves by
    uint32_t toNic{0};                 //!< NIC it arrives at
};

/// One way of a lane. No leg: source and destination share a server.
struct LaneRoute
{
    double share{1.0};            //!< share of the lane's bytes, all shares add up to 1
    std::vector<NetworkLeg> legs; //!< crossings in order, each from where the last one ended
    bool pooled{false};           //!< packet world: packets go to whichever of the lane's pooled
                                  //!< ways is free; the share is what to expect
};

/**
 * @ingroup mixnet
 * Strategy: which NICs and circuits a lane uses (design, decision 11). Inside the packet fabric
 * the equal-cost ways are the Router's business.
 */
class RoutingPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param graph what is up now
     * @param query the lane
     * @param routes out: its ways, shares adding up to 1; empty when there is none
     */
    virtual void Choose(const FabricGraph& graph,
                        const RouteQuery& query,
                        std::vector<LaneRoute>& routes) const = 0;
};

} // namespace ns3

#endif // MIXNET_ROUTING_POLICY_H
