/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QP_SCHEDULER_H
#define QP_SCHEDULER_H

#include "congestion-control.h"
#include "queue-pair.h"
#include "time-heap.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// Queue pairs in order, first in first out: a ring that grows.
class KeyRing
{
  public:
    /// @return true when there is none
    bool IsEmpty() const
    {
        return m_count == 0;
    }

    /// @return the first one; only when not empty
    uint32_t GetFirst() const
    {
        return m_keys[m_head];
    }

    /// @param key appended
    void Push(uint32_t key)
    {
        if (m_count == m_keys.size())
        {
            Grow();
        }
        m_keys[(m_head + m_count) & (m_keys.size() - 1)] = key;
        ++m_count;
    }

    /// @param key put before all others
    void PushFront(uint32_t key)
    {
        if (m_count == m_keys.size())
        {
            Grow();
        }
        m_head = (m_head - 1) & (m_keys.size() - 1);
        m_keys[m_head] = key;
        ++m_count;
    }

    /// @return the first one, removed
    uint32_t Pop()
    {
        const uint32_t key = m_keys[m_head];
        m_head = (m_head + 1) & (m_keys.size() - 1);
        --m_count;
        return key;
    }

  private:
    /// Double the room.
    void Grow()
    {
        std::vector<uint32_t> keys(m_keys.empty() ? 16 : 2 * m_keys.size());
        for (std::size_t i = 0; i < m_count; ++i)
        {
            keys[i] = m_keys[(m_head + i) & (m_keys.size() - 1)];
        }
        m_keys.swap(keys);
        m_head = 0;
    }

    std::vector<uint32_t> m_keys; //!< room, a power of two
    std::size_t m_head{0};        //!< first
    std::size_t m_count{0};       //!< number
};

/**
 * @ingroup mixnet
 * Which queue pair of a port sends next: those that may send take turns (round robin by packet),
 * those whose pacing says later wait in a heap by that time. A queue pair has at most one valid
 * entry; work per packet does not grow with the number of queue pairs.
 *
 * Entries carry the ticket of their queue pair: when it moves to another port its ticket changes,
 * and the entry it leaves behind is dropped when met.
 */
class QpScheduler
{
  public:
    /// @param qp a queue pair of this port that is not queued and has something to send
    void Add(QpSender& qp)
    {
        qp.queued = true;
        m_ready.Push(GetKey(qp));
    }

    /// As Add, before all others that may send: its turn goes on. @param qp the queue pair
    void AddFirst(QpSender& qp)
    {
        qp.queued = true;
        m_ready.PushFront(GetKey(qp));
    }

    /// Take a queue pair out: it moves or stops. @param qp the queue pair
    static void Remove(QpSender& qp)
    {
        if (qp.queued)
        {
            qp.queued = false;
            ++qp.ticket;
            qp.ticket &= TICKET_MASK;
        }
    }

    /**
     * @param table the queue pairs
     * @param now the present
     * @return whose turn it is; it is no longer queued (call Add again when it has more); null:
     * nobody's before GetNext
     */
    QpSender* Take(QpTable& table, SimTick now)
    {
        while (!m_paced.IsEmpty() && m_paced.GetTime() <= now)
        {
            m_ready.Push(m_paced.Pop());
        }
        while (!m_ready.IsEmpty())
        {
            const uint32_t key = m_ready.Pop();
            QpSender& qp = table.Sender(key & QpTable::SLOT_MASK);
            if (qp.ticket != key >> QpTable::SLOT_BITS)
            {
                continue;
            }
            if (!qp.send.HasPacket() || qp.held)
            {
                qp.queued = false;
                continue;
            }
            if (qp.nextAt > now)
            {
                m_paced.Push(qp.nextAt, key);
                continue;
            }
            qp.queued = false;
            return &qp;
        }
        return nullptr;
    }

    /**
     * Fetch into the cache what the next turn touches: with many queue pairs it is long ago that
     * this one had its turn.
     *
     * @param table the queue pairs @param congestion their strategy
     */
    void FetchNext(QpTable& table, const CongestionControl& congestion) const
    {
        if (!m_ready.IsEmpty() || !m_paced.IsEmpty())
        {
            const uint32_t key = m_ready.IsEmpty() ? m_paced.GetFirst() : m_ready.GetFirst();
            const uint32_t slot = key & QpTable::SLOT_MASK;
            const auto* lines = reinterpret_cast<const char*>(&table.Sender(slot));
            __builtin_prefetch(lines, 1);
            __builtin_prefetch(lines + sizeof(QpSender) / 2, 1);
            congestion.FetchState(slot);
        }
    }

    /// @return when the next paced queue pair may send, NEVER when there is none
    SimTick GetNext() const
    {
        return m_paced.IsEmpty() ? NEVER : m_paced.GetTime();
    }

  private:
    static constexpr uint16_t TICKET_MASK = (1U << (32 - QpTable::SLOT_BITS)) - 1; //!< bits kept

    /// @param qp queue pair @return its entry
    static uint32_t GetKey(const QpSender& qp)
    {
        return (uint32_t{qp.ticket} << QpTable::SLOT_BITS) | (qp.number & QpTable::SLOT_MASK);
    }

    KeyRing m_ready;  //!< may send, in turn
    TimeHeap m_paced; //!< may send later
};

} // namespace ns3

#endif // QP_SCHEDULER_H
