/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_STRIPE_H
#define PACKET_STRIPE_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Bytes of a lane that its pooled ways share by packet: each has a queue pair of its own and takes
 * the next piece when one of its pieces is acknowledged.
 */
struct PacketStripe
{
    uint64_t left{0};            //!< payload that no way has taken
    std::vector<uint32_t> parts; //!< the ways, by index of the part
};

} // namespace ns3

#endif // PACKET_STRIPE_H
