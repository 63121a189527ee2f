/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TENSOR_CROSSING_H
#define MIXNET_TENSOR_CROSSING_H

#include "parallel-layout.h"

#include "ns3/mixnet-ids.h"
#include "ns3/transfer-graph.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/// A TP block of which a lane is done in another server.
struct BrokenBlock
{
    /// A place where the ring of the block changes servers: by channel, source and destination.
    using Crossing = std::vector<std::pair<GpuId, GpuId>>;

    uint32_t rank{0};                //!< EP rank
    std::vector<Crossing> crossings; //!< two for every lane that is away, fewer for neighbors
};

/**
 * @ingroup mixnet
 * TP collectives of blocks that a failure has spread over servers. Their ring (all-gather,
 * reduce-scatter, all-reduce: every edge carries the same bytes, Thakur et al., IJHPCA 2005) leaves
 * the scale-up domain twice for every lane that is away: there it is messages of class TP through
 * the network, beside the closed form of its other edges.
 *
 * The ring runs on several channels, one per lane that has stayed, each by the NICs beside it and
 * beside the GPU of the same number in the other server (rings of NCCL use all NICs of a server).
 */
class TensorCrossings
{
  public:
    /**
     * @param layout where the job runs
     * @param group its group
     * @param channels at most so many; 0: as many as there are lanes that have stayed
     */
    TensorCrossings(const ParallelLayout& layout, const StageGroup& group, uint32_t channels);

    /// @return blocks that are spread over servers, by rank; mostly none
    const std::vector<BrokenBlock>& GetBlocks() const
    {
        return m_blocks;
    }

    /// @param closedForm time of a collective inside the scale-up domain
    /// @return what each edge of its ring carries
    ByteCount GetEdgeBytes(Time closedForm) const;

    /// @param graph appended to: one collective @param block of GetBlocks() @param closedForm its
    /// time inside the scale-up domain
    void Append(TransferGraph& graph, const BrokenBlock& block, Time closedForm) const;

  private:
    /// @param layout layout @param home first GPU of a block @param channels as given
    /// @param block out: its crossings
    void FindCrossings(const ParallelLayout& layout,
                       GpuId home,
                       uint32_t channels,
                       BrokenBlock& block) const;

    std::vector<BrokenBlock> m_blocks; //!< by rank
    DataRate m_rate;                   //!< scale-up, per GPU
};

} // namespace ns3

#endif // MIXNET_TENSOR_CROSSING_H
