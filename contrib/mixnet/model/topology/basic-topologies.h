/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BASIC_TOPOLOGIES_H
#define BASIC_TOPOLOGIES_H

#include "topology-generator.h"

namespace ns3
{

/// @ingroup mixnet
/// All NICs on one switch of as many ports.
class StarTopology : public TopologyGenerator
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;
};

/// @ingroup mixnet
/// The first half of the servers on one switch, the second on another, one link between the two.
class DumbbellTopology : public TopologyGenerator
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;

  private:
    DataRate m_bottleneckRate; //!< of the link in the middle
};

/// @ingroup mixnet
/// A row of switches, each joined to the next; servers spread evenly, the first at one end and the
/// last at the other.
class ChainTopology : public TopologyGenerator
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;

  private:
    uint32_t m_switches; //!< length
};

/// @ingroup mixnet
/// All NICs on one optical switch, and NIC by NIC the circuits of servers 0 and 1, 2 and 3, ... lit
/// from the start. One region.
class CircuitPairTopology : public TopologyGenerator
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

  protected:
    std::string DoBuild(const ClusterSpec& cluster, FabricGraph& graph) const override;
};

} // namespace ns3

#endif // BASIC_TOPOLOGIES_H
