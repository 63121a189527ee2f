/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-application.h"

#include "ns3/log.h"
#include "ns3/mac48-address.h"
#include "ns3/mixnet-error.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaApplication");

NS_OBJECT_ENSURE_REGISTERED(RdmaApplication);

namespace
{

constexpr uint32_t FIRST_SOURCE_PORT = 49152; //!< dynamic ports (RFC 6335)
constexpr uint32_t N_SOURCE_PORTS = 16384;    //!< their number

/// @param nic a NIC @param port a port @return its number in the NIC; GetNPorts when not of it
uint32_t
FindPort(const RdmaNic& nic, const MixnetPort* port)
{
    uint32_t index = 0;
    while (index < nic.GetNPorts() && &nic.GetPort(index) != port)
    {
        ++index;
    }
    return index;
}

} // namespace

TypeId
RdmaApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaApplication")
            .SetParent<Application>()
            .SetGroupName("Mixnet")
            .AddAttribute("Remote",
                          "Address of the peer's NIC port (NetDevice::GetAddress).",
                          AddressValue(),
                          MakeAddressAccessor(&RdmaApplication::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Port",
                          "Number of the NIC port of this server that it sends by.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaApplication::m_port),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("SourcePort",
                          "UDP source port, the entropy of equal-cost paths; 0: 49152 plus the "
                          "queue pairs in use on this NIC, modulo 16384.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaApplication::m_sourcePort),
                          MakeUintegerChecker<uint32_t>(0, UINT16_MAX))
            .AddAttribute("TrafficClass",
                          "Priority class of the data; 255: the fabric's RdmaClass.",
                          UintegerValue(UINT8_MAX),
                          MakeUintegerAccessor(&RdmaApplication::m_trafficClass),
                          MakeUintegerChecker<uint8_t>())
            .AddTraceSource("Tx",
                            "A message was posted.",
                            MakeTraceSourceAccessor(&RdmaApplication::m_txTrace),
                            "ns3::RdmaApplication::MessageTracedCallback")
            .AddTraceSource("Rx",
                            "The last byte of a message was delivered at the peer.",
                            MakeTraceSourceAccessor(&RdmaApplication::m_rxTrace),
                            "ns3::RdmaApplication::MessageTracedCallback")
            .AddTraceSource("Completion",
                            "A message was acknowledged, or has failed, or was aborted.",
                            MakeTraceSourceAccessor(&RdmaApplication::m_completionTrace),
                            "ns3::RdmaApplication::MessageTracedCallback");
    return tid;
}

RdmaApplication::RdmaApplication() = default;
RdmaApplication::~RdmaApplication() = default;

void
RdmaApplication::DoDispose()
{
    NS_LOG_FUNCTION(this);
    for (auto& [id, connection] : m_connections)
    {
        connection->Forget();
    }
    m_connections.clear();
    Application::DoDispose();
}

int64_t
RdmaApplication::AssignStreams(int64_t)
{
    return 0;
}

uint64_t
RdmaApplication::GetPending() const
{
    return m_counters.posted - m_counters.acknowledged - m_counters.failed - m_counters.aborted;
}

RdmaConnection&
RdmaApplication::Open(const Address& remote, uint32_t port)
{
    const std::string where = GetInstanceTypeId().GetName();
    RdmaConnection::Ends ends;
    ends.local = GetNode()->GetObject<RdmaNic>();
    ends.localPort = port;
    if (!ends.local || port >= ends.local->GetNPorts())
    {
        throw InputError(where,
                         "node " + std::to_string(GetNode()->GetId()) + " has no NIC port " +
                             std::to_string(port),
                         "a node with an RdmaNic, and a port of it");
    }
    const auto address = Mac48Address::IsMatchingType(remote)
                             ? PacketFabricContext::GetNicAddress(Mac48Address::ConvertFrom(remote))
                             : std::nullopt;
    const MixnetPort* peer =
        address ? ends.local->GetPort(port).GetFabric().GetNic(*address) : nullptr;
    ends.remote = peer && peer->GetNode() ? peer->GetNode()->GetObject<RdmaNic>() : nullptr;
    if (!ends.remote || ends.remote == ends.local)
    {
        std::ostringstream text;
        text << remote;
        throw InputError(where + ": Remote",
                         "no other server's NIC has the address '" + text.str() + "'",
                         "NetDevice::GetAddress() of a NIC port");
    }
    ends.remotePort = FindPort(*ends.remote, peer);
    QpConfig config;
    config.trafficClass = m_trafficClass;
    config.sourcePort = static_cast<uint16_t>(
        m_sourcePort > 0 ? m_sourcePort
                         : FIRST_SOURCE_PORT + ends.local->GetNQps() % N_SOURCE_PORTS);
    const uint64_t id = m_nextId++;
    RdmaConnection::Listener& listener = *this; // a private base
    auto& slot = m_connections[id];
    slot = std::make_unique<RdmaConnection>(ends, config, id, listener);
    return *slot;
}

RdmaConnection&
RdmaApplication::OpenRemote()
{
    return Open(m_remote, m_port);
}

void
RdmaApplication::Post(RdmaConnection& connection, ByteCount bytes, uint64_t tag)
{
    ++m_counters.posted;
    m_counters.postedBytes += bytes;
    const RdmaMessage message = connection.Post(bytes, tag);
    m_txTrace(message);
}

void
RdmaApplication::Drop(RdmaConnection& connection)
{
    const auto found = m_connections.find(connection.GetId());
    const std::unique_ptr<RdmaConnection> owned = std::move(found->second);
    m_connections.erase(found);
    owned->Close();
}

void
RdmaApplication::DoStop()
{
}

void
RdmaApplication::DoEnded(RdmaConnection&, const RdmaMessage&)
{
}

void
RdmaApplication::StartApplication()
{
    NS_LOG_FUNCTION(this);
    DoStart();
}

void
RdmaApplication::StopApplication()
{
    NS_LOG_FUNCTION(this);
    DoStop();
    while (!m_connections.empty())
    {
        Drop(*m_connections.begin()->second);
    }
}

void
RdmaApplication::MessageDelivered(RdmaConnection&, const RdmaMessage& message)
{
    ++m_counters.delivered;
    m_counters.deliveredBytes += message.bytes;
    m_rxTrace(message);
}

void
RdmaApplication::MessageEnded(RdmaConnection& connection, const RdmaMessage& message)
{
    switch (message.end)
    {
    case RdmaMessageEnd::ACKNOWLEDGED:
        ++m_counters.acknowledged;
        break;
    case RdmaMessageEnd::FAILED:
        ++m_counters.failed;
        break;
    default:
        ++m_counters.aborted;
    }
    if (message.end != RdmaMessageEnd::ACKNOWLEDGED)
    {
        m_counters.unfinishedBytes += message.bytes;
    }
    const uint64_t id = connection.GetId();
    m_completionTrace(message);
    // a trace sink may have stopped or disposed of the application
    if (message.end != RdmaMessageEnd::ABORTED && m_connections.count(id) > 0)
    {
        DoEnded(connection, message);
    }
}

} // namespace ns3
