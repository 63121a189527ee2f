/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_IDEAL_TIME_H
#define MIXNET_IDEAL_TIME_H

#include "ns3/flow-wire.h"
#include "ns3/router.h"

#include <cstdint>

namespace ns3
{

/// @ingroup mixnet
/// What a transfer would take if it were alone.
struct IdealTime
{
    int64_t total{0};       //!< ticks, from post to the delivery of the last byte; 0: no way
    int64_t propagation{0}; //!< ticks of it
};

/**
 * @ingroup mixnet
 * The closed form of an idle way.
 *
 * One way of h links with rates r: n packets pass store-and-forward links. The first packet is the
 * largest (p + 16, with the RETH), those in the middle have p bytes on the wire, the last one l.
 * The last packet has arrived when the longest chain "packet k on link i, then packet k + 1 on
 * link i or packet k on link i + 1" is over; as all packets in the middle are alike it changes
 * links at the first, at the last, or stays on the slowest link between them:
 *
 *     max over a <= m <= b of  sum_{i<=a} (p + 16)/r_i + sum_{a<=i<=b} p/r_i + (n - 3) p/r_m
 *                              + sum_{i>=b} l/r_i   + propagation
 *
 * On equal links that is (wire bytes + (h - 1)(p + 16)) / r + propagation.
 *
 * Several ways with shares (ideal balancing): the busiest channel's bytes at its rate, the first
 * packet on the links behind the first one at that rate, and the propagation of the longest way.
 * Inside a server: bytes / rate of the scale-up port.
 *
 * @param graph rates and delays
 * @param route way of the transfer
 * @param transfer of one lane
 * @param wire packets
 * @return what it takes
 */
IdealTime GetIdealTime(const FabricGraph& graph,
                       const FluidRoute& route,
                       const Transfer& transfer,
                       const FlowWire& wire);

} // namespace ns3

#endif // MIXNET_IDEAL_TIME_H
