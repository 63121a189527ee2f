/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic.h"

#include "ns3/mixnet-error.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <string>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNic);

namespace
{

constexpr uint64_t NO_MESSAGE = std::numeric_limits<uint64_t>::max(); //!< none waits

} // namespace

RdmaNic::RdmaNic() = default;
RdmaNic::~RdmaNic() = default;

void
RdmaNic::DoDispose()
{
    for (auto& port : m_ports)
    {
        port->GetPort().SetEgressSource(nullptr);
        port->GetPort().SetReceiver(nullptr, PortRole::NIC);
        port->GetPort().SetEgressObserver(nullptr);
    }
    m_timer.reset();
    m_element.reset();
    m_ports.clear();
    m_core.reset();
    m_congestion = nullptr;
    m_scheduling = nullptr;
    m_recovery = nullptr;
    Object::DoDispose();
}

SimTick
RdmaNic::Present()
{
    const SimTick now = Simulator::Now().GetTimeStep();
    if (m_element)
    {
        m_element->CatchUp(now);
    }
    return now;
}

void
RdmaNic::Prepare()
{
    if (m_core)
    {
        return;
    }
    ObjectFactory factory;
    factory.SetTypeId(m_recoveryType);
    m_recovery = factory.Create<LossRecovery>();
    m_core = std::make_unique<RdmaCore>(m_payload);
    m_timer = std::unique_ptr<StandingTimer>(new StandingTimer(*this, 0));
    m_core->recovery = PeekPointer(m_recovery);
    PrepareCongestion();
    m_core->ecn = m_ecn ? FrameEcn::ECT0 : FrameEcn::NOT_ECT;
    m_relay.SetThresholds(m_relayEcnThreshold, m_relayPauseThreshold);
}

uint32_t
RdmaNic::AddPort(Ptr<MixnetPort> port)
{
    Prepare();
    MIXNET_CHECK(m_ports.size() < std::numeric_limits<uint8_t>::max(), "too many ports");
    PacketFabricContext& fabric = port->GetFabric();
    m_core->pool = &fabric.GetPool();
    m_core->table.SetArena(fabric.GetPool().GetArena());
    m_core->dataClass = fabric.GetRdmaClass();
    m_core->controlClass = fabric.GetControlClass();
    if (!m_element)
    {
        m_element = std::make_unique<FabricElement>(port->GetNode() ? port->GetNode()->GetId()
                                                                    : Simulator::NO_CONTEXT);
        m_element->SetNic();
        // with relays that pause, a departure by one port may let the neighbor of another go
        m_element->SetOrdered(m_relayPauseThreshold > 0);
        // out of order, any packet may be the one that ends a message
        m_element->SetLookaheadLimit(m_recovery->IsInOrder() ? m_lookahead.GetTimeStep() : 0);
    }
    port->JoinElement(m_element.get());
    m_ports.push_back(std::make_unique<RdmaPort>(*this, *m_core, port));
    PrepareOptions(*m_ports.back());
    m_relay.AddPort(PeekPointer(port));
    return GetNPorts() - 1;
}

uint32_t
RdmaNic::GetNPorts() const
{
    return static_cast<uint32_t>(m_ports.size());
}

MixnetPort&
RdmaNic::GetPort(uint32_t port) const
{
    return m_ports[port]->GetPort();
}

Ptr<CongestionControl>
RdmaNic::GetCongestionControl()
{
    Prepare();
    return m_congestion;
}

Ptr<LossRecovery>
RdmaNic::GetLossRecovery()
{
    Prepare();
    return m_recovery;
}

uint32_t
RdmaNic::GetPayloadSize() const
{
    return m_payload;
}

QpSender&
RdmaNic::Get(uint32_t qp)
{
    QpSender* sender = m_core ? m_core->table.FindSender(qp) : nullptr;
    MIXNET_CHECK(sender, "no queue pair " << qp);
    return *sender;
}

uint32_t
RdmaNic::CreateQp(const QpConfig& config)
{
    if (config.port >= GetNPorts())
    {
        throw InputError("queue pair",
                         "port " + std::to_string(config.port) + " does not exist",
                         "a port below " + std::to_string(GetNPorts()));
    }
    if (config.trafficClass >= N_PRIORITIES && config.trafficClass != UINT8_MAX)
    {
        throw InputError("queue pair", "class " + std::to_string(config.trafficClass), "0 to 7");
    }
    QpTable& table = m_core->table;
    const uint32_t number = table.Create();
    QpSender& qp = table.Sender(number & QpTable::SLOT_MASK);
    UseClass(qp, config);
    const RdmaPort& port = GetRdmaPort(config.port);
    const uint64_t first = PsnStart(config.firstPsn);
    qp.send.next = first;
    qp.send.acked = first;
    qp.send.end = first;
    qp.send.sent = first;
    qp.send.timed = first;
    const uint64_t window =
        config.windowPackets > 0 ? config.windowPackets : (m_window + m_payload - 1) / m_payload;
    const uint32_t limit = m_recovery->GetWindowLimit();
    qp.send.window = window > 0 && window < limit ? static_cast<uint32_t>(window) : limit;
    qp.oldestEnd = NO_MESSAGE;
    qp.source = port.GetAddress();
    qp.destination = config.destination;
    qp.sourcePort = config.sourcePort;
    qp.port = static_cast<uint8_t>(config.port);
    table.Cold(number).sink = config.sink;
    m_core->telemetryRoom = static_cast<uint8_t>(m_congestion->GetTelemetryRoom());
    m_core->governor.Open(qp, port.GetPort().GetRate(), Present());
    return number;
}

void
RdmaNic::ConnectQp(uint32_t qp, uint32_t peer, uint32_t peerPsn)
{
    Get(qp).peer = peer;
    QpReceiver& receiver = m_core->table.Receiver(qp);
    receiver.peer = peer;
    receiver.state.expected = PsnStart(peerPsn);
}

std::pair<uint32_t, uint32_t>
RdmaNic::CreatePair(RdmaNic& a, QpConfig configA, RdmaNic& b, QpConfig configB)
{
    configA.destination = b.GetPort(configB.port).GetNicAddress();
    configB.destination = a.GetPort(configA.port).GetNicAddress();
    const uint32_t qpA = a.CreateQp(configA);
    const uint32_t qpB = b.CreateQp(configB);
    a.ConnectQp(qpA, qpB, configB.firstPsn);
    b.ConnectQp(qpB, qpA, configA.firstPsn);
    return {qpA, qpB};
}

void
RdmaNic::DestroyQp(uint32_t qp)
{
    const SimTick now = Present();
    QpSender& sender = Get(qp);
    GetRdmaPort(sender.port).GetPort().Settle(now);
    m_recovery->CloseSender(sender.send);
    m_recovery->CloseReceiver(m_core->table.Receiver(qp).state);
    m_core->table.Destroy(qp);
}

uint64_t
RdmaNic::PostSend(uint32_t qp, uint64_t id, ByteCount bytes)
{
    QpSender& sender = Get(qp);
    MIXNET_CHECK(sender.peer != 0, "queue pair " << qp << " is not connected");
    const SimTick now = Present();
    RdmaPort& port = GetRdmaPort(sender.port);
    port.GetPort().Settle(now);
    QpCold& cold = m_core->table.Cold(qp);
    const uint64_t end =
        cold.queue.Push(id, bytes.Get(), m_core->layout, cold.failed ? 0 : sender.send.end);
    if (cold.failed)
    {
        if (cold.queue.GetAll().size() == 1)
        {
            Simulator::ScheduleNow(&RdmaNic::FlushFailed, this, qp, WorkStatus::FLUSHED);
        }
        return cold.queue.GetNextNumber() - 1;
    }
    if (cold.queue.GetNextNumber() == 1)
    {
        AdaptTimeout(sender);
    }
    sender.send.end = end;
    sender.oldestEnd = cold.queue.Front().end;
    m_core->governor.LookAtPath(sender, port.GetPort(), now);
    port.Wake(sender, now);
    return cold.queue.GetNextNumber() - 1;
}

bool
RdmaNic::HasQp(uint32_t qp)
{
    return m_core && m_core->table.FindSender(qp);
}

bool
RdmaNic::IsFailed(uint32_t qp)
{
    Get(qp);
    return m_core->table.Cold(qp).failed;
}

DataRate
RdmaNic::GetRate(uint32_t qp)
{
    Get(qp);
    return m_congestion->GetRate(qp & QpTable::SLOT_MASK, Present());
}

uint32_t
RdmaNic::GetNPaths(uint32_t qp)
{
    Get(qp);
    return m_core->table.Cold(qp).paths;
}

ByteCount
RdmaNic::GetReceived(uint32_t qp)
{
    Get(qp);
    Present();
    return ByteCount(m_core->table.Receiver(qp).delivered);
}

ByteCount
RdmaNic::GetReceived(uint32_t qp, uint32_t path)
{
    Present();
    const std::vector<uint64_t>& later = m_core->table.Cold(qp).pathBytes;
    if (path > 0)
    {
        return ByteCount(path <= later.size() ? later[path - 1] : 0);
    }
    uint64_t bytes = GetReceived(qp).Get();
    for (const uint64_t other : later)
    {
        bytes -= other;
    }
    return ByteCount(bytes);
}

uint32_t
RdmaNic::GetNQps() const
{
    return m_core ? m_core->table.GetSize() : 0;
}

uint32_t
RdmaNic::GetQpCapacity() const
{
    return m_core ? m_core->table.GetCapacity() : 0;
}

const RdmaCounters&
RdmaNic::GetCounters()
{
    Prepare();
    const SimTick now = Present();
    for (auto& port : m_ports)
    {
        port->GetPort().Settle(now);
    }
    m_core->counters.relayPauses = m_relay.GetPauses();
    return m_core->counters;
}

} // namespace ns3
