/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_ROUTER_H
#define MIXNET_ROUTER_H

#include "routing-policy.h"
#include "transport.h"

#include <array>
#include <vector>

namespace ns3
{

/// Use of one channel (direction of an edge) by a transfer.
struct ChannelShare
{
    ChannelId channel; //!< the channel
    double share{0};   //!< share of the transfer's bytes that cross it
};

/// Use of one GPU's scale-up port by a transfer.
struct ScaleUpShare
{
    GpuId gpu;          //!< the GPU
    bool egress{false}; //!< true out of the GPU, false into it
    double share{0};    //!< share of the transfer's bytes
};

/// Use of one direction of a NUMA link by a transfer.
struct NumaShare
{
    uint32_t link{0}; //!< of ServerPaths::GetNumaLinks()
    double share{0};  //!< share of the transfer's bytes
};

/// A transfer's ways as the fluid world sees them.
struct FluidRoute
{
    std::vector<ChannelShare> channels;             //!< by channel id, each once
    std::vector<ScaleUpShare> scaleUp;              //!< by GPU, each port once
    std::vector<NumaShare> numa;                    //!< by link, each once
    Time propagation;                               //!< longest way: sum of all delays
    uint32_t storeAndForward{0};                    //!< longest way: links behind the first that
                                                    //!< serialize again (switches, relays)
    std::array<double, N_PATH_CLASSES> pathShare{}; //!< share of bytes on each path class
    bool reachable{false};                          //!< false: no way now
};

/**
 * @ingroup mixnet
 * Which way, for both worlds; implemented in routing/. Holds one RoutingPolicy per traffic class
 * and the equal-cost ways of the packet fabric, and follows the graph.
 */
class Router : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param query one lane
     * @param policy override, null for the policy of its class
     * @param routes out: its ways; empty when there is none
     */
    virtual void ResolveLane(const RouteQuery& query,
                             const RoutingPolicy* policy,
                             std::vector<LaneRoute>& routes) const = 0;

    /**
     * @param transfer a transfer with all its lanes
     * @param balance how parallel ways are shared
     * @param id its id, hashed for PER_FLOW
     * @param route out: what it uses
     */
    virtual void ResolveTransfer(const Transfer& transfer,
                                 LoadBalance balance,
                                 TransferId id,
                                 FluidRoute& route) const = 0;

    /**
     * What one way of a lane uses, as far as the router can tell.
     *
     * @param lane its ends, and how parallel ways inside the packet fabric are shared; of the hash,
     * the low 14 bits are those of the UDP source port
     * @param way the way; none of its legs: inside a server
     * @param route out: what it uses; unreachable when it cannot tell, as unless overridden
     */
    virtual void ResolveWay(const RouteQuery& lane, const LaneRoute& way, FluidRoute& route) const;

    /// @param transfer a transfer @return false when its policy never uses circuits; true unless
    /// overridden
    virtual bool UsesCircuits(const Transfer& transfer) const;

    /**
     * Routes of IDEAL transfers between the same GPUs with the same lanes, class and policy are
     * the same while this does not change.
     *
     * @param transfer a transfer
     * @return version of everything its way depends on
     */
    virtual uint64_t GetVersion(const Transfer& transfer) const = 0;
};

} // namespace ns3

#endif // MIXNET_ROUTER_H
