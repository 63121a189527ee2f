/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FRAME_RING_H
#define MIXNET_FRAME_RING_H

#include "frame.h"

#include <cstdint>
#include <memory>
#include <utility>

namespace ns3
{

/// A frame under way on a link.
struct FrameArrival
{
    SimTick time{0};       //!< arrival of its last byte
    Frame* frame{nullptr}; //!< the frame
};

/**
 * @ingroup mixnet
 * A frame in a queue of a port, with what its departure needs to know of it: two words, so that it
 * travels in registers.
 */
class QueuedFrame
{
  public:
    /// None.
    QueuedFrame() = default;

    /// @param frame what is queued
    explicit QueuedFrame(Frame& frame)
        : frame(&frame),
          m_facts(uint64_t{frame.wireBytes} | uint64_t{frame.ingress} << 16 |
                  uint64_t{frame.trafficClass} << 32 | uint64_t{frame.flags} << 40 |
                  uint64_t(frame.opcode) << 48 | uint64_t(frame.ecn) << 56)
    {
    }

    /// @return bytes on the wire
    uint16_t GetWireBytes() const
    {
        return static_cast<uint16_t>(m_facts);
    }

    /// @return port by which it entered the switch
    uint16_t GetIngress() const
    {
        return static_cast<uint16_t>(m_facts >> 16);
    }

    /// @return its class
    uint8_t GetPriority() const
    {
        return static_cast<uint8_t>(m_facts >> 32);
    }

    /// @return FrameFlag bits
    uint8_t GetFlags() const
    {
        return static_cast<uint8_t>(m_facts >> 40);
    }

    /// @return what it is
    FrameOpcode GetOpcode() const
    {
        return static_cast<FrameOpcode>(m_facts >> 48 & UINT8_MAX);
    }

    /// @return its ECN field when it was queued
    FrameEcn GetEcn() const
    {
        return static_cast<FrameEcn>(m_facts >> 56);
    }

    Frame* frame{nullptr}; //!< the frame

  private:
    uint64_t m_facts{0}; //!< copies of its fields
};

static_assert(sizeof(FrameArrival) == 16 && sizeof(QueuedFrame) == 16, "four to a cache line");

/**
 * @ingroup mixnet
 * First-in first-out ring of entries that point to frames. Owns no frame: empty it before it ends.
 *
 * Design note: large runs wait for memory. An entry holds what is needed while a frame waits, and
 * entries lie side by side, so waiting and leaving do not touch the frame, and the next one can be
 * fetched ahead of its turn. The room doubles when it is too small and never shrinks.
 *
 * @tparam Entry FrameArrival or QueuedFrame
 */
template <typename Entry>
class FrameRing
{
  public:
    /// @return true when there is no entry
    bool IsEmpty() const
    {
        return m_count == 0;
    }

    /// @return entries in it
    uint32_t GetSize() const
    {
        return m_count;
    }

    /// @param i order, below the size @return the entry
    const Entry& At(uint32_t i) const
    {
        return m_slots[(m_head + i) & m_mask];
    }

    /// @return the first entry; only when not empty
    const Entry& Front() const
    {
        return m_slots[m_head];
    }

    /// @return the last entry; only when not empty
    const Entry& Back() const
    {
        return At(m_count - 1);
    }

    /// @param entry appended
    void Push(const Entry& entry)
    {
        if (m_count == m_room)
        {
            Grow();
        }
        m_slots[(m_head + m_count) & m_mask] = entry;
        ++m_count;
    }

    /// @return the first entry, removed; only when not empty
    Entry Pop()
    {
        const Entry entry = m_slots[m_head];
        m_head = (m_head + 1) & m_mask;
        --m_count;
        return entry;
    }

    /// Fetch a frame into the cache ahead of its turn. @param i its order; room must not be zero
    void Fetch(uint32_t i) const
    {
        __builtin_prefetch(At(i).frame, 1); // a stale one does no harm
    }

  private:
    static constexpr uint32_t FIRST_ROOM = 8; //!< entries of the first allocation

    /// Double the room.
    void Grow()
    {
        const uint32_t room = m_room == 0 ? FIRST_ROOM : 2 * m_room;
        auto slots = std::make_unique<Entry[]>(room);
        for (uint32_t i = 0; i < m_count; ++i)
        {
            slots[i] = At(i);
        }
        m_slots = std::move(slots);
        m_head = 0;
        m_room = room;
        m_mask = room - 1;
    }

    std::unique_ptr<Entry[]> m_slots; //!< room, a power of two
    uint32_t m_mask{0};               //!< room - 1
    uint32_t m_head{0};               //!< first entry
    uint32_t m_count{0};              //!< entries
    uint32_t m_room{0};               //!< entries there is room for
};

} // namespace ns3

#endif // MIXNET_FRAME_RING_H
