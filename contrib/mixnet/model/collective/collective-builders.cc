/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "collective-builders.h"

#include "collective-cost.h"
#include "collectives.h"

#include "ns3/even-part.h"
#include "ns3/mixnet-error.h"

namespace ns3
{

namespace
{

using Node = TransferGraph::Node;

/// @return a transfer along the ring from member i to the next
Transfer
Edge(const RingSpec& spec, std::size_t i, ByteCount bytes)
{
    Transfer t;
    t.source = spec.members[i];
    t.destination = spec.members[(i + 1) % spec.members.size()];
    t.bytes = bytes;
    t.lanes = spec.lanes;
    t.trafficClass = spec.trafficClass;
    return t;
}

/// One flow per edge. @return by member: what it waits for
std::vector<std::vector<Node>>
AppendFlowRing(TransferGraph& graph, const RingSpec& spec, const std::vector<Node>& after)
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    std::vector<std::vector<Node>> done(n);
    for (uint32_t i = 0; i < n; ++i)
    {
        const ByteCount bytes = GetEvenPart(spec.bytes * (2 * (uint64_t(n) - 1)), n, i);
        const Node node = graph.AddTransfer(Edge(spec, i, bytes));
        if (!after.empty())
        {
            graph.AddDependency(after[i], node);
        }
        done[(i + 1) % n].push_back(node);
    }
    return done;
}

/// All steps. @return by member: what it waits for
std::vector<std::vector<Node>>
AppendSteppedRing(TransferGraph& graph, const RingSpec& spec, const std::vector<Node>& after)
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    std::vector<std::vector<Node>> done(n);
    std::vector<Node> last(n);
    std::vector<Node> now(n);
    for (uint32_t step = 0; step < 2 * (n - 1); ++step)
    {
        for (uint32_t i = 0; i < n; ++i)
        {
            // Member i sends chunk i - step: the one that it received in the step before.
            const uint32_t chunk = (i + 2 * n - step % n) % n;
            now[i] = graph.AddTransfer(Edge(spec, i, GetEvenPart(spec.bytes, n, chunk)));
            if (step > 0)
            {
                graph.AddDependency(last[(i + n - 1) % n], now[i]);
            }
            else if (!after.empty())
            {
                graph.AddDependency(after[i], now[i]);
            }
            if (step >= n - 2)
            {
                done[(i + 1) % n].push_back(now[i]);
            }
        }
        std::swap(last, now);
    }
    return done;
}

/// Around the servers. @return by server: what it waits for
std::vector<std::vector<Node>>
Between(TransferGraph& graph, const HierarchicalSpec& spec, const std::vector<Node>& after)
{
    if (spec.step == ReduceStep::ALL_REDUCE)
    {
        return AppendRingAllReduce(graph, spec.ring, after);
    }
    CollectiveSpec ring;
    ring.members = spec.ring.members;
    ring.lanes = spec.ring.lanes;
    ring.bytes = spec.ring.bytes;
    ring.trafficClass = spec.ring.trafficClass;
    ring.steppedUpTo = spec.ring.steppedUpTo;
    return spec.step == ReduceStep::REDUCE_SCATTER ? AppendReduceScatter(graph, ring, after)
                                                   : AppendAllGather(graph, ring, after);
}

} // namespace

void
AppendAllToAll(TransferGraph& graph,
               const std::vector<GpuId>& members,
               uint32_t lanes,
               TrafficClass trafficClass,
               const Matrix<uint64_t>& bytes,
               bool transposed)
{
    const std::size_t n = members.size();
    MIXNET_CHECK(bytes.Rows() == n && bytes.Columns() == n,
                 "a matrix of " << bytes.Rows() << " x " << bytes.Columns() << " for " << n
                                << " members");
    Transfer t;
    t.lanes = lanes;
    t.trafficClass = trafficClass;
    for (std::size_t s = 0; s < n; ++s)
    {
        t.source = members[s];
        for (std::size_t d = 0; d < n; ++d)
        {
            const uint64_t size = transposed ? bytes(d, s) : bytes(s, d);
            if (s != d && size > 0)
            {
                t.destination = members[d];
                t.bytes = ByteCount(size);
                graph.AddTransfer(t);
            }
        }
    }
}

std::vector<std::vector<Node>>
AppendRingAllReduce(TransferGraph& graph,
                    const RingSpec& spec,
                    const std::vector<TransferGraph::Node>& after)
{
    const std::size_t n = spec.members.size();
    MIXNET_CHECK(n > 0 && (after.empty() || after.size() == n), "a ring of " << n << " members");
    if (n == 1 || spec.bytes == ByteCount(0))
    {
        std::vector<std::vector<Node>> done(n);
        for (std::size_t i = 0; i < after.size(); ++i)
        {
            done[i].push_back(after[i]);
        }
        return done;
    }
    return n <= spec.steppedUpTo ? AppendSteppedRing(graph, spec, after)
                                 : AppendFlowRing(graph, spec, after);
}

void
AppendHierarchical(TransferGraph& graph, const HierarchicalSpec& spec)
{
    const std::size_t servers = spec.ring.members.size();
    std::vector<Node> reduced;
    const bool local = spec.localMembers > 1 && spec.localBytes > ByteCount(0);
    LocalOperation operation;
    if (local)
    {
        operation.duration =
            ReduceScatterTime(spec.localMembers, spec.localBytes, spec.scaleUpRate);
        operation.scaleUpBytes =
            GatherTraffic(spec.localMembers, spec.localBytes * spec.localLanes);
        for (std::size_t s = 0; s < servers && spec.step != ReduceStep::ALL_GATHER; ++s)
        {
            reduced.push_back(graph.AddLocal(operation));
        }
    }
    const auto arrived =
        spec.between ? spec.between(graph, reduced) : Between(graph, spec, reduced);
    if (local && spec.step != ReduceStep::REDUCE_SCATTER)
    {
        operation.duration = AllGatherTime(spec.localMembers, spec.localBytes, spec.scaleUpRate);
        for (std::size_t s = 0; s < servers; ++s)
        {
            const Node told = graph.AddLocal(operation);
            for (const Node node : arrived[s])
            {
                graph.AddDependency(node, told);
            }
        }
    }
}

TransferGraph::Node
AppendPointToPoint(TransferGraph& graph,
                   GpuId from,
                   GpuId to,
                   uint32_t lanes,
                   TrafficClass trafficClass,
                   ByteCount bytes)
{
    Transfer t;
    t.source = from;
    t.destination = to;
    t.lanes = lanes;
    t.trafficClass = trafficClass;
    t.bytes = bytes;
    return graph.AddTransfer(t);
}

} // namespace ns3
