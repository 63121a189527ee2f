/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-byte-count.h"

#include "mixnet-error.h"

namespace ns3
{

namespace
{

/// 128 bits: bytes x 8 x ticks per second overflow 64 bits from 2.3 MB on at picoseconds.
__extension__ using Wide = unsigned __int128;

/// @return ticks of the current clock in one second
uint64_t
TicksPerSecond()
{
    return static_cast<uint64_t>(Seconds(1).GetTimeStep());
}

/// @param ticks ticks @return them as Time, checked against its range
Time
FromTicks(Wide ticks)
{
    MIXNET_CHECK(ticks < (Wide(1) << 63), "time of more than 2^63 ticks");
    return TimeStep(static_cast<uint64_t>(ticks));
}

} // namespace

Time
operator/(ByteCount size, DataRate rate)
{
    MIXNET_CHECK(rate.GetBitRate() > 0, "bytes over a rate of zero");
    const Wide numerator = Wide(size.Get()) * 8 * TicksPerSecond();
    return FromTicks((numerator + rate.GetBitRate() - 1) / rate.GetBitRate());
}

RateClock::RateClock(DataRate rate)
    : m_bitsPerSecond(rate.GetBitRate()),
      m_ticksPerSecond(TicksPerSecond())
{
    MIXNET_CHECK(m_bitsPerSecond > 0, "a clock of rate zero");
}

Time
RateClock::Advance(ByteCount size)
{
    const Wide numerator = Wide(size.Get()) * 8 * m_ticksPerSecond + m_remainder;
    m_remainder = static_cast<uint64_t>(numerator % m_bitsPerSecond);
    return FromTicks(numerator / m_bitsPerSecond);
}

Time
RateClock::Advance(ByteCount size, Time start)
{
    if (start.GetTimeStep() > m_end)
    {
        Reset();
    }
    const Time took = Advance(size);
    m_end = (start + took).GetTimeStep();
    return took;
}

void
RateClock::Reset()
{
    m_remainder = 0;
}

} // namespace ns3
