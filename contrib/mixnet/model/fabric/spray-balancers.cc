/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "spray-balancers.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(SprayBalancer);
NS_OBJECT_ENSURE_REGISTERED(RoundRobinSprayBalancer);
NS_OBJECT_ENSURE_REGISTERED(RandomSprayBalancer);

TypeId
SprayBalancer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::SprayBalancer").SetParent<PortBalancer>().SetGroupName("Mixnet");
    return tid;
}

uint16_t
SprayBalancer::Choose(const Frame& frame, uint32_t hash, const PortChoice& choice, SimTick now)
{
    return IsData(frame.opcode) ? ChooseForData(hash, choice) : choice.Pick(hash);
}

TypeId
RoundRobinSprayBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RoundRobinSprayBalancer")
                            .SetParent<SprayBalancer>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RoundRobinSprayBalancer>();
    return tid;
}

uint16_t
RoundRobinSprayBalancer::ChooseForData(uint32_t hash, const PortChoice& choice)
{
    if (choice.group >= m_next.size())
    {
        m_next.resize(choice.group + 1, 0);
    }
    uint32_t& next = m_next[choice.group];
    const uint32_t index = next == 0 ? hash % choice.count : (next - 1) % choice.count;
    next = index + 2;
    return choice.ports[index];
}

void
RoundRobinSprayBalancer::ForgetRoutes()
{
    m_next.clear();
}

TypeId
RandomSprayBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RandomSprayBalancer")
                            .SetParent<SprayBalancer>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<RandomSprayBalancer>();
    return tid;
}

RandomSprayBalancer::RandomSprayBalancer()
    : m_random(CreateObject<UniformRandomVariable>())
{
}

uint16_t
RandomSprayBalancer::ChooseForData(uint32_t hash, const PortChoice& choice)
{
    return choice.ports[m_random->GetInteger(0, choice.count - 1)];
}

int64_t
RandomSprayBalancer::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

} // namespace ns3
