/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_RESULT_TABLE_H
#define MIXNET_RESULT_TABLE_H

#include <cstddef>
#include <cstdint>
#include <iosfwd>
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
    /**
     * Put the rows of another table with the same columns behind these.
     *
     * @param other table with the same column names and types
     */
    void Append(const ResultTable& other);
    /// @return path in the file
    const std::string& GetName() const;
    /// @return number of rows
    std::size_t GetNRows() const;
    /// @return columns in order
    const std::vector<Column>& GetColumns() const;

    /// @param out stream to another process of this program; not a file format
    void Save(std::ostream& out) const;
    /// @param in stream written by Save @return the table
    static ResultTable Load(std::istream& in);

  private:
    std::string m_name;            //!< path
    std::vector<Column> m_columns; //!< columns
};

} // namespace ns3

#endif // MIXNET_RESULT_TABLE_H
