/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "pause-graph.h"

#include <algorithm>

namespace ns3
{

uint32_t
PauseGraph::AddQueue(uint32_t owner, bool paused, uint32_t blocks)
{
    m_queues.push_back({owner, paused, blocks, 0, {}});
    m_owners = std::max(m_owners, owner + 1);
    m_egresses = blocks == NONE ? m_egresses : std::max(m_egresses, blocks + 1);
    return static_cast<uint32_t>(m_queues.size()) - 1;
}

void
PauseGraph::AddBytes(uint32_t queue, uint32_t egress, uint64_t bytes)
{
    Queue& q = m_queues[queue];
    m_egresses = std::max(m_egresses, egress + 1);
    q.total += bytes;
    for (Share& share : q.shares)
    {
        if (share.egress == egress)
        {
            share.bytes += bytes;
            return;
        }
    }
    q.shares.push_back({egress, bytes});
}

std::vector<uint32_t>
PauseGraph::GetBlockers() const
{
    std::vector<uint32_t> blockers(m_egresses, NONE);
    for (std::size_t i = 0; i < m_queues.size(); ++i)
    {
        if (m_queues[i].paused && m_queues[i].blocks != NONE)
        {
            blockers[m_queues[i].blocks] = static_cast<uint32_t>(i);
        }
    }
    return blockers;
}

std::vector<bool>
PauseGraph::FindStuck(const std::vector<uint32_t>& blockers, const Rules& rules) const
{
    std::vector<bool> stuck;
    for (const Queue& q : m_queues)
    {
        stuck.push_back(q.paused);
    }
    std::vector<uint64_t> left(m_queues.size());
    for (bool changed = true; changed;)
    {
        changed = false;
        std::vector<uint64_t> shared(m_owners, 0);
        for (uint32_t i = 0; i < m_queues.size(); ++i)
        {
            left[i] = 0;
            for (const Share& share : m_queues[i].shares)
            {
                const uint32_t blocker = blockers[share.egress];
                left[i] += blocker != NONE && stuck[blocker] ? share.bytes : 0;
            }
            shared[m_queues[i].owner] += rules.GetShared(i, left[i]);
        }
        for (uint32_t i = 0; i < m_queues.size(); ++i)
        {
            // A queue none of whose frames leave is not looked at again by its switch.
            const bool frozen = left[i] > 0 && left[i] == m_queues[i].total;
            if (stuck[i] && !frozen && rules.Resumes(i, left[i], shared[m_queues[i].owner]))
            {
                stuck[i] = false;
                changed = true;
            }
        }
    }
    return stuck;
}

std::vector<std::vector<uint32_t>>
PauseGraph::FindDeadlocks(const Rules& rules) const
{
    const auto blockers = GetBlockers();
    const auto stuck = FindStuck(blockers, rules);
    std::vector<uint32_t> walk(m_queues.size(), NONE); // by queue: the walk that met it
    std::vector<std::vector<uint32_t>> cycles;
    for (uint32_t start = 0; start < m_queues.size(); ++start)
    {
        std::vector<uint32_t> path;
        uint32_t q = start;
        while (q != NONE && stuck[q] && walk[q] == NONE)
        {
            walk[q] = start;
            path.push_back(q);
            uint32_t next = NONE;
            for (const Share& share : m_queues[q].shares)
            {
                const uint32_t blocker = blockers[share.egress];
                next = blocker != NONE && stuck[blocker] ? std::min(next, blocker) : next;
            }
            q = next;
        }
        if (!path.empty() && q != NONE && walk[q] == start)
        {
            std::vector<uint32_t> cycle;
            for (auto it = std::find(path.begin(), path.end(), q); it != path.end(); ++it)
            {
                cycle.push_back(m_queues[*it].blocks);
            }
            std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
            cycles.push_back(cycle);
        }
    }
    return cycles;
}

} // namespace ns3
