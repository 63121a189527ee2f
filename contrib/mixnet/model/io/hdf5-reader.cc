/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-reader.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <hdf5.h>

namespace ns3
{

Hdf5Reader::Hdf5Reader(const std::string& path)
    : m_path(path)
{
    errno = 0;
    std::ifstream probe(path, std::ios::binary | std::ios::ate);
    if (!probe || probe.tellg() < 0)
    {
        throw InputError(path, std::string("cannot be read: ") + strerror(errno ? errno : EISDIR));
    }
    if (probe.tellg() == std::streampos(0))
    {
        throw InputError(path, "is empty", "an HDF5 file");
    }
    PrepareHdf5();
    m_file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (m_file.Get() < 0)
    {
        throw InputError(path, "is not HDF5, or is truncated", "an HDF5 file");
    }
}

bool
Hdf5Reader::Has(const std::string& name) const
{
    return H5Lexists(m_file.Get(), name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<uint64_t>
Hdf5Reader::GetShape(const std::string& name) const
{
    const Hdf5Handle dataset(H5Dopen2(m_file.Get(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (dataset.Get() < 0)
    {
        throw InputError(m_path, "has no dataset " + name);
    }
    const Hdf5Handle space(NeedHdf5(m_path + ": " + name, H5Dget_space(dataset.Get())), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.Get());
    std::vector<hsize_t> extents(static_cast<std::size_t>(std::max(rank, 0)));
    H5Sget_simple_extent_dims(space.Get(), extents.data(), nullptr);
    return {extents.begin(), extents.end()};
}

std::vector<uint32_t>
Hdf5Reader::ReadUint32(const std::string& name) const
{
    const std::vector<uint64_t> shape = GetShape(name);
    uint64_t count = 1;
    for (const uint64_t extent : shape)
    {
        count *= extent;
    }
    const Hdf5Handle dataset(NeedHdf5(name, H5Dopen2(m_file.Get(), name.c_str(), H5P_DEFAULT)),
                             H5Dclose);
    const Hdf5Handle type(NeedHdf5(name, H5Dget_type(dataset.Get())), H5Tclose);
    if (H5Tget_class(type.Get()) != H5T_INTEGER)
    {
        throw InputError(m_path + ": " + name, "does not hold integers", "uint32 counts");
    }
    // Read as signed 64 bits, so that nothing is clipped without a word.
    std::vector<int64_t> wide(count);
    if (count > 0 &&
        H5Dread(dataset.Get(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    {
        throw InputError(m_path + ": " + name, "cannot be read (truncated or damaged)");
    }
    std::vector<uint32_t> values(count);
    for (uint64_t i = 0; i < count; ++i)
    {
        if (wide[i] < 0 || wide[i] > UINT32_MAX)
        {
            throw InputError(m_path + ": " + name,
                             "element " + std::to_string(i) + " is " + std::to_string(wide[i]),
                             "counts from 0 to 4294967295");
        }
        values[i] = static_cast<uint32_t>(wide[i]);
    }
    return values;
}

Hdf5Handle
Hdf5Reader::OpenAttribute(const std::string& dataset, const std::string& name) const
{
    Hdf5Handle attribute(
        H5Aopen_by_name(m_file.Get(), dataset.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    if (attribute.Get() < 0)
    {
        throw InputError(m_path + ": " + dataset, "has no attribute '" + name + "'");
    }
    return attribute;
}

bool
Hdf5Reader::HasAttribute(const std::string& dataset, const std::string& name) const
{
    return H5Aexists_by_name(m_file.Get(), dataset.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

std::string
Hdf5Reader::ReadText(const std::string& dataset, const std::string& name) const
{
    const Hdf5Handle attribute = OpenAttribute(dataset, name);
    const Hdf5Handle type(NeedHdf5(name, H5Aget_type(attribute.Get())), H5Tclose);
    const InputError wrong(m_path + ": " + dataset, "attribute '" + name + "' is not text", "text");
    if (H5Tget_class(type.Get()) != H5T_STRING)
    {
        throw wrong;
    }
    if (H5Tis_variable_str(type.Get()) > 0)
    {
        char* text = nullptr;
        const Hdf5Handle memory(NeedHdf5(name, H5Tcopy(type.Get())), H5Tclose);
        if (H5Aread(attribute.Get(), memory.Get(), &text) < 0)
        {
            throw wrong;
        }
        const std::string value(text == nullptr ? "" : text);
        H5free_memory(text);
        return value;
    }
    std::string value(H5Tget_size(type.Get()), '\0');
    if (H5Aread(attribute.Get(), type.Get(), value.data()) < 0)
    {
        throw wrong;
    }
    return value.substr(0, value.find('\0'));
}

uint64_t
Hdf5Reader::ReadCount(const std::string& dataset, const std::string& name) const
{
    const Hdf5Handle attribute = OpenAttribute(dataset, name);
    const Hdf5Handle type(NeedHdf5(name, H5Aget_type(attribute.Get())), H5Tclose);
    const Hdf5Handle space(NeedHdf5(name, H5Aget_space(attribute.Get())), H5Sclose);
    int64_t value = -1;
    if (H5Tget_class(type.Get()) != H5T_INTEGER || H5Sget_simple_extent_npoints(space.Get()) != 1 ||
        H5Aread(attribute.Get(), H5T_NATIVE_INT64, &value) < 0 || value < 0)
    {
        throw InputError(m_path + ": " + dataset,
                         "attribute '" + name + "' is not accepted",
                         "one whole number of at least 0");
    }
    return static_cast<uint64_t>(value);
}

const std::string&
Hdf5Reader::GetPath() const
{
    return m_path;
}

} // namespace ns3
