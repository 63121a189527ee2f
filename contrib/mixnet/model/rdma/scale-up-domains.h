/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SCALE_UP_DOMAINS_H
#define SCALE_UP_DOMAINS_H

#include "ns3/fabric-graph.h"
#include "ns3/fluid-engine.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/server-paths.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// A move inside a server: between GPUs, over a NUMA link, or both.
struct ServerMove
{
    GpuId from;                //!< a GPU
    GpuId to;                  //!< another one, or the same: not over scale-up ports
    uint32_t link{UINT32_MAX}; //!< NUMA link, as in ServerPath

    /// @return true when nothing limits it
    bool IsFree() const
    {
        return from == to && link == UINT32_MAX;
    }
};

/**
 * @ingroup mixnet
 * The insides of the servers of the packet world, message by message: every GPU has a rate into
 * and out of the scale-up domain (NVSwitch), every direction of a NUMA link has one; moves share
 * them max-min fairly by payload (design, decision 19).
 */
class ScaleUpDomains : private FluidEngine::Client
{
  public:
    /// Told the cookies of moves whose last bit has arrived at one instant, from an event of its
    /// own; their handles are no longer valid.
    using DoneFunction = std::function<void(const std::vector<uint32_t>& cookies)>;

    /// @param graph servers @param done told of ends
    ScaleUpDomains(const FabricGraph& graph, DoneFunction done);

    /// @return paths inside the servers
    const ServerPaths& GetPaths() const
    {
        return m_paths;
    }

    /**
     * A move of bytes; it starts with Launch().
     *
     * @param move which, not free @param bytes above zero @param cookie the caller's
     * @param handle out: set by Launch(), for Stop(); must live until then
     */
    void Add(const ServerMove& move, ByteCount bytes, uint32_t cookie, FlowHandle* handle);
    /// Start everything added, at one instant.
    void Launch();
    /// @param handle a move in progress, to be forgotten @return bytes not moved, rounded up
    ByteCount Stop(FlowHandle handle);
    /// @return moves in progress
    uint32_t GetNMoves() const;

  private:
    void OnDrained(const FlowEnd* ends, std::size_t count) override;
    /// @param move a move @return its route
    uint32_t GetRoute(const ServerMove& move);
    /// @param move a move @return a new route
    uint32_t AddRoute(const ServerMove& move);

    DoneFunction m_done;                             //!< told of ends
    ServerPaths m_paths;                             //!< inside servers
    FluidEngine m_engine;                            //!< rates
    uint32_t m_firstLink{0};                         //!< resource of the first NUMA link
    std::unordered_map<uint64_t, uint32_t> m_routes; //!< by pair, without a NUMA link
    std::map<std::tuple<GpuId, GpuId, uint32_t>, uint32_t> m_numaRoutes; //!< with one
    std::vector<FlowSpec> m_specs;                                       //!< added
    std::vector<FlowHandle*> m_out;                                      //!< where their handles go
    std::vector<FlowHandle> m_handles;                                   //!< scratch
    uint64_t m_order{0};                                                 //!< next rank
};

} // namespace ns3

#endif // SCALE_UP_DOMAINS_H
