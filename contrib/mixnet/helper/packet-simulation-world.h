/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PACKET_SIMULATION_WORLD_H
#define MIXNET_PACKET_SIMULATION_WORLD_H

#include "simulation-world.h"

#include "ns3/error-model.h"
#include "ns3/forwarding-installer.h"
#include "ns3/packet-fabric-control.h"
#include "ns3/packet-transport.h"
#include "ns3/packet-world.h"
#include "ns3/pfc-deadlock-detector.h"

namespace ns3
{

/// @ingroup mixnet
/// The packet world: every RoCE frame, with optical switches where the graph has them.
class PacketSimulationWorld : public SimulationWorld
{
  public:
    /// @param config what is asked for @param graph graph @param router router
    PacketSimulationWorld(const WorldConfig& config,
                          Ptr<FabricGraph> graph,
                          Ptr<FabricRouter> router);
    ~PacketSimulationWorld() override;

    Ptr<Transport> GetTransport() const override;
    Ptr<FabricControl> GetControl() const override;
    uint64_t GetWireBytes(ChannelId c) const override;
    uint64_t GetNumaBytes(uint32_t link) const override;
    std::vector<std::string> GetNotes() const override;
    std::vector<DropCount> GetDrops() const override;
    int64_t AssignStreams(int64_t stream) override;

    /// @return nodes, ports, switches and NICs
    Ptr<PacketWorld> GetPacketWorld() const;

  private:
    /// @param budget of every circuit
    void SetLossBudget(const OpticalLossBudget& budget);
    /// @param rates by edge: share of frames lost in each direction
    void SetLinkErrors(const std::vector<double>& rates);

    Ptr<FabricGraph> m_graph;                         //!< graph
    Ptr<PacketWorld> m_world;                         //!< nodes and links
    std::unique_ptr<ForwardingInstaller> m_installer; //!< tables of the switches
    Ptr<PfcDeadlockDetector> m_deadlocks;             //!< watches the switches
    Ptr<PacketTransport> m_transport;                 //!< first door
    Ptr<PacketFabricControl> m_control;               //!< second door
    std::vector<Ptr<RateErrorModel>> m_errors;        //!< of fibers and links; may be empty
};

} // namespace ns3

#endif // MIXNET_PACKET_SIMULATION_WORLD_H
