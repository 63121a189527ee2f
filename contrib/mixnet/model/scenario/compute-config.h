/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_COMPUTE_CONFIG_H
#define MIXNET_COMPUTE_CONFIG_H

#include "ns3/compute-variation.h"
#include "ns3/measured-compute-model.h"
#include "ns3/mixnet-json.h"
#include "ns3/training-job.h"

#include <string>

namespace ns3
{

/// Compute times of a scenario beside those of its GPUs' data sheet.
struct ComputeConfig
{
    ComputeTimes times;         //!< of the compute model "measured"
    std::string base{"none"};   //!< "none", or "roofline" for what was not measured
    ComputeVariation variation; //!< of every compute model
};

/**
 * @param t the object "computeTimes"
 * @param job the job, its model and batch known
 * @param file imported measurements that times may name, or empty
 * @param config out: times and base
 * @throws InputError when it is not accepted, or lacks a time that the model needs
 */
void ReadComputeTimes(const JsonReader& t,
                      const TrainingJob& job,
                      const std::string& file,
                      ComputeConfig& config);

/// @param v the object "computeVariation" @param gpus GPUs of the job @return what it says
/// @throws InputError when it is not accepted
ComputeVariation ReadComputeVariation(const JsonReader& v, uint64_t gpus);

} // namespace ns3

#endif // MIXNET_COMPUTE_CONFIG_H
