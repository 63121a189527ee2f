/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Task graphs on fabrics, in both worlds.

#include "imported_graphs.h"
#include "replay_fixture.h"

#include "ns3/task-graph-run.h"

#include <gmock/gmock.h>

using namespace ns3;
using ::testing::HasSubstr;

namespace
{

using G = GraphFile;

constexpr int64_t US = 1000000;
constexpr int64_t HEADER = 14 + 20 + 8 + 12 + 4 + 4 + 20;

/// @param bytes payload @return ticks over two idle links of 400 Gb/s and 1 us, one switch between
int64_t
OneHop(int64_t bytes)
{
    const int64_t wire = bytes + (bytes + 4095) / 4096 * HEADER + 16;
    const int64_t first = std::min<int64_t>(bytes, 4096) + HEADER + 16;
    return 20 * (wire + first) + 2 * US;
}

/// Servers of one GPU and one NIC on one switch.
const ScenarioOverrides PLAIN{{"cluster.gpusPerServer", "1"},
                              {"cluster.nicsPerServer", "1"},
                              {"cluster.numaNodes", "1"},
                              {"transport.congestionControl", "none"}};

class RunGraph : public ReplayTest
{
  protected:
    /// @param graph graph @param overrides command line @param fidelity world @return result
    RunResult Run(const ImportedFile& graph,
                  ScenarioOverrides overrides,
                  const std::string& fidelity = "flow")
    {
        overrides.emplace_back("fidelity", fidelity);
        return RunHere(TaskGraphReplay(Write(graph, "graph.h5")), overrides);
    }

    /// @param result result @param column of /task_summary @return it, ps
    static int64_t Summary(const RunResult& result, const std::string& column)
    {
        return Ticks(Column<double>(result, "/task_summary", column)[0]);
    }

    /// @param result result whose critical path has to be as long as the run @param kind of task
    /// @return ticks of the path
    static int64_t Critical(const RunResult& result, const std::string& kind)
    {
        const auto kinds = Column<std::string>(result, "/task_kinds", "kind");
        const auto critical = Column<double>(result, "/task_kinds", "critical");
        int64_t all = 0;
        int64_t time = 0;
        for (std::size_t k = 0; k < kinds.size(); ++k)
        {
            all += Ticks(critical[k]);
            time += kinds[k] == kind ? Ticks(critical[k]) : 0;
        }
        EXPECT_EQ(all, Summary(result, "makespan"));
        return time;
    }
};

TEST_F(RunGraph, OneAllReduceByHand)
{
    // Inside a server of 8 GPUs of 450 GB/s: 2 x 7/8 x bytes / rate, no network.
    const int64_t bytes = 8 << 20;
    const RunResult inside =
        Run(MakeGraph({{Together(G::ALL_REDUCE, bytes)}}, std::vector<int64_t>(8, 0), World(8)),
            {});
    EXPECT_EQ(inside.status, RunStatus::DONE) << inside.message;
    EXPECT_NEAR(static_cast<double>(Summary(inside, "makespan")),
                2.0 * 7 / 8 * static_cast<double>(bytes) / 450e9 * 1e12,
                2);
    EXPECT_EQ(Column<uint64_t>(inside, "/task_summary", "bytes_scale_up")[0], 14U * bytes);
    EXPECT_EQ(Column<uint64_t>(inside, "/task_summary", "bytes_packet")[0], 0U);
    // Two ranks on two servers: a ring of two steps of half the buffer each.
    for (const char* fidelity : {"flow", "packet"})
    {
        const RunResult ring =
            Run(MakeGraph({{Together(G::ALL_REDUCE, 1000000)}}, {0, 0}, World(2)), PLAIN, fidelity);
        EXPECT_EQ(ring.status, RunStatus::DONE) << ring.message;
        // packets: both directions carry data, and acknowledgements of the other's between it
        const int64_t steps = 2 * OneHop(500000);
        EXPECT_GE(Summary(ring, "makespan"), steps) << fidelity;
        EXPECT_LE(Summary(ring, "makespan"), fidelity[0] == 'f' ? steps : steps + steps / 100);
        EXPECT_EQ(Column<uint64_t>(ring, "/task_summary", "bytes_packet")[0], 2000000U);
    }
}

TEST_F(RunGraph, UnevenAllToAllByHand)
{
    // Two ranks on two servers: the larger message decides.
    ImportedFile pair = MakeGraph({{Together(G::ALL_TO_ALL, 1000007)}}, {0, 0}, World(2));
    AddMatrix(pair, {7, 1000000, 5000, 9});
    const RunResult flow = Run(pair, PLAIN);
    EXPECT_EQ(Summary(flow, "makespan"), OneHop(1000000));
    for (const RunResult& result : {flow, Run(pair, PLAIN, "packet")})
    {
        ASSERT_EQ(result.status, RunStatus::DONE) << result.message;
        EXPECT_EQ(Column<uint64_t>(result, "/task_summary", "bytes_packet")[0], 1005000U);
    }
    // Inside a server: GPU 3 receives most, 7 x 9 MB.
    std::vector<int64_t> cells(64, 0);
    for (std::size_t source = 0; source < 8; ++source)
    {
        cells[source * 8 + 3] = 9000000;
        cells[source * 8 + 5] = 1000000;
    }
    ImportedFile inside =
        MakeGraph({{Together(G::ALL_TO_ALL, 10000000)}}, std::vector<int64_t>(8, 0), World(8));
    AddMatrix(inside, cells);
    const RunResult local = Run(inside, {});
    EXPECT_EQ(Summary(local, "makespan"), 140 * US);
    EXPECT_EQ(Column<uint64_t>(local, "/task_summary", "bytes_scale_up")[0], 70000000U);
}

TEST_F(RunGraph, ChainOfComputationsAndMessages)
{
    // Rank 1 waits for the message, computes and answers. The recv of rank 0 is posted long before.
    const ImportedFile graph =
        MakeGraph({{Compute(5 * US),
                    Mail(G::SEND, 1, 1000000, {0}),
                    Mail(G::RECV, 1, 5000, {}),
                    Compute(3 * US, {1, 2})},
                   {Mail(G::RECV, 0, 1000000), Compute(7 * US, {0}), Mail(G::SEND, 0, 5000, {1})}},
                  {0, 1});
    for (const char* fidelity : {"flow", "packet"})
    {
        const RunResult result = Run(graph, PLAIN, fidelity);
        ASSERT_EQ(result.status, RunStatus::DONE) << result.message;
        EXPECT_EQ(Summary(result, "makespan"), 15 * US + OneHop(1000000) + OneHop(5000))
            << fidelity;
        EXPECT_EQ(Column<uint64_t>(result, "/laws", "delivered")[0], 1005000U);
        // rank 0: its recv is in progress from the begin to the answer, less what it computes
        EXPECT_EQ(Ticks(Column<double>(result, "/ranks", "exposed")[0]),
                  7 * US + OneHop(1000000) + OneHop(5000));
        EXPECT_EQ(Ticks(Column<double>(result, "/ranks", "compute")[0]), 8 * US);
        EXPECT_EQ(Critical(result, "compute"), 15 * US);
        EXPECT_EQ(Critical(result, "send"), OneHop(1000000) + OneHop(5000));
        EXPECT_EQ(Critical(result, "recv"), 0) << "it waits for the sender";
    }
}

TEST_F(RunGraph, CommunicationBehindComputationIsHidden)
{
    const int64_t ring = 2 * OneHop(500000);
    for (const int64_t compute : {1 * US, 500 * US})
    {
        const RunResult result =
            Run(MakeGraph({{Compute(compute), Together(G::ALL_REDUCE, 1000000)}}, {0, 0}, World(2)),
                PLAIN);
        EXPECT_EQ(Summary(result, "makespan"), std::max(compute, ring));
        EXPECT_EQ(Critical(result, "compute"), compute > ring ? compute : 0);
        EXPECT_EQ(Critical(result, "all-reduce"), compute > ring ? 0 : ring);
        EXPECT_EQ(Summary(result, "exposed"), std::max<int64_t>(0, ring - compute));
        EXPECT_NEAR(Column<double>(result, "/task_summary", "hidden_share")[0],
                    std::min(1.0, static_cast<double>(compute) / static_cast<double>(ring)),
                    1e-9);
    }
}

TEST_F(RunGraph, StreamsRunOneComputationAtATime)
{
    // Stream 0: tasks 0 and 1 are ready at once, in the order of numbers, task 3 comes later; the
    // computations without a stream run beside them.
    const RunResult result = Run(MakeGraph({{Compute(4 * US, {}, 0),
                                             Compute(2 * US, {}, 0),
                                             Compute(1 * US),
                                             Compute(3 * US, {2}, 0),
                                             Compute(1 * US)}},
                                           {0}),
                                 PLAIN);
    EXPECT_EQ(Summary(result, "makespan"), 9 * US);
    EXPECT_EQ(Summary(result, "compute"), 9 * US);
    EXPECT_EQ(Column<uint64_t>(result, "/task_kinds", "tasks")[0], 5U);
    EXPECT_EQ(Critical(result, "compute"), 9 * US);
}

TEST_F(RunGraph, TheExampleOfTheManual)
{
    TestTask waits = Compute(7000);
    waits.onStart = {0};
    const RunResult result = Run(MakeGraph({{Compute(1000000), Mail(G::SEND, 1, 64, {0})},
                                            {Mail(G::RECV, 0, 64), waits},
                                            {Compute(9000)}},
                                           {0, 1, 2, 2}),
                                 PLAIN);
    const auto ends = Column<double>(result, "/ranks", "end");
    EXPECT_EQ(Ticks(ends[0]), 1000000 + OneHop(64));
    EXPECT_EQ(Ticks(ends[1]), 1000000 + OneHop(64));
    EXPECT_EQ(Ticks(ends[3]), 9000);
    EXPECT_EQ(Ticks(Column<double>(result, "/ranks", "compute")[1]), 7000);
    EXPECT_EQ(Critical(result, "send"), OneHop(64));
}

TEST_F(RunGraph, DeadlockNamesRanksAndTasks)
{
    // Two groups in opposite orders: rank 0 stands in the first, rank 1 in the second.
    const ImportedFile graph =
        MakeGraph({{Together(G::ALL_REDUCE, 8, 0), Together(G::ALL_REDUCE, 8, 1, {0})},
                   {Together(G::ALL_REDUCE, 8, 1), Together(G::ALL_REDUCE, 8, 0, {0})}},
                  {0, 1},
                  {{{0, 1}}, {{0, 1}}});
    EXPECT_EQ(RunThere(std::make_unique<TaskGraphReplay>(Write(graph, "g.h5")), PLAIN, "o"), 2);
    EXPECT_THAT(m_err.str(), HasSubstr("nothing moves any more after 0"));
    EXPECT_THAT(m_err.str(),
                HasSubstr("rank 0: task 0, all-reduce on set 'set 0' (line 1), waits for ranks 1"));
    EXPECT_THAT(m_err.str(),
                HasSubstr("rank 1: task 0, all-reduce on set 'set 1' (line 3), waits for ranks 0"));
    EXPECT_THAT(m_err.str(), HasSubstr("and 2 tasks more"));
}

TEST_F(RunGraph, EveryKindOnEveryFabric)
{
    // 32 ranks, every collective over the world, over halves and over strided groups that have one
    // member per server, one after the other; then a ring of messages by place in a set.
    std::vector<std::vector<int64_t>> halves(2);
    std::vector<std::vector<int64_t>> strides(8);
    for (int64_t r = 0; r < 32; ++r)
    {
        halves[static_cast<std::size_t>(r / 16)].push_back(r);
        strides[static_cast<std::size_t>(r % 8)].push_back(r);
    }
    std::vector<TestTask> program;
    std::vector<TestTask> last;
    for (int64_t set = 0; set < 3; ++set)
    {
        for (const int64_t kind : {1, 2, 3, 4, 5, 8, 9, 10, 11})
        {
            TestTask t = Together(kind, kind == G::BARRIER ? 0 : 100003, set);
            if (!program.empty())
            {
                t.after = {static_cast<int64_t>(program.size()) - 1};
            }
            t.peer = kind == 5 || (kind >= 8 && kind <= 10) ? 3 : 0;
            program.push_back(t);
        }
    }
    last = program;
    const int64_t before = static_cast<int64_t>(program.size()) - 1;
    TestTask send{G::SEND, -1, 70000, 0, 1, 9, 65535, {before}};
    TestTask recv{G::RECV, -1, 70000, 0, -1, 9, 65535, {before}};
    std::vector<TestTask> first = program;
    first.push_back(send);
    program.push_back(send);
    program.push_back(recv);
    last.push_back(recv);
    std::vector<int64_t> ranks(32, 1);
    ranks.front() = 0;
    ranks.back() = 2;
    const auto world = World(32);
    const std::string path =
        Write(MakeGraph({first, program, last}, ranks, {world[0], halves, strides}), "graph.h5");
    for (const char* fidelity : {"flow", "packet"})
    {
        const ScenarioOverrides overrides{
            {"cluster", "h100-400g"},
            {"fidelity", fidelity},
            {"fabrics", R"(["fat-tree", "rail-optimized", "topoopt", "mixnet"])"}};
        ASSERT_EQ(RunThere(std::make_unique<TaskGraphReplay>(path), overrides, fidelity), 0)
            << m_err.str();
        const std::string summary = Bytes(fidelity, "summary.json");
        std::size_t all = 0;
        // 32 ranks x 27 collectives, 31 sends and 31 receives
        for (std::size_t at = 0; (at = summary.find("\"finished\": 926", at)) != std::string::npos;
             ++at)
        {
            ++all;
        }
        EXPECT_EQ(all, 4U);
        ASSERT_EQ(RunThere(std::make_unique<TaskGraphReplay>(path), overrides, "again"), 0);
        EXPECT_EQ(Bytes("again", "result.h5"), Bytes(fidelity, "result.h5"));
    }
}

TEST_F(RunGraph, RanksFillServersUnlessToldOtherwise)
{
    const std::string path =
        Write(MakeGraph({{Together(G::ALL_GATHER, 1000)}}, std::vector<int64_t>(12, 0), World(12)),
              "g.h5");
    EXPECT_EQ(RunThere(std::make_unique<TaskGraphReplay>(path), {}, "o"), 1);
    EXPECT_THAT(m_err.str(), HasSubstr("12 ranks do not fill servers of 8 GPUs"));
    EXPECT_EQ(RunThere(std::make_unique<TaskGraphReplay>(path), {{"cluster.servers", "2"}}, "o"), 0)
        << m_err.str();
    EXPECT_THAT(m_out.str(), HasSubstr("2 servers of 8 GPUs, 4 GPUs idle"));
    EXPECT_EQ(RunThere(std::make_unique<TaskGraphReplay>(path), {{"cluster.servers", "1"}}, "o"),
              1);
}

TEST_F(RunGraph, UnknownDurationsComeFromTheGpu)
{
    // 989 TFLOP/s at 50 %, 3,350 GB/s: the larger one of the two times.
    ImportedFile graph = MakeGraph({{Compute(-1)}}, {0});
    graph.numbers["/graph/tasks/flops"] = {989000000000};
    EXPECT_EQ(Summary(Run(graph, PLAIN), "makespan"), 2000 * US);
    graph.numbers["/graph/tasks/bytes"] = {3350000000 * 3};
    EXPECT_EQ(Summary(Run(graph, PLAIN), "makespan"), 3000 * US);
}

/// @param kind collective @param gpus members @return bytes of its transfers, and of closed forms
std::pair<uint64_t, uint64_t>
Moved(uint8_t kind, const std::vector<uint32_t>& gpus)
{
    const Ptr<FabricGraph> graph = CreateObject<FabricGraph>();
    for (uint32_t s = 0; s < 4; ++s)
    {
        graph->AddServer(ServerSpec());
    }
    GroupSpec spec;
    for (const uint32_t g : gpus)
    {
        spec.members.emplace_back(g);
    }
    spec.kind = kind;
    spec.bytes = ByteCount(1000003);
    spec.root = 1;
    TransferGraph transfers;
    GroupCollectives(*graph).Append(transfers, spec);
    transfers.Seal();
    uint64_t local = 0;
    for (uint32_t n = 0; n < transfers.GetNNodes(); ++n)
    {
        local += transfers.IsLocal(n) ? transfers.GetLocal(n).scaleUpBytes.Get() : 0;
    }
    return {transfers.GetTransferBytes().Get(), local};
}

TEST(GroupCollectives, MoveWhatTheirDefinitionsSay)
{
    // B per buffer; across 4 servers with one member each nothing is local; with two members each
    // the rings carry half as much per ring and twice as many, and the closed forms the rest.
    const uint64_t b = 1000003;
    const std::vector<uint32_t> single{0, 8, 16, 24};
    const std::vector<uint32_t> pairs{0, 1, 8, 9, 16, 17, 24, 25};
    const std::vector<uint32_t> strided{0, 2, 8, 10, 16, 18, 24, 26};
    const std::vector<uint32_t> uneven{0, 1, 8};
    EXPECT_EQ(Moved(G::ALL_REDUCE, single), std::make_pair(6 * b, uint64_t(0)));
    EXPECT_EQ(Moved(G::ALL_GATHER, single), std::make_pair(3 * b, uint64_t(0)));
    EXPECT_EQ(Moved(G::REDUCE_SCATTER, single), std::make_pair(3 * b, uint64_t(0)));
    EXPECT_EQ(Moved(G::BROADCAST, single), std::make_pair(3 * b, uint64_t(0)));
    EXPECT_EQ(Moved(G::REDUCE, single), std::make_pair(3 * b, uint64_t(0)));
    EXPECT_EQ(Moved(G::ALL_TO_ALL, single).first, 3 * b) << "each sends three of four parts";
    EXPECT_EQ(Moved(G::GATHER, single).first, b - (b / 4 + 1)) << "all but the root's share";
    EXPECT_EQ(Moved(G::SCATTER, single).first, b - (b / 4 + 1));
    for (const auto& members : {pairs, strided})
    {
        EXPECT_EQ(Moved(G::ALL_REDUCE, members), std::make_pair(6 * b, 2 * 4 * b));
        EXPECT_EQ(Moved(G::ALL_GATHER, members), std::make_pair(3 * b, 4 * b));
        EXPECT_EQ(Moved(G::REDUCE_SCATTER, members), std::make_pair(3 * b, 4 * b));
        EXPECT_EQ(Moved(G::BROADCAST, members), std::make_pair(3 * b, 4 * b));
    }
    EXPECT_EQ(Moved(G::ALL_REDUCE, uneven), std::make_pair(4 * b, uint64_t(0)));
}

} // namespace
