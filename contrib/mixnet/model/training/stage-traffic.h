/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_STAGE_TRAFFIC_H
#define MIXNET_STAGE_TRAFFIC_H

#include "stage-context.h"

#include "ns3/stage-program.h"
#include "ns3/traffic-matrix.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup mixnet
/// Routing of one MoE layer for one micro-batch, kept from forward to backward.
struct LayerTraffic
{
    TrafficMatrix matrix;                            //!< bytes
    std::vector<ComputeBlock> experts[N_PASS_KINDS]; //!< by pass and rank
    bool known{false};                               //!< the gate has been asked
};

/**
 * @ingroup mixnet
 * Routing of the MoE layers of a stage, by chunk and micro-batch, from the start of the forward
 * pass to the end of the backward pass. The gate is asked once per layer and micro-batch, when it
 * is first needed.
 */
class StageTraffic
{
  public:
    /// @param context shared @param replica DP replica @param stage PP stage @param split backward
    /// passes are split
    StageTraffic(StageContext& context, uint32_t replica, uint32_t stage, bool split);

    /// A forward pass begins. @param chunk chunk @param microBatch micro-batch @param slots MoE
    /// layers of the chunk
    void Open(uint32_t chunk, uint32_t microBatch, uint32_t slots);

    /// The last backward pass has ended. @param chunk chunk @param microBatch micro-batch
    void Close(uint32_t chunk, uint32_t microBatch);

    /// @param chunk chunk @param microBatch micro-batch @param step step of an MoE layer
    /// @return its routing, asked for if not known
    LayerTraffic& Get(uint32_t chunk, uint32_t microBatch, const StageStep& step);

    /// Forget all.
    void Reset();

  private:
    /// @param chunk chunk @param microBatch micro-batch @return index into m_entryOf
    std::size_t GetIndex(uint32_t chunk, uint32_t microBatch) const;
    /// Ask the gate. @param traffic to fill @param microBatch micro-batch @param moeLayer layer
    void Route(LayerTraffic& traffic, uint32_t microBatch, uint32_t moeLayer);

    StageContext& m_context;                       //!< shared
    const uint32_t m_replica;                      //!< DP replica
    const uint32_t m_stage;                        //!< PP stage
    const bool m_split;                            //!< backward passes are split
    std::vector<std::vector<LayerTraffic>> m_pool; //!< by entry and slot
    std::vector<uint32_t> m_free;                  //!< entries of the pool not in use
    std::vector<uint32_t> m_entryOf;               //!< by GetIndex(): entry of the pool
};

} // namespace ns3

#endif // MIXNET_STAGE_TRAFFIC_H
