/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DELEGATE_PLAN_H
#define DELEGATE_PLAN_H

#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Bytes from one GPU to another.
struct GpuPairBytes
{
    GpuId from;        //!< source
    GpuId to;          //!< destination
    uint64_t bytes{0}; //!< how many
};

/// A crossing between two servers, from a GPU that owns the NIC there to one that owns it here.
struct DelegateCrossing
{
    GpuId out;                        //!< delegate at the source's server
    GpuId in;                         //!< delegate at the destination's server
    double share{0};                  //!< of the bytes between the servers
    uint64_t bytes{0};                //!< out: what it carries
    std::vector<GpuPairBytes> pieces; //!< out: whose bytes these are
};

/**
 * Share the bytes between two servers out to crossings: every crossing carries its share of the sum
 * (to the byte), and as many bytes as possible start at their own delegate or end at it, so that
 * they need not be moved inside the server. Pure.
 *
 * Law: the pieces of a GPU pair add up to its bytes, those of a crossing to the crossing's.
 *
 * Greedy in three rounds (both ends at a delegate of the crossing, one end, none), each in order of
 * crossings, then pairs. With as many crossings as pairs, all alike, and a delegate in every GPU,
 * nothing has to be moved.
 *
 * @param pairs bytes of each GPU pair
 * @param crossings in: delegates and shares, adding up to 1, at least one; out: bytes and pieces
 */
void ShareOutToDelegates(std::vector<GpuPairBytes> pairs, std::vector<DelegateCrossing>& crossings);

} // namespace ns3

#endif // DELEGATE_PLAN_H
