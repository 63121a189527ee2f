/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TASK_GRAPH_TRAFFIC_H
#define MIXNET_TASK_GRAPH_TRAFFIC_H

#include "ns3/fabric-graph.h"
#include "ns3/graph-file.h"
#include "ns3/job-demand.h"
#include "ns3/mixnet-byte-count.h"
#include "ns3/transfer-graph.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/// Told the group of a collective, how often it has it, and its transfers.
using CollectiveVisitor =
    std::function<void(uint32_t group, uint64_t times, const TransferGraph& transfers)>;

/// @param graph task graph @param groups its groups @param fabric where it runs
/// @param visit told the collectives of every group, equal ones of a group once
void VisitCollectives(const GraphFile& graph,
                      const GraphGroups& groups,
                      const FabricGraph& fabric,
                      const CollectiveVisitor& visit);

/// @param graph task graph @param fabric where it runs @return its bytes by pair of servers
std::vector<ServerPairBytes> SumServerDemand(const GraphFile& graph, const FabricGraph& fabric);

/**
 * Estimate what a run of a task graph needs. Groups of a set, which mostly do the same at the same
 * time, hold the transfers of their largest collective at once; the runs of collectives are pooled
 * and keep what they took.
 *
 * @param graph task graph @param fabric where it runs
 * @return peak memory of the process
 */
ByteCount EstimateGraphMemory(const GraphFile& graph, const FabricGraph& fabric);

} // namespace ns3

#endif // MIXNET_TASK_GRAPH_TRAFFIC_H
