/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DEMAND_BOOK_H
#define DEMAND_BOOK_H

#include "circuit-planner.h"
#include "plan-objective.h"

#include "ns3/demand.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * What a controller knows of its region's demand, and the planner's answer to it.
 *
 * Usually a region has one EP group. Where it holds several, each group's latest demand counts, so
 * that the plan for one group does not take the circuits of another one. Equal questions (same
 * demand in both directions together, same healthy ports) get the same answer without planning
 * again: the transposed demand of a pass's second all-to-all is one. For simplex circuits every
 * direction counts: the transposed demand is another question.
 */
class DemandBook
{
  public:
    /// @param standing bytes of other traffic, for planners that look at it
    void SetStanding(const DemandMatrix& standing);

    /// @param rates rates of the region's servers, for planners that look at them
    void SetRates(const RegionRates& rates);

    /// @return bytes of other traffic, or null
    const DemandMatrix* GetStanding() const;

    /**
     * @param planner whom to ask
     * @param group EP group
     * @param demand its demand from now on
     * @param healthy healthy ports
     * @param current circuits there are
     * @return the plan for all groups; valid until the next question
     */
    const CircuitPlan& Propose(CircuitPlanner& planner,
                               uint32_t group,
                               const DemandMatrix& demand,
                               const PortTable& healthy,
                               const CircuitPlan& current);

  private:
    /// A group's latest demand, both directions in the upper triangle.
    struct Entry
    {
        uint32_t group;    //!< the group
        DemandMatrix pair; //!< bytes per pair; simplex: per direction
    };

    /// @param group group @param demand its demand @return true when it is new
    bool Note(uint32_t group, const DemandMatrix& demand, CircuitKind kind);
    /// @return bytes per pair of all groups
    DemandMatrix Sum() const;

    std::vector<Entry> m_groups; //!< in order of appearance
    DemandMatrix m_standing;     //!< may be empty
    PortTable m_ports;           //!< of the last answer
    CircuitPlan m_answer;        //!< last answer
    RegionRates m_rates;         //!< of the servers
};

} // namespace ns3

#endif // DEMAND_BOOK_H
