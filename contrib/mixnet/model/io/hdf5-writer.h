/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_HDF5_WRITER_H
#define MIXNET_HDF5_WRITER_H

#include "hdf5-handle.h"
#include "result-table.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Writes a result file without timestamps: same tables, same bytes. The file appears under its
 * name only when Commit has been called; before that it is NAME.part, and is removed on failure.
 */
class Hdf5Writer
{
  public:
    /// @param path file to write @throws InputError when it cannot be written
    explicit Hdf5Writer(const std::string& path);
    Hdf5Writer(const Hdf5Writer&) = delete;
    Hdf5Writer& operator=(const Hdf5Writer&) = delete;
    ~Hdf5Writer();

    /// @param table a table; all columns have equal length
    void Write(const ResultTable& table);
    /**
     * Put rows behind those of a table that only this function writes, so that it need not be in
     * memory as a whole.
     *
     * @param block rows; columns of numbers, the same in all blocks
     */
    void Append(const ResultTable& block);
    /**
     * @param name path of the dataset
     * @param shape extents
     * @param values row-major
     * @param unit unit
     */
    void WriteArray(const std::string& name,
                    const std::vector<uint64_t>& shape,
                    const std::vector<uint64_t>& values,
                    const std::string& unit);
    /// @param name attribute of the root group @param value text
    void WriteAttribute(const std::string& name, const std::string& value);
    /// Close the file and give it its name.
    void Commit();

  private:
    std::string m_path; //!< final name
    std::string m_part; //!< name while writing
    Hdf5Handle m_file;  //!< open file
};

} // namespace ns3

#endif // MIXNET_HDF5_WRITER_H
