/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CATALOG_H
#define COLLECTIVE_CATALOG_H

#include "collective-bandwidth.h"
#include "collectives.h"

#include <string>

namespace ns3
{

/// Which ranks of a collective are close to each other.
enum class CollectiveGrouping : uint8_t
{
    NONE,   //!< all
    SERVER, //!< those of a server
    REGION  //!< those of an optical region
};

/// A collective by one of its algorithms.
struct NamedCollective
{
    const char* operation;       //!< "all-reduce", ...
    const char* algorithm;       //!< "ring", ...
    CollectiveKind kind;         //!< of the operation
    CollectiveGrouping grouping; //!< what its groups are to be
    /// Appends it; rank 0 is the root of a broadcast.
    void (*append)(TransferGraph&, const CollectiveSpec&);
};

/**
 * @ingroup mixnet
 * Collectives by name:
 *
 * - all-reduce: ring, tree, hierarchical (in and between servers), two-level (in and between
 *   optical regions)
 * - all-gather, reduce-scatter: ring, hierarchical, two-level
 * - broadcast: ring, tree
 * - all-to-all: direct, of equal parts: every rank sends bytes / n to every other
 * - point-to-point: direct, from the first rank to the last
 *
 * @param operation name of an operation
 * @param algorithm name of an algorithm; empty: the first of the list
 * @param where what to blame for names that are not known
 * @return what they stand for
 * @throws InputError naming what is accepted
 */
NamedCollective FindCollective(const std::string& operation,
                               const std::string& algorithm,
                               const std::string& where);

/**
 * @param grouping which ranks are close to each other
 * @param members by rank
 * @param graph where they are
 * @param where what to blame when there are no regions
 * @return CollectiveSpec::groups
 * @throws InputError for regions on a fabric without any
 */
std::vector<std::vector<uint32_t>> MakeGroups(CollectiveGrouping grouping,
                                              const std::vector<GpuId>& members,
                                              const FabricGraph& graph,
                                              const std::string& where);

} // namespace ns3

#endif // COLLECTIVE_CATALOG_H
