/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "server-paths.h"

#include <array>
#include <utility>

namespace ns3
{

namespace
{

/// @param ids ascending @return "0-3,6"
std::string
ListRanges(const std::vector<uint32_t>& ids)
{
    std::string text;
    for (std::size_t i = 0; i < ids.size();)
    {
        std::size_t last = i;
        while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1)
        {
            ++last;
        }
        text += (text.empty() ? "" : ",") + std::to_string(ids[i]) +
                (last > i ? "-" + std::to_string(ids[last]) : "");
        i = last + 1;
    }
    return text.empty() ? "none" : text;
}

} // namespace

ServerPaths::ServerPaths(const FabricGraph& graph)
    : m_graph(graph)
{
    std::vector<uint32_t> first;
    for (uint32_t s = 0; s < graph.GetNServers(); ++s)
    {
        const ServerSpec& spec = graph.GetServerSpec(ServerId(s));
        first.push_back(static_cast<uint32_t>(m_links.size()));
        for (uint32_t from = 0; spec.numaLinkRate.GetBitRate() > 0 && from < spec.numaNodes; ++from)
        {
            for (uint32_t to = 0; to < spec.numaNodes; ++to)
            {
                if (to != from)
                {
                    m_links.push_back({ServerId(s), from, to, spec.numaLinkRate});
                }
            }
        }
    }
    if (!m_links.empty())
    {
        m_firstLink = std::move(first);
    }
}

bool
ServerPaths::HasLinks(ServerId server) const
{
    const ServerSpec& spec = m_graph.GetServerSpec(server);
    return spec.numaLinkRate.GetBitRate() > 0 || spec.numaLinkDelay.IsStrictlyPositive();
}

uint32_t
ServerPaths::GetNuma(GpuId gpu) const
{
    const ServerSpec& spec = m_graph.GetServerSpec(m_graph.GetServerOf(gpu));
    return static_cast<uint32_t>(uint64_t(m_graph.GetLocalIndex(gpu)) * spec.numaNodes / spec.gpus);
}

GpuId
ServerPaths::FindGpu(GpuId gpu, uint32_t nic) const
{
    const ServerId server = m_graph.GetServerOf(gpu);
    return m_graph.GetServerSpec(server).nicAccess == NicAccess::PCIE
               ? gpu
               : m_graph.GetGpu(server, m_graph.GetNicGpu(server, nic));
}

void
ServerPaths::Cross(ServerId server, uint32_t from, uint32_t to, ServerPath& path) const
{
    if (from == to)
    {
        return;
    }
    const ServerSpec& spec = m_graph.GetServerSpec(server);
    path.delay = spec.numaLinkDelay;
    if (spec.numaLinkRate.GetBitRate() > 0)
    {
        path.link =
            m_firstLink[server.Get()] + from * (spec.numaNodes - 1) + to - (to > from ? 1 : 0);
    }
}

ServerPath
ServerPaths::GetPathOut(GpuId gpu, uint32_t nic) const
{
    const ServerId server = m_graph.GetServerOf(gpu);
    ServerPath path;
    path.gpu = FindGpu(gpu, nic);
    if (HasLinks(server))
    {
        Cross(server, GetNuma(path.gpu), m_graph.GetNicNuma(server, nic), path);
    }
    return path;
}

ServerPath
ServerPaths::GetPathIn(uint32_t nic, GpuId gpu) const
{
    const ServerId server = m_graph.GetServerOf(gpu);
    ServerPath path;
    path.gpu = FindGpu(gpu, nic);
    if (HasLinks(server))
    {
        Cross(server, m_graph.GetNicNuma(server, nic), GetNuma(path.gpu), path);
    }
    return path;
}

ServerPath
ServerPaths::GetPathBetween(GpuId from, GpuId to) const
{
    const ServerId server = m_graph.GetServerOf(from);
    ServerPath path;
    path.gpu = to;
    if (HasLinks(server) && m_graph.GetServerSpec(server).nicAccess == NicAccess::PCIE)
    {
        Cross(server, GetNuma(from), GetNuma(to), path);
    }
    return path;
}

std::string
ServerPaths::Describe(ServerId server) const
{
    const uint32_t nodes = m_graph.GetServerSpec(server).numaNodes;
    std::vector<std::vector<uint32_t>> gpus(nodes);
    std::vector<std::array<std::vector<uint32_t>, 2>> nics(nodes);
    for (uint32_t g = 0; g < m_graph.GetServerSpec(server).gpus; ++g)
    {
        gpus[GetNuma(m_graph.GetGpu(server, g))].push_back(g);
    }
    for (const EdgeKind kind : {EdgeKind::PACKET, EdgeKind::FIBER})
    {
        for (const uint32_t nic : m_graph.GetNics(server, kind))
        {
            nics[m_graph.GetNicNuma(server, nic)][static_cast<std::size_t>(kind)].push_back(nic);
        }
    }
    std::string text;
    for (uint32_t n = 0; n < nodes; ++n)
    {
        text += (n == 0 ? "NUMA node " : "; NUMA node ") + std::to_string(n) + ": GPUs " +
                ListRanges(gpus[n]) + ", packet NICs " + ListRanges(nics[n][0]) + ", fiber NICs " +
                ListRanges(nics[n][1]);
    }
    return text;
}

} // namespace ns3
