/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "queue-pair.h"

#include "ns3/mixnet-error.h"

#include <new>

namespace ns3
{

QpTable::~QpTable()
{
    for (Chunk* chunk : m_chunks)
    {
        chunk->~Chunk();
    }
}

uint32_t
QpTable::Create()
{
    if (m_freeCount == 0)
    {
        MIXNET_CHECK(m_slots <= SLOT_MASK, "more than " << SLOT_MASK << " queue pairs on a server");
        if (!m_arena)
        {
            m_arena = std::make_shared<MemoryArena>();
        }
        m_chunks.push_back(new (m_arena->Allocate(sizeof(Chunk), alignof(Chunk))) Chunk);
        m_free.assign(m_slots + CHUNK, 0);
        m_freeHead = 0;
        m_freeCount = CHUNK;
        for (uint32_t i = 0; i < CHUNK; ++i)
        {
            m_free[i] = m_slots + i;
        }
        m_slots += CHUNK;
    }
    const uint32_t slot = m_free[m_freeHead];
    m_freeHead = m_freeHead + 1 == m_free.size() ? 0 : m_freeHead + 1;
    --m_freeCount;
    ++m_size;
    QpCold& cold = m_chunks[slot / CHUNK]->cold[slot % CHUNK];
    const uint32_t generation = cold.generation % 63 + 1;
    cold = QpCold();
    cold.generation = generation;
    const uint32_t number = (generation << SLOT_BITS) | slot;
    QpSender& sender = Sender(slot);
    const QpSender old = sender;
    sender = QpSender();
    sender.ticket = old.ticket;
    sender.queued = old.queued;
    sender.armed = old.armed;
    sender.port = old.port;
    sender.trafficClass = old.trafficClass;
    sender.number = number;
    QpReceiver& receiver = Receiver(number);
    receiver = QpReceiver();
    receiver.number = number;
    return number;
}

void
QpTable::Destroy(uint32_t number)
{
    const uint32_t slot = number & SLOT_MASK;
    QpSender& sender = Sender(slot);
    sender.number = 0;
    sender.send.end = sender.send.next;
    sender.send.acked = sender.send.next;
    Receiver(number).number = 0;
    QpCold& cold = Cold(number);
    const uint32_t generation = cold.generation;
    cold = QpCold();
    cold.generation = generation;
    const auto tail = static_cast<uint32_t>((m_freeHead + uint64_t(m_freeCount)) % m_free.size());
    m_free[tail] = slot;
    ++m_freeCount;
    --m_size;
}

} // namespace ns3
