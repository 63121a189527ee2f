/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOSS_RECOVERY_H
#define LOSS_RECOVERY_H

#include "rdma-psn.h"

#include "ns3/frame.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * Sending side of a queue pair: which packets are under way.
 *
 * Law: acked <= next <= end, acked <= sent <= end, next - acked <= window.
 *
 * The retransmission timer times one packet at a time, as TCP does for round trips: the oldest one
 * when nothing was under way; once it is acknowledged, the newest one that was sent. A lost last
 * packet is therefore sent again exactly one timeout after it was sent.
 */
struct SendState
{
    uint64_t next{PSN_SPACE};        //!< packet to send next
    uint64_t acked{PSN_SPACE};       //!< all before it are acknowledged
    uint64_t end{PSN_SPACE};         //!< behind the last packet that was posted
    uint64_t sent{PSN_SPACE};        //!< behind the highest packet ever sent
    uint64_t timed{PSN_SPACE};       //!< packet that is timed
    SimTick timedAt{0};              //!< when it was sent
    SimTick sentAt{0};               //!< when the last packet was sent
    uint32_t window{PSN_WINDOW_CAP}; //!< most packets under way
    uint8_t retries{0};              //!< timeouts since the last acknowledgement

    /// @return true when there is a packet that may be sent
    bool HasPacket() const
    {
        return next < end && next - acked < window;
    }

    /// @return true while packets wait for an acknowledgement
    bool IsWaiting() const
    {
        return acked < next;
    }

    /// Packet `next` leaves. @param now the present @return true when it was sent before
    bool OnSent(SimTick now)
    {
        if (next == acked)
        {
            timed = next;
            timedAt = now;
        }
        sentAt = now;
        const bool again = next < sent;
        ++next;
        sent = again ? sent : next;
        return again;
    }

    /// All before `psn` have arrived. @param psn first one that has not @return true when new
    bool Acknowledge(uint64_t psn)
    {
        if (psn <= acked || psn > sent)
        {
            return false;
        }
        acked = psn;
        next = next < acked ? acked : next;
        retries = 0;
        if (timed < acked && acked < next)
        {
            timed = next - 1;
            timedAt = sentAt;
        }
        return true;
    }
};

/**
 * @ingroup mixnet
 * Receiving side of a queue pair.
 */
struct ReceiveState
{
    uint64_t expected{PSN_SPACE}; //!< all before it have arrived in order
    uint64_t gap{0};              //!< packet that revealed a gap; the gap is open up to it
    uint32_t unacked{0};          //!< packets since the last acknowledgement

    /// @return true from the packet that revealed a gap until it is delivered
    bool IsGapOpen() const
    {
        return expected <= gap;
    }
};

/// What a receiver does with a data packet.
struct ReceiveVerdict
{
    /// What it answers.
    enum class Reply : uint8_t
    {
        NONE,
        ACK, //!< all before `psn` have arrived
        NACK //!< and `psn` itself is missing
    };

    bool accept{false};       //!< deliver it
    Reply reply{Reply::NONE}; //!< answer
    uint64_t psn{0};          //!< first packet that has not arrived
};

/**
 * @ingroup mixnet
 * Strategy: what is sent again and when. State lies in the queue pairs; the strategy decides.
 */
class LossRecovery : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    LossRecovery();

    /**
     * @param state receiver @param psn packet that arrived @param last it ends a message, or asks
     * for an answer
     * @return what to do
     */
    virtual ReceiveVerdict OnData(ReceiveState& state, uint64_t psn, bool last) const = 0;
    /// @param state sender @param psn first packet that has not arrived @return true when new
    virtual bool OnAck(SendState& state, uint64_t psn) const = 0;
    /// @param state sender @param psn packet that is missing @return true when new ones arrived
    virtual bool OnNack(SendState& state, uint64_t psn) const = 0;

    /**
     * The timed packet was not acknowledged in time.
     *
     * @param state sender, with packets under way
     * @return false when the retry limit is reached
     */
    bool OnTimeout(SendState& state) const;

    /// @param state sender with packets under way @return when it runs out of time
    SimTick GetDeadline(const SendState& state) const
    {
        const uint32_t shift = state.retries < m_backoffLimit ? state.retries : m_backoffLimit;
        return state.timedAt + (m_timeoutTicks << shift);
    }

  protected:
    void NotifyConstructionCompleted() override;

  private:
    /// @param state sender
    virtual void DoTimeout(SendState& state) const = 0;
    /// @param timeout retransmission timeout
    void SetTimeout(Time timeout);
    /// @return retransmission timeout
    Time GetTimeout() const;

    SimTick m_timeoutTicks;  //!< timeout without back-off
    uint32_t m_backoffLimit; //!< doublings at most
    uint32_t m_retryLimit;   //!< timeouts in a row before giving up
};

} // namespace ns3

#endif // LOSS_RECOVERY_H
