/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-sync.h"

#include "ns3/collectives.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace ns3
{

namespace
{

/// Members of one server, as first GPUs of TP blocks.
struct ServerMembers
{
    ServerId server;          //!< the server
    std::vector<GpuId> first; //!< ascending
};

/// @return members by server, in order of appearance
std::vector<ServerMembers>
GroupByServer(const ParallelLayout& layout, const std::vector<GpuId>& members)
{
    std::vector<ServerMembers> servers;
    for (const GpuId gpu : members)
    {
        const ServerId server = layout.GetServer(gpu);
        const auto it = std::find_if(servers.begin(), servers.end(), [server](const auto& s) {
            return s.server == server;
        });
        if (it == servers.end())
        {
            servers.push_back({server, {gpu}});
        }
        else
        {
            it->first.push_back(gpu);
        }
    }
    return servers;
}

/// @return number of members that lie side by side, from the first on
uint32_t
CountAdjacent(const std::vector<GpuId>& first, uint32_t tensor)
{
    uint32_t n = 1;
    while (n < first.size() && first[n].Get() == first[n - 1].Get() + tensor)
    {
        ++n;
    }
    return n;
}

/// @return first GPUs of EP ranks of a stage, in all replicas
std::vector<GpuId>
GetMembers(const ParallelLayout& layout, uint32_t stage, const std::vector<uint32_t>& ranks)
{
    std::vector<GpuId> members;
    for (uint32_t replica = 0; replica < layout.GetDegrees().data; ++replica)
    {
        for (const uint32_t rank : ranks)
        {
            members.push_back(layout.GetGpu(replica, stage, rank));
        }
    }
    return members;
}

/// @return by region: places in `members`
std::vector<std::vector<uint32_t>>
GroupPlaces(const ParallelLayout& layout, const std::vector<GpuId>& members)
{
    std::vector<std::vector<uint32_t>> groups;
    std::map<RegionId, std::size_t> index;
    for (uint32_t i = 0; i < members.size(); ++i)
    {
        const RegionId region = layout.GetRegion(layout.GetServer(members[i]));
        const auto [it, isNew] = index.try_emplace(region, groups.size());
        if (isNew)
        {
            groups.emplace_back();
        }
        groups[it->second].push_back(i);
    }
    return groups;
}

/// @param ring servers and bytes @param step what is done @param job what is asked for
/// @param layout where servers are @return the collective of that ring's members that the job asks
/// for; empty for the ring itself
std::function<CollectiveEnds(TransferGraph&, const std::vector<TransferGraph::Node>&)>
MakeBetween(const RingSpec& ring,
            ReduceStep step,
            const TrainingJob& job,
            const ParallelLayout& layout)
{
    if (job.gradientSync == GradientAlgorithm::RING)
    {
        return {};
    }
    CollectiveSpec spec;
    spec.members = ring.members;
    spec.lanes = ring.lanes;
    spec.bytes = ring.bytes;
    spec.trafficClass = ring.trafficClass;
    spec.chunk = job.gradientChunk;
    auto* append = step == ReduceStep::REDUCE_SCATTER ? &AppendReduceScatter
                   : step == ReduceStep::ALL_GATHER   ? &AppendAllGather
                                                      : &AppendAllReduce;
    if (job.gradientSync == GradientAlgorithm::TREE)
    {
        MIXNET_CHECK(step == ReduceStep::ALL_REDUCE, "half an all-reduce by trees");
        append = &AppendTreeAllReduce;
    }
    else
    {
        spec.groups = GroupPlaces(layout, ring.members);
    }
    return [spec, append](TransferGraph& graph, const std::vector<TransferGraph::Node>& after) {
        return append(graph, spec, after);
    };
}

/// @param members members of TP blocks @param bytes all lanes together
void
AppendOver(TransferGraph& graph,
           const TrainingJob& job,
           const ParallelLayout& layout,
           const std::vector<GpuId>& members,
           ByteCount bytes,
           ReduceStep step,
           uint32_t steppedUpTo)
{
    if (members.size() < 2 || bytes == ByteCount(0))
    {
        return;
    }
    const uint32_t tensor = layout.GetDegrees().tensor;
    const std::vector<ServerMembers> servers = GroupByServer(layout, members);
    HierarchicalSpec spec;
    spec.step = step;
    uint32_t adjacent = UINT32_MAX;
    for (const ServerMembers& s : servers)
    {
        spec.ring.members.push_back(s.first.front());
        spec.localMembers = std::max(spec.localMembers, static_cast<uint32_t>(s.first.size()));
        adjacent = std::min(adjacent, CountAdjacent(s.first, tensor));
    }
    spec.ring.lanes = adjacent * tensor;
    spec.ring.bytes = bytes;
    spec.ring.steppedUpTo = steppedUpTo;
    spec.localBytes = ByteCount((bytes.Get() + tensor - 1) / tensor);
    spec.localLanes = tensor;
    spec.scaleUpRate = layout.GetScaleUpRate();
    spec.between = MakeBetween(spec.ring, step, job, layout);
    AppendHierarchical(graph, spec);
}

} // namespace

void
AppendGradientStep(TransferGraph& graph,
                   const TrainingJob& job,
                   const ParallelLayout& layout,
                   const GradientBucket& bucket,
                   ReduceStep step,
                   uint32_t steppedUpTo)
{
    const bool gathers = step == ReduceStep::ALL_GATHER;
    const GradientBytes bytes =
        GetBucketBytes(job,
                       layout,
                       bucket,
                       gathers ? job.model.bytesPerParameter : job.model.bytesPerGradient);
    const ParallelDegrees& degrees = layout.GetDegrees();
    std::vector<uint32_t> all(degrees.expert);
    std::iota(all.begin(), all.end(), 0U);
    const auto append = [&](const std::vector<uint32_t>& ranks, ByteCount size) {
        AppendOver(graph,
                   job,
                   layout,
                   GetMembers(layout, bucket.stage, ranks),
                   size,
                   step,
                   steppedUpTo);
    };
    append(all, bytes.shared);
    for (uint32_t rank = 0; rank < degrees.expert; ++rank)
    {
        append({rank}, bytes.expert[rank]);
    }
    for (const ReplicatedBytes& replicated : bytes.replicated)
    {
        append(replicated.ranks, replicated.bytes);
    }
}

void
AppendGradientSync(TransferGraph& graph,
                   const TrainingJob& job,
                   const ParallelLayout& layout,
                   uint32_t stage,
                   uint32_t steppedUpTo)
{
    const GradientBucket whole = GetWholeBucket(job, layout, stage);
    AppendGradientStep(graph, job, layout, whole, GetGradientStep(job), steppedUpTo);
    if (job.optimizerSharding == OptimizerSharding::ZERO1)
    {
        AppendGradientStep(graph, job, layout, whole, ReduceStep::ALL_GATHER, steppedUpTo);
    }
}

} // namespace ns3
