/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-catalog.h"

#include "collective-builders.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

void
AllReduce(TransferGraph& graph, const CollectiveSpec& spec)
{
    AppendAllReduce(graph, spec);
}

void
TreeAllReduce(TransferGraph& graph, const CollectiveSpec& spec)
{
    AppendTreeAllReduce(graph, spec);
}

void
AllGather(TransferGraph& graph, const CollectiveSpec& spec)
{
    AppendAllGather(graph, spec);
}

void
ReduceScatter(TransferGraph& graph, const CollectiveSpec& spec)
{
    AppendReduceScatter(graph, spec);
}

void
Broadcast(TransferGraph& graph, const CollectiveSpec& spec)
{
    AppendBroadcast(graph, spec);
}

void
TreeBroadcast(TransferGraph& graph, const CollectiveSpec& spec)
{
    AppendTreeBroadcast(graph, spec);
}

void
AllToAll(TransferGraph& graph, const CollectiveSpec& spec)
{
    const std::size_t n = spec.members.size();
    const Matrix<uint64_t> bytes(n, n, spec.bytes.Get() / n);
    AppendAllToAll(graph, spec.members, spec.lanes, spec.trafficClass, bytes, false);
}

void
PointToPoint(TransferGraph& graph, const CollectiveSpec& spec)
{
    CollectiveSpec pair = spec;
    pair.members = {spec.members.front(), spec.members.back()};
    AppendBroadcast(graph, pair);
}

using Kind = CollectiveKind;
using Grouping = CollectiveGrouping;

/// The default algorithm of an operation first.
constexpr NamedCollective CATALOG[] = {
    {"all-reduce", "ring", Kind::ALL_REDUCE, Grouping::NONE, AllReduce},
    {"all-reduce", "tree", Kind::ALL_REDUCE, Grouping::NONE, TreeAllReduce},
    {"all-reduce", "hierarchical", Kind::ALL_REDUCE, Grouping::SERVER, AllReduce},
    {"all-reduce", "two-level", Kind::ALL_REDUCE, Grouping::REGION, AllReduce},
    {"all-gather", "ring", Kind::ALL_GATHER, Grouping::NONE, AllGather},
    {"all-gather", "hierarchical", Kind::ALL_GATHER, Grouping::SERVER, AllGather},
    {"all-gather", "two-level", Kind::ALL_GATHER, Grouping::REGION, AllGather},
    {"reduce-scatter", "ring", Kind::REDUCE_SCATTER, Grouping::NONE, ReduceScatter},
    {"reduce-scatter", "hierarchical", Kind::REDUCE_SCATTER, Grouping::SERVER, ReduceScatter},
    {"reduce-scatter", "two-level", Kind::REDUCE_SCATTER, Grouping::REGION, ReduceScatter},
    {"broadcast", "ring", Kind::BROADCAST, Grouping::NONE, Broadcast},
    {"broadcast", "tree", Kind::BROADCAST, Grouping::NONE, TreeBroadcast},
    {"all-to-all", "direct", Kind::ALL_TO_ALL, Grouping::NONE, AllToAll},
    {"point-to-point", "direct", Kind::POINT_TO_POINT, Grouping::NONE, PointToPoint},
};

} // namespace

NamedCollective
FindCollective(const std::string& operation, const std::string& algorithm, const std::string& where)
{
    std::string known;
    for (const NamedCollective& entry : CATALOG)
    {
        if (operation == entry.operation && (algorithm.empty() || algorithm == entry.algorithm))
        {
            return entry;
        }
        known += (known.empty() ? "" : ", ") + std::string(entry.operation) + " " + entry.algorithm;
    }
    throw InputError(where,
                     "'" + operation + (algorithm.empty() ? "" : " ") + algorithm +
                         "' is not known",
                     known);
}

std::vector<std::vector<uint32_t>>
MakeGroups(CollectiveGrouping grouping,
           const std::vector<GpuId>& members,
           const FabricGraph& graph,
           const std::string& where)
{
    switch (grouping)
    {
    case CollectiveGrouping::SERVER:
        return GroupByServer(members, graph);
    case CollectiveGrouping::REGION:
        if (graph.GetNRegions() == 0)
        {
            throw InputError(where, "two-level on a fabric without optical regions");
        }
        return GroupByRegion(members, graph);
    case CollectiveGrouping::NONE:
        break;
    }
    return {};
}

} // namespace ns3
