/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Compiled as C++17 whatever the ns-3 tree is (CMakeLists.txt): no ns-3 header here.

// LEMON copies invalid arcs, which have no value yet; g++ says so under sanitizers.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "weighted-matching.h"

#include <algorithm>
#include <numeric>

#if __has_include(<lemon/matching.h>)
#define LEMON_ONLY_TEMPLATES
#include <lemon/matching.h>
#include <lemon/smart_graph.h>
#define MIXNET_HAS_LEMON 1
#endif

namespace ns3
{

bool
HasLemon()
{
#ifdef MIXNET_HAS_LEMON
    return true;
#else
    return false;
#endif
}

std::vector<uint32_t>
FindMaximumWeightMatching(uint32_t vertices, const std::vector<WeightedEdge>& edges)
{
    std::vector<uint32_t> partner(vertices);
    std::iota(partner.begin(), partner.end(), 0U);
#ifdef MIXNET_HAS_LEMON
    uint64_t largest = 0;
    for (const WeightedEdge& e : edges)
    {
        largest = std::max(largest, e.weight);
    }
    int shift = 0;
    while (largest >> shift > uint64_t(1) << 56)
    {
        ++shift;
    }
    lemon::SmartGraph graph;
    graph.reserveNode(static_cast<int>(vertices));
    graph.reserveEdge(static_cast<int>(edges.size()));
    for (uint32_t v = 0; v < vertices; ++v)
    {
        graph.addNode();
    }
    lemon::SmartGraph::EdgeMap<int64_t> weight(graph);
    for (const WeightedEdge& e : edges)
    {
        const auto added = graph.addEdge(lemon::SmartGraph::nodeFromId(static_cast<int>(e.a)),
                                         lemon::SmartGraph::nodeFromId(static_cast<int>(e.b)));
        weight[added] = static_cast<int64_t>(e.weight >> shift);
    }
    lemon::MaxWeightedMatching<lemon::SmartGraph, lemon::SmartGraph::EdgeMap<int64_t>> matching(
        graph,
        weight);
    matching.run();
    for (std::size_t e = 0; e < edges.size(); ++e)
    {
        const auto edge = lemon::SmartGraph::edgeFromId(static_cast<int>(e));
        if (weight[edge] > 0 && matching.matching(edge))
        {
            partner[edges[e].a] = edges[e].b;
            partner[edges[e].b] = edges[e].a;
        }
    }
#else
    (void)edges;
#endif
    return partner;
}

} // namespace ns3
