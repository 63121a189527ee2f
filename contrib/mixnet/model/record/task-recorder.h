/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_TASK_RECORDER_H
#define MIXNET_TASK_RECORDER_H

#include "ns3/graph-file.h"
#include "ns3/result-table.h"
#include "ns3/table-spill.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * When every task of every rank of a task graph ran: tables /tasks (a row per rank and task, in
 * order of end) and, of run 0, /task_list (what the tasks are; ranks share them). Rows wait in
 * memory for a block, then go to a TableSpill.
 */
class TaskRecorder
{
  public:
    /// @param run its number @param graph task graph; must outlive this
    /// @param blockRows rows in memory
    TaskRecorder(uint32_t run, const GraphFile& graph, std::size_t blockRows = 65536);

    /// @param rank rank @param task task, counted through all programs @param start tick
    /// @param end tick
    void OnTask(uint32_t rank, uint32_t task, int64_t start, int64_t end);

    /// @param tables out: /task_list @param spill out: /tasks
    void AddTables(std::vector<ResultTable>& tables, TableSpill& spill);

  private:
    /// The rows in memory leave it.
    void Flush();
    /// @return /task_list
    ResultTable MakeList() const;

    uint32_t m_run;                 //!< its number
    const GraphFile& m_graph;       //!< tasks
    std::size_t m_blockRows;        //!< rows in memory
    std::vector<uint32_t> m_ids[3]; //!< rank, task, other rank of a message
    std::vector<double> m_times[2]; //!< start, end
    GraphGroups m_groups;           //!< who is with whom
    TableSpill m_spill;             //!< blocks
};

} // namespace ns3

#endif // MIXNET_TASK_RECORDER_H
