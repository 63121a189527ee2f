/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SIMULATION_WORLD_H
#define MIXNET_SIMULATION_WORLD_H

#include "ns3/fabric-control.h"
#include "ns3/fabric-graph.h"
#include "ns3/fabric-router.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/ptr.h"
#include "ns3/transport.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A world that moves bytes over a graph: the two doors of contract/, and what is needed to set
 * them up. Made by MakeWorld(); destroyed before Simulator::Destroy().
 */
class SimulationWorld
{
  public:
    virtual ~SimulationWorld() = default;

    /// @return the first door
    virtual Ptr<Transport> GetTransport() const = 0;
    /// @return the second door
    virtual Ptr<FabricControl> GetControl() const = 0;
    /// @return how parallel ways are shared
    virtual LoadBalance GetLoadBalance() const = 0;
    /// @param c channel @return wire bytes it has carried
    virtual uint64_t GetWireBytes(ChannelId c) const = 0;
    /// @return events that a user should know of, one line each (drops, pauses, ...)
    virtual std::vector<std::string> GetNotes() const = 0;
    /// @param stream first random stream @return number of streams used
    virtual int64_t AssignStreams(int64_t stream) = 0;
};

/**
 * @param scenario fidelity, transport and switches
 * @param graph a complete graph
 * @param router its router
 * @return the world of the scenario's fidelity
 */
std::unique_ptr<SimulationWorld> MakeWorld(const Scenario& scenario,
                                           Ptr<FabricGraph> graph,
                                           Ptr<FabricRouter> router);

} // namespace ns3

#endif // MIXNET_SIMULATION_WORLD_H
