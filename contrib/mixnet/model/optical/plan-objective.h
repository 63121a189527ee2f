/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PLAN_OBJECTIVE_H
#define PLAN_OBJECTIVE_H

#include "circuit-plan.h"

#include "ns3/data-rate.h"
#include "ns3/demand.h"
#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

/// Rates of a region's servers.
struct RegionRates
{
    std::vector<DataRate> circuit; //!< by server: slowest of its optical NICs; 0 without any
    std::vector<DataRate> packet;  //!< by server: all its EPS NICs together; 0 without any
};

/// @param graph the graph @param region a region @return rates of NICs that are healthy or not
RegionRates GetRegionRates(const FabricGraph& graph, RegionId region);

/// Bytes that wait for a rate: a finish time that compares exactly, without division.
struct PlanLoad
{
    uint64_t bytes{0}; //!< what waits
    uint64_t rate{1};  //!< bit/s; 0: no way at all

    /// @return true when bytes have no way
    bool IsStuck() const
    {
        return rate == 0 && bytes > 0;
    }

    /// @return the time it takes; Time::Max() when stuck
    Time GetTime() const;

    /// @param o other @return true when this is over sooner
    bool operator<(const PlanLoad& o) const;
};

/// @param demand bytes @param plan circuits @param rates rates @return what finishes last, as
/// PredictFinishTime() says
PlanLoad FindSlowest(const DemandMatrix& demand, const CircuitPlan& plan, const RegionRates& rates);

/**
 * @ingroup mixnet
 * When a demand would be over under a plan if it started now and nothing else were on the way:
 *
 *     pair with c circuits:  D[i][j] / (c x rate), per direction
 *     all other pairs:       what a server sends (receives) to (from) them / its EPS rate
 *     finish time:           the maximum of all these
 *
 * A lower bound: headers, latency and congestion inside the EPS are left out. It is the objective
 * that `gain` decides by and that decisions report.
 *
 * @param demand bytes, row = sender
 * @param plan circuits
 * @param rates rates
 * @return the time; Time::Max() when bytes have neither circuit nor EPS
 */
Time PredictFinishTime(const DemandMatrix& demand,
                       const CircuitPlan& plan,
                       const RegionRates& rates);

} // namespace ns3

#endif // PLAN_OBJECTIVE_H
