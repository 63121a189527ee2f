/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STATIC_CIRCUIT_PLANNER_H
#define STATIC_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * One plan for a whole job without an EPS (TopoOpt; design, decision 21).
 *
 * 1. Backbone: all servers that have ports are joined by a ring or a tree along their heaviest
 *    DP and PP traffic (pairs in descending standing demand, then all traffic; a pair is taken
 *    unless it closes a cycle or gives a server of a ring a third circuit; the pieces are then
 *    joined by ids).
 * 2. The other ports are filled greedily (FillGreedily, SKIP) with the sum of both demands.
 * 3. Everything else is forwarded over several circuits, so a pair with demand but without a way
 *    is an InputError that names it.
 *
 * It plans server pairs; with several patch panels a circuit needs a free port of both servers on
 * the same panel, and panels are chosen one circuit at a time (PortBudget), so a plan that an
 * exhaustive search would fit can be missed.
 */
class StaticCircuitPlanner : public CircuitPlanner
{
  public:
    /// What connects all servers before the rest of the ports is filled.
    enum Backbone
    {
        RING, //!< a cycle (a path where the last circuit finds no ports)
        TREE  //!< a spanning tree
    };

    /// @return the TypeId
    static TypeId GetTypeId();

    const char* GetDuplexReason() const override;

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override;

    Backbone m_backbone{RING}; //!< ring or tree
};

} // namespace ns3

#endif // STATIC_CIRCUIT_PLANNER_H
