/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_GRADIENT_CONFIG_H
#define MIXNET_GRADIENT_CONFIG_H

#include "ns3/mixnet-json.h"
#include "ns3/training-job.h"

namespace ns3
{

/**
 * Read what a job does with its gradients: gradientSync, gradientChunk, gradientOverlap,
 * gradientBucket, optimizer.
 *
 * @param root a scenario
 * @param job its job, model and layout read; filled
 * @throws InputError naming key, value and what is accepted
 */
void ReadGradients(const JsonReader& root, TrainingJob& job);

} // namespace ns3

#endif // MIXNET_GRADIENT_CONFIG_H
