/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_COST_H
#define COLLECTIVE_COST_H

#include "ns3/data-rate.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

#include <cstdint>

/**
 * @file
 * @ingroup mixnet
 * Closed forms of collectives among n members whose ports all have one rate per direction and
 * meet in a non-blocking switch (one scale-up domain; design, decision 19). `bytes` is the size of
 * the whole, unsharded buffer. Latency is not part of it. The bounds are those of bandwidth-optimal
 * algorithms: every member must send and receive (n-1)/n of the buffer in a reduce-scatter and in
 * an all-gather, and an all-reduce is both (Patarasuk and Yuan, JPDC 69(2), 2009).
 */

namespace ns3
{

/// @param members n, at least 1 @param bytes whole buffer @param rate per member and direction
/// @return (n-1)/n x bytes / rate
Time AllGatherTime(uint32_t members, ByteCount bytes, DataRate rate);

/// @param members n, at least 1 @param bytes whole buffer @param rate per member and direction
/// @return (n-1)/n x bytes / rate
Time ReduceScatterTime(uint32_t members, ByteCount bytes, DataRate rate);

/// @param members n, at least 1 @param bytes whole buffer @param rate per member and direction
/// @return 2(n-1)/n x bytes / rate
Time AllReduceTime(uint32_t members, ByteCount bytes, DataRate rate);

/// @param members n @param bytes whole buffer
/// @return bytes that all members together send in an all-gather or reduce-scatter, (n-1) x bytes
ByteCount GatherTraffic(uint32_t members, ByteCount bytes);

/// @param members n @param bytes whole buffer
/// @return bytes that all members together send in an all-reduce, 2(n-1) x bytes
ByteCount AllReduceTraffic(uint32_t members, ByteCount bytes);

} // namespace ns3

#endif // COLLECTIVE_COST_H
