/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/// @file
/// What a NIC offers beyond one class, turns of one packet and an unlimited host.

#include "rdma-nic.h"

#include "ns3/byte-count-value.h"
#include "ns3/data-rate.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-units.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>

namespace ns3
{

TypeId
RdmaNic::AddOptionAttributes(TypeId tid)
{
    return tid
        .AddAttribute("QpScheduling",
                      "TypeId of how the queue pairs of a port and class share it.",
                      TypeIdValue(RoundRobinQpScheduling::GetTypeId()),
                      MakeTypeIdAccessor(&RdmaNic::m_schedulingType),
                      MakeTypeIdChecker())
        .AddAttribute("StrictClasses",
                      "Classes of data served before all others of the NIC, the higher first (bit "
                      "vector). The others share by deficit round robin.",
                      UintegerValue(0),
                      MakeUintegerAccessor(&RdmaNic::m_strictClasses),
                      MakeUintegerChecker<uint8_t>())
        .AddAttribute("ClassQuanta",
                      "Wire bytes per round of classes that are not strict, such as "
                      "\"3=9216B,4=18432B\" (the others: 9216B, one jumbo frame).",
                      StringValue(""),
                      MakeStringAccessor(&RdmaNic::m_classQuanta),
                      MakeStringChecker())
        .AddAttribute("HostRate",
                      "Effective rate of payload between a port and the host's memory (PCIe), per "
                      "direction; 0bps: no limit. PCIe 5.0 x16 carries about 500 Gb/s.",
                      DataRateValue(DataRate(0)),
                      MakeDataRateAccessor(&RdmaNic::SetHostRate, &RdmaNic::GetHostRate),
                      MakeDataRateChecker())
        .AddAttribute("HostBuffer",
                      "With HostRate: receive buffer of a port. Neighbors are paused above half "
                      "of it and go on from a quarter on; the upper half is the headroom, rate x "
                      "round trip at least.",
                      ByteCountValue(ByteCount(1 << 20)),
                      MakeByteCountAccessor(&RdmaNic::m_hostBuffer),
                      MakeByteCountChecker());
}

void
RdmaNic::SetHostRate(DataRate rate)
{
    if (m_hostRate.GetBitRate() > 0 && !m_ports.empty())
    {
        throw InputError("ns3::RdmaNic::HostRate", "set twice", "one value for each NIC");
    }
    const SimTick now = Present();
    for (auto& port : m_ports)
    {
        port->GetPort().Settle(now);
    }
    m_hostRate = rate;
    for (auto& port : m_ports)
    {
        PrepareOptions(*port);
    }
}

DataRate
RdmaNic::GetHostRate() const
{
    return m_hostRate;
}

void
RdmaNic::PrepareOptions(RdmaPort& port)
{
    if (!m_scheduling)
    {
        ObjectFactory factory;
        factory.SetTypeId(m_schedulingType);
        m_scheduling = factory.Create<QpScheduling>();
    }
    const bool byPacket = m_schedulingType == RoundRobinQpScheduling::GetTypeId();
    if (byPacket && m_hostRate.GetBitRate() == 0 && !m_manyClasses)
    {
        return;
    }
    RdmaPortOptions& options = port.GetOptions();
    options.scheduling = byPacket ? nullptr : PeekPointer(m_scheduling);
    options.chooser.SetStrict(m_strictClasses);
    std::istringstream quanta(m_classQuanta);
    for (std::string item; std::getline(quanta, item, ',');)
    {
        const std::string where = "ns3::RdmaNic::ClassQuanta";
        if (item.size() < 3 || item[0] < '0' || item[0] > '7' || item[1] != '=')
        {
            throw InputError(where, "'" + item + "' is not accepted", "CLASS=SIZE such as 3=9216B");
        }
        const uint64_t bytes = ParseBytes(item.substr(2), where).Get();
        if (bytes < 64 || bytes > UINT32_MAX)
        {
            throw InputError(where, "'" + item + "' is out of range", "64B to 4GB");
        }
        options.chooser.SetQuantum(static_cast<uint8_t>(item[0] - '0'),
                                   static_cast<uint32_t>(bytes));
    }
    if (m_hostRate.GetBitRate() > 0 && !options.bus)
    {
        if (m_relayPauseThreshold > 0)
        {
            throw InputError("ns3::RdmaNic", "HostRate and RelayPauseThreshold are set", "one");
        }
        m_element->SetLookaheadLimit(0); // what crosses the bus has events at exact times
        options.bus = std::make_unique<RdmaHostBus>(m_hostRate, m_hostBuffer, port);
    }
}

void
RdmaNic::UseClass(QpSender& qp, const QpConfig& config)
{
    const uint8_t before = qp.trafficClass;
    const uint8_t wanted =
        config.trafficClass == UINT8_MAX ? m_core->dataClass : config.trafficClass;
    if (qp.port != config.port || before != wanted)
    {
        QpScheduler::Remove(qp);
    }
    qp.trafficClass = wanted & 7;
    if (wanted != m_core->dataClass && !m_manyClasses)
    {
        m_manyClasses = true;
        for (auto& port : m_ports)
        {
            PrepareOptions(*port);
        }
    }
    m_scheduling->Open(qp.number & QpTable::SLOT_MASK);
}

} // namespace ns3
