/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fluid-route-builder.h"

#include "ns3/frame.h"

#include <algorithm>

namespace ns3
{

namespace
{

/// @param word not zero @return index of its lowest bit that is set
unsigned
LowestBit(uint64_t word)
{
    return static_cast<unsigned>(__builtin_ctzll(word));
}

} // namespace

FluidRouteBuilder::FluidRouteBuilder(const EcmpTables& tables)
    : m_tables(tables),
      m_graph(tables.GetGraph()),
      m_paths(m_graph),
      m_share(2 * std::size_t(m_graph.GetNEdges())),
      m_touched(m_share.size() / 64 + 1),
      m_firstWord(m_touched.size()),
      m_port(2 * std::size_t(m_graph.GetNGpus())),
      m_flow(tables.GetNSwitches()),
      m_delay(tables.GetNSwitches())
{
}

void
FluidRouteBuilder::Clear()
{
    for (std::size_t w = m_firstWord; w <= m_lastWord && w < m_touched.size(); ++w)
    {
        for (; m_touched[w] != 0; m_touched[w] &= m_touched[w] - 1)
        {
            m_share[w * 64 + LowestBit(m_touched[w])] = 0;
        }
    }
    m_firstWord = m_touched.size();
    m_lastWord = 0;
    for (const uint32_t p : m_touchedPort)
    {
        m_port[p] = 0;
    }
    m_touchedPort.clear();
    m_numa.clear();
    m_spreads.clear();
    m_lengths.clear();
    m_wayspreads.clear();
    m_pathShare = {};
    m_longestDelay = 0;
    m_mostLinks = 0;
}

void
FluidRouteBuilder::AddChannel(ChannelId channel, double share)
{
    const uint32_t c = channel.Get();
    const std::size_t word = c / 64;
    m_share[c] += share;
    m_touched[word] |= uint64_t(1) << (c % 64);
    m_firstWord = std::min(m_firstWord, word);
    m_lastWord = std::max(m_lastWord, word);
}

void
FluidRouteBuilder::AddPort(GpuId gpu, bool egress, double share)
{
    const uint32_t p = 2 * gpu.Get() + (egress ? 1 : 0);
    if (m_port[p] == 0)
    {
        m_touchedPort.push_back(p);
    }
    m_port[p] += share;
}

void
FluidRouteBuilder::AddNuma(const ServerPath& path, double share)
{
    if (path.link == UINT32_MAX)
    {
        return;
    }
    for (NumaShare& use : m_numa)
    {
        if (use.link == path.link)
        {
            use.share += share;
            return;
        }
    }
    m_numa.push_back({path.link, share});
}

int64_t
FluidRouteBuilder::GetDelay(ChannelId c) const
{
    return m_graph.GetSpec(FabricGraph::GetEdgeOf(c)).delay.GetTimeStep();
}

void
FluidRouteBuilder::AddLocal(GpuId from, GpuId to, double share)
{
    AddPort(from, true, share);
    AddPort(to, false, share);
    const ServerPath path = m_paths.GetPathBetween(from, to);
    AddNuma(path, share);
    m_longestDelay = std::max(m_longestDelay, path.delay.GetTimeStep());
    m_pathShare[static_cast<std::size_t>(PathClass::SCALE_UP)] += share;
}

bool
FluidRouteBuilder::AddRoute(GpuId from,
                            GpuId to,
                            const LaneRoute& route,
                            double share,
                            const EcmpChoice& choice)
{
    std::array<bool, N_PATH_CLASSES> crosses{};
    Length length;
    length.spreads = m_wayspreads.size();
    for (const NetworkLeg& leg : route.legs)
    {
        crosses[static_cast<std::size_t>(leg.path)] = true;
        if (leg.path == PathClass::CIRCUIT)
        {
            AddCircuit(leg, share, length);
        }
        else if (!AddPacket(leg, share, choice, length))
        {
            return false;
        }
    }
    length.count = m_wayspreads.size() - length.spreads;
    const NetworkLeg& first = route.legs.front();
    const NetworkLeg& last = route.legs.back();
    const ServerPath leaving = m_paths.GetPathOut(from, first.fromNic);
    const ServerPath arriving = m_paths.GetPathIn(last.toNic, to);
    if (leaving.gpu != from)
    {
        AddPort(from, true, share);
        AddPort(leaving.gpu, false, share);
    }
    if (arriving.gpu != to)
    {
        AddPort(arriving.gpu, true, share);
        AddPort(to, false, share);
    }
    AddNuma(leaving, share);
    AddNuma(arriving, share);
    length.delay += (leaving.delay + arriving.delay).GetTimeStep();
    crosses[static_cast<std::size_t>(PathClass::SCALE_UP)] =
        leaving.gpu != from || arriving.gpu != to;
    for (std::size_t p = 0; p < N_PATH_CLASSES; ++p)
    {
        m_pathShare[p] += crosses[p] ? share : 0;
    }
    if (length.count > 0)
    {
        m_lengths.push_back(length);
    }
    else
    {
        m_longestDelay = std::max(m_longestDelay, length.delay);
        m_mostLinks = std::max(m_mostLinks, length.links);
    }
    return true;
}

void
FluidRouteBuilder::AddCircuit(const NetworkLeg& leg, double share, Length& length)
{
    const ChannelId out = m_graph.GetEgress(m_graph.GetVertex(leg.from), leg.fromNic);
    const ChannelId in =
        FabricGraph::GetReverse(m_graph.GetEgress(m_graph.GetVertex(leg.to), leg.toNic));
    AddChannel(out, share);
    AddChannel(in, share);
    length.delay += GetDelay(out) + GetDelay(in);
    length.links += 1;
}

bool
FluidRouteBuilder::AddPacket(const NetworkLeg& leg,
                             double share,
                             const EcmpChoice& choice,
                             Length& length)
{
    const NicAddressMap& addresses = m_tables.GetAddresses();
    const uint32_t source = addresses.GetAddress(leg.from, leg.fromNic);
    const uint32_t destination = addresses.GetAddress(leg.to, leg.toNic);
    if (!m_tables.IsReachable(source, destination))
    {
        return false;
    }
    const ChannelId out = m_graph.GetEgress(m_graph.GetVertex(leg.from), leg.fromNic);
    AddChannel(out, share);
    length.delay += GetDelay(out);
    length.links += 1;
    const uint32_t fromLeaf = m_tables.GetAttachment(source).leaf;
    const uint32_t toLeaf = m_tables.GetAttachment(destination).leaf;
    if (fromLeaf == EcmpTables::NONE) // a cable from NIC to NIC
    {
        return true;
    }
    const ChannelId in =
        FabricGraph::GetReverse(m_graph.GetEgress(m_graph.GetVertex(leg.to), leg.toNic));
    AddChannel(in, share);
    length.delay += GetDelay(in);
    length.links += 1;
    if (fromLeaf == toLeaf)
    {
        return true;
    }
    if (choice.balance == LoadBalance::IDEAL)
    {
        m_wayspreads.push_back(FindSpread(fromLeaf, toLeaf, share));
    }
    else
    {
        FollowHash(source, destination, share, choice, length);
    }
    return true;
}

std::size_t
FluidRouteBuilder::FindSpread(uint32_t from, uint32_t to, double share)
{
    for (std::size_t i = 0; i < m_spreads.size(); ++i)
    {
        if (m_spreads[i].from == from && m_spreads[i].to == to)
        {
            m_spreads[i].share += share;
            return i;
        }
    }
    m_spreads.push_back({from, to, share, 0, 0});
    return m_spreads.size() - 1;
}

void
FluidRouteBuilder::SpreadEvenly(Spread& spread)
{
    const uint32_t goal = m_tables.GetLeafSwitch(spread.to);
    m_frontier.assign(1, m_tables.GetLeafSwitch(spread.from));
    m_flow[m_frontier.front()] = spread.share;
    m_delay[m_frontier.front()] = 0;
    while (m_frontier.front() != goal) // all ways are equally long
    {
        m_nextFrontier.clear();
        for (const uint32_t at : m_frontier)
        {
            const PortGroup& group = m_tables.GetNextHops(at, spread.to);
            const double part = m_flow[at] / static_cast<double>(group.size());
            for (const uint16_t p : group)
            {
                const EcmpTables::Port& port = m_tables.GetPort(at, p);
                AddChannel(port.egress, part);
                const int64_t delay = m_delay[at] + port.delay;
                if (m_flow[port.neighbor] == 0)
                {
                    m_nextFrontier.push_back(port.neighbor);
                    m_delay[port.neighbor] = delay;
                }
                m_flow[port.neighbor] += part;
                m_delay[port.neighbor] = std::max(m_delay[port.neighbor], delay);
            }
            m_flow[at] = 0;
        }
        m_frontier.swap(m_nextFrontier);
        ++spread.links;
    }
    m_flow[goal] = 0;
    spread.delay = m_delay[goal];
}

void
FluidRouteBuilder::FollowHash(uint32_t source,
                              uint32_t destination,
                              double share,
                              const EcmpChoice& choice,
                              Length& length)
{
    Frame frame;
    frame.source = source;
    frame.destination = destination;
    frame.sourcePort = static_cast<uint16_t>(0xc000U | (choice.hash & 0x3fffU));
    const uint32_t toLeaf = m_tables.GetAttachment(destination).leaf;
    const uint32_t goal = m_tables.GetLeafSwitch(toLeaf);
    uint32_t at = m_tables.GetLeafSwitch(m_tables.GetAttachment(source).leaf);
    while (at != goal)
    {
        const PortGroup& group = m_tables.GetNextHops(at, toLeaf);
        const uint64_t hash = FlowHash(frame, (*choice.seeds)[at]);
        const EcmpTables::Port& port = m_tables.GetPort(at, group[(hash * group.size()) >> 32]);
        AddChannel(port.egress, share);
        length.delay += port.delay;
        length.links += 1;
        at = port.neighbor;
    }
}

void
FluidRouteBuilder::Finish(FluidRoute& route)
{
    for (Spread& spread : m_spreads)
    {
        SpreadEvenly(spread);
    }
    for (Length& length : m_lengths)
    {
        for (std::size_t i = 0; i < length.count; ++i)
        {
            const Spread& spread = m_spreads[m_wayspreads[length.spreads + i]];
            length.delay += spread.delay;
            length.links += spread.links;
        }
        m_longestDelay = std::max(m_longestDelay, length.delay);
        m_mostLinks = std::max(m_mostLinks, length.links);
    }
    Collect(route);
    route.propagation = TimeStep(static_cast<uint64_t>(m_longestDelay));
    route.storeAndForward = m_mostLinks > 0 ? m_mostLinks - 1 : 0;
    route.pathShare = m_pathShare;
    route.reachable = true;
}

void
FluidRouteBuilder::Collect(FluidRoute& route)
{
    route.channels.clear();
    for (std::size_t w = m_firstWord; w <= m_lastWord && w < m_touched.size(); ++w)
    {
        for (uint64_t word = m_touched[w]; word != 0; word &= word - 1)
        {
            const auto c = static_cast<uint32_t>(w * 64 + LowestBit(word));
            route.channels.push_back({ChannelId(c), m_share[c]});
        }
    }
    route.scaleUp.clear();
    std::sort(m_touchedPort.begin(), m_touchedPort.end());
    for (const uint32_t p : m_touchedPort)
    {
        route.scaleUp.push_back({GpuId(p / 2), p % 2 == 1, m_port[p]});
    }
    route.numa = m_numa;
    std::sort(route.numa.begin(), route.numa.end(), [](const NumaShare& a, const NumaShare& b) {
        return a.link < b.link;
    });
}

} // namespace ns3
