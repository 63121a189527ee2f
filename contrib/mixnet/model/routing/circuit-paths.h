/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_PATHS_H
#define CIRCUIT_PATHS_H

#include "ns3/mixnet-ids.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

class FabricGraph;

/// A circuit that takes new traffic, seen from an end whose light it carries.
struct OpenCircuit
{
    uint32_t nic{0};     //!< NIC at this end
    ServerId peer;       //!< server at the other end
    uint32_t peerNic{0}; //!< NIC at the other end
};

/**
 * @param graph what is up now
 * @param server a server
 * @param circuits out: the circuits that carry its light and that no quiesce holds in this
 * direction, by NIC; none to itself
 */
void ListOpenCircuits(const FabricGraph& graph,
                      ServerId server,
                      std::vector<OpenCircuit>& circuits);

/**
 * @param graph what is up now
 * @param from a server @param to another one
 * @param circuits out: those of `from` that lead to `to`, as above
 */
void ListOpenCircuits(const FabricGraph& graph,
                      ServerId from,
                      ServerId to,
                      std::vector<OpenCircuit>& circuits);

/**
 * @ingroup mixnet
 * Ways from server to server over circuits that are open now, fewest circuits first. Pure.
 *
 * Distances are searched per destination when first asked for and kept until the optical version of
 * the graph changes: 2 bytes per server and destination in use.
 */
class CircuitPaths
{
  public:
    static constexpr uint16_t UNREACHABLE = UINT16_MAX; //!< distance: no way

    /// @param graph what is up now; read again only if its optical version has changed
    void Refresh(const FabricGraph& graph);

    /// @param from a server @param to a server @return circuits of a shortest way, or UNREACHABLE
    uint16_t GetDistance(ServerId from, ServerId to);

    /**
     * First servers of the shortest ways. Where some of them share the region of `from` (or are the
     * destination), the others are left out.
     *
     * @param from a server @param to another one that is reachable
     * @param next out: ascending, each once
     */
    void GetNextServers(ServerId from, ServerId to, std::vector<ServerId>& next);

    /// A server's circuits to one peer.
    struct Bundle
    {
        const OpenCircuit* first{nullptr}; //!< the first one; the others follow, by NIC
        std::size_t count{0};              //!< number of circuits
    };

    /// @param from a server @param to another one @return the circuits that join them; valid until
    /// the next Refresh
    Bundle GetCircuits(ServerId from, ServerId to) const;

    /**
     * What a server that forwards needs to know (packet world).
     *
     * @param at a server @param to destination
     * @param nics out: NICs whose circuit begins a shortest way, ascending; empty when there is
     * none
     */
    void GetNextNics(ServerId at, ServerId to, std::vector<uint32_t>& nics);

  private:
    /// Write m_feeders from m_circuits.
    void ListFeeders();
    /// @param to destination @return circuits from every server to it
    const std::vector<uint16_t>& GetDistances(ServerId to);

    const FabricGraph* m_graph{nullptr};    //!< the graph read
    uint64_t m_version{0};                  //!< its optical version then
    std::vector<std::size_t> m_first;       //!< by server: first circuit; one more at the
                                            //!< end
    std::vector<OpenCircuit> m_circuits;    //!< of all servers, by peer, then NIC
    std::vector<std::size_t> m_firstFeeder; //!< by server, as m_first
    std::vector<uint32_t> m_feeders;        //!< servers whose circuits lead there, by circuit
    std::vector<RegionId> m_region;         //!< by server
    std::vector<std::vector<uint16_t>> m_distances; //!< by destination; empty until asked for
    std::vector<OpenCircuit> m_scratch;             //!< circuits of one server
};

} // namespace ns3

#endif // CIRCUIT_PATHS_H
