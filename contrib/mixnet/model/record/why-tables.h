/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_WHY_TABLES_H
#define MIXNET_WHY_TABLES_H

#include "ns3/fabric-resources.h"
#include "ns3/result-table.h"
#include "ns3/training-records.h"

#include <cstdint>
#include <vector>

/**
 * @file
 * @ingroup mixnet
 * Why iterations took as long as they did: tables made of their operations.
 */

namespace ns3
{

/// @param run its number @param ops of all iterations @param resources names
/// @return /critical_path: operations on critical paths, in order, and what bounded them
ResultTable MakeCriticalPathTable(uint32_t run,
                                  const std::vector<OpRecord>& ops,
                                  const FabricResources& resources);

/**
 * Time on critical paths by phase (kind of operation, or waiting for circuits) and by the resource
 * that bounded it.
 *
 * @param run its number
 * @param ops of all iterations
 * @param resources names
 * @return /bottlenecks: by iteration, longest first
 */
ResultTable MakeBottleneckTable(uint32_t run,
                                const std::vector<OpRecord>& ops,
                                const FabricResources& resources);

/// @param run its number @param ops of all iterations
/// @return /slack: by iteration, replica, stage, kind of operation and direction
ResultTable MakeSlackTable(uint32_t run, const std::vector<OpRecord>& ops);

} // namespace ns3

#endif // MIXNET_WHY_TABLES_H
