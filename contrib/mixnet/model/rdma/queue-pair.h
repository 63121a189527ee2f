/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef QUEUE_PAIR_H
#define QUEUE_PAIR_H

#include "loss-recovery.h"
#include "send-queue.h"

#include "ns3/frame.h"
#include "ns3/memory-arena.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class WorkSink;

/// Sending half of a queue pair: two cache lines.
struct alignas(64) QpSender
{
    SendState send;           //!< what is under way
    uint64_t messageFirst{0}; //!< first packet of the message being sent
    uint64_t messageEnd{0};   //!< behind its last packet
    uint64_t messageBytes{0}; //!< its payload
    uint64_t oldestEnd{0};    //!< behind the oldest message not acknowledged; maximum: none
    SimTick nextAt{0};        //!< pacing: earliest start of the next packet
    uint32_t number{0};       //!< queue-pair number; 0: not in use
    uint32_t peer{0};         //!< number of the other end
    uint32_t source{0};       //!< NIC address it sends from
    uint32_t destination{0};  //!< NIC address it sends to
    uint16_t sourcePort{0};   //!< UDP source port
    uint8_t port{0};          //!< local port it sends by
    uint8_t path{0};          //!< paths taken so far, coded for Frame::flags

    /// @name Of the slot: they outlive the queue pair
    /// @{
    uint16_t ticket{0}; //!< entries of schedulers with another ticket are stale
    bool queued : 1;    //!< the scheduler of its port has an entry
    bool armed : 1;     //!< the retransmission timer has an entry
    /// @}
    bool held : 1;            //!< may not send
    uint8_t trafficClass : 3; //!< class of its data

    QpSender()
        : queued(false),
          armed(false),
          held(false),
          trafficClass(0)
    {
    }
};

static_assert(sizeof(QpSender) == 128, "two cache lines");

/// Receiving half of a queue pair: one cache line.
struct alignas(64) QpReceiver
{
    ReceiveState state;             //!< what has arrived
    SimTick notifiedAt{-NEVER / 2}; //!< last CNP sent
    uint64_t bytes{0};              //!< payload of the message that is arriving
    uint64_t messages{0};           //!< messages that have arrived
    uint64_t delivered{0};          //!< payload that has arrived, all messages
    uint32_t number{0};             //!< queue-pair number; 0: not in use
    uint32_t peer{0};               //!< number of the other end
};

static_assert(sizeof(QpReceiver) == 64, "one cache line");

/// What is looked at once per message or less.
struct QpCold
{
    SendQueue queue;                 //!< messages not yet acknowledged
    WorkSink* sink{nullptr};         //!< hears of completions
    std::vector<uint64_t> pathBytes; //!< payload received by path number, all but path 0
    uint32_t paths{0};               //!< sender: number of SetPath calls
    uint32_t path{0};                //!< receiver: newest path seen
    uint32_t generation{0};          //!< of the slot
    uint64_t ackedBefore{0};         //!< sender: acknowledged when its timer was looked at last
    SimTick answerTicks{0};          //!< sender: round trip over the way of the answers, if it is
                                     //!< another one
    bool failed{false};              //!< in error
    uint8_t answerPort{NO_PORT};     //!< receiver: port that answers leave by; NO_PORT: the port
                                     //!< that data came in by
    uint32_t answerAddress{0};       //!< receiver: with answerPort, NIC that answers go to

    static constexpr uint8_t NO_PORT = UINT8_MAX; //!< no port
};

/**
 * @ingroup mixnet
 * The queue pairs of a server. A 24-bit number is a slot and a generation of that slot, never
 * below 2^18 (0 and 1 are reserved by IBTA), so a frame of a queue pair that is gone does not
 * reach its successor before 63 others used the slot. Addresses are stable; slots are reused
 * oldest first and memory follows the largest number in use at once.
 */
class QpTable
{
  public:
    QpTable() = default;
    ~QpTable();
    QpTable(const QpTable&) = delete;
    QpTable& operator=(const QpTable&) = delete;

    /// Before the first queue pair. @param arena where they lie; default: one of the table's own
    void SetArena(const std::shared_ptr<MemoryArena>& arena)
    {
        m_arena = arena;
    }

    static constexpr uint32_t SLOT_BITS = 18;                    //!< bits of the slot
    static constexpr uint32_t SLOT_MASK = (1U << SLOT_BITS) - 1; //!< mask of the slot

    /// @return number of a new queue pair, in initial state
    uint32_t Create();
    /// @param number a queue pair that ends
    void Destroy(uint32_t number);

    /// @return queue pairs in use
    uint32_t GetSize() const
    {
        return m_size;
    }

    /// @return queue pairs that memory is held for
    uint32_t GetCapacity() const
    {
        return m_slots;
    }

    /// @param number a number @return its sending half; null when it is not in use
    QpSender* FindSender(uint32_t number)
    {
        const uint32_t slot = number & SLOT_MASK;
        if (slot >= m_slots)
        {
            return nullptr;
        }
        QpSender& qp = Sender(slot);
        return qp.number == number ? &qp : nullptr;
    }

    /// @param number a number @return its receiving half; null when it is not in use
    QpReceiver* FindReceiver(uint32_t number)
    {
        const uint32_t slot = number & SLOT_MASK;
        if (slot >= m_slots)
        {
            return nullptr;
        }
        QpReceiver& qp = m_chunks[slot / CHUNK]->receivers[slot % CHUNK];
        return qp.number == number ? &qp : nullptr;
    }

    /// @param slot a slot @return its sending half
    QpSender& Sender(uint32_t slot)
    {
        return m_chunks[slot / CHUNK]->senders[slot % CHUNK];
    }

    /// @param number a queue pair in use @return its receiving half
    QpReceiver& Receiver(uint32_t number)
    {
        const uint32_t slot = number & SLOT_MASK;
        return m_chunks[slot / CHUNK]->receivers[slot % CHUNK];
    }

    /// @param number a queue pair in use @return its cold part
    QpCold& Cold(uint32_t number)
    {
        const uint32_t slot = number & SLOT_MASK;
        return m_chunks[slot / CHUNK]->cold[slot % CHUNK];
    }

  private:
    static constexpr uint32_t CHUNK = 64; //!< slots per allocation

    /// Slots that are allocated together.
    struct Chunk
    {
        QpSender senders[CHUNK];     //!< by slot
        QpReceiver receivers[CHUNK]; //!< by slot
        QpCold cold[CHUNK];          //!< by slot
    };

    std::shared_ptr<MemoryArena> m_arena; //!< memory of the chunks
    std::vector<Chunk*> m_chunks;         //!< by slot / CHUNK
    std::vector<uint32_t> m_free;         //!< ring of free slots, oldest first
    uint32_t m_freeHead{0};               //!< oldest free slot
    uint32_t m_freeCount{0};              //!< free slots
    uint32_t m_slots{0};                  //!< slots there are
    uint32_t m_size{0};                   //!< slots in use
};

} // namespace ns3

#endif // QUEUE_PAIR_H
