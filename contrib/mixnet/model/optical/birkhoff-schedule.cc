/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "birkhoff-schedule.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

/// @param demand demand @return the demand scaled up until all rows and columns sum to the same
DemandMatrix
ScaleUp(const DemandMatrix& demand)
{
    const std::size_t n = demand.Rows();
    DemandMatrix scaled = demand;
    std::vector<uint64_t> row(n, 0);
    std::vector<uint64_t> column(n, 0);
    for (std::size_t i = 0; i < n; ++i)
    {
        scaled(i, i) = 0;
        for (std::size_t j = 0; j < n; ++j)
        {
            row[i] += scaled(i, j);
            column[j] += scaled(i, j);
        }
    }
    uint64_t line = 0;
    for (std::size_t i = 0; i < n; ++i)
    {
        line = std::max({line, row[i], column[i]});
    }
    const auto fill = [&](std::size_t i, std::size_t j) {
        const uint64_t slack = std::min(line - row[i], line - column[j]);
        scaled(i, j) += slack;
        row[i] += slack;
        column[j] += slack;
    };
    for (std::size_t i = 0; i < n; ++i)
    {
        fill(i, i);
    }
    for (std::size_t i = 0; i < n; ++i)
    {
        for (std::size_t j = 0; j < n && row[i] < line; ++j)
        {
            fill(i, j);
        }
    }
    return scaled;
}

/// Perfect matchings of the large entries of a matrix, kept up while entries shrink.
class LargeMatching
{
  public:
    explicit LargeMatching(const DemandMatrix& left)
        : m_left(left),
          m_to(left.Rows(), NONE),
          m_from(left.Rows(), NONE)
    {
    }

    /// @param threshold least entry @return true when every row has a column; see GetColumns()
    bool Complete(uint64_t threshold)
    {
        m_threshold = threshold;
        for (uint32_t i = 0; i < m_to.size(); ++i)
        {
            if (m_to[i] != NONE && m_left(i, m_to[i]) < threshold)
            {
                m_from[m_to[i]] = NONE;
                m_to[i] = NONE;
            }
        }
        for (uint32_t i = 0; i < m_to.size(); ++i)
        {
            if (m_to[i] == NONE)
            {
                m_seen.assign(m_to.size(), false);
                if (!Augment(i))
                {
                    return false;
                }
            }
        }
        return true;
    }

    /// @return by row: its column
    const std::vector<uint32_t>& GetColumns() const
    {
        return m_to;
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX;

    /// @param i a row without a column @return true when an augmenting path gave it one
    bool Augment(uint32_t i)
    {
        for (uint32_t j = 0; j < m_to.size(); ++j)
        {
            if (m_left(i, j) >= m_threshold && !m_seen[j])
            {
                m_seen[j] = true;
                if (m_from[j] == NONE || Augment(m_from[j]))
                {
                    m_to[i] = j;
                    m_from[j] = i;
                    return true;
                }
            }
        }
        return false;
    }

    const DemandMatrix& m_left;   //!< entries
    std::vector<uint32_t> m_to;   //!< by row
    std::vector<uint32_t> m_from; //!< by column
    std::vector<bool> m_seen;     //!< columns of one search
    uint64_t m_threshold{1};      //!< least entry
};

} // namespace

BirkhoffSchedule
DecomposeDemand(const DemandMatrix& demand)
{
    const auto n = static_cast<uint32_t>(demand.Rows());
    MIXNET_CHECK(demand.Columns() == n, "demand that is not square");
    BirkhoffSchedule schedule{ScaleUp(demand), {}};
    DemandMatrix left = schedule.scaled;
    uint64_t total = n == 0 ? 0 : std::accumulate(&left(0, 0), &left(0, 0) + n, uint64_t(0));
    uint64_t threshold = 1;
    while (threshold <= total / 2)
    {
        threshold *= 2;
    }
    for (LargeMatching matching(left); total > 0;)
    {
        if (!matching.Complete(threshold))
        {
            MIXNET_CHECK(threshold > 1, "rows and columns that do not sum to the same");
            threshold /= 2;
            continue;
        }
        CircuitSlot slot{total, matching.GetColumns()};
        for (uint32_t i = 0; i < n; ++i)
        {
            slot.bytes = std::min(slot.bytes, left(i, slot.to[i]));
        }
        for (uint32_t i = 0; i < n; ++i)
        {
            left(i, slot.to[i]) -= slot.bytes;
        }
        total -= slot.bytes;
        schedule.slots.push_back(std::move(slot));
    }
    std::stable_sort(schedule.slots.begin(),
                     schedule.slots.end(),
                     [](const CircuitSlot& x, const CircuitSlot& y) { return x.bytes > y.bytes; });
    return schedule;
}

} // namespace ns3
