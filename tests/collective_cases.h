/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef COLLECTIVE_CASES_H
#define COLLECTIVE_CASES_H

#include "ns3/collective-bandwidth.h"
#include "ns3/collectives.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// A builder, as the tests call all of them.
struct CollectiveCase
{
    const char* name;    //!< for messages
    CollectiveKind kind; //!< what it does
    bool grouped;        //!< looks at groups
    std::function<CollectiveEnds(TransferGraph&,
                                 const CollectiveSpec&,
                                 const std::vector<TransferGraph::Node>&)>
        append; //!< the builder; broadcasts from the last rank
};

/// @return all builders
inline const std::vector<CollectiveCase>&
AllCollectives()
{
    using After = std::vector<TransferGraph::Node>;
    static const std::vector<CollectiveCase> cases{
        {"all-gather", CollectiveKind::ALL_GATHER, true, AppendAllGather},
        {"reduce-scatter", CollectiveKind::REDUCE_SCATTER, true, AppendReduceScatter},
        {"all-reduce", CollectiveKind::ALL_REDUCE, true, AppendAllReduce},
        {"tree all-reduce", CollectiveKind::ALL_REDUCE, false, AppendTreeAllReduce},
        {"broadcast",
         CollectiveKind::BROADCAST,
         false,
         [](TransferGraph& g, const CollectiveSpec& s, const After& after) {
             return AppendBroadcast(g, s, s.members.size() - 1, after);
         }},
        {"tree broadcast",
         CollectiveKind::BROADCAST,
         false,
         [](TransferGraph& g, const CollectiveSpec& s, const After& after) {
             return AppendTreeBroadcast(g, s, s.members.size() - 1, after);
         }},
    };
    return cases;
}

/// @param n members @param gpus distance of their GPUs @return GPUs 0, gpus, 2 gpus, ...
inline std::vector<GpuId>
EveryGpu(uint32_t n, uint32_t gpus = 1)
{
    std::vector<GpuId> members;
    for (uint32_t i = 0; i < n; ++i)
    {
        members.emplace_back(i * gpus);
    }
    return members;
}

/// @param sizes of groups @return ranks 0, 1, ... in groups of these sizes
inline std::vector<std::vector<uint32_t>>
GroupsOf(const std::vector<uint32_t>& sizes)
{
    std::vector<std::vector<uint32_t>> groups;
    uint32_t next = 0;
    for (const uint32_t size : sizes)
    {
        groups.emplace_back();
        for (uint32_t i = 0; i < size; ++i)
        {
            groups.back().push_back(next++);
        }
    }
    return groups;
}

/// @return what can be asked for: members, groups, chunks, sizes that divide and sizes that do not
inline std::vector<CollectiveSpec>
AllSpecs()
{
    std::vector<CollectiveSpec> specs;
    const std::vector<std::vector<uint32_t>> groupings{{1},
                                                       {2},
                                                       {3},
                                                       {5},
                                                       {8},
                                                       {13},
                                                       {2, 2},
                                                       {3, 3, 3},
                                                       {4, 4},
                                                       {3, 1, 2},
                                                       {1, 1, 1, 1},
                                                       {5, 2}};
    for (const auto& sizes : groupings)
    {
        for (const uint64_t bytes : {1ULL, 7ULL, 60ULL, 97ULL})
        {
            for (const uint64_t chunk : {0ULL, 2ULL, 9ULL})
            {
                CollectiveSpec spec;
                spec.groups = GroupsOf(sizes);
                spec.members = EveryGpu(spec.groups.back().back() + 1);
                spec.bytes = ByteCount(bytes);
                spec.chunk = ByteCount(chunk);
                specs.push_back(spec);
            }
        }
    }
    return specs;
}

/// @param c a builder @param spec a collective @return what to say when it fails
inline std::string
Describe(const CollectiveCase& c, const CollectiveSpec& spec)
{
    std::string text = std::string(c.name) + " of " + std::to_string(spec.bytes.Get()) +
                       " B in chunks of " + std::to_string(spec.chunk.Get()) + " B, groups";
    for (const auto& group : spec.groups)
    {
        text += " " + std::to_string(group.size());
    }
    return text;
}

} // namespace ns3

#endif // COLLECTIVE_CASES_H
