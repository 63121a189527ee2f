/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_APPLICATION_H
#define RDMA_APPLICATION_H

#include "rdma-connection.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

/// What an application counts.
struct RdmaApplicationCounters
{
    uint64_t posted{0};        //!< messages
    uint64_t delivered{0};     //!< messages whole at the receiver
    uint64_t acknowledged{0};  //!< messages
    uint64_t failed{0};        //!< messages: the queue pair gave up
    uint64_t aborted{0};       //!< messages not acknowledged when the application stopped
    ByteCount postedBytes;     //!< payload of the posted messages
    ByteCount deliveredBytes;  //!< payload of the delivered messages
    ByteCount unfinishedBytes; //!< payload of the failed and aborted messages
};

/**
 * @ingroup mixnet
 * Base of the applications that send messages over RDMA: an ns-3 Application on a server's Node.
 * Between its start and its stop time it holds connections (queue pairs of its own) to NICs of
 * other servers; what it posts when is up to the derived class. Messages of one connection are
 * delivered in order.
 *
 * At the stop time everything that is not acknowledged is aborted: no further byte of it is
 * sent (frames under way arrive as strays), it is counted, and reported by the trace Completion
 * with RdmaMessageEnd::ABORTED.
 * A connection whose queue pair gave up carries nothing any more.
 *
 * Law: posted = acknowledged + failed + aborted + pending.
 */
class RdmaApplication : public Application, private RdmaConnection::Listener
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    RdmaApplication();
    ~RdmaApplication() override;

    /// @return what it counted
    const RdmaApplicationCounters& GetCounters() const
    {
        return m_counters;
    }

    /// @return messages posted and not ended
    uint64_t GetPending() const;

    /**
     * Fix the random variables of this application.
     *
     * @param stream first stream
     * @return streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

    /// TracedCallback signature for messages.
    typedef void (*MessageTracedCallback)(const RdmaMessage& message);

  protected:
    void DoDispose() override;

    /**
     * Open a connection.
     *
     * @param remote address of the peer's NIC port
     * @param port local port
     * @return it; valid until it is dropped or the application stops
     * @throws InputError when there is no RdmaNic, port or peer
     */
    RdmaConnection& Open(const Address& remote, uint32_t port);
    /// Open the connection that the attributes name. @return it
    RdmaConnection& OpenRemote();
    /// @param connection one of this application @param bytes payload @param tag of the message
    void Post(RdmaConnection& connection, ByteCount bytes, uint64_t tag = 0);
    /// Close a connection and forget it. @param connection one of this application
    void Drop(RdmaConnection& connection);

  private:
    /// It is the start time.
    virtual void DoStart() = 0;
    /// It is the stop time; connections are closed afterwards. Cancel events here.
    virtual void DoStop();
    /// A message was acknowledged or has failed. @param connection whose @param message it
    virtual void DoEnded(RdmaConnection& connection, const RdmaMessage& message);

    void StartApplication() override;
    void StopApplication() override;
    void MessageDelivered(RdmaConnection& connection, const RdmaMessage& message) override;
    void MessageEnded(RdmaConnection& connection, const RdmaMessage& message) override;

    Address m_remote;                                                  //!< attribute
    uint32_t m_port{0};                                                //!< attribute
    uint8_t m_trafficClass{UINT8_MAX};                                 //!< attribute
    uint32_t m_sourcePort{0};                                          //!< attribute
    std::map<uint64_t, std::unique_ptr<RdmaConnection>> m_connections; //!< by id
    uint64_t m_nextId{0};                                              //!< of connections
    RdmaApplicationCounters m_counters;                                //!< what happened
    TracedCallback<const RdmaMessage&> m_txTrace;                      //!< posted
    TracedCallback<const RdmaMessage&> m_rxTrace;                      //!< delivered
    TracedCallback<const RdmaMessage&> m_completionTrace;              //!< ended
};

} // namespace ns3

#endif // RDMA_APPLICATION_H
