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
#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-scenario.h"
#include "ns3/ptr.h"
#include "ns3/transport.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// What a world is asked for, beside its graph.
struct WorldConfig
{
    Fidelity fidelity{Fidelity::FLOW}; //!< which world
    ByteCount payload{4096};           //!< of a packet
    /// TypeId name of the congestion control; packet world
    std::string congestionType{"ns3::DcqcnCongestionControl"};
    /// Its attributes by name; packet world
    std::vector<std::pair<std::string, std::string>> congestion;
    /// TypeId name of the loss recovery; packet world
    std::string recoveryType{"ns3::GoBackN"};
    /// Its attributes by name; packet world
    std::vector<std::pair<std::string, std::string>> recovery;
    std::string window{"none"};         //!< "none", "bdp", "variable"; packet world
    ByteCount ecnKmin{100000};          //!< at 25 Gb/s; packet world
    ByteCount ecnKmax{400000};          //!< at 25 Gb/s; packet world
    double ecnPmax{0.2};                //!< below ecnKmax; packet world
    uint32_t ackInterval{4};            //!< packets per acknowledgement; packet world
    uint32_t stripePackets{1};          //!< lot of a circuit shared by packet; packet world
    std::string loadBalance{"default"}; //!< "default", "ideal", "per-flow", packet world also
                                        //!< "flowlet", "spray", "random-spray"
    Time flowletGap{MicroSeconds(100)}; //!< with "flowlet"
    ByteCount switchBuffer{67108864};   //!< of a packet switch; packet world
    SwitchConfig switches;              //!< packet switches; packet world
    std::optional<OpticalLossBudget> lossBudget; //!< of every circuit; packet world
    std::vector<double> linkErrors; //!< by edge: share of frames lost; empty: none; packet world
};

/// Frames that were dropped at a port for a reason.
struct DropCount
{
    std::string at;     //!< name of the switch, server or OCS
    uint32_t port;      //!< its port
    std::string reason; //!< "buffer", "link-down", ...
    uint64_t frames;    //!< how many
};

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
    /// @param c channel @return wire bytes it has carried
    virtual uint64_t GetWireBytes(ChannelId c) const = 0;
    /// @param link of ServerPaths::GetNumaLinks() @return payload it has carried
    virtual uint64_t GetNumaBytes(uint32_t link) const = 0;
    /// @return what a user should know of at the end, one line each (drops, pauses, ...)
    virtual std::vector<std::string> GetNotes() const = 0;
    /// @return frames dropped so far, by place and reason; none where nothing was
    virtual std::vector<DropCount> GetDrops() const = 0;
    /// After the router's. @param stream first random stream @return number of streams used
    virtual int64_t AssignStreams(int64_t stream) = 0;
};

/**
 * @param config what is asked for
 * @param graph a complete graph
 * @param router its router
 * @return the world
 * @throws InputError when the world cannot do it (ideal balancing of packets)
 */
std::unique_ptr<SimulationWorld> MakeWorld(const WorldConfig& config,
                                           Ptr<FabricGraph> graph,
                                           Ptr<FabricRouter> router);

/// @param config configuration @return how parallel ways are shared
LoadBalance GetLoadBalance(const WorldConfig& config);

} // namespace ns3

#endif // MIXNET_SIMULATION_WORLD_H
