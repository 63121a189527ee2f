/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FOLDED_JOB_H
#define FOLDED_JOB_H

#include "moe_fixture.h"

namespace ns3
{

/// @param tensor TP @param expertTensor ETP @param expert EP @return their degrees
inline ParallelDegrees
Folded(uint32_t tensor, uint32_t expertTensor, uint32_t expert)
{
    ParallelDegrees d;
    d.tensor = tensor;
    d.ranksPerBlock = tensor / expertTensor;
    d.expert = expert / d.ranksPerBlock;
    return d;
}

/// @param expertTensor ETP @return 2 blocks of TP 4; 8 experts, top-2, 64 tokens of a block
inline TrainingJob
FoldedJob(uint32_t expertTensor)
{
    TrainingJob job = TinyJob();
    job.model.experts = 8;
    job.degrees = Folded(4, expertTensor, 8 / expertTensor);
    return job;
}

} // namespace ns3

#endif // FOLDED_JOB_H
