/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical-channel-helper.h"

#include "ns3/error-model.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"

#include <algorithm>
#include <utility>

namespace ns3
{

// Ptr of older ns-3 has no move: a default would leave the other its world, to be disposed of.
OpticalChannel::OpticalChannel(OpticalChannel&& other) noexcept
{
    std::swap(m_ocs, other.m_ocs);
    std::swap(m_graph, other.m_graph);
    std::swap(m_world, other.m_world);
    std::swap(m_control, other.m_control);
    std::swap(m_switcher, other.m_switcher);
}

OpticalChannel::~OpticalChannel()
{
    // Only in part when Install() refused a setting.
    if (m_switcher)
    {
        m_switcher->Dispose();
    }
    if (m_control)
    {
        m_control->Dispose();
    }
    if (m_world)
    {
        m_world->Dispose();
    }
}

NetDeviceContainer
OpticalChannel::GetDevices() const
{
    NetDeviceContainer devices;
    for (uint32_t s = 0; s < m_graph->GetNServers(); ++s)
    {
        devices.Add(Ptr<NetDevice>(&m_world->GetPort(m_graph->GetVertex(ServerId(s)), 0)));
    }
    return devices;
}

Circuit
OpticalChannel::Join(uint32_t a, uint32_t b) const
{
    return {m_ocs, std::min(a, b), std::max(a, b)};
}

Circuit
OpticalChannel::JoinOneWay(uint32_t from, uint32_t to) const
{
    return {m_ocs, from, to, CircuitKind::SIMPLEX};
}

void
OpticalChannel::LightOneWay(uint32_t from, uint32_t to)
{
    m_control->Connect({JoinOneWay(from, to)}, {});
}

void
OpticalChannel::Light(uint32_t a, uint32_t b)
{
    m_control->Connect({Join(a, b)}, {});
}

Ptr<CircuitSwitcher>
OpticalChannel::GetSwitcher() const
{
    return m_switcher;
}

Ptr<OpticalSwitch>
OpticalChannel::GetSwitch() const
{
    return DynamicCast<OpticalSwitch>(m_world->GetOcs(m_ocs));
}

Ptr<FabricControl>
OpticalChannel::GetControl() const
{
    return m_control;
}

EdgeId
OpticalChannel::GetFiber(uint32_t node) const
{
    return m_graph->GetEdge(m_ocs, node);
}

MixnetLink&
OpticalChannel::GetLink(uint32_t node) const
{
    return m_world->GetLink(GetFiber(node));
}

int64_t
OpticalChannel::SetLossBudget(const OpticalLossBudget& budget, int64_t stream)
{
    const double rate = budget.GetBitErrorRate();
    const uint32_t nodes = m_graph->GetNServers();
    for (uint32_t node = 0; node < nodes; ++node)
    {
        const auto errors = CreateObject<RateErrorModel>();
        errors->SetUnit(RateErrorModel::ERROR_UNIT_BIT);
        errors->SetRate(rate);
        errors->AssignStreams(stream + node);
        GetLink(node).SetErrorModel(&m_world->GetPort(m_ocs, node), errors);
    }
    return nodes;
}

OpticalChannelHelper::OpticalChannelHelper()
    : m_rate("400Gbps"),
      m_delay(MicroSeconds(1))
{
    m_switcher.SetTypeId(CircuitSwitcher::GetTypeId());
}

void
OpticalChannelHelper::SetRate(DataRate rate)
{
    m_rate = rate;
}

void
OpticalChannelHelper::SetDelay(Time delay)
{
    m_delay = delay;
}

void
OpticalChannelHelper::SetSwitcherAttribute(const std::string& name, const AttributeValue& value)
{
    m_switcher.Set(name, value);
}

OpticalChannel
OpticalChannelHelper::Install(const NodeContainer& nodes) const
{
    if (nodes.GetN() < 2)
    {
        throw InputError("nodes of an optical channel", std::to_string(nodes.GetN()), "2 or more");
    }
    EnsurePicosecondClock();
    OpticalChannel channel;
    const auto graph = CreateObject<FabricGraph>();
    EdgeSpec fiber;
    fiber.kind = EdgeKind::FIBER;
    fiber.rate = m_rate;
    fiber.delay = m_delay;
    std::vector<ServerId> servers;
    for (uint32_t n = 0; n < nodes.GetN(); ++n)
    {
        servers.push_back(graph->AddServer(ServerSpec()));
    }
    channel.m_ocs = graph->AddOcs(nodes.GetN(), "ocs");
    for (const ServerId s : servers)
    {
        graph->AddEdge(graph->GetVertex(s), channel.m_ocs, fiber);
    }
    const RegionId region = graph->AddRegion(servers, {channel.m_ocs});
    channel.m_graph = graph;
    channel.m_world = CreateObject<PacketWorld>();
    channel.m_world->SetServerNodes(nodes);
    channel.m_world->SetOcsFactory(MakeCallback(&OpticalSwitch::Make).Bind(graph));
    channel.m_world->Build(graph);
    channel.m_control = CreateObject<PacketFabricControl>();
    channel.m_control->SetWorld(channel.m_world, nullptr);
    channel.m_switcher = m_switcher.Create<CircuitSwitcher>();
    channel.m_switcher->SetFabric(channel.m_control, region);
    return channel;
}

} // namespace ns3
