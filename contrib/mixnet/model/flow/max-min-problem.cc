/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "max-min-problem.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ns3
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX;
constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double SLACK = 1 + 1e-12; //!< rounding of sums of shares such as 1/3
constexpr double STALE = 1e-4;      //!< a running sum this far down has lost digits

/// @param hash hash so far @param value what comes next @return hash of both
uint64_t
Mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 29);
}

/// @param x number @return its bits
uint64_t
Bits(double x)
{
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

} // namespace

void
MaxMinProblem::Clear()
{
    m_rawCapacity.clear();
    m_weight.clear();
    m_useStart.clear();
    m_useRow.clear();
    m_useShare.clear();
}

uint32_t
MaxMinProblem::AddRow(double capacity)
{
    m_rawCapacity.push_back(capacity);
    return static_cast<uint32_t>(m_rawCapacity.size() - 1);
}

uint32_t
MaxMinProblem::AddFlow(double weight)
{
    m_weight.push_back(weight);
    m_useStart.push_back(static_cast<uint32_t>(m_useRow.size()));
    return static_cast<uint32_t>(m_weight.size() - 1);
}

void
MaxMinProblem::AddUse(uint32_t row, double coefficient)
{
    m_useRow.push_back(row);
    m_useShare.push_back(coefficient);
}

void
MaxMinProblem::Reduce()
{
    m_useStart.push_back(static_cast<uint32_t>(m_useRow.size()));
    FindBounds();
    ListRowUses();
    FindTwins();
    BuildKept();
    ListRowFlows();
}

void
MaxMinProblem::FindBounds()
{
    const auto rows = m_rawCapacity.size();
    m_boundSum.assign(rows, 0);
    m_rawCount.assign(rows, 0);
    m_bound.resize(m_weight.size());
    for (uint32_t f = 0; f < m_weight.size(); ++f)
    {
        double bound = INFINITE;
        for (uint32_t u = m_useStart[f]; u < m_useStart[f + 1]; ++u)
        {
            bound = std::min(bound, m_rawCapacity[m_useRow[u]] / m_useShare[u]);
        }
        MIXNET_CHECK(bound < INFINITE, "a flow that uses no resource");
        m_bound[f] = bound;
        for (uint32_t u = m_useStart[f]; u < m_useStart[f + 1]; ++u)
        {
            m_boundSum[m_useRow[u]] += bound * m_useShare[u];
            ++m_rawCount[m_useRow[u]];
        }
    }
    m_kept.resize(rows);
    for (uint32_t r = 0; r < rows; ++r)
    {
        const bool fills = m_rawCount[r] > 1 && m_boundSum[r] > m_rawCapacity[r] * SLACK;
        m_kept[r] = fills ? r : NONE;
    }
}

void
MaxMinProblem::ListRowUses()
{
    const auto rows = m_rawCapacity.size();
    m_rawStart.resize(rows + 1);
    uint32_t total = 0;
    for (uint32_t r = 0; r < rows; ++r)
    {
        m_rawStart[r] = total;
        total += m_kept[r] == NONE ? 0 : m_rawCount[r];
        m_rawCount[r] = 0;
    }
    m_rawStart[rows] = total;
    m_rawFlow.resize(total);
    m_rawShare.resize(total);
    m_signature.assign(rows, 0);
    for (uint32_t f = 0; f < m_weight.size(); ++f)
    {
        for (uint32_t u = m_useStart[f]; u < m_useStart[f + 1]; ++u)
        {
            const uint32_t r = m_useRow[u];
            if (m_kept[r] != NONE)
            {
                const uint32_t at = m_rawStart[r] + m_rawCount[r]++;
                m_rawFlow[at] = f;
                m_rawShare[at] = m_useShare[u];
                m_signature[r] = Mix(m_signature[r], f ^ Bits(m_useShare[u]));
            }
        }
    }
}

bool
MaxMinProblem::IsSameRow(uint32_t a, uint32_t b) const
{
    const uint32_t count = m_rawCount[a];
    return m_signature[a] == m_signature[b] && m_rawCapacity[a] == m_rawCapacity[b] &&
           count == m_rawCount[b] &&
           std::equal(m_rawFlow.begin() + m_rawStart[a],
                      m_rawFlow.begin() + m_rawStart[a] + count,
                      m_rawFlow.begin() + m_rawStart[b]) &&
           std::equal(m_rawShare.begin() + m_rawStart[a],
                      m_rawShare.begin() + m_rawStart[a] + count,
                      m_rawShare.begin() + m_rawStart[b]);
}

void
MaxMinProblem::FindTwins()
{
    const auto rows = static_cast<uint32_t>(m_rawCapacity.size());
    uint32_t size = 16;
    while (size < 2 * rows)
    {
        size *= 2;
    }
    m_table.assign(size, NONE);
    for (uint32_t r = 0; r < rows; ++r)
    {
        if (m_kept[r] == NONE)
        {
            continue;
        }
        auto slot = static_cast<uint32_t>(m_signature[r]) & (size - 1);
        while (m_table[slot] != NONE && !IsSameRow(m_table[slot], r))
        {
            slot = (slot + 1) & (size - 1);
        }
        if (m_table[slot] == NONE)
        {
            m_table[slot] = r;
        }
        else
        {
            m_kept[r] = NONE;
        }
    }
}

void
MaxMinProblem::BuildKept()
{
    m_capacity.clear();
    m_flowStart.clear();
    m_flowRow.clear();
    m_flowPull.clear();
    for (uint32_t r = 0; r < m_rawCapacity.size(); ++r)
    {
        if (m_kept[r] != NONE)
        {
            m_kept[r] = static_cast<uint32_t>(m_capacity.size());
            m_capacity.push_back(m_rawCapacity[r]);
        }
    }
    const auto flows = static_cast<uint32_t>(m_weight.size());
    m_rate.resize(flows);
    m_gone.assign(flows, 0);
    m_rising = flows;
    for (uint32_t f = 0; f < flows; ++f)
    {
        m_flowStart.push_back(static_cast<uint32_t>(m_flowRow.size()));
        bool bounded = false;
        for (uint32_t u = m_useStart[f]; u < m_useStart[f + 1]; ++u)
        {
            const uint32_t r = m_useRow[u];
            if (m_kept[r] != NONE)
            {
                m_flowRow.push_back(m_kept[r]);
                m_flowPull.push_back(m_weight[f] * m_useShare[u]);
                bounded |= m_rawCapacity[r] / m_useShare[u] == m_bound[f];
            }
        }
        if (m_flowRow.size() == m_flowStart[f])
        {
            m_rate[f] = m_bound[f];
            m_gone[f] = 1;
            --m_rising;
        }
        else if (!bounded)
        {
            m_flowRow.push_back(static_cast<uint32_t>(m_capacity.size()));
            m_flowPull.push_back(m_weight[f]);
            m_capacity.push_back(m_bound[f]);
        }
    }
    m_flowStart.push_back(static_cast<uint32_t>(m_flowRow.size()));
}

void
MaxMinProblem::ListRowFlows()
{
    const auto rows = m_capacity.size();
    m_sum.assign(rows, 0);
    m_count.assign(rows, 0);
    for (uint32_t i = 0; i < m_flowRow.size(); ++i)
    {
        m_sum[m_flowRow[i]] += m_flowPull[i];
        ++m_count[m_flowRow[i]];
    }
    m_allSum = m_sum;
    m_rowStart.resize(rows + 1);
    m_open.resize(rows);
    uint32_t total = 0;
    for (uint32_t r = 0; r < rows; ++r)
    {
        m_rowStart[r] = total;
        m_open[r] = total;
        total += m_count[r];
    }
    m_rowStart[rows] = total;
    m_rowFlow.resize(total);
    for (uint32_t f = 0; f < m_weight.size(); ++f)
    {
        for (uint32_t i = m_flowStart[f]; i < m_flowStart[f + 1]; ++i)
        {
            m_rowFlow[m_open[m_flowRow[i]]++] = f;
        }
    }
    m_left.resize(rows);
    m_openSum.resize(rows);
    m_level.resize(rows);
    m_stopped.resize(m_weight.size());
}

void
MaxMinProblem::Remove(uint32_t flow)
{
    if (m_gone[flow] == 0)
    {
        m_gone[flow] = 1;
        --m_rising;
        for (uint32_t i = m_flowStart[flow]; i < m_flowStart[flow + 1]; ++i)
        {
            const uint32_t r = m_flowRow[i];
            --m_count[r];
            m_sum[r] -= m_flowPull[i];
            if (m_sum[r] < m_allSum[r] * STALE)
            {
                m_sum[r] = Sum(r, m_gone);
            }
        }
    }
}

double
MaxMinProblem::Sum(uint32_t row, const std::vector<uint8_t>& out) const
{
    double sum = 0;
    for (uint32_t i = m_rowStart[row]; i < m_rowStart[row + 1]; ++i)
    {
        const uint32_t f = m_rowFlow[i];
        for (uint32_t k = m_flowStart[f]; out[f] == 0 && k < m_flowStart[f + 1]; ++k)
        {
            sum += m_flowRow[k] == row ? m_flowPull[k] : 0;
        }
    }
    return sum;
}

void
MaxMinProblem::Solve()
{
    const auto rows = static_cast<uint32_t>(m_capacity.size());
    std::copy(m_capacity.begin(), m_capacity.end(), m_left.begin());
    std::copy(m_sum.begin(), m_sum.end(), m_openSum.begin());
    std::copy(m_count.begin(), m_count.end(), m_open.begin());
    std::copy(m_gone.begin(), m_gone.end(), m_stopped.begin());
    for (uint32_t r = 0; r < rows; ++r)
    {
        m_level[r] = m_count[r] > 0 ? m_capacity[r] / m_sum[r] : INFINITE;
    }
    for (uint32_t rising = m_rising; rising > 0;)
    {
        uint32_t full = 0;
        double level = m_level[0];
        for (uint32_t r = 1; r < rows; ++r)
        {
            full = m_level[r] < level ? r : full;
            level = m_level[r] < level ? m_level[r] : level;
        }
        MIXNET_CHECK(level < INFINITE, "a flow that nothing stops");
        m_level[full] = INFINITE;
        for (uint32_t i = m_rowStart[full]; i < m_rowStart[full + 1]; ++i)
        {
            const uint32_t f = m_rowFlow[i];
            if (m_stopped[f] != 0)
            {
                continue;
            }
            m_stopped[f] = 1;
            --rising;
            m_rate[f] = m_weight[f] * level;
            for (uint32_t k = m_flowStart[f]; k < m_flowStart[f + 1]; ++k)
            {
                const uint32_t r = m_flowRow[k];
                if (r == full)
                {
                    continue;
                }
                m_left[r] -= m_flowPull[k] * level;
                m_openSum[r] -= m_flowPull[k];
                if (--m_open[r] == 0)
                {
                    m_level[r] = INFINITE;
                    continue;
                }
                if (m_openSum[r] < m_allSum[r] * STALE)
                {
                    m_openSum[r] = Sum(r, m_stopped);
                }
                m_level[r] = std::max(level, m_left[r] / m_openSum[r]);
            }
        }
    }
}

} // namespace ns3
