/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3
{

RdmaConnection::RdmaConnection(const Ends& ends, QpConfig config, uint64_t id, Listener& listener)
    : m_ends(ends),
      m_listener(listener),
      m_id(id)
{
    MIXNET_CHECK(ends.local != ends.remote, "a connection of a NIC with itself");
    QpConfig peer;
    peer.port = ends.remotePort;
    peer.sourcePort = config.sourcePort;
    peer.sink = this;
    config.port = ends.localPort;
    config.sink = this;
    std::tie(m_localQp, m_remoteQp) =
        RdmaNic::CreatePair(*m_ends.local, config, *m_ends.remote, peer);
}

RdmaConnection::~RdmaConnection()
{
    Forget();
}

RdmaMessage
RdmaConnection::Post(ByteCount bytes, uint64_t tag)
{
    MIXNET_CHECK(m_localQp != 0, "the connection is closed");
    RdmaMessage message;
    message.number = m_ended + m_messages.size();
    message.tag = tag;
    message.bytes = bytes;
    message.source = m_ends.local->GetPort(m_ends.localPort).GetNicAddress();
    message.destination = m_ends.remote->GetPort(m_ends.remotePort).GetNicAddress();
    message.posted = Simulator::Now();
    m_messages.push_back(message);
    m_ends.local->PostSend(m_localQp, message.number, bytes);
    return message;
}

void
RdmaConnection::OnSend(RdmaNic&, const SendCompletion& completion)
{
    if (completion.qp != m_localQp || m_messages.empty())
    {
        return;
    }
    RdmaMessage message = m_messages.front();
    MIXNET_CHECK(message.number == completion.id, "messages end in order");
    m_messages.pop_front();
    ++m_ended;
    message.ended = Simulator::Now();
    message.end = completion.status == WorkStatus::SUCCESS ? RdmaMessageEnd::ACKNOWLEDGED
                                                           : RdmaMessageEnd::FAILED;
    m_listener.MessageEnded(*this, message); // this may be gone now
}

void
RdmaConnection::OnReceive(RdmaNic&, const ReceiveCompletion& completion)
{
    const uint64_t index = completion.number - m_ended;
    if (completion.qp != m_remoteQp || completion.number < m_ended || index >= m_messages.size())
    {
        return;
    }
    m_messages[index].delivered = Simulator::Now();
    const RdmaMessage message = m_messages[index];
    m_listener.MessageDelivered(*this, message); // this may be gone now
}

ByteCount
RdmaConnection::GetArrived() const
{
    return m_remoteQp != 0 ? m_ends.remote->GetReceived(m_remoteQp) : m_arrived;
}

void
RdmaConnection::Close()
{
    if (m_localQp == 0)
    {
        return;
    }
    m_arrived = GetArrived();
    const uint32_t local = std::exchange(m_localQp, 0);
    const uint32_t remote = std::exchange(m_remoteQp, 0);
    m_ends.local->DestroyQp(local);
    m_ends.remote->DestroyQp(remote);
    std::deque<RdmaMessage> messages;
    messages.swap(m_messages);
    m_ended += messages.size();
    for (RdmaMessage& message : messages)
    {
        message.ended = Simulator::Now();
        message.end = RdmaMessageEnd::ABORTED;
        m_listener.MessageEnded(*this, message);
    }
}

void
RdmaConnection::Forget()
{
    m_localQp = 0;
    m_remoteQp = 0;
    m_messages.clear();
    m_ends = Ends();
}

} // namespace ns3
