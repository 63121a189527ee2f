/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// FabricRouter: what its answers depend on.

#include "delegate-policy.h"
#include "fabric-router.h"

#include <algorithm>

namespace ns3
{

void
FabricRouter::CountStranded()
{
    uint32_t stranded = 0;
    for (uint32_t s = 0; s < m_graph->GetNServers(); ++s)
    {
        const auto& nics = m_graph->GetNics(ServerId(s), EdgeKind::PACKET);
        const VertexId v = m_graph->GetVertex(ServerId(s));
        stranded += !nics.empty() && std::none_of(nics.begin(), nics.end(), [&](uint32_t nic) {
            return m_graph->IsUp(m_graph->GetEdge(v, nic));
        });
    }
    m_strandings += stranded != m_stranded ? 1 : 0;
    m_stranded = stranded;
}

RouteScope
FabricRouter::GetScope(const Transfer& transfer) const
{
    // delegates have no ways but those of the class
    const bool delegate = dynamic_cast<const DelegatePolicy*>(transfer.policy) != nullptr;
    const auto* fabric = dynamic_cast<const FabricRoutingPolicy*>(
        &Select(delegate ? nullptr : transfer.policy, transfer.trafficClass));
    return fabric != nullptr ? fabric->GetScope() : RouteScope::EVERYTHING;
}

bool
FabricRouter::UsesCircuits(const Transfer& transfer) const
{
    return GetScope(transfer) != RouteScope::PACKET;
}

uint64_t
FabricRouter::GetVersion(const Transfer& transfer) const
{
    const ServerId from = m_graph->GetServerOf(transfer.source);
    const ServerId to = m_graph->GetServerOf(transfer.destination);
    if (from == to)
    {
        return 0;
    }
    // All terms only rise, so the sum stays the same only if none of them changes.
    constexpr unsigned above = 40; // what a change of terms adds exceeds what they can lose
    const uint64_t packet = (m_strandings << above) + m_policyVersion + m_graph->GetPacketVersion();
    switch (m_stranded > 0 ? RouteScope::EVERYTHING : GetScope(transfer))
    {
    case RouteScope::PACKET:
        return packet;
    case RouteScope::ENDPOINTS:
        return packet + m_graph->GetServerVersion(from) + m_graph->GetServerVersion(to);
    default:
        return packet + m_graph->GetOpticalVersion();
    }
}

} // namespace ns3
