/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "plan-objective.h"

#include "ns3/mixnet-byte-count.h"
#include "ns3/mixnet-error.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// 128 bits: bytes x rate overflows 64.
__extension__ using Wide = unsigned __int128;

/// @param slowest so far @param bytes bytes @param rate their rate
void
Raise(PlanLoad& slowest, uint64_t bytes, uint64_t rate)
{
    const PlanLoad load{bytes, rate};
    if (bytes > 0 && slowest < load)
    {
        slowest = load;
    }
}

} // namespace

bool
PlanLoad::operator<(const PlanLoad& o) const
{
    if (IsStuck() || o.IsStuck())
    {
        return !IsStuck();
    }
    return Wide(bytes) * o.rate < Wide(o.bytes) * rate;
}

Time
PlanLoad::GetTime() const
{
    return IsStuck() ? Time::Max() : ByteCount(bytes) / DataRate(rate);
}

RegionRates
GetRegionRates(const FabricGraph& graph, RegionId region)
{
    RegionRates rates;
    for (const ServerId s : graph.GetRegionServers(region))
    {
        uint64_t circuit = 0;
        for (const uint32_t nic : graph.GetNics(s, EdgeKind::FIBER))
        {
            const uint64_t rate =
                graph.GetSpec(graph.GetEdge(graph.GetVertex(s), nic)).rate.GetBitRate();
            circuit = circuit == 0 ? rate : std::min(circuit, rate);
        }
        uint64_t packet = 0;
        for (const uint32_t nic : graph.GetNics(s, EdgeKind::PACKET))
        {
            packet += graph.GetSpec(graph.GetEdge(graph.GetVertex(s), nic)).rate.GetBitRate();
        }
        rates.circuit.emplace_back(circuit);
        rates.packet.emplace_back(packet);
    }
    return rates;
}

PlanLoad
FindSlowest(const DemandMatrix& demand, const CircuitPlan& plan, const RegionRates& rates)
{
    const auto servers = static_cast<uint32_t>(demand.Rows());
    MIXNET_CHECK(demand.Columns() == servers && plan.GetNServers() == servers &&
                     rates.circuit.size() == servers && rates.packet.size() == servers,
                 "demand, plan and rates of different regions");
    PlanLoad slowest;
    std::vector<uint64_t> in(servers, 0);
    for (uint32_t i = 0; i < servers && !slowest.IsStuck(); ++i)
    {
        uint64_t out = 0;
        for (uint32_t j = 0; j < servers; ++j)
        {
            if (i == j)
            {
                continue;
            }
            if (const uint32_t circuits = plan.GetCount(i, j))
            {
                Raise(slowest,
                      demand(i, j),
                      circuits *
                          std::min(rates.circuit[i].GetBitRate(), rates.circuit[j].GetBitRate()));
            }
            else
            {
                out += demand(i, j);
                in[j] += demand(i, j);
            }
        }
        Raise(slowest, out, rates.packet[i].GetBitRate());
    }
    for (uint32_t j = 0; j < servers && !slowest.IsStuck(); ++j)
    {
        Raise(slowest, in[j], rates.packet[j].GetBitRate());
    }
    return slowest;
}

Time
PredictFinishTime(const DemandMatrix& demand, const CircuitPlan& plan, const RegionRates& rates)
{
    return FindSlowest(demand, plan, rates).GetTime();
}

} // namespace ns3
