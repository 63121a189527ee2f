/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RESULT_COLUMN_H
#define MIXNET_RESULT_COLUMN_H

#include <vector>

namespace ns3
{

/// @tparam R row @tparam G getter @param rows rows @param get value of a row @return a column of a
/// ResultTable
template <class R, class G>
auto
Column(const std::vector<R>& rows, const G& get)
{
    std::vector<decltype(get(rows.front()))> values;
    values.reserve(rows.size());
    for (const auto& row : rows)
    {
        values.push_back(get(row));
    }
    return values;
}

} // namespace ns3

#endif // MIXNET_RESULT_COLUMN_H
