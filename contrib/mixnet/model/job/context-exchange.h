/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CONTEXT_EXCHANGE_H
#define CONTEXT_EXCHANGE_H

#include "parallel-layout.h"

#include "ns3/transfer-graph.h"

#include <cstdint>

namespace ns3
{

/// What a CP group exchanges.
enum class ContextPhase : uint8_t
{
    GATHER, //!< keys and values of all ranks, before the attention; again before its backward pass
    SCATTER //!< their gradients back, after the backward pass of the attention
};

/**
 * @ingroup mixnet
 * Exchange of the CP groups of one EP group for a layer and micro-batch, all at once: an all-gather
 * of keys and values, or the reduce-scatter of their gradients (all-gather based context
 * parallelism: Llama 3, arXiv 2407.21783, section 3.3.2). With K = TrainingJob::GetKeyBytes() and
 * n = CP, either moves (n-1) K per rank; the keys and values of other ranks are not kept until the
 * backward pass, which gathers them again: 3 (n-1) K per rank, layer and micro-batch. Latent
 * attention (MLA) exchanges the keys and values of all heads, as Megatron-Core does.
 *
 * Rings (AppendAllGather, AppendReduceScatter) in the order of the ranks; where a CP group has
 * several ranks in a server and others elsewhere, first between servers among ranks of equal place,
 * so that the NICs of all take part, then inside servers.
 *
 * @param graph appended to
 * @param job job @param group EP group
 * @param phase what is exchanged
 * @param steppedUpTo CollectiveSpec::steppedUpTo
 */
void AppendContextExchange(TransferGraph& graph,
                           const TrainingJob& job,
                           const StageGroup& group,
                           ContextPhase phase,
                           uint32_t steppedUpTo);

/// @param job job @return bytes that all its CP groups send in an iteration
ByteCount GetContextBytes(const TrainingJob& job);

} // namespace ns3

#endif // CONTEXT_EXCHANGE_H
