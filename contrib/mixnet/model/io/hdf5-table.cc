/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-table.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

Hdf5Table::Hdf5Table(const Hdf5Reader& reader, const std::string& name)
    : m_reader(reader),
      m_name(name)
{
    if (!reader.Has(name))
    {
        throw InputError(reader.GetPath(), "has no table " + name);
    }
}

void
Hdf5Table::CheckLength(const std::string& column, std::size_t length)
{
    if (m_rows == SIZE_MAX)
    {
        m_rows = length;
    }
    if (length != m_rows)
    {
        throw InputError(m_reader.GetPath() + ": " + m_name + "/" + column,
                         "has " + std::to_string(length) + " rows",
                         std::to_string(m_rows) + ", as the other columns");
    }
}

std::vector<std::string>
Hdf5Table::ReadTexts(const std::string& column)
{
    std::vector<std::string> values = m_reader.ReadTexts(m_name + "/" + column);
    CheckLength(column, values.size());
    return values;
}

std::vector<uint64_t>
Hdf5Table::ReadFirst(const std::string& column, std::size_t rows, uint64_t entries)
{
    const std::string name = m_name + "/" + column;
    std::vector<uint64_t> first = m_reader.ReadColumn<uint64_t>(name);
    const std::string where = m_reader.GetPath() + ": " + name;
    if (first.size() != rows + 1)
    {
        throw InputError(where,
                         "has " + std::to_string(first.size()) + " rows",
                         std::to_string(rows + 1));
    }
    for (std::size_t i = 0; i <= rows; ++i)
    {
        const uint64_t least = i == 0 ? 0 : first[i - 1];
        if (first[i] < least || first[i] > entries || (i == 0 && first[i] != 0) ||
            (i == rows && first[i] != entries))
        {
            throw InputError(where,
                             "row " + std::to_string(i) + " is " + std::to_string(first[i]),
                             "numbers that begin with 0, never fall, and end with " +
                                 std::to_string(entries));
        }
    }
    return first;
}

std::string
Hdf5Table::Where(std::size_t row) const
{
    std::string where = m_reader.GetPath() + ": " + m_name + " row " + std::to_string(row);
    if (m_reader.Has(m_name + "/line"))
    {
        const std::vector<uint64_t> lines = m_reader.ReadColumn<uint64_t>(m_name + "/line");
        if (row < lines.size() && lines[row] != 0)
        {
            where += " (line " + std::to_string(lines[row]) + " of its source)";
        }
    }
    return where;
}

void
Hdf5Table::Refuse(std::size_t row, const std::string& problem, const std::string& accepted) const
{
    throw InputError(Where(row), problem, accepted);
}

void
CheckImported(const Hdf5Reader& reader,
              const std::string& group,
              const std::string& schema,
              const std::string& what)
{
    if (!reader.Has(group))
    {
        const std::string is =
            reader.HasAttribute("/", "kind") ? ", it is a " + reader.ReadText("/", "kind") : "";
        throw InputError(reader.GetPath(), "has no " + group + is, what);
    }
    const std::string found = reader.ReadText(group, "schema");
    if (found != schema)
    {
        throw InputError(reader.GetPath() + ": " + group, "has the schema '" + found + "'", schema);
    }
}

} // namespace ns3
