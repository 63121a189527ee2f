/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "parallel-layout.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <set>

namespace ns3
{

namespace
{

/// @return "56 layers over 16 stages: 8 of 4, 8 of 3"
std::string
DescribeUneven(const EvenSplit& split, const std::string& what, const std::string& over)
{
    const uint32_t longer = split.GetTotal() % split.GetParts();
    const uint32_t count = split.GetTotal() / split.GetParts();
    return std::to_string(split.GetTotal()) + " " + what + " over " +
           std::to_string(split.GetParts()) + " " + over + ": " + std::to_string(longer) + " of " +
           std::to_string(count + 1) + ", " + std::to_string(split.GetParts() - longer) + " of " +
           std::to_string(count);
}

} // namespace

ParallelLayout::ParallelLayout(const TrainingJob& job,
                               const FabricGraph& graph,
                               const std::string& where,
                               GpuMap map,
                               uint32_t idle)
    : m_degrees(job.degrees),
      m_map(std::move(map)),
      m_layers(job.model.layers, job.degrees.GetParts()),
      m_experts(std::max(job.model.experts, 1U), job.degrees.GetExpertRanks()),
      m_placement(m_experts),
      m_nServers(graph.GetNServers())
{
    CheckDegrees(job, where);
    if (m_degrees.GetGpus() + idle != graph.GetNGpus())
    {
        throw InputError(where + ": parallel.dp, tp, pp, ep",
                         m_degrees.Describe() + " GPUs, the cluster has " +
                             std::to_string(graph.GetNGpus() - idle),
                         "degrees whose product is the number of GPUs");
    }
    for (const LayoutAxis a : m_degrees.order.GetAxes())
    {
        m_stride[static_cast<std::size_t>(a)] = m_degrees.GetStride(a);
    }
    PlaceGpus(graph, where);
    if (job.GetKeyCopies() > 1)
    {
        m_notes.push_back(std::to_string(job.model.kvHeads) + " key and value heads on " +
                          std::to_string(m_degrees.tensor) + " TP ranks: " +
                          std::to_string(job.GetKeyCopies()) + " ranks hold the same");
    }
    if (!m_layers.IsEven())
    {
        m_notes.push_back(
            DescribeUneven(m_layers, "layers", m_degrees.chunks > 1 ? "virtual stages" : "stages"));
    }
    if (job.model.moeLayers > 0 && !m_experts.IsEven())
    {
        m_notes.push_back(DescribeUneven(m_experts, "experts", "EP ranks"));
    }
}

void
ParallelLayout::CheckDegrees(const TrainingJob& job, const std::string& where) const
{
    if (job.model.moeLayers > 0 && m_degrees.GetExpertRanks() > job.model.experts)
    {
        throw InputError(where + ": parallel.ep",
                         "EP " + std::to_string(m_degrees.GetExpertRanks()) + " ranks for " +
                             std::to_string(job.model.experts) + " experts",
                         "1 to " + std::to_string(job.model.experts));
    }
    if (m_degrees.GetParts() > job.model.layers)
    {
        const std::string chunks =
            m_degrees.chunks > 1 ? " x VPP " + std::to_string(m_degrees.chunks) : "";
        throw InputError(where + ": parallel.pp",
                         "PP " + std::to_string(m_degrees.pipeline) + chunks + " stages for " +
                             std::to_string(job.model.layers) + " layers",
                         "1 to " + std::to_string(job.model.layers));
    }
}

std::vector<uint32_t>
ParallelLayout::GetLayersOf(uint32_t stage) const
{
    std::vector<uint32_t> layers;
    for (uint32_t chunk = 0; chunk < m_degrees.chunks; ++chunk)
    {
        const uint32_t part = GetPart(stage, chunk);
        for (uint32_t i = 0; i < m_layers.GetCount(part); ++i)
        {
            layers.push_back(m_layers.GetFirst(part) + i);
        }
    }
    return layers;
}

GpuId
ParallelLayout::GetGpu(uint32_t replica, uint32_t stage, uint32_t rank, uint32_t lane) const
{
    if (!m_map.blocks.empty())
    {
        return GpuId(m_map.blocks[GetGroupIndex(replica, stage) * m_degrees.expert + rank].Get() +
                     lane);
    }
    const auto step = [this](LayoutAxis a, uint32_t index) {
        return m_stride[static_cast<std::size_t>(a)] * index;
    };
    return GpuId(step(LayoutAxis::TP, lane) + step(LayoutAxis::CP, rank % m_degrees.context) +
                 step(LayoutAxis::EP, rank / m_degrees.context) + step(LayoutAxis::PP, stage) +
                 step(LayoutAxis::DP, replica));
}

std::vector<GpuId>
ParallelLayout::GetBlocks() const
{
    std::vector<GpuId> blocks;
    for (const StageGroup& group : m_groups)
    {
        blocks.insert(blocks.end(), group.ranks.begin(), group.ranks.end());
    }
    return blocks;
}

std::optional<GpuPlace>
ParallelLayout::FindPlace(GpuId gpu) const
{
    GpuId home = gpu;
    for (const auto& [from, to] : m_map.moved)
    {
        home = to == gpu ? from : home;
    }
    if (m_map.Find(home) != gpu)
    {
        return std::nullopt; // its work is done elsewhere
    }
    for (uint32_t g = 0; g < m_groups.size(); ++g)
    {
        const std::vector<GpuId>& ranks = m_groups[g].ranks;
        for (uint32_t rank = 0; rank < ranks.size(); ++rank)
        {
            if (!(home < ranks[rank]) && home.Get() - ranks[rank].Get() < m_degrees.tensor)
            {
                return GpuPlace{g / m_degrees.pipeline,
                                g % m_degrees.pipeline,
                                rank,
                                home.Get() - ranks[rank].Get()};
            }
        }
    }
    return std::nullopt;
}

void
ParallelLayout::PlaceGpus(const FabricGraph& graph, const std::string& where)
{
    const uint32_t gpus = graph.GetNGpus();
    m_serverOfGpu.reserve(gpus);
    for (uint32_t g = 0; g < gpus; ++g)
    {
        m_serverOfGpu.push_back(graph.GetServerOf(GpuId(g)));
        if (graph.GetLocalIndex(GpuId(g)) == 0)
        {
            m_firstGpu.emplace_back(g);
        }
    }
    m_scaleUpRate = graph.GetServerSpec(ServerId(0)).scaleUpRate;
    for (uint32_t s = 0; s < m_nServers; ++s)
    {
        m_regionOfServer.push_back(graph.GetRegion(ServerId(s)));
        m_scaleUpRate = std::min(m_scaleUpRate, graph.GetServerSpec(ServerId(s)).scaleUpRate);
    }
    for (uint32_t first = 0; first < gpus && m_map.blocks.empty(); first += m_degrees.tensor)
    {
        const ServerId server = m_serverOfGpu[first];
        const ServerId last = m_serverOfGpu[first + m_degrees.tensor - 1];
        if (server != last)
        {
            throw InputError(where + ": parallel.tp",
                             "the TP block of GPUs " + std::to_string(first) + " to " +
                                 std::to_string(first + m_degrees.tensor - 1) +
                                 " lies in servers " + std::to_string(server.Get()) + " and " +
                                 std::to_string(last.Get()) + " of " +
                                 std::to_string(graph.GetServerSpec(server).gpus) + " GPUs",
                             "a TP that divides the GPUs of every server");
        }
    }
    m_groups.resize(std::size_t(m_degrees.data) * m_degrees.pipeline);
    for (uint32_t replica = 0; replica < m_degrees.data; ++replica)
    {
        for (uint32_t stage = 0; stage < m_degrees.pipeline; ++stage)
        {
            StageGroup& group = m_groups[GetGroupIndex(replica, stage)];
            for (uint32_t rank = 0; rank < m_degrees.expert; ++rank)
            {
                group.ranks.push_back(GetGpu(replica, stage, rank));
                group.servers.push_back(GetServer(group.ranks.back()));
                for (uint32_t lane = 0; lane < m_degrees.tensor;
                     lane += m_degrees.GetExpertTensor())
                {
                    group.expertRanks.push_back(GetGpu(replica, stage, rank, lane));
                    group.expertServers.push_back(group.servers.back());
                }
            }
            FindRegions(graph, group);
        }
    }
}

bool
ParallelLayout::HasGpu(const StageGroup& group, GpuId gpu) const
{
    return std::any_of(group.ranks.begin(), group.ranks.end(), [&](GpuId first) {
        return !(gpu < first) && gpu.Get() - first.Get() < m_degrees.tensor;
    });
}

void
ParallelLayout::FindRegions(const FabricGraph& graph, StageGroup& group) const
{
    std::set<RegionId> regions;
    for (const ServerId server : group.servers)
    {
        if (graph.GetRegion(server).IsValid())
        {
            regions.insert(graph.GetRegion(server));
        }
    }
    for (const RegionId region : regions)
    {
        const std::vector<ServerId>& servers = graph.GetRegionServers(region);
        GroupRegion part;
        part.region = region;
        part.servers = static_cast<uint32_t>(servers.size());
        std::set<uint32_t> used;
        for (const ServerId server : group.expertServers)
        {
            const auto it = std::find(servers.begin(), servers.end(), server);
            const bool inside = it != servers.end();
            part.serverOfRank.push_back(inside ? static_cast<uint32_t>(it - servers.begin())
                                               : GroupRegion::OUTSIDE);
            if (inside)
            {
                used.insert(part.serverOfRank.back());
            }
        }
        if (!m_map.moved.empty())
        {
            part.members = servers;
            for (const auto& [home, spare] : m_map.moved)
            {
                if (HasGpu(group, home) && part.Find(GetServer(spare)) != GroupRegion::OUTSIDE)
                {
                    used.insert(part.Find(GetServer(spare)));
                }
            }
        }
        if (used.size() > 1)
        {
            group.regions.push_back(std::move(part));
        }
    }
}

void
ParallelLayout::SetPlacement(ExpertPlacement placement, const std::string& note)
{
    MIXNET_CHECK(placement.GetNRanks() == m_experts.GetParts() &&
                     placement.GetNExperts() == m_experts.GetTotal(),
                 "a placement of " << placement.GetNExperts() << " experts on "
                                   << placement.GetNRanks() << " ranks");
    MIXNET_CHECK(m_degrees.ranksPerBlock == 1 || placement.IsEven(),
                 "EP ranks of a TP block with different numbers of experts");
    m_placement = std::move(placement);
    if (!note.empty())
    {
        m_notes.push_back(note);
    }
}

uint32_t
ParallelLayout::GetNRegions() const
{
    std::set<RegionId> regions;
    for (const StageGroup& group : m_groups)
    {
        for (const GroupRegion& part : group.regions)
        {
            regions.insert(part.region);
        }
    }
    return static_cast<uint32_t>(regions.size());
}

} // namespace ns3
