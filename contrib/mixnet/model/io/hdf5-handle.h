/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_HDF5_HANDLE_H
#define MIXNET_HDF5_HANDLE_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup mixnet
 * One RAII handle for HDF5; return codes are tested only inside. The HDF5 headers stay in the
 * source file.
 */
class Hdf5Handle
{
  public:
    Hdf5Handle() = default;
    /// @param id identifier of the library @param close function that ends it
    Hdf5Handle(int64_t id, int (*close)(int64_t));
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;
    /// @param other moved from
    Hdf5Handle(Hdf5Handle&& other) noexcept;
    /// @param other moved from @return this
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept;
    ~Hdf5Handle();

    /// @return identifier of the library
    int64_t Get() const
    {
        return m_id;
    }

    /// End it now.
    void Close();

  private:
    int64_t m_id{-1};                 //!< identifier, below zero when none
    int (*m_close)(int64_t){nullptr}; //!< ends it
};

/**
 * @ingroup mixnet
 * To be called before any other use of the library. When the system refuses to write (full disk,
 * quota), HDF5 cannot close its file any more and crashes when it cleans up at the end of the
 * process; so it does not clean up then. Handles have closed everything long before.
 */
void PrepareHdf5();

/**
 * @ingroup mixnet
 * @param what what was tried, for the message
 * @param id result of a library call
 * @return the same id, when the call succeeded
 * @throws InputError otherwise; it says why when the disk is full
 */
int64_t NeedHdf5(const std::string& what, int64_t id);

} // namespace ns3

#endif // MIXNET_HDF5_HANDLE_H
