/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The reader of imported task graphs: what it takes, and every law it checks.

#include "imported_graphs.h"

#include <gmock/gmock.h>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

using G = GraphFile;

class GraphFileTest : public ImportedFileTest
{
  protected:
    /// @param f graph @return message of the refusal, empty when accepted
    std::string Refused(const ImportedFile& f)
    {
        return Refusal(ReadGraphFile, f);
    }
};

/// The example of doc/schemas.rst.
ImportedFile
Example()
{
    TestTask waits = Compute(7000);
    waits.onStart = {0};
    return MakeGraph({{Compute(1000000), Mail(G::SEND, 1, 64, {0})},
                      {Mail(G::RECV, 0, 64), waits},
                      {Compute(9000)}},
                     {0, 1, 2, 2});
}

TEST_F(GraphFileTest, ReadsTheExampleOfTheManual)
{
    const GraphFile g = ReadGraphFile(Write(Example(), "graph.h5"));
    EXPECT_EQ(g.GetNRanks(), 4U);
    EXPECT_EQ(g.GetNPrograms(), 3U);
    EXPECT_EQ(g.GetNTasks(), 5U);
    EXPECT_EQ(g.duration[2], G::UNKNOWN);
    EXPECT_EQ(g.firstOn, (std::vector<uint64_t>{0, 0, 1, 1, 2, 2}));
    EXPECT_EQ(g.onStart[1], 1U);
    const GraphGroups groups(g);
    EXPECT_EQ(groups.GetPeer(0, 1), 1U);
    EXPECT_EQ(groups.GetPeer(1, 2), 0U);
    EXPECT_EQ(g.Describe(1), "send (line 2)");
}

TEST_F(GraphFileTest, EveryColumnMustBeThere)
{
    for (const auto& [name, column] : Example().numbers)
    {
        ImportedFile f = Example();
        f.numbers.erase(name);
        EXPECT_FALSE(Refused(f).empty()) << name;
        if (name == "/graph/sets/groups/first")
        {
            continue; // one more is a set without groups
        }
        f = Example();
        f.numbers[name].push_back(0);
        const std::string message = Refused(f);
        EXPECT_FALSE(message.empty()) << name << " is longer";
        EXPECT_THAT(message, HasSubstr("spoiled.h5"));
    }
}

TEST_F(GraphFileTest, ReadsBigGroupsAndOrdersThem)
{
    const GraphFile g = ReadGraphFile(Write(
        MakeGraph(
            {{Together(G::ALL_REDUCE, 8), Together(G::BARRIER, 0), Together(G::ALL_REDUCE, 8)}},
            {0, 0, 0, 0},
            {{{3, 1}, {0, 2}}}),
        "graph.h5"));
    const GraphGroups groups(g);
    EXPECT_EQ(groups.Find(0, 1).group, 0U);
    EXPECT_EQ(groups.Find(0, 1).place, 1U);
    EXPECT_EQ(groups.Find(0, 2).group, 1U);
    EXPECT_EQ(groups.GetNumber(2), 2U) << "collectives of all kinds count together";
}

TEST_F(GraphFileTest, RefusesWhatBreaksALaw)
{
    struct Case
    {
        ImportedFile file;
        const char* says;
    };

    const auto spoil = [](const char* column, std::size_t row, int64_t value) {
        ImportedFile f = Example();
        f.numbers[std::string("/graph/") + column].at(row) = value;
        return f;
    };
    TestTask first = Compute(1, {1});
    TestTask second = Compute(1);
    second.onStart = {0};
    TestTask root = Together(G::BROADCAST, 8);
    root.peer = 2;
    for (const Case& c :
         {Case{spoil("rank_program", 3, 3), "row 3 is 3; accepted: programs below 3"},
          Case{spoil("tasks/kind", 0, 12), "has the kind 12"},
          Case{spoil("tasks/kind", 0, 1), "is a all-reduce of no set"},
          Case{spoil("tasks/set", 0, 0), "names set 0"},
          Case{spoil("tasks/name", 0, 7), "names row 7"},
          Case{spoil("tasks/traffic_class", 0, 6), "traffic class 6"},
          Case{spoil("tasks/bytes", 1, 65), "has no"},
          Case{spoil("tasks/tag", 1, 6), "has no"},
          Case{spoil("tasks/peer", 1, 2), "has no"},
          Case{spoil("tasks/peer", 1, 0), "peer 0 of rank 0 does not exist"},
          Case{spoil("tasks/peer", 1, 4), "peer 4 of rank 0 does not exist"},
          Case{spoil("dependencies/on/task", 0, 2), "waits for task 2 of program 0"},
          Case{spoil("dependencies/first", 1, 9), "row 1 is 9"},
          Case{spoil("programs/first_task", 1, 3), "task"},
          Case{MakeGraph({{first, second}}, {0}), "waits for itself"},
          Case{MakeGraph({{Compute(1, {0})}}, {0}), "waits for itself"},
          Case{MakeGraph({{Together(G::ALL_REDUCE, 8)}}, {0, 0}, {{{0, 1}, {1}}}),
               "rank 1 is twice in the groups of set 'set 0'"},
          Case{MakeGraph({{Together(G::ALL_REDUCE, 8)}}, {0, 0}, {{{0}}}),
               "rank 1 is in no group of the set"},
          Case{MakeGraph({{Together(G::ALL_REDUCE, 8)}}, {0, 0}, {{{0, 2}}}), "names rank 2"},
          Case{MakeGraph({{Together(G::ALL_REDUCE, 8)}, {Together(G::ALL_REDUCE, 9)}},
                         {0, 1},
                         World(2)),
               "accepted: equal numbers, kinds, bytes, roots and matrices"},
          Case{MakeGraph({{Together(G::ALL_REDUCE, 8)}, {}}, {0, 1}, World(2)),
               "accepted: equal numbers"},
          Case{MakeGraph({{root}}, {0, 0}, World(2)), "has the root 2 in a group of 2"}})
    {
        EXPECT_THAT(Refused(c.file), HasSubstr(c.says));
    }
}

TEST_F(GraphFileTest, MatricesOfUnevenAllToAlls)
{
    const auto uneven = [](int64_t bytes, const std::vector<int64_t>& cells) {
        ImportedFile f =
            MakeGraph({{Compute(1), Together(G::ALL_TO_ALL, bytes)}}, {0, 0}, World(2));
        AddMatrix(f, cells);
        return f;
    };
    const GraphFile g = ReadGraphFile(Write(uneven(8000000005, {1, 2, 5, 8000000000}), "m.h5"));
    EXPECT_EQ(g.GetCells(g.GetMatrix(0)), nullptr);
    ASSERT_NE(g.GetCells(g.GetMatrix(1)), nullptr);
    EXPECT_EQ(g.GetCells(g.GetMatrix(1))[3], 8000000000U);
    EXPECT_THAT(Refused(uneven(8, {1, 2, 3, 4})),
                HasSubstr("has 8 B, the largest row of its matrix 7"));
    EXPECT_THAT(Refused(uneven(3, {1, 2})),
                HasSubstr("2 cells in a group of 2; accepted: 4 cells"));
    EXPECT_THAT(Refused(uneven(7, {1, 2, 3, int64_t(1) << 54})), HasSubstr("accepted: at most"));
    ImportedFile f = uneven(7, {1, 2, 3, 4});
    f.numbers["/graph/tasks/matrix"][1] = 1;
    EXPECT_THAT(Refused(f), HasSubstr("names matrix 1"));
    f.numbers["/graph/tasks/matrix"] = {0, 0};
    EXPECT_THAT(Refused(f), HasSubstr("names matrix 0; accepted: of an all-to-all"));
    f.numbers.erase("/graph/matrices/first");
    EXPECT_FALSE(Refused(f).empty());
}

} // namespace
