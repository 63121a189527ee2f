/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef OP_SIZES_H
#define OP_SIZES_H

#include "ns3/compute-model.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/nstime.h"
#include "ns3/parallel-layout.h"
#include "ns3/training-job.h"
#include "ns3/training-records.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// A compute operation, or the CP exchange, of one layer and micro-batch, for reports.
struct OpSize
{
    OpKind kind{OpKind::ATTENTION}; //!< what
    uint32_t layers{0};             //!< layers of the model that have it; 1 for the head
    double flops{0};                //!< forward, per GPU
    double memoryBytes{0};          //!< forward, per GPU: weights, inputs and outputs once
    ByteCount contextBytes;         //!< forward CP exchange, all GPUs of an EP rank together; the
                                    //!< backward pass exchanges twice as much
    ByteCount tensorBytes;          //!< forward TP collectives, all GPUs of an EP rank together
    Time forward;                   //!< with its TP collectives
    Time backward;                  //!< likewise
    Time weightGradient;            //!< of that, gradients of weights
    Time recomputed;                //!< of that, forward work that comes again
};

/**
 * @param job a valid job
 * @param layout its layout
 * @param compute how long a GPU computes
 * @return its compute operations, those of a layer in their order, the head last; experts with the
 * mean of the copies that their EP rank receives, split evenly among the most that a rank has; the
 * CP exchange, which takes no time of a GPU, before the attention that waits for it
 */
std::vector<OpSize> ListOpSizes(const TrainingJob& job,
                                const ParallelLayout& layout,
                                const ComputeModel& compute);

} // namespace ns3

#endif // OP_SIZES_H
