/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_PARALLEL_CONFIG_H
#define MIXNET_PARALLEL_CONFIG_H

#include "ns3/mixnet-json.h"
#include "ns3/parallel-degrees.h"

#include <string>

namespace ns3
{

/**
 * @param o object "parallel" of a scenario; "gpus", all GPUs (Megatron-LM's world size), may stand
 * in for "dp"
 * @param file the scenario, for messages
 * @return degrees that fit each other
 * @throws InputError naming key, value and what is accepted
 */
ParallelDegrees ReadParallel(const JsonReader& o, const std::string& file);

/**
 * @param degrees a layout
 * @param servers servers of the cluster; 0: as many as the layout needs
 * @param gpusPerServer GPUs of each
 * @param where cluster, for messages
 * @throws InputError showing the arithmetic when the layout does not fill the servers
 */
void CheckServers(const ParallelDegrees& degrees,
                  uint32_t servers,
                  uint32_t gpusPerServer,
                  const std::string& where);

} // namespace ns3

#endif // MIXNET_PARALLEL_CONFIG_H
