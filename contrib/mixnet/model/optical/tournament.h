/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TOURNAMENT_H
#define TOURNAMENT_H

#include "ns3/fabric-graph.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// Two seats that meet.
struct Meeting
{
    uint32_t x{0}; //!< a seat
    uint32_t y{0}; //!< another one
};

/// @param seats seats @param kind of meetings @return rounds after which all have met once: seats -
/// 1, or seats if odd and duplex
uint32_t CountRounds(uint32_t seats, CircuitKind kind = CircuitKind::DUPLEX);

/**
 * @ingroup mixnet
 * Round-robin tournament by the circle method: the last seat stays, the others turn. With an odd
 * number of seats one rests in each round. Simplex: a rotation, seat i meets seat i + round + 1.
 *
 * @param seats seats
 * @param round which round, from 0; rounds repeat after CountRounds()
 * @param kind of meetings
 * @return who meets; nobody twice; simplex: nobody twice as x, nor as y
 */
std::vector<Meeting> GetRound(uint32_t seats,
                              uint32_t round,
                              CircuitKind kind = CircuitKind::DUPLEX);

} // namespace ns3

#endif // TOURNAMENT_H
