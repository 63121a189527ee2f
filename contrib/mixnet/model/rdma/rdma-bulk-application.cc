/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-bulk-application.h"

#include "ns3/byte-count-value.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaBulkApplication);

TypeId
RdmaBulkApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaBulkApplication")
            .SetParent<RdmaApplication>()
            .SetGroupName("Mixnet")
            .AddConstructor<RdmaBulkApplication>()
            .AddAttribute("MessageSize",
                          "Payload of a message.",
                          ByteCountValue(ByteCount(1 << 20)),
                          MakeByteCountAccessor(&RdmaBulkApplication::m_size),
                          MakeByteCountChecker())
            .AddAttribute("Messages",
                          "Number of messages; 0: until the stop time.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RdmaBulkApplication::m_messages),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Outstanding",
                          "Most messages posted and not acknowledged. Two keep the line busy "
                          "when a message takes longer than a round trip.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&RdmaBulkApplication::m_outstanding),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
RdmaBulkApplication::DoStart()
{
    Fill(OpenRemote());
}

void
RdmaBulkApplication::DoEnded(RdmaConnection& connection, const RdmaMessage& message)
{
    if (message.end == RdmaMessageEnd::ACKNOWLEDGED)
    {
        Fill(connection);
    }
}

void
RdmaBulkApplication::Fill(RdmaConnection& connection)
{
    while (connection.GetPending() < m_outstanding &&
           (m_messages == 0 || GetCounters().posted < m_messages))
    {
        Post(connection, m_size);
    }
}

} // namespace ns3
