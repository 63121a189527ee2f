/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_PLANNER_H
#define CIRCUIT_PLANNER_H

#include "circuit-plan.h"

#include "ns3/demand.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

namespace ns3
{

struct RegionRates;

/// What a planner works from. All matrices have one row per server of the region.
struct PlanRequest
{
    const DemandMatrix& demand;            //!< bytes to carry, row = sender
    const PortTable& freePorts;            //!< healthy ports per server and OCS unit
    const CircuitPlan& current;            //!< circuits there are now
    const DemandMatrix* standing{nullptr}; //!< bytes of the other traffic (DP, PP), or null; only
                                           //!< planners of fabrics without an EPS look at it
    const RegionRates* rates{nullptr}; //!< of circuits and EPS, for planners that weigh the finish
                                       //!< time; null: not known
    CircuitKind kind{CircuitKind::DUPLEX}; //!< of the circuits to plan; of `current`, too. Every
                                           //!< free port is a transmitter and a receiver

    /// @return an empty plan of the region
    CircuitPlan MakePlan() const
    {
        return CircuitPlan(static_cast<uint32_t>(freePorts.Rows()), kind);
    }
};

/**
 * @ingroup mixnet
 * Strategy: which server pairs get circuits. Never gives a server more circuits on a unit than it
 * has free ports there (simplex: more that leave it, or more that reach it), and never one to
 * itself.
 *
 * With KeepUseful the plan of every planner is changed back towards the present circuits as far as
 * the predicted finish time allows (KeepUsefulCircuits()).
 */
class CircuitPlanner : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param request demand, ports, present circuits
     * @return the new plan, of the kind asked for
     * @throws InputError when it does not plan circuits of that kind
     */
    CircuitPlan Plan(const PlanRequest& request);

    /// @return why it plans duplex circuits only; null: it plans simplex ones as well
    virtual const char* GetDuplexReason() const;

    /// Before a run. @param kind of circuits @throws InputError when it does not plan these
    void RequireKind(CircuitKind kind) const;

    /// @return simulated time that one plan takes
    Time GetPlanningTime() const;

    /**
     * @param stream first stream to use
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream);

  private:
    /// @param request consistent request @return a legal plan of the kind asked for
    virtual CircuitPlan DoPlan(const PlanRequest& request) = 0;

    bool m_keepUseful{false};    //!< keep circuits that are as good as new ones
    uint32_t m_keepTolerance{0}; //!< percent
    Time m_planningTime;         //!< charged per plan
};

} // namespace ns3

#endif // CIRCUIT_PLANNER_H
