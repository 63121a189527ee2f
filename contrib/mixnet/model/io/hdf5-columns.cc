/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-reader.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <hdf5.h>
#include <limits>
#include <type_traits>

namespace ns3
{

namespace
{

/// @tparam T element type @return the type in memory
template <class T>
hid_t
MemoryType()
{
    if constexpr (std::is_same_v<T, double>)
    {
        return H5T_NATIVE_DOUBLE;
    }
    else if constexpr (std::is_signed_v<T>)
    {
        return H5T_NATIVE_INT64;
    }
    else
    {
        return H5T_NATIVE_UINT64;
    }
}

/// Values as wide as they come.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>,
                                double,
                                std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>;

constexpr uint64_t MOST = 2000000000; //!< rows of a table

} // namespace

Hdf5Handle
Hdf5Reader::OpenColumn(const std::string& name,
                       const char* kinds,
                       Hdf5Handle& type,
                       std::size_t& count) const
{
    const std::vector<uint64_t> shape = GetShape(name);
    const std::string where = m_path + ": " + name;
    if (shape.size() != 1 || shape[0] > MOST)
    {
        throw InputError(where, "is no column", "one dimension of at most " + std::to_string(MOST));
    }
    count = shape[0];
    Hdf5Handle dataset(NeedHdf5(where, H5Dopen2(m_file.Get(), name.c_str(), H5P_DEFAULT)),
                       H5Dclose);
    type = Hdf5Handle(NeedHdf5(where, H5Dget_type(dataset.Get())), H5Tclose);
    const H5T_class_t got = H5Tget_class(type.Get());
    const char* is = got == H5T_INTEGER  ? "whole numbers"
                     : got == H5T_FLOAT  ? "numbers"
                     : got == H5T_STRING ? "text"
                                         : "something else";
    if (std::string(is) != kinds)
    {
        throw InputError(where, std::string("holds ") + is, kinds);
    }
    return dataset;
}

template <class T>
std::vector<T>
Hdf5Reader::ReadColumn(const std::string& name) const
{
    const std::string where = m_path + ": " + name;
    Hdf5Handle type;
    std::size_t count = 0;
    const Hdf5Handle dataset =
        OpenColumn(name, std::is_same_v<T, double> ? "numbers" : "whole numbers", type, count);
    if constexpr (!std::is_same_v<T, double>)
    {
        // The library would clip a negative number of a column that should have none.
        if (!std::is_signed_v<T> && H5Tget_sign(type.Get()) == H5T_SGN_2)
        {
            const std::vector<int64_t> values = ReadColumn<int64_t>(name);
            const auto at =
                std::find_if(values.begin(), values.end(), [](int64_t v) { return v < 0; });
            if (at != values.end())
            {
                throw InputError(where,
                                 "row " + std::to_string(at - values.begin()) + " is " +
                                     std::to_string(*at),
                                 "0 or more");
            }
        }
    }
    std::vector<Wide<T>> wide(count);
    if (count > 0 &&
        H5Dread(dataset.Get(), MemoryType<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
    {
        throw InputError(where, "cannot be read (truncated or damaged)");
    }
    if constexpr (sizeof(T) == sizeof(Wide<T>))
    {
        return wide;
    }
    else
    {
        std::vector<T> values(count);
        for (std::size_t i = 0; i < count; ++i)
        {
            values[i] = static_cast<T>(wide[i]);
            if (values[i] != wide[i])
            {
                throw InputError(where,
                                 "row " + std::to_string(i) + " is " + std::to_string(wide[i]),
                                 std::to_string(std::numeric_limits<T>::min()) + " to " +
                                     std::to_string(std::numeric_limits<T>::max()));
            }
        }
        return values;
    }
}

template std::vector<uint8_t> Hdf5Reader::ReadColumn(const std::string& name) const;
template std::vector<uint16_t> Hdf5Reader::ReadColumn(const std::string& name) const;
template std::vector<uint32_t> Hdf5Reader::ReadColumn(const std::string& name) const;
template std::vector<uint64_t> Hdf5Reader::ReadColumn(const std::string& name) const;
template std::vector<int32_t> Hdf5Reader::ReadColumn(const std::string& name) const;
template std::vector<int64_t> Hdf5Reader::ReadColumn(const std::string& name) const;
template std::vector<double> Hdf5Reader::ReadColumn(const std::string& name) const;

std::vector<std::string>
Hdf5Reader::ReadTexts(const std::string& name) const
{
    Hdf5Handle type;
    std::size_t count = 0;
    const Hdf5Handle dataset = OpenColumn(name, "text", type, count);
    const std::size_t width = H5Tget_size(type.Get());
    if (H5Tis_variable_str(type.Get()) > 0 || width > 65536)
    {
        throw InputError(m_path + ": " + name, "holds text of variable length", "a fixed length");
    }
    std::string bytes(width * count, '\0');
    if (count > 0 &&
        H5Dread(dataset.Get(), type.Get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    {
        throw InputError(m_path + ": " + name, "cannot be read (truncated or damaged)");
    }
    std::vector<std::string> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        const std::string value = bytes.substr(i * width, width);
        values.push_back(value.substr(0, value.find('\0')));
    }
    return values;
}

} // namespace ns3
