/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_HDF5_READER_H
#define MIXNET_HDF5_READER_H

#include "hdf5-handle.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Reads datasets and attributes; every problem is an InputError naming file and dataset.
 */
class Hdf5Reader
{
  public:
    /// @param path file @throws InputError when missing, unreadable or not HDF5
    explicit Hdf5Reader(const std::string& path);

    /// @param name dataset @return true when it is there
    bool Has(const std::string& name) const;
    /// @param name dataset @return its extents
    std::vector<uint64_t> GetShape(const std::string& name) const;
    /// @param name dataset of integers @return values, row-major; refuses floats and negatives
    std::vector<uint32_t> ReadUint32(const std::string& name) const;
    /**
     * Read a column of a table.
     *
     * @tparam T uint8_t, uint16_t, uint32_t, uint64_t, int32_t or double
     * @param name dataset of one dimension
     * @return values; refuses those that T cannot hold
     */
    template <class T>
    std::vector<T> ReadColumn(const std::string& name) const;
    /// @param name dataset of one dimension that holds text @return values
    std::vector<std::string> ReadTexts(const std::string& name) const;
    /// @param dataset dataset or group @param name its attribute @return text
    std::string ReadText(const std::string& dataset, const std::string& name) const;
    /// @param dataset dataset or group @param name its attribute @return number
    uint64_t ReadCount(const std::string& dataset, const std::string& name) const;
    /// @param dataset dataset @param name its attribute @return true when it is there
    bool HasAttribute(const std::string& dataset, const std::string& name) const;
    /// @return the path
    const std::string& GetPath() const;

  private:
    /// @param name dataset of one dimension @param kinds accepted, for the message
    /// @param type out: its type in the file @param count out: its length @return it, open
    Hdf5Handle OpenColumn(const std::string& name,
                          const char* kinds,
                          Hdf5Handle& type,
                          std::size_t& count) const;
    /// @param dataset dataset @param name its attribute @return open attribute
    Hdf5Handle OpenAttribute(const std::string& dataset, const std::string& name) const;

    std::string m_path; //!< path
    Hdf5Handle m_file;  //!< open file
};

} // namespace ns3

#endif // MIXNET_HDF5_READER_H
