/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_EGRESS_QUEUES_H
#define MIXNET_EGRESS_QUEUES_H

#include "frame-pool.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * The queues of a port, one per priority class, and the choice between them: strict classes first
 * (the higher number wins), then deficit round robin over the others (Shreedhar and Varghese,
 * SIGCOMM 1995: a class is served while its deficit covers its next frame, one quantum is added
 * per visit, an empty queue loses its deficit, a closed one keeps it). Pure: no time, no events.
 *
 * Law: bytes of a class = sum over its frames of wire bytes without preamble and gap.
 */
class EgressQueues
{
  public:
    /// @param mask bit c: class c is strict
    void SetStrict(uint8_t mask)
    {
        m_strict = mask;
    }

    /// @param priority a class that is not strict @param bytes quantum per round, above zero
    void SetQuantum(uint8_t priority, uint32_t bytes)
    {
        m_classes[priority].quantum = bytes;
    }

    /// @param frame queued at the end of its class
    void Push(Frame* frame)
    {
        const uint8_t c = frame->trafficClass;
        m_classes[c].frames.Push(frame);
        m_classes[c].bytes += frame->wireBytes - ETHERNET_GAP_BYTES;
        m_backlog |= static_cast<uint8_t>(1U << c);
    }

    /// @param open bit c: class c may be served @return next frame; null when no such class waits
    Frame* Pop(uint8_t open)
    {
        const uint8_t eligible = m_backlog & open;
        if (eligible == 0)
        {
            return nullptr;
        }
        const uint8_t strict = eligible & m_strict;
        if (strict != 0)
        {
            return Take(static_cast<uint8_t>(31 - __builtin_clz(strict)));
        }
        if ((eligible & (eligible - 1)) == 0)
        {
            return Take(static_cast<uint8_t>(__builtin_ctz(eligible)));
        }
        return Take(ChooseRoundRobin(eligible));
    }

    /// @param priority class @return its first frame, the others by Frame::next; null when empty
    const Frame* GetFront(uint8_t priority) const
    {
        return m_classes[priority].frames.Front();
    }

    /// @param priority class @return bytes queued
    uint64_t GetBytes(uint8_t priority) const
    {
        return m_classes[priority].bytes;
    }

    /// @return bit c: class c has frames
    uint8_t GetBacklog() const
    {
        return m_backlog;
    }

    /// @return bytes queued in all classes
    uint64_t GetTotalBytes() const;
    /// @return frames queued in all classes; counts them
    uint64_t CountFrames() const;

  private:
    /// A class: half a cache line.
    struct Class
    {
        FrameList frames;       //!< in order
        uint64_t bytes{0};      //!< their sum
        uint32_t deficit{0};    //!< of round robin
        uint32_t quantum{9216}; //!< of round robin; default: one jumbo frame
    };

    /// @param eligible classes that may be served, at least two @return the class to serve
    uint8_t ChooseRoundRobin(uint8_t eligible);

    /// @param c class with a frame @return its first frame
    Frame* Take(uint8_t c)
    {
        Class& queue = m_classes[c];
        Frame* frame = queue.frames.Pop();
        __builtin_prefetch(queue.frames.Front());
        queue.bytes -= frame->wireBytes - ETHERNET_GAP_BYTES;
        if (queue.frames.IsEmpty())
        {
            m_backlog &= static_cast<uint8_t>(~(1U << c));
            queue.deficit = 0;
        }
        return frame;
    }

    std::array<Class, N_PRIORITIES> m_classes; //!< by class
    uint8_t m_backlog{0};                      //!< classes with frames
    uint8_t m_strict{0};                       //!< strict classes
    uint8_t m_turn{0};                         //!< class visited by round robin
};

} // namespace ns3

#endif // MIXNET_EGRESS_QUEUES_H
