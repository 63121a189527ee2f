/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RESULT_TABLE_H
#define MIXNET_RESULT_TABLE_H

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A table of named columns of equal length, each with a unit; becomes a group with one dataset per
 * column.
 */
class ResultTable
{
  public:
    /// Values of a column.
    using Values = std::variant<std::vector<double>,
                                std::vector<int64_t>,
                                std::vector<uint64_t>,
                                std::vector<uint32_t>,
                                std::vector<uint8_t>,
                                std::vector<std::string>>;

    /// A column.
    struct Column
    {
        std::string name; //!< name
        std::string unit; //!< "s", "B", "1", "text", ...
        Values values;    //!< one per row
    };

    /// @param name path in the file, e.g. "/iterations"
    explicit ResultTable(const std::string& name);
    /// @param name name @param unit unit @param values one per row
    void Add(const std::string& name, const std::string& unit, Values values);
    /// @return path in the file
    const std::string& GetName() const;
    /// @return columns in order
    const std::vector<Column>& GetColumns() const;

  private:
    std::string m_name;            //!< path
    std::vector<Column> m_columns; //!< columns
};

} // namespace ns3

#endif // MIXNET_RESULT_TABLE_H
