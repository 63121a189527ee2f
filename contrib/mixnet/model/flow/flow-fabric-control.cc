/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-fabric-control.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowFabricControl);

TypeId
FlowFabricControl::GetTypeId()
{
    static TypeId tid = TypeId("ns3::FlowFabricControl")
                            .SetParent<FabricControl>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<FlowFabricControl>();
    return tid;
}

FlowFabricControl::FlowFabricControl() = default;
FlowFabricControl::~FlowFabricControl() = default;

void
FlowFabricControl::SetTransport(Ptr<FlowTransport> transport)
{
    m_transport = transport;
    SetAwaiting(transport);
}

void
FlowFabricControl::DoDispose()
{
    for (auto& [token, event] : m_pending)
    {
        event.Cancel();
    }
    m_pending.clear();
    m_transport = nullptr;
    FabricControl::DoDispose();
}

void
FlowFabricControl::DoQuiesce(Token token, const std::vector<ChannelId>& channels)
{
    MIXNET_CHECK(m_transport, "a fabric control without a transport");
    m_emptyAt.resize(2 * std::size_t(GetGraph()->GetNEdges()));
    const Time empty = Simulator::Now() + m_transport->Hold(channels);
    for (const ChannelId c : channels)
    {
        m_emptyAt[c.Get()] = empty;
    }
    Time all = Simulator::Now();
    for (const ChannelId c : GetChannels(token))
    {
        all = Max(all, m_emptyAt[c.Get()]);
    }
    m_pending[token] =
        Simulator::Schedule(all - Simulator::Now(), &FlowFabricControl::Drained, this, token);
}

void
FlowFabricControl::DoResume(Token token, const std::vector<ChannelId>& channels)
{
    const auto at = m_pending.find(token);
    at->second.Cancel();
    m_pending.erase(at);
    m_transport->Release(channels);
}

} // namespace ns3
