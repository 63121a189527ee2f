/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PARALLEL_LAYOUT_H
#define PARALLEL_LAYOUT_H

#include "even-split.h"
#include "expert-placement.h"
#include "gpu-map.h"
#include "training-job.h"

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// The servers of an EP group that lie in one region.
struct GroupRegion
{
    static constexpr uint32_t OUTSIDE = UINT32_MAX; //!< rank that is not in the region

    RegionId region;                    //!< the region
    uint32_t servers{0};                //!< all its servers: side of its demand matrix
    std::vector<uint32_t> serverOfRank; //!< by EP rank: index into the region's servers
    std::vector<ServerId> members{};    //!< its servers; empty unless the job has moved GPUs

    /// @param server a server @return its index, or OUTSIDE; for a job that has moved GPUs
    uint32_t Find(ServerId server) const
    {
        const auto it = std::find(members.begin(), members.end(), server);
        return it == members.end() ? OUTSIDE : static_cast<uint32_t>(it - members.begin());
    }
};

/// The GPUs that run one stage of one replica: an EP group.
struct StageGroup
{
    std::vector<GpuId> ranks;            //!< by TP block: its first GPU
    std::vector<ServerId> servers;       //!< by TP block
    std::vector<GpuId> expertRanks;      //!< by EP rank: its first GPU; the same when ETP is TP
    std::vector<ServerId> expertServers; //!< by EP rank
    std::vector<GroupRegion> regions;    //!< regions with two or more of its servers
};

/// What a GPU does.
struct GpuPlace
{
    uint32_t replica{0}; //!< DP replica
    uint32_t stage{0};   //!< PP stage
    uint32_t rank{0};    //!< TP block of the EP group: EP rank when ETP is TP
    uint32_t lane{0};    //!< TP rank
};

/**
 * @ingroup mixnet
 * Which GPU does what, by the order of the axes (ParallelDegrees::order); by default
 *
 *     GPU = ((replica x PP + stage) x EP + EP rank) x TP + TP rank
 *
 * EP rank = CP group x CP + place in the CP group: CP ranks that follow each other share sequences.
 * With an expert TP below TP, "EP rank" there is a TP block, and the EP ranks are its parts of ETP
 * GPUs: EP rank = TP block x TP / ETP + TP rank / ETP.
 *
 * Layers over stages and experts over EP ranks that do not divide are placed unevenly (the first
 * ones take one more) and reported by GetNotes(). With VPP chunks a stage has several parts of the
 * layers, dealt out in turn (Narayanan et al., SC 2021, section 2.2). A TP block lies inside one
 * server. After failures a GpuMap says where blocks are, and which of their lanes are done
 * elsewhere; messages are made for the GPUs of blocks, and sent by those that do their work.
 */
class ParallelLayout
{
  public:
    /**
     * @param job a valid job
     * @param graph the cluster
     * @param where file, for messages
     * @param map where it runs
     * @param idle GPUs of the cluster that it does not use
     * @throws InputError showing the arithmetic when job and cluster do not fit
     */
    ParallelLayout(const TrainingJob& job,
                   const FabricGraph& graph,
                   const std::string& where,
                   GpuMap map = {},
                   uint32_t idle = 0);

    /// @return degrees of parallelism
    const ParallelDegrees& GetDegrees() const
    {
        return m_degrees;
    }

    /// @param replica DP rank @param stage PP rank @param rank TP block @param lane TP rank
    /// @return the GPU of its TP block
    GpuId GetGpu(uint32_t replica, uint32_t stage, uint32_t rank, uint32_t lane = 0) const;

    /// @return where it runs, when not where the arithmetic says
    const GpuMap& GetMap() const
    {
        return m_map;
    }

    /// @return first GPUs of TP blocks, by (replica x PP + stage) x EP ranks + EP rank
    std::vector<GpuId> GetBlocks() const;

    /// @param gpu a GPU of the cluster @return what it does in this job, if anything
    std::optional<GpuPlace> FindPlace(GpuId gpu) const;

    /// @return layers over virtual stages, in the order in which a micro-batch passes them: virtual
    /// stage c x PP + s is chunk c of stage s
    const EvenSplit& GetLayers() const
    {
        return m_layers;
    }

    /// @param stage PP stage @param chunk chunk of the stage @return its virtual stage
    uint32_t GetPart(uint32_t stage, uint32_t chunk) const
    {
        return chunk * m_degrees.pipeline + stage;
    }

    /// @param stage PP stage @return layers of all its chunks, ascending
    std::vector<uint32_t> GetLayersOf(uint32_t stage) const;

    /// @return experts over EP ranks, in contiguous groups
    const EvenSplit& GetExperts() const
    {
        return m_experts;
    }

    /// @return where the experts are; in contiguous groups unless told otherwise
    const ExpertPlacement& GetPlacement() const
    {
        return m_placement;
    }

    /// @param placement where the experts are @param note one sentence for GetNotes(), may be empty
    void SetPlacement(ExpertPlacement placement, const std::string& note);

    /// @param replica DP rank @param stage PP rank @return index of the group
    uint32_t GetGroupIndex(uint32_t replica, uint32_t stage) const
    {
        return replica * m_degrees.pipeline + stage;
    }

    /// @return groups, by index
    const std::vector<StageGroup>& GetGroups() const
    {
        return m_groups;
    }

    /// @param g GPU @return its server
    ServerId GetServer(GpuId g) const
    {
        return m_serverOfGpu[g.Get()];
    }

    /// @param g GPU @return its number within its server
    uint32_t GetLocalIndex(GpuId g) const
    {
        return g.Get() - m_firstGpu[GetServer(g).Get()].Get();
    }

    /// @param s server @return its region; that of all servers when the cluster has none
    RegionId GetRegion(ServerId s) const
    {
        return m_regionOfServer[s.Get()];
    }

    /// @return rate of a GPU's scale-up port, per direction (the slowest of the cluster)
    DataRate GetScaleUpRate() const
    {
        return m_scaleUpRate;
    }

    /// @return number of servers of the cluster
    uint32_t GetNServers() const
    {
        return m_nServers;
    }

    /// @return number of regions that the job uses
    uint32_t GetNRegions() const;

    /// @return what is uneven, one sentence each
    const std::vector<std::string>& GetNotes() const
    {
        return m_notes;
    }

  private:
    /// @param job job @param where file
    void CheckDegrees(const TrainingJob& job, const std::string& where) const;
    /// @param graph cluster @param where file
    void PlaceGpus(const FabricGraph& graph, const std::string& where);
    /// @param graph cluster @param group group whose ranks are known
    void FindRegions(const FabricGraph& graph, StageGroup& group) const;
    /// @param group group @param gpu a GPU @return true when it is one of the group
    bool HasGpu(const StageGroup& group, GpuId gpu) const;

    ParallelDegrees m_degrees;                      //!< degrees
    std::array<uint32_t, N_LAYOUT_AXES> m_stride{}; //!< GPUs between steps, by axis
    GpuMap m_map;                                   //!< where it runs
    EvenSplit m_layers;                             //!< layers over virtual stages
    EvenSplit m_experts;                            //!< experts over EP ranks
    ExpertPlacement m_placement;                    //!< where they are
    std::vector<ServerId> m_serverOfGpu;            //!< by GPU
    std::vector<GpuId> m_firstGpu;                  //!< by server
    std::vector<RegionId> m_regionOfServer;         //!< by server
    std::vector<StageGroup> m_groups;               //!< by group
    DataRate m_scaleUpRate;                         //!< slowest
    uint32_t m_nServers{0};                         //!< servers of the cluster
    std::vector<std::string> m_notes;               //!< what is uneven
};

} // namespace ns3

#endif // PARALLEL_LAYOUT_H
