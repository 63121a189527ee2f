/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef CIRCUIT_SEQUENCE_H
#define CIRCUIT_SEQUENCE_H

#include "circuit-planner.h"
#include "plan-objective.h"

#include "ns3/demand.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3
{

/// Circuits that are lit together for a while.
struct CircuitPhase
{
    CircuitPlan plan; //!< what is lit
    Time duration;    //!< light, without the dark time before
};

/// Plans to light one after the other.
struct CircuitSequence
{
    std::vector<CircuitPhase> phases; //!< in order of time
    DemandMatrix packet;              //!< bytes that no phase carries: for the EPS
};

/**
 * @ingroup mixnet
 * The slots of DecomposeDemand() as phases, longest first. A slot sends from every server to one
 * other, and its circuits are duplex, so a server holds two kinds of them, out and in: each gets
 * half of the ports (of the server with fewest, rounded down), and a slot lasts as long as these
 * need for its bytes at the rate of the slowest server.
 *
 * @param request demand, ports and rates
 * @param shortest slots below it are left out, and what only they would carry is for the EPS: one
 * shorter than the dark time costs more than it gives
 * @return the sequence; its phases and `packet` carry the demand, byte by byte
 * @throws InputError when a server has fewer than two healthy ports on an OCS unit of all
 */
CircuitSequence MakeBirkhoffSequence(const PlanRequest& request, Time shortest);

/**
 * @ingroup mixnet
 * One cycle of a demand-oblivious rotor that turns by the clock (RotorNet, Mellette et al.,
 * SIGCOMM 2017): the rounds of a round-robin tournament, as many at a time as servers have ports,
 * each plan lit equally long. After a cycle all pairs had equally much light.
 *
 * @param request ports; demand is for its size only
 * @param duration of a phase
 * @return the sequence; `packet` is the whole demand: nothing is promised
 */
CircuitSequence MakeRotorSequence(const PlanRequest& request, Time duration);

} // namespace ns3

#endif // CIRCUIT_SEQUENCE_H
