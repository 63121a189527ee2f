/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SELECTIVE_REPEAT_H
#define SELECTIVE_REPEAT_H

#include "loss-recovery.h"
#include "packet-bitmap.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Selective repeat after IRN (Mittal et al., "Revisiting network support for RDMA", SIGCOMM 2018,
 * sections 3.1 and 3.2): the receiver keeps packets that arrive behind a gap and answers each with
 * a NACK that names the missing packet and the one that arrived; the sender sends again only what
 * is missing. Survives reordering, so packets of a queue pair may be sprayed over many ways.
 *
 * States of a sender:
 * - normal: `next` is the first packet never sent;
 * - recovery, from a NACK or a timeout until all packets that had been sent by then are
 *   acknowledged: `next` is the lowest packet deemed lost and not sent again in this recovery; when
 *   there is none, the first packet never sent.
 *
 * Deemed lost is every packet below one that was stored (ReorderTolerance apart). After a timeout,
 * also those that acknowledgements stop at: one at first, doubling with progress, so that a lost
 * tail of k packets costs one timeout and log2 k round trips (IRN leaves this case open). A packet
 * is sent again once per recovery; if that is lost, the timer helps.
 *
 * Memory: a bitmap at the sender and a ring at the receiver per queue pair with a gap, from pools.
 * Beyond 65,535 senders with gaps at once per NIC, a sender goes back N instead.
 */
class SelectiveRepeat : public LossRecovery
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    SelectiveRepeat();

    ReceiveVerdict OnData(ReceiveState& state, uint64_t psn, bool last) override;
    bool OnAck(SendState& state, uint64_t psn) override;
    bool OnNack(SendState& state, uint64_t psn, uint64_t sacked) override;
    void OnResent(SendState& state) override;
    void CloseSender(SendState& state) override;

    /// What a sender knows while it recovers.
    struct Recovery
    {
        PacketBitmap stored;  //!< packets that the receiver has stored
        uint64_t top{0};      //!< highest packet that is stored
        uint64_t lost{0};     //!< packets below that are not stored are deemed lost
        uint64_t end{0};      //!< recovery ends when all before it are acknowledged
        uint64_t cursor{0};   //!< packets below were looked at in this recovery
        uint64_t start{0};    //!< first missing packet at the last timeout
        bool timedOut{false}; //!< a timeout began it
    };

    /// @return senders in recovery: now, and at most so far
    const GapPool<Recovery>& GetRecoveries() const
    {
        return m_recoveries;
    }

  private:
    void DoTimeout(SendState& state) override;

    /// @param state sender @return its recovery, begun if need be; null: there is no memory
    Recovery* Begin(SendState& state);
    /// @param state sender in recovery that was told news: end it, or find what to send next
    void GoOn(SendState& state);
    /// @param timeout when few packets are under way
    void SetShortTimeout(Time timeout);
    /// @return timeout when few packets are under way
    Time GetShortTimeout() const;
    /// @param packets size of the bitmap
    void SetBitmapSize(uint32_t packets);
    /// @return size of the bitmap
    uint32_t GetBitmapSize() const;

    GapPool<Recovery> m_recoveries; //!< of senders
    uint32_t m_reorderTolerance{0}; //!< packets
};

} // namespace ns3

#endif // SELECTIVE_REPEAT_H
