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
    for (ServerMembers& s : servers)
    {
        std::sort(s.first.begin(), s.first.end());
    }
    return servers;
}

/// @return number of members that lie side by side, from `begin` on
uint32_t
CountAdjacent(const std::vector<GpuId>& first, std::size_t begin, uint32_t tensor)
{
    std::size_t end = begin + 1;
    while (end < first.size() && first[end].Get() == first[end - 1].Get() + tensor)
    {
        ++end;
    }
    return static_cast<uint32_t>(end - begin);
}

/// Rings around servers that use as many members of each as they can: members that lie side by
/// side are the lanes of one.
struct ServerRings
{
    uint32_t adjacent{UINT32_MAX}; //!< members of a lane block
    uint32_t count{1};             //!< rings; ring i starts at member i x adjacent of a server
};

/// @return rings around servers
ServerRings
FindRings(const std::vector<ServerMembers>& servers, uint32_t tensor)
{
    ServerRings rings;
    std::size_t members = SIZE_MAX;
    for (const ServerMembers& s : servers)
    {
        rings.adjacent = std::min(rings.adjacent, CountAdjacent(s.first, 0, tensor));
        members = std::min(members, s.first.size());
    }
    const auto count = static_cast<uint32_t>(members / rings.adjacent);
    for (const ServerMembers& s : servers)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            if (CountAdjacent(s.first, std::size_t(i) * rings.adjacent, tensor) < rings.adjacent)
            {
                return rings;
            }
        }
    }
    rings.count = servers.size() > 1 ? count : 1;
    return rings;
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

/// What the job asks for, around servers. @param ring servers and bytes
/// @return the ends, by server
CollectiveEnds
AppendBetween(TransferGraph& graph,
              const RingSpec& ring,
              ReduceStep step,
              const TrainingJob& job,
              const ParallelLayout& layout,
              const std::vector<TransferGraph::Node>& after)
{
    if (job.gradientSync == GradientAlgorithm::RING && step == ReduceStep::ALL_REDUCE)
    {
        return AppendRingAllReduce(graph, ring, after);
    }
    CollectiveSpec spec;
    spec.members = ring.members;
    spec.lanes = ring.lanes;
    spec.bytes = ring.bytes;
    spec.trafficClass = ring.trafficClass;
    if (job.gradientSync == GradientAlgorithm::RING)
    {
        spec.steppedUpTo = ring.steppedUpTo;
    }
    else
    {
        spec.chunk = job.gradientChunk;
    }
    if (job.gradientSync == GradientAlgorithm::TREE)
    {
        MIXNET_CHECK(step == ReduceStep::ALL_REDUCE, "half an all-reduce by trees");
        return AppendTreeAllReduce(graph, spec, after);
    }
    if (job.gradientSync == GradientAlgorithm::TWO_LEVEL)
    {
        spec.groups = GroupPlaces(layout, ring.members);
    }
    return step == ReduceStep::REDUCE_SCATTER ? AppendReduceScatter(graph, spec, after)
           : step == ReduceStep::ALL_GATHER   ? AppendAllGather(graph, spec, after)
                                              : AppendAllReduce(graph, spec, after);
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
    for (const ServerMembers& s : servers)
    {
        spec.ring.members.push_back(s.first.front());
        spec.localMembers = std::max(spec.localMembers, static_cast<uint32_t>(s.first.size()));
    }
    const ServerRings rings = FindRings(servers, tensor);
    spec.ring.lanes = rings.adjacent * tensor;
    spec.ring.bytes = bytes;
    spec.ring.steppedUpTo = steppedUpTo;
    spec.localBytes = ByteCount((bytes.Get() + tensor - 1) / tensor);
    spec.localLanes = tensor;
    spec.scaleUpRate = layout.GetScaleUpRate();
    spec.between = [&](TransferGraph& g, const std::vector<TransferGraph::Node>& after) {
        CollectiveEnds all(servers.size());
        RingSpec ring = spec.ring;
        for (uint32_t i = 0; i < rings.count; ++i)
        {
            ring.bytes =
                ByteCount(bytes.Get() / rings.count + (i < bytes.Get() % rings.count ? 1 : 0));
            for (std::size_t s = 0; s < servers.size(); ++s)
            {
                ring.members[s] = servers[s].first[std::size_t(i) * rings.adjacent];
            }
            const CollectiveEnds ends = AppendBetween(g, ring, step, job, layout, after);
            for (std::size_t s = 0; s < servers.size(); ++s)
            {
                all[s].insert(all[s].end(), ends[s].begin(), ends[s].end());
            }
        }
        return all;
    };
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
