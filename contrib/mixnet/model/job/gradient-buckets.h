/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef GRADIENT_BUCKETS_H
#define GRADIENT_BUCKETS_H

#include "parallel-layout.h"

#include "ns3/mixnet-byte-count.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Bytes of experts that have the same replicas.
struct ReplicatedBytes
{
    std::vector<uint32_t> ranks; //!< EP ranks with a replica, two or more, ascending
    ByteCount bytes;             //!< of one replica
};

/// Gradients or parameters of layers of a stage.
struct GradientBytes
{
    ByteCount shared; //!< attention, gates, dense layers, shared experts, embedding, head:
                      //!< reduced over DP x EP
    std::vector<ByteCount> expert;           //!< by EP rank: of experts without replicas; over DP
    std::vector<ReplicatedBytes> replicated; //!< of the others: over DP x ranks
};

/// @ingroup mixnet
/// Layers of a stage whose gradients are reduced together.
struct GradientBucket
{
    uint32_t stage{0};            //!< PP stage
    std::vector<uint32_t> layers; //!< in the order in which their backward passes end
    bool embedding{false};        //!< with the embedding
    bool head{false};             //!< with the head
};

/// @param job job @param layout its layout @param stage stage
/// @return all its layers as one bucket
GradientBucket GetWholeBucket(const TrainingJob& job, const ParallelLayout& layout, uint32_t stage);

/**
 * The buckets of a stage, in the order in which their gradients are ready: one without
 * gradientOverlap. With it, layers join a bucket, the last one first, until a GPU's gradients of
 * the bucket (shared ones, and those of the EP rank that has most) reach gradientBucket; a bucket
 * ends with its chunk. So do Megatron-Core's, which also cuts inside of layers and keeps experts
 * in buckets of their own (megatron/core/distributed/param_and_grad_buffer.py).
 *
 * @param job job @param layout its layout @param stage stage @return buckets, one or more
 */
std::vector<GradientBucket> MakeGradientBuckets(const TrainingJob& job,
                                                const ParallelLayout& layout,
                                                uint32_t stage);

/// @param job job @param layout its layout @param bucket layers
/// @param bytesPerElement bytes of a gradient or parameter @return bytes, all TP lanes together
GradientBytes GetBucketBytes(const TrainingJob& job,
                             const ParallelLayout& layout,
                             const GradientBucket& bucket,
                             uint32_t bytesPerElement);

/// @param job job @param layout its layout @param stage stage
/// @return bytes of all its gradients, all TP lanes together
GradientBytes GetGradientBytes(const TrainingJob& job,
                               const ParallelLayout& layout,
                               uint32_t stage);

} // namespace ns3

#endif // GRADIENT_BUCKETS_H
