/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "gradient-sync.h"

#include "ns3/collective-builders.h"
#include "ns3/collectives.h"

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

/// @return EP ranks of a stage's experts, by the number of (layer, expert) that are on just these
std::map<std::vector<uint32_t>, uint64_t>
CountExpertsByRanks(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    const ExpertPlacement& placement = layout.GetPlacement();
    std::map<std::vector<uint32_t>, uint64_t> count;
    std::vector<uint32_t> ranks;
    for (const uint32_t layer : layout.GetLayersOf(stage))
    {
        for (uint32_t e = 0; e < placement.GetNExperts() && job.model.IsMoe(layer); ++e)
        {
            const SlotRange slots = placement.GetSlots(layer - job.model.GetDenseLayers(), e);
            ranks.clear();
            for (uint32_t i = 0; i < slots.count; ++i)
            {
                ranks.push_back(placement.GetRank(slots.first[i]));
            }
            ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end()); // ascending
            ++count[ranks];
        }
    }
    return count;
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

/// @param ring servers and bytes @param job what is asked for @param layout where servers are
/// @return the all-reduce of that ring's members that the job asks for; empty for the ring itself
std::function<CollectiveEnds(TransferGraph&, const std::vector<TransferGraph::Node>&)>
MakeBetween(const RingSpec& ring, const TrainingJob& job, const ParallelLayout& layout)
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
    if (job.gradientSync == GradientAlgorithm::TREE)
    {
        return [spec](TransferGraph& graph, const std::vector<TransferGraph::Node>& after) {
            return AppendTreeAllReduce(graph, spec, after);
        };
    }
    std::map<RegionId, std::size_t> index;
    for (uint32_t i = 0; i < ring.members.size(); ++i)
    {
        const RegionId region = layout.GetRegion(layout.GetServer(ring.members[i]));
        const auto [it, isNew] = index.try_emplace(region, spec.groups.size());
        if (isNew)
        {
            spec.groups.emplace_back();
        }
        spec.groups[it->second].push_back(i);
    }
    return [spec](TransferGraph& graph, const std::vector<TransferGraph::Node>& after) {
        return AppendAllReduce(graph, spec, after);
    };
}

/// All-reduce over members of TP blocks. @param bytes all lanes together
void
AppendAllReduce(TransferGraph& graph,
                const TrainingJob& job,
                const ParallelLayout& layout,
                const std::vector<GpuId>& members,
                ByteCount bytes,
                uint32_t steppedUpTo)
{
    if (members.size() < 2 || bytes == ByteCount(0))
    {
        return;
    }
    const uint32_t tensor = layout.GetDegrees().tensor;
    const std::vector<ServerMembers> servers = GroupByServer(layout, members);
    HierarchicalSpec spec;
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
    spec.between = MakeBetween(spec.ring, job, layout);
    AppendHierarchicalAllReduce(graph, spec);
}

} // namespace

GradientBytes
GetGradientBytes(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage)
{
    const ModelSpec& m = job.model;
    uint64_t shared = 0;
    for (const uint32_t layer : layout.GetLayersOf(stage))
    {
        shared += m.GetAttentionParameters();
        shared += m.IsMoe(layer) ? m.GetGateParameters() + m.GetSharedParameters()
                                 : m.GetDenseParameters();
    }
    if (stage == 0)
    {
        shared += m.GetVocabularyParameters();
    }
    if (stage + 1 == layout.GetDegrees().pipeline)
    {
        shared += m.GetVocabularyParameters();
    }
    GradientBytes bytes;
    bytes.shared = ByteCount(shared * m.bytesPerGradient);
    bytes.expert.resize(layout.GetDegrees().expert);
    for (const auto& [ranks, experts] : CountExpertsByRanks(job, layout, stage))
    {
        const ByteCount all(experts * m.GetExpertParameters() * m.bytesPerGradient);
        if (ranks.size() == 1)
        {
            bytes.expert[ranks.front()] = all;
        }
        else
        {
            bytes.replicated.push_back({ranks, all});
        }
    }
    return bytes;
}

void
AppendGradientSync(TransferGraph& graph,
                   const TrainingJob& job,
                   const ParallelLayout& layout,
                   uint32_t stage,
                   uint32_t steppedUpTo)
{
    const GradientBytes bytes = GetGradientBytes(job, layout, stage);
    const ParallelDegrees& degrees = layout.GetDegrees();
    std::vector<uint32_t> all(degrees.expert);
    std::iota(all.begin(), all.end(), 0U);
    const auto append = [&](const std::vector<uint32_t>& ranks, ByteCount size) {
        AppendAllReduce(graph, job, layout, GetMembers(layout, stage, ranks), size, steppedUpTo);
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

} // namespace ns3
