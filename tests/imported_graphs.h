/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IMPORTED_GRAPHS_H
#define IMPORTED_GRAPHS_H

#include "imported_files.h"

#include "ns3/graph-file.h"

namespace ns3
{

/// One task of a test.
struct TestTask
{
    int64_t kind;
    int64_t duration{-1}; ///< ps; -1: none
    int64_t bytes{0};
    int64_t set{NONE32};
    int64_t peer{0};
    int64_t tag{0};
    int64_t stream{65535};
    std::vector<int64_t> after{};   ///< tasks of the program that must have ended
    std::vector<int64_t> onStart{}; ///< tasks of the program that must have started
};

/// @param ps duration @param after what must have ended @param stream stream @return a computation
inline TestTask
Compute(int64_t ps, const std::vector<int64_t>& after = {}, int64_t stream = 65535)
{
    TestTask t{GraphFile::COMPUTE};
    t.duration = ps;
    t.after = after;
    t.stream = stream;
    return t;
}

/// @param kind collective @param bytes buffer @param set set @param after what must have ended
/// @return a collective
inline TestTask
Together(int64_t kind, int64_t bytes, int64_t set = 0, const std::vector<int64_t>& after = {})
{
    TestTask t{kind};
    t.bytes = bytes;
    t.set = set;
    t.after = after;
    return t;
}

/// @param kind send or recv @param peer rank @param bytes bytes @param after what must have ended
/// @return a message
inline TestTask
Mail(int64_t kind, int64_t peer, int64_t bytes, const std::vector<int64_t>& after = {})
{
    TestTask t{kind};
    t.bytes = bytes;
    t.peer = peer;
    t.tag = 5;
    t.after = after;
    return t;
}

/// @param programs tasks by program @param ranks program by rank @param sets groups by set
/// @return a task graph
inline ImportedFile
MakeGraph(const std::vector<std::vector<TestTask>>& programs,
          const std::vector<int64_t>& ranks,
          const std::vector<std::vector<std::vector<int64_t>>>& sets = {})
{
    ImportedFile f;
    auto& n = f.numbers;
    f.words[{"/graph", "schema"}] = "mixnet-graph/1";
    f.counts[{"/graph", "ranks"}] = static_cast<int64_t>(ranks.size());
    n["/graph/rank_program"] = ranks;
    const auto column = [&n](const char* name) -> std::vector<int64_t>& {
        return n[std::string("/graph/tasks/") + name];
    };
    n["/graph/programs/first_task"].push_back(0);
    n["/graph/dependencies/first"].push_back(0);
    auto& on = n["/graph/dependencies/on/task"];
    auto& start = n["/graph/dependencies/on/start"];
    for (const auto& program : programs)
    {
        for (const TestTask& t : program)
        {
            column("kind").push_back(t.kind);
            column("duration").push_back(t.duration);
            column("flops").push_back(0);
            column("bytes").push_back(t.bytes);
            column("set").push_back(t.set);
            column("peer").push_back(t.peer);
            column("tag").push_back(t.tag);
            column("stream").push_back(t.stream);
            column("traffic_class").push_back(t.kind == GraphFile::ALL_TO_ALL ? 1 : 4);
            column("name").push_back(NONE32);
            column("line").push_back(static_cast<int64_t>(column("line").size()) + 1);
            for (const int64_t other : t.after)
            {
                on.push_back(other);
                start.push_back(0);
            }
            for (const int64_t other : t.onStart)
            {
                on.push_back(other);
                start.push_back(1);
            }
            n["/graph/dependencies/first"].push_back(static_cast<int64_t>(on.size()));
        }
        n["/graph/programs/first_task"].push_back(static_cast<int64_t>(column("kind").size()));
    }
    n["/graph/sets/groups/first"].push_back(0);
    n["/graph/groups/first"].push_back(0);
    auto& members = n["/graph/groups/members/rank"];
    for (const auto& set : sets)
    {
        f.texts["/graph/sets/name"].push_back("set " +
                                              std::to_string(f.texts["/graph/sets/name"].size()));
        for (const auto& group : set)
        {
            members.insert(members.end(), group.begin(), group.end());
            n["/graph/groups/first"].push_back(static_cast<int64_t>(members.size()));
        }
        n["/graph/sets/groups/first"].push_back(
            static_cast<int64_t>(n["/graph/groups/first"].size()) - 1);
    }
    if (sets.empty())
    {
        f.texts["/graph/sets/name"] = {""};
    }
    f.texts["/graph/names/name"] = {""};
    return f;
}

/// @param f graph of which every all-to-all gets a matrix @param cells bytes [sender][receiver]
inline void
AddMatrix(ImportedFile& f, const std::vector<int64_t>& cells)
{
    f.numbers["/graph/matrices/first"] = {0, static_cast<int64_t>(cells.size())};
    f.numbers["/graph/matrices/cells/bytes"] = cells;
    for (const int64_t kind : f.numbers["/graph/tasks/kind"])
    {
        f.numbers["/graph/tasks/matrix"].push_back(kind == GraphFile::ALL_TO_ALL ? 0 : NONE32);
    }
}

/// @param n ranks @return one group of ranks 0 to n - 1, as one set
inline std::vector<std::vector<std::vector<int64_t>>>
World(int64_t n)
{
    std::vector<int64_t> all;
    for (int64_t r = 0; r < n; ++r)
    {
        all.push_back(r);
    }
    return {{all}};
}

} // namespace ns3

#endif // IMPORTED_GRAPHS_H
