/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-flow-list-application.h"

#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaFlowListApplication);

TypeId
RdmaFlowListApplication::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RdmaFlowListApplication")
                            .SetParent<RdmaApplication>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RdmaFlowListApplication>();
    return tid;
}

void
RdmaFlowListApplication::AddFlow(const Flow& flow)
{
    m_flows.push_back(flow);
}

void
RdmaFlowListApplication::DoDispose()
{
    m_event.Cancel();
    m_flows.clear();
    RdmaApplication::DoDispose();
}

void
RdmaFlowListApplication::DoStart()
{
    std::stable_sort(m_flows.begin(), m_flows.end(), [](const Flow& a, const Flow& b) {
        return a.start < b.start;
    });
    m_begin = Simulator::Now();
    Play();
}

void
RdmaFlowListApplication::DoStop()
{
    m_event.Cancel();
}

void
RdmaFlowListApplication::DoEnded(RdmaConnection& connection, const RdmaMessage&)
{
    Drop(connection);
}

void
RdmaFlowListApplication::Play()
{
    const Time elapsed = Simulator::Now() - m_begin;
    while (m_next < m_flows.size() && m_flows[m_next].start <= elapsed)
    {
        const Flow& flow = m_flows[m_next++];
        Post(Open(flow.remote, flow.port), flow.size, flow.tag);
    }
    if (m_next < m_flows.size())
    {
        m_event = Simulator::Schedule(m_flows[m_next].start - elapsed,
                                      &RdmaFlowListApplication::Play,
                                      this);
    }
}

} // namespace ns3
