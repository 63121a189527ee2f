/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXPERT_BALANCE_H
#define EXPERT_BALANCE_H

#include "gate-model.h"

#include "ns3/expert-placement.h"
#include "ns3/training-job.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @param job job
 * @param gate its gate, configured
 * @param iteration iteration
 * @return by MoE layer and expert: token copies received in the iteration, all replicas and
 * micro-batches together
 */
std::vector<std::vector<uint64_t>> CountExpertLoads(const TrainingJob& job,
                                                    const GateModel& gate,
                                                    uint32_t iteration);

/**
 * @ingroup mixnet
 * Places experts by their load, every layer on its own, as DeepSeek's expert-parallelism load
 * balancer does without node limits (DeepSeek-V3, section 3.4; its published EPLB, "global load
 * balancing"): each redundant slot in turn goes to the expert with the largest load per replica;
 * then replicas, heaviest first, go to the rank with the least load among those with a free slot.
 * Unlike there, a rank takes a second replica of an expert only when no other rank is free, and no
 * expert has more replicas than there are ranks. Ties go to the lower expert and rank.
 *
 * @param loads by MoE layer and expert
 * @param ranks EP ranks; experts + redundant must be a multiple
 * @param redundant replicas beyond one per expert, at most experts x (ranks - 1)
 * @return the placement, (experts + redundant) / ranks slots per rank
 */
ExpertPlacement BalanceExperts(const std::vector<std::vector<uint64_t>>& loads,
                               uint32_t ranks,
                               uint32_t redundant);

} // namespace ns3

#endif // EXPERT_BALANCE_H
