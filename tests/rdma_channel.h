/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CHANNEL_H
#define RDMA_CHANNEL_H

// Sender and receiver state over a scripted channel of one packet per tick, without a simulator.

#include "ns3/loss-recovery.h"

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <utility>
#include <vector>

constexpr uint64_t FIRST = ns3::PSN_SPACE; //!< first packet

/// Moves n packets over a channel with one delay per packet; answers take `back` ticks.
class Channel
{
  public:
    using Reply = ns3::ReceiveVerdict::Reply;

    explicit Channel(ns3::Ptr<ns3::LossRecovery> strategy)
        : recovery(strategy)
    {
    }

    ns3::Ptr<ns3::LossRecovery> recovery;
    std::function<bool(uint64_t psn, int attempt)> loseData = [](uint64_t, int) { return false; };
    std::function<bool(Reply, int count)> loseReply = [](Reply, int) { return false; };
    std::function<int64_t(int64_t now)> forward = [](int64_t) { return 5; };
    int64_t back = 5;

    ns3::SendState tx;
    ns3::ReceiveState rx;
    std::vector<uint64_t> delivered;
    std::vector<uint64_t> transmitted;
    std::vector<int64_t> sendTimes;
    std::vector<int64_t> nackTimes;
    int acks = 0;
    int stored = 0;
    int duplicates = 0;
    int timeouts = 0;
    bool failed = false;
    int64_t finished = -1;
    int64_t acknowledged = -1;

    void Run(uint64_t packets, int64_t limit = 1000000)
    {
        tx.end = FIRST + packets;
        for (int64_t now = 0; now < limit && !failed && tx.acked < tx.end; ++now)
        {
            Deliver(now);
            if (tx.IsWaiting() && recovery->GetDeadline(tx) <= now)
            {
                ++timeouts;
                failed = !recovery->OnTimeout(tx);
            }
            if (!failed && tx.HasPacket())
            {
                Send(now);
            }
            ASSERT_LE(tx.acked, tx.next);
            ASSERT_LE(tx.next, tx.end);
            ASSERT_LE(tx.sent, tx.end);
            ASSERT_LE(tx.next, tx.sent);
            ASSERT_LE(tx.next - tx.acked, tx.window);
        }
    }

    /// @return packets that were still under way at the end
    std::size_t CountUnderWay() const
    {
        return m_data.size();
    }

  private:
    /// An answer on its way.
    struct Answer
    {
        ns3::ReceiveVerdict verdict;
        uint64_t sacked;
    };

    void Deliver(int64_t now)
    {
        for (auto it = m_data.begin(); it != m_data.end() && it->first <= now;)
        {
            Receive(it->second, now);
            it = m_data.erase(it);
        }
        for (auto it = m_answers.begin(); it != m_answers.end() && it->first <= now;)
        {
            const Answer a = it->second;
            it = m_answers.erase(it);
            a.verdict.reply == Reply::ACK ? recovery->OnAck(tx, a.verdict.psn)
                                          : recovery->OnNack(tx, a.verdict.psn, a.sacked);
            acknowledged = tx.acked == tx.end ? now : acknowledged;
        }
    }

    void Send(int64_t now)
    {
        const uint64_t psn = tx.next;
        if (tx.OnSent(now))
        {
            recovery->OnResent(tx);
        }
        transmitted.push_back(psn - FIRST);
        sendTimes.push_back(now);
        if (!loseData(psn - FIRST, m_attempts[psn]++))
        {
            m_data.emplace(now + forward(now), psn);
        }
    }

    void Receive(uint64_t psn, int64_t now)
    {
        const bool old = psn < rx.expected;
        const ns3::ReceiveVerdict v = recovery->OnData(rx, psn, psn + 1 == tx.end);
        duplicates += old || v.duplicate ? 1 : 0;
        ASSERT_LE(v.accept + v.store + v.duplicate, 1);
        if (v.store)
        {
            ++stored;
            recovery->Store(rx, psn, {static_cast<uint16_t>(psn - FIRST), 0, true});
        }
        if (v.accept)
        {
            delivered.push_back(psn - FIRST);
            for (uint32_t i = 0; i < v.ready; ++i)
            {
                delivered.push_back(recovery->TakeStored(rx).payload);
            }
            finished = rx.expected == tx.end ? now : finished;
        }
        if (v.reply == Reply::NONE)
        {
            return;
        }
        int& count = v.reply == Reply::ACK ? acks : m_nacks;
        if (v.reply == Reply::NACK)
        {
            nackTimes.push_back(now);
        }
        if (!loseReply(v.reply, count++))
        {
            m_answers.emplace(now + back, Answer{v, psn});
        }
    }

    std::multimap<int64_t, uint64_t> m_data;
    std::multimap<int64_t, Answer> m_answers;
    std::map<uint64_t, int> m_attempts;
    int m_nacks{0};
};

inline void
ExpectInOrder(const std::vector<uint64_t>& delivered, uint64_t n)
{
    ASSERT_EQ(delivered.size(), n);
    for (uint64_t i = 0; i < n; ++i)
    {
        ASSERT_EQ(delivered[i], i);
    }
}

#endif // RDMA_CHANNEL_H
