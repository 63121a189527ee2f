/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FINISH_TIME_CIRCUIT_PLANNER_H
#define FINISH_TIME_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * The plan with the earliest predicted finish time (PredictFinishTime(), EPS included) that a
 * search finds, for regions of any size: what the exhaustive planner proves for eight servers,
 * without the proof. It gives ports to the pairs that would keep the EPS busy longest, and leaves
 * the light ones there.
 *
 * From the greedy plan on, bounds are halved between what was found and what was missed until both
 * are within 1/1024; PacketRelief tells whether a bound can be beaten. Ports left over go to pairs
 * that are over in time with them, then to pairs that have circuits. Never later than the greedy
 * plan.
 */
class FinishTimeCircuitPlanner : public CircuitPlanner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    /// @param request request with rates @return a plan, never worse than the greedy one
    CircuitPlan DoPlan(const PlanRequest& request) override;
};

} // namespace ns3

#endif // FINISH_TIME_CIRCUIT_PLANNER_H
