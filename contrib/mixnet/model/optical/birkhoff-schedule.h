/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BIRKHOFF_SCHEDULE_H
#define BIRKHOFF_SCHEDULE_H

#include "ns3/demand.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Circuits that are lit together for a while.
struct CircuitSlot
{
    uint64_t bytes{0};        //!< how long: what one circuit carries meanwhile
    std::vector<uint32_t> to; //!< by sender: receiver, a permutation; itself: idle
};

/// A demand as a sequence of permutations.
struct BirkhoffSchedule
{
    DemandMatrix scaled; //!< what the slots add up to: all rows and columns sum to the same
    std::vector<CircuitSlot> slots; //!< longest first
};

/**
 * @ingroup mixnet
 * Birkhoff and von Neumann: a matrix whose rows and columns all sum to L is a sum of permutations
 * with weights that sum to L, so one transmitter and one receiver per server carry it in the time
 * of L bytes, which is also the least possible.
 *
 * A demand is scaled up first: L is its largest row or column sum, and every server waits where it
 * can (diagonal), else its circuits carry less than the slot's bytes. Each slot is a perfect
 * matching of the entries that are at least a threshold, a power of two that is halved when there
 * is none (long slots first, after Liu et al., "Scheduling techniques for hybrid circuit/packet
 * networks", CoNEXT 2015). Each slot uses an entry up: at most entries - N + 1 slots. O(slots N^2).
 *
 * @param demand bytes, row = sender; the diagonal is ignored
 * @return the schedule; no slots when nothing is to be sent
 */
BirkhoffSchedule DecomposeDemand(const DemandMatrix& demand);

} // namespace ns3

#endif // BIRKHOFF_SCHEDULE_H
