/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// FabricGraph: what edges can carry, whether or not anybody knows.

#include "fabric-graph.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

bool
FabricGraph::IsBroken(EdgeId e) const
{
    return e.Get() < m_broken.size() && m_broken[e.Get()];
}

void
FabricGraph::SetBroken(const std::vector<EdgeId>& edges, bool broken)
{
    GraphChange change;
    m_broken.resize(GetNEdges(), false);
    for (const EdgeId e : edges)
    {
        MIXNET_CHECK(e.Get() < GetNEdges(), "no edge " << e);
        if (m_broken[e.Get()] != broken)
        {
            m_broken[e.Get()] = broken;
            (broken ? change.broken : change.mended).push_back(e);
        }
    }
    Notify(change);
}

void
FabricGraph::SetRate(const std::vector<EdgeId>& edges, DataRate rate)
{
    MIXNET_CHECK(rate.GetBitRate() > 0, "an edge of rate zero");
    GraphChange change;
    for (const EdgeId e : edges)
    {
        MIXNET_CHECK(e.Get() < GetNEdges(), "no edge " << e);
        if (m_spec[e.Get()].rate != rate)
        {
            m_builtRate.emplace(e, m_spec[e.Get()].rate);
            m_spec[e.Get()].rate = rate;
            change.rated.push_back(e);
            Touch(e);
        }
    }
    Notify(change);
}

DataRate
FabricGraph::GetBuiltRate(EdgeId e) const
{
    const auto it = m_builtRate.find(e);
    return it == m_builtRate.end() ? m_spec[e.Get()].rate : it->second;
}

} // namespace ns3
