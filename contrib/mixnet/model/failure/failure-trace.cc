/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// ParseFailureTrace(): failures in CSV.

#include "failure-text.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <sstream>

namespace ns3
{

namespace
{

/// Columns of a trace.
struct Columns
{
    /// Order of m_at.
    enum Name
    {
        TIME,
        UNIT,
        KIND,
        ELEMENT,
        DURATION,
        ACTION,
        VALUE,
        COUNT
    };

    /// @param heading cells @param where for the message
    Columns(const std::vector<std::string>& heading, const std::string& where)
        : m_at(COUNT, std::string::npos)
    {
        static const std::vector<std::string> names =
            {"time", "unit", "kind", "element", "duration", "action", "value"};
        for (std::size_t c = 0; c < heading.size(); ++c)
        {
            const auto it = std::find(names.begin(), names.end(), heading[c]);
            if (it == names.end() || m_at[it - names.begin()] != std::string::npos)
            {
                throw InputError(where,
                                 "column '" + heading[c] + "' is unknown, or there twice",
                                 "time, unit, kind, element, duration, action, value");
            }
            m_at[it - names.begin()] = c;
        }
        for (const Name needed : {TIME, KIND, ELEMENT})
        {
            if (m_at[needed] == std::string::npos)
            {
                throw InputError(where,
                                 "the heading has no column '" + names[needed] + "'",
                                 "time,unit,kind,element,duration");
            }
        }
    }

    /// @param cells of a row @param name column @return the cell; empty without the column
    std::string Get(const std::vector<std::string>& cells, Name name) const
    {
        return m_at[name] == std::string::npos ? "" : cells[m_at[name]];
    }

  private:
    std::vector<std::size_t> m_at; //!< by name
};

/// @param line a row @return its cells, without blanks around them
std::vector<std::string>
SplitCells(const std::string& line)
{
    std::vector<std::string> cells;
    for (std::size_t begin = 0; begin <= line.size();)
    {
        const std::size_t end = std::min(line.find(',', begin), line.size());
        std::string cell = line.substr(begin, end - begin);
        const std::size_t first = cell.find_first_not_of(" \t");
        const std::size_t last = cell.find_last_not_of(" \t");
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last - first + 1));
        begin = end + 1;
    }
    return cells;
}

} // namespace

std::vector<FailureEvent>
ParseFailureTrace(const std::string& text, const std::string& name)
{
    std::vector<FailureEvent> events;
    std::istringstream in(text);
    uint32_t number = 0;
    std::vector<Columns> columns;
    std::size_t width = 0;
    for (std::string line; std::getline(in, line);)
    {
        const std::string where = name + ":" + std::to_string(++number);
        line = StripFailureLine(line);
        if (line.empty())
        {
            continue;
        }
        const std::vector<std::string> cells = SplitCells(line);
        if (columns.empty())
        {
            columns.emplace_back(cells, where);
            width = cells.size();
            continue;
        }
        if (cells.size() != width)
        {
            throw InputError(where,
                             std::to_string(cells.size()) + " cells under " +
                                 std::to_string(width) + " columns");
        }
        const auto get = [&](Columns::Name c) { return columns[0].Get(cells, c); };
        const std::string action = get(Columns::ACTION);
        const std::string duration = get(Columns::DURATION);
        std::string script = "t=" + get(Columns::TIME) + get(Columns::UNIT) + " " +
                             get(Columns::KIND) + " " + get(Columns::ELEMENT) + " " +
                             (action.empty() ? "down" : action) + " " + get(Columns::VALUE);
        if (!duration.empty())
        {
            script += " for " + duration + get(Columns::UNIT);
        }
        events.push_back(ParseFailureLine(script, where));
    }
    return events;
}

} // namespace ns3
