/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TIME_HEAP_H
#define TIME_HEAP_H

#include "ns3/frame.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Queue-pair slots by time: a 4-ary heap of small entries in one array, without removal from the
 * middle (owners check on expiry whether an entry still holds). Equal times leave in order of
 * arrival, so results do not depend on the shape of the heap.
 */
class TimeHeap
{
  public:
    /// @return true when there is no entry
    bool IsEmpty() const
    {
        return m_entries.empty();
    }

    /// @return earliest time
    SimTick GetTime() const
    {
        return m_entries[0].time;
    }

    /// @return slot of the earliest entry
    uint32_t GetFirst() const
    {
        return m_entries[0].slot;
    }

    /// @param time when @param slot a queue pair
    void Push(SimTick time, uint32_t slot)
    {
        const Entry entry{time, m_order++, slot};
        std::size_t i = m_entries.size();
        m_entries.push_back(entry);
        while (i > 0)
        {
            const std::size_t parent = (i - 1) / 4;
            if (!entry.IsBefore(m_entries[parent]))
            {
                break;
            }
            m_entries[i] = m_entries[parent];
            i = parent;
        }
        m_entries[i] = entry;
    }

    /// Remove the earliest entry. @return its slot
    uint32_t Pop()
    {
        const uint32_t slot = m_entries[0].slot;
        const Entry last = m_entries.back();
        m_entries.pop_back();
        if (!m_entries.empty())
        {
            Sift(last);
        }
        return slot;
    }

  private:
    /// An entry.
    struct Entry
    {
        SimTick time;   //!< when
        uint32_t order; //!< order of arrival, wraps
        uint32_t slot;  //!< queue pair

        /// @param o other @return true when this leaves first
        bool IsBefore(const Entry& o) const
        {
            return time < o.time || (time == o.time && static_cast<int32_t>(order - o.order) < 0);
        }
    };

    /// @param entry to be placed from the top
    void Sift(const Entry& entry)
    {
        const std::size_t n = m_entries.size();
        std::size_t i = 0;
        for (;;)
        {
            const std::size_t child = 4 * i + 1;
            if (child >= n)
            {
                break;
            }
            std::size_t best = child;
            for (std::size_t c = child + 1; c < child + 4 && c < n; ++c)
            {
                best = m_entries[c].IsBefore(m_entries[best]) ? c : best;
            }
            if (!m_entries[best].IsBefore(entry))
            {
                break;
            }
            m_entries[i] = m_entries[best];
            i = best;
        }
        m_entries[i] = entry;
    }

    std::vector<Entry> m_entries; //!< heap
    uint32_t m_order{0};          //!< next order of arrival
};

} // namespace ns3

#endif // TIME_HEAP_H
