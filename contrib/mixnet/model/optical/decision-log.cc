/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decision-log.h"

#include <algorithm>
#include <tuple>

namespace ns3
{

namespace
{

/// @param id an all-to-all @return true for the last of its pass
bool
IsLast(const AllToAllId& id)
{
    return id.phase == AllToAllPhase::FORWARD_COMBINE ||
           id.phase == AllToAllPhase::BACKWARD_DISPATCH;
}

/// @param phase a phase that is not the last of its pass @return the next
AllToAllPhase
Next(AllToAllPhase phase)
{
    return static_cast<AllToAllPhase>(static_cast<uint8_t>(phase) + 1);
}

/// @param a all-to-all @param b all-to-all @return true when they belong to the same pass
bool
IsSamePass(const AllToAllId& a, const AllToAllId& b)
{
    return IsBackward(a.phase) == IsBackward(b.phase) &&
           std::tie(a.iteration, a.layer, a.microBatch, a.group) ==
               std::tie(b.iteration, b.layer, b.microBatch, b.group);
}

/// @param a all-to-all @param b all-to-all @return true when they are the same
bool
IsSame(const AllToAllId& a, const AllToAllId& b)
{
    return a.phase == b.phase && IsSamePass(a, b);
}

} // namespace

void
DecisionLog::SetRegion(RegionId region)
{
    m_region = region;
}

void
DecisionLog::Add(CircuitDecision& decision)
{
    decision.number = ++m_number;
    if (!decision.kept)
    {
        for (Entry& e : m_entries)
        {
            e.outcome.replaced = e.outcome.replaced || !e.over;
        }
    }
    Entry entry;
    entry.id = decision.id;
    const bool transposed = IsTransposed(decision.id.phase);
    entry.predicted[transposed] = decision.predictedCurrent;
    entry.predicted[!transposed] = decision.predictedReverse;
    entry.reconfiguration = decision.kept ? 0 : decision.reconfiguration;
    entry.outcome.region = m_region;
    entry.outcome.decision = m_number;
    if (decision.event == AllToAllEvent::FINISHED)
    {
        entry.over = IsLast(decision.id);
        entry.id.phase = entry.over ? decision.id.phase : Next(decision.id.phase);
    }
    m_entries.push_back(entry);
    Prune();
}

void
DecisionLog::Request(const AllToAllId& id, Time now)
{
    m_exchanges.push_back({id, now, now});
}

void
DecisionLog::Begin(const AllToAllId& id, Time now)
{
    for (Exchange& e : m_exchanges)
    {
        e.begun = IsSame(e.id, id) ? now : e.begun;
    }
}

const std::vector<CircuitOutcome>&
DecisionLog::Finish(const AllToAllId& id, Time now)
{
    m_outcomes.clear();
    const auto it = std::find_if(m_exchanges.begin(), m_exchanges.end(), [&](const Exchange& e) {
        return IsSame(e.id, id);
    });
    if (it == m_exchanges.end())
    {
        return m_outcomes;
    }
    for (Entry& e : m_entries)
    {
        if (e.over || !IsSamePass(e.id, id) || id.phase < e.id.phase)
        {
            continue;
        }
        CircuitOutcome& o = e.outcome;
        ++o.served;
        o.actual += now - it->begun;
        o.waited += it->begun - it->requested;
        const Time predicted = e.predicted[IsTransposed(id.phase)];
        o.gain = predicted == Time::Max() || o.gain == Time::Max()
                     ? Time::Max()
                     : o.gain + predicted - (now - it->begun);
        e.over = IsLast(id);
        m_outcomes.push_back(o);
    }
    m_exchanges.erase(it);
    Prune();
    return m_outcomes;
}

const std::vector<CircuitOutcome>&
DecisionLog::Light(uint64_t reconfiguration, Time dark)
{
    m_outcomes.clear();
    for (Entry& e : m_entries)
    {
        if (e.reconfiguration == 0 || e.reconfiguration > reconfiguration)
        {
            continue;
        }
        if (e.reconfiguration == reconfiguration)
        {
            e.outcome.dark = dark;
            m_outcomes.push_back(e.outcome);
        }
        e.reconfiguration = 0; // lit, or replaced before it was
    }
    Prune();
    return m_outcomes;
}

void
DecisionLog::Forget()
{
    m_entries.clear();
    m_exchanges.clear();
}

std::size_t
DecisionLog::GetNOpen() const
{
    return m_entries.size();
}

void
DecisionLog::Prune()
{
    m_entries.erase(std::remove_if(m_entries.begin(),
                                   m_entries.end(),
                                   [](const Entry& e) { return e.over && e.reconfiguration == 0; }),
                    m_entries.end());
}

} // namespace ns3
