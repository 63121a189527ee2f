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
    const auto limit = [](uint64_t bytes, double alpha) {
        return bytes > 0 ? Limit{static_cast<double>(bytes), 0} : Limit{0, alpha};
    };
    m_lossless = limit(config.staticLossless, config.alphaLossless);
    m_lossy = limit(config.staticLossy, config.alphaLossy);
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
        return after < Threshold(m_lossless, m_sharedUsed + (after - before));
    }
    return after == before || egressBytes + bytes <= Threshold(m_lossy);
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
    const Limit& limit = lossless ? m_lossless : m_lossy;
    if (after == before || (after - before <= free && used <= Threshold(limit)))
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

SharedBuffer::Remainder
SharedBuffer::GetRemainder(uint32_t port, uint8_t priority, uint64_t left) const
{
    const Queue& q = At(port, priority);
    const uint64_t gone = q.used - left;
    const uint64_t headroom = q.headroom > gone ? q.headroom - gone : 0;
    const uint64_t rest = left - headroom;
    return {headroom, rest > m_config.reserved ? rest - m_config.reserved : 0};
}

bool
SharedBuffer::WouldResume(const Remainder& r, uint64_t sharedUsed) const
{
    return r.headroom == 0 &&
           (r.shared == 0 || r.shared + m_config.xonOffset <= Threshold(m_lossless, sharedUsed));
}

uint64_t
SharedBuffer::ComputeHeadroom(DataRate rate, SimTick delay, uint32_t frameBytes, SimTick response)
{
    return ComputeHeadroom(rate, delay, frameBytes, response, Seconds(1).GetTimeStep());
}

uint64_t
SharedBuffer::ComputeHeadroom(DataRate rate,
                              SimTick delay,
                              uint32_t frameBytes,
                              SimTick response,
                              SimTick ticksPerSecond)
{
    __extension__ using Wide = unsigned __int128;
    const Wide ticks = 2 * static_cast<Wide>(delay) + static_cast<Wide>(response);
    const Wide perByte = static_cast<Wide>(ticksPerSecond) * 8;
    const Wide flight = (ticks * rate.GetBitRate() + perByte - 1) / perByte;
    return static_cast<uint64_t>(flight) + 3ULL * frameBytes + MIN_WIRE_BYTES;
}

} // namespace ns3
