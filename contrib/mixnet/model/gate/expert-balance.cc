/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "expert-balance.h"

#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint64_t UNIT = 4096; //!< of loads, so that their parts are nearly exact

/// A replica to be placed.
struct Replica
{
    uint32_t expert; //!< of which expert
    uint64_t load;   //!< its part of the expert's load
};

/// @param loads by expert @param ranks EP ranks @param redundant more replicas
/// @return all replicas, heaviest first
std::vector<Replica>
Replicate(const std::vector<uint64_t>& loads, uint32_t ranks, uint32_t redundant)
{
    const auto experts = static_cast<uint32_t>(loads.size());
    std::vector<uint64_t> count(experts, 1);
    for (uint32_t i = 0; i < redundant; ++i)
    {
        uint32_t heaviest = experts;
        for (uint32_t e = 0; e < experts; ++e)
        {
            const bool more =
                heaviest == experts || loads[e] * count[heaviest] > loads[heaviest] * count[e];
            heaviest = count[e] < ranks && more ? e : heaviest;
        }
        MIXNET_CHECK(heaviest < experts, "more replicas than ranks");
        ++count[heaviest];
    }
    std::vector<Replica> replicas;
    for (uint32_t e = 0; e < experts; ++e)
    {
        replicas.insert(replicas.end(), count[e], {e, loads[e] * UNIT / count[e]});
    }
    std::stable_sort(replicas.begin(), replicas.end(), [](const auto& a, const auto& b) {
        return a.load > b.load;
    });
    return replicas;
}

/// @param replicas heaviest first @param ranks EP ranks @return by rank: its experts
std::vector<std::vector<uint32_t>>
Pack(const std::vector<Replica>& replicas, uint32_t ranks)
{
    const std::size_t slots = replicas.size() / ranks;
    std::vector<std::vector<uint32_t>> held(ranks);
    std::vector<uint64_t> load(ranks, 0);
    for (const Replica& replica : replicas)
    {
        uint32_t best = ranks;
        bool bestHas = true;
        for (uint32_t r = 0; r < ranks; ++r)
        {
            if (held[r].size() == slots)
            {
                continue;
            }
            const bool has =
                std::find(held[r].begin(), held[r].end(), replica.expert) != held[r].end();
            if (best == ranks || (bestHas && !has) || (bestHas == has && load[r] < load[best]))
            {
                best = r;
                bestHas = has;
            }
        }
        held[best].push_back(replica.expert);
        load[best] += replica.load;
    }
    return held;
}

} // namespace

std::vector<std::vector<uint64_t>>
CountExpertLoads(const TrainingJob& job, const GateModel& gate, uint32_t iteration)
{
    std::vector<std::vector<uint64_t>> loads(job.model.moeLayers,
                                             std::vector<uint64_t>(job.model.experts, 0));
    Matrix<uint32_t> tokens;
    for (uint32_t layer = 0; layer < job.model.moeLayers; ++layer)
    {
        for (uint32_t replica = 0; replica < job.degrees.data; ++replica)
        {
            for (uint32_t m = 0; m < job.microBatches; ++m)
            {
                gate.Route({iteration, layer, replica, m}, tokens);
                for (std::size_t i = 0; i < tokens.Data().size(); ++i)
                {
                    loads[layer][i % job.model.experts] += tokens.Data()[i];
                }
            }
        }
    }
    return loads;
}

ExpertPlacement
BalanceExperts(const std::vector<std::vector<uint64_t>>& loads, uint32_t ranks, uint32_t redundant)
{
    MIXNET_CHECK(!loads.empty(), "no layers to place experts of");
    const auto experts = static_cast<uint32_t>(loads.front().size());
    MIXNET_CHECK((experts + redundant) % ranks == 0,
                 experts << " + " << redundant << " experts on " << ranks << " ranks");
    std::vector<std::vector<std::vector<uint32_t>>> placement;
    placement.reserve(loads.size());
    for (const auto& layer : loads)
    {
        placement.push_back(Pack(Replicate(layer, ranks, redundant), ranks));
    }
    return ExpertPlacement(placement, experts);
}

} // namespace ns3
