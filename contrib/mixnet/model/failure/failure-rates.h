/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FAILURE_RATES_H
#define FAILURE_RATES_H

#include "failure-event.h"

#include "ns3/fabric-graph.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// How often elements of a kind fail, and for how long.
struct FailureRate
{
    double mtbf{0}; //!< mean time between a repair and the next failure of one element, s; 0: never
    double mttr{0}; //!< mean time to repair, s; above 0
};

/// Rates by kind.
using FailureRates = std::array<FailureRate, N_FAILURE_KINDS>;

/**
 * Draw failures: every element alternates between exponential times of life and of repair.
 *
 * Exponential variates come from uniform ones of an ns-3 stream by comparisons alone (von Neumann,
 * "Various techniques used in connection with random digits", 1951), exact and without a logarithm,
 * so that the same seed gives the same failures on every machine.
 *
 * @param graph a complete graph
 * @param rates by kind
 * @param horizon no failure begins later
 * @param stream first random stream: one for each kind
 * @return down events with durations, by time
 */
std::vector<FailureEvent> DrawFailures(const FabricGraph& graph,
                                       const FailureRates& rates,
                                       Time horizon,
                                       int64_t stream);

/// @param text a time of any length with its unit, e.g. "50000h", "30d", "10ms" @param where for
/// the message @return it in seconds @throws InputError when it is none
double ParseLongTime(const std::string& text, const std::string& where);

} // namespace ns3

#endif // FAILURE_RATES_H
