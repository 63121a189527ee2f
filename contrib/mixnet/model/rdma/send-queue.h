/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SEND_QUEUE_H
#define SEND_QUEUE_H

#include "message-layout.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// A message that was posted on a queue pair.
struct SendRequest
{
    uint64_t id{0};    //!< the poster's work-request id
    uint64_t bytes{0}; //!< payload
    uint64_t first{0}; //!< its first packet
    uint64_t end{0};   //!< behind its last packet
};

/**
 * @ingroup mixnet
 * The messages of a queue pair that are not acknowledged yet, in order of posting. Messages are
 * numbered by their order on the queue pair.
 */
class SendQueue
{
  public:
    /**
     * @param id work-request id @param bytes payload @param layout how messages are cut
     * @param end behind the last packet posted so far
     * @return behind the last packet of this message
     */
    uint64_t Push(uint64_t id, uint64_t bytes, const MessageLayout& layout, uint64_t end)
    {
        m_requests.push_back({id, bytes, end, end + layout.GetNPackets(bytes)});
        return m_requests.back().end;
    }

    /// @param psn a packet of a message in the queue @return that message
    const SendRequest& Find(uint64_t psn)
    {
        while (psn < m_requests[m_cursor].first)
        {
            --m_cursor;
        }
        while (psn >= m_requests[m_cursor].end)
        {
            ++m_cursor;
        }
        return m_requests[m_cursor];
    }

    /// @param number order of a message that is in the queue @return the message
    const SendRequest& At(uint64_t number) const
    {
        return m_requests[m_head + (number - m_popped)];
    }

    /// @return true when no message waits
    bool IsEmpty() const
    {
        return m_head == m_requests.size();
    }

    /// @return the oldest message
    const SendRequest& Front() const
    {
        return m_requests[m_head];
    }

    /// @return order of the oldest message, also the number of messages that left
    uint64_t GetNPopped() const
    {
        return m_popped;
    }

    /// @return order that the next message will have
    uint64_t GetNextNumber() const
    {
        return m_popped + (m_requests.size() - m_head);
    }

    /// Remove the oldest message.
    void Pop()
    {
        ++m_head;
        ++m_popped;
        if (m_head == m_requests.size())
        {
            m_requests.clear();
            m_head = 0;
            m_cursor = 0;
        }
        else if (m_head >= COMPACT && m_head * 2 >= m_requests.size())
        {
            m_requests.erase(m_requests.begin(),
                             m_requests.begin() + static_cast<std::ptrdiff_t>(m_head));
            m_cursor -= m_cursor < m_head ? m_cursor : m_head;
            m_head = 0;
        }
        else if (m_cursor < m_head)
        {
            m_cursor = m_head;
        }
    }

    /// @return all messages in the queue, oldest first
    std::vector<SendRequest> GetAll() const
    {
        return {m_requests.begin() + static_cast<std::ptrdiff_t>(m_head), m_requests.end()};
    }

  private:
    static constexpr std::size_t COMPACT = 16; //!< popped messages kept before compaction

    std::vector<SendRequest> m_requests; //!< the first m_head have left
    std::size_t m_head{0};               //!< oldest
    std::size_t m_cursor{0};             //!< last found
    uint64_t m_popped{0};                //!< messages that left
};

} // namespace ns3

#endif // SEND_QUEUE_H
