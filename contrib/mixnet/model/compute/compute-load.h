/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_COMPUTE_LOAD_H
#define MIXNET_COMPUTE_LOAD_H

#include "exposure-meter.h"

#include "ns3/load-meter.h"
#include "ns3/mixnet-ids.h"

#include <vector>

/**
 * @file
 * @ingroup mixnet
 * What bounds operations that no transfer does.
 */

namespace ns3
{

/**
 * @param blocks by rank: what it does
 * @param gpus by rank: its first GPU
 * @return the slowest rank's GPU (TP collectives included; the first of several, with their number)
 * and the next slower one, by their compute times; all GPUs when all ranks take equally long
 */
OperationLoad GetComputeLoad(const std::vector<ComputeBlock>& blocks,
                             const std::vector<GpuId>& gpus);

/// @param time of a computation that is the same for all @param ranks their number @return its load
OperationLoad GetComputeLoad(Time time, std::size_t ranks);

/// @param time of a collective inside scale-up domains, in closed form @return its load
OperationLoad GetScaleUpLoad(Time time);

} // namespace ns3

#endif // MIXNET_COMPUTE_LOAD_H
