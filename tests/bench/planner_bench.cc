/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/greedy-circuit-planner.h"
#include "ns3/mixnet-error.h"

#include <benchmark/benchmark.h>
#include <random>

using namespace ns3;

namespace
{

/**
 * One plan for a region of `servers` with six optical ports each; every pair has demand, one
 * server in eight is hot. Counter `circuits`: of the plan.
 */
void
PlanGreedily(benchmark::State& state)
{
    const auto servers = static_cast<uint32_t>(state.range(0));
    std::mt19937_64 rng(1);
    DemandMatrix demand(servers, servers, 0);
    for (uint32_t i = 0; i < servers; ++i)
    {
        for (uint32_t j = 0; j < servers; ++j)
        {
            demand(i, j) = 1 + rng() % 1000000 * (j % 8 == 0 ? 8 : 1);
        }
    }
    const PortTable ports(servers, 1, 6);
    const CircuitPlan none(servers);
    auto planner = CreateObject<GreedyCircuitPlanner>();
    uint32_t circuits = 0;
    for (auto _ : state)
    {
        circuits = planner->Plan({demand, ports, none}).GetTotal();
        benchmark::DoNotOptimize(circuits);
    }
    MIXNET_CHECK(circuits > 0 && circuits <= servers * 3, "no plan was made");
    state.counters["circuits"] = circuits;
}

} // namespace

BENCHMARK(PlanGreedily)->Name("planner/greedy")->Arg(8)->Arg(64)->Arg(96)->Arg(128)->Arg(256);
