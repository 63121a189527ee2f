/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MEGATRON_GROUPS_H
#define MEGATRON_GROUPS_H

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// Sets of ranks.
using RankGroups = std::set<std::set<uint32_t>>;

/// Groups of ranks that differ in some of Megatron-Core's axes only: ranks count through the sizes
/// in the given order, the first fastest.
inline RankGroups
MegatronGroups(const std::vector<std::pair<std::string, uint32_t>>& axes,
               const std::set<std::string>& differ)
{
    std::map<uint32_t, std::set<uint32_t>> groups;
    uint32_t world = 1;
    for (const auto& [name, size] : axes)
    {
        world *= size;
    }
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        uint32_t rest = rank;
        uint32_t stride = 1;
        uint32_t without = rank; // the rank at place 0 of the axes
        for (const auto& [name, size] : axes)
        {
            without -= differ.count(name) > 0 ? rest % size * stride : 0;
            rest /= size;
            stride *= size;
        }
        groups[without].insert(rank);
    }
    RankGroups all;
    for (const auto& [first, members] : groups)
    {
        all.insert(members);
    }
    return all;
}

} // namespace ns3

#endif // MEGATRON_GROUPS_H
