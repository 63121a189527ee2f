/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "port-balancer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(PortBalancer);
NS_OBJECT_ENSURE_REGISTERED(EcmpBalancer);

TypeId
PortBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PortBalancer").SetParent<Object>().SetGroupName("Mixnet");
    return tid;
}

TypeId
EcmpBalancer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EcmpBalancer")
                            .SetParent<PortBalancer>()
                            .SetGroupName("Mixnet")
                            .AddConstructor<EcmpBalancer>();
    return tid;
}

uint16_t
EcmpBalancer::Choose(const Frame& frame, uint32_t hash, const PortChoice& choice, SimTick now)
{
    return choice.Pick(hash);
}

} // namespace ns3
