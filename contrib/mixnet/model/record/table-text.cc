/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "table-text.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <sstream>
#include <type_traits>

namespace ns3
{

TableReader::TableReader(const ResultTable& table)
{
    for (const auto& c : table.GetColumns())
    {
        m_columns[c.name] = &c.values;
    }
}

double
TableReader::Get(const std::string& name, std::size_t row) const
{
    return std::visit(
        [row](const auto& values) -> double {
            using T = typename std::decay_t<decltype(values)>::value_type;
            if constexpr (std::is_same_v<T, std::string>)
            {
                return 0;
            }
            else
            {
                return static_cast<double>(values[row]);
            }
        },
        *m_columns.at(name));
}

const std::string&
TableReader::GetText(const std::string& name, std::size_t row) const
{
    return std::get<std::vector<std::string>>(*m_columns.at(name))[row];
}

std::string
Fixed(double value, int digits)
{
    std::ostringstream out;
    out << std::fixed << std::setprecision(digits) << value;
    return out.str();
}

std::string
Duration(double seconds)
{
    return seconds == 0      ? "0"
           : seconds >= 1    ? Fixed(seconds, 3) + " s"
           : seconds >= 1e-3 ? Fixed(seconds * 1e3, 3) + " ms"
                             : Fixed(seconds * 1e6, 3) + " us";
}

std::string
Volume(double bytes)
{
    return bytes == 0      ? "0"
           : bytes >= 1e12 ? Fixed(bytes * 1e-12, 2) + " TB"
           : bytes >= 1e9  ? Fixed(bytes * 1e-9, 2) + " GB"
                           : Fixed(bytes * 1e-6, 2) + " MB";
}

void
PrintAligned(const std::vector<std::vector<std::string>>& rows,
             std::ostream& out,
             const std::vector<std::size_t>& left)
{
    std::vector<std::size_t> width(rows[0].size(), 0);
    for (const auto& row : rows)
    {
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            width[i] = std::max(width[i], row[i].size());
        }
    }
    for (const auto& row : rows)
    {
        std::ostringstream line;
        for (std::size_t i = 0; i < row.size(); ++i)
        {
            const bool begins = std::find(left.begin(), left.end(), i) != left.end();
            line << (begins ? std::left : std::right) << std::setw(static_cast<int>(width[i]))
                 << row[i] << "  ";
        }
        const std::string text = line.str();
        out << "  " << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
    }
}

} // namespace ns3
