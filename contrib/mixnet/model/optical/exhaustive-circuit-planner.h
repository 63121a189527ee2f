/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXHAUSTIVE_CIRCUIT_PLANNER_H
#define EXHAUSTIVE_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * The plan with the earliest predicted finish time (PredictFinishTime(), EPS included) of all
 * plans: the yardstick for the other planners, for regions of up to MAX_SERVERS servers with one
 * OCS unit.
 *
 * To finish before a bound B a pair either goes over the EPS or needs at least D / (B x rate)
 * circuits, and more than these help nobody. So whether B can be beaten is a yes-or-no search over
 * the pairs (at most 2^P leaves for P pairs with demand, however many ports), cut where ports run
 * out or the EPS is too slow: milliseconds for eight servers, the paper's region. A hit gives the
 * next B; the first miss proves the optimum. All comparisons are exact integers.
 *
 * Ports left over go to pairs that already have circuits (greedily); a pair that the optimum sends
 * over the EPS stays there. Where bytes have no way under any plan all plans are equal, and the
 * ports are filled greedily.
 */
class ExhaustiveCircuitPlanner : public CircuitPlanner
{
  public:
    static constexpr uint32_t MAX_SERVERS = 8; //!< largest region

    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    /// @param request request with rates @return the best plan
    /// @throws InputError when the region is larger than MAX_SERVERS or has several OCS units
    CircuitPlan DoPlan(const PlanRequest& request) override;
};

} // namespace ns3

#endif // EXHAUSTIVE_CIRCUIT_PLANNER_H
