/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ecmp-tables.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

EcmpTables::EcmpTables(const FabricGraph& graph)
    : m_graph(graph),
      m_addresses(graph),
      m_index(graph.GetNVertices(), NONE),
      m_attachments(m_addresses.GetSize())
{
    for (uint32_t v = 0; v < graph.GetNVertices(); ++v)
    {
        if (graph.GetKind(VertexId(v)) == VertexKind::SWITCH)
        {
            m_index[v] = GetNSwitches();
            m_vertex.emplace_back(v);
        }
    }
    for (const VertexId v : m_vertex)
    {
        m_firstPort.push_back(static_cast<uint32_t>(m_ports.size()));
        MIXNET_CHECK(graph.GetNPorts(v) <= UINT16_MAX, "too many ports at " << graph.GetName(v));
        for (uint32_t p = 0; p < graph.GetNPorts(v); ++p)
        {
            const ChannelId egress = graph.GetEgress(v, p);
            m_ports.push_back({egress,
                               m_index[graph.GetTarget(egress).Get()],
                               graph.GetSpec(FabricGraph::GetEdgeOf(egress)).delay.GetTimeStep()});
        }
    }
    m_firstPort.push_back(static_cast<uint32_t>(m_ports.size()));
    m_next.assign(m_ports.size(), NONE);
    m_leafOf.assign(GetNSwitches(), NONE);
    for (uint32_t i = 0; i < GetNSwitches(); ++i)
    {
        const auto begin = m_ports.begin() + m_firstPort[i];
        const auto end = m_ports.begin() + m_firstPort[i + 1];
        if (std::any_of(begin, end, [](const Port& p) { return p.neighbor == NONE; }))
        {
            m_leafOf[i] = GetNLeaves();
            m_leafSwitch.push_back(i);
        }
    }
    for (uint32_t a = 0; a < m_addresses.GetSize(); ++a)
    {
        Attach(m_addresses.GetServer(a), m_addresses.GetNic(a));
    }
    Compute();
}

void
EcmpTables::Attach(ServerId server, uint32_t nic)
{
    const VertexId vertex = m_graph.GetVertex(server);
    const EdgeId edge = m_graph.GetEdge(vertex, nic);
    Attachment& attachment = m_attachments[m_addresses.GetAddress(server, nic)];
    attachment.edge = edge;
    if (m_graph.GetSpec(edge).kind != EdgeKind::PACKET)
    {
        return;
    }
    const ChannelId back = FabricGraph::GetReverse(m_graph.GetEgress(vertex, nic));
    const VertexId far = m_graph.GetSource(back);
    const uint32_t port = m_graph.GetPortAt(edge, far);
    if (m_graph.GetKind(far) == VertexKind::SWITCH)
    {
        attachment.leaf = m_leafOf[m_index[far.Get()]];
        attachment.port = static_cast<uint16_t>(port);
    }
    else
    {
        attachment.peerNic = m_addresses.GetAddress(m_graph.GetServer(far), port);
    }
}

void
EcmpTables::Compute()
{
    ComputeAndCompare();
}

std::vector<uint32_t>
EcmpTables::ComputeAndCompare()
{
    for (std::size_t p = 0; p < m_ports.size(); ++p)
    {
        const bool up = m_graph.IsUp(FabricGraph::GetEdgeOf(m_ports[p].egress));
        m_next[p] = up ? m_ports[p].neighbor : NONE;
    }
    std::vector<Row> rows(GetNSwitches());
    std::vector<uint16_t> distance;
    PortGroup group;
    for (uint32_t leaf = 0; leaf < GetNLeaves(); ++leaf)
    {
        Search(m_leafSwitch[leaf], distance);
        for (uint32_t i = 0; i < GetNSwitches(); ++i)
        {
            CollectNearer(i, distance, group);
            Append(rows[i], leaf + 1, group);
        }
    }
    std::vector<uint32_t> changed;
    m_rows.resize(GetNSwitches());
    for (uint32_t i = 0; i < GetNSwitches(); ++i)
    {
        bool same = rows[i].runs.size() == m_rows[i].runs.size();
        for (std::size_t r = 0; same && r < rows[i].runs.size(); ++r)
        {
            const Run& a = rows[i].runs[r];
            const Run& b = m_rows[i].runs[r];
            same = a.end == b.end && rows[i].groups[a.group] == m_rows[i].groups[b.group];
        }
        if (!same)
        {
            changed.push_back(i);
        }
    }
    m_rows = std::move(rows);
    return changed;
}

void
EcmpTables::Search(uint32_t from, std::vector<uint16_t>& distance) const
{
    distance.assign(GetNSwitches(), FAR);
    distance[from] = 0;
    std::vector<uint32_t> queue{from};
    for (std::size_t head = 0; head < queue.size(); ++head)
    {
        const uint32_t at = queue[head];
        const auto farther = static_cast<uint16_t>(distance[at] + 1);
        for (uint32_t p = m_firstPort[at]; p < m_firstPort[at + 1]; ++p)
        {
            const uint32_t next = m_next[p];
            if (next != NONE && distance[next] == FAR)
            {
                distance[next] = farther;
                queue.push_back(next);
            }
        }
    }
}

void
EcmpTables::CollectNearer(uint32_t index,
                          const std::vector<uint16_t>& distance,
                          PortGroup& group) const
{
    group.clear();
    if (distance[index] == FAR)
    {
        return;
    }
    const uint32_t first = m_firstPort[index];
    for (uint32_t p = first; p < m_firstPort[index + 1]; ++p)
    {
        if (m_next[p] != NONE && distance[m_next[p]] + 1 == distance[index])
        {
            group.push_back(static_cast<uint16_t>(p - first));
        }
    }
}

void
EcmpTables::Append(Row& row, uint32_t end, const PortGroup& group)
{
    if (!row.runs.empty() && row.groups[row.runs.back().group] == group)
    {
        row.runs.back().end = end;
        return;
    }
    auto it = std::find(row.groups.begin(), row.groups.end(), group);
    if (it == row.groups.end())
    {
        it = row.groups.insert(row.groups.end(), group);
    }
    row.runs.push_back({end, static_cast<uint32_t>(it - row.groups.begin())});
}

const PortGroup&
EcmpTables::Find(const Row& row, uint32_t leaf)
{
    const auto it =
        std::upper_bound(row.runs.begin(), row.runs.end(), leaf, [](uint32_t l, const Run& run) {
            return l < run.end;
        });
    return row.groups[it->group];
}

const PortGroup&
EcmpTables::GetNextHops(uint32_t index, uint32_t leaf) const
{
    return Find(m_rows[index], leaf);
}

bool
EcmpTables::IsReachable(uint32_t from, uint32_t to) const
{
    const Attachment& a = m_attachments[from];
    const Attachment& b = m_attachments[to];
    if (!m_graph.IsUp(a.edge) || !m_graph.IsUp(b.edge))
    {
        return false;
    }
    if (a.leaf == NONE || b.leaf == NONE)
    {
        return a.peerNic == to;
    }
    return a.leaf == b.leaf || !GetNextHops(m_leafSwitch[a.leaf], b.leaf).empty();
}

void
EcmpTables::GetRoutes(VertexId v,
                      std::vector<RouteRange>& ranges,
                      std::vector<PortGroup>& groups) const
{
    ranges.clear();
    const uint32_t index = GetIndex(v);
    const Row& row = m_rows[index];
    groups = row.groups;
    std::vector<uint32_t> byLeaf;
    for (const Run& run : row.runs)
    {
        byLeaf.resize(run.end, run.group);
    }
    bool extend = false; // the last range is not a NIC's and may grow
    for (uint32_t a = 0; a < m_addresses.GetSize(); ++a)
    {
        const Attachment& nic = m_attachments[a];
        if (nic.leaf == NONE)
        {
            continue;
        }
        if (m_leafSwitch[nic.leaf] == index)
        {
            extend = false;
            if (m_graph.IsUp(nic.edge))
            {
                ranges.push_back({a, a, static_cast<uint32_t>(groups.size())});
                groups.push_back({nic.port});
            }
            continue;
        }
        const uint32_t group = byLeaf[nic.leaf];
        if (groups[group].empty())
        {
            extend = false;
        }
        else if (extend && ranges.back().group == group)
        {
            ranges.back().last = a;
        }
        else
        {
            ranges.push_back({a, a, group});
            extend = true;
        }
    }
}

std::size_t
EcmpTables::GetNEntries() const
{
    std::size_t entries = 0;
    for (const Row& row : m_rows)
    {
        entries += row.runs.size();
    }
    return entries;
}

} // namespace ns3
