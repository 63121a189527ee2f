/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "task-graph-traffic.h"

#include "ns3/group-collectives.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace ns3
{

namespace
{

/// Bytes between servers.
using PairSums = std::map<std::pair<uint32_t, uint32_t>, uint64_t>;

/// @param graph who is where @param transfers some @param times how often @param sums added to
void
AddTransfers(const FabricGraph& graph,
             const std::vector<Transfer>& transfers,
             uint64_t times,
             PairSums& sums)
{
    for (const Transfer& t : transfers)
    {
        const uint32_t from = graph.GetServerOf(t.source).Get();
        const uint32_t to = graph.GetServerOf(t.destination).Get();
        if (from != to)
        {
            sums[{from, to}] += t.bytes.Get() * times;
        }
    }
}

} // namespace

void
VisitCollectives(const GraphFile& graph,
                 const GraphGroups& groups,
                 const FabricGraph& fabric,
                 const CollectiveVisitor& visit)
{
    GroupCollectives builder(fabric);
    TransferGraph transfers;
    for (uint32_t s = 0; s + 1 < graph.firstGroup.size(); ++s)
    {
        for (uint64_t g = graph.firstGroup[s]; g < graph.firstGroup[s + 1]; ++g)
        {
            const auto [begin, end] = groups.GetMembers(static_cast<uint32_t>(g));
            if (end - begin < 2)
            {
                continue;
            }
            // equal collectives need to be taken apart only once
            std::map<std::tuple<uint8_t, uint64_t, int32_t, uint32_t>, uint64_t> often;
            for (const uint32_t t : groups.GetCollectives(graph.rankProgram[*begin], s))
            {
                ++often[{graph.kind[t], graph.bytes[t], graph.peer[t], graph.GetMatrix(t)}];
            }
            for (const auto& [what, times] : often)
            {
                GroupSpec spec;
                std::for_each(begin, end, [&](uint32_t r) { spec.members.emplace_back(r); });
                spec.kind = std::get<0>(what);
                spec.bytes = ByteCount(std::get<1>(what));
                spec.root = static_cast<uint32_t>(std::get<2>(what));
                spec.cells = graph.GetCells(std::get<3>(what));
                if (spec.bytes > ByteCount(0))
                {
                    transfers.Clear();
                    builder.Append(transfers, spec);
                    visit(static_cast<uint32_t>(g), times, transfers);
                }
            }
        }
    }
}

std::vector<ServerPairBytes>
SumServerDemand(const GraphFile& graph, const FabricGraph& fabric)
{
    PairSums sums;
    const GraphGroups groups(graph);
    VisitCollectives(graph,
                     groups,
                     fabric,
                     [&](uint32_t /* group */, uint64_t times, const TransferGraph& transfers) {
                         AddTransfers(fabric, transfers.GetTransfers(), times, sums);
                     });
    for (uint32_t r = 0; r < graph.GetNRanks(); ++r)
    {
        const uint32_t p = graph.rankProgram[r];
        for (uint64_t t = graph.firstTask[p]; t < graph.firstTask[p + 1]; ++t)
        {
            if (graph.kind[t] == GraphFile::SEND)
            {
                Transfer send;
                send.source = GpuId(r);
                send.destination = GpuId(groups.GetPeer(r, t));
                send.bytes = ByteCount(graph.bytes[t]);
                AddTransfers(fabric, {send}, 1, sums);
            }
        }
    }
    std::vector<ServerPairBytes> demand;
    for (const auto& [pair, bytes] : sums)
    {
        demand.push_back({ServerId(pair.first), ServerId(pair.second), bytes});
    }
    return demand;
}

ByteCount
EstimateGraphMemory(const GraphFile& graph, const FabricGraph& fabric)
{
    // 9,216-GPU SimAI graph on three tiers of radix 64 (2 of its micro-batches): 234 MB estimated,
    // 238 MB measured; 16 ranks with one message: 10 MB, 10 MB.
    uint64_t nodes = 0;
    uint64_t largest = 0;
    uint32_t group = GraphFile::NONE;
    const GraphGroups groups(graph);
    VisitCollectives(graph,
                     groups,
                     fabric,
                     [&](uint32_t g, uint64_t /* times */, const TransferGraph& transfers) {
                         nodes += g == group ? 0 : largest;
                         largest = g == group ? std::max<uint64_t>(largest, transfers.GetNNodes())
                                              : transfers.GetNNodes();
                         group = g;
                     });
    nodes += largest;
    return ByteCount(10000000 + 150 * graph.GetNTasks() +
                     750ULL * (fabric.GetNEdges() + fabric.GetNGpus()) + 1200 * nodes);
}

} // namespace ns3
