/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Settings of flow lists and task graphs: a scenario without a training job.

#include "scenario-reader.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

ScenarioReader::ScenarioReader(const std::string& workloads, const ScenarioOverrides& overrides)
    : m_path("command line"),
      m_workloads(workloads),
      m_root(m_path, &m_scenario.settings)
{
    m_root.Override(overrides);
}

void
ScenarioReader::PlaceReplay(const ReplayKind& kind)
{
    ClusterConfig& cluster = m_scenario.cluster;
    const std::string where = m_root.Where("cluster.servers");
    const uint64_t needed = (kind.gpus + cluster.gpusPerServer - 1) / cluster.gpusPerServer;
    if (needed > 1000000)
    {
        throw InputError(kind.file,
                         "needs " + std::to_string(needed) + " servers",
                         "1000000 at most");
    }
    if (cluster.servers == 0 && kind.wholeServers && kind.gpus % cluster.gpusPerServer != 0)
    {
        throw InputError(where,
                         kind.what + " do not fill servers of " +
                             std::to_string(cluster.gpusPerServer) + " GPUs",
                         "cluster.servers=" + std::to_string(needed) +
                             " to leave GPUs idle, or another cluster.gpusPerServer");
    }
    if (cluster.servers == 0)
    {
        cluster.servers = static_cast<uint32_t>(std::max<uint64_t>(needed, 1));
    }
    else if (cluster.servers < needed && !(kind.serversWillDo && cluster.servers >= kind.gpus))
    {
        throw InputError(where,
                         std::to_string(cluster.servers) + " servers x " +
                             std::to_string(cluster.gpusPerServer) + " GPUs for " + kind.what,
                         std::to_string(needed) + " servers or more");
    }
    // A region of one EP group is a matter of training jobs.
    if (m_scenario.optical.serversPerRegion == 0)
    {
        m_scenario.optical.serversPerRegion = std::min(8U, cluster.servers);
    }
}

Scenario
ScenarioReader::ReadReplay(const ReplayKind& kind)
{
    m_replay = true;
    ReadHead(kind.name);
    if (kind.imported)
    {
        m_scenario.cluster.switchBuffer =
            m_root.GetObject("cluster").GetBytes("switchBuffer", "64MiB");
        FabricConfig fabric;
        fabric.type = "imported";
        fabric.name = kind.fabric;
        m_scenario.fabrics.push_back(fabric);
        ReadEndpoints();
    }
    else
    {
        ReadCluster();
        PlaceReplay(kind);
        ReadEndpoints();
        if (!m_root.Has("fabrics"))
        {
            m_root.Override("fabrics", "fat-tree");
        }
        ReadFabrics();
        CheckLossBudget(m_scenario, m_root.Where("fidelity"));
    }
    ReadFaults(0);
    m_root.Finish();
    return m_scenario;
}

Scenario
ReadReplayScenario(const std::string& path,
                   const std::string& workloads,
                   const ScenarioOverrides& overrides,
                   const ReplayKind& kind)
{
    if (path.empty())
    {
        return ScenarioReader(workloads, overrides).ReadReplay(kind);
    }
    return ScenarioReader(path, workloads, overrides).ReadReplay(kind);
}

} // namespace ns3
