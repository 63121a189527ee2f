/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-list.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-text.h"
#include "ns3/mixnet-units.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace ns3
{

namespace
{

/// Column of a header.
struct Column
{
    std::size_t name; //!< index in NAMES
    std::string unit; //!< may be empty
};

const std::array<std::string, 5> NAMES{{"start", "source", "destination", "size", "nic"}};
constexpr std::size_t N_REQUIRED = 4; //!< the first ones

/// @param text a cell @return it without blanks around
std::string
Trim(const std::string& text)
{
    const char* blanks = " \t\r";
    const std::size_t first = text.find_first_not_of(blanks);
    return first == std::string::npos
               ? std::string()
               : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// @param line a line @return its cells
std::vector<std::string>
Split(const std::string& line)
{
    std::vector<std::string> cells;
    std::istringstream in(line + ",");
    for (std::string cell; std::getline(in, cell, ',');)
    {
        cells.push_back(Trim(cell));
    }
    return cells;
}

/// @param line the header @param where file and line @return its columns
std::vector<Column>
ParseHeader(const std::string& line, const std::string& where)
{
    std::vector<Column> columns;
    std::array<bool, NAMES.size()> seen{};
    for (const std::string& cell : Split(line))
    {
        const std::size_t open = cell.find('(');
        const bool unit = open != std::string::npos && cell.back() == ')';
        const std::string name = Trim(cell.substr(0, unit ? open : cell.size()));
        const auto found = std::find(NAMES.begin(), NAMES.end(), name);
        const auto index = static_cast<std::size_t>(found - NAMES.begin());
        if (found == NAMES.end() || seen[index])
        {
            throw InputError(where,
                             "'" + cell + "' " +
                                 (found == NAMES.end() ? "is no column" : "comes twice"),
                             JoinNames(NAMES) + ", with a unit as in 'start (us)'");
        }
        seen[index] = true;
        columns.push_back(
            {index, unit ? Trim(cell.substr(open + 1, cell.size() - open - 2)) : std::string()});
    }
    for (std::size_t i = 0; i < N_REQUIRED; ++i)
    {
        if (!seen[i])
        {
            throw InputError(where, "there is no column '" + NAMES[i] + "'", JoinNames(NAMES));
        }
    }
    return columns;
}

/// @param text a cell @param where file, line and column @return the number
uint32_t
ParseIndex(const std::string& text, const std::string& where)
{
    if (text.empty() || text.size() > 9 ||
        text.find_first_not_of("0123456789") != std::string::npos)
    {
        throw InputError(where, "'" + text + "' is no index", "0 to 999999999");
    }
    return static_cast<uint32_t>(std::stoul(text));
}

} // namespace

FlowList
FlowList::ParseCsv(const std::string& text, const std::string& name)
{
    FlowList list;
    list.m_name = name;
    std::vector<Column> columns;
    std::istringstream in(text);
    uint64_t number = 0;
    for (std::string line; std::getline(in, line);)
    {
        ++number;
        const std::string content = Trim(line);
        if (content.empty() || content[0] == '#')
        {
            continue;
        }
        const std::string where = name + ":" + std::to_string(number);
        if (columns.empty())
        {
            columns = ParseHeader(content, where);
            continue;
        }
        const std::vector<std::string> cells = Split(content);
        if (cells.size() != columns.size())
        {
            throw InputError(where,
                             std::to_string(cells.size()) + " values",
                             std::to_string(columns.size()) + ", as in the header");
        }
        FlowEntry entry;
        entry.line = number;
        for (std::size_t i = 0; i < cells.size(); ++i)
        {
            const std::string key = where + ": " + NAMES[columns[i].name];
            const std::string value = cells[i] + columns[i].unit;
            switch (columns[i].name)
            {
            case 0:
                entry.start = ParseTime(value, key);
                break;
            case 1:
                entry.source = ParseIndex(value, key);
                break;
            case 2:
                entry.destination = ParseIndex(value, key);
                break;
            case 3:
                entry.size = ParseBytes(value, key);
                break;
            default:
                entry.nic = ParseIndex(value, key);
            }
        }
        if (entry.source == entry.destination)
        {
            throw InputError(where, "source and destination are the same server", "two servers");
        }
        list.Add(entry);
    }
    if (columns.empty())
    {
        throw InputError(name, "there is no header", "start (us),source,destination,size (B)");
    }
    return list;
}

FlowList
FlowList::ReadCsv(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
    {
        throw InputError(path, std::string("cannot be read: ") + std::strerror(errno));
    }
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    return ParseCsv(text, path);
}

std::string
FlowList::Locate(const FlowEntry& entry) const
{
    return entry.line > 0 ? m_name + ":" + std::to_string(entry.line) : m_name;
}

} // namespace ns3
