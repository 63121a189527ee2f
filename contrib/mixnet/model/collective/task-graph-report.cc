/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "task-graph-runner.h"

#include <algorithm>
#include <functional>

namespace ns3
{

TaskGraphRunner::Followers
TaskGraphRunner::ListFollowers(uint8_t start) const
{
    Followers f;
    f.first.assign(m_graph.GetNTasks() + 1, 0);
    const auto walk = [&](const std::function<void(uint64_t on, uint32_t task)>& see) {
        for (uint32_t p = 0; p < m_graph.GetNPrograms(); ++p)
        {
            for (uint64_t t = m_graph.firstTask[p]; t < m_graph.firstTask[p + 1]; ++t)
            {
                for (uint64_t i = m_graph.firstOn[t]; i < m_graph.firstOn[t + 1]; ++i)
                {
                    if (m_graph.onStart[i] == start)
                    {
                        see(m_graph.firstTask[p] + m_graph.on[i], static_cast<uint32_t>(t));
                    }
                }
            }
        }
    };
    walk([&](uint64_t on, uint32_t) { ++f.first[on + 1]; });
    for (std::size_t t = 1; t < f.first.size(); ++t)
    {
        f.first[t] += f.first[t - 1];
    }
    f.task.resize(f.first.back());
    std::vector<uint64_t> next(f.first.begin(), f.first.end() - 1);
    walk([&](uint64_t on, uint32_t task) { f.task[next[on]++] = task; });
    return f;
}

std::string
TaskGraphRunner::DescribeWait(const Job& job) const
{
    const uint8_t kind = m_graph.kind[job.task];
    if (kind == GraphFile::RECV)
    {
        return "waits for a message from rank " +
               std::to_string(m_groups.GetPeer(job.rank, job.task));
    }
    if (!m_graph.IsCollective(job.task))
    {
        return "is under way";
    }
    const uint32_t group = m_groups.Find(m_graph.set[job.task], job.rank).group;
    const uint32_t number = m_groups.GetNumber(job.task);
    const Operation& operation = m_operations[m_open.at((uint64_t(group) << 32) | number)];
    if (operation.running)
    {
        return "is under way";
    }
    std::string text = "waits for ranks";
    constexpr std::size_t limit = 8;
    std::size_t missing = 0;
    const auto [begin, end] = m_groups.GetMembers(group);
    for (const uint32_t* rank = begin; rank != end; ++rank)
    {
        const auto& tasks = m_groups.GetCollectives(m_graph.rankProgram[*rank], operation.set);
        if (m_active.count(Job{*rank, tasks[number]}.Key()) == 0 && ++missing <= limit)
        {
            text += (missing > 1 ? ", " : " ") + std::to_string(*rank);
        }
    }
    return text + (missing > limit ? " and " + std::to_string(missing - limit) + " more" : "");
}

std::vector<std::string>
TaskGraphRunner::DescribeWaiting(std::size_t limit) const
{
    std::vector<uint64_t> keys;
    for (const auto& [key, start] : m_active)
    {
        keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < std::min(limit, keys.size()); ++i)
    {
        const Job job{static_cast<uint32_t>(keys[i] >> 32), static_cast<uint32_t>(keys[i])};
        const uint64_t first = m_graph.firstTask[m_graph.rankProgram[job.rank]];
        lines.push_back("rank " + std::to_string(job.rank) + ": task " +
                        std::to_string(job.task - first) + ", " + m_graph.Describe(job.task) +
                        ", " + DescribeWait(job));
    }
    const std::size_t others = m_total - m_ended - lines.size();
    if (others > 0)
    {
        lines.push_back("and " + std::to_string(others) + " tasks more, most behind these");
    }
    return lines;
}

} // namespace ns3
