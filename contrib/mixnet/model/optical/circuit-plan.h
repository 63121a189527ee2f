/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_PLAN_H
#define CIRCUIT_PLAN_H

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-matrix.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Free ports: row = server of the region, column = OCS unit of the region.
using PortTable = Matrix<uint32_t>;

/// Circuits of one server pair on one OCS unit.
struct PlannedPair
{
    uint32_t a{0};     //!< lower server, an index into the region's servers; simplex: the sender
    uint32_t b{0};     //!< higher server; simplex: the receiver
    uint32_t unit{0};  //!< index into the region's OCS units
    uint32_t count{0}; //!< parallel circuits, at least 1

    /// @param o other @return equality
    bool operator==(const PlannedPair& o) const
    {
        return a == o.a && b == o.b && unit == o.unit && count == o.count;
    }
};

/**
 * @ingroup mixnet
 * How many circuits each server pair of a region has. A plan has circuits of one kind: duplex ones
 * have symmetric counts and take a port at both ends, simplex ones lead from a to b and take the
 * transmitter of a port at a and the receiver of one at b. A circuit joins two ports of one OCS
 * unit, so the unit is part of the plan. Which NICs they take is the business of MapPlan().
 *
 * Laws: duplex plans are symmetric, no circuit from a server to itself, GetCount(a, b) = sum over
 * the units.
 */
class CircuitPlan
{
  public:
    CircuitPlan() = default;

    /// @param servers servers of the region @param kind of all its circuits
    explicit CircuitPlan(uint32_t servers, CircuitKind kind = CircuitKind::DUPLEX);

    /// @param a server @param b another server; simplex: a's light goes there @param unit OCS unit
    /// @param count circuits to add
    void Add(uint32_t a, uint32_t b, uint32_t unit, uint32_t count = 1);

    /// @return kind of all its circuits
    CircuitKind GetKind() const
    {
        return m_kind;
    }

    /// @return servers of the region
    uint32_t GetNServers() const
    {
        return static_cast<uint32_t>(m_counts.Rows());
    }

    /// @param a server @param b server @return circuits that bring a's light to b
    uint32_t GetCount(uint32_t a, uint32_t b) const
    {
        return m_counts(a, b);
    }

    /// @param server server @return circuits that carry its light away
    uint32_t GetDegree(uint32_t server) const
    {
        return m_degree[server];
    }

    /// @param server server @return circuits that bring it light; duplex: the same
    uint32_t GetInDegree(uint32_t server) const
    {
        return m_inDegree[server];
    }

    /// @return all circuits
    uint32_t GetTotal() const
    {
        return m_total;
    }

    /// @return circuits by pair and unit, ascending, each pair and unit once
    std::vector<PlannedPair> GetPairs() const;

    /// @return FNV-1a hash of the counts: equal plans have equal hashes on every machine
    uint64_t GetHash() const;

    /// @param a a plan @param b a plan @return true when they are of one kind and every pair has as
    /// many circuits in both
    friend bool operator==(const CircuitPlan& a, const CircuitPlan& b)
    {
        return a.m_kind == b.m_kind && a.m_counts == b.m_counts;
    }

    friend bool operator!=(const CircuitPlan& a, const CircuitPlan& b)
    {
        return !(a == b);
    }

  private:
    CircuitKind m_kind{CircuitKind::DUPLEX}; //!< of all circuits
    Matrix<uint32_t> m_counts;               //!< row: whose light; duplex: symmetric
    std::vector<uint32_t> m_degree;          //!< by server: out of it
    std::vector<uint32_t> m_inDegree;        //!< by server: into it
    std::vector<PlannedPair> m_pairs;        //!< as added, count 1 or more
    uint32_t m_total{0};                     //!< all circuits
};

/// @param plan a plan @param healthy ports per server and OCS unit @return it, without circuits
/// that have no port (any more): the last ones of the pairs that come last
CircuitPlan FitPlan(const CircuitPlan& plan, const PortTable& healthy);

} // namespace ns3

#endif // CIRCUIT_PLAN_H
