/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "task-recorder.h"

#include <string>

namespace ns3
{

TaskRecorder::TaskRecorder(uint32_t run, const GraphFile& graph, std::size_t blockRows)
    : m_run(run),
      m_graph(graph),
      m_blockRows(blockRows),
      m_groups(graph)
{
}

void
TaskRecorder::OnTask(uint32_t rank, uint32_t task, int64_t start, int64_t end)
{
    const uint8_t kind = m_graph.kind[task];
    const bool message = kind == GraphFile::SEND || kind == GraphFile::RECV;
    m_ids[0].push_back(rank);
    m_ids[1].push_back(task);
    m_ids[2].push_back(message ? m_groups.GetPeer(rank, task) : GraphFile::NONE);
    m_times[0].push_back(static_cast<double>(start) * 1e-12);
    m_times[1].push_back(static_cast<double>(end) * 1e-12);
    if (m_ids[0].size() >= m_blockRows)
    {
        Flush();
    }
}

void
TaskRecorder::Flush()
{
    if (m_ids[0].empty())
    {
        return;
    }
    ResultTable block("/tasks");
    block.Add("run", "1", std::vector<uint32_t>(m_ids[0].size(), m_run));
    const char* const ids[] = {"rank", "task", "peer"};
    for (std::size_t k = 0; k < 3; ++k)
    {
        block.Add(ids[k], "1", m_ids[k]);
        m_ids[k].clear();
    }
    const char* const times[] = {"start", "end"};
    for (std::size_t k = 0; k < 2; ++k)
    {
        block.Add(times[k], "s", m_times[k]);
        m_times[k].clear();
    }
    m_spill.Append(block);
}

ResultTable
TaskRecorder::MakeList() const
{
    const std::size_t count = m_graph.GetNTasks();
    std::vector<uint32_t> tasks;
    std::vector<std::string> kinds;
    std::vector<std::string> names;
    std::vector<std::string> sets;
    for (std::size_t t = 0; t < count; ++t)
    {
        const auto text = [](const std::vector<std::string>& texts, uint32_t index) {
            return index == GraphFile::NONE ? std::string() : texts[index];
        };
        tasks.push_back(static_cast<uint32_t>(t));
        kinds.emplace_back(GetTaskKindName(m_graph.kind[t]));
        names.push_back(text(m_graph.names, m_graph.name[t]));
        sets.push_back(text(m_graph.sets, m_graph.set[t]));
    }
    ResultTable list("/task_list");
    list.Add("task", "1", tasks);
    list.Add("kind", "text", kinds);
    list.Add("name", "text", names);
    list.Add("set", "text", sets);
    list.Add("bytes", "B", m_graph.bytes);
    list.Add("tag", "1", m_graph.tag);
    list.Add("line", "1", m_graph.line);
    return list;
}

void
TaskRecorder::AddTables(std::vector<ResultTable>& tables, TableSpill& spill)
{
    Flush();
    if (m_spill.IsEmpty())
    {
        return;
    }
    if (m_run == 0)
    {
        tables.push_back(MakeList());
    }
    m_spill.ForEach([&](const ResultTable& block) { spill.Append(block); });
}

} // namespace ns3
