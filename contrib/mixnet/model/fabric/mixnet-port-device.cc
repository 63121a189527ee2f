/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/// @file
/// The NetDevice side of MixnetPort: ordinary packets, addresses, captures.

#include "frame-codec.h"
#include "mixnet-port.h"

#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("MixnetPortDevice");

namespace
{

/// @param port a NIC @return true when an IP stack of its node uses it
bool
HasIp(const MixnetPort& port)
{
    const Ptr<Node> node = port.GetNode();
    if (!node)
    {
        return false;
    }
    const Ptr<const NetDevice> device(&port);
    const auto ipv4 = node->GetObject<Ipv4>();
    const auto ipv6 = node->GetObject<Ipv6>();
    return (ipv4 && ipv4->GetInterfaceForDevice(device) >= 0) ||
           (ipv6 && ipv6->GetInterfaceForDevice(device) >= 0);
}

} // namespace

bool
MixnetPort::Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber)
{
    return SendFrom(packet, m_mac, dest, protocolNumber);
}

bool
MixnetPort::SendFrom(Ptr<Packet> packet,
                     const Address& source,
                     const Address& dest,
                     uint16_t protocolNumber)
{
    NS_LOG_FUNCTION(this << packet << source << dest << protocolNumber);
    const auto from = PacketFabricContext::GetNicAddress(Mac48Address::ConvertFrom(source));
    const Mac48Address to = Mac48Address::ConvertFrom(dest);
    if (m_nicAddress == UINT32_MAX || !from || packet->GetSize() > m_mtu)
    {
        return false;
    }
    if (to.IsGroup())
    {
        bool sent = true;
        for (uint32_t address = 0; address < m_fabric->GetNNics(); ++address)
        {
            const MixnetPort* port = m_fabric->GetNic(address);
            if (port && port != this && HasIp(*port))
            {
                sent = SendPacket(packet->Copy(), *from, address, protocolNumber, true) && sent;
            }
        }
        return sent;
    }
    const auto address = PacketFabricContext::GetNicAddress(to);
    return address && SendPacket(packet, *from, *address, protocolNumber, false);
}

bool
MixnetPort::SendPacket(Ptr<Packet> packet,
                       uint32_t source,
                       uint32_t dest,
                       uint16_t protocol,
                       bool group)
{
    Frame* frame = m_fabric->GetPool().Allocate();
    frame->opcode = FrameOpcode::ETHERNET;
    frame->packet = GetPointer(packet);
    frame->source = source;
    frame->destination = dest;
    frame->psn = protocol;
    frame->payloadBytes = static_cast<uint16_t>(frame->packet->GetSize());
    frame->wireBytes = EthernetWireBytes(frame->payloadBytes);
    frame->trafficClass = m_fabric->GetBestEffortClass();
    frame->flags = group ? FRAME_BROADCAST : 0;
    const SimTick now = Simulator::Now().GetTimeStep();
    frame->timestamp = now;
    if (m_element)
    {
        m_element->CatchUp(now);
    }
    Settle(now);
    const uint64_t queued = m_queues.GetBytes(frame->trafficClass);
    const bool full = m_queueLimit.GetUnit() == QueueSizeUnit::BYTES
                          ? queued + frame->wireBytes > m_queueLimit.GetValue()
                          : m_queues.CountFrames() >= m_queueLimit.GetValue();
    if (full || !m_up)
    {
        Drop(frame, full ? DropReason::QUEUE : DropReason::LINK_DOWN);
        return false;
    }
    EnqueueSettled(frame, now);
    return true;
}

void
MixnetPort::ReceivePacket(Frame* frame)
{
    const bool mine = frame->destination == m_nicAddress;
    const bool group = (frame->flags & FRAME_BROADCAST) != 0;
    const auto protocol = static_cast<uint16_t>(frame->psn);
    const Mac48Address source = PacketFabricContext::GetMac(frame->source);
    const Mac48Address dest =
        group ? Mac48Address::GetBroadcast() : PacketFabricContext::GetMac(frame->destination);
    const Ptr<Packet> packet(frame->packet);
    if (mine)
    {
        m_fabric->GetPool().Free(frame);
    }
    else
    {
        Drop(frame, DropReason::UNWANTED);
    }
    const PacketType type = !mine ? PACKET_OTHERHOST : group ? PACKET_BROADCAST : PACKET_HOST;
    const Ptr<MixnetPort> port(this);
    const auto handUp = [port, packet, protocol, source, dest, type] {
        if (!port->m_promiscCallback.IsNull())
        {
            port->m_promiscCallback(port, packet->Copy(), protocol, source, dest, type);
        }
        if (type != PACKET_OTHERHOST && !port->m_receiveCallback.IsNull())
        {
            port->m_receiveCallback(port, packet, protocol, source);
        }
    };
    // A change of the graph, in nobody's context, may have brought the element up to date.
    if (m_node && Simulator::GetContext() != m_node->GetId())
    {
        Simulator::ScheduleWithContext(m_node->GetId(), Time(0), handUp);
        return;
    }
    handUp();
}

void
MixnetPort::Sniff(const Frame& frame, bool incoming)
{
    if (m_snifferTrace.IsEmpty() && m_promiscSnifferTrace.IsEmpty())
    {
        return;
    }
    const bool pfcFromPeer = incoming && m_peer;
    const Ptr<const Packet> packet =
        FrameCodec::ToPacket(frame, pfcFromPeer ? m_peer->m_mac : m_mac);
    m_promiscSnifferTrace(packet);
    if (!incoming || frame.destination == m_nicAddress)
    {
        m_snifferTrace(packet);
    }
}

void
MixnetPort::SetIfIndex(const uint32_t index)
{
    m_ifIndex = index;
}

uint32_t
MixnetPort::GetIfIndex() const
{
    return m_ifIndex;
}

Ptr<Channel>
MixnetPort::GetChannel() const
{
    return m_link;
}

void
MixnetPort::SetAddress(Address address)
{
    MIXNET_CHECK(Mac48Address::ConvertFrom(address) == m_mac,
                 "the MAC address of a port follows from its NIC address");
}

Address
MixnetPort::GetAddress() const
{
    return m_mac;
}

bool
MixnetPort::SetMtu(const uint16_t mtu)
{
    m_mtu = mtu;
    return true;
}

uint16_t
MixnetPort::GetMtu() const
{
    return m_mtu;
}

void
MixnetPort::AddLinkChangeCallback(Callback<void> callback)
{
    m_linkCallbacks.push_back(callback);
}

bool
MixnetPort::IsBroadcast() const
{
    return true;
}

Address
MixnetPort::GetBroadcast() const
{
    return Mac48Address::GetBroadcast();
}

bool
MixnetPort::IsMulticast() const
{
    return true;
}

Address
MixnetPort::GetMulticast(Ipv4Address multicastGroup) const
{
    return Mac48Address::GetMulticast(multicastGroup);
}

Address
MixnetPort::GetMulticast(Ipv6Address addr) const
{
    return Mac48Address::GetMulticast(addr);
}

bool
MixnetPort::IsBridge() const
{
    return false;
}

bool
MixnetPort::IsPointToPoint() const
{
    return false;
}

Ptr<Node>
MixnetPort::GetNode() const
{
    return m_node;
}

void
MixnetPort::SetNode(Ptr<Node> node)
{
    m_node = node;
}

bool
MixnetPort::NeedsArp() const
{
    return true;
}

void
MixnetPort::SetReceiveCallback(ReceiveCallback cb)
{
    m_receiveCallback = cb;
}

void
MixnetPort::SetPromiscReceiveCallback(PromiscReceiveCallback cb)
{
    m_promiscCallback = cb;
}

bool
MixnetPort::SupportsSendFrom() const
{
    return true;
}

} // namespace ns3
