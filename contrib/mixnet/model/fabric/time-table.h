/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TIME_TABLE_H
#define MIXNET_TIME_TABLE_H

#include "frame.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A time for each of some indices, and the earliest of them. A few indices are searched one by
 * one, more of them by blocks of a cache line with the earliest time of each block beside, so that
 * the search of a switch with 128 ports looks at 24 times.
 */
class TimeTable
{
  public:
    /// Another index, its time NEVER.
    void Add()
    {
        if (m_size % BLOCK == 0)
        {
            m_times.resize(m_size + BLOCK, NEVER);
            m_earliest.push_back(NEVER);
        }
        ++m_size;
        m_small = m_earliest.size() <= SMALL;
        for (std::size_t i = 0; i < m_earliest.size(); ++i)
        {
            const auto block = m_times.begin() + static_cast<std::ptrdiff_t>(i * BLOCK);
            m_earliest[i] = *std::min_element(block, block + BLOCK);
        }
    }

    /// @param index an index @return its time
    SimTick Get(uint32_t index) const
    {
        return m_times[index];
    }

    /// @param index an index @param time its time
    void Set(uint32_t index, SimTick time)
    {
        const SimTick before = m_times[index];
        m_times[index] = time;
        if (m_small)
        {
            return;
        }
        SimTick& earliest = m_earliest[index / BLOCK];
        if (time <= earliest)
        {
            earliest = time;
        }
        else if (before == earliest)
        {
            const auto block = m_times.begin() + index / BLOCK * BLOCK;
            earliest = *std::min_element(block, block + BLOCK);
        }
    }

    /// @return the index of the earliest time, the lowest one of several; 0 when there is none
    uint32_t FindEarliest() const
    {
        auto from = m_times.begin();
        auto to = from + m_size;
        if (!m_small)
        {
            from += (std::min_element(m_earliest.begin(), m_earliest.end()) - m_earliest.begin()) *
                    BLOCK;
            to = from + BLOCK;
        }
        return static_cast<uint32_t>(std::min_element(from, to) - m_times.begin());
    }

    /// @return the earliest time; NEVER when there is none
    SimTick GetEarliest() const
    {
        return m_size == 0 ? NEVER : m_times[FindEarliest()];
    }

  private:
    static constexpr uint32_t BLOCK = 8; //!< times of a cache line
    static constexpr uint32_t SMALL = 2; //!< blocks that are searched one by one

    std::vector<SimTick> m_times;    //!< by index, filled up with NEVER
    std::vector<SimTick> m_earliest; //!< by block, unless small
    uint32_t m_size{0};              //!< indices
    bool m_small{true};              //!< searched one by one
};

} // namespace ns3

#endif // MIXNET_TIME_TABLE_H
