/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/birkhoff-circuit-planner.h"
#include "ns3/exhaustive-circuit-planner.h"
#include "ns3/finish-time-circuit-planner.h"
#include "ns3/greedy-circuit-planner.h"
#include "ns3/matching-circuit-planner.h"
#include "ns3/mixnet-error.h"
#include "ns3/plan-objective.h"
#include "ns3/rotor-circuit-planner.h"
#include "ns3/uniform-circuit-planner.h"

#include <benchmark/benchmark.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

/// @param servers servers @return demand between all pairs, one server in eight is hot
DemandMatrix
MakeDemand(uint32_t servers)
{
    std::mt19937_64 rng(1);
    DemandMatrix demand(servers, servers, 0);
    for (uint32_t i = 0; i < servers; ++i)
    {
        for (uint32_t j = 0; j < servers; ++j)
        {
            demand(i, j) = 1 + rng() % 1000000 * (j % 8 == 0 ? 8 : 1);
        }
    }
    return demand;
}

/**
 * One plan for a region with six optical ports per server. Counter `circuits`: of the plan.
 *
 * @tparam Planner the planner
 */
template <class Planner>
void
MakePlan(benchmark::State& state)
{
    const auto servers = static_cast<uint32_t>(state.range(0));
    const DemandMatrix demand = MakeDemand(servers);
    const PortTable ports(servers, 1, 6);
    const CircuitPlan none(servers);
    const RegionRates rates{std::vector<DataRate>(servers, DataRate("400Gbps")),
                            std::vector<DataRate>(servers, DataRate("800Gbps"))};
    auto planner = CreateObject<Planner>();
    uint32_t circuits = 0;
    for (auto _ : state)
    {
        circuits = planner->Plan({demand, ports, none, nullptr, &rates}).GetTotal();
        benchmark::DoNotOptimize(circuits);
    }
    MIXNET_CHECK(circuits > 0 && circuits <= servers * 3, "no plan was made");
    state.counters["circuits"] = circuits;
}

} // namespace

BENCHMARK_TEMPLATE(MakePlan, GreedyCircuitPlanner)
    ->Name("planner/greedy")
    ->Arg(8)
    ->Arg(64)
    ->Arg(96)
    ->Arg(128)
    ->Arg(256);
BENCHMARK_TEMPLATE(MakePlan, MatchingCircuitPlanner)
    ->Name("planner/matching")
    ->Arg(8)
    ->Arg(64)
    ->Arg(96)
    ->Arg(128)
    ->Arg(256);
BENCHMARK_TEMPLATE(MakePlan, FinishTimeCircuitPlanner)
    ->Name("planner/finish-time")
    ->Arg(8)
    ->Arg(64)
    ->Arg(96)
    ->Arg(128)
    ->Arg(256);
BENCHMARK_TEMPLATE(MakePlan, BirkhoffCircuitPlanner)
    ->Name("planner/birkhoff")
    ->Arg(8)
    ->Arg(64)
    ->Arg(96);
BENCHMARK_TEMPLATE(MakePlan, RotorCircuitPlanner)
    ->Name("planner/rotor")
    ->Arg(64)
    ->Arg(96)
    ->Arg(128)
    ->Arg(256);
BENCHMARK_TEMPLATE(MakePlan, UniformCircuitPlanner)
    ->Name("planner/uniform")
    ->Arg(64)
    ->Arg(96)
    ->Arg(128)
    ->Arg(256);
BENCHMARK_TEMPLATE(MakePlan, ExhaustiveCircuitPlanner)->Name("planner/exhaustive")->Arg(6)->Arg(8);
