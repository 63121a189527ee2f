/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-link.h"

#include "frame-codec.h"
#include "mixnet-port.h"

#include "ns3/error-model.h"
#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/packet.h"
#include "ns3/sequential-simulator.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MixnetLink");

NS_OBJECT_ENSURE_REGISTERED(MixnetLink);

TypeId
MixnetLink::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MixnetLink")
            .SetParent<Channel>()
            .SetGroupName("Mixnet")
            .AddConstructor<MixnetLink>()
            .AddAttribute("DataRate",
                          "Rate of each direction; may change while in use.",
                          DataRateValue(DataRate("400Gbps")),
                          MakeDataRateAccessor(&MixnetLink::SetRate, &MixnetLink::GetRate),
                          MakeDataRateChecker())
            .AddAttribute("Delay",
                          "Propagation, one way; fixed once attached.",
                          TimeValue(MicroSeconds(1)),
                          MakeTimeAccessor(&MixnetLink::SetDelay, &MixnetLink::GetDelay),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("State",
                            "The link went up (true) or down (false).",
                            MakeTraceSourceAccessor(&MixnetLink::m_stateTrace),
                            "ns3::MixnetLink::StateTracedCallback")
            .AddTraceSource("Rate",
                            "The rate changed.",
                            MakeTraceSourceAccessor(&MixnetLink::m_rateTrace),
                            "ns3::MixnetLink::RateTracedCallback");
    return tid;
}

MixnetLink::MixnetLink()
{
    NS_LOG_FUNCTION(this);
}

MixnetLink::~MixnetLink()
{
    NS_LOG_FUNCTION(this);
}

void
MixnetLink::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_errors.fill(nullptr);
    m_ports.fill(nullptr);
    Channel::DoDispose();
}

void
MixnetLink::Attach(MixnetPort* a, MixnetPort* b)
{
    NS_LOG_FUNCTION(this << a << b);
    RequireSequentialSimulator();
    MIXNET_CHECK(!m_ports[0], "a link attaches once");
    MIXNET_CHECK(a != b && &a->GetFabric() == &b->GetFabric(), "two ports of one fabric");
    m_ports = {a, b};
    a->Attach(this, b);
    b->Attach(this, a);
}

std::size_t
MixnetLink::GetNDevices() const
{
    return m_ports[0] ? 2 : 0;
}

Ptr<NetDevice>
MixnetLink::GetDevice(std::size_t i) const
{
    return m_ports.at(i);
}

DataRate
MixnetLink::GetRate() const
{
    return m_rate;
}

Time
MixnetLink::GetDelay() const
{
    return m_delay;
}

bool
MixnetLink::IsUp() const
{
    return m_up;
}

void
MixnetLink::SetUp(bool up)
{
    NS_LOG_FUNCTION(this << up);
    if (up == m_up)
    {
        return;
    }
    m_up = up;
    if (m_ports[0])
    {
        const SimTick now = Simulator::Now().GetTimeStep();
        for (MixnetPort* port : m_ports)
        {
            port->GetElement()->Advance(now);
            port->Settle(now);
        }
        for (std::size_t i = 0; i < 2; ++i)
        {
            if (!up)
            {
                m_lost[i] += CountInFlight(m_ports[i]);
            }
        }
        for (MixnetPort* port : m_ports)
        {
            port->ChangeLink(up, now);
        }
    }
    m_stateTrace(up);
}

void
MixnetLink::SetRate(DataRate rate)
{
    NS_LOG_FUNCTION(this << rate);
    if (rate.GetBitRate() == 0)
    {
        throw InputError("ns3::MixnetLink::DataRate", "0bps", "a rate above zero");
    }
    if (rate == m_rate)
    {
        return;
    }
    const DataRate before = m_rate;
    if (m_ports[0])
    {
        const SimTick now = Simulator::Now().GetTimeStep();
        for (MixnetPort* port : m_ports)
        {
            port->GetElement()->Advance(now);
            port->Settle(now);
        }
    }
    m_rate = rate;
    for (MixnetPort* port : m_ports)
    {
        if (port)
        {
            port->SetRate(rate);
        }
    }
    m_rateTrace(before, rate);
}

void
MixnetLink::SetDelay(Time delay)
{
    if (m_ports[0] && delay != m_delay)
    {
        throw InputError("ns3::MixnetLink::Delay",
                         "a link in use cannot change its delay",
                         "a new link, or a change of rate or state");
    }
    m_delay = delay;
}

void
MixnetLink::SetErrorModel(MixnetPort* from, Ptr<ErrorModel> model)
{
    NS_LOG_FUNCTION(this << from << model);
    const std::size_t i = IndexOf(from);
    MixnetPort* to = m_ports[1 - i];
    to->GetElement()->Advance(Simulator::Now().GetTimeStep());
    m_errors[i] = model;
    const bool has = bool(model);
    if (has != to->m_hasErrors)
    {
        to->m_hasErrors = has;
        to->GetElement()->CountObservers(has ? 1 : -1);
    }
}

uint64_t
MixnetLink::CountInFlight(const MixnetPort* from) const
{
    uint64_t count = 0;
    const MixnetPort* to = m_ports[1 - IndexOf(from)];
    for (const Frame* frame = to->m_arrivals.Front(); frame; frame = frame->next)
    {
        ++count;
    }
    return count;
}

Time
MixnetLink::GetLastArrival(const MixnetPort* from) const
{
    const MixnetPort* to = m_ports[1 - IndexOf(from)];
    return to->m_arrivals.IsEmpty() ? Time(0) : TimeStep(to->m_arrivals.Back()->time);
}

uint64_t
MixnetLink::GetLost(const MixnetPort* from) const
{
    return m_lost[IndexOf(from)];
}

std::size_t
MixnetLink::IndexOf(const MixnetPort* from) const
{
    MIXNET_CHECK(from == m_ports[0] || from == m_ports[1], "no port of this link");
    return from == m_ports[0] ? 0 : 1;
}

bool
MixnetLink::IsCorrupt(const Frame& frame, const MixnetPort* from)
{
    if (frame.opcode == FrameOpcode::PFC_PAUSE || frame.opcode == FrameOpcode::PFC_RESUME)
    {
        return false;
    }
    const std::size_t i = IndexOf(from);
    if (!m_errors[i]->IsCorrupt(FrameCodec::ToPacket(frame)))
    {
        return false;
    }
    ++m_lost[i];
    return true;
}

} // namespace ns3
