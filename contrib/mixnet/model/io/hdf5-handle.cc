/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hdf5-handle.h"

#include "ns3/mixnet-error.h"

#include <cerrno>
#include <cstring>
#include <hdf5.h>
#include <utility>

namespace ns3
{

Hdf5Handle::Hdf5Handle(int64_t id, int (*close)(int64_t))
    : m_id(id),
      m_close(close)
{
}

Hdf5Handle::Hdf5Handle(Hdf5Handle&& other) noexcept
    : m_id(std::exchange(other.m_id, -1)),
      m_close(other.m_close)
{
}

Hdf5Handle&
Hdf5Handle::operator=(Hdf5Handle&& other) noexcept
{
    if (this != &other)
    {
        Close();
        m_id = std::exchange(other.m_id, -1);
        m_close = other.m_close;
    }
    return *this;
}

Hdf5Handle::~Hdf5Handle()
{
    Close();
}

void
Hdf5Handle::Close()
{
    if (m_id >= 0 && m_close != nullptr)
    {
        m_close(m_id);
    }
    m_id = -1;
}

void
PrepareHdf5()
{
    static const herr_t once = H5dont_atexit();
    static_cast<void>(once);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    errno = 0;
}

int64_t
NeedHdf5(const std::string& what, int64_t id)
{
    if (id < 0)
    {
        if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT)
        {
            throw InputError(what, std::string("cannot be written: ") + strerror(errno));
        }
        throw InputError(what, "the HDF5 library refuses it");
    }
    return id;
}

} // namespace ns3
