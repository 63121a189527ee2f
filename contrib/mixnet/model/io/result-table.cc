/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "result-table.h"

#include "ns3/mixnet-error.h"

#include <istream>
#include <ostream>
#include <type_traits>
#include <utility>

namespace ns3
{

namespace
{

/// @param out stream @param value number
void
Put(std::ostream& out, uint64_t value)
{
    out.write(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// @param in stream @return number
uint64_t
Take(std::istream& in)
{
    uint64_t value = 0;
    in.read(reinterpret_cast<char*>(&value), sizeof(value));
    MIXNET_CHECK(in.good(), "a table ends too early");
    return value;
}

/// @param out stream @param text text
void
PutText(std::ostream& out, const std::string& text)
{
    Put(out, text.size());
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
}

/// @param in stream @return text
std::string
TakeText(std::istream& in)
{
    std::string text(Take(in), '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    return text;
}

/// @tparam I index of the alternative tried @param in stream @param index alternative written
/// @return the values
template <std::size_t I = 0>
ResultTable::Values
TakeValues(std::istream& in, uint64_t index)
{
    if constexpr (I < std::variant_size_v<ResultTable::Values>)
    {
        if (index != I)
        {
            return TakeValues<I + 1>(in, index);
        }
        std::variant_alternative_t<I, ResultTable::Values> values(Take(in));
        using T = typename decltype(values)::value_type;
        if constexpr (std::is_same_v<T, std::string>)
        {
            for (auto& v : values)
            {
                v = TakeText(in);
            }
        }
        else
        {
            in.read(reinterpret_cast<char*>(values.data()),
                    static_cast<std::streamsize>(values.size() * sizeof(T)));
        }
        return values;
    }
    else
    {
        MIXNET_CHECK(false, "a table has a column of unknown type " << index);
        return {};
    }
}

} // namespace

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

void
ResultTable::Append(const ResultTable& other)
{
    MIXNET_CHECK(m_columns.size() == other.m_columns.size(), m_name << ": other columns");
    for (std::size_t i = 0; i < m_columns.size(); ++i)
    {
        MIXNET_CHECK(m_columns[i].name == other.m_columns[i].name, m_name << ": other columns");
        std::visit(
            [&](auto& mine) {
                const auto& theirs =
                    std::get<std::decay_t<decltype(mine)>>(other.m_columns[i].values);
                mine.insert(mine.end(), theirs.begin(), theirs.end());
            },
            m_columns[i].values);
    }
}

std::size_t
ResultTable::GetNRows() const
{
    return m_columns.empty()
               ? 0
               : std::visit([](const auto& values) { return values.size(); }, m_columns[0].values);
}

void
ResultTable::Save(std::ostream& out) const
{
    PutText(out, m_name);
    Put(out, m_columns.size());
    for (const auto& column : m_columns)
    {
        PutText(out, column.name);
        PutText(out, column.unit);
        Put(out, column.values.index());
        std::visit(
            [&](const auto& values) {
                using T = typename std::decay_t<decltype(values)>::value_type;
                Put(out, values.size());
                if constexpr (std::is_same_v<T, std::string>)
                {
                    for (const auto& v : values)
                    {
                        PutText(out, v);
                    }
                }
                else
                {
                    out.write(reinterpret_cast<const char*>(values.data()),
                              static_cast<std::streamsize>(values.size() * sizeof(T)));
                }
            },
            column.values);
    }
}

ResultTable
ResultTable::Load(std::istream& in)
{
    ResultTable table(TakeText(in));
    const uint64_t columns = Take(in);
    for (uint64_t i = 0; i < columns; ++i)
    {
        const std::string name = TakeText(in);
        const std::string unit = TakeText(in);
        const uint64_t index = Take(in);
        table.Add(name, unit, TakeValues(in, index));
    }
    return table;
}

} // namespace ns3
