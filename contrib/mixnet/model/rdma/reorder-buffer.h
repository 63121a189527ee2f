/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef REORDER_BUFFER_H
#define REORDER_BUFFER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Objects that queue pairs use while they have a gap, and no longer: handles from 1, memory for
 * the largest number in use at once, last one given back is used first.
 *
 * @tparam T default-constructible; keeps its memory when it is given back
 */
template <class T>
class GapPool
{
  public:
    /// @return handle of an object nobody uses
    uint32_t Take()
    {
        if (m_free.empty())
        {
            m_all.push_back(std::make_unique<T>());
            return static_cast<uint32_t>(m_all.size());
        }
        const uint32_t handle = m_free.back();
        m_free.pop_back();
        return handle;
    }

    /// @param handle no longer used
    void Give(uint32_t handle)
    {
        m_free.push_back(handle);
    }

    /// @param handle in use @return the object
    T& Get(uint32_t handle)
    {
        return *m_all[handle - 1];
    }

    /// @return objects in use
    std::size_t GetInUse() const
    {
        return m_all.size() - m_free.size();
    }

    /// @return objects that memory is held for
    std::size_t GetCapacity() const
    {
        return m_all.size();
    }

  private:
    std::vector<std::unique_ptr<T>> m_all; //!< by handle - 1
    std::vector<uint32_t> m_free;          //!< handles not in use
};

/// What a receiver keeps of a packet that arrived behind a gap.
struct StoredPacket
{
    uint16_t payload{0}; //!< bytes
    uint8_t flags{0};    //!< of the frame
    bool stored{false};  //!< there is one
};

/**
 * @ingroup mixnet
 * The packets of one queue pair that arrived behind a gap, until the gap is filled: a ring that
 * grows to the widest range and keeps that room. Payload lies in its place in host memory at once
 * (RETH or message offset tell where); this is what completions in order need.
 */
class ReorderBuffer
{
  public:
    /// @param psn packet behind the front @param packet what is kept @return false: was in already
    bool Store(uint64_t psn, const StoredPacket& packet)
    {
        while (psn - m_front >= m_ring.size())
        {
            Grow();
        }
        StoredPacket& slot = m_ring[psn & (m_ring.size() - 1)];
        if (slot.stored)
        {
            return false;
        }
        slot = packet;
        slot.stored = true;
        ++m_count;
        return true;
    }

    /// @param psn a packet, not below the front @return true when it is stored
    bool Has(uint64_t psn) const
    {
        return psn - m_front < m_ring.size() && m_ring[psn & (m_ring.size() - 1)].stored;
    }

    /// @param psn first packet that may be taken or stored; none is stored below
    void SetFront(uint64_t psn)
    {
        m_front = psn;
    }

    /// @return the packet at the front, which is stored; the front moves on
    StoredPacket Take()
    {
        StoredPacket& slot = m_ring[m_front & (m_ring.size() - 1)];
        const StoredPacket packet = slot;
        slot = StoredPacket();
        ++m_front;
        --m_count;
        return packet;
    }

    /// Forget all packets.
    void Clear()
    {
        for (StoredPacket& slot : m_ring)
        {
            slot = StoredPacket();
        }
        m_count = 0;
    }

    /// @return true when nothing is stored
    bool IsEmpty() const
    {
        return m_count == 0;
    }

    /// @return bytes of memory it holds
    std::size_t GetBytes() const
    {
        return m_ring.size() * sizeof(StoredPacket);
    }

  private:
    /// Double the room.
    void Grow()
    {
        std::vector<StoredPacket> ring(m_ring.empty() ? 64 : 2 * m_ring.size());
        for (uint64_t i = 0; i < m_ring.size(); ++i)
        {
            const uint64_t psn = m_front + i;
            ring[psn & (ring.size() - 1)] = m_ring[psn & (m_ring.size() - 1)];
        }
        m_ring.swap(ring);
    }

    std::vector<StoredPacket> m_ring; //!< a power of two
    uint64_t m_front{0};              //!< first packet that may be stored
    std::size_t m_count{0};           //!< packets stored
};

} // namespace ns3

#endif // REORDER_BUFFER_H
