/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "deduplicating-all-to-all.h"

#include "collective-builders.h"

#include "ns3/byte-count-value.h"
#include "ns3/even-part.h"
#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(DeduplicatingAllToAll);

namespace
{

constexpr TransferGraph::Node NO_NODE = UINT32_MAX; //!< nothing moved yet

} // namespace

TypeId
DeduplicatingAllToAll::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::DeduplicatingAllToAll")
            .SetParent<AllToAllAlgorithm>()
            .SetGroupName("Mixnet")
            .AddConstructor<DeduplicatingAllToAll>()
            .AddAttribute("ChunkSize",
                          "Bytes of a crossing, all lanes together, that are sent and forwarded "
                          "together; 0B: all of them. DeepEP forwards every few tokens; 4 MiB are "
                          "some hundred tokens, and a tenth of a millisecond on a 400G NIC.",
                          ByteCountValue(ByteCount(4 << 20)),
                          MakeByteCountAccessor(&DeduplicatingAllToAll::m_chunk),
                          MakeByteCountChecker())
            .AddAttribute("ChunksUnderWay",
                          "Most chunks of a crossing on the network at once; with 2 the latency of "
                          "one is hidden by the other",
                          UintegerValue(2),
                          MakeUintegerAccessor(&DeduplicatingAllToAll::m_underWay),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

void
DeduplicatingAllToAll::FindServers(const std::vector<GpuId>& members)
{
    m_servers.clear();
    m_serverOf.clear();
    for (auto& list : m_members)
    {
        list.clear();
    }
    for (uint32_t i = 0; i < members.size(); ++i)
    {
        const ServerId server = m_graph->GetServerOf(members[i]);
        const auto known = std::find(m_servers.rbegin(), m_servers.rend(), server);
        const auto index = static_cast<uint32_t>(
            known == m_servers.rend() ? m_servers.size() : m_servers.rend() - known - 1);
        if (index == m_servers.size())
        {
            m_servers.push_back(server);
            m_members.resize(std::max<std::size_t>(m_members.size(), index + 1));
        }
        m_serverOf.push_back(index);
        m_members[index].push_back(i);
    }
}

uint32_t
DeduplicatingAllToAll::FindRelay(const std::vector<GpuId>& members,
                                 uint32_t source,
                                 uint32_t server) const
{
    const uint32_t local = m_graph->GetLocalIndex(members[source]);
    for (const uint32_t i : m_members[server])
    {
        if (m_graph->GetLocalIndex(members[i]) == local)
        {
            return i;
        }
    }
    const std::vector<uint32_t>& own = m_members[m_serverOf[source]];
    const auto place = std::find(own.begin(), own.end(), source) - own.begin();
    return m_members[server][place % m_members[server].size()];
}

void
DeduplicatingAllToAll::Append(TransferGraph& transfers, const AllToAllDemand& demand)
{
    if (demand.perServer == nullptr)
    {
        AppendAllToAll(transfers,
                       demand.members,
                       demand.lanes,
                       demand.trafficClass,
                       demand.bytes,
                       demand.transposed);
        return;
    }
    MIXNET_CHECK(m_graph, "a de-duplicating all-to-all without a fabric");
    FindServers(demand.members);
    MIXNET_CHECK(demand.perServer->Rows() == demand.members.size() &&
                     demand.perServer->Columns() == m_servers.size(),
                 "bytes per server of " << demand.perServer->Rows() << " members and "
                                        << demand.perServer->Columns() << " servers");
    for (uint32_t owner = 0; owner < demand.members.size(); ++owner)
    {
        for (uint32_t server = 0; server < m_servers.size(); ++server)
        {
            AppendServer(transfers, demand, owner, server);
        }
    }
}

TransferGraph::Node
DeduplicatingAllToAll::Add(TransferGraph& transfers,
                           const AllToAllDemand& demand,
                           uint32_t outer,
                           uint32_t inner,
                           ByteCount bytes)
{
    Transfer t;
    t.source = demand.members[demand.transposed ? inner : outer];
    t.destination = demand.members[demand.transposed ? outer : inner];
    t.bytes = bytes;
    t.lanes = demand.lanes;
    t.trafficClass = demand.trafficClass;
    return transfers.AddTransfer(t);
}

void
DeduplicatingAllToAll::AppendServer(TransferGraph& transfers,
                                    const AllToAllDemand& demand,
                                    uint32_t owner,
                                    uint32_t server)
{
    if (server == m_serverOf[owner])
    {
        for (const uint32_t member : m_members[server])
        {
            if (member != owner && demand.bytes(owner, member) > 0)
            {
                Add(transfers, demand, owner, member, ByteCount(demand.bytes(owner, member)));
            }
        }
        return;
    }
    const uint64_t bytes = (*demand.perServer)(owner, server);
    const uint64_t size = m_chunk.Get();
    const Crossing crossing{owner,
                            server,
                            FindRelay(demand.members, owner, server),
                            size == 0 ? 1 : (bytes + size - 1) / size};
    m_crossed.clear();
    m_handed.assign(m_members[server].size(), NO_NODE);
    for (uint64_t chunk = 0; bytes > 0 && chunk < crossing.chunks; ++chunk)
    {
        AppendChunk(transfers, demand, crossing, chunk);
    }
}

void
DeduplicatingAllToAll::AppendChunk(TransferGraph& transfers,
                                   const AllToAllDemand& demand,
                                   const Crossing& c,
                                   uint64_t chunk)
{
    const ByteCount bytes(GetEvenPart((*demand.perServer)(c.owner, c.server), c.chunks, chunk));
    const Node cross = Add(transfers, demand, c.owner, c.relay, bytes);
    if (m_crossed.size() >= m_underWay)
    {
        transfers.AddDependency(m_crossed[m_crossed.size() - m_underWay], cross);
    }
    m_crossed.push_back(cross);
    for (std::size_t i = 0; i < m_handed.size(); ++i)
    {
        const uint32_t member = m_members[c.server][i];
        const ByteCount part(GetEvenPart(demand.bytes(c.owner, member), c.chunks, chunk));
        if (member == c.relay || part.Get() == 0)
        {
            continue;
        }
        const Node move = Add(transfers, demand, c.relay, member, part);
        if (!demand.transposed)
        {
            transfers.AddDependency(cross, move);
            continue;
        }
        transfers.AddDependency(move, cross);
        if (m_handed[i] != NO_NODE)
        {
            transfers.AddDependency(m_handed[i], move);
        }
        m_handed[i] = move;
    }
}

} // namespace ns3
