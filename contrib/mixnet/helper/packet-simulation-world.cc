/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-simulation-world.h"

#include "packet-switch-settings.h"

#include "ns3/boolean.h"
#include "ns3/optical-switch.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <map>
#include <sstream>

namespace ns3
{

PacketSimulationWorld::PacketSimulationWorld(const WorldConfig& config,
                                             Ptr<FabricGraph> graph,
                                             Ptr<FabricRouter> router)
    : m_graph(graph),
      m_world(CreateObject<PacketWorld>()),
      m_deadlocks(CreateObject<PfcDeadlockDetector>()),
      m_transport(CreateObject<PacketTransport>()),
      m_control(CreateObject<PacketFabricControl>())
{
    m_world->SetNicAttribute("PayloadSize", UintegerValue(config.payload.Get()));
    m_world->SetNicAttribute("CongestionControl", StringValue(config.congestionType));
    m_world->SetNicAttribute("LossRecovery", StringValue(config.recoveryType));
    m_world->SetNicAttribute("AutoWindow", BooleanValue(config.window != "none"));
    m_world->SetNicAttribute("VariableWindow", BooleanValue(config.window == "variable"));
    SetSwitchAttributes(*m_world, config);
    m_world->SetOcsFactory(MakeCallback(&OpticalSwitch::Make).Bind(graph));
    m_world->Build(graph);
    for (uint32_t s = 0; s < graph->GetNServers(); ++s)
    {
        RdmaNic& nic = m_world->GetNic(ServerId(s));
        nic.GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(config.ackInterval));
        for (const auto& [name, value] : config.congestion)
        {
            nic.GetCongestionControl()->SetAttribute(name, StringValue(value));
        }
        for (const auto& [name, value] : config.recovery)
        {
            nic.GetLossRecovery()->SetAttribute(name, StringValue(value));
        }
    }
    m_deadlocks->SetAttribute("Interval", TimeValue(config.switches.deadlockInterval));
    m_installer = std::make_unique<ForwardingInstaller>(router);
    for (uint32_t v = 0; v < graph->GetNVertices(); ++v)
    {
        if (graph->GetKind(VertexId(v)) == VertexKind::SWITCH)
        {
            const Ptr<PacketSwitch> device(&m_world->GetSwitch(VertexId(v)));
            m_installer->Add(VertexId(v), device);
            m_deadlocks->Watch(device);
        }
    }
    m_transport->SetAttribute(
        "LoadBalance",
        StringValue(ns3::GetLoadBalance(config) == LoadBalance::IDEAL ? "ideal" : "per-flow"));
    m_transport->SetAttribute("StripePackets", UintegerValue(config.stripePackets));
    m_transport->SetWorld(m_world, router);
    m_control->SetWorld(m_world, m_transport);
    if (config.lossBudget)
    {
        SetLossBudget(*config.lossBudget);
    }
    SetLinkErrors(config.linkErrors);
}

void
PacketSimulationWorld::SetLinkErrors(const std::vector<double>& rates)
{
    for (uint32_t e = 0; e < rates.size(); ++e)
    {
        const EdgeId edge(e);
        for (const VertexId from : {m_graph->GetEndA(edge), m_graph->GetEndB(edge)})
        {
            if (rates[e] > 0)
            {
                const auto errors = CreateObject<RateErrorModel>();
                errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                errors->SetRate(rates[e]);
                m_control->SetBuiltErrors(m_graph->GetEgress(from, m_graph->GetPortAt(edge, from)),
                                          errors);
                m_errors.push_back(errors);
            }
        }
    }
}

void
PacketSimulationWorld::SetLossBudget(const OpticalLossBudget& budget)
{
    const double rate = budget.GetBitErrorRate();
    for (uint32_t v = 0; v < m_graph->GetNVertices(); ++v)
    {
        const VertexId ocs(v);
        for (uint32_t p = 0;
             m_graph->GetKind(ocs) == VertexKind::OCS && p < m_graph->GetNPorts(ocs);
             ++p)
        {
            // the second fiber of a circuit stands for both
            const auto errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_BIT);
            errors->SetRate(rate);
            m_control->SetBuiltErrors(m_graph->GetEgress(ocs, p), errors);
            m_errors.push_back(errors);
        }
    }
}

PacketSimulationWorld::~PacketSimulationWorld()
{
    m_control->Dispose();
    m_transport->Dispose();
    m_installer.reset();
    m_deadlocks->Dispose();
    m_world->Dispose();
}

Ptr<Transport>
PacketSimulationWorld::GetTransport() const
{
    return m_transport;
}

Ptr<FabricControl>
PacketSimulationWorld::GetControl() const
{
    return m_control;
}

Ptr<PacketWorld>
PacketSimulationWorld::GetPacketWorld() const
{
    return m_world;
}

uint64_t
PacketSimulationWorld::GetWireBytes(ChannelId c) const
{
    const VertexId source = m_graph->GetSource(c);
    const uint32_t port = m_graph->GetPortAt(FabricGraph::GetEdgeOf(c), source);
    return m_world->GetPort(source, port).GetCounters().txBytes;
}

uint64_t
PacketSimulationWorld::GetNumaBytes(uint32_t link) const
{
    return m_transport->GetNumaBytes(link).Get();
}

std::vector<std::string>
PacketSimulationWorld::GetNotes() const
{
    std::vector<std::string> notes = m_world->GetFabric().GetNotes();
    uint64_t pauses = 0;
    uint64_t marks = 0;
    for (uint32_t v = 0; v < m_graph->GetNVertices(); ++v)
    {
        for (uint32_t p = 0; p < m_graph->GetNPorts(VertexId(v)); ++p)
        {
            const PortCounters counters = m_world->GetPort(VertexId(v), p).GetCounters();
            pauses += counters.pausesSent;
            marks += counters.marks;
        }
    }
    std::ostringstream line;
    line << "frames dropped: " << m_world->GetFabric().GetTotalDrops()
         << ", retransmitted: " << m_world->GetCounters().dataResent << ", marked: " << marks
         << ", PFC pauses: " << pauses;
    notes.push_back(line.str());
    std::map<std::string, uint64_t> reasons;
    for (const DropCount& d : GetDrops())
    {
        reasons[d.reason + " at " + d.at] += d.frames;
    }
    constexpr std::size_t limit = 20;
    for (const auto& [what, frames] : reasons)
    {
        if (notes.size() >= limit)
        {
            notes.push_back("dropped elsewhere too: see the table /drops");
            break;
        }
        notes.push_back("dropped: " + std::to_string(frames) + ", " + what);
    }
    for (const auto& cycle : m_deadlocks->Check())
    {
        notes.push_back("PFC deadlock, each port waits for the next: " +
                        PfcDeadlockDetector::Describe(cycle));
    }
    return notes;
}

std::vector<DropCount>
PacketSimulationWorld::GetDrops() const
{
    std::vector<DropCount> drops;
    for (uint32_t v = 0; v < m_graph->GetNVertices(); ++v)
    {
        for (uint32_t p = 0; p < m_graph->GetNPorts(VertexId(v)); ++p)
        {
            const PortCounters counters = m_world->GetPort(VertexId(v), p).GetCounters();
            for (uint8_t r = 0; r < N_DROP_REASONS; ++r)
            {
                if (counters.dropsBy[r] > 0)
                {
                    drops.push_back({m_graph->GetName(VertexId(v)),
                                     p,
                                     GetName(static_cast<DropReason>(r)),
                                     counters.dropsBy[r]});
                }
            }
        }
    }
    return drops;
}

int64_t
PacketSimulationWorld::AssignStreams(int64_t stream)
{
    m_installer->UpdateSeeds();
    int64_t used = m_world->AssignStreams(stream);
    for (const auto& errors : m_errors)
    {
        used += errors->AssignStreams(stream + used);
    }
    return used;
}

} // namespace ns3
