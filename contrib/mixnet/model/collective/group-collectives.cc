/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "group-collectives.h"

#include "collective-builders.h"
#include "collective-cost.h"

#include "ns3/even-part.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <unordered_map>

namespace ns3
{

namespace
{

/// @param spec an all-to-all @param s place of the sender @param d of the receiver @return bytes
ByteCount
GetPair(const GroupSpec& spec, std::size_t s, std::size_t d)
{
    const std::size_t n = spec.members.size();
    return spec.cells ? ByteCount(spec.cells[s * n + d]) : GetEvenPart(spec.bytes, n, d);
}

/// @param spec an uneven all-to-all @param rate of a GPU's port @return it, inside one server: the
/// busiest port in either direction
LocalOperation
MakeUneven(const GroupSpec& spec, DataRate rate)
{
    const std::size_t n = spec.members.size();
    ByteCount busiest;
    ByteCount all;
    for (std::size_t a = 0; a < n; ++a)
    {
        ByteCount sent;
        ByteCount received;
        for (std::size_t b = 0; b < n; ++b)
        {
            sent += a == b ? ByteCount() : GetPair(spec, a, b);
            received += a == b ? ByteCount() : GetPair(spec, b, a);
        }
        busiest = std::max({busiest, sent, received});
        all += sent;
    }
    return {busiest / rate, all};
}

/// @param members GPUs of a server @return true when they follow each other
bool
AreConsecutive(const std::vector<GpuId>& members)
{
    for (std::size_t i = 1; i < members.size(); ++i)
    {
        if (members[i].Get() != members[i - 1].Get() + 1)
        {
            return false;
        }
    }
    return true;
}

} // namespace

void
GroupCollectives::Split(const GroupSpec& spec)
{
    m_servers.clear();
    std::unordered_map<uint32_t, std::size_t> at;
    for (const GpuId gpu : spec.members)
    {
        const uint32_t server = m_graph.GetServerOf(gpu).Get();
        const auto [it, fresh] = at.emplace(server, m_servers.size());
        if (fresh)
        {
            m_servers.emplace_back();
        }
        m_servers[it->second].push_back(gpu);
    }
}

void
GroupCollectives::Append(TransferGraph& transfers, const GroupSpec& spec)
{
    MIXNET_CHECK(spec.members.size() > 1 && spec.bytes > ByteCount(0), "an empty collective");
    Split(spec);
    if (m_servers.size() == 1)
    {
        transfers.AddLocal(MakeLocal(spec));
        return;
    }
    switch (spec.kind)
    {
    case GraphFile::ALL_REDUCE:
    case GraphFile::ALL_GATHER:
    case GraphFile::REDUCE_SCATTER:
        AppendHierarchy(transfers, spec);
        return;
    case GraphFile::ALL_TO_ALL:
        AppendPairs(transfers, spec);
        return;
    case GraphFile::BROADCAST:
    case GraphFile::REDUCE:
        AppendChain(transfers, spec);
        return;
    default:
        AppendStar(transfers, spec);
    }
}

LocalOperation
GroupCollectives::MakeLocal(const GroupSpec& spec) const
{
    const auto n = static_cast<uint32_t>(spec.members.size());
    const DataRate rate =
        m_graph.GetServerSpec(m_graph.GetServerOf(spec.members.front())).scaleUpRate;
    switch (spec.kind)
    {
    case GraphFile::ALL_REDUCE:
        return {AllReduceTime(n, spec.bytes, rate), AllReduceTraffic(n, spec.bytes)};
    case GraphFile::BROADCAST:
    case GraphFile::REDUCE:
        return {spec.bytes / rate, spec.bytes * (n - 1)};
    case GraphFile::GATHER:
    case GraphFile::SCATTER:
        // the root's port carries the shares of all others
        return {AllGatherTime(n, spec.bytes, rate),
                spec.bytes - GetEvenPart(spec.bytes, n, spec.root)};
    default: // every member sends and receives (n - 1)/n of the buffer
        if (spec.cells)
        {
            return MakeUneven(spec, rate);
        }
        return {AllGatherTime(n, spec.bytes, rate), GatherTraffic(n, spec.bytes)};
    }
}

std::vector<std::vector<GroupCollectives::Node>>
GroupCollectives::AppendRing(TransferGraph& transfers,
                             const GroupSpec& spec,
                             const std::vector<GpuId>& members,
                             uint32_t lanes,
                             ByteCount bytes,
                             const std::vector<Node>& after)
{
    if (spec.kind == GraphFile::ALL_REDUCE)
    {
        RingSpec ring;
        ring.members = members;
        ring.lanes = lanes;
        ring.bytes = bytes;
        ring.trafficClass = spec.trafficClass;
        return AppendRingAllReduce(transfers, ring, after);
    }
    const std::size_t n = members.size();
    std::vector<std::vector<Node>> done(n);
    for (std::size_t i = 0; i < n; ++i)
    {
        const Node node = AppendPointToPoint(transfers,
                                             members[i],
                                             members[(i + 1) % n],
                                             lanes,
                                             spec.trafficClass,
                                             GetEvenPart(bytes * (n - 1), n, i));
        if (!after.empty())
        {
            transfers.AddDependency(after[i], node);
        }
        done[(i + 1) % n].push_back(node);
    }
    return done;
}

void
GroupCollectives::AppendHierarchy(TransferGraph& transfers, const GroupSpec& spec) const
{
    const std::size_t m = m_servers.front().size();
    const bool even = std::all_of(m_servers.begin(), m_servers.end(), [m](const auto& members) {
        return members.size() == m;
    });
    if (!even)
    {
        AppendRing(transfers, spec, spec.members, 1, spec.bytes, {});
        return;
    }
    const std::size_t servers = m_servers.size();
    const auto local = static_cast<uint32_t>(m);
    const DataRate rate =
        m_graph.GetServerSpec(m_graph.GetServerOf(spec.members.front())).scaleUpRate;
    const LocalOperation operation{AllGatherTime(local, spec.bytes, rate),
                                   GatherTraffic(local, spec.bytes)};
    std::vector<Node> reduced;
    if (m > 1 && spec.kind != GraphFile::ALL_GATHER)
    {
        for (std::size_t s = 0; s < servers; ++s)
        {
            reduced.push_back(transfers.AddLocal(operation));
        }
    }
    const bool blocks = std::all_of(m_servers.begin(), m_servers.end(), AreConsecutive);
    std::vector<std::vector<Node>> arrived(servers);
    for (std::size_t ring = 0; ring < (blocks ? 1 : m); ++ring)
    {
        std::vector<GpuId> members;
        for (const auto& server : m_servers)
        {
            members.push_back(server[ring]);
        }
        const auto done = AppendRing(transfers,
                                     spec,
                                     members,
                                     blocks ? local : 1,
                                     blocks ? spec.bytes : GetEvenPart(spec.bytes, m, ring),
                                     reduced);
        for (std::size_t s = 0; s < servers; ++s)
        {
            arrived[s].insert(arrived[s].end(), done[s].begin(), done[s].end());
        }
    }
    for (std::size_t s = 0; m > 1 && spec.kind != GraphFile::REDUCE_SCATTER && s < servers; ++s)
    {
        const Node told = transfers.AddLocal(operation);
        for (const Node node : arrived[s])
        {
            transfers.AddDependency(node, told);
        }
    }
}

void
GroupCollectives::AppendPairs(TransferGraph& transfers, const GroupSpec& spec)
{
    const std::size_t n = spec.members.size();
    for (std::size_t s = 0; s < n; ++s)
    {
        for (std::size_t d = 0; d < n; ++d)
        {
            const ByteCount bytes = GetPair(spec, s, d);
            if (s != d && bytes > ByteCount(0))
            {
                AppendPointToPoint(transfers,
                                   spec.members[s],
                                   spec.members[d],
                                   1,
                                   spec.trafficClass,
                                   bytes);
            }
        }
    }
}

void
GroupCollectives::AppendChain(TransferGraph& transfers, const GroupSpec& spec) const
{
    const GpuId root = spec.members[spec.root];
    const bool down = spec.kind == GraphFile::BROADCAST;
    std::vector<const std::vector<GpuId>*> chain;
    for (const auto& server : m_servers)
    {
        const bool first = m_graph.GetServerOf(server.front()) == m_graph.GetServerOf(root);
        chain.insert(first ? chain.begin() : chain.end(), &server);
    }
    const auto gate = [&](std::size_t i) { return i == 0 ? root : chain[i]->front(); };
    for (std::size_t i = 0; i < chain.size(); ++i)
    {
        Node crossing = 0;
        if (i > 0)
        {
            crossing = AppendPointToPoint(transfers,
                                          gate(down ? i - 1 : i),
                                          gate(down ? i : i - 1),
                                          1,
                                          spec.trafficClass,
                                          spec.bytes);
        }
        if (chain[i]->size() > 1)
        {
            GroupSpec local = spec;
            local.members = *chain[i];
            const Node inside = transfers.AddLocal(MakeLocal(local));
            if (i > 0)
            {
                transfers.AddDependency(down ? crossing : inside, down ? inside : crossing);
            }
        }
    }
}

void
GroupCollectives::AppendStar(TransferGraph& transfers, const GroupSpec& spec)
{
    const std::size_t n = spec.members.size();
    const GpuId root = spec.members[spec.root];
    for (std::size_t i = 0; i < n; ++i)
    {
        const ByteCount bytes = GetEvenPart(spec.bytes, n, i);
        if (i != spec.root && bytes > ByteCount(0))
        {
            const bool in = spec.kind == GraphFile::GATHER;
            AppendPointToPoint(transfers,
                               in ? spec.members[i] : root,
                               in ? root : spec.members[i],
                               1,
                               spec.trafficClass,
                               bytes);
        }
    }
}

} // namespace ns3
