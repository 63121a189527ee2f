/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_ROUTING_CONFIG_H
#define MIXNET_ROUTING_CONFIG_H

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-json.h"
#include "ns3/traffic-class.h"
#include "ns3/training-job.h"

#include <array>
#include <string>

namespace ns3
{

/// Which way traffic goes, by class; fabrics of type "mixnet".
struct RoutingConfig
{
    /// By class: "default" (by the fabric), "direct-or-eps", "eps", "split", "multi-hop",
    /// "relay".
    std::array<std::string, N_TRAFFIC_CLASSES> policies{"default",
                                                        "default",
                                                        "default",
                                                        "default",
                                                        "default",
                                                        "default"};
    double epsWeight{1};                //!< of "split"
    std::string relayOnward{"eps"};     //!< of "relay": "eps", "circuit", "either"
    std::string circuitSharing{"flow"}; //!< parallel circuits: "flow", "packet"
    std::string withoutEps{"relay"};    //!< servers that lost all packet NICs: "relay", "wait"
    std::string allToAll{"direct"};     //!< "direct", "delegates"
    ByteCount chunk;                    //!< of "delegates"; 0: whole crossings
};

/**
 * @param o object "routing" of a scenario, or of a fabric
 * @param base values that a fabric does not give; null for the scenario's, which logs all
 * @return what it says
 * @throws InputError naming key, value and what is accepted
 */
RoutingConfig ReadRouting(const JsonReader& o, const RoutingConfig* base);

/// @param trafficClass a class @return name of its attribute of FabricRouter
std::string GetPolicyAttribute(TrafficClass trafficClass);

/// @param c what is asked for @param trafficClass a class @return its value: TypeId name of the
/// policy, with attributes; empty: by the fabric
std::string GetPolicyType(const RoutingConfig& c, TrafficClass trafficClass);

/// @param c what is asked for @param job whose all-to-all @return TypeId name, with attributes
std::string GetAllToAllType(const RoutingConfig& c, const TrainingJob& job);

} // namespace ns3

#endif // MIXNET_ROUTING_CONFIG_H
