/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "circuit-sequence.h"

#include "birkhoff-schedule.h"
#include "port-budget.h"
#include "rotor-circuit-planner.h"
#include "tournament.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>
#include <string>

namespace ns3
{

namespace
{

/// @param request ports @return ports of the server with fewest, on its units together
uint32_t
FindFewestPorts(const PlanRequest& request)
{
    const PortBudget budget(request);
    uint32_t fewest = UINT32_MAX;
    for (uint32_t s = 0; s < request.freePorts.Rows(); ++s)
    {
        fewest = std::min(fewest, budget.GetFree(s));
    }
    return fewest;
}

/// @param rates rates @return of the slowest server's circuits, in bit/s
uint64_t
FindSlowestCircuit(const RegionRates& rates)
{
    return std::min_element(rates.circuit.begin(), rates.circuit.end())->GetBitRate();
}

/// @param request ports @param slot slot @param lanes circuits per sender @param left in: bytes
/// still to carry; out: without those of the slot @return its plan
CircuitPlan
LightSlot(const PlanRequest& request, const CircuitSlot& slot, uint32_t lanes, DemandMatrix& left)
{
    const auto servers = static_cast<uint32_t>(left.Rows());
    CircuitPlan plan(servers);
    PortBudget budget(request);
    for (uint32_t s = 0; s < servers; ++s)
    {
        const uint32_t t = slot.to[s];
        if (s == t || left(s, t) == 0)
        {
            continue;
        }
        left(s, t) -= std::min(left(s, t), slot.bytes);
        // Both ways between two servers share their circuits.
        const bool twice = slot.to[t] == s && t < s && plan.GetCount(s, t) > 0;
        for (uint32_t lane = 0; lane < lanes && !twice; ++lane)
        {
            if (!budget.Take(s, t, plan))
            {
                throw InputError("circuits in slots",
                                 "servers " + std::to_string(s) + " and " + std::to_string(t) +
                                     " share no OCS unit with a port left at both",
                                 "one OCS unit per region");
            }
        }
    }
    return plan;
}

} // namespace

CircuitSequence
MakeBirkhoffSequence(const PlanRequest& request, Time shortest)
{
    MIXNET_CHECK(request.rates != nullptr, "slots have no length without rates");
    CircuitSequence sequence;
    sequence.packet = request.demand;
    for (std::size_t s = 0; s < sequence.packet.Rows(); ++s)
    {
        sequence.packet(s, s) = 0;
    }
    const BirkhoffSchedule schedule = DecomposeDemand(request.demand);
    if (schedule.slots.empty())
    {
        return sequence;
    }
    const uint32_t lanes = FindFewestPorts(request) / 2;
    const uint64_t rate = FindSlowestCircuit(*request.rates) * lanes;
    if (rate == 0)
    {
        throw InputError("circuits in slots",
                         "a server with fewer than two healthy optical ports",
                         "one to send and one to receive, at every server");
    }
    for (const CircuitSlot& slot : schedule.slots)
    {
        const Time duration = ByteCount(slot.bytes) / DataRate(rate);
        if (duration < shortest)
        {
            continue;
        }
        CircuitPlan plan = LightSlot(request, slot, lanes, sequence.packet);
        if (plan.GetTotal() > 0)
        {
            sequence.phases.push_back({std::move(plan), duration});
        }
    }
    return sequence;
}

CircuitSequence
MakeRotorSequence(const PlanRequest& request, Time duration)
{
    CircuitSequence sequence;
    sequence.packet = request.demand;
    const auto servers = static_cast<uint32_t>(request.freePorts.Rows());
    auto rotor = CreateObject<RotorCircuitPlanner>();
    // Alpha rounds at a time: the cycle is over when it is back at its first round.
    const uint32_t rounds = CountRounds(servers);
    uint32_t alpha = 0;
    const PortBudget budget(request);
    for (uint32_t s = 0; s < servers; ++s)
    {
        alpha = std::max(alpha, budget.GetFree(s));
    }
    const uint32_t turns = rounds == 0 ? 0 : rounds / std::gcd(rounds, std::max(1U, alpha));
    for (uint32_t turn = 0; turn < turns; ++turn)
    {
        sequence.phases.push_back({rotor->Plan(request), duration});
    }
    return sequence;
}

} // namespace ns3
