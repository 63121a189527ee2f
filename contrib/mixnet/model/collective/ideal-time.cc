/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ideal-time.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ns3
{

namespace
{

/// @param bytes bytes @param rate rate @return ticks
int64_t
Ticks(uint64_t bytes, DataRate rate)
{
    return (ByteCount(bytes) / rate).GetTimeStep();
}

/// @param graph graph @param route one way @param transfer transfer @return rates of its links in
/// order; empty when they do not form one way
std::vector<DataRate>
ListRates(const FabricGraph& graph, const FluidRoute& route, const Transfer& transfer)
{
    std::vector<DataRate> rates;
    const auto whole = [](const ChannelShare& c) { return std::abs(c.share - 1) < 1e-9; };
    if (!std::all_of(route.channels.begin(), route.channels.end(), whole))
    {
        return rates;
    }
    std::vector<bool> used(route.channels.size(), false);
    VertexId at = graph.GetVertex(graph.GetServerOf(transfer.source));
    for (std::size_t i = 0; i < route.channels.size(); ++i)
    {
        std::size_t next = 0;
        while (next < used.size() &&
               (used[next] || graph.GetSource(route.channels[next].channel) != at))
        {
            ++next;
        }
        if (next == used.size())
        {
            return {};
        }
        used[next] = true;
        const ChannelId channel = route.channels[next].channel;
        rates.push_back(graph.GetSpec(FabricGraph::GetEdgeOf(channel)).rate);
        at = graph.GetTarget(channel);
    }
    return rates;
}

/// @param rates of the links in order @param bytes payload @param wire packets @return ticks
/// without propagation
int64_t
GetPacketTime(const std::vector<DataRate>& rates, uint64_t bytes, const FlowWire& wire)
{
    const std::size_t h = rates.size();
    const uint64_t first = wire.GetFirstPacket(bytes, 1);
    const uint64_t all = wire.GetLane(bytes);
    const uint64_t full = wire.GetFirstPacket(UINT32_MAX, 1) - FlowWire::RETH;
    const uint64_t rest = all - first;
    std::vector<int64_t> before(h + 1, 0); // first packet over the links up to one
    std::vector<int64_t> after(h + 1, 0);  // last packet over the links from one on
    const uint64_t last = rest == 0 ? 0 : (rest - 1) % full + 1;
    for (std::size_t i = 0; i < h; ++i)
    {
        before[i + 1] = before[i] + Ticks(first, rates[i]);
        after[h - 1 - i] = after[h - i] + Ticks(last, rates[h - 1 - i]);
    }
    if (rest == 0)
    {
        return before[h];
    }
    int64_t longest = 0;
    const uint64_t middle = rest - last;
    for (std::size_t a = 0; a < h; ++a)
    {
        int64_t crossing = 0;
        DataRate slowest = rates[a];
        for (std::size_t b = a; b < (middle == 0 ? a + 1 : h); ++b)
        {
            crossing += b == a ? 0 : Ticks(full, rates[b]);
            slowest = std::min(slowest, rates[b]);
            // one full packet less on the slowest link for the one that crosses link a
            const int64_t stay =
                middle == 0 ? 0 : Ticks(middle - full, slowest) + Ticks(full, rates[a]);
            longest = std::max(longest, before[a + 1] + crossing + stay + after[b]);
        }
    }
    return longest;
}

} // namespace

IdealTime
GetIdealTime(const FabricGraph& graph,
             const FluidRoute& route,
             const Transfer& transfer,
             const FlowWire& wire)
{
    IdealTime ideal;
    const uint64_t bytes = transfer.bytes.Get();
    if (!route.reachable || bytes == 0)
    {
        return ideal;
    }
    MIXNET_CHECK(transfer.lanes == 1, "ideal times are those of one lane");
    double inside = 0;
    for (const ScaleUpShare& s : route.scaleUp)
    {
        const DataRate rate = graph.GetServerSpec(graph.GetServerOf(s.gpu)).scaleUpRate;
        inside = std::max(inside, s.share * static_cast<double>(Ticks(bytes, rate)));
    }
    int64_t network = 0;
    if (const auto rates = ListRates(graph, route, transfer); !rates.empty())
    {
        network = GetPacketTime(rates, bytes, wire);
    }
    else
    {
        double busiest = 0;
        DataRate slowest(UINT64_MAX);
        for (const ChannelShare& c : route.channels)
        {
            const DataRate rate = graph.GetSpec(FabricGraph::GetEdgeOf(c.channel)).rate;
            busiest =
                std::max(busiest, c.share * static_cast<double>(Ticks(wire.GetLane(bytes), rate)));
            slowest = std::min(slowest, rate);
        }
        network = static_cast<int64_t>(std::llround(busiest));
        if (!route.channels.empty())
        {
            network += Ticks(wire.GetFirstPacket(bytes, 1), slowest) * route.storeAndForward;
        }
    }
    ideal.propagation = route.propagation.GetTimeStep();
    ideal.total = std::max(network, static_cast<int64_t>(inside)) + ideal.propagation;
    return ideal;
}

} // namespace ns3
