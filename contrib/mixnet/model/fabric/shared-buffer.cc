/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "shared-buffer.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/nstime.h"

namespace ns3
{

SharedBuffer::SharedBuffer(const BufferConfig& config, const std::string& name)
    : m_config(config),
      m_queues(config.headroom.size() * N_PRIORITIES)
{
    const auto classes = static_cast<uint64_t>(__builtin_popcount(config.lossless));
    uint64_t headroom = 0;
    for (const auto bytes : config.headroom)
    {
        headroom += bytes * classes;
    }
    const uint64_t reserved = config.reserved * m_queues.size();
    if (config.total < headroom + reserved + config.reserved)
    {
        throw InputError(name + ": buffer",
                         FormatBytes(ByteCount(config.total)) + " is too small for " +
                             FormatBytes(ByteCount(headroom)) + " of PFC headroom and " +
                             FormatBytes(ByteCount(reserved)) + " reserved for " +
                             std::to_string(config.headroom.size()) + " ports",
                         "at least " +
                             FormatBytes(ByteCount(headroom + reserved + config.reserved)));
    }
    m_shared = config.total - headroom - reserved;
}

bool
SharedBuffer::FitsEasily(uint32_t port,
                         uint8_t priority,
                         uint32_t bytes,
                         uint64_t egressBytes) const
{
    Queue q = At(port, priority);
    const uint64_t before = SharedPart(q);
    q.used += bytes;
    const uint64_t after = SharedPart(q);
    const uint64_t free = m_shared - m_sharedUsed;
    if (q.headroom > 0 || after - before > free)
    {
        return false;
    }
    if (IsLossless(priority))
    {
        const uint64_t left = free - (after - before);
        return after < static_cast<uint64_t>(m_config.alphaLossless * static_cast<double>(left));
    }
    return after == before || egressBytes + bytes <= Threshold(m_config.alphaLossy);
}

SharedBuffer::Verdict
SharedBuffer::Admit(uint32_t port, uint8_t priority, uint32_t bytes, uint64_t egressBytes)
{
    Queue& q = At(port, priority);
    const uint64_t before = SharedPart(q);
    Queue grown = q;
    grown.used += bytes;
    const uint64_t after = SharedPart(grown);
    const uint64_t free = m_shared - m_sharedUsed;
    const bool lossless = IsLossless(priority);
    const uint64_t used = lossless ? after : egressBytes + bytes;
    const double alpha = lossless ? m_config.alphaLossless : m_config.alphaLossy;
    if (after == before || (after - before <= free && used <= Threshold(alpha)))
    {
        Charge(port, priority, bytes);
        return Verdict::ADMIT;
    }
    if (!lossless)
    {
        return Verdict::DROP_SHARED;
    }
    if (q.headroom + bytes > m_config.headroom[port])
    {
        return Verdict::DROP_HEADROOM;
    }
    q.headroom += bytes;
    q.used += bytes;
    m_used += bytes;
    return Verdict::ADMIT;
}

uint64_t
SharedBuffer::ComputeHeadroom(DataRate rate, SimTick delay, uint32_t frameBytes, SimTick response)
{
    __extension__ using Wide = unsigned __int128;
    const Wide ticks = 2 * static_cast<Wide>(delay) + static_cast<Wide>(response);
    const Wide perByte = static_cast<Wide>(Seconds(1).GetTimeStep()) * 8;
    const Wide flight = (ticks * rate.GetBitRate() + perByte - 1) / perByte;
    return static_cast<uint64_t>(flight) + 3ULL * frameBytes + MIN_WIRE_BYTES;
}

} // namespace ns3
