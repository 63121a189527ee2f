/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef USEFUL_CIRCUITS_H
#define USEFUL_CIRCUITS_H

#include "circuit-planner.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Change less: put present circuits back into a new plan, one after the other (by server ids), each
 * in place of at most one new circuit at either end, wherever the demand is still over in time.
 * Circuits that stay lit are not touched, so every one saved is light instead of darkness, and an
 * empty difference is no reconfiguration at all. Local search: another order might keep more.
 *
 * Law: PredictFinishTime() under the result is at most that under the plan times (1 + tolerance).
 * O(N^2 + removed circuits x ports^2).
 *
 * @param request request with rates
 * @param plan a legal plan for it
 * @param tolerance how much later the demand may be over, in percent
 * @return a legal plan that changes no more circuits than the given one
 */
CircuitPlan KeepUsefulCircuits(const PlanRequest& request,
                               const CircuitPlan& plan,
                               uint32_t tolerance);

/// @param from a plan @param to another one @return circuits that only one of them has
uint32_t CountChanges(const CircuitPlan& from, const CircuitPlan& to);

} // namespace ns3

#endif // USEFUL_CIRCUITS_H
