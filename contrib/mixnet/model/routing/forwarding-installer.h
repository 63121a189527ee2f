/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FORWARDING_INSTALLER_H
#define FORWARDING_INSTALLER_H

#include "fabric-router.h"

#include "ns3/packet-switch.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Writes the router's tables into the switches of the packet world and keeps them in step: after a
 * change of the graph only the switches whose routes changed are written again. It becomes the
 * router's RoutesChangedCallback.
 */
class ForwardingInstaller
{
  public:
    /// @param router a router that has its graph
    explicit ForwardingInstaller(Ptr<FabricRouter> router);
    ~ForwardingInstaller();

    ForwardingInstaller(const ForwardingInstaller&) = delete;
    ForwardingInstaller& operator=(const ForwardingInstaller&) = delete;

    /**
     * Give a switch its hash seed and routes, now and after every change.
     *
     * @param v its vertex
     * @param device the switch; port i of it is port i of the vertex
     */
    void Add(VertexId v, Ptr<PacketSwitch> device);

    /// Give the switches their hash seeds again: the router's streams were assigned anew.
    void UpdateSeeds();

    /// @return tables written so far, first ones included
    uint64_t GetNWrites() const
    {
        return m_writes;
    }

  private:
    /// @param switches those whose routes changed
    void OnRoutesChanged(const std::vector<VertexId>& switches);
    /// @param v a switch @param device its model
    void Write(VertexId v, PacketSwitch& device);

    Ptr<FabricRouter> m_router;                     //!< whose tables
    std::map<VertexId, Ptr<PacketSwitch>> m_switch; //!< by vertex
    std::vector<RouteRange> m_ranges;               //!< scratch
    std::vector<PortGroup> m_groups;                //!< scratch
    uint64_t m_writes{0};                           //!< tables written
};

} // namespace ns3

#endif // FORWARDING_INSTALLER_H
