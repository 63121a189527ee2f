/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_ROUTE_BUILDER_H
#define FLUID_ROUTE_BUILDER_H

#include "ecmp-tables.h"

#include "ns3/router.h"
#include "ns3/server-paths.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// How a lane crosses the packet fabric: evenly over all equal-cost ways, or by hash.
struct EcmpChoice
{
    LoadBalance balance{LoadBalance::IDEAL};     //!< which of the two
    const std::vector<uint64_t>* seeds{nullptr}; //!< by dense index of the switch, for PER_FLOW
    uint64_t hash{0};                            //!< of the flow, for PER_FLOW
};

/**
 * @ingroup mixnet
 * Adds up the channels and scale-up ports that the lanes of one transfer use. Pure; allocates
 * nothing once it has seen routes as large.
 *
 * Even splitting: at each switch the bytes divide equally over its equal-cost ports. Lanes between
 * the same two leaves are spread once, together. A circuit is two fibers, and only the first
 * serializes: an OCS does not buffer.
 *
 * Law: what enters a switch leaves it; the shares of every cut add up to 1.
 */
class FluidRouteBuilder
{
  public:
    /// @param tables ways through the packet fabric; must outlive this
    explicit FluidRouteBuilder(const EcmpTables& tables);

    /// Start a transfer.
    void Clear();

    /// Bytes that stay in their server. @param from a GPU @param to another one @param share share
    /// of the transfer's bytes
    void AddLocal(GpuId from, GpuId to, double share);

    /**
     * Bytes between servers.
     *
     * @param from source GPU of the lane @param to its destination GPU @param route one of its ways
     * @param share share of the transfer's bytes @param choice how to cross the packet fabric
     * @return false when it crosses the packet fabric where there is no way
     */
    bool AddRoute(GpuId from,
                  GpuId to,
                  const LaneRoute& route,
                  double share,
                  const EcmpChoice& choice);

    /// @param route out: everything added since Clear
    void Finish(FluidRoute& route);

  private:
    /// Bytes that spread from one leaf to another.
    struct Spread
    {
        uint32_t from{0};  //!< leaf
        uint32_t to{0};    //!< leaf
        double share{0};   //!< share of the transfer's bytes
        int64_t delay{0};  //!< longest way, ticks
        uint32_t links{0}; //!< links of every way
    };

    /// Length of one way: its own links, and those of up to one Spread per leg.
    struct Length
    {
        int64_t delay{0};       //!< ticks
        uint32_t links{0};      //!< links that serialize
        std::size_t spreads{0}; //!< first of its entries in m_wayspreads
        std::size_t count{0};   //!< number of them
    };

    /// @param channel a channel @param share share of the bytes that cross it
    void AddChannel(ChannelId channel, double share);
    /// @param gpu a GPU @param egress out of it or into it @param share share of the bytes
    void AddPort(GpuId gpu, bool egress, double share);
    /// @param path a path in a server @param share share of the bytes that take it
    void AddNuma(const ServerPath& path, double share);
    /// @param c a channel @return its delay in ticks
    int64_t GetDelay(ChannelId c) const;
    /// @param leg a crossing by circuit @param share of the bytes @param length in and out
    void AddCircuit(const NetworkLeg& leg, double share, Length& length);
    /// @param leg a crossing of the packet fabric @param share of the bytes @param choice how
    /// @param length in and out @return false when there is no way
    bool AddPacket(const NetworkLeg& leg, double share, const EcmpChoice& choice, Length& length);
    /// @param from leaf @param to leaf @param share of the bytes @return index of the spread
    std::size_t FindSpread(uint32_t from, uint32_t to, double share);
    /// Spread bytes over all equal-cost ways. @param spread from, to, share; delay and links are
    /// written
    void SpreadEvenly(Spread& spread);
    /// One hashed way. @param source NIC address @param destination NIC address
    void FollowHash(uint32_t source,
                    uint32_t destination,
                    double share,
                    const EcmpChoice& choice,
                    Length& length);
    /// @param route out: channels and ports, in order; the builder is empty then
    void Collect(FluidRoute& route);

    const EcmpTables& m_tables;            //!< ways through the packet fabric
    const FabricGraph& m_graph;            //!< their graph
    ServerPaths m_paths;                   //!< inside servers
    std::vector<NumaShare> m_numa;         //!< NUMA links of this transfer, as they come
    std::vector<double> m_share;           //!< by channel; zero between transfers
    std::vector<uint64_t> m_touched;       //!< by channel: one bit when its share is not zero
    std::size_t m_firstWord{0};            //!< of m_touched
    std::size_t m_lastWord{0};             //!< of m_touched
    std::vector<double> m_port;            //!< by GPU: into it, out of it; zero between transfers
    std::vector<uint32_t> m_touchedPort;   //!< indices of m_port that are not zero
    std::vector<Spread> m_spreads;         //!< of this transfer
    std::vector<Length> m_lengths;         //!< of ways that cross the packet fabric
    std::vector<std::size_t> m_wayspreads; //!< indices of m_spreads, way by way
    std::vector<double> m_flow;            //!< by switch; zero between spreads
    std::vector<int64_t> m_delay;          //!< by switch, while m_flow is not zero
    std::vector<uint32_t> m_frontier;      //!< switches at one distance
    std::vector<uint32_t> m_nextFrontier;  //!< switches at the next one
    std::array<double, N_PATH_CLASSES> m_pathShare{}; //!< by path class
    int64_t m_longestDelay{0};                        //!< of all ways
    uint32_t m_mostLinks{0};                          //!< of all ways, links that serialize
};

} // namespace ns3

#endif // FLUID_ROUTE_BUILDER_H
