/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "rdma-nic.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <deque>

namespace ns3
{

/// How a message of an application ended.
enum class RdmaMessageEnd : uint8_t
{
    NOT_YET,      //!< under way
    ACKNOWLEDGED, //!< whole, and the sender knows it
    FAILED,       //!< the queue pair gave up
    ABORTED       //!< the application stopped before the acknowledgement
};

/// @ingroup mixnet
/// A message of an application.
struct RdmaMessage
{
    uint64_t number{0};                          //!< order on its connection, from 0
    uint64_t tag{0};                             //!< of the poster
    ByteCount bytes;                             //!< payload
    uint32_t source{0};                          //!< NIC address
    uint32_t destination{0};                     //!< NIC address
    Time posted;                                 //!< when
    Time delivered{-1};                          //!< last byte arrived when; negative: not yet
    Time ended{-1};                              //!< when; negative: not yet
    RdmaMessageEnd end{RdmaMessageEnd::NOT_YET}; //!< how
};

/**
 * @ingroup mixnet
 * A connected pair of queue pairs that belongs to one sender, and the messages on it. Messages are
 * delivered, and end, in order of posting.
 *
 * Law: posted = ended + pending; each posted message ends exactly once, by Close at the latest
 * (Forget ends none).
 */
class RdmaConnection : private WorkSink
{
  public:
    /// Hears of messages. It may post, close, and (but for ABORTED) delete the connection inside
    /// these calls.
    class Listener
    {
      public:
        virtual ~Listener() = default;
        /// @param connection whose @param message its last byte arrived
        virtual void MessageDelivered(RdmaConnection& connection, const RdmaMessage& message) = 0;
        /// @param connection whose @param message acknowledged, failed or aborted
        virtual void MessageEnded(RdmaConnection& connection, const RdmaMessage& message) = 0;
    };

    /// Where it runs.
    struct Ends
    {
        Ptr<RdmaNic> local;     //!< sender
        uint32_t localPort{0};  //!< its port
        Ptr<RdmaNic> remote;    //!< receiver
        uint32_t remotePort{0}; //!< its port
    };

    /**
     * @param ends both NICs, not one and the same
     * @param config of the sending queue pair: source port, window; the rest is filled in
     * @param id the listener's name for it
     * @param listener hears of messages; outlives this
     */
    RdmaConnection(const Ends& ends, QpConfig config, uint64_t id, Listener& listener);
    ~RdmaConnection() override;

    RdmaConnection(const RdmaConnection&) = delete;
    RdmaConnection& operator=(const RdmaConnection&) = delete;

    /// @param bytes payload, any size @param tag comes back in the message @return the message
    RdmaMessage Post(ByteCount bytes, uint64_t tag);
    /// Destroy both queue pairs; messages that are not acknowledged end as ABORTED.
    void Close();
    /// Drop everything without touching the NICs, which may be gone: the simulation ends.
    void Forget();

    /// @return its id
    uint64_t GetId() const
    {
        return m_id;
    }

    /// @return messages not yet ended
    std::size_t GetPending() const
    {
        return m_messages.size();
    }

    /// @return number of the sending queue pair; 0 when closed
    uint32_t GetQp() const
    {
        return m_localQp;
    }

    /// @return payload that has arrived in order, parts of messages included
    ByteCount GetArrived() const;

  private:
    void OnSend(RdmaNic& nic, const SendCompletion& completion) override;
    void OnReceive(RdmaNic& nic, const ReceiveCompletion& completion) override;

    Ends m_ends;                        //!< NICs
    Listener& m_listener;               //!< told
    std::deque<RdmaMessage> m_messages; //!< not ended, oldest first
    uint64_t m_id;                      //!< of the listener
    uint64_t m_ended{0};                //!< messages that ended
    uint32_t m_localQp{0};              //!< sending queue pair
    uint32_t m_remoteQp{0};             //!< receiving queue pair
    ByteCount m_arrived;                //!< when closed
};

} // namespace ns3

#endif // RDMA_CONNECTION_H
