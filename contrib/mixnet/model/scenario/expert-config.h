/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MIXNET_EXPERT_CONFIG_H
#define MIXNET_EXPERT_CONFIG_H

#include "ns3/mixnet-json.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Where the experts are.
struct ExpertConfig
{
    std::string placement{"contiguous"}; //!< "contiguous", "round-robin", "given", "balanced"
    std::vector<uint32_t> ranks;         //!< of "given": EP rank by expert
    uint32_t redundant{0};               //!< of "balanced": replicas beyond one per expert
};

/**
 * @param o object "experts" of a scenario
 * @param job its job
 * @return what it says
 * @throws InputError naming key, value and what is accepted
 */
ExpertConfig ReadExperts(const JsonReader& o, const TrainingJob& job);

/**
 * @param root a scenario; its keys "deduplication" and "deduplicationChunk"
 * @param job out: what it says
 * @throws InputError naming key, value and what is accepted
 */
void ReadDeduplication(const JsonReader& root, TrainingJob& job);

} // namespace ns3

#endif // MIXNET_EXPERT_CONFIG_H
