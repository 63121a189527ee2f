/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "forwarding-installer.h"

namespace ns3
{

ForwardingInstaller::ForwardingInstaller(Ptr<FabricRouter> router)
    : m_router(router)
{
    router->SetRoutesChangedCallback(MakeCallback(&ForwardingInstaller::OnRoutesChanged, this));
}

ForwardingInstaller::~ForwardingInstaller()
{
    m_router->SetRoutesChangedCallback(FabricRouter::RoutesChangedCallback());
}

void
ForwardingInstaller::Add(VertexId v, Ptr<PacketSwitch> device)
{
    m_switch[v] = device;
    device->SetEcmpSeed(m_router->GetHashSeed(v));
    Write(v, *device);
}

void
ForwardingInstaller::UpdateSeeds()
{
    for (const auto& [v, device] : m_switch)
    {
        device->SetEcmpSeed(m_router->GetHashSeed(v));
    }
}

void
ForwardingInstaller::OnRoutesChanged(const std::vector<VertexId>& switches)
{
    for (const VertexId v : switches)
    {
        const auto it = m_switch.find(v);
        if (it != m_switch.end())
        {
            Write(v, *it->second);
        }
    }
}

void
ForwardingInstaller::Write(VertexId v, PacketSwitch& device)
{
    m_router->GetTables().GetRoutes(v, m_ranges, m_groups);
    device.SetRoutes(m_ranges, m_groups);
    ++m_writes;
}

} // namespace ns3
