/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Times of single tasks of task graphs.

#include "imported_graphs.h"
#include "replay_fixture.h"
#include "result_columns.h"

#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/task-graph-run.h"
#include "ns3/task-graph-traffic.h"

#include <gmock/gmock.h>
#include <map>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

using G = GraphFile;
using Span = std::pair<int64_t, int64_t>; //!< start and end, ticks

constexpr int64_t US = 1000000;

class GraphTasks : public ReplayTest
{
  protected:
    /// @param keep record.tasks @return two ranks in two servers that send each other a message
    RunResult Run(const std::string& keep)
    {
        const ImportedFile graph = MakeGraph(
            {{Compute(5 * US), Mail(G::SEND, 1, 1000000, {0}), Mail(G::RECV, 1, 5000, {1})},
             {Mail(G::RECV, 0, 1000000), Compute(7 * US, {0}), Mail(G::SEND, 0, 5000, {1})}},
            {0, 1},
            World(2));
        return RunHere(TaskGraphReplay(Write(graph, "graph.h5")),
                       {{"cluster.gpusPerServer", "1"},
                        {"cluster.nicsPerServer", "1"},
                        {"cluster.numaNodes", "1"},
                        {"record.tasks", keep}});
    }
};

// Rank 0 computes 5 us, sends, and waits for the answer; rank 1 waits, computes 7 us and answers.
// What is received ends with what is sent.
TEST_F(GraphTasks, StartAndEndOfEveryTask)
{
    const RunResult result = Run("auto");
    ASSERT_EQ(result.status, RunStatus::DONE) << result.message;
    EXPECT_EQ(Column<std::string>(result, "/task_list", "kind"),
              (std::vector<std::string>{"compute", "send", "recv", "recv", "compute", "send"}));
    std::map<std::pair<int, int>, Span> times;
    result.spill.ForEach([&](const ResultTable& block) {
        const std::vector<ResultTable> one{block};
        const ResultColumns t(one, "/tasks");
        for (std::size_t i = 0; i < t.GetNRows(); ++i)
        {
            const int rank = int(t.Number("rank", i));
            const int task = int(t.Number("task", i));
            const bool compute = task == 0 || task == 4;
            const Span span(Ticks(t.Number("start", i)), Ticks(t.Number("end", i)));
            EXPECT_TRUE(times.emplace(std::make_pair(rank, task), span).second);
            EXPECT_EQ(t.Number("peer", i), compute ? G::NONE : 1 - rank);
        }
    });
    ASSERT_EQ(times.size(), 6U);
    const int64_t there = times[{0, 1}].second;
    const int64_t back = times[{1, 5}].second;
    EXPECT_EQ((times[{0, 0}]), Span(0, 5 * US));
    EXPECT_EQ((times[{0, 1}]), Span(5 * US, there));
    EXPECT_EQ((times[{1, 3}]), Span(0, there));
    EXPECT_EQ((times[{1, 4}]), Span(there, there + 7 * US));
    EXPECT_EQ((times[{1, 5}]), Span(there + 7 * US, back));
    EXPECT_EQ((times[{0, 2}]), Span(there, back));
    EXPECT_GT(there, 5 * US + 20 * US) << "a megabyte at 400 Gb/s";
    EXPECT_EQ(back, Ticks(Column<double>(result, "/task_summary", "makespan")[0]));
}

TEST_F(GraphTasks, OnlyWhereAsked)
{
    EXPECT_FALSE(Run("all").spill.IsEmpty());
    const RunResult none = Run("none");
    EXPECT_TRUE(none.spill.IsEmpty());
    EXPECT_EQ(none.Find("/task_list"), nullptr);
    try
    {
        Run("some");
        ADD_FAILURE() << "accepted";
    }
    catch (const InputError& e)
    {
        EXPECT_THAT(e.what(), HasSubstr("auto"));
    }
}

// Two servers of one GPU: an all-reduce of a ring has 2 steps of 2 transfers, the largest
// collective of a group counts, and groups add up. A local one inside of a server is one operation.
TEST_F(GraphTasks, MemoryByHand)
{
    const auto estimate = [this](const ImportedFile& graph, uint32_t gpus) {
        const Ptr<FabricGraph> fabric =
            MixnetFabricHelper().Install(ClusterSpec(2, 1, ServerSpec{gpus})).GetGraph();
        return EstimateGraphMemory(ReadGraphFile(Write(graph, "graph.h5")), *fabric).Get();
    };
    const ImportedFile one = MakeGraph({{Together(G::ALL_REDUCE, 1000)}}, {0, 0}, World(2));
    const ImportedFile two =
        MakeGraph({{Together(G::ALL_REDUCE, 1000), Together(G::ALL_GATHER, 1000, 0, {0})}},
                  {0, 0},
                  World(2));
    const ImportedFile none = MakeGraph({{Compute(US)}}, {0, 0}, World(2));
    EXPECT_EQ(estimate(one, 1) - estimate(none, 1), 4 * 1200U);
    EXPECT_EQ(estimate(two, 1) - estimate(one, 1), 150U) << "one more task";
    EXPECT_EQ(estimate(one, 2) - estimate(none, 2), 1200U) << "both ranks in one server";
    EXPECT_GT(estimate(none, 1), 10000000U);
    EXPECT_LT(estimate(none, 1), 10100000U);
}

} // namespace
