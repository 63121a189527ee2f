/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// FlowTransport: what disturbs transfers in progress.

#include "flow-transport.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

std::vector<uint32_t>
FlowTransport::FindCrossing(const std::vector<ChannelId>& channels, State state)
{
    std::vector<uint32_t> found;
    m_book->Mark(channels);
    for (uint32_t i = 0; i < m_items.size(); ++i)
    {
        if (m_items[i].state == state && m_book->Crosses(m_items[i].way))
        {
            found.push_back(i);
        }
    }
    std::sort(found.begin(), found.end(), [this](uint32_t a, uint32_t b) {
        return m_items[a].id < m_items[b].id;
    });
    return found;
}

void
FlowTransport::Interrupt(const std::vector<uint32_t>& items)
{
    std::vector<FlowHandle> flows;
    for (const uint32_t i : items)
    {
        flows.push_back(m_items[i].flow);
    }
    std::vector<double> left(items.size());
    m_engine->Stop(flows.data(), flows.size(), left.data());
    for (std::size_t k = 0; k < items.size(); ++k)
    {
        Item& item = m_items[items[k]];
        const auto wireLeft = static_cast<uint64_t>(std::ceil(left[k] / 8));
        const uint64_t wire = item.wireLeft - std::min(item.wireLeft, wireLeft);
        const double part = static_cast<double>(item.payloadLeft) * static_cast<double>(wire) /
                            static_cast<double>(item.wireLeft);
        const uint64_t payload = wireLeft == 0
                                     ? item.payloadLeft
                                     : std::min(item.payloadLeft, static_cast<uint64_t>(part));
        Account(item, payload, wire);
        item.bitsLeft = left[k];
        item.state = State::LAUNCHING;
        if (item.wireLeft == 0) // it had drained, its event was still to come
        {
            item.state = State::DELIVERING;
            Deliver(items[k], GetLatency(item));
        }
    }
}

void
FlowTransport::DoAbort(TransferId id)
{
    const uint32_t i = FindItem(id);
    if (m_items[i].state == State::FLOWING)
    {
        Interrupt({i});
    }
    m_launching.erase(std::remove(m_launching.begin(), m_launching.end(), i), m_launching.end());
    m_waiting.erase(std::remove(m_waiting.begin(), m_waiting.end(), i), m_waiting.end());
    m_held.erase(std::remove(m_held.begin(), m_held.end(), i), m_held.end());
    FreeItem(i);
}

std::size_t
FlowTransport::GetNWayless() const
{
    return m_waiting.size();
}

bool
FlowTransport::UsesCircuits(const Transfer& transfer) const
{
    return m_router->UsesCircuits(transfer);
}

void
FlowTransport::DoReroute(TransferId id)
{
    const uint32_t i = FindItem(id);
    Item& item = m_items[i];
    if (item.state == State::WAITING)
    {
        m_waiting.erase(std::find(m_waiting.begin(), m_waiting.end(), i));
        item.state = State::LAUNCHING;
        Launch({i});
    }
    else if (item.state == State::FLOWING)
    {
        const uint32_t way = m_book->Resolve(item.transfer, id);
        const bool same = m_book->Get(way).route == m_book->Get(item.way).route;
        m_book->Release(way);
        if (same)
        {
            m_engine->Rearm();
            return;
        }
        Interrupt({i});
        if (item.state == State::LAUNCHING)
        {
            Launch({i});
        }
    }
}

std::vector<ChannelId>
FlowTransport::FindDisturbed(const GraphChange& change)
{
    std::vector<ChannelId> channels;
    bool dead = false;
    for (const auto* edges :
         {&change.down, &change.broken, &change.rated, &change.up, &change.mended})
    {
        dead = dead || (!edges->empty() && edges != &change.rated);
        for (const EdgeId e : *edges)
        {
            if (edges != &change.up && edges != &change.mended)
            {
                channels.emplace_back(2 * e.Get());
                channels.emplace_back(2 * e.Get() + 1);
            }
        }
    }
    for (const Circuit& c : change.removed)
    {
        for (uint32_t i = 0; i < c.GetNDirections(); ++i)
        {
            const auto [from, to] = c.GetDirection(i);
            channels.push_back(FabricGraph::GetReverse(m_graph->GetEgress(c.ocs, from)));
            channels.push_back(m_graph->GetEgress(c.ocs, to));
        }
    }
    if (dead)
    {
        m_deadChannels.clear();
        for (uint32_t e = 0; e < m_graph->GetNEdges(); ++e)
        {
            if (m_graph->IsBroken(EdgeId(e)) && m_graph->IsUp(EdgeId(e)))
            {
                m_deadChannels.emplace_back(2 * e);
                m_deadChannels.emplace_back(2 * e + 1);
            }
        }
        UpdateShut();
    }
    return channels;
}

void
FlowTransport::UpdateShut()
{
    m_shut = m_heldChannels;
    m_shut.insert(m_shut.end(), m_deadChannels.begin(), m_deadChannels.end());
}

void
FlowTransport::OnChange(const GraphChange& change)
{
    const std::vector<ChannelId> lost = FindDisturbed(change);
    if (!m_engine)
    {
        return;
    }
    if (!change.rated.empty())
    {
        m_book->FollowRates(change.rated);
    }
    std::vector<uint32_t> items;
    if (!lost.empty())
    {
        items = FindCrossing(lost, State::FLOWING);
        Interrupt(items);
    }
    items.insert(items.end(), m_waiting.begin(), m_waiting.end());
    for (const uint32_t i : m_waiting)
    {
        m_items[i].state = State::LAUNCHING;
    }
    m_waiting.clear();
    items.erase(std::remove_if(items.begin(),
                               items.end(),
                               [this](uint32_t i) { return m_items[i].state != State::LAUNCHING; }),
                items.end());
    std::sort(items.begin(), items.end(), [this](uint32_t a, uint32_t b) {
        return m_items[a].id < m_items[b].id;
    });
    if (!items.empty())
    {
        Launch(items);
    }
}

Time
FlowTransport::Hold(const std::vector<ChannelId>& channels)
{
    EnsureBuilt();
    Time wait(0);
    for (const uint32_t i : FindCrossing(channels, State::DELIVERING))
    {
        for (const Delivery& d : m_deliveries)
        {
            if (d.item == i && d.id == m_items[i].id)
            {
                wait = Max(wait, TimeStep(static_cast<uint64_t>(d.tick)) - Simulator::Now());
            }
        }
    }
    const std::vector<uint32_t> items = FindCrossing(channels, State::FLOWING);
    Interrupt(items);
    for (const uint32_t i : items)
    {
        wait = Max(wait, GetLatency(m_items[i]));
        if (m_items[i].state == State::LAUNCHING)
        {
            Park(i, State::HELD, m_held);
        }
    }
    m_heldChannels.insert(m_heldChannels.end(), channels.begin(), channels.end());
    UpdateShut();
    return wait;
}

void
FlowTransport::Release(const std::vector<ChannelId>& channels)
{
    for (const ChannelId c : channels)
    {
        const auto at = std::find(m_heldChannels.begin(), m_heldChannels.end(), c);
        MIXNET_CHECK(at != m_heldChannels.end(), "channel " << c << " is not held");
        m_heldChannels.erase(at);
    }
    UpdateShut();
    std::vector<uint32_t> items = FindCrossing(channels, State::HELD);
    for (const uint32_t i : items)
    {
        m_held.erase(std::find(m_held.begin(), m_held.end(), i));
        m_items[i].state = State::LAUNCHING;
    }
    // Routing takes held circuits for dark: who has been without a way may have one now.
    for (const uint32_t i : m_waiting)
    {
        m_items[i].state = State::LAUNCHING;
        items.push_back(i);
    }
    m_waiting.clear();
    std::sort(items.begin(), items.end(), [this](uint32_t a, uint32_t b) {
        return m_items[a].id < m_items[b].id;
    });
    if (!items.empty())
    {
        Launch(items);
    }
}

} // namespace ns3
