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

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * The scale-up domains (NVSwitch) of the packet world, message by message: every GPU has a rate in
 * and a rate out, shared max-min fairly by payload (design, decision 19).
 */
class ScaleUpDomains : private FluidEngine::Client
{
  public:
    /// Told the cookies of moves whose last bit has arrived at one instant, from an event of its
    /// own; their handles are no longer valid.
    using DoneFunction = std::function<void(const std::vector<uint32_t>& cookies)>;

    /// @param graph servers @param done told of ends
    ScaleUpDomains(const FabricGraph& graph, DoneFunction done);

    /**
     * A move of bytes between two GPUs of a server; it starts with Launch().
     *
     * @param from a GPU @param to another one of its server @param bytes above zero
     * @param cookie the caller's
     * @param handle out: set by Launch(), for Stop(); must live until then
     */
    void Add(GpuId from, GpuId to, ByteCount bytes, uint32_t cookie, FlowHandle* handle);
    /// Start everything added, at one instant.
    void Launch();
    /// @param handle a move in progress, to be forgotten
    void Stop(FlowHandle handle);
    /// @return moves in progress
    uint32_t GetNMoves() const;

  private:
    void OnDrained(const FlowEnd* ends, std::size_t count) override;
    /// @param from a GPU @param to another one @return their route
    uint32_t GetRoute(GpuId from, GpuId to);

    DoneFunction m_done;                             //!< told of ends
    FluidEngine m_engine;                            //!< rates
    std::unordered_map<uint64_t, uint32_t> m_routes; //!< by pair
    std::vector<FlowSpec> m_specs;                   //!< added
    std::vector<FlowHandle*> m_out;                  //!< where their handles go
    std::vector<FlowHandle> m_handles;               //!< scratch
    uint64_t m_order{0};                             //!< next rank
};

} // namespace ns3

#endif // SCALE_UP_DOMAINS_H
