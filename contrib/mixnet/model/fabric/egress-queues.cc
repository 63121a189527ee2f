/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "egress-queues.h"

namespace ns3
{

uint8_t
EgressQueues::ChooseRoundRobin(uint8_t eligible)
{
    for (;;)
    {
        if (eligible & (1U << m_turn))
        {
            const auto size = m_classes[m_turn].frames.Front()->wireBytes;
            if (m_classes[m_turn].deficit >= size)
            {
                m_classes[m_turn].deficit -= size;
                return m_turn;
            }
        }
        do
        {
            m_turn = (m_turn + 1) % N_PRIORITIES;
        } while (!(eligible & (1U << m_turn)));
        m_classes[m_turn].deficit += m_classes[m_turn].quantum;
    }
}

uint64_t
EgressQueues::GetTotalBytes() const
{
    uint64_t total = 0;
    for (const auto& queue : m_classes)
    {
        total += queue.bytes;
    }
    return total;
}

uint64_t
EgressQueues::CountFrames() const
{
    uint64_t count = 0;
    for (const auto& queue : m_classes)
    {
        for (const Frame* frame = queue.frames.Front(); frame; frame = frame->next)
        {
            ++count;
        }
    }
    return count;
}

} // namespace ns3
