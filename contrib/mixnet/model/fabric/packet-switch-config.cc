/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/// @file
/// What PacketSwitch makes of its attributes and links before the start.

#include "packet-switch.h"

#include "ns3/log.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/node.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PacketSwitchConfig");

namespace
{

/// @param size an attribute @param name its name @return bytes
uint64_t
Bytes(const QueueSize& size, const char* name)
{
    if (size.GetUnit() != QueueSizeUnit::BYTES)
    {
        throw InputError(std::string("ns3::PacketSwitch::") + name,
                         std::to_string(size.GetValue()) + " packets",
                         "a size in bytes such as 64MiB");
    }
    return size.GetValue();
}

} // namespace

void
PacketSwitch::Configure()
{
    NS_LOG_FUNCTION(this);
    const auto node = GetObject<Node>();
    m_hashSeed = (m_seed << 32) + (node ? node->GetId() : 0);
    m_configured = true;
    if (m_ports.empty())
    {
        return;
    }
    BufferConfig config;
    config.total = Bytes(m_bufferSize, "BufferSize");
    config.reserved = Bytes(m_reserved, "Reserved");
    config.xonOffset = Bytes(m_xonOffset, "PfcXonOffset");
    config.alphaLossless = m_alphaLossless;
    config.alphaLossy = m_alphaLossy;
    config.staticLossless = Bytes(m_staticLossless, "PfcThreshold");
    config.staticLossy = Bytes(m_staticLossy, "LossyThreshold");
    config.lossless = m_pfc ? m_ports[0]->GetFabric().GetLosslessClasses() : 0;
    for (std::size_t i = 0; i < m_ports.size(); ++i)
    {
        MIXNET_CHECK(m_ports[i]->GetLink(), "port " << i << " has no link");
        SetMarker(static_cast<uint32_t>(i));
        m_ports[i]->GetQueues().SetStrict(m_strict);
    }
    config.headroom = ChooseHeadroom();
    m_balancer = m_balancerFactory.GetTypeId() == EcmpBalancer::GetTypeId()
                     ? nullptr
                     : m_balancerFactory.Create<PortBalancer>();
    m_buffer = SharedBuffer(config, GetName());
    if (m_pfcRelease != PFC_XON && config.lossless != 0)
    {
        m_refresher =
            std::make_unique<PauseRefresher>(GetNPorts(), [this](uint32_t port, uint8_t priority) {
                RefreshPause(port, priority);
            });
    }
    LimitLateLooks();
}

void
PacketSwitch::SetName(const std::string& name)
{
    m_name = name;
}

std::string
PacketSwitch::GetName() const
{
    const auto node = GetObject<Node>();
    return m_name.empty() ? "switch " + std::to_string(node ? node->GetId() : 0) : m_name;
}

std::vector<uint64_t>
PacketSwitch::ChooseHeadroom() const
{
    const uint64_t asked = Bytes(m_headroom, "PfcHeadroom");
    const auto frame = static_cast<uint32_t>(Bytes(m_maxFrame, "MaxFrame"));
    std::vector<uint64_t> headroom;
    uint64_t most = 0;
    uint32_t shortOf = 0;
    for (const auto& port : m_ports)
    {
        const Time response = std::max(m_response, port->GetPeer()->GetPfcResponse());
        const uint64_t needed = SharedBuffer::ComputeHeadroom(port->GetRate(),
                                                              port->GetDelayTicks(),
                                                              frame,
                                                              response.GetTimeStep());
        const bool less = m_pfc && asked > 0 && asked < needed;
        most = less ? std::max(most, needed) : most;
        shortOf += less ? 1 : 0;
        headroom.push_back(asked > 0 ? asked : needed);
    }
    if (shortOf > 0)
    {
        const std::string note = GetName() + ": PfcHeadroom of " + FormatBytes(ByteCount(asked)) +
                                 " may lose frames: " + std::to_string(shortOf) + " of " +
                                 std::to_string(m_ports.size()) + " ports need up to " +
                                 FormatBytes(ByteCount(most));
        NS_LOG_WARN(note);
        m_ports[0]->GetFabric().AddNote(note);
    }
    return headroom;
}

void
PacketSwitch::SetMarker(uint32_t index)
{
    const DataRate rate = m_ports[index]->GetRate();
    const uint64_t kmin = Bytes(m_kmin, "EcnKmin");
    const uint64_t kmax = Bytes(m_kmax, "EcnKmax");
    if (kmax < kmin)
    {
        throw InputError("ns3::PacketSwitch::EcnKmax",
                         FormatBytes(ByteCount(kmax)) + " is less than EcnKmin",
                         "at least " + FormatBytes(ByteCount(kmin)));
    }
    m_state[index].marker = EcnMarker(m_scaleEcn ? EcnMarker::Scale(kmin, rate) : kmin,
                                      m_scaleEcn ? EcnMarker::Scale(kmax, rate) : kmax,
                                      m_pmax);
}

SimTick
PacketSwitch::GetRefreshInterval(const MixnetPort& port) const
{
    return port.GetSerialization(QUANTUM_BYTES * m_pfcQuanta) / 2;
}

void
PacketSwitch::LimitLateLooks()
{
    SimTick limit = m_lookahead.GetTimeStep();
    if (m_refresher)
    {
        const auto frame = static_cast<uint32_t>(Bytes(m_maxFrame, "MaxFrame")) +
                           ETHERNET_GAP_BYTES + MIN_WIRE_BYTES;
        const uint32_t least = (2 * frame + QUANTUM_BYTES - 1) / QUANTUM_BYTES;
        if (m_pfcQuanta < least)
        {
            throw InputError("ns3::PacketSwitch::PfcQuanta",
                             std::to_string(m_pfcQuanta) +
                                 " run out before a refresh passes a frame of MaxFrame",
                             "at least " + std::to_string(least));
        }
        for (const auto& port : m_ports)
        {
            limit = std::min(limit, GetRefreshInterval(*port));
        }
    }
    m_element->SetLookaheadLimit(limit);
}

void
PacketSwitch::RateChanged(MixnetPort& port)
{
    if (m_configured)
    {
        SetMarker(port.GetIndex());
        LimitLateLooks();
    }
}

} // namespace ns3
