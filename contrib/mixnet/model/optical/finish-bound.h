/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FINISH_BOUND_H
#define FINISH_BOUND_H

#include "circuit-planner.h"
#include "plan-objective.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup mixnet
 * A finish time to beat, turned into what it allows: to be over before it a pair needs so many
 * circuits, and a server may send and receive so many bytes over the EPS. Exact integers.
 */
class FinishBound
{
  public:
    /// @param request demand and rates @param bound time to beat; stuck: every way is better
    FinishBound(const PlanRequest& request, const PlanLoad& bound)
        : m_demand(request.demand),
          m_rates(*request.rates),
          m_bound(bound)
    {
    }

    /// @param a server @param b another server @return circuits that carry the larger direction
    /// before the bound; 0 when none are enough
    uint32_t CountCircuits(uint32_t a, uint32_t b) const;

    /// @param server server @return most bytes that it can send, or receive, over the EPS before
    /// the bound
    uint64_t GetPacketBytes(uint32_t server) const;

  private:
    const DemandMatrix& m_demand; //!< bytes
    const RegionRates& m_rates;   //!< rates
    PlanLoad m_bound;             //!< to beat
};

} // namespace ns3

#endif // FINISH_BOUND_H
