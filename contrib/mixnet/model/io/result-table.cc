/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result-table.h"

#include <utility>

namespace ns3
{

ResultTable::ResultTable(const std::string& name)
    : m_name(name)
{
}

void
ResultTable::Add(const std::string& name, const std::string& unit, Values values)
{
    m_columns.push_back({name, unit, std::move(values)});
}

const std::string&
ResultTable::GetName() const
{
    return m_name;
}

const std::vector<ResultTable::Column>&
ResultTable::GetColumns() const
{
    return m_columns;
}

} // namespace ns3
