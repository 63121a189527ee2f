/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_SCENARIO_FABRIC_H
#define MIXNET_SCENARIO_FABRIC_H

#include "mixnet-fabric-helper.h"

#include "ns3/mixnet-scenario.h"
#include "ns3/regional-controller.h"

/**
 * @file
 * @ingroup mixnet
 * From the settings of a scenario to simulator, fabric and controllers.
 */

namespace ns3
{

/// Clock, seed and scheduler. @param scenario the settings
void PrepareSimulator(const Scenario& scenario);

/// @param scenario the settings @param fabric one of its fabrics @return its world
WorldConfig MakeWorldConfig(const Scenario& scenario, const FabricConfig& fabric);

/// @param scenario the settings @param fabric one of its fabrics @return a helper that builds it
MixnetFabricHelper MakeFabricHelper(const Scenario& scenario, const FabricConfig& fabric);

/**
 * @param fabric one with regions
 * @param control of the built fabric
 * @param region one of its regions
 * @return its controller, configured but not started
 */
Ptr<RegionalController> MakeController(const FabricConfig& fabric,
                                       Ptr<FabricControl> control,
                                       RegionId region);

} // namespace ns3

#endif // MIXNET_SCENARIO_FABRIC_H
