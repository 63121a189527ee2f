/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "job-demand.h"

#include "ns3/context-exchange.h"
#include "ns3/gate-traffic.h"
#include "ns3/gradient-sync.h"
#include "ns3/mixnet-error.h"
#include "ns3/stage-program.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// Sort, merge equal pairs, divide, drop what is empty or stays in its server.
void
Normalize(std::vector<ServerPairBytes>& pairs, uint64_t divisor)
{
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
        return a.source != b.source ? a.source < b.source : a.destination < b.destination;
    });
    std::vector<ServerPairBytes> merged;
    for (const ServerPairBytes& pair : pairs)
    {
        if (!merged.empty() && merged.back().source == pair.source &&
            merged.back().destination == pair.destination)
        {
            merged.back().bytes += pair.bytes;
        }
        else if (pair.source != pair.destination)
        {
            merged.push_back(pair);
        }
    }
    pairs.clear();
    for (ServerPairBytes& pair : merged)
    {
        pair.bytes /= divisor;
        if (pair.bytes > 0)
        {
            pairs.push_back(pair);
        }
    }
}

/// @return MoE layers of a stage
uint32_t
CountMoeLayers(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    uint32_t layers = 0;
    for (const uint32_t l : layout.GetLayersOf(stage))
    {
        layers += job.model.IsMoe(l);
    }
    return layers;
}

/// All-to-alls of one group in all iterations, both ways.
void
AddGroupTraffic(const TrainingJob& job,
                const ParallelLayout& layout,
                GateTraffic& gate,
                uint32_t replica,
                uint32_t stage,
                Matrix<uint64_t>& sum)
{
    TrafficMatrix traffic;
    const uint64_t times = job.GetAllToAllsPerLayer() / 2; // in either direction
    const auto& servers = layout.GetGroups()[layout.GetGroupIndex(replica, stage)].expertServers;
    std::vector<std::size_t> firstRank; // of its server, by rank
    for (const ServerId server : servers)
    {
        firstRank.push_back(std::find(servers.begin(), servers.end(), server) - servers.begin());
    }
    const std::vector<uint32_t> layers = layout.GetLayersOf(stage);
    for (uint32_t iteration = 0; iteration < job.iterations; ++iteration)
    {
        for (const uint32_t l : layers)
        {
            for (uint32_t m = 0; m < job.microBatches && job.model.IsMoe(l); ++m)
            {
                const uint32_t moeLayer = l - job.model.GetDenseLayers();
                gate.Route({iteration, moeLayer, replica, m}, stage, traffic);
                for (const bool back : {false, true})
                {
                    traffic.ForEachServerPair(
                        firstRank,
                        back,
                        [&sum, times](std::size_t from, std::size_t to, uint64_t bytes) {
                            sum(from, to) += times * bytes;
                        });
                }
            }
        }
    }
}

/// @param group group @param sum bytes by first ranks of its servers @param pairs appended to
void
AppendExpertPairs(const StageGroup& group,
                  const Matrix<uint64_t>& sum,
                  std::vector<ServerPairBytes>& pairs)
{
    for (std::size_t s = 0; s < sum.Rows(); ++s)
    {
        for (std::size_t d = 0; d < sum.Columns(); ++d)
        {
            pairs.push_back({group.expertServers[s], group.expertServers[d], sum(s, d)});
        }
    }
}

/// Exchanges of a group's keys and values, and of their gradients, in one iteration.
void
AddContextPairs(const TrainingJob& job,
                const ParallelLayout& layout,
                const StageGroup& group,
                uint32_t stage,
                uint32_t steppedUpTo,
                std::vector<ServerPairBytes>& pairs)
{
    const uint64_t times = uint64_t(layout.GetLayersOf(stage).size()) * job.microBatches;
    const int gathers = IsRecomputed(job.recompute, OpKind::CONTEXT_EXCHANGE) ? 3 : 2;
    for (const auto& [phase, perLayer] :
         {std::make_pair(ContextPhase::GATHER, gathers), std::make_pair(ContextPhase::SCATTER, 1)})
    {
        TransferGraph graph;
        AppendContextExchange(graph, job, group, phase, steppedUpTo);
        for (const Transfer& t : graph.GetTransfers())
        {
            pairs.push_back({layout.GetServer(t.source),
                             layout.GetServer(t.destination),
                             t.bytes.Get() * perLayer * times});
        }
    }
}

} // namespace

JobDemand
GetAverageDemand(const TrainingJob& job,
                 const ParallelLayout& layout,
                 const GateModel& gate,
                 uint32_t steppedUpTo)
{
    JobDemand demand;
    const ParallelDegrees& degrees = layout.GetDegrees();
    GateTraffic traffic(job, layout, gate);
    for (uint32_t stage = 0; stage < degrees.pipeline; ++stage)
    {
        for (uint32_t replica = 0; replica < degrees.data; ++replica)
        {
            const auto& group = layout.GetGroups()[layout.GetGroupIndex(replica, stage)];
            const uint32_t ranks = degrees.GetExpertRanks();
            Matrix<uint64_t> sum(ranks, ranks);
            if (ranks > 1)
            {
                AddGroupTraffic(job, layout, traffic, replica, stage, sum);
                AppendExpertPairs(group, sum, demand.expert);
            }
            if (degrees.context > 1)
            {
                AddContextPairs(job, layout, group, stage, steppedUpTo, demand.context);
            }
            // Chunks go around the stages: the last one hands over to the first, once less.
            const bool last = stage + 1 == degrees.pipeline;
            const uint64_t times = degrees.chunks - (last ? 1 : 0);
            for (uint32_t rank = 0; rank < degrees.expert && times > 0; ++rank)
            {
                const uint32_t peer = last ? 0 : stage + 1;
                const ServerId next = layout.GetServer(layout.GetGpu(replica, peer, rank));
                const uint64_t bytes = job.GetStageBytes() * job.microBatches * times;
                demand.pipeline.push_back({group.servers[rank], next, bytes});
                demand.pipeline.push_back({next, group.servers[rank], bytes});
            }
        }
        TransferGraph graph;
        AppendGradientSync(graph, job, layout, stage, steppedUpTo);
        for (const Transfer& t : graph.GetTransfers())
        {
            demand.data.push_back(
                {layout.GetServer(t.source), layout.GetServer(t.destination), t.bytes.Get()});
        }
    }
    Normalize(demand.expert, job.iterations);
    Normalize(demand.data, 1);
    Normalize(demand.pipeline, 1);
    Normalize(demand.context, 1);
    return demand;
}

void
AddDemand(const std::vector<ServerPairBytes>& pairs,
          const std::vector<ServerId>& servers,
          uint64_t divisor,
          DemandMatrix& demand)
{
    MIXNET_CHECK(divisor > 0, "demand divided by zero");
    if (demand.Rows() != servers.size() || demand.Columns() != servers.size())
    {
        demand = DemandMatrix(servers.size(), servers.size());
    }
    std::vector<uint32_t> index;
    for (uint32_t i = 0; i < servers.size(); ++i)
    {
        index.resize(std::max<std::size_t>(index.size(), servers[i].Get() + 1), UINT32_MAX);
        index[servers[i].Get()] = i;
    }
    const auto find = [&index](ServerId s) {
        return s.Get() < index.size() ? index[s.Get()] : UINT32_MAX;
    };
    for (const ServerPairBytes& pair : pairs)
    {
        const uint32_t from = find(pair.source);
        const uint32_t to = find(pair.destination);
        if (from != UINT32_MAX && to != UINT32_MAX)
        {
            demand(from, to) += pair.bytes / divisor;
        }
    }
}

uint64_t
CountAllToAlls(const TrainingJob& job, const ParallelLayout& layout)
{
    if (layout.GetDegrees().GetExpertRanks() < 2)
    {
        return 0;
    }
    return job.GetAllToAllsPerLayer() * uint64_t(job.model.moeLayers) * layout.GetDegrees().data *
           job.microBatches;
}

uint64_t
CountAllToAlls(const TrainingJob& job, const ParallelLayout& layout, RegionId region)
{
    uint64_t count = 0;
    for (uint32_t replica = 0; replica < layout.GetDegrees().data; ++replica)
    {
        for (uint32_t stage = 0; stage < layout.GetDegrees().pipeline; ++stage)
        {
            const auto& group = layout.GetGroups()[layout.GetGroupIndex(replica, stage)];
            for (const GroupRegion& part : group.regions)
            {
                if (part.region == region)
                {
                    count += job.GetAllToAllsPerLayer() *
                             uint64_t(CountMoeLayers(job, layout, stage)) * job.microBatches;
                }
            }
        }
    }
    return count;
}

} // namespace ns3
