/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_BANDWIDTH_H
#define COLLECTIVE_BANDWIDTH_H

#include "ns3/data-rate.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/// What a collective does.
enum class CollectiveKind : uint8_t
{
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    ALL_TO_ALL,
    BROADCAST,
    POINT_TO_POINT
};

/**
 * Bandwidths as nccl-tests reports them (NVIDIA/nccl-tests, doc/PERFORMANCE.md), in bits/s; its
 * tables are in GB/s of 10^9 bytes.
 *
 * `bytes` is nccl-tests' size: the buffer of a rank in an all-reduce, a broadcast or a
 * point-to-point message, the larger one of its two buffers in an all-gather and a reduce-scatter
 * (the whole), and all that a rank sends, itself included, in an all-to-all.
 */
struct CollectiveBandwidth
{
    DataRate algorithm; //!< algbw: size / time
    DataRate bus;       //!< busbw: algbw x factor; at most the rate of a member's port, whatever n
};

/**
 * What a rank must at least receive, on average over all ranks, as a multiple of the size.
 *
 * @param kind what is done
 * @param members n, at least 1
 * @return 2(n-1)/n for an all-reduce; (n-1)/n for all-gather, reduce-scatter and all-to-all; 1 for
 * a broadcast and a point-to-point message
 */
double GetBusFactor(CollectiveKind kind, uint32_t members);

/**
 * @param kind what was done
 * @param members n, at least 1
 * @param bytes size, see CollectiveBandwidth
 * @param time how long it took, above zero
 * @return the bandwidths, rounded down to bits/s
 */
CollectiveBandwidth GetCollectiveBandwidth(CollectiveKind kind,
                                           uint32_t members,
                                           ByteCount bytes,
                                           Time time);

} // namespace ns3

#endif // COLLECTIVE_BANDWIDTH_H
