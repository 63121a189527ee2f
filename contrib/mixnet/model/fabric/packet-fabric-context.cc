/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-fabric-context.h"

#include "mixnet-port.h"

#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PacketFabricContext);

namespace
{

constexpr uint8_t NIC_PREFIX[2] = {0x02, 0x4d};  //!< of MAC addresses of NICs
constexpr uint8_t PORT_PREFIX[2] = {0x02, 0x53}; //!< of MAC addresses of other ports
constexpr uint32_t FIRST_IPV4 = 0x0a000001;      //!< 10.0.0.1

/// @param prefix first two bytes @param number last four @return the address
Mac48Address
MakeMac(const uint8_t (&prefix)[2], uint32_t number)
{
    const uint8_t bytes[6] = {prefix[0],
                              prefix[1],
                              static_cast<uint8_t>(number >> 24),
                              static_cast<uint8_t>(number >> 16),
                              static_cast<uint8_t>(number >> 8),
                              static_cast<uint8_t>(number)};
    Mac48Address mac;
    mac.CopyFrom(bytes);
    return mac;
}

} // namespace

TypeId
PacketFabricContext::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::PacketFabricContext")
            .SetParent<Object>()
            .SetGroupName("Mixnet")
            .AddConstructor<PacketFabricContext>()
            .AddAttribute("RdmaClass",
                          "Priority class of RDMA data.",
                          UintegerValue(3),
                          MakeUintegerAccessor(&PacketFabricContext::m_rdmaClass),
                          MakeUintegerChecker<uint8_t>(0, N_PRIORITIES - 1))
            .AddAttribute("ControlClass",
                          "Strict priority class of ACK, NACK and CNP.",
                          UintegerValue(6),
                          MakeUintegerAccessor(&PacketFabricContext::m_controlClass),
                          MakeUintegerChecker<uint8_t>(0, N_PRIORITIES - 1))
            .AddAttribute("BestEffortClass",
                          "Priority class of ordinary packets.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&PacketFabricContext::m_bestEffortClass),
                          MakeUintegerChecker<uint8_t>(0, N_PRIORITIES - 1))
            .AddAttribute("LosslessClasses",
                          "Classes protected by PFC, as a bit vector (bit 3 = class 3).",
                          UintegerValue(0x08),
                          MakeUintegerAccessor(&PacketFabricContext::m_losslessClasses),
                          MakeUintegerChecker<uint8_t>());
    return tid;
}

PacketFabricContext::PacketFabricContext() = default;

PacketFabricContext::~PacketFabricContext() = default;

void
PacketFabricContext::DoDispose()
{
    m_nics.clear();
    Object::DoDispose();
}

void
PacketFabricContext::RegisterNic(uint32_t address, MixnetPort* port)
{
    if (m_nics.size() <= address)
    {
        m_nics.resize(address + 1, nullptr);
    }
    MIXNET_CHECK(!m_nics[address], "NIC address " << address << " is taken");
    m_nics[address] = port;
}

void
PacketFabricContext::UnregisterPort(MixnetPort* port)
{
    std::replace(m_nics.begin(), m_nics.end(), port, static_cast<MixnetPort*>(nullptr));
}

MixnetPort*
PacketFabricContext::GetNic(uint32_t address) const
{
    return address < m_nics.size() ? m_nics[address] : nullptr;
}

uint32_t
PacketFabricContext::GetNNics() const
{
    return static_cast<uint32_t>(m_nics.size());
}

Mac48Address
PacketFabricContext::GetMac(uint32_t address)
{
    return MakeMac(NIC_PREFIX, address);
}

std::optional<uint32_t>
PacketFabricContext::GetNicAddress(Mac48Address mac)
{
    uint8_t b[6];
    mac.CopyTo(b);
    if (b[0] != NIC_PREFIX[0] || b[1] != NIC_PREFIX[1])
    {
        return std::nullopt;
    }
    return (uint32_t{b[2]} << 24) | (uint32_t{b[3]} << 16) | (uint32_t{b[4]} << 8) | b[5];
}

Ipv4Address
PacketFabricContext::GetIpv4(uint32_t address)
{
    return Ipv4Address(FIRST_IPV4 + address);
}

Mac48Address
PacketFabricContext::MakePortMac()
{
    return MakeMac(PORT_PREFIX, m_nextPort++);
}

uint64_t
PacketFabricContext::GetTotalDrops() const
{
    uint64_t total = 0;
    for (const auto drops : m_drops)
    {
        total += drops;
    }
    return total;
}

} // namespace ns3
