/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "simulation-world.h"

#include "flow-simulation-world.h"
#include "packet-simulation-world.h"

namespace ns3
{

LoadBalance
GetLoadBalance(const WorldConfig& config)
{
    const bool ideal = config.loadBalance == "ideal" ||
                       (config.loadBalance == "default" && config.fidelity == Fidelity::FLOW);
    return ideal ? LoadBalance::IDEAL : LoadBalance::PER_FLOW;
}

std::unique_ptr<SimulationWorld>
MakeWorld(const WorldConfig& config, Ptr<FabricGraph> graph, Ptr<FabricRouter> router)
{
    if (config.fidelity == Fidelity::FLOW)
    {
        return std::make_unique<FlowSimulationWorld>(config, graph, router);
    }
    return std::make_unique<PacketSimulationWorld>(config, graph, router);
}

} // namespace ns3
