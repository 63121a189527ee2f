/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_BYTE_COUNT_H
#define MIXNET_BYTE_COUNT_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <ostream>

namespace ns3
{

/**
 * @ingroup mixnet
 * A number of bytes, 64 bits. Dividing it by a DataRate gives a Time.
 */
class ByteCount
{
  public:
    constexpr ByteCount() = default;

    /// @param bytes number of bytes
    explicit constexpr ByteCount(uint64_t bytes)
        : m_bytes(bytes)
    {
    }

    /// @return number of bytes
    constexpr uint64_t Get() const
    {
        return m_bytes;
    }

    /// @param other addend @return this
    constexpr ByteCount& operator+=(ByteCount other)
    {
        m_bytes += other.m_bytes;
        return *this;
    }

    /// @param other subtrahend, at most this @return this
    constexpr ByteCount& operator-=(ByteCount other)
    {
        m_bytes -= other.m_bytes;
        return *this;
    }

    friend constexpr ByteCount operator+(ByteCount a, ByteCount b)
    {
        return ByteCount(a.m_bytes + b.m_bytes);
    }

    friend constexpr ByteCount operator-(ByteCount a, ByteCount b)
    {
        return ByteCount(a.m_bytes - b.m_bytes);
    }

    friend constexpr ByteCount operator*(ByteCount a, uint64_t n)
    {
        return ByteCount(a.m_bytes * n);
    }

    friend constexpr bool operator==(ByteCount a, ByteCount b)
    {
        return a.m_bytes == b.m_bytes;
    }

    friend constexpr bool operator!=(ByteCount a, ByteCount b)
    {
        return a.m_bytes != b.m_bytes;
    }

    friend constexpr bool operator<(ByteCount a, ByteCount b)
    {
        return a.m_bytes < b.m_bytes;
    }

    friend constexpr bool operator>(ByteCount a, ByteCount b)
    {
        return b < a;
    }

    friend constexpr bool operator<=(ByteCount a, ByteCount b)
    {
        return !(b < a);
    }

    friend constexpr bool operator>=(ByteCount a, ByteCount b)
    {
        return !(a < b);
    }

    friend std::ostream& operator<<(std::ostream& os, ByteCount b)
    {
        return os << b.m_bytes << "B";
    }

  private:
    uint64_t m_bytes{0}; //!< number of bytes
};

/**
 * @ingroup mixnet
 * Serialization time, rounded up to the clock's tick (nothing arrives early).
 *
 * @param size bytes, up to 2^64 - 1
 * @param rate rate, above zero
 * @return size / rate in whole ticks of the current resolution
 */
Time operator/(ByteCount size, DataRate rate);

/**
 * @ingroup mixnet
 * Serialization at one rate that carries the sub-tick remainder from one piece to the next, so
 * that any number of back-to-back pieces ends within one tick of the exact time.
 */
class RateClock
{
  public:
    /// @param rate rate, above zero
    explicit RateClock(DataRate rate);

    /**
     * @param size bytes sent back to back with the previous piece
     * @return ticks this piece takes, the carried remainder included
     */
    Time Advance(ByteCount size);

    /**
     * @param size bytes
     * @param start when they begin to be sent; after the end of the previous piece the line was
     * idle, and the remainder is forgotten
     * @return ticks this piece takes, the carried remainder included
     */
    Time Advance(ByteCount size, Time start);

    /// Forget the carried remainder: the line went idle.
    void Reset();

  private:
    uint64_t m_bitsPerSecond;  //!< rate
    uint64_t m_ticksPerSecond; //!< ticks of the clock in a second
    uint64_t m_remainder{0};   //!< carried numerator, below m_bitsPerSecond
    int64_t m_end{0};          //!< end of the last piece that had a start, ticks
};

} // namespace ns3

#endif // MIXNET_BYTE_COUNT_H
