/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_SYNC_H
#define GRADIENT_SYNC_H

#include "gradient-buckets.h"
#include "parallel-layout.h"

#include "ns3/collective-builders.h"
#include "ns3/transfer-graph.h"

namespace ns3
{

/// @param job job @return what is done with its gradients
inline ReduceStep
GetGradientStep(const TrainingJob& job)
{
    return job.optimizerSharding == OptimizerSharding::ZERO1 ? ReduceStep::REDUCE_SCATTER
                                                             : ReduceStep::ALL_REDUCE;
}

/**
 * @ingroup mixnet
 * The collectives of a bucket (design, decision 22), all at once: shared gradients over all
 * replicas and EP ranks, expert gradients over the replicas (and over the EP ranks that have the
 * same expert). Each is hierarchical (paper, section 5.3): reduced inside every server in closed
 * form, between servers by the job's gradientSync, and back. A ring's lanes are the GPUs of a
 * server that hold the gradient (the TP block, or several adjacent ones); members that lie apart
 * have rings of their own with equal parts. How they reach the NICs,
 * packet NICs of other GPUs included, is the router's business.
 *
 * A reduce-scatter and an all-gather are the two halves of an all-reduce, each with (n-1)/n of the
 * buffer into and out of every one of n servers; an all-gather moves parameters (bytesPerParameter
 * of each), the others gradients (bytesPerGradient).
 *
 * @param graph appended to
 * @param job job
 * @param layout its layout
 * @param bucket what is reduced or gathered
 * @param step which collective
 * @param steppedUpTo RingSpec::steppedUpTo
 */
void AppendGradientStep(TransferGraph& graph,
                        const TrainingJob& job,
                        const ParallelLayout& layout,
                        const GradientBucket& bucket,
                        ReduceStep step,
                        uint32_t steppedUpTo);

/**
 * All that a stage's gradients send in an iteration: an all-reduce, or with ZERO1 a reduce-scatter
 * of gradients and an all-gather of parameters (Rajbhandari et al., SC 2020, section 7.2.1). For
 * counting: the steps do not wait for each other.
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
