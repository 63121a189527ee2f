/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "sequential-simulator.h"

#include "mixnet-error.h"

#include "ns3/simulator-impl.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <array>
#include <string>

namespace ns3
{

void
RequireSequentialSimulator()
{
    static constexpr std::array<const char*, 3> accepted{"ns3::DefaultSimulatorImpl",
                                                         "ns3::RealtimeSimulatorImpl",
                                                         "ns3::VisualSimulatorImpl"};
    const std::string name = Simulator::GetImplementation()->GetInstanceTypeId().GetName();
    if (std::find(accepted.begin(), accepted.end(), name) == accepted.end())
    {
        throw InputError("SimulatorImplementationType",
                         name + " runs events side by side, which mixnet does not support",
                         "ns3::DefaultSimulatorImpl (or Realtime or Visual)");
    }
}

} // namespace ns3
