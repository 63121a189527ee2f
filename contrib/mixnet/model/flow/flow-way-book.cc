/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "flow-way-book.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cstring>

namespace ns3
{

namespace
{

/// @param share share @return it with 44 significant bits
double
Round(double share)
{
    uint64_t bits;
    std::memcpy(&bits, &share, sizeof bits);
    bits = (bits + 0x80) & ~uint64_t(0xff);
    std::memcpy(&share, &bits, sizeof bits);
    return share;
}

} // namespace

FlowWayBook::FlowWayBook(Ptr<FabricGraph> graph,
                         Ptr<Router> router,
                         FluidEngine& engine,
                         LoadBalance balance,
                         ByteCount firstPacket)
    : m_graph(graph),
      m_resources(graph),
      m_router(router),
      m_engine(engine),
      m_balance(balance),
      m_firstPacket(firstPacket),
      m_templates(64)
{
    for (uint32_t r = 0; r < m_resources.GetN(); ++r)
    {
        const FabricResourceKind kind = m_resources.GetKind(r);
        const bool port = kind == FabricResourceKind::NIC || kind == FabricResourceKind::CIRCUIT;
        engine.AddResource(m_resources.GetBuiltRate(r),
                           port                               ? ResourceKind::PORT
                           : kind == FabricResourceKind::LINK ? ResourceKind::INNER
                                                              : ResourceKind::SCALE_UP);
    }
    for (uint32_t e = 0; e < graph->GetNEdges(); ++e)
    {
        if (graph->GetSpec(EdgeId(e)).rate != graph->GetBuiltRate(EdgeId(e)))
        {
            FollowRates({EdgeId(e)});
        }
    }
}

uint64_t
FlowWayBook::HashOf(const Template& t)
{
    uint64_t h = (uint64_t(t.source.Get()) << 32 | t.destination.Get()) * 0x9e3779b97f4a7c15ULL;
    h ^= uint64_t(t.lanes) << 8 | static_cast<uint64_t>(t.trafficClass);
    h ^= reinterpret_cast<uintptr_t>(t.policy);
    h = (h ^ (h >> 32)) * 0xbf58476d1ce4e5b9ULL;
    return h ^ (h >> 29);
}

FlowWayBook::Template&
FlowWayBook::FindTemplate(const Transfer& transfer)
{
    Template key;
    key.source = transfer.source;
    key.destination = transfer.destination;
    key.lanes = transfer.lanes;
    key.trafficClass = transfer.trafficClass;
    key.policy = transfer.policy;
    const uint64_t mask = m_templates.size() - 1;
    for (uint64_t slot = HashOf(key) & mask;; slot = (slot + 1) & mask)
    {
        Template& t = m_templates[slot];
        if (t.lanes == 0)
        {
            if (4 * ++m_nTemplates > 3 * m_templates.size())
            {
                --m_nTemplates;
                Grow();
                return FindTemplate(transfer);
            }
            t = key;
            return t;
        }
        if (t.source == key.source && t.destination == key.destination && t.lanes == key.lanes &&
            t.trafficClass == key.trafficClass && t.policy == key.policy)
        {
            return t;
        }
    }
}

void
FlowWayBook::Grow()
{
    std::vector<Template> old(2 * m_templates.size());
    old.swap(m_templates);
    const uint64_t mask = m_templates.size() - 1;
    for (const Template& t : old)
    {
        if (t.lanes > 0)
        {
            uint64_t slot = HashOf(t) & mask;
            while (m_templates[slot].lanes > 0)
            {
                slot = (slot + 1) & mask;
            }
            m_templates[slot] = t;
        }
    }
}

uint32_t
FlowWayBook::Resolve(const Transfer& transfer, TransferId id)
{
    if (m_balance == LoadBalance::PER_FLOW)
    {
        return MakeWay(transfer, id);
    }
    Template& t = FindTemplate(transfer);
    const uint64_t version = m_router->GetVersion(transfer);
    if (t.way == NONE || t.version != version)
    {
        const uint32_t old = t.way;
        t.way = MakeWay(transfer, id);
        t.version = version;
        if (old != NONE)
        {
            Release(old);
        }
    }
    ++m_ways[t.way].holders;
    return t.way;
}

uint32_t
FlowWayBook::MakeWay(const Transfer& transfer, TransferId id)
{
    if (m_freeWays.empty())
    {
        m_freeWays.push_back(static_cast<uint32_t>(m_ways.size()));
        m_ways.emplace_back();
    }
    const uint32_t fresh = m_freeWays.back();
    m_freeWays.pop_back();
    FlowWay& way = m_ways[fresh];
    way = FlowWay();
    way.holders = 1;
    m_router->ResolveTransfer(transfer, m_balance, id, m_route);
    if (!m_route.reachable)
    {
        return fresh;
    }
    m_uses.clear();
    uint64_t slowest = UINT64_MAX;
    for (const ChannelShare& use : m_route.channels)
    {
        m_uses.push_back({FabricResources::GetNumber(use.channel), Round(use.share)});
        if (!m_limit.empty() && m_limit[use.channel.Get()] != NONE)
        {
            m_uses.push_back({m_limit[use.channel.Get()], Round(use.share)});
        }
        const auto& spec = m_graph->GetSpec(FabricGraph::GetEdgeOf(use.channel));
        slowest = std::min(slowest, spec.rate.GetBitRate());
    }
    for (const ScaleUpShare& use : m_route.scaleUp)
    {
        m_uses.push_back({m_resources.GetNumber(use.gpu, use.egress), Round(use.share)});
    }
    for (const NumaShare& use : m_route.numa)
    {
        m_uses.push_back({m_resources.GetNumaNumber(use.link), Round(use.share)});
    }
    way.route = m_engine.GetSolver().GetPartition().AddRoute(m_uses);
    way.reachable = true;
    way.network = !m_route.channels.empty();
    way.propagation = m_route.propagation;
    way.storeAndForward = m_route.storeAndForward;
    way.pathShare = m_route.pathShare;
    if (way.network)
    {
        way.slowest = DataRate(slowest);
        way.forward = (m_firstPacket / way.slowest) * static_cast<int64_t>(way.storeAndForward);
    }
    return fresh;
}

void
FlowWayBook::Release(uint32_t id)
{
    FlowWay& way = m_ways[id];
    MIXNET_CHECK(way.holders > 0, "a way is released too often");
    if (--way.holders == 0)
    {
        if (way.reachable)
        {
            m_engine.GetSolver().GetPartition().Release(way.route);
        }
        m_freeWays.push_back(id);
    }
}

void
FlowWayBook::FollowRates(const std::vector<EdgeId>& edges)
{
    m_limit.resize(2 * std::size_t(m_graph->GetNEdges()), NONE);
    const ResourcePartition& partition = m_engine.GetSolver().GetPartition();
    for (const EdgeId e : edges)
    {
        for (const uint32_t c : {2 * e.Get(), 2 * e.Get() + 1})
        {
            // a resource of a rate of its own beside the channel's first one
            const DataRate rate = m_graph->GetSpec(e).rate;
            const auto bits = static_cast<double>(rate.GetBitRate());
            m_limit[c] = NONE;
            if (bits < partition.GetCapacity(partition.GetClass(c)))
            {
                m_limit[c] = m_engine.AddResource(rate, ResourceKind::PORT);
                m_limited.push_back(c);
            }
        }
    }
}

void
FlowWayBook::Mark(const std::vector<ChannelId>& channels)
{
    m_marked = channels;
    MarkClasses();
}

void
FlowWayBook::MarkClasses()
{
    const ResourcePartition& partition = m_engine.GetSolver().GetPartition();
    m_mark.resize(partition.GetNClasses(), m_pass);
    ++m_pass;
    for (const ChannelId c : m_marked)
    {
        m_mark[partition.GetClass(c.Get())] = m_pass;
    }
}

bool
FlowWayBook::Crosses(uint32_t id)
{
    const FlowWay& way = m_ways[id];
    if (!way.reachable)
    {
        return false;
    }
    const ResourcePartition& partition = m_engine.GetSolver().GetPartition();
    if (m_mark.size() != partition.GetNClasses()) // some were cut since
    {
        MarkClasses();
    }
    const auto& terms = partition.GetAllTerms(way.route);
    return std::any_of(terms.begin(), terms.end(), [this](const auto& t) {
        return m_mark[t.cls] == m_pass;
    });
}

} // namespace ns3
