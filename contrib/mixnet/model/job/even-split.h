/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EVEN_SPLIT_H
#define EVEN_SPLIT_H

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * `total` items in `parts` contiguous parts, as even as possible: the first total % parts parts
 * hold one item more.
 */
class EvenSplit
{
  public:
    EvenSplit() = default;

    /// @param total items @param parts parts, at least 1
    EvenSplit(uint32_t total, uint32_t parts)
        : m_total(total),
          m_parts(parts)
    {
    }

    /// @return number of parts
    uint32_t GetParts() const
    {
        return m_parts;
    }

    /// @return number of items
    uint32_t GetTotal() const
    {
        return m_total;
    }

    /// @return true when all parts hold the same number
    bool IsEven() const
    {
        return m_total % m_parts == 0;
    }

    /// @param part part @return its number of items
    uint32_t GetCount(uint32_t part) const
    {
        return m_total / m_parts + (part < m_total % m_parts ? 1 : 0);
    }

    /// @param part part, up to the number of parts @return its first item
    uint32_t GetFirst(uint32_t part) const
    {
        const uint32_t longer = m_total % m_parts;
        return part * (m_total / m_parts) + (part < longer ? part : longer);
    }

    /// @param item item @return its part
    uint32_t GetPart(uint32_t item) const
    {
        const uint32_t count = m_total / m_parts;
        const uint32_t longer = m_total % m_parts;
        const uint32_t inLonger = longer * (count + 1);
        return item < inLonger ? item / (count + 1) : longer + (item - inLonger) / count;
    }

  private:
    uint32_t m_total{0}; //!< items
    uint32_t m_parts{1}; //!< parts
};

} // namespace ns3

#endif // EVEN_SPLIT_H
