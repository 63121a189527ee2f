/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "context-exchange.h"

#include "stage-program.h"

#include "ns3/collectives.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param servers by rank of a CP group
/// @return ranks by server; none where rings need not look at servers
std::vector<std::vector<uint32_t>>
GroupRanks(const std::vector<ServerId>& servers)
{
    std::vector<ServerId> seen;
    std::vector<std::vector<uint32_t>> groups;
    for (uint32_t rank = 0; rank < servers.size(); ++rank)
    {
        const auto it = std::find(seen.begin(), seen.end(), servers[rank]);
        const auto index = static_cast<std::size_t>(it - seen.begin());
        if (it == seen.end())
        {
            seen.push_back(servers[rank]);
            groups.emplace_back();
        }
        groups[index].push_back(rank);
    }
    if (groups.size() == 1 || groups.size() == servers.size())
    {
        groups.clear();
    }
    return groups;
}

} // namespace

void
AppendContextExchange(TransferGraph& graph,
                      const TrainingJob& job,
                      const StageGroup& group,
                      ContextPhase phase,
                      uint32_t steppedUpTo)
{
    const uint32_t cp = job.degrees.context;
    CollectiveSpec spec;
    spec.lanes = job.degrees.tensor;
    spec.bytes = ByteCount(job.GetKeyBytes() * cp);
    spec.trafficClass = TrafficClass::CP;
    spec.steppedUpTo = steppedUpTo;
    for (std::size_t first = 0; first < group.ranks.size(); first += cp)
    {
        spec.members.assign(group.ranks.begin() + first, group.ranks.begin() + first + cp);
        spec.groups =
            GroupRanks({group.servers.begin() + first, group.servers.begin() + first + cp});
        if (phase == ContextPhase::GATHER)
        {
            AppendAllGather(graph, spec);
        }
        else
        {
            AppendReduceScatter(graph, spec);
        }
    }
}

ByteCount
GetContextBytes(const TrainingJob& job)
{
    const ParallelDegrees& d = job.degrees;
    const uint32_t times = IsRecomputed(job.recompute, OpKind::CONTEXT_EXCHANGE) ? 4 : 3;
    return ByteCount(times * job.GetKeyBytes()) *
           (uint64_t(d.context - 1) * d.expert * d.data * job.microBatches * job.model.layers);
}

} // namespace ns3
