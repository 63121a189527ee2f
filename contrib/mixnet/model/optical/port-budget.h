/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PORT_BUDGET_H
#define PORT_BUDGET_H

#include "circuit-planner.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The ports a planner has left. With several OCS units it also chooses the unit of each circuit:
 * the one where the pair already has a circuit, else where the scarcer end has most ports free,
 * else the lowest. Units are chosen one circuit at a time, so ports can stay unused that another
 * choice (an edge coloring) would fit; with one unit this cannot happen. A duplex circuit takes a
 * port at both ends, a simplex one the transmitter of a port at a and the receiver of one at b.
 */
class PortBudget
{
  public:
    /// @param request free ports and present circuits
    explicit PortBudget(const PlanRequest& request);

    /// @param server server @return its free ports on all units; simplex: free transmitters
    uint32_t GetFree(uint32_t server) const
    {
        return m_total[server];
    }

    /// @param a server @param b server @return true when both have free ports, on some units
    bool MayServe(uint32_t a, uint32_t b) const
    {
        return m_total[a] > 0 && (m_simplex ? m_totalIn : m_total)[b] > 0;
    }

    /// @param a server @param b server @return true when some unit has a free port at both
    bool CanServe(uint32_t a, uint32_t b) const
    {
        return MayServe(a, b) && (m_free.Columns() == 1 || ChooseUnit(a, b).has_value());
    }

    /// @param a server @param b server @return circuits that they can still get between them
    uint32_t CountServable(uint32_t a, uint32_t b) const;

    /**
     * Take a port at both ends and add the circuit.
     *
     * @param a server
     * @param b another server
     * @param plan where to add it
     * @return false when no unit has a free port at both
     */
    bool Take(uint32_t a, uint32_t b, CircuitPlan& plan);

    /// @param circuits that the ports are there for, on their unit @param plan where to add them
    void TakeAt(const PlannedPair& circuits, CircuitPlan& plan);

  private:
    /// @param a server @param b server @return unit of the next circuit
    std::optional<uint32_t> ChooseUnit(uint32_t a, uint32_t b) const;
    /// @param a server @param b server @param unit unit @return present circuits not yet taken
    const PlannedPair* FindCurrent(uint32_t a, uint32_t b, uint32_t unit) const;

    bool m_simplex;                     //!< kind of circuits
    PortTable m_free;                   //!< by server and unit; simplex: transmitters
    PortTable m_freeIn;                 //!< simplex: receivers
    std::vector<uint32_t> m_total;      //!< by server
    std::vector<uint32_t> m_totalIn;    //!< simplex: receivers
    std::vector<PlannedPair> m_current; //!< present circuits, sorted; several units only
};

} // namespace ns3

#endif // PORT_BUDGET_H
