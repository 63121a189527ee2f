/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_COMPUTE_MODEL_HELPER_H
#define MIXNET_COMPUTE_MODEL_HELPER_H

#include "ns3/compute-model.h"
#include "ns3/mixnet-scenario.h"

#include <string>

namespace ns3
{

/// @param scenario scenario @param name "roofline", "paper" or "measured" @return the compute model
Ptr<ComputeModel> MakeComputeModel(const Scenario& scenario, const std::string& name);

} // namespace ns3

#endif // MIXNET_COMPUTE_MODEL_HELPER_H
