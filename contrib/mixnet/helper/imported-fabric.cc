/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "imported-fabric.h"

#include "ns3/mixnet-error.h"
#include "ns3/topology-generator.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param file topology @param graph out: its servers
void
AddServers(const TopologyFile& file, FabricGraph& graph)
{
    for (std::size_t s = 0; s < file.gpus.size(); ++s)
    {
        ServerSpec spec;
        spec.gpus = file.gpus[s];
        spec.numaNodes = 1;
        if (file.scaleUpRate[s] > 0)
        {
            spec.scaleUpRate = DataRate(file.scaleUpRate[s]);
        }
        else if (spec.gpus > 1)
        {
            throw InputError(file.path + ": /topology/servers row " + std::to_string(s),
                             "has " + std::to_string(spec.gpus) +
                                 " GPUs and no scale-up links between them",
                             "a scale_up_rate above 0, or servers of one host");
        }
        graph.AddServer(spec);
    }
}

/// @param file topology @param node packet switch or not @return half of its delay, ps
uint64_t
HalfDelay(const TopologyFile& file, uint32_t node)
{
    return file.kind[node] == TopologyFile::SWITCH ? file.nodeDelay[node] / 2 : 0;
}

} // namespace

ImportedFabric::ImportedFabric(const TopologyFile& file)
    : m_graph(CreateObject<FabricGraph>()),
      m_path(file.path)
{
    AddServers(file, *m_graph);
    std::vector<VertexId> vertex(file.id.size());
    for (std::size_t n = 0; n < file.id.size(); ++n)
    {
        if (file.kind[n] == TopologyFile::SWITCH)
        {
            vertex[n] = m_graph->AddSwitch(std::max(file.tier[n], 1U),
                                           "switch " + std::to_string(file.id[n]));
        }
        else if (file.IsHost(n))
        {
            vertex[n] = m_graph->GetVertex(ServerId(file.nodeServer[n]));
        }
        m_hosts.emplace(file.id[n], file.host[n]);
    }
    bool lossy = false;
    for (std::size_t l = 0; l < file.a.size(); ++l)
    {
        if (file.scaleUp[l] == 1)
        {
            continue;
        }
        EdgeSpec spec;
        spec.rate = DataRate(file.rate[l]);
        spec.delay =
            PicoSeconds(file.delay[l] + HalfDelay(file, file.a[l]) + HalfDelay(file, file.b[l]));
        m_graph->AddEdge(vertex[file.a[l]], vertex[file.b[l]], spec);
        m_errorRates.push_back(file.errorRate[l]);
        lossy = lossy || file.errorRate[l] > 0;
        for (const uint32_t n : {file.a[l], file.b[l]})
        {
            if (file.IsHost(n))
            {
                const uint32_t nic = m_graph->GetNPorts(vertex[n]) - 1;
                const uint32_t server = file.nodeServer[n];
                m_graph->SetNicOwner(ServerId(server),
                                     nic,
                                     file.host[n] - file.firstHost[server],
                                     0);
            }
        }
    }
    if (!lossy)
    {
        m_errorRates.clear();
    }
}

std::string
ImportedFabric::Describe() const
{
    return "topology of " + m_path + "\n" + DescribeFabric(*m_graph);
}

GpuId
ImportedFabric::GetGpu(uint64_t id, const std::string& where) const
{
    const auto it = m_hosts.find(id);
    if (it == m_hosts.end() || it->second == TopologyFile::NONE)
    {
        throw InputError(where,
                         "names node " + std::to_string(id) +
                             (it == m_hosts.end() ? ", which is not in " : ", a switch of ") +
                             m_path,
                         "a host or GPU of the topology");
    }
    const GpuId gpu(it->second);
    if (m_graph->GetNPorts(m_graph->GetVertex(m_graph->GetServerOf(gpu))) == 0)
    {
        throw InputError(where, "names node " + std::to_string(id) + ", which has no link");
    }
    return gpu;
}

} // namespace ns3
