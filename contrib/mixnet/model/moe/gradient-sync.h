/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_SYNC_H
#define GRADIENT_SYNC_H

#include "parallel-layout.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/transfer-graph.h"

namespace ns3
{

/// Gradients of experts that have the same replicas.
struct ReplicatedBytes
{
    std::vector<uint32_t> ranks; //!< EP ranks with a replica, two or more, ascending
    ByteCount bytes;             //!< gradients of one replica
};

/// Gradients of one stage.
struct GradientBytes
{
    ByteCount shared; //!< attention, gates, dense layers, shared experts, embedding, head:
                      //!< all-reduced over DP x EP
    std::vector<ByteCount> expert;           //!< by EP rank: of experts without replicas; over DP
    std::vector<ReplicatedBytes> replicated; //!< of the others: over DP x ranks
};

/// @param job job @param layout its layout @param stage stage @return bytes, all TP lanes together
GradientBytes GetGradientBytes(const TrainingJob& job,
                               const ParallelLayout& layout,
                               uint32_t stage);

/**
 * @ingroup mixnet
 * The gradient all-reduces of a stage (design, decision 22), all at once: shared gradients over all
 * replicas and EP ranks, expert gradients over the replicas (and over the EP ranks that have the
 * same expert). Each is hierarchical (paper, section 5.3): reduced inside every server in closed
 * form, between servers by the job's gradientSync, and back. A ring's lanes are the GPUs of a
 * server that hold the gradient (the TP block, or several adjacent ones): how they reach the NICs,
 * packet NICs of other GPUs included, is the router's business.
 *
 * @param graph appended to
 * @param job job
 * @param layout its layout
 * @param stage stage
 * @param steppedUpTo RingSpec::steppedUpTo
 */
void AppendGradientSync(TransferGraph& graph,
                        const TrainingJob& job,
                        const ParallelLayout& layout,
                        uint32_t stage,
                        uint32_t steppedUpTo);

} // namespace ns3

#endif // GRADIENT_SYNC_H
