/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PLAN_CORRECTION_H
#define MIXNET_PLAN_CORRECTION_H

#include "circuit-plan.h"
#include "plan-objective.h"

#include "ns3/demand.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * Go from one plan a few circuits towards another one: the small recalibration of the paper
 * (appendix B.2). Step by step the circuit is added that makes the predicted finish time the
 * shortest; where an end has no port left it takes the one of the circuit that the other plan has
 * not, with the fewest bytes per circuit. Ties go to lower servers and units.
 *
 * @param current the plan to start from
 * @param wanted the plan to go towards, of the same kind and servers; fits the ports
 * @param healthy ports by server and OCS unit
 * @param demand bytes, row = sender
 * @param rates rates
 * @param most circuits to add at most
 * @return of the plans on the way the first with the shortest predicted finish time; `current` when
 * none is shorter
 */
CircuitPlan CorrectPlan(const CircuitPlan& current,
                        const CircuitPlan& wanted,
                        const PortTable& healthy,
                        const DemandMatrix& demand,
                        const RegionRates& rates,
                        uint32_t most);

} // namespace ns3

#endif // MIXNET_PLAN_CORRECTION_H
