/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flowlet-balancer.h"

#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(FlowletBalancer);

TypeId
FlowletBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::FlowletBalancer")
            .SetParent<PortBalancer>()
            .SetGroupName("Mixnet")
            .AddConstructor<FlowletBalancer>()
            .AddAttribute("Gap",
                          "Silence of a flow after which it may take another port.",
                          TimeValue(MicroSeconds(100)),
                          MakeTimeAccessor(&FlowletBalancer::m_gap),
                          MakeTimeChecker(TimeStep(1)))
            .AddAttribute("TableSize",
                          "Entries of the table of flows, per switch; fixed at the first frame.",
                          UintegerValue(16384),
                          MakeUintegerAccessor(&FlowletBalancer::m_size),
                          MakeUintegerChecker<uint32_t>(1, 1U << 24));
    return tid;
}

FlowletBalancer::FlowletBalancer()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint16_t
FlowletBalancer::Choose(const Frame& frame, uint32_t hash, const PortChoice& choice, SimTick now)
{
    if (m_table.empty())
    {
        m_table.resize(m_size);
    }
    Entry& entry = m_table[(uint64_t{hash} * m_table.size()) >> 32];
    if (entry.group != choice.group || now - entry.last >= m_gap.GetTimeStep())
    {
        entry.group = choice.group;
        entry.port = choice.ports[m_random->GetInteger(0, choice.count - 1)];
        ++m_flowlets;
    }
    entry.last = now;
    return entry.port;
}

void
FlowletBalancer::ForgetRoutes()
{
    std::fill(m_table.begin(), m_table.end(), Entry());
}

int64_t
FlowletBalancer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

uint64_t
FlowletBalancer::GetNFlowlets() const
{
    return m_flowlets;
}

} // namespace ns3
