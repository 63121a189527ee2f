/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "graph-file.h"

#include "hdf5-table.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

const char*
GetTaskKindName(uint8_t kind)
{
    static constexpr const char* names[] = {"compute",
                                            "all-reduce",
                                            "all-gather",
                                            "reduce-scatter",
                                            "all-to-all",
                                            "broadcast",
                                            "send",
                                            "recv",
                                            "reduce",
                                            "gather",
                                            "scatter",
                                            "barrier"};
    return names[kind];
}

std::string
GraphFile::Describe(std::size_t task) const
{
    std::string text = GetTaskKindName(kind[task]);
    if (name[task] != NONE)
    {
        text += " '" + names[name[task]] + "'";
    }
    if (set[task] != NONE)
    {
        text += " on set '" + sets[set[task]] + "'";
    }
    if (line[task] != 0)
    {
        text += " (line " + std::to_string(line[task]) + ")";
    }
    return text;
}

namespace
{

/// @param reader file @param graph out: sets, groups, members
void
ReadGroups(const Hdf5Reader& reader, GraphFile& graph)
{
    Hdf5Table members(reader, "/graph/groups/members");
    graph.members = members.Read<uint32_t>("rank");
    Hdf5Table groups(reader, "/graph/groups");
    const uint64_t n = reader.GetShape("/graph/groups/first").at(0);
    graph.firstMember = groups.ReadFirst("first", n == 0 ? 0 : n - 1, graph.members.size());
    Hdf5Table sets(reader, "/graph/sets");
    graph.sets = sets.ReadTexts("name");
    Hdf5Table setGroups(reader, "/graph/sets/groups");
    const uint64_t s = reader.GetShape("/graph/sets/groups/first").at(0);
    graph.firstGroup =
        setGroups.ReadFirst("first", s == 0 ? 0 : s - 1, graph.firstMember.size() - 1);
    if (graph.sets.size() < graph.firstGroup.size() - 1)
    {
        throw InputError(graph.path + ": /graph/sets/name",
                         "has fewer names than there are sets",
                         std::to_string(graph.firstGroup.size() - 1));
    }
    for (std::size_t i = 0; i < graph.members.size(); ++i)
    {
        if (graph.members[i] >= graph.GetNRanks())
        {
            members.Refuse(i,
                           "names rank " + std::to_string(graph.members[i]),
                           "0 to " + std::to_string(graph.GetNRanks() - 1));
        }
    }
}

/// @param graph columns read @param table /graph/tasks
void
CheckTasks(const GraphFile& graph, const Hdf5Table& table)
{
    const std::size_t sets = graph.firstGroup.size() - 1;
    for (std::size_t t = 0; t < graph.GetNTasks(); ++t)
    {
        if (graph.kind[t] >= GraphFile::N_KINDS)
        {
            table.Refuse(t, "has the kind " + std::to_string(graph.kind[t]), "0 to 11");
        }
        if (graph.set[t] != GraphFile::NONE && graph.set[t] >= sets)
        {
            table.Refuse(t,
                         "names set " + std::to_string(graph.set[t]),
                         "one of " + std::to_string(sets) + ", or none");
        }
        if (graph.IsCollective(t) && graph.set[t] == GraphFile::NONE)
        {
            table.Refuse(t, std::string("is a ") + GetTaskKindName(graph.kind[t]) + " of no set");
        }
        if (graph.name[t] != GraphFile::NONE && graph.name[t] >= graph.names.size())
        {
            table.Refuse(t, "names row " + std::to_string(graph.name[t]) + " of /graph/names");
        }
        if (graph.trafficClass[t] > 5)
        {
            table.Refuse(t,
                         "has the traffic class " + std::to_string(graph.trafficClass[t]),
                         "0 to 5");
        }
        if (graph.duration[t] != GraphFile::UNKNOWN &&
            graph.duration[t] > static_cast<uint64_t>(INT64_MAX) / 2)
        {
            table.Refuse(t, "lasts longer than a run can", "53 days at most");
        }
    }
}

/// @param reader file @param graph out: dependencies; programs are read
void
ReadDependencies(const Hdf5Reader& reader, GraphFile& graph)
{
    Hdf5Table on(reader, "/graph/dependencies/on");
    graph.on = on.Read<uint32_t>("task");
    graph.onStart = on.Read<uint8_t>("start");
    Hdf5Table table(reader, "/graph/dependencies");
    graph.firstOn = table.ReadFirst("first", graph.GetNTasks(), graph.on.size());
    for (uint32_t p = 0; p < graph.GetNPrograms(); ++p)
    {
        const uint64_t length = graph.firstTask[p + 1] - graph.firstTask[p];
        for (uint64_t i = graph.firstOn[graph.firstTask[p]];
             i < graph.firstOn[graph.firstTask[p + 1]];
             ++i)
        {
            if (graph.on[i] >= length || graph.onStart[i] > 1)
            {
                on.Refuse(i,
                          "waits for task " + std::to_string(graph.on[i]) + " of program " +
                              std::to_string(p) + ", start " + std::to_string(graph.onStart[i]),
                          "tasks below " + std::to_string(length) + ", start 0 or 1");
            }
        }
    }
}

/// @param reader file @param graph out: matrices @param tasks /graph/tasks
void
ReadMatrices(const Hdf5Reader& reader, GraphFile& graph, Hdf5Table& tasks)
{
    constexpr uint64_t most = uint64_t(1) << 53;
    Hdf5Table cells(reader, "/graph/matrices/cells");
    graph.cells = cells.Read<uint64_t>("bytes");
    Hdf5Table table(reader, "/graph/matrices");
    const uint64_t n = reader.GetShape("/graph/matrices/first").at(0);
    graph.firstCell = table.ReadFirst("first", n == 0 ? 0 : n - 1, graph.cells.size());
    for (std::size_t i = 0; i < graph.cells.size(); ++i)
    {
        if (graph.cells[i] > most)
        {
            cells.Refuse(i,
                         std::to_string(graph.cells[i]) + " B",
                         "at most " + std::to_string(most));
        }
    }
    graph.matrix = tasks.Read<uint32_t>("matrix");
    for (std::size_t t = 0; t < graph.GetNTasks(); ++t)
    {
        const uint32_t index = graph.matrix[t];
        if (index != GraphFile::NONE &&
            (index + 1 >= graph.firstCell.size() || graph.kind[t] != GraphFile::ALL_TO_ALL))
        {
            tasks.Refuse(t,
                         "names matrix " + std::to_string(index),
                         "of an all-to-all: rows of /graph/matrices, or none");
        }
    }
}

} // namespace

GraphFile
ReadGraphFile(const std::string& path)
{
    const Hdf5Reader reader(path);
    CheckImported(reader, "/graph", "mixnet-graph/1", "a task graph of ./mixnet import");
    GraphFile graph;
    graph.path = path;
    graph.rankProgram = reader.ReadColumn<uint32_t>("/graph/rank_program");
    Hdf5Table tasks(reader, "/graph/tasks");
    graph.kind = tasks.Read<uint8_t>("kind");
    graph.duration = tasks.Read<uint64_t>("duration");
    graph.flops = tasks.Read<uint64_t>("flops");
    graph.bytes = tasks.Read<uint64_t>("bytes");
    graph.set = tasks.Read<uint32_t>("set");
    graph.peer = tasks.Read<int32_t>("peer");
    graph.tag = tasks.Read<uint64_t>("tag");
    graph.stream = tasks.Read<uint16_t>("stream");
    graph.trafficClass = tasks.Read<uint8_t>("traffic_class");
    graph.name = tasks.Read<uint32_t>("name");
    graph.line = tasks.Read<uint64_t>("line");
    if (graph.GetNTasks() >= UINT32_MAX)
    {
        throw InputError(path + ": /graph/tasks", "has too many tasks", "fewer than 4294967295");
    }
    Hdf5Table programs(reader, "/graph/programs");
    const uint64_t n = reader.GetShape("/graph/programs/first_task").at(0);
    graph.firstTask = programs.ReadFirst("first_task", n == 0 ? 0 : n - 1, graph.GetNTasks());
    const uint64_t ranks = reader.ReadCount("/graph", "ranks");
    if (ranks != graph.rankProgram.size() || ranks == 0)
    {
        throw InputError(path + ": /graph/rank_program",
                         "has " + std::to_string(graph.rankProgram.size()) + " ranks, declared " +
                             std::to_string(ranks),
                         "equal numbers, at least 1");
    }
    for (std::size_t r = 0; r < ranks; ++r)
    {
        if (graph.rankProgram[r] >= graph.GetNPrograms())
        {
            throw InputError(path + ": /graph/rank_program",
                             "row " + std::to_string(r) + " is " +
                                 std::to_string(graph.rankProgram[r]),
                             "programs below " + std::to_string(graph.GetNPrograms()));
        }
    }
    Hdf5Table names(reader, "/graph/names");
    graph.names = names.ReadTexts("name");
    ReadGroups(reader, graph);
    CheckTasks(graph, tasks);
    if (reader.Has("/graph/tasks/matrix"))
    {
        ReadMatrices(reader, graph, tasks);
    }
    ReadDependencies(reader, graph);
    CheckGraphLaws(graph);
    return graph;
}

} // namespace ns3
