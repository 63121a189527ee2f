/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UNIFORM_CIRCUIT_PLANNER_H
#define UNIFORM_CIRCUIT_PLANNER_H

#include "circuit-planner.h"

#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup mixnet
 * Circuits spread evenly whatever the demand: the rounds of a round-robin tournament, each of
 * which pairs every server with another one (with an odd number one server rests). After all
 * rounds every pair has one circuit, and the next cycle gives it a second one. Simplex circuits:
 * the rounds are the rotations, server i to server i + 1, then to i + 2, and so on.
 *
 * With Random the servers and the rounds are shuffled: another regular topology each time (the
 * artifact starts from a random one).
 */
class UniformCircuitPlanner : public CircuitPlanner
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    UniformCircuitPlanner();

    int64_t AssignStreams(int64_t stream) override;

    const char* GetDuplexReason() const override;

  private:
    CircuitPlan DoPlan(const PlanRequest& request) override;

    /// @param n number of items @return 0 to n - 1, shuffled if Random
    std::vector<uint32_t> Order(uint32_t n);

    bool m_random{false};                 //!< shuffle
    Ptr<UniformRandomVariable> m_uniform; //!< for the shuffles
};

} // namespace ns3

#endif // UNIFORM_CIRCUIT_PLANNER_H
