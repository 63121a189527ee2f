/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "delegate-all-to-all.h"

#include "ns3/byte-count-value.h"
#include "ns3/even-part.h"
#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DelegateAllToAll);

namespace
{

/// @return bytes of each GPU pair by pair of servers; all but zeros and those that stay in a GPU
std::map<std::pair<ServerId, ServerId>, std::vector<GpuPairBytes>>
SortByServers(const FabricGraph& graph, const AllToAllDemand& demand)
{
    std::map<std::pair<ServerId, ServerId>, std::vector<GpuPairBytes>> sorted;
    const std::size_t n = demand.members.size();
    for (std::size_t s = 0; s < n; ++s)
    {
        for (std::size_t d = 0; d < n; ++d)
        {
            const uint64_t bytes = demand.transposed ? demand.bytes(d, s) : demand.bytes(s, d);
            if (s == d || bytes == 0)
            {
                continue;
            }
            const GpuId from = demand.members[s];
            const GpuId to = demand.members[d];
            auto& pairs = sorted[{graph.GetServerOf(from), graph.GetServerOf(to)}];
            for (uint32_t lane = 0; lane < demand.lanes; ++lane)
            {
                const uint64_t part =
                    bytes / demand.lanes + (lane < bytes % demand.lanes ? 1 : 0); // as Transfer
                if (part > 0)
                {
                    pairs.push_back({GpuId(from.Get() + lane), GpuId(to.Get() + lane), part});
                }
            }
        }
    }
    return sorted;
}

} // namespace

TypeId
DelegateAllToAll::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DelegateAllToAll")
            .SetParent<AllToAllAlgorithm>()
            .SetGroupName("Mixnet")
            .AddConstructor<DelegateAllToAll>()
            .AddAttribute("ChunkSize",
                          "Bytes of a crossing that are gathered, sent and scattered together (to "
                          "a byte per GPU pair); 0B: all of them",
                          ByteCountValue(ByteCount(0)),
                          MakeByteCountAccessor(&DelegateAllToAll::m_chunk),
                          MakeByteCountChecker())
            .AddAttribute("ChunksUnderWay",
                          "Most chunks of a crossing on the network at once; with 2 the latency of "
                          "one is hidden by the other",
                          UintegerValue(2),
                          MakeUintegerAccessor(&DelegateAllToAll::m_underWay),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
DelegateAllToAll::SetFabric(Ptr<FabricGraph> graph, Ptr<Router> router)
{
    AllToAllAlgorithm::SetFabric(graph, router);
    m_policy = CreateObject<DelegatePolicy>();
    m_policy->SetRouter(router);
}

void
DelegateAllToAll::DoDispose()
{
    if (m_policy)
    {
        m_policy->Dispose();
        m_policy = nullptr;
    }
    AllToAllAlgorithm::DoDispose();
}

void
DelegateAllToAll::Append(TransferGraph& transfers, const AllToAllDemand& demand)
{
    MIXNET_CHECK(m_policy, "an all-to-all by delegates without a fabric");
    const auto sorted = SortByServers(*m_graph, demand);
    Build b{transfers, demand.trafficClass, {}};
    for (auto it = sorted.begin(); it != sorted.end();)
    {
        const ServerId from = it->first.first;
        const std::vector<GpuPairBytes>* local = nullptr;
        b.gathered.clear();
        for (; it != sorted.end() && it->first.first == from; ++it)
        {
            if (it->first.second == from)
            {
                local = &it->second;
            }
            else
            {
                AppendServerPair(b, from, it->first.second, it->second);
            }
        }
        if (local)
        {
            AppendLocal(b, *local);
        }
    }
}

void
DelegateAllToAll::ListCrossings(ServerId from, ServerId to, TrafficClass trafficClass)
{
    ListServerWays(*m_router, *m_graph, from, to, trafficClass, m_ways);
    m_crossings.clear();
    for (const LaneRoute& way : m_ways)
    {
        const GpuId out = m_graph->GetGpu(from, m_graph->GetNicGpu(from, way.legs.front().fromNic));
        const GpuId in = m_graph->GetGpu(to, m_graph->GetNicGpu(to, way.legs.back().toNic));
        const auto known =
            std::find_if(m_crossings.begin(), m_crossings.end(), [&](const DelegateCrossing& c) {
                return c.out == out && c.in == in;
            });
        if (known == m_crossings.end())
        {
            m_crossings.emplace_back();
            m_crossings.back().out = out;
            m_crossings.back().in = in;
            m_crossings.back().share = way.share;
        }
        else
        {
            known->share += way.share;
        }
    }
}

void
DelegateAllToAll::AppendServerPair(Build& b,
                                   ServerId from,
                                   ServerId to,
                                   const std::vector<GpuPairBytes>& pairs)
{
    ListCrossings(from, to, b.trafficClass);
    if (m_crossings.empty())
    {
        for (const GpuPairBytes& pair : pairs) // no way: as any other transfer, it waits or fails
        {
            Add(b, pair, nullptr);
        }
        return;
    }
    ShareOutToDelegates(pairs, m_crossings);
    for (const DelegateCrossing& crossing : m_crossings)
    {
        if (crossing.bytes > 0)
        {
            AppendCrossing(b, crossing);
        }
    }
}

TransferGraph::Node
DelegateAllToAll::Add(Build& b, const GpuPairBytes& bytes, const RoutingPolicy* policy)
{
    Transfer t;
    t.source = bytes.from;
    t.destination = bytes.to;
    t.bytes = ByteCount(bytes.bytes);
    t.trafficClass = b.trafficClass;
    t.policy = policy;
    return b.transfers.AddTransfer(t);
}

std::vector<TransferGraph::Node>
DelegateAllToAll::AppendGathers(Build& b,
                                const DelegateCrossing& crossing,
                                const std::map<GpuId, uint64_t>& bytes,
                                std::map<GpuId, Node>& last)
{
    std::vector<Node> gathers;
    for (const auto& [gpu, part] : bytes)
    {
        if (part > 0 && gpu != crossing.out)
        {
            const Node gather = Add(b, {gpu, crossing.out, part}, nullptr);
            const auto [before, first] = last.try_emplace(gpu, gather);
            if (!first)
            {
                b.transfers.AddDependency(before->second, gather);
                before->second = gather;
            }
            gathers.push_back(gather);
        }
    }
    return gathers;
}

void
DelegateAllToAll::AppendCrossing(Build& b, const DelegateCrossing& crossing)
{
    const uint64_t size = m_chunk.Get();
    const uint64_t chunks = size == 0 ? 1 : (crossing.bytes + size - 1) / size;
    std::map<GpuId, Node> lastGather;
    std::vector<Node> crossed;
    for (uint64_t k = 0; k < chunks; ++k)
    {
        std::map<GpuId, uint64_t> from;
        std::map<GpuId, uint64_t> to;
        uint64_t bytes = 0;
        for (const GpuPairBytes& piece : crossing.pieces)
        {
            const uint64_t part = GetEvenPart(piece.bytes, chunks, k);
            from[piece.from] += part;
            to[piece.to] += part;
            bytes += part;
        }
        if (bytes == 0)
        {
            break; // pieces of fewer bytes than there are chunks end early
        }
        const auto gathers = AppendGathers(b, crossing, from, lastGather);
        const Node cross = Add(b, {crossing.out, crossing.in, bytes}, PeekPointer(m_policy));
        for (const Node gather : gathers)
        {
            b.transfers.AddDependency(gather, cross);
        }
        if (crossed.size() >= m_underWay)
        {
            b.transfers.AddDependency(crossed[crossed.size() - m_underWay], cross);
        }
        crossed.push_back(cross);
        for (const auto& [gpu, part] : to)
        {
            if (part > 0 && gpu != crossing.in)
            {
                b.transfers.AddDependency(cross, Add(b, {crossing.in, gpu, part}, nullptr));
            }
        }
    }
    for (const auto& [gpu, node] : lastGather)
    {
        b.gathered.push_back(node);
    }
}

void
DelegateAllToAll::AppendLocal(Build& b, const std::vector<GpuPairBytes>& pairs)
{
    std::vector<Node> before;
    if (!b.gathered.empty())
    {
        before.push_back(b.transfers.AddLocal({})); // where many wait for many
        for (const Node gather : b.gathered)
        {
            b.transfers.AddDependency(gather, before.front());
        }
    }
    for (const GpuPairBytes& pair : pairs)
    {
        const Node node = Add(b, pair, nullptr);
        for (const Node n : before)
        {
            b.transfers.AddDependency(n, node);
        }
    }
}

} // namespace ns3
