/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-periodic-application.h"

#include "ns3/byte-count-value.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaPeriodicApplication);

TypeId
RdmaPeriodicApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPeriodicApplication")
            .SetParent<RdmaApplication>()
            .SetGroupName("Mixnet")
            .AddConstructor<RdmaPeriodicApplication>()
            .AddAttribute("MessageSize",
                          "Payload of a message.",
                          ByteCountValue(ByteCount(64 << 10)),
                          MakeByteCountAccessor(&RdmaPeriodicApplication::m_size),
                          MakeByteCountChecker())
            .AddAttribute("Messages",
                          "Number of messages; 0: until the stop time.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPeriodicApplication::m_messages),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Interval",
                          "Time from one message to the next.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&RdmaPeriodicApplication::m_interval),
                          MakeTimeChecker(TimeStep(1)));
    return tid;
}

void
RdmaPeriodicApplication::DoDispose()
{
    m_event.Cancel();
    RdmaApplication::DoDispose();
}

void
RdmaPeriodicApplication::DoStart()
{
    m_connection = &OpenRemote();
    Tick();
}

void
RdmaPeriodicApplication::DoStop()
{
    m_event.Cancel();
}

void
RdmaPeriodicApplication::DoEnded(RdmaConnection&, const RdmaMessage& message)
{
    if (message.end == RdmaMessageEnd::FAILED)
    {
        m_event.Cancel();
    }
}

void
RdmaPeriodicApplication::Tick()
{
    if (m_messages == 0 || GetCounters().posted + 1 < m_messages)
    {
        m_event = Simulator::Schedule(m_interval, &RdmaPeriodicApplication::Tick, this);
    }
    Post(*m_connection, m_size);
}

} // namespace ns3
