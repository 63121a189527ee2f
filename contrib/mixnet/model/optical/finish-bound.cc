/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "finish-bound.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// 128 bits: bytes x rate overflows 64.
__extension__ using Wide = unsigned __int128;

} // namespace

uint32_t
FinishBound::CountCircuits(uint32_t a, uint32_t b) const
{
    const uint64_t bytes = std::max(m_demand(a, b), m_demand(b, a));
    const uint64_t rate = std::min(m_rates.circuit[a], m_rates.circuit[b]).GetBitRate();
    if (rate == 0 || m_bound.bytes == 0)
    {
        return 0;
    }
    const Wide needed = Wide(bytes) * m_bound.rate / (Wide(m_bound.bytes) * rate) + 1;
    return needed > UINT32_MAX ? 0 : static_cast<uint32_t>(needed);
}

uint64_t
FinishBound::GetPacketBytes(uint32_t server) const
{
    // The largest x with x / rate < bytes / bound rate.
    const uint64_t rate = m_rates.packet[server].GetBitRate();
    if (rate == 0 || m_bound.bytes == 0)
    {
        return 0;
    }
    if (m_bound.rate == 0)
    {
        return UINT64_MAX;
    }
    const Wide most = (Wide(m_bound.bytes) * rate - 1) / m_bound.rate;
    return most > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(most);
}

} // namespace ns3
