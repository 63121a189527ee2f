/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "expert-capacity.h"

#include <numeric>

namespace ns3
{

const char*
GetName(CapacityScope s)
{
    return s == CapacityScope::RANK ? "rank" : "group";
}

ExpertCapacity::ExpertCapacity(uint32_t permille, CapacityScope scope)
    : m_permille(permille),
      m_scope(scope)
{
}

uint64_t
ExpertCapacity::Apply(Matrix<uint32_t>& tokens, uint64_t copies)
{
    if (m_permille == 0)
    {
        return 0;
    }
    const bool rank = m_scope == CapacityScope::RANK;
    const uint64_t all = copies * (rank ? 1 : tokens.Rows()) * m_permille;
    const uint64_t parts = 1000 * tokens.Columns();
    const uint64_t capacity = (all + parts - 1) / parts;
    return rank ? CutRows(tokens, capacity) : CutColumns(tokens, capacity);
}

uint64_t
ExpertCapacity::CutRows(Matrix<uint32_t>& tokens, uint64_t capacity)
{
    uint64_t dropped = 0;
    for (uint32_t& copies : tokens.Data())
    {
        if (copies > capacity)
        {
            dropped += copies - capacity;
            copies = static_cast<uint32_t>(capacity);
        }
    }
    return dropped;
}

uint64_t
ExpertCapacity::CutColumns(Matrix<uint32_t>& tokens, uint64_t capacity)
{
    uint64_t dropped = 0;
    m_column.resize(tokens.Rows());
    for (std::size_t e = 0; e < tokens.Columns(); ++e)
    {
        for (std::size_t rank = 0; rank < tokens.Rows(); ++rank)
        {
            m_column[rank] = tokens(rank, e);
        }
        const uint64_t sum = std::accumulate(m_column.begin(), m_column.end(), uint64_t(0));
        if (sum <= capacity)
        {
            continue;
        }
        dropped += sum - capacity;
        m_share.Share(m_column, capacity, m_kept);
        for (std::size_t rank = 0; rank < tokens.Rows(); ++rank)
        {
            tokens(rank, e) = m_kept[rank];
        }
    }
    return dropped;
}

std::string
ExpertCapacity::Describe() const
{
    if (m_permille == 0)
    {
        return "";
    }
    const std::string decimals = std::to_string(1000 + m_permille % 1000).substr(1);
    const std::string factor = std::to_string(m_permille / 1000) + "." + decimals;
    return "capacity factor " + factor + " per " + GetName(m_scope) +
           ": token copies beyond it are dropped";
}

} // namespace ns3
