/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-writer.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <hdf5.h>
#include <type_traits>
#include <utility>

namespace ns3
{

static_assert(std::is_same_v<hid_t, int64_t>, "HDF5 1.10 or later is needed");

namespace
{

/// @tparam T element type @return the file type, always little-endian
template <class T>
hid_t
FileType()
{
    if constexpr (std::is_same_v<T, double>)
    {
        return H5T_IEEE_F64LE;
    }
    else if constexpr (std::is_same_v<T, int64_t>)
    {
        return H5T_STD_I64LE;
    }
    else if constexpr (std::is_same_v<T, uint64_t>)
    {
        return H5T_STD_U64LE;
    }
    else if constexpr (std::is_same_v<T, uint32_t>)
    {
        return H5T_STD_U32LE;
    }
    else
    {
        return H5T_STD_U8LE;
    }
}

/// @tparam T element type @return the type in memory
template <class T>
hid_t
MemoryType()
{
    if constexpr (std::is_same_v<T, double>)
    {
        return H5T_NATIVE_DOUBLE;
    }
    else if constexpr (std::is_same_v<T, int64_t>)
    {
        return H5T_NATIVE_INT64;
    }
    else if constexpr (std::is_same_v<T, uint64_t>)
    {
        return H5T_NATIVE_UINT64;
    }
    else if constexpr (std::is_same_v<T, uint32_t>)
    {
        return H5T_NATIVE_UINT32;
    }
    else
    {
        return H5T_NATIVE_UINT8;
    }
}

/// @param length bytes @return fixed-length string type
Hdf5Handle
StringType(std::size_t length)
{
    Hdf5Handle type(NeedHdf5("string type", H5Tcopy(H5T_C_S1)), H5Tclose);
    H5Tset_size(type.Get(), std::max<std::size_t>(length, 1));
    H5Tset_cset(type.Get(), H5T_CSET_UTF8);
    H5Tset_strpad(type.Get(), H5T_STR_NULLPAD);
    return type;
}

/// @param object file or dataset @param name attribute @param value text
void
WriteText(hid_t object, const std::string& name, const std::string& value)
{
    const Hdf5Handle type = StringType(value.size());
    const Hdf5Handle space(NeedHdf5(name, H5Screate(H5S_SCALAR)), H5Sclose);
    const Hdf5Handle attribute(
        NeedHdf5(
            name,
            H5Acreate2(object, name.c_str(), type.Get(), space.Get(), H5P_DEFAULT, H5P_DEFAULT)),
        H5Aclose);
    const std::string padded = value.empty() ? std::string(1, '\0') : value;
    NeedHdf5(name, H5Awrite(attribute.Get(), type.Get(), padded.data()));
}

/// @param shape extents @return creation list: no timestamps, chunked and compressed when large
Hdf5Handle
DatasetProperties(const std::vector<hsize_t>& shape)
{
    Hdf5Handle list(NeedHdf5("dataset properties", H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    H5Pset_obj_track_times(list.Get(), false);
    hsize_t rowSize = 1;
    for (std::size_t i = 1; i < shape.size(); ++i)
    {
        rowSize *= shape[i];
    }
    if (!shape.empty() && shape[0] * rowSize > 1024)
    {
        std::vector<hsize_t> chunk(shape);
        chunk[0] = std::min<hsize_t>(shape[0], std::max<hsize_t>(1, 65536 / rowSize));
        H5Pset_chunk(list.Get(), static_cast<int>(chunk.size()), chunk.data());
        H5Pset_shuffle(list.Get());
        H5Pset_deflate(list.Get(), 4);
    }
    return list;
}

/// @param file file @param name path @param type file type @param memory memory type
/// @param shape extents @param data elements @param unit unit
void
WriteDataset(hid_t file,
             const std::string& name,
             hid_t type,
             hid_t memory,
             const std::vector<hsize_t>& shape,
             const void* data,
             const std::string& unit)
{
    const Hdf5Handle space(
        NeedHdf5(name, H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr)),
        H5Sclose);
    const Hdf5Handle properties = DatasetProperties(shape);
    const Hdf5Handle links(NeedHdf5(name, H5Pcreate(H5P_LINK_CREATE)), H5Pclose);
    H5Pset_create_intermediate_group(links.Get(), 1);
    const Hdf5Handle dataset(NeedHdf5(name,
                                      H5Dcreate2(file,
                                                 name.c_str(),
                                                 type,
                                                 space.Get(),
                                                 links.Get(),
                                                 properties.Get(),
                                                 H5P_DEFAULT)),
                             H5Dclose);
    if (std::find(shape.begin(), shape.end(), 0) == shape.end())
    {
        NeedHdf5(name, H5Dwrite(dataset.Get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    }
    WriteText(dataset.Get(), "unit", unit);
}

/// @param file file @param name path of a column that grows @param type file type @param memory
/// memory type @param rows to put behind those there are @param data their values @param unit unit
void
AppendDataset(hid_t file,
              const std::string& name,
              hid_t type,
              hid_t memory,
              hsize_t rows,
              const void* data,
              const std::string& unit)
{
    const Hdf5Handle links(NeedHdf5(name, H5Pcreate(H5P_LINK_CREATE)), H5Pclose);
    H5Pset_create_intermediate_group(links.Get(), 1);
    const std::string group = name.substr(0, name.rfind('/'));
    const bool grows = H5Lexists(file, group.c_str(), H5P_DEFAULT) > 0 &&
                       H5Lexists(file, name.c_str(), H5P_DEFAULT) > 0;
    const hsize_t none = 0;
    const hsize_t unlimited = H5S_UNLIMITED;
    const hsize_t chunk = 65536;
    const Hdf5Handle empty(NeedHdf5(name, H5Screate_simple(1, &none, &unlimited)), H5Sclose);
    const Hdf5Handle list(NeedHdf5(name, H5Pcreate(H5P_DATASET_CREATE)), H5Pclose);
    H5Pset_obj_track_times(list.Get(), false);
    H5Pset_chunk(list.Get(), 1, &chunk);
    H5Pset_shuffle(list.Get());
    H5Pset_deflate(list.Get(), 4);
    const Hdf5Handle dataset(NeedHdf5(name,
                                      grows ? H5Dopen2(file, name.c_str(), H5P_DEFAULT)
                                            : H5Dcreate2(file,
                                                         name.c_str(),
                                                         type,
                                                         empty.Get(),
                                                         links.Get(),
                                                         list.Get(),
                                                         H5P_DEFAULT)),
                             H5Dclose);
    if (!grows)
    {
        WriteText(dataset.Get(), "unit", unit);
    }
    hsize_t first = 0;
    {
        const Hdf5Handle before(NeedHdf5(name, H5Dget_space(dataset.Get())), H5Sclose);
        NeedHdf5(name, H5Sget_simple_extent_dims(before.Get(), &first, nullptr));
    }
    const hsize_t all = first + rows;
    NeedHdf5(name, H5Dset_extent(dataset.Get(), &all));
    const Hdf5Handle space(NeedHdf5(name, H5Dget_space(dataset.Get())), H5Sclose);
    const Hdf5Handle mine(NeedHdf5(name, H5Screate_simple(1, &rows, nullptr)), H5Sclose);
    NeedHdf5(name,
             H5Sselect_hyperslab(space.Get(), H5S_SELECT_SET, &first, nullptr, &rows, nullptr));
    NeedHdf5(name, H5Dwrite(dataset.Get(), memory, mine.Get(), space.Get(), H5P_DEFAULT, data));
}

/// @param values strings @return them padded to the longest, one after the other
std::pair<std::string, std::size_t>
Pad(const std::vector<std::string>& values)
{
    std::size_t width = 1;
    for (const auto& v : values)
    {
        width = std::max(width, v.size());
    }
    std::string text;
    text.reserve(width * values.size());
    for (const auto& v : values)
    {
        text += v;
        text.append(width - v.size(), '\0');
    }
    return {text, width};
}

} // namespace

Hdf5Writer::Hdf5Writer(const std::string& path)
    : m_path(path),
      m_part(path + ".part")
{
    {
        errno = 0;
        std::ofstream probe(m_part, std::ios::binary);
        if (!probe)
        {
            throw InputError(path, std::string("cannot be written: ") + strerror(errno));
        }
    }
    PrepareHdf5();
    const Hdf5Handle create(NeedHdf5(path, H5Pcreate(H5P_FILE_CREATE)), H5Pclose);
    H5Pset_obj_track_times(create.Get(), false);
    const hid_t file = H5Fcreate(m_part.c_str(), H5F_ACC_TRUNC, create.Get(), H5P_DEFAULT);
    if (file < 0)
    {
        const int why = errno;
        std::remove(m_part.c_str());
        errno = why;
    }
    m_file = Hdf5Handle(NeedHdf5(path, file), H5Fclose);
}

Hdf5Writer::~Hdf5Writer()
{
    if (m_file.Get() >= 0)
    {
        m_file.Close();
        std::remove(m_part.c_str());
    }
}

void
Hdf5Writer::Write(const ResultTable& table)
{
    std::size_t rows = SIZE_MAX;
    for (const auto& column : table.GetColumns())
    {
        const std::size_t length =
            std::visit([](const auto& values) { return values.size(); }, column.values);
        rows = rows == SIZE_MAX ? length : rows;
        MIXNET_CHECK(rows == length,
                     table.GetName()
                         << "/" << column.name << " has " << length << " rows, not " << rows);
        const std::string path = table.GetName() + "/" + column.name;
        std::visit(
            [&](const auto& values) {
                using T = typename std::decay_t<decltype(values)>::value_type;
                if constexpr (std::is_same_v<T, std::string>)
                {
                    const auto [text, width] = Pad(values);
                    const Hdf5Handle type = StringType(width);
                    WriteDataset(m_file.Get(),
                                 path,
                                 type.Get(),
                                 type.Get(),
                                 {length},
                                 text.data(),
                                 column.unit);
                }
                else
                {
                    WriteDataset(m_file.Get(),
                                 path,
                                 FileType<T>(),
                                 MemoryType<T>(),
                                 {length},
                                 values.data(),
                                 column.unit);
                }
            },
            column.values);
    }
}

void
Hdf5Writer::Append(const ResultTable& block)
{
    for (const auto& column : block.GetColumns())
    {
        const std::string path = block.GetName() + "/" + column.name;
        std::visit(
            [&](const auto& values) {
                using T = typename std::decay_t<decltype(values)>::value_type;
                MIXNET_CHECK(values.size() == block.GetNRows(), path << ": not as long as others");
                if constexpr (!std::is_same_v<T, std::string>)
                {
                    AppendDataset(m_file.Get(),
                                  path,
                                  FileType<T>(),
                                  MemoryType<T>(),
                                  values.size(),
                                  values.data(),
                                  column.unit);
                }
                else
                {
                    MIXNET_CHECK(false, path << ": text does not grow");
                }
            },
            column.values);
    }
}

void
Hdf5Writer::WriteArray(const std::string& name,
                       const std::vector<uint64_t>& shape,
                       const std::vector<uint64_t>& values,
                       const std::string& unit)
{
    const std::vector<hsize_t> extents(shape.begin(), shape.end());
    WriteDataset(m_file.Get(),
                 name,
                 FileType<uint64_t>(),
                 MemoryType<uint64_t>(),
                 extents,
                 values.data(),
                 unit);
}

void
Hdf5Writer::WriteAttribute(const std::string& name, const std::string& value)
{
    WriteText(m_file.Get(), name, value);
}

void
Hdf5Writer::Commit()
{
    NeedHdf5(m_part, H5Fflush(m_file.Get(), H5F_SCOPE_LOCAL));
    m_file.Close();
    if (std::rename(m_part.c_str(), m_path.c_str()) != 0)
    {
        const std::string why = strerror(errno);
        std::remove(m_part.c_str());
        throw InputError(m_path, "cannot be written: " + why);
    }
}

} // namespace ns3
