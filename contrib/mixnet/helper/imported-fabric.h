/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_IMPORTED_FABRIC_H
#define MIXNET_IMPORTED_FABRIC_H

#include "ns3/fabric-graph.h"
#include "ns3/topology-file.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The fabric that a topology file describes. Servers come in the file's order, so that GPU numbers
 * are its host numbers; then the packet switches; NICs of a server in the order of links. A link to
 * a switch that holds frames is longer by half of that time, on both sides of the switch.
 */
class ImportedFabric
{
  public:
    /// @param file topology @throws InputError when it cannot be simulated
    explicit ImportedFabric(const TopologyFile& file);

    /// @return servers, switches, links
    Ptr<FabricGraph> GetGraph() const
    {
        return m_graph;
    }

    /// @return by edge: share of packets lost; empty: none anywhere
    const std::vector<double>& GetErrorRates() const
    {
        return m_errorRates;
    }

    /// @return sizes, several lines
    std::string Describe() const;

    /// @param id number of a node in the source @param where for the message
    /// @return its GPU @throws InputError when there is no such node, or it cannot send
    GpuId GetGpu(uint64_t id, const std::string& where) const;

  private:
    Ptr<FabricGraph> m_graph;                       //!< graph
    std::string m_path;                             //!< file
    std::vector<double> m_errorRates;               //!< by edge
    std::unordered_map<uint64_t, uint32_t> m_hosts; //!< by id: GPU; NONE: a switch
};

} // namespace ns3

#endif // MIXNET_IMPORTED_FABRIC_H
