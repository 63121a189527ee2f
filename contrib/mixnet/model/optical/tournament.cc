/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tournament.h"

namespace ns3
{

uint32_t
CountRounds(uint32_t seats, CircuitKind kind)
{
    const uint32_t resting = kind == CircuitKind::DUPLEX ? seats % 2 : 0;
    return seats < 2 ? 0 : seats + resting - 1;
}

std::vector<Meeting>
GetRound(uint32_t seats, uint32_t round, CircuitKind kind)
{
    const uint32_t turning = CountRounds(seats, kind);
    std::vector<Meeting> meetings;
    for (uint32_t x = 0; x < seats && turning > 0 && kind == CircuitKind::SIMPLEX; ++x)
    {
        meetings.push_back({x, (x + round % turning + 1) % seats});
    }
    if (kind == CircuitKind::SIMPLEX)
    {
        return meetings;
    }
    for (uint32_t k = 0; k < (seats + 1) / 2 && turning > 0; ++k)
    {
        const uint32_t x = k == 0 ? turning : (round + k) % turning;
        const uint32_t y = (round % turning + turning - k) % turning;
        if (x < seats && y < seats)
        {
            meetings.push_back({x, y});
        }
    }
    return meetings;
}

} // namespace ns3
