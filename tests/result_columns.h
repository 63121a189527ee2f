/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RESULT_COLUMNS_H
#define RESULT_COLUMNS_H

#include "ns3/result-table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace ns3
{

/// Cells of a table by name.
class ResultColumns
{
  public:
    /// @param tables tables of a run @param name which; a failure when it is not there
    ResultColumns(const std::vector<ResultTable>& tables, const std::string& name)
    {
        const auto it = std::find_if(tables.begin(), tables.end(), [&](const ResultTable& t) {
            return t.GetName() == name;
        });
        EXPECT_NE(it, tables.end()) << name;
        m_table = it == tables.end() ? nullptr : &*it;
    }

    /// @return number of rows
    std::size_t GetNRows() const
    {
        return m_table ? m_table->GetNRows() : 0;
    }

    /// @param name column @param row row @return its number; 0 with a failure when there is none
    double Number(const std::string& name, std::size_t row) const
    {
        double value = 0;
        Visit(name, [&](const auto& values) {
            if constexpr (std::is_arithmetic_v<std::decay_t<decltype(values[0])>>)
            {
                value = static_cast<double>(values.at(row));
            }
        });
        return value;
    }

    /// @param name column @param row row @return its text; empty with a failure when there is none
    std::string Text(const std::string& name, std::size_t row) const
    {
        std::string value;
        Visit(name, [&](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values[0])>, std::string>)
            {
                value = values.at(row);
            }
        });
        return value;
    }

    /// @param name column @return its unit; empty with a failure when there is none
    std::string Unit(const std::string& name) const
    {
        const ResultTable::Column* column = Find(name);
        return column ? column->unit : "";
    }

  private:
    /// @param name column @return it, or null with a failure
    const ResultTable::Column* Find(const std::string& name) const
    {
        if (m_table)
        {
            for (const auto& c : m_table->GetColumns())
            {
                if (c.name == name)
                {
                    return &c;
                }
            }
        }
        ADD_FAILURE() << "no column " << name;
        return nullptr;
    }

    /// @param name column @param use what to do with its values
    template <class F>
    void Visit(const std::string& name, const F& use) const
    {
        if (const ResultTable::Column* column = Find(name))
        {
            std::visit(use, column->values);
        }
    }

    const ResultTable* m_table{nullptr}; //!< the table
};

} // namespace ns3

#endif // RESULT_COLUMNS_H
