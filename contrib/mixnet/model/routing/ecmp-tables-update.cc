/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ecmp-tables.h"

#include <algorithm>
#include <array>
#include <set>

namespace ns3
{

std::vector<VertexId>
EcmpTables::Update(const GraphChange& change)
{
    std::set<uint32_t> changed;
    std::vector<EdgeId> links;
    for (const auto* edges : {&change.down, &change.up})
    {
        for (const EdgeId e : *edges)
        {
            const uint32_t a = m_index[m_graph.GetEndA(e).Get()];
            const uint32_t b = m_index[m_graph.GetEndB(e).Get()];
            if (a != NONE && b != NONE)
            {
                links.push_back(e);
            }
            else if (a != NONE || b != NONE)
            {
                changed.insert(a != NONE ? a : b);
            }
        }
    }
    if (links.size() > MAX_DIFFERENTIAL)
    {
        for (const uint32_t i : ComputeAndCompare())
        {
            changed.insert(i);
        }
    }
    else
    {
        TableEdit edit;
        for (const EdgeId e : links)
        {
            ApplyLink(e, edit);
        }
        for (const auto& [index, row] : edit)
        {
            m_rows[index] = Splice(m_rows[index], row);
            changed.insert(index);
        }
    }
    std::vector<VertexId> result;
    for (const uint32_t i : changed)
    {
        result.push_back(m_vertex[i]);
    }
    return result;
}

void
EcmpTables::SetLink(EdgeId link, bool up)
{
    for (const VertexId v : {m_graph.GetEndA(link), m_graph.GetEndB(link)})
    {
        const uint32_t p = m_firstPort[GetIndex(v)] + m_graph.GetPortAt(link, v);
        m_next[p] = up ? m_ports[p].neighbor : NONE;
    }
}

const PortGroup&
EcmpTables::Find(const TableEdit& edit, uint32_t index, uint32_t leaf) const
{
    const auto row = edit.find(index);
    if (row != edit.end())
    {
        const auto group = row->second.find(leaf);
        if (group != row->second.end())
        {
            return group->second;
        }
    }
    return Find(m_rows[index], leaf);
}

EcmpTables::Row
EcmpTables::Splice(const Row& row, const RowEdit& edit)
{
    Row result;
    auto next = edit.begin();
    for (const Run& run : row.runs)
    {
        for (; next != edit.end() && next->first < run.end; ++next)
        {
            const uint32_t end = result.runs.empty() ? 0 : result.runs.back().end;
            if (end < next->first)
            {
                Append(result, next->first, row.groups[run.group]);
            }
            Append(result, next->first + 1, next->second);
        }
        if (result.runs.empty() || result.runs.back().end < run.end)
        {
            Append(result, run.end, row.groups[run.group]);
        }
    }
    return result;
}

void
EcmpTables::SearchAnew(uint32_t leaf, TableEdit& edit) const
{
    std::vector<uint16_t> distance;
    Search(m_leafSwitch[leaf], distance);
    PortGroup group;
    for (uint32_t i = 0; i < GetNSwitches(); ++i)
    {
        CollectNearer(i, distance, group);
        if (Find(edit, i, leaf) != group)
        {
            edit[i][leaf] = group;
        }
    }
}

void
EcmpTables::ApplyLink(EdgeId link, TableEdit& edit)
{
    const bool up = m_graph.IsUp(link);
    const std::array<VertexId, 2> vertices{m_graph.GetEndA(link), m_graph.GetEndB(link)};
    const std::array<uint32_t, 2> ends{GetIndex(vertices[0]), GetIndex(vertices[1])};
    const bool wasUp = m_next[m_firstPort[ends[0]] + m_graph.GetPortAt(link, vertices[0])] != NONE;
    if (wasUp == up)
    {
        return;
    }
    std::array<std::vector<uint16_t>, 2> distance; // before the change
    Search(ends[0], distance[0]);
    Search(ends[1], distance[1]);
    SetLink(link, up);
    for (uint32_t leaf = 0; leaf < GetNLeaves(); ++leaf)
    {
        const uint16_t a = distance[0][m_leafSwitch[leaf]];
        const uint16_t b = distance[1][m_leafSwitch[leaf]];
        if (a == b)
        {
            continue;
        }
        const std::size_t far = a > b ? 0 : 1;
        PortGroup group = Find(edit, ends[far], leaf);
        if (std::max(a, b) - std::min(a, b) > 1 || (!up && group.size() == 1))
        {
            SearchAnew(leaf, edit); // a shorter way came, or the last way went
            continue;
        }
        const auto port = static_cast<uint16_t>(m_graph.GetPortAt(link, vertices[far]));
        const auto at = std::lower_bound(group.begin(), group.end(), port);
        if (up)
        {
            group.insert(at, port);
        }
        else
        {
            group.erase(at);
        }
        edit[ends[far]][leaf] = group;
    }
}

} // namespace ns3
