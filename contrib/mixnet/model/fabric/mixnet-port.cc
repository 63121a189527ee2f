/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mixnet-port.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MixnetPort");

NS_OBJECT_ENSURE_REGISTERED(MixnetPort);

TypeId
MixnetPort::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MixnetPort")
            .SetParent<NetDevice>()
            .SetGroupName("Mixnet")
            .AddConstructor<MixnetPort>()
            .AddAttribute("Mtu",
                          "Largest ordinary packet, in bytes without Ethernet header and FCS.",
                          UintegerValue(9000),
                          MakeUintegerAccessor(&MixnetPort::SetMtu, &MixnetPort::GetMtu),
                          MakeUintegerChecker<uint16_t>(68, 9000))
            .AddAttribute("QueueSize",
                          "Limit of the queue of ordinary packets that this port's own node "
                          "sends; packets above it are dropped.",
                          QueueSizeValue(QueueSize("1MiB")),
                          MakeQueueSizeAccessor(&MixnetPort::m_queueLimit),
                          MakeQueueSizeChecker())
            .AddAttribute("PfcResponse",
                          "Time from a PFC frame's last byte until it is obeyed. The switch at the "
                          "far end adds it to its headroom.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MixnetPort::m_pfcResponse),
                          MakeTimeChecker(Time(0)))
            .AddTraceSource("Enqueue",
                            "A frame was queued.",
                            MakeTraceSourceAccessor(&MixnetPort::m_enqueueTrace),
                            "ns3::MixnetPort::FrameTracedCallback")
            .AddTraceSource("Dequeue",
                            "A frame begins to be sent.",
                            MakeTraceSourceAccessor(&MixnetPort::m_dequeueTrace),
                            "ns3::MixnetPort::FrameTracedCallback")
            .AddTraceSource("Receive",
                            "The last byte of an uncorrupted frame has arrived.",
                            MakeTraceSourceAccessor(&MixnetPort::m_receiveTrace),
                            "ns3::MixnetPort::FrameTracedCallback")
            .AddTraceSource("Drop",
                            "A frame was dropped, and why.",
                            MakeTraceSourceAccessor(&MixnetPort::m_dropTrace),
                            "ns3::MixnetPort::DropTracedCallback")
            .AddTraceSource("Mark",
                            "A frame was marked CE.",
                            MakeTraceSourceAccessor(&MixnetPort::m_markTrace),
                            "ns3::MixnetPort::FrameTracedCallback")
            .AddTraceSource("PfcSent",
                            "A PFC frame was given to the port to send.",
                            MakeTraceSourceAccessor(&MixnetPort::m_pfcSentTrace),
                            "ns3::MixnetPort::PfcTracedCallback")
            .AddTraceSource("PfcReceived",
                            "A PFC frame arrived and is obeyed.",
                            MakeTraceSourceAccessor(&MixnetPort::m_pfcReceivedTrace),
                            "ns3::MixnetPort::PfcTracedCallback")
            .AddTraceSource("Sniffer",
                            "True bytes of each frame sent by or addressed to this port.",
                            MakeTraceSourceAccessor(&MixnetPort::m_snifferTrace),
                            "ns3::Packet::TracedCallback")
            .AddTraceSource("PromiscSniffer",
                            "True bytes of each frame sent or received.",
                            MakeTraceSourceAccessor(&MixnetPort::m_promiscSnifferTrace),
                            "ns3::Packet::TracedCallback");
    return tid;
}

MixnetPort::MixnetPort()
    : m_decideAt(&m_ownDecision)
{
    NS_LOG_FUNCTION(this);
    m_enqueueTrace.SetOwner(this);
    m_dequeueTrace.SetOwner(this);
    m_receiveTrace.SetOwner(this);
    m_dropTrace.SetOwner(this);
    m_markTrace.SetOwner(this);
    m_pfcSentTrace.SetOwner(this);
    m_pfcReceivedTrace.SetOwner(this);
    m_snifferTrace.SetOwner(this);
    m_promiscSnifferTrace.SetOwner(this);
}

MixnetPort::~MixnetPort()
{
    NS_LOG_FUNCTION(this);
}

void
MixnetPort::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_element)
    {
        m_element->RemovePort(m_index);
    }
    if (m_context)
    {
        FramePool& pool = m_context->GetPool();
        while (!m_arrivals.IsEmpty())
        {
            pool.Free(m_arrivals.Pop());
        }
        while (!m_control.IsEmpty())
        {
            pool.Free(m_control.Pop());
        }
        while (Frame* frame = m_queues.Pop(UINT8_MAX))
        {
            pool.Free(frame);
        }
        m_context->UnregisterPort(this);
    }
    if (m_peer)
    {
        m_peer->m_peer = nullptr;
        m_peer->m_up = false;
        *m_peer->m_decideAt = NEVER;
        m_peer = nullptr;
    }
    m_up = false;
    m_ownElement.reset();
    m_source = nullptr;
    m_receiver = nullptr;
    m_observer = nullptr;
    m_link = nullptr;
    m_node = nullptr;
    m_receiveCallback.Nullify();
    m_promiscCallback.Nullify();
    m_linkCallbacks.clear();
    NetDevice::DoDispose();
}

void
MixnetPort::SetFabric(Ptr<PacketFabricContext> context)
{
    MIXNET_CHECK(!m_context, "a port belongs to one fabric");
    m_context = context;
    m_fabric = PeekPointer(context);
    m_mac = context->MakePortMac();
    m_queues.SetStrict(static_cast<uint8_t>(1U << context->GetControlClass()));
}

void
MixnetPort::SetNicAddress(uint32_t address)
{
    m_context->RegisterNic(address, this);
    m_nicAddress = address;
    m_mac = PacketFabricContext::GetMac(address);
    m_role = PortRole::NIC;
}

void
MixnetPort::SetReceiver(FrameReceiver* receiver, PortRole role)
{
    m_receiver = receiver;
    m_role = role;
}

void
MixnetPort::SetEgressSource(EgressSource* source)
{
    m_source = source;
}

void
MixnetPort::SetEgressObserver(EgressObserver* observer)
{
    m_observer = observer;
}

uint32_t
MixnetPort::JoinElement(FabricElement* element)
{
    MIXNET_CHECK(!m_element && !m_link, "a port joins one element, before its link");
    m_element = element;
    m_index = element->AddPort(this);
    if (m_observers > 0)
    {
        m_element->CountObservers(1);
    }
    return m_index;
}

void
MixnetPort::CountObservers(int change)
{
    const bool before = m_observers > 0;
    m_observers += change;
    const bool after = m_observers > 0;
    if (m_element && before != after)
    {
        m_element->CountObservers(after ? 1 : -1);
    }
}

void
MixnetPort::Attach(Ptr<MixnetLink> link, MixnetPort* peer)
{
    MIXNET_CHECK(m_context && !m_link, "a port needs a fabric and takes one link");
    if (!m_element)
    {
        m_ownElement =
            std::make_unique<FabricElement>(m_node ? m_node->GetId() : Simulator::NO_CONTEXT);
        JoinElement(m_ownElement.get());
    }
    m_link = link;
    m_peer = peer;
    m_feedsNic = peer->m_role == PortRole::NIC;
    m_up = link->IsUp();
    m_delay = link->GetDelay().GetTimeStep();
    SetRate(link->GetRate());
    m_element->LimitLookahead(m_delay);
}

void
MixnetPort::SetRate(DataRate rate)
{
    const auto bits = static_cast<uint64_t>(Seconds(1).GetTimeStep()) * 8;
    const bool whole = bits % rate.GetBitRate() == 0;
    m_ticksPerByte = whole ? static_cast<SimTick>(bits / rate.GetBitRate()) : 0;
    m_clock = whole ? nullptr : std::make_unique<RateClock>(rate);
    if (m_receiver)
    {
        m_receiver->RateChanged(*this);
    }
}

void
MixnetPort::ChangeLink(bool up, SimTick now)
{
    Settle(now);
    m_up = up;
    m_busyUntil = now;
    m_paused = 0;
    m_pauseTimers.reset();
    *m_decideAt = NEVER;
    if (!up)
    {
        Flush(now);
    }
    if (m_receiver)
    {
        m_receiver->LinkChanged(*this, up);
    }
    for (auto& callback : m_linkCallbacks)
    {
        callback();
    }
    if (up && m_role != PortRole::OPTICAL)
    {
        Kick(now);
    }
}

void
MixnetPort::Flush(SimTick now)
{
    while (!m_control.IsEmpty())
    {
        Drop(m_control.Pop(), DropReason::LINK_DOWN);
    }
    while (Frame* frame = m_queues.Pop(UINT8_MAX))
    {
        if (m_observer)
        {
            m_observer->FrameLeaves(*frame, *this, now);
        }
        Drop(frame, DropReason::LINK_DOWN);
    }
    while (!m_arrivals.IsEmpty())
    {
        Drop(m_arrivals.Pop(), DropReason::LINK_DOWN);
    }
    m_element->ExpectArrival(m_index, NEVER);
}

void
MixnetPort::Drop(Frame* frame, DropReason reason)
{
    ++m_counters.drops;
    ++m_counters.dropsBy[static_cast<uint8_t>(reason)];
    if (m_observers > 0)
    {
        m_dropTrace(*frame, reason);
    }
    m_fabric->Drop(frame, reason);
}

void
MixnetPort::NoteMark(const Frame& frame)
{
    ++m_counters.marks;
    if (m_observers > 0)
    {
        m_markTrace(frame);
    }
}

PortCounters
MixnetPort::GetCounters()
{
    if (m_element)
    {
        const SimTick now = Simulator::Now().GetTimeStep();
        m_element->Advance(now);
        Settle(now);
    }
    return m_counters;
}

} // namespace ns3
