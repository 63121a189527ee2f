/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TABLE_TEXT_H
#define MIXNET_TABLE_TEXT_H

#include "ns3/result-table.h"

#include <cstddef>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * Tables of results as text for people.
 */

namespace ns3
{

/// @ingroup mixnet
/// Reads columns of one table by name.
class TableReader
{
  public:
    /// @param table table; must outlive this
    explicit TableReader(const ResultTable& table);

    /// @param name column of numbers @param row row @return its value
    double Get(const std::string& name, std::size_t row) const;
    /// @param name column of texts @param row row @return its value
    const std::string& GetText(const std::string& name, std::size_t row) const;

  private:
    std::map<std::string, const ResultTable::Values*> m_columns; //!< by name
};

/// @param value number @param digits behind the point @return text
std::string Fixed(double value, int digits);
/// @param seconds time @return text in a fitting unit
std::string Duration(double seconds);
/// @param bytes bytes @return text in a fitting decimal unit
std::string Volume(double bytes);
/// @param rows lines of cells, the first one the heading @param out stream @param left indices of
/// the columns whose text starts at their left
void PrintAligned(const std::vector<std::vector<std::string>>& rows,
                  std::ostream& out,
                  const std::vector<std::size_t>& left = {0});

} // namespace ns3

#endif // MIXNET_TABLE_TEXT_H
