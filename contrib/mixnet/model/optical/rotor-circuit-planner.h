/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROTOR_CIRCUIT_PLANNER_H
#define ROTOR_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Demand-oblivious rotor (after RotorNet, Mellette et al., SIGCOMM 2017): a fixed cycle of
 * matchings, the rounds of a round-robin tournament, of which alpha are lit at a time; each plan
 * turns on by alpha, so that after all rounds every pair had as many circuits as any other.
 * Simplex circuits: the rotations, as in RotorNet itself.
 *
 * It turns when it is asked for a plan, that is when its controller meets another demand or other
 * healthy ports; it has no clock of its own.
 */
class RotorCircuitPlanner : public CircuitPlanner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override;

    uint32_t m_round{0}; //!< next round of the cycle
};

} // namespace ns3

#endif // ROTOR_CIRCUIT_PLANNER_H
