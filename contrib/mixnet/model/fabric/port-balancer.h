/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PORT_BALANCER_H
#define MIXNET_PORT_BALANCER_H

#include "forwarding-table.h"
#include "frame.h"

#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * Strategy: which of several equal-cost ports a frame takes. One object per switch, chosen by
 * TypeId name (PacketSwitch::Balancer) and asked, in the order of arrivals, for frames that have at
 * least two ports.
 */
class PortBalancer : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param frame frame to forward
     * @param hash FlowHash of its flow with the switch's seed
     * @param choice its equal-cost ports, at least two
     * @param now when it arrived
     * @return one of the ports
     */
    virtual uint16_t Choose(const Frame& frame,
                            uint32_t hash,
                            const PortChoice& choice,
                            SimTick now) = 0;

    /// The routes were replaced: groups remembered from before mean nothing.
    virtual void ForgetRoutes()
    {
    }

    /// @param stream first stream @return streams used
    virtual int64_t AssignStreams(int64_t stream)
    {
        return 0;
    }
};

/**
 * @ingroup mixnet
 * ECMP: the hash of the flow alone decides, so a flow keeps its way (RFC 2992). A switch that has
 * this balancer does not even call it.
 */
class EcmpBalancer : public PortBalancer
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    uint16_t Choose(const Frame& frame,
                    uint32_t hash,
                    const PortChoice& choice,
                    SimTick now) override;
};

} // namespace ns3

#endif // MIXNET_PORT_BALANCER_H
