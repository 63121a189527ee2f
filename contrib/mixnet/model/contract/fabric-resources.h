/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FABRIC_RESOURCES_H
#define MIXNET_FABRIC_RESOURCES_H

#include "ns3/data-rate.h"
#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"
#include "ns3/ptr.h"
#include "ns3/server-paths.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/// What an operation may have to wait for.
enum class FabricResourceKind : uint8_t
{
    NONE,     //!< nothing
    GPU,      //!< computation of a GPU
    SCALE_UP, //!< a GPU's port to its scale-up domain, one direction
    NUMA,     //!< a link between NUMA nodes of a server, one direction
    NIC,      //!< a link between a NIC and the packet fabric, one direction
    LINK,     //!< a link between switches, one direction
    CIRCUIT   //!< a fiber between a NIC and an optical switch, one direction
};

constexpr std::size_t N_FABRIC_RESOURCE_KINDS = 7; //!< number of kinds

/// @param k kind @return "", "gpu", "scale-up", "numa", "nic", "link", "circuit"
const char* GetName(FabricResourceKind k);

/// @ingroup mixnet
/// One thing that bounds a rate, or a time.
struct FabricResource
{
    static constexpr uint32_t ALL = UINT32_MAX; //!< every resource of the kind; no peer

    FabricResourceKind kind{FabricResourceKind::NONE}; //!< what it is
    uint32_t index{ALL}; //!< GPU; twice the GPU, one more into it; NUMA link; channel
    uint32_t peer{ALL};  //!< of a circuit with light: channel that arrives at the other NIC
};

/**
 * @ingroup mixnet
 * What transfers share in a fabric, numbered: all channels, then the scale-up ports of all GPUs
 * (out of each, into it), then the NUMA links that have a rate.
 */
class FabricResources
{
  public:
    /// @param graph a complete graph
    explicit FabricResources(Ptr<const FabricGraph> graph);

    /// @return number of resources
    uint32_t GetN() const;
    /// @param channel a channel @return its number
    static uint32_t GetNumber(ChannelId channel);
    /// @param gpu a GPU @param egress out of it or into it @return number of its scale-up port
    uint32_t GetNumber(GpuId gpu, bool egress) const;
    /// @param link of ServerPaths::GetNumaLinks() @return its number
    uint32_t GetNumaNumber(uint32_t link) const;

    /// @param number a resource @return what it carries at most, now
    DataRate GetRate(uint32_t number) const;
    /// @param number a resource @return what it was built to carry
    DataRate GetBuiltRate(uint32_t number) const;
    /// @param number a resource @return its kind
    FabricResourceKind GetKind(uint32_t number) const;
    /// @param number a resource @return it; a fiber whose circuit has light as the circuit, from
    /// its sending end
    FabricResource Describe(uint32_t number) const;
    /// @param resource a resource @return its name for people, e.g. "server 3 nic 2 -> leaf 0"
    std::string GetName(const FabricResource& resource) const;

  private:
    /// @param gpu a GPU @return its name
    std::string GetGpuName(GpuId gpu) const;
    /// @param channel a fiber or link at a server @param out the server sends @return server and
    /// NIC
    std::string GetNicName(ChannelId channel, bool out) const;
    /// @param channel a channel @return true when it starts at a server
    bool IsOut(ChannelId channel) const;

    Ptr<const FabricGraph> m_graph; //!< the fabric
    ServerPaths m_paths;            //!< inside servers
};

} // namespace ns3

#endif // MIXNET_FABRIC_RESOURCES_H
