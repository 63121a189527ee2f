/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "memory-arena.h"

#include <algorithm>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ns3
{

namespace
{

constexpr std::size_t HUGE_PAGE = 2 * 1024 * 1024; //!< bytes

/// @param bytes size of a block @param alignment asked for @return alignment given
std::align_val_t
Align(std::size_t bytes, std::size_t alignment)
{
    return std::align_val_t(bytes >= HUGE_PAGE ? std::max(HUGE_PAGE, alignment) : alignment);
}

} // namespace

void*
HugePageResource::do_allocate(std::size_t bytes, std::size_t alignment)
{
    void* memory = ::operator new(bytes, Align(bytes, alignment));
#ifdef __linux__
    if (bytes >= HUGE_PAGE)
    {
        // a wish: without huge pages the memory is as good, only slower
        [[maybe_unused]] const int status =
            madvise(memory, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    }
#endif
    return memory;
}

void
HugePageResource::do_deallocate(void* memory, std::size_t bytes, std::size_t alignment)
{
    ::operator delete(memory, Align(bytes, alignment));
}

bool
HugePageResource::do_is_equal(const std::pmr::memory_resource& other) const noexcept
{
    return dynamic_cast<const HugePageResource*>(&other) != nullptr;
}

} // namespace ns3
