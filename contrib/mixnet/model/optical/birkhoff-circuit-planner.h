/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BIRKHOFF_CIRCUIT_PLANNER_H
#define BIRKHOFF_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * The Birkhoff-von-Neumann schedule of the demand (DecomposeDemand(); of both directions together
 * for duplex circuits), side by side instead of one slot after the other: slots get the ports in
 * proportion to their length (highest quotient length / (grants + 1) next, longer and earlier ones
 * first), and a grant adds a circuit to each pair of the slot that has ports left. Pairs without
 * demand get none.
 */
class BirkhoffCircuitPlanner : public CircuitPlanner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override;
};

} // namespace ns3

#endif // BIRKHOFF_CIRCUIT_PLANNER_H
