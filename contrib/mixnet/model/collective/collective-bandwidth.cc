/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-bandwidth.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

double
GetBusFactor(CollectiveKind kind, uint32_t members)
{
    MIXNET_CHECK(members > 0, "a collective without members");
    const double n = members;
    switch (kind)
    {
    case CollectiveKind::ALL_REDUCE:
        return 2 * (n - 1) / n;
    case CollectiveKind::ALL_GATHER:
    case CollectiveKind::REDUCE_SCATTER:
    case CollectiveKind::ALL_TO_ALL:
        return (n - 1) / n;
    case CollectiveKind::BROADCAST:
    case CollectiveKind::POINT_TO_POINT:
        break;
    }
    return 1;
}

CollectiveBandwidth
GetCollectiveBandwidth(CollectiveKind kind, uint32_t members, ByteCount bytes, Time time)
{
    MIXNET_CHECK(time > Time(), "a collective in no time");
    const double algorithm = static_cast<double>(bytes.Get()) * 8 / time.GetSeconds();
    const double bus = algorithm * GetBusFactor(kind, members);
    return {DataRate(static_cast<uint64_t>(algorithm)), DataRate(static_cast<uint64_t>(bus))};
}

} // namespace ns3
