/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FRAME_POOL_H
#define MIXNET_FRAME_POOL_H

#include "frame-telemetry.h"
#include "frame.h"

#include "ns3/memory-arena.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Frames of one fabric: a free list over slabs. Memory grows to the largest number of frames in
 * use at once and is never given back before the pool ends; in steady state nothing is allocated.
 *
 * Law: allocated = freed + in use.
 */
class FramePool
{
  public:
    FramePool();
    ~FramePool();
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    /// @return a default-initialized frame, owned by the caller
    Frame* Allocate()
    {
        if (!m_free)
        {
            Grow();
        }
        Frame* frame = m_free;
        m_free = frame->next;
        ++m_allocated;
        *frame = Frame();
        return frame;
    }

    /// @param frame a frame of this pool; the packet of an ETHERNET frame is released
    void Free(Frame* frame)
    {
        if (frame->opcode == FrameOpcode::ETHERNET)
        {
            ReleasePacket(*frame);
        }
        frame->next = m_free;
        m_free = frame;
        ++m_freed;
    }

    /**
     * Telemetry beside a frame: memory for a slab of frames is taken when the first of them asks.
     *
     * @param frame a frame of this pool @return its telemetry; whatever it was left as
     */
    static FrameTelemetry& GetTelemetry(Frame* frame)
    {
        auto* slab =
            reinterpret_cast<Slab*>(reinterpret_cast<uintptr_t>(frame) & ~(SLAB_BYTES - 1));
        if (!slab->telemetry)
        {
            slab->telemetry = std::make_unique<FrameTelemetry[]>(SLAB);
        }
        return slab->telemetry[static_cast<std::size_t>(frame - slab->frames)];
    }

    /// @return frames handed out since the beginning
    uint64_t GetAllocated() const
    {
        return m_allocated;
    }

    /// @return frames given back since the beginning
    uint64_t GetFreed() const
    {
        return m_freed;
    }

    /// @return frames in use now
    uint64_t GetInUse() const
    {
        return m_allocated - m_freed;
    }

    /// @return frames that memory is held for
    std::size_t GetCapacity() const;

    /// @return where the fabric's small things lie; it lives as long as anyone holds it
    const std::shared_ptr<MemoryArena>& GetArena() const
    {
        return m_arena;
    }

  private:
    static constexpr std::size_t SLAB_BYTES = 65536; //!< size and alignment of a slab
    static constexpr std::size_t SLAB = SLAB_BYTES / sizeof(Frame) - 1; //!< frames per slab

    /// Frames that are allocated together; a frame's address tells its slab.
    struct alignas(SLAB_BYTES) Slab
    {
        std::unique_ptr<FrameTelemetry[]> telemetry; //!< by frame; null until asked for
        Frame frames[SLAB];                          //!< the frames
    };

    static_assert(sizeof(Slab) == SLAB_BYTES, "a slab is found by masking addresses");

    /// Add a slab to the free list.
    void Grow();
    /// @param frame an ETHERNET frame whose packet is dropped
    static void ReleasePacket(Frame& frame);

    Frame* m_free{nullptr};               //!< free list
    uint64_t m_allocated{0};              //!< handed out
    uint64_t m_freed{0};                  //!< given back
    std::shared_ptr<MemoryArena> m_arena; //!< memory
    std::vector<Slab*> m_slabs;           //!< in it
};

/**
 * @ingroup mixnet
 * First-in first-out list of frames through Frame::next. Owns nothing: empty it before it ends.
 */
class FrameList
{
  public:
    /// @return true when there is no frame
    bool IsEmpty() const
    {
        return !m_head;
    }

    /// @return the first frame, null when empty
    Frame* Front() const
    {
        return m_head;
    }

    /// @return the last frame; only when not empty
    Frame* Back() const
    {
        return m_tail;
    }

    /// @param frame appended
    void Push(Frame* frame)
    {
        frame->next = nullptr;
        if (m_head)
        {
            m_tail->next = frame;
        }
        else
        {
            m_head = frame;
        }
        m_tail = frame;
    }

    /// @return the first frame, removed; only when not empty
    Frame* Pop()
    {
        Frame* frame = m_head;
        m_head = frame->next;
        return frame;
    }

  private:
    Frame* m_head{nullptr}; //!< first
    Frame* m_tail{nullptr}; //!< last, valid unless empty
};

} // namespace ns3

#endif // MIXNET_FRAME_POOL_H
