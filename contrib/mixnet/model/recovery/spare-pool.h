/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SPARE_POOL_H
#define MIXNET_SPARE_POOL_H

#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// How many spares there are of one kind: a share of what may fail, or a number.
struct SpareShare
{
    double fraction{0};            //!< of the GPUs of a region, or of all servers; rounded up
    std::optional<uint32_t> count; //!< instead of the fraction

    /// @param of what may fail @return number of spares
    uint32_t GetCount(uint32_t of) const;
};

/**
 * @ingroup mixnet
 * Where the spares of a cluster are. The servers of the job come first, then the spare hosts of
 * region 0, of region 1, ..., then the servers of the global pool:
 *
 *     0 .. jobServers - 1 | region 0's hosts | region 1's hosts | ... | global pool
 *
 * so that numbers of the job's servers do not depend on spares. A region's spare GPUs are the first
 * ones of its hosts. Fabrics without optical regions have the same servers in the same places.
 */
struct SparePlan
{
    uint32_t jobServers{0};       //!< servers of the job
    uint32_t gpusPerServer{8};    //!< of each server
    uint32_t serversPerRegion{0}; //!< of the job's servers; the last region has what is left
    uint32_t gpusPerRegion{0};    //!< spare GPUs of a region
    uint32_t globalServers{0};    //!< servers of the global pool

    /// @return number of regions
    uint32_t GetNRegions() const
    {
        return (jobServers + serversPerRegion - 1) / serversPerRegion;
    }

    /// @return hosts of a region's spare GPUs
    uint32_t GetHostsPerRegion() const
    {
        return (gpusPerRegion + gpusPerServer - 1) / gpusPerServer;
    }

    /// @return servers that are not the job's
    uint32_t GetNSpareServers() const
    {
        return GetNRegions() * GetHostsPerRegion() + globalServers;
    }

    /// @return servers of the job and spares
    uint32_t GetNServers() const
    {
        return jobServers + GetNSpareServers();
    }

    /// @param server a server of the job or a host of spare GPUs @return its region
    uint32_t GetRegionOf(ServerId server) const;

    /// @param region region @param index which host @return the host
    ServerId GetHost(uint32_t region, uint32_t index) const
    {
        return ServerId(jobServers + region * GetHostsPerRegion() + index);
    }

    /// @return first server of the global pool
    ServerId GetFirstGlobal() const
    {
        return ServerId(jobServers + GetNRegions() * GetHostsPerRegion());
    }
};

/**
 * @ingroup mixnet
 * The spares that are ready: GPUs by region, and servers. SpareChoice says which is taken.
 *
 * Law: spares = ready + taken + dead.
 */
class SparePool
{
  public:
    SparePool() = default;

    /// @param plan where spares are; all are ready
    explicit SparePool(const SparePlan& plan);

    /// @param gpu a GPU that died or is taken: if it is ready, it is no longer
    void RemoveGpu(GpuId gpu);
    /// @param server a server that died or is taken: it and its spare GPUs are no longer ready
    void RemoveServer(ServerId server);

    /// @param region region @param gpu a GPU in it that can serve as a spare (repaired)
    void AddGpu(uint32_t region, GpuId gpu);
    /// @param server a server that can serve as a spare (repaired)
    void AddServer(ServerId server);

    /// @param region region @return GPUs that are ready
    const std::set<GpuId>& GetGpus(uint32_t region) const
    {
        return m_gpus[region];
    }

    /// @return servers that are ready
    const std::set<ServerId>& GetServers() const
    {
        return m_servers;
    }

    /// @param region region @return GPUs that are ready
    uint32_t GetNGpus(uint32_t region) const;
    /// @return servers that are ready
    uint32_t GetNServers() const;

  private:
    SparePlan m_plan;                    //!< where they are
    std::vector<std::set<GpuId>> m_gpus; //!< by region: ready
    std::set<ServerId> m_servers;        //!< ready
};

} // namespace ns3

#endif // MIXNET_SPARE_POOL_H
