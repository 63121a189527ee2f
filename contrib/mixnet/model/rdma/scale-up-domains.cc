/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scale-up-domains.h"

#include <utility>

namespace ns3
{

ScaleUpDomains::ScaleUpDomains(const FabricGraph& graph, DoneFunction done)
    : m_done(std::move(done)),
      m_engine(*this)
{
    // resource 2g: out of GPU g, 2g + 1: into it
    for (uint32_t g = 0; g < graph.GetNGpus(); ++g)
    {
        const DataRate rate = graph.GetServerSpec(graph.GetServerOf(GpuId(g))).scaleUpRate;
        m_engine.AddResource(rate, ResourceKind::SCALE_UP);
        m_engine.AddResource(rate, ResourceKind::SCALE_UP);
    }
}

uint32_t
ScaleUpDomains::GetRoute(GpuId from, GpuId to)
{
    const uint64_t key = (uint64_t{from.Get()} << 32) | to.Get();
    const auto it = m_routes.find(key);
    if (it != m_routes.end())
    {
        return it->second;
    }
    std::vector<ResourceUse> uses{{2 * from.Get(), 1}, {2 * to.Get() + 1, 1}};
    const uint32_t route = m_engine.GetSolver().GetPartition().AddRoute(uses);
    m_routes.emplace(key, route);
    return route;
}

void
ScaleUpDomains::Add(GpuId from, GpuId to, ByteCount bytes, uint32_t cookie, FlowHandle* handle)
{
    FlowSpec spec;
    spec.route = GetRoute(from, to);
    spec.bits = static_cast<double>(bytes.Get()) * 8;
    spec.order = m_order++;
    spec.cookie = cookie;
    m_specs.push_back(spec);
    m_out.push_back(handle);
}

void
ScaleUpDomains::Launch()
{
    if (m_specs.empty())
    {
        return;
    }
    m_handles.resize(m_specs.size());
    m_engine.Start(m_specs.data(), m_specs.size(), m_handles.data());
    for (std::size_t i = 0; i < m_out.size(); ++i)
    {
        *m_out[i] = m_handles[i];
    }
    m_specs.clear();
    m_out.clear();
}

void
ScaleUpDomains::Stop(FlowHandle handle)
{
    double left = 0;
    m_engine.Stop(&handle, 1, &left);
}

uint32_t
ScaleUpDomains::GetNMoves() const
{
    return m_engine.GetSolver().GetNFlows();
}

void
ScaleUpDomains::OnDrained(const FlowEnd* ends, std::size_t count)
{
    std::vector<uint32_t> cookies;
    cookies.reserve(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        cookies.push_back(ends[i].cookie);
    }
    m_done(cookies);
}

} // namespace ns3
