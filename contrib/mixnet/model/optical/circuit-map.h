/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_MAP_H
#define CIRCUIT_MAP_H

#include "circuit-plan.h"

#include "ns3/fabric-graph.h"
#include "ns3/mixnet-ids.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A NIC of a server that has a fiber to an OCS of its region.
struct RegionPort
{
    uint32_t server{0};  //!< index into the region's servers
    uint32_t unit{0};    //!< index into the region's OCS units
    uint32_t nic{0};     //!< NIC of the server
    uint32_t numa{0};    //!< its NUMA node
    uint32_t ocsPort{0}; //!< port of the OCS
    EdgeId fiber;        //!< the fiber between them
};

/**
 * @ingroup mixnet
 * The optical ports of a region, read once from the graph: structure only, no state.
 */
class RegionPorts
{
  public:
    /// Where the parallel circuits of a pair go.
    enum NicMapping
    {
        NUMA,  //!< to the NUMA nodes of both servers in turn
        LOWEST //!< to the lowest NICs, NUMA nodes or not
    };

    RegionPorts() = default;

    /// @param graph the graph, complete @param region the region
    RegionPorts(const FabricGraph& graph, RegionId region);

    /// @return servers of the region
    uint32_t GetNServers() const
    {
        return m_servers;
    }

    /// @return OCS units of the region
    uint32_t GetNUnits() const
    {
        return static_cast<uint32_t>(m_ocs.size());
    }

    /// @param unit unit @return its vertex
    VertexId GetOcs(uint32_t unit) const
    {
        return m_ocs[unit];
    }

    /// @param server server @param unit unit @return its ports there, by NIC
    const std::vector<RegionPort>& Get(uint32_t server, uint32_t unit) const
    {
        return m_ports[server * GetNUnits() + unit];
    }

    /// @param unit unit @param ocsPort port with a fiber to the region @return the port
    const RegionPort& GetAt(uint32_t unit, uint32_t ocsPort) const;

    /// @return all fibers, ascending
    const std::vector<EdgeId>& GetFibers() const
    {
        return m_fibers;
    }

    /// @param graph the graph @return ports whose fiber is neither failed nor taken out
    PortTable CountHealthy(const FabricGraph& graph) const;

    /// @param graph the graph @param kind of the plan @return circuits of healthy ports as a plan;
    /// a duplex plan leaves simplex circuits out, a simplex one counts duplex circuits twice
    CircuitPlan ReadPlan(const FabricGraph& graph, CircuitKind kind = CircuitKind::DUPLEX) const;

    /// @param graph the graph @param fiber a fiber @return true unless failed or taken out
    static bool IsHealthy(const FabricGraph& graph, EdgeId fiber);

  private:
    uint32_t m_servers{0};                         //!< servers
    std::vector<VertexId> m_ocs;                   //!< by unit
    std::vector<std::vector<RegionPort>> m_ports;  //!< by server and unit
    std::vector<std::vector<RegionPort>> m_atPort; //!< by unit and OCS port
    std::vector<EdgeId> m_fibers;                  //!< ascending
};

/// Difference between the matching there is and the one a plan needs.
struct PlanChange
{
    std::vector<Circuit> added;   //!< to match
    std::vector<Circuit> removed; //!< to unmatch: their ports are wanted by others
    std::vector<EdgeId> fibers;   //!< fibers of both, ascending: the ones that go dark
    uint32_t kept{0};             //!< circuits of the plan that exist already

    /// @return true when the plan needs no change
    bool IsEmpty() const
    {
        return added.empty() && removed.empty();
    }
};

/// @param graph the present matching @param wanted a circuit to match @param removed out: circuits
/// that hold its ports (simplex: its transmitter and its receiver) are added; some may come twice
void ListInTheWay(const FabricGraph& graph, const Circuit& wanted, std::vector<Circuit>& removed);

/**
 * @ingroup mixnet
 * Give every circuit of a plan its NIC at both ends (design, decision 4).
 *
 * 1. A pair that keeps circuits keeps its ports: of e existing and c planned circuits on a unit
 *    min(e, c) stay, spread over NUMA nodes if there is a choice.
 * 2. Pairs are served in descending count, then by ids. Each new circuit takes, at either end, a
 *    port of the NUMA node that serves the pair least so far; then one that is dark, or whose
 *    circuit goes anyway; then one whose circuit ends at a server that must take some out as well;
 *    then of the node with more free ports; then the lowest NIC. So parallel circuits alternate
 *    between NUMA nodes (paper, 5.2), and few circuits are taken out. Without NUMA nodes (LOWEST)
 *    the number taken out is the least there can be in nearly all cases.
 *    Simplex circuits take a transmitter at one end and a receiver at the other, which may be of
 *    ports whose other half serves other circuits.
 * 3. Circuits that the plan does not have are taken out only if one of their ports is wanted:
 *    taking out the others would cost dark time and gain nothing.
 *
 * @param ports ports of the region
 * @param graph the present matching and the health of the fibers
 * @param plan a legal plan for the healthy ports
 * @param mapping where parallel circuits go
 * @return what to change
 */
PlanChange MapPlan(const RegionPorts& ports,
                   const FabricGraph& graph,
                   const CircuitPlan& plan,
                   RegionPorts::NicMapping mapping = RegionPorts::NUMA);

} // namespace ns3

#endif // CIRCUIT_MAP_H
