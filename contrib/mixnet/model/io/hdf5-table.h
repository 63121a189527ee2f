/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_HDF5_TABLE_H
#define MIXNET_HDF5_TABLE_H

#include "hdf5-reader.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * One table of an imported file (doc/schemas.rst): columns of equal length. Problems name file,
 * table, row, and the line of the source where the table has a column "line".
 */
class Hdf5Table
{
  public:
    /// @param reader open file; must outlive this @param name group @throws InputError when it has
    /// no such table
    Hdf5Table(const Hdf5Reader& reader, const std::string& name);

    /// @tparam T as Hdf5Reader::ReadColumn @param column name @return values; all columns have
    /// equal length
    template <class T>
    std::vector<T> Read(const std::string& column)
    {
        std::vector<T> values = m_reader.ReadColumn<T>(m_name + "/" + column);
        CheckLength(column, values.size());
        return values;
    }

    /// @param column name @return text; all columns have equal length
    std::vector<std::string> ReadTexts(const std::string& column);

    /// @return number of rows, once a column has been read
    std::size_t GetNRows() const
    {
        return m_rows;
    }

    /**
     * Compressed rows: check a column "first".
     *
     * @param column its name @param rows of this table @param entries of the table it points into
     * @return it
     */
    std::vector<uint64_t> ReadFirst(const std::string& column, std::size_t rows, uint64_t entries);

    /// @param row row @return "file: /table row 3 (line 17 of its source)"
    std::string Where(std::size_t row) const;

    /// @param row whose row @param problem what is wrong @param accepted what would be accepted
    /// @throws InputError always
    [[noreturn]] void Refuse(std::size_t row,
                             const std::string& problem,
                             const std::string& accepted = "") const;

  private:
    /// @param column name @param length its length
    void CheckLength(const std::string& column, std::size_t length);

    const Hdf5Reader& m_reader;   //!< file
    std::string m_name;           //!< group
    std::size_t m_rows{SIZE_MAX}; //!< rows; none read yet
};

/**
 * @ingroup mixnet
 * @param reader open file
 * @param group group that must be there, "/flows"
 * @param schema its attribute "schema", "mixnet-flows/1"
 * @param what what such a file is called, "a flow list"
 * @throws InputError when it is something else
 */
void CheckImported(const Hdf5Reader& reader,
                   const std::string& group,
                   const std::string& schema,
                   const std::string& what);

} // namespace ns3

#endif // MIXNET_HDF5_TABLE_H
