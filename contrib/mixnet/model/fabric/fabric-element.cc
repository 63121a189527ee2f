/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-element.h"

#include "mixnet-port.h"

#include "ns3/mixnet-error.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>

namespace ns3
{

FabricElement::FabricElement(uint32_t context)
    : m_timer(*this, 0, context)
{
}

FabricElement::~FabricElement()
{
    for (uint32_t i = 0; i < GetNPorts(); ++i)
    {
        if (m_ports[i])
        {
            RemovePort(i);
        }
    }
}

uint32_t
FabricElement::AddPort(MixnetPort* port)
{
    m_ports.push_back(port);
    m_arrivals.Add();
    m_decision.push_back(NEVER);
    for (std::size_t i = 0; i < m_ports.size(); ++i)
    {
        if (m_ports[i])
        {
            m_ports[i]->m_decideAt = &m_decision[i];
        }
    }
    return GetNPorts() - 1;
}

void
FabricElement::RemovePort(uint32_t index)
{
    m_arrivals.Set(index, NEVER);
    m_decision[index] = NEVER;
    MixnetPort* port = m_ports[index];
    port->m_ownDecision = NEVER;
    port->m_decideAt = &port->m_ownDecision;
    port->m_element = nullptr;
    m_ports[index] = nullptr;
}

void
FabricElement::SetLookaheadLimit(SimTick limit)
{
    Advance(Simulator::Now().GetTimeStep());
    m_limit = limit;
    LimitLookahead(m_shortest);
    if (m_depth == 0)
    {
        Rearm();
    }
}

void
FabricElement::LimitLookahead(SimTick delay)
{
    m_shortest = std::min(m_shortest, delay);
    m_lookahead = std::min(m_limit, std::max<SimTick>(m_shortest - 1, 0));
}

void
FabricElement::CountObservers(int change)
{
    const SimTick now = Simulator::Now().GetTimeStep();
    Advance(now);
    SettlePorts(now); // from now on decisions have events, and these are due
    m_observers += change;
    Rearm();
}

void
FabricElement::Advance(SimTick now)
{
    if (m_ports.empty())
    {
        return;
    }
    ++m_depth;
    for (;;)
    {
        const uint32_t first = m_arrivals.FindEarliest();
        const SimTick due = m_arrivals.Get(first);
        if (IsOrdered())
        {
            SettlePorts(std::min(due, now));
        }
        if (due > now)
        {
            break;
        }
        TakeArrival(first);
    }
    while (!m_urgent.empty() && m_urgent.front() <= now)
    {
        std::pop_heap(m_urgent.begin(), m_urgent.end(), std::greater<>());
        m_urgent.pop_back();
    }
    if (--m_depth == 0)
    {
        Rearm();
    }
}

void
FabricElement::ExpectFrame(SimTick time, bool urgent, bool more)
{
    if (urgent)
    {
        m_urgent.push_back(time);
        std::push_heap(m_urgent.begin(), m_urgent.end(), std::greater<>());
    }
    if (m_depth == 0 && (urgent || more))
    {
        WakeAt(time);
    }
}

SimTick
FabricElement::GetPoll() const
{
    SimTick poll = NEVER;
    for (const MixnetPort* port : m_ports)
    {
        if (port && port->m_peer && *port->m_peer->m_decideAt != NEVER)
        {
            poll = std::min(poll, *port->m_peer->m_decideAt + port->m_delay);
        }
    }
    return poll;
}

void
FabricElement::TakeArrival(uint32_t index)
{
    const SimTick due = m_arrivals.Get(index);
    MIXNET_CHECK(due >= m_done, "an arrival " << m_done - due << " ticks too late");
    m_done = due;
    MixnetPort& port = *m_ports[index];
    Frame* frame = port.m_arrivals.IsEmpty() ? nullptr : port.m_arrivals.Pop();
    if (port.m_arrivals.IsEmpty())
    {
        port.m_peer->Settle(due - port.m_delay);
    }
    m_arrivals.Set(index, port.GetNextArrival());
    if (frame)
    {
        port.Receive(frame, due);
    }
}

void
FabricElement::SettlePorts(SimTick time)
{
    for (;;)
    {
        const auto first = std::min_element(m_decision.begin(), m_decision.end());
        if (first == m_decision.end() || *first > time)
        {
            return;
        }
        m_ports[first - m_decision.begin()]->Decide(*first);
    }
}

void
FabricElement::Arm(SimTick soonest)
{
    m_soonest = soonest;
    WakeAt(soonest + (m_observers > 0 ? 0 : m_lookahead));
}

void
FabricElement::WakeAt(SimTick wakeAt)
{
    if (wakeAt < m_timer.GetTime())
    {
        const SimTick now = Simulator::Now().GetTimeStep();
        MIXNET_CHECK(wakeAt >= now, "an event " << now - wakeAt << " ticks in the past");
        m_timer.Arm(wakeAt);
    }
}

void
FabricElement::OnTimer(uint32_t)
{
    const SimTick now = Simulator::Now().GetTimeStep();
    m_soonest = NEVER;
    Advance(now);
    for (uint32_t i = 0; i < GetNPorts(); ++i)
    {
        if (m_decision[i] <= now && m_ports[i]->m_feedsNic)
        {
            m_ports[i]->Settle(now);
        }
    }
}

void
FabricElement::Rearm()
{
    if (m_ports.empty())
    {
        return;
    }
    SimTick soonest = m_arrivals.GetEarliest();
    if (IsOrdered())
    {
        soonest = std::min(soonest, *std::min_element(m_decision.begin(), m_decision.end()));
    }
    m_soonest = NEVER;
    if (soonest != NEVER)
    {
        Arm(soonest);
    }
    if (IsLateNic())
    {
        const SimTick poll = GetPoll();
        WakeAt(m_urgent.empty() ? poll : std::min(poll, m_urgent.front()));
    }
}

} // namespace ns3
