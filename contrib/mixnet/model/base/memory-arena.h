/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_MEMORY_ARENA_H
#define MIXNET_MEMORY_ARENA_H

#include <cstddef>
#include <memory_resource>

namespace ns3
{

/**
 * @ingroup mixnet
 * Where an arena gets its blocks: those of 2 MiB and more are aligned to 2 MiB and the kernel is
 * asked to back them by huge pages (Linux: madvise, MADV_HUGEPAGE; elsewhere nothing is asked).
 */
class HugePageResource : public std::pmr::memory_resource
{
  private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override;
    void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override;
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;
};

/**
 * @ingroup mixnet
 * Memory of many small things that live as long as a simulation: frames, queue pairs. It lies
 * together, on huge pages once there is enough of it, because a large run spends its time waiting
 * for memory, and with pages of 4 KiB much of that on address translation. Nothing is given back
 * before the end. Blocks double in size, and what is not used of one is not backed by memory.
 */
class MemoryArena
{
  public:
    MemoryArena()
        : m_blocks(FIRST_BLOCK, &m_pages)
    {
    }

    MemoryArena(const MemoryArena&) = delete;
    MemoryArena& operator=(const MemoryArena&) = delete;

    /// @param bytes size @param alignment of the first byte @return memory, not initialized
    void* Allocate(std::size_t bytes, std::size_t alignment)
    {
        return m_blocks.allocate(bytes, alignment);
    }

  private:
    static constexpr std::size_t FIRST_BLOCK = 256 * 1024; //!< bytes

    HugePageResource m_pages;                     //!< whole blocks
    std::pmr::monotonic_buffer_resource m_blocks; //!< pieces of them
};

} // namespace ns3

#endif // MIXNET_MEMORY_ARENA_H
