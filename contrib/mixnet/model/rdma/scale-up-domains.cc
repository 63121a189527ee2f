/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "scale-up-domains.h"

#include <cmath>
#include <utility>

namespace ns3
{

ScaleUpDomains::ScaleUpDomains(const FabricGraph& graph, DoneFunction done)
    : m_done(std::move(done)),
      m_paths(graph),
      m_engine(*this)
{
    // resource 2g: out of GPU g, 2g + 1: into it
    for (uint32_t g = 0; g < graph.GetNGpus(); ++g)
    {
        const DataRate rate = graph.GetServerSpec(graph.GetServerOf(GpuId(g))).scaleUpRate;
        m_engine.AddResource(rate, ResourceKind::SCALE_UP);
        m_engine.AddResource(rate, ResourceKind::SCALE_UP);
    }
    m_firstLink = 2 * graph.GetNGpus();
    for (const NumaLink& link : m_paths.GetNumaLinks())
    {
        m_engine.AddResource(link.rate, ResourceKind::SCALE_UP);
    }
}

uint32_t
ScaleUpDomains::AddRoute(const ServerMove& move)
{
    std::vector<ResourceUse> uses;
    if (move.from != move.to)
    {
        uses.push_back({2 * move.from.Get(), 1});
        uses.push_back({2 * move.to.Get() + 1, 1});
    }
    if (move.link != UINT32_MAX)
    {
        uses.push_back({m_firstLink + move.link, 1});
    }
    return m_engine.GetSolver().GetPartition().AddRoute(uses);
}

uint32_t
ScaleUpDomains::GetRoute(const ServerMove& move)
{
    if (move.link != UINT32_MAX)
    {
        const auto [it, fresh] = m_numaRoutes.emplace(std::tie(move.from, move.to, move.link), 0);
        it->second = fresh ? AddRoute(move) : it->second;
        return it->second;
    }
    const uint64_t key = (uint64_t{move.from.Get()} << 32) | move.to.Get();
    const auto it = m_routes.find(key);
    return it != m_routes.end() ? it->second : m_routes.emplace(key, AddRoute(move)).first->second;
}

void
ScaleUpDomains::Add(const ServerMove& move, ByteCount bytes, uint32_t cookie, FlowHandle* handle)
{
    FlowSpec spec;
    spec.route = GetRoute(move);
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

ByteCount
ScaleUpDomains::Stop(FlowHandle handle)
{
    double left = 0;
    m_engine.Stop(&handle, 1, &left);
    return ByteCount(static_cast<uint64_t>(std::ceil(left / 8)));
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
