/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "frame-pool.h"

#include "ns3/packet.h"

#include <new>

namespace ns3
{

FramePool::FramePool()
    : m_arena(std::make_shared<MemoryArena>())
{
}

FramePool::~FramePool()
{
    for (Slab* slab : m_slabs)
    {
        slab->~Slab();
    }
}

std::size_t
FramePool::GetCapacity() const
{
    return m_slabs.size() * SLAB;
}

void
FramePool::Grow()
{
    m_slabs.push_back(new (m_arena->Allocate(sizeof(Slab), alignof(Slab))) Slab);
    Frame* slab = m_slabs.back()->frames;
    for (std::size_t i = SLAB; i-- > 0;)
    {
        slab[i].next = m_free;
        m_free = &slab[i];
    }
}

void
FramePool::ReleasePacket(Frame& frame)
{
    if (frame.packet)
    {
        frame.packet->Unref();
        frame.packet = nullptr;
    }
    frame.opcode = FrameOpcode::DATA_ONLY;
}

} // namespace ns3
