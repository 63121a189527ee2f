/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SERVER_PATHS_H
#define SERVER_PATHS_H

#include "fabric-graph.h"

#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// One direction of the link between two NUMA nodes of a server.
struct NumaLink
{
    ServerId server;  //!< the server
    uint32_t from{0}; //!< NUMA node
    uint32_t to{0};   //!< another one
    DataRate rate;    //!< of this direction
};

/// How bytes get from a GPU to another one or to a NIC of its server, or back.
struct ServerPath
{
    GpuId gpu;                 //!< whose memory the NIC reads or writes: bytes of another GPU cross
                               //!< the scale-up domain to or from it
    uint32_t link{UINT32_MAX}; //!< NUMA link with a rate that they pass: index; UINT32_MAX: none
    Time delay;                //!< of the NUMA link
};

/**
 * @ingroup mixnet
 * How bytes move inside servers, the same for both worlds: pure, structure only.
 *
 * GPU g of G belongs to NUMA node floor(g N / G) of N. A NIC reads and writes the memory of one
 * GPU: with NicAccess::GATHER that of its owner, to and from which the bytes of others ride the
 * scale-up domain; with NicAccess::PCIE that of every GPU. Where this GPU and the NIC are on
 * different NUMA nodes the bytes pass the link between them, in their direction. With PCIE so do
 * bytes between two GPUs of different nodes, beside their scale-up ports. Every two nodes of a
 * server are joined by a link of their own.
 */
class ServerPaths
{
  public:
    /// @param graph a graph with all its servers; must outlive this
    explicit ServerPaths(const FabricGraph& graph);

    /// @return directions of NUMA links that have a rate, by server
    const std::vector<NumaLink>& GetNumaLinks() const
    {
        return m_links;
    }

    /// @param gpu a GPU @return its NUMA node
    uint32_t GetNuma(GpuId gpu) const;

    /// @param gpu a GPU @param nic a NIC of its server @return from the GPU to the NIC
    ServerPath GetPathOut(GpuId gpu, uint32_t nic) const;

    /// @param nic a NIC of the GPU's server @param gpu a GPU @return from the NIC to the GPU
    ServerPath GetPathIn(uint32_t nic, GpuId gpu) const;

    /// @param from a GPU @param to another one of its server @return from one to the other
    ServerPath GetPathBetween(GpuId from, GpuId to) const;

    /// @param server a server @return GPUs and NICs of each NUMA node, one line
    std::string Describe(ServerId server) const;

  private:
    /// @param server a server @param from NUMA node @param to NUMA node @param path in and out: its
    /// NUMA link
    void Cross(ServerId server, uint32_t from, uint32_t to, ServerPath& path) const;
    /// @param server a server @return true when its NUMA links cost something
    bool HasLinks(ServerId server) const;
    /// @param gpu a GPU @param nic a NIC of its server @return the GPU beside the NIC
    GpuId FindGpu(GpuId gpu, uint32_t nic) const;

    const FabricGraph& m_graph;        //!< servers
    std::vector<NumaLink> m_links;     //!< that have a rate
    std::vector<uint32_t> m_firstLink; //!< by server: index of its first one; empty without any
};

} // namespace ns3

#endif // SERVER_PATHS_H
