/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CLUSTER_SPEC_H
#define CLUSTER_SPEC_H

#include "fabric-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// Consecutive servers that are alike.
struct ServerGroup
{
    uint32_t count{1}; //!< number of servers
    uint32_t nics{8};  //!< NICs of each
    ServerSpec spec{}; //!< GPUs, scale-up rate, NUMA nodes of each
};

/**
 * @ingroup mixnet
 * The servers of a cluster, in order; what a TopologyGenerator wires. Groups may differ in GPUs
 * and NICs.
 */
class ClusterSpec
{
  public:
    ClusterSpec() = default;

    /// @param servers number of servers @param nics NICs of each @param spec what each has
    explicit ClusterSpec(uint32_t servers,
                         uint32_t nics = 8,
                         const ServerSpec& spec = ServerSpec());

    /// @param groups the servers, in order
    explicit ClusterSpec(const std::vector<ServerGroup>& groups);

    /// @return number of servers
    uint32_t GetNServers() const;
    /// @return number of NICs of all servers
    uint32_t GetNNics() const;
    /// @param server index of a server @return its NICs
    uint32_t GetNics(uint32_t server) const;
    /// @param server index of a server @return what it has
    const ServerSpec& GetSpec(uint32_t server) const;
    /// @return NICs of the server that has most
    uint32_t GetMaxNics() const;

    /// @throws InputError when there is no server, or one without NICs
    void Check() const;

  private:
    /// @param server index of a server @return its group
    const ServerGroup& Find(uint32_t server) const;

    std::vector<ServerGroup> m_groups; //!< none empty
    std::vector<uint32_t> m_end;       //!< by group: index behind its last server
};

} // namespace ns3

#endif // CLUSTER_SPEC_H
