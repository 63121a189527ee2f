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

/// The slowest of many loads, without a division each.
class Slowest
{
  public:
    void Add(uint64_t bytes, uint64_t rate)
    {
        if (bytes > 0 && (rate == 0 || Wide(bytes) * m_rate > Wide(m_bytes) * rate))
        {
            m_bytes = bytes;
            m_rate = rate;
        }
    }

    /// @return true when something had no way; nothing is slower
    bool IsStuck() const
    {
        return m_rate == 0;
    }

    Time GetTime() const
    {
        return IsStuck() ? Time::Max() : ByteCount(m_bytes) / DataRate(m_rate);
    }

  private:
    uint64_t m_bytes{0}; //!< of the slowest
    uint64_t m_rate{1};  //!< of the slowest
};

} // namespace

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

Time
PredictFinishTime(const DemandMatrix& demand, const CircuitPlan& plan, const RegionRates& rates)
{
    const auto servers = static_cast<uint32_t>(demand.Rows());
    MIXNET_CHECK(demand.Columns() == servers && plan.GetNServers() == servers &&
                     rates.circuit.size() == servers && rates.packet.size() == servers,
                 "demand, plan and rates of different regions");
    Slowest slowest;
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
                slowest.Add(demand(i, j),
                            circuits * std::min(rates.circuit[i].GetBitRate(),
                                                rates.circuit[j].GetBitRate()));
            }
            else
            {
                out += demand(i, j);
                in[j] += demand(i, j);
            }
        }
        slowest.Add(out, rates.packet[i].GetBitRate());
    }
    for (uint32_t j = 0; j < servers && !slowest.IsStuck(); ++j)
    {
        slowest.Add(in[j], rates.packet[j].GetBitRate());
    }
    return slowest.GetTime();
}

} // namespace ns3
