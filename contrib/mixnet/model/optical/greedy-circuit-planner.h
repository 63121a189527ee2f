/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GREEDY_CIRCUIT_PLANNER_H
#define GREEDY_CIRCUIT_PLANNER_H

#include "circuit-planner.h"
#include "port-budget.h"

#include <vector>

namespace ns3
{

/// Bytes that a circuit between two servers would carry.
struct PairDemand
{
    uint64_t bytes{0}; //!< duplex: i to j plus j to i; simplex: a to b
    uint32_t a{0};     //!< lower server; simplex: the sender
    uint32_t b{0};     //!< higher server; simplex: the receiver
};

/**
 * @ingroup mixnet
 * MixNet's planner (paper, Algorithm 1; design, decision 7). Ports may stay unused: a pair without
 * demand gets no circuit, and two free ports of one server do not make one.
 */
class GreedyCircuitPlanner : public CircuitPlanner
{
  public:
    /// How to go on after a bottleneck pair.
    enum Rule
    {
        SKIP,    //!< a pair that has no free port is left out (the paper's rule, repaired)
        BREAK,   //!< the first such pair ends the plan (the paper's listing, literally)
        ARTIFACT //!< D becomes D / (100 C) at each grant (the authors' program), else as SKIP
    };

    /// Which of equally loaded pairs comes first under SKIP.
    enum Ties
    {
        FEWEST, //!< whose servers hold fewest circuits, then larger demand, then lower ids
        DEMAND  //!< larger demand, then lower ids (the paper gives no rule)
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override;

    Rule m_rule{SKIP};   //!< which rule
    Ties m_ties{FEWEST}; //!< which ties
};

/// @param demand bytes, row = sender @param standing more of them, or null
/// @param kind simplex: every direction is a pair of its own
/// @return pairs with demand, largest first, then by ids
std::vector<PairDemand> RankPairs(const DemandMatrix& demand,
                                  const DemandMatrix* standing = nullptr,
                                  CircuitKind kind = CircuitKind::DUPLEX);

/**
 * @ingroup mixnet
 * Fill a plan greedily: the pair with the largest T = D / C gets the next circuit, where D is its
 * demand in both directions, C its circuits so far, and T infinite without a circuit.
 *
 * With Ties FEWEST no server stays without a circuit while all pairs have demand (by ids one
 * does). BREAK and ARTIFACT keep the order of their sources: larger demand, then lower ids.
 *
 * Among pairs without a circuit the order is (circuits of both servers, demand). A server's
 * circuits never decrease, so one pass over the ranked pairs per value of the first serves them
 * all without a queue; only pairs with a circuit, few, go through a heap. P pairs, N servers:
 * O(P log P + alpha P + N alpha log(N alpha)).
 *
 * @param pairs from RankPairs()
 * @param rule what happens to a pair that cannot be served
 * @param ties order of equally loaded pairs; only for SKIP
 * @param budget ports left; used up
 * @param plan in: circuits given already; out: filled
 */
void FillGreedily(const std::vector<PairDemand>& pairs,
                  GreedyCircuitPlanner::Rule rule,
                  GreedyCircuitPlanner::Ties ties,
                  PortBudget& budget,
                  CircuitPlan& plan);

} // namespace ns3

#endif // GREEDY_CIRCUIT_PLANNER_H
