/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_FLOW_SIMULATION_WORLD_H
#define MIXNET_FLOW_SIMULATION_WORLD_H

#include "simulation-world.h"

#include "ns3/flow-fabric-control.h"
#include "ns3/flow-transport.h"

namespace ns3
{

/// @ingroup mixnet
/// The fluid world.
class FlowSimulationWorld : public SimulationWorld
{
  public:
    /// @param config what is asked for @param graph graph @param router router
    FlowSimulationWorld(const WorldConfig& config,
                        Ptr<FabricGraph> graph,
                        Ptr<FabricRouter> router);
    ~FlowSimulationWorld() override;

    Ptr<Transport> GetTransport() const override;
    Ptr<FabricControl> GetControl() const override;
    uint64_t GetWireBytes(ChannelId c) const override;
    uint64_t GetNumaBytes(uint32_t link) const override;
    std::vector<std::string> GetNotes() const override;
    std::vector<DropCount> GetDrops() const override;
    int64_t AssignStreams(int64_t stream) override;

  private:
    Ptr<FlowTransport> m_transport;   //!< first door
    Ptr<FlowFabricControl> m_control; //!< second door
};

} // namespace ns3

#endif // MIXNET_FLOW_SIMULATION_WORLD_H
