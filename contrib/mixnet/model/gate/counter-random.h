/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COUNTER_RANDOM_H
#define COUNTER_RANDOM_H

#include <cstdint>
#include <initializer_list>

namespace ns3
{

/**
 * @ingroup mixnet
 * Random numbers by coordinates instead of by order: the same key and coordinates give the same
 * number, whatever was asked before. The key comes from an ns-3 random stream.
 *
 * Every coordinate goes through the finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014; the
 * multipliers are Stafford's variant 13). Integers only, so the numbers are the same everywhere.
 */
class CounterRandom
{
  public:
    CounterRandom() = default;

    /// @param key key
    explicit CounterRandom(uint64_t key)
        : m_key(key)
    {
    }

    /// @param coordinates where @return the generator of everything below
    CounterRandom At(std::initializer_list<uint64_t> coordinates) const
    {
        uint64_t key = m_key;
        for (const uint64_t c : coordinates)
        {
            key = Mix(key + (c + 1) * STEP);
        }
        return CounterRandom(key);
    }

    /// @param n coordinate @return 64 random bits
    uint64_t Get(uint64_t n) const
    {
        return Mix(m_key + (n + 1) * STEP);
    }

  private:
    static constexpr uint64_t STEP = 0x9e3779b97f4a7c15; //!< odd, near 2^64 / golden ratio

    /// @param z bits @return bits that all depend on all of them, one to one
    static constexpr uint64_t Mix(uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    uint64_t m_key{0}; //!< key
};

} // namespace ns3

#endif // COUNTER_RANDOM_H
