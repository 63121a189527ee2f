/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef WEIGHTED_MATCHING_H
#define WEIGHTED_MATCHING_H

#include <cstdint>
#include <vector>

namespace ns3
{

/// An edge of a matching problem.
struct WeightedEdge
{
    uint32_t a{0};      //!< a vertex
    uint32_t b{0};      //!< another one
    uint64_t weight{0}; //!< what it is worth
};

/// @return true when the module was built with LEMON (Debian: liblemon-dev)
bool HasLemon();

/**
 * @ingroup mixnet
 * Maximum-weight matching of a general graph: edges that share no vertex, whose weights sum to the
 * maximum (Edmonds' blossoms with dual variables, O(V E log V); LEMON's MaxWeightedMatching).
 *
 * LEMON, because Boost 1.74's maximum_weighted_matching crashed or hung on 1 to 3 of 40 dense
 * graphs of 128 and more vertices. This header and its source include no ns-3 header: LEMON 1.3.1
 * is C++17 at most while newer ns-3 trees are not, so the source is compiled on its own terms.
 *
 * Weights above 2^56 are halved together until the largest is not; the matching is then the maximum
 * of the halved ones. Equal input gives equal output.
 *
 * @param vertices number of vertices
 * @param edges edges, no loops; an edge of weight 0 is never taken
 * @return by vertex: its partner, or itself
 */
std::vector<uint32_t> FindMaximumWeightMatching(uint32_t vertices,
                                                const std::vector<WeightedEdge>& edges);

} // namespace ns3

#endif // WEIGHTED_MATCHING_H
