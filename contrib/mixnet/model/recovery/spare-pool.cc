/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "spare-pool.h"

#include "ns3/mixnet-error.h"

#include <cmath>

namespace ns3
{

uint32_t
SpareShare::GetCount(uint32_t of) const
{
    constexpr double rounding = 1e-12; // of the product: 0.07 x 100 is a little above 7
    return count ? *count : static_cast<uint32_t>(std::ceil(fraction * of * (1 - rounding)));
}

uint32_t
SparePlan::GetRegionOf(ServerId server) const
{
    if (server.Get() < jobServers)
    {
        return server.Get() / serversPerRegion;
    }
    MIXNET_CHECK(server < GetFirstGlobal(), "server " << server << " belongs to no region");
    return (server.Get() - jobServers) / GetHostsPerRegion();
}

SparePool::SparePool(const SparePlan& plan)
    : m_plan(plan),
      m_gpus(plan.GetNRegions())
{
    for (uint32_t region = 0; region < plan.GetNRegions() && plan.gpusPerRegion > 0; ++region)
    {
        const uint32_t first = plan.GetHost(region, 0).Get() * plan.gpusPerServer;
        for (uint32_t i = 0; i < plan.gpusPerRegion; ++i)
        {
            m_gpus[region].insert(GpuId(first + i));
        }
    }
    for (uint32_t i = 0; i < plan.globalServers; ++i)
    {
        m_servers.insert(ServerId(plan.GetFirstGlobal().Get() + i));
    }
}

void
SparePool::RemoveGpu(GpuId gpu)
{
    for (auto& ready : m_gpus)
    {
        ready.erase(gpu);
    }
    m_servers.erase(ServerId(gpu.Get() / m_plan.gpusPerServer));
}

void
SparePool::RemoveServer(ServerId server)
{
    m_servers.erase(server);
    for (uint32_t i = 0; i < m_plan.gpusPerServer; ++i)
    {
        RemoveGpu(GpuId(server.Get() * m_plan.gpusPerServer + i));
    }
}

void
SparePool::AddGpu(uint32_t region, GpuId gpu)
{
    m_gpus[region].insert(gpu);
}

void
SparePool::AddServer(ServerId server)
{
    m_servers.insert(server);
}

uint32_t
SparePool::GetNGpus(uint32_t region) const
{
    return static_cast<uint32_t>(m_gpus[region].size());
}

uint32_t
SparePool::GetNServers() const
{
    return static_cast<uint32_t>(m_servers.size());
}

} // namespace ns3
