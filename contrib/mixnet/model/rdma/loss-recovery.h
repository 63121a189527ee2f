/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LOSS_RECOVERY_H
#define LOSS_RECOVERY_H

#include "rdma-psn.h"
#include "reorder-buffer.h"

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
 * packet is therefore sent again exactly one timeout after it was sent. What was acknowledged in
 * the second half of the timeout restarts the timer: the packets wait in queues, none is lost.
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
    uint8_t stretch{0};              //!< doublings of timeouts for a long path
    uint16_t gaps{0};                //!< strategy's state beyond this; 0: none

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
        if (timed < acked && acked < sent)
        {
            timed = (acked < next ? next : sent) - 1; // the newest sent, in recovery too
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
    uint32_t buffer{0};           //!< packets stored behind a gap; 0: none

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
    bool store{false};        //!< keep it until the gap before it is filled
    bool duplicate{false};    //!< it is stored already
    Reply reply{Reply::NONE}; //!< answer
    uint32_t ready{0};        //!< stored packets that may be delivered behind it
    uint64_t psn{0};          //!< first packet that has not arrived
};

/**
 * @ingroup mixnet
 * Strategy: what is sent again and when. State lies in the queue pairs, and in memory of the
 * strategy while a queue pair has gaps; the strategy decides.
 *
 * The timeout of a queue pair is Timeout x 2^(stretch + timeouts in a row); stretch is such that
 * the shortest timeout is at least twice the round trip of the idle path, where that is known.
 */
class LossRecovery : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    LossRecovery();

    /// @name Receiver
    /// @{

    /**
     * @param state receiver @param psn packet that arrived @param last it ends a message, or asks
     * for an answer
     * @return what to do
     */
    virtual ReceiveVerdict OnData(ReceiveState& state, uint64_t psn, bool last) = 0;
    /// @param state receiver @param psn packet that the verdict says to store @param packet it
    void Store(ReceiveState& state, uint64_t psn, const StoredPacket& packet);
    /// As often as a verdict says. @param state receiver @return next stored packet in order
    StoredPacket TakeStored(ReceiveState& state);
    /// @param state a receiver that ends
    void CloseReceiver(ReceiveState& state);
    /// @}

    /// @name Sender
    /// @{

    /// @param state sender @param psn first packet that has not arrived @return true when new
    virtual bool OnAck(SendState& state, uint64_t psn) = 0;
    /**
     * @param state sender @param psn packet that is missing
     * @param sacked packet that revealed it, if it was stored
     * @return true when new ones arrived
     */
    virtual bool OnNack(SendState& state, uint64_t psn, uint64_t sacked) = 0;

    /// @param state sender that has just sent a packet again: where it goes on
    virtual void OnResent(SendState&)
    {
    }

    /// @param state a sender that ends
    virtual void CloseSender(SendState&)
    {
    }

    /**
     * The timed packet was not acknowledged in time.
     *
     * @param state sender, with packets under way
     * @return false when the retry limit is reached
     */
    bool OnTimeout(SendState& state);

    /// The timer starts again: others were acknowledged meanwhile. @param state sender @param now
    /// the present
    static void Restart(SendState& state, SimTick now)
    {
        state.timedAt = now;
    }

    /// @param state sender with packets under way @return when it runs out of time
    SimTick GetDeadline(const SendState& state) const
    {
        const uint32_t shift = state.retries < m_backoffLimit ? state.retries : m_backoffLimit;
        const bool few = state.sent - state.acked <= m_shortPackets;
        return state.timedAt + ((few ? m_shortTicks : m_timeoutTicks) << (shift + state.stretch));
    }

    /// @param state sender with packets under way @return half-way to its deadline: progress since
    /// then restarts the timer
    SimTick GetHalfTime(const SendState& state) const
    {
        return state.timedAt + (GetDeadline(state) - state.timedAt) / 2;
    }

    /**
     * @param state sender with packets under way @param now the present
     * @return when its deadline must be looked at: no later than it, though it may come nearer as
     * packets are acknowledged
     */
    SimTick GetCheckTime(const SendState& state, SimTick now) const;

    /// @param roundTrip of an idle path, ticks @return doublings of timeouts that it needs
    uint8_t GetStretch(SimTick roundTrip) const;

    /// @return most packets under way that it can handle
    uint32_t GetWindowLimit() const
    {
        return m_windowLimit;
    }

    /// @}

    /// @return receivers with packets behind a gap: in use now, and at most so far
    const GapPool<ReorderBuffer>& GetReorderBuffers() const
    {
        return m_buffers;
    }

    /// @return true when packets are accepted in order only, so that only the last packet of a
    /// message can complete it
    bool IsInOrder() const
    {
        return m_inOrder;
    }

  protected:
    void NotifyConstructionCompleted() override;

    /// @param state receiver @return its stored packets; made when there are none
    ReorderBuffer& OpenBuffer(ReceiveState& state);

    /// @name Set by strategies
    /// @{
    SimTick m_defaultTimeout;               //!< when Timeout is 0
    uint32_t m_windowLimit{PSN_WINDOW_CAP}; //!< most packets under way
    SimTick m_shortTicks{0};                //!< timeout when few packets are under way
    uint32_t m_shortPackets{0};             //!< how many are few; 0: the same timeout always
    /// @}

    bool m_inOrder{true}; //!< cleared by strategies that accept packets behind a gap

    uint32_t m_ackInterval{1}; //!< packets per acknowledgement

  private:
    /// @return shortest timeout without back-off and stretch, ticks
    SimTick GetShortest() const;
    /// @param state sender
    virtual void DoTimeout(SendState& state) = 0;
    /// @param timeout retransmission timeout; 0: that of the strategy
    void SetTimeout(Time timeout);
    /// @return retransmission timeout
    Time GetTimeout() const;

    GapPool<ReorderBuffer> m_buffers; //!< of receivers with gaps
    SimTick m_timeoutTicks;           //!< timeout without back-off
    uint32_t m_backoffLimit;          //!< doublings at most
    uint32_t m_retryLimit;            //!< timeouts in a row before giving up
};

} // namespace ns3

#endif // LOSS_RECOVERY_H
