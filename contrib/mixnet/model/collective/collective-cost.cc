/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-cost.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

/// @return steps x bytes / (members x rate), rounded up to a tick
Time
Share(uint32_t steps, uint32_t members, ByteCount bytes, DataRate rate)
{
    MIXNET_CHECK(members > 0, "a collective without members");
    return (bytes * steps) / DataRate(rate.GetBitRate() * members);
}

} // namespace

Time
AllGatherTime(uint32_t members, ByteCount bytes, DataRate rate)
{
    return Share(members - 1, members, bytes, rate);
}

Time
ReduceScatterTime(uint32_t members, ByteCount bytes, DataRate rate)
{
    return Share(members - 1, members, bytes, rate);
}

Time
AllReduceTime(uint32_t members, ByteCount bytes, DataRate rate)
{
    return Share(2 * (members - 1), members, bytes, rate);
}

ByteCount
GatherTraffic(uint32_t members, ByteCount bytes)
{
    return bytes * (members - 1);
}

ByteCount
AllReduceTraffic(uint32_t members, ByteCount bytes)
{
    return bytes * (2 * (uint64_t(members) - 1));
}

} // namespace ns3
