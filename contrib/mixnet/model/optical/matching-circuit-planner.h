/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MATCHING_CIRCUIT_PLANNER_H
#define MATCHING_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Maximum-weight matching, round by round: each round gives one circuit to pairs that share no
 * server, so that D / (C + 1) of these pairs, what a circuit of theirs would then carry, sums to
 * the maximum; D is the demand in both directions, C the circuits so far. Alpha rounds, or more
 * where a matching left ports free that others can use. Simplex circuits: an assignment of senders
 * to receivers per round, that is a matching of the bipartite graph of both; D is the demand from a
 * to b.
 *
 * Needs LEMON; without it every plan is an InputError that names the package.
 */
class MatchingCircuitPlanner : public CircuitPlanner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override;
};

/**
 * @ingroup mixnet
 * MatchingCircuitPlanner's simplex circuits on a single OCS unit.
 *
 * @param demand bytes, row = sender
 * @param ports by server: transmitters, and as many receivers
 * @return circuits, row = sender; rows and columns sum to at most the ports; the diagonal is 0
 * @throws InputError without LEMON
 */
Matrix<uint32_t> PlanSimplexCircuits(const DemandMatrix& demand,
                                     const std::vector<uint32_t>& ports);

} // namespace ns3

#endif // MATCHING_CIRCUIT_PLANNER_H
