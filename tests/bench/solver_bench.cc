/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Benchmarks of the fluid world. Names and counters are a contract (design, section 7):
//   solver/all-to-all/S             S servers of 8 NICs, skewed sizes, recall off
//   solver/all-to-all/recalled/S    the same sizes again and again, recall on
//   solver/component/S/R            R regions of S servers, each tied to the next by one flow
//   solver/transport/S              as all-to-all, through FlowTransport and Simulator events
//   solver/transport/recalled/S     the same with recall
// Counters: flows_per_s, solves_per_s. Time per iteration = one batch from start to last end.

#include "ns3/flow-solver.h"
#include "ns3/flow-transport.h"
#include "ns3/ns3-compat.h"
#include "ns3/router.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <cstdint>
#include <vector>

using namespace ns3;

namespace
{

constexpr double TICKS = 1e12; //!< picoseconds
constexpr uint32_t NICS = 8;   //!< per server

/// Deterministic skewed sizes.
class Sizes
{
  public:
    /// @return next size in bits
    double Next()
    {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto r = static_cast<double>(m_state >> 40);
        return 8 * (1e6 + r * r / 1e7);
    }

  private:
    uint64_t m_state{1}; //!< generator
};

/// Servers behind non-blocking switches: only their NICs are resources.
class Servers
{
  public:
    /// @param solver solver @param servers number of servers
    Servers(FlowSolver& solver, uint32_t servers)
        : m_partition(solver.GetPartition())
    {
        for (uint32_t i = 0; i < servers * NICS * 2; ++i)
        {
            m_partition.AddResource(400e9, ResourceKind::PORT);
        }
    }

    /// @param from server @param to server @return route over all NICs
    uint32_t Route(uint32_t from, uint32_t to)
    {
        std::vector<ResourceUse> uses;
        for (uint32_t i = 0; i < NICS; ++i)
        {
            uses.push_back({(2 * from) * NICS + i, 1.0 / NICS});
            uses.push_back({(2 * to + 1) * NICS + i, 1.0 / NICS});
        }
        return m_partition.AddRoute(uses);
    }

  private:
    ResourcePartition& m_partition; //!< resources
};

/// @param solver run it until nothing is in progress @param now tick @return ends
uint64_t
RunToEnd(FlowSolver& solver, int64_t& now)
{
    uint64_t ends = 0;
    static std::vector<FlowEnd> ended;
    std::vector<uint32_t> live;
    while (solver.GetNFlows() > 0)
    {
        for (const uint32_t c : solver.GetChanged())
        {
            if (std::find(live.begin(), live.end(), c) == live.end())
            {
                live.push_back(c);
            }
        }
        solver.GetChanged().clear();
        uint32_t first = live.front();
        for (const uint32_t c : live)
        {
            first = solver.GetNext(c) < solver.GetNext(first) ? c : first;
        }
        now = solver.GetNext(first);
        ended.clear();
        solver.Advance(now, first, ended);
        ends += ended.size();
    }
    return ends;
}

/// @param servers number @param batches number @return specs, batch by batch
std::vector<FlowSpec>
AllToAll(Servers& fabric, uint32_t first, uint32_t servers, Sizes& sizes)
{
    std::vector<FlowSpec> specs;
    for (uint32_t s = 0; s < servers; ++s)
    {
        for (uint32_t t = 0; t < servers; ++t)
        {
            if (s != t)
            {
                FlowSpec spec;
                spec.route = fabric.Route(first + s, first + t);
                spec.bits = sizes.Next();
                spec.weight = 8;
                spec.order = specs.size();
                specs.push_back(spec);
            }
        }
    }
    return specs;
}

/// @param state benchmark @param recall true: the sizes return
void
BenchAllToAll(benchmark::State& state, bool recall)
{
    const auto servers = static_cast<uint32_t>(state.range(0));
    FlowSolver solver(TICKS);
    solver.SetRecallBudget(recall ? 64U << 20 : 0);
    Servers fabric(solver, servers);
    Sizes sizes;
    std::vector<std::vector<FlowSpec>> batches;
    for (int i = 0; i < 4; ++i)
    {
        batches.push_back(AllToAll(fabric, 0, servers, sizes));
    }
    std::vector<FlowHandle> handles(batches[0].size());
    int64_t now = 0;
    uint64_t flows = 0;
    std::size_t next = 0;
    for (auto _ : state)
    {
        const auto& batch = batches[next++ % batches.size()];
        solver.Start(now, batch.data(), batch.size(), handles.data());
        flows += RunToEnd(solver, now);
    }
    state.counters["flows_per_s"] =
        benchmark::Counter(static_cast<double>(flows), benchmark::Counter::kIsRate);
    state.counters["solves_per_s"] =
        benchmark::Counter(static_cast<double>(solver.GetStats().solves),
                           benchmark::Counter::kIsRate);
}

/// @param state benchmark: regions of servers with a flow between neighbors now and then
void
BenchComponent(benchmark::State& state)
{
    const auto servers = static_cast<uint32_t>(state.range(0));
    const auto regions = static_cast<uint32_t>(state.range(1));
    FlowSolver solver(TICKS);
    solver.SetRecallBudget(0);
    Servers fabric(solver, servers * regions);
    Sizes sizes;
    std::vector<FlowSpec> specs;
    for (uint32_t r = 0; r < regions; ++r)
    {
        const auto part = AllToAll(fabric, r * servers, servers, sizes);
        specs.insert(specs.end(), part.begin(), part.end());
        FlowSpec bridge = part.front();
        bridge.route = fabric.Route(r * servers, (r + 1) % regions * servers);
        specs.push_back(bridge);
    }
    std::vector<FlowHandle> handles(specs.size());
    int64_t now = 0;
    uint64_t flows = 0;
    for (auto _ : state)
    {
        solver.Start(now, specs.data(), specs.size(), handles.data());
        flows += RunToEnd(solver, now);
    }
    state.counters["flows_per_s"] =
        benchmark::Counter(static_cast<double>(flows), benchmark::Counter::kIsRate);
    state.counters["solves_per_s"] =
        benchmark::Counter(static_cast<double>(solver.GetStats().solves),
                           benchmark::Counter::kIsRate);
}

/// Every pair of servers over all NICs of both.
class AllNics : public Router
{
  public:
    /// @param graph servers on one switch
    explicit AllNics(Ptr<FabricGraph> graph)
        : m_graph(graph)
    {
    }

    void ResolveLane(const RouteQuery&,
                     const RoutingPolicy*,
                     std::vector<LaneRoute>&) const override
    {
    }

    void ResolveTransfer(const Transfer& transfer,
                         LoadBalance,
                         TransferId,
                         FluidRoute& route) const override
    {
        route = FluidRoute();
        const VertexId from = m_graph->GetVertex(m_graph->GetServerOf(transfer.source));
        const VertexId to = m_graph->GetVertex(m_graph->GetServerOf(transfer.destination));
        for (uint32_t i = 0; i < NICS; ++i)
        {
            route.channels.push_back({m_graph->GetEgress(from, i), 1.0 / NICS});
            route.channels.push_back(
                {FabricGraph::GetReverse(m_graph->GetEgress(to, i)), 1.0 / NICS});
        }
        route.propagation = MicroSeconds(2);
        route.storeAndForward = 1;
        route.pathShare[static_cast<size_t>(PathClass::PACKET)] = 1;
        route.reachable = true;
    }

    uint64_t GetVersion(const Transfer&) const override
    {
        return m_graph->GetPacketVersion();
    }

  private:
    Ptr<FabricGraph> m_graph; //!< the graph
};

/// Counts completions.
class Counter : public TransferSink
{
  public:
    void OnCompletion(const Completion&) override
    {
        ++count;
    }

    uint64_t count{0}; //!< completions
};

/// @param state benchmark @param recall true: the sizes return
void
BenchTransport(benchmark::State& state, bool recall)
{
    EnsurePicosecondClock();
    const auto servers = static_cast<uint32_t>(state.range(0));
    Ptr<FabricGraph> graph = CreateObject<FabricGraph>();
    const VertexId eps = graph->AddSwitch(1, "eps");
    for (uint32_t s = 0; s < servers; ++s)
    {
        const ServerId server = graph->AddServer(ServerSpec());
        for (uint32_t i = 0; i < NICS; ++i)
        {
            graph->AddEdge(graph->GetVertex(server), eps, EdgeSpec());
        }
    }
    Ptr<FlowTransport> transport = CreateObject<FlowTransport>();
    transport->SetAttribute("RecallBytes", UintegerValue(recall ? 64U << 20 : 0));
    transport->SetGraph(graph);
    transport->SetRouter(CreateObject<AllNics>(graph));
    Sizes sizes;
    std::vector<std::vector<Transfer>> batches(4);
    for (auto& batch : batches)
    {
        for (uint32_t s = 0; s < servers; ++s)
        {
            for (uint32_t t = 0; t < servers; ++t)
            {
                Transfer transfer;
                transfer.source = graph->GetGpu(ServerId(s), 0);
                transfer.destination = graph->GetGpu(ServerId(t), 0);
                transfer.bytes = ByteCount(static_cast<uint64_t>(sizes.Next() / 8));
                transfer.lanes = NICS;
                if (s != t)
                {
                    batch.push_back(transfer);
                }
            }
        }
    }
    Counter sink;
    std::size_t next = 0;
    for (auto _ : state)
    {
        transport->Send(batches[next++ % batches.size()], sink);
        Simulator::Run();
    }
    state.counters["flows_per_s"] =
        benchmark::Counter(static_cast<double>(sink.count), benchmark::Counter::kIsRate);
    state.counters["solves_per_s"] =
        benchmark::Counter(static_cast<double>(transport->GetSolverStats().solves),
                           benchmark::Counter::kIsRate);
    Simulator::Destroy();
    transport->Dispose();
    graph->Dispose();
}

BENCHMARK_CAPTURE(BenchAllToAll, solver, false)->Name("solver/all-to-all")->Arg(8)->Arg(64);
BENCHMARK_CAPTURE(BenchAllToAll, solver, true)->Name("solver/all-to-all/recalled")->Arg(8)->Arg(64);
BENCHMARK(BenchComponent)->Name("solver/component")->Args({8, 2})->Args({8, 3})->Args({8, 16});
BENCHMARK_CAPTURE(BenchTransport, solver, false)->Name("solver/transport")->Arg(8);
BENCHMARK_CAPTURE(BenchTransport, recalled, true)->Name("solver/transport/recalled")->Arg(8);

} // namespace
