/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-on-off-application.h"

#include "ns3/byte-count-value.h"
#include "ns3/mixnet-error.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaOnOffApplication);

TypeId
RdmaOnOffApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaOnOffApplication")
            .SetParent<RdmaApplication>()
            .SetGroupName("Mixnet")
            .AddConstructor<RdmaOnOffApplication>()
            .AddAttribute("MessageSize",
                          "Payload of a message, above zero.",
                          ByteCountValue(ByteCount(64 << 10)),
                          MakeByteCountAccessor(&RdmaOnOffApplication::m_size),
                          MakeByteCountChecker())
            .AddAttribute("DataRate",
                          "Payload per time while on.",
                          DataRateValue(DataRate("100Gbps")),
                          MakeDataRateAccessor(&RdmaOnOffApplication::m_rate),
                          MakeDataRateChecker())
            .AddAttribute("OnTime",
                          "Random variable of the length of an on period, in seconds.",
                          StringValue("ns3::ConstantRandomVariable[Constant=0.0001]"),
                          MakePointerAccessor(&RdmaOnOffApplication::m_onTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("OffTime",
                          "Random variable of the length of an off period, in seconds.",
                          StringValue("ns3::ConstantRandomVariable[Constant=0.0001]"),
                          MakePointerAccessor(&RdmaOnOffApplication::m_offTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddAttribute("MaxBytes",
                          "Payload after which it sends no more; \"0B\": no limit.",
                          ByteCountValue(ByteCount(0)),
                          MakeByteCountAccessor(&RdmaOnOffApplication::m_maxBytes),
                          MakeByteCountChecker());
    return tid;
}

int64_t
RdmaOnOffApplication::AssignStreams(int64_t stream)
{
    m_onTime->SetStream(stream);
    m_offTime->SetStream(stream + 1);
    return 2;
}

void
RdmaOnOffApplication::DoDispose()
{
    m_event.Cancel();
    RdmaApplication::DoDispose();
}

void
RdmaOnOffApplication::DoStart()
{
    if (m_size == ByteCount(0) || m_rate.GetBitRate() == 0)
    {
        throw InputError("ns3::RdmaOnOffApplication",
                         "MessageSize or DataRate is zero",
                         "values above zero");
    }
    m_connection = &OpenRemote();
    m_clock.emplace(m_rate);
    m_left = m_clock->Advance(m_size);
    BeginOn();
}

void
RdmaOnOffApplication::DoStop()
{
    m_event.Cancel();
}

void
RdmaOnOffApplication::DoEnded(RdmaConnection&, const RdmaMessage& message)
{
    if (message.end == RdmaMessageEnd::FAILED)
    {
        m_event.Cancel();
    }
}

Time
RdmaOnOffApplication::Draw(RandomVariableStream& variable)
{
    return std::max(Seconds(variable.GetValue()), Time(0));
}

void
RdmaOnOffApplication::BeginOn()
{
    m_onUntil = Simulator::Now() + Draw(*m_onTime);
    Continue();
}

void
RdmaOnOffApplication::Continue()
{
    const Time on = m_onUntil - Simulator::Now();
    if (m_left <= on)
    {
        m_event = Simulator::Schedule(m_left, &RdmaOnOffApplication::Emit, this);
        return;
    }
    m_left -= on;
    m_event = Simulator::Schedule(on, &RdmaOnOffApplication::BeginOff, this);
}

void
RdmaOnOffApplication::BeginOff()
{
    m_event = Simulator::Schedule(std::max(Draw(*m_offTime), TimeStep(1)),
                                  &RdmaOnOffApplication::BeginOn,
                                  this);
}

void
RdmaOnOffApplication::Emit()
{
    ByteCount size = m_size;
    if (m_maxBytes > ByteCount(0))
    {
        size = std::min(size, m_maxBytes - GetCounters().postedBytes);
    }
    if (m_maxBytes == ByteCount(0) || GetCounters().postedBytes + size < m_maxBytes)
    {
        m_left = m_clock->Advance(m_size);
        Continue();
    }
    Post(*m_connection, size);
}

} // namespace ns3
