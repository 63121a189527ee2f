/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "failure-state.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// @param values values by key @param key key @param value put there, or taken away @param add
/// which of the two
template <class Key>
void
Change(std::map<Key, std::vector<double>>& values, Key key, double value, bool add)
{
    auto& list = values[key];
    if (add)
    {
        list.insert(std::upper_bound(list.begin(), list.end(), value), value);
        return;
    }
    const auto it = std::lower_bound(list.begin(), list.end(), value);
    MIXNET_CHECK(it != list.end() && *it == value, "a fault goes that never came");
    list.erase(it);
    if (list.empty())
    {
        values.erase(key);
    }
}

} // namespace

FailureState::FailureState(const FabricGraph& graph)
    : m_graph(graph),
      m_down(graph.GetNEdges(), 0),
      m_dead(graph.GetNGpus(), 0)
{
    for (uint32_t e = 0; e < graph.GetNEdges(); ++e)
    {
        m_down[e] = graph.HasCause(EdgeId(e), EdgeCause::FAILURE) ? 1 : 0;
    }
}

std::size_t
FailureState::AddElement(const FailureTarget& target)
{
    const auto [it, fresh] =
        m_ids.emplace(std::make_pair(target.kind, target.name), m_elements.size());
    if (fresh)
    {
        m_elements.push_back({target, {}});
    }
    return it->second;
}

const FailureTarget&
FailureState::GetTarget(std::size_t element) const
{
    return m_elements[element].target;
}

bool
FailureState::Has(const std::vector<Fault>& faults, FailureAction action)
{
    return std::any_of(faults.begin(), faults.end(), [action](const Fault& f) {
        return f.action == action;
    });
}

FailureEffect
FailureState::Strike(std::size_t element, const FailureEvent& event, uint64_t cause)
{
    MIXNET_CHECK(event.action != FailureAction::UP, "a strike that repairs");
    std::vector<Fault> faults = m_elements[element].faults;
    const bool wasDown = Has(faults, FailureAction::DOWN);
    if (cause == 0)
    {
        faults.erase(std::remove_if(
                         faults.begin(),
                         faults.end(),
                         [&](const Fault& f) { return f.cause == 0 && f.action == event.action; }),
                     faults.end());
    }
    double value = 0;
    switch (event.action)
    {
    case FailureAction::SLOW:
        value = event.factor;
        break;
    case FailureAction::RATE:
        value = static_cast<double>(event.rate.GetBitRate());
        break;
    case FailureAction::BIT_ERRORS:
        value = event.bitErrorRate;
        break;
    default:
        break;
    }
    faults.push_back({cause, event.action, value});
    FailureEffect effect = Replace(element, std::move(faults));
    if (effect.IsEmpty())
    {
        effect.why = m_elements[element].target.absent     ? "this fabric has none"
                     : wasDown                             ? "it is down already"
                     : event.action == FailureAction::DOWN ? "down already for another reason"
                                                           : "it is like that, or worse, already";
    }
    return effect;
}

FailureEffect
FailureState::Repair(std::size_t element)
{
    const bool had = !m_elements[element].faults.empty();
    FailureEffect effect = Replace(element, {});
    if (effect.IsEmpty())
    {
        effect.why = m_elements[element].target.absent ? "this fabric has none"
                     : had                             ? "something else keeps it down"
                                                       : "nothing is wrong with it";
    }
    return effect;
}

FailureEffect
FailureState::Expire(std::size_t element, uint64_t cause)
{
    std::vector<Fault> faults = m_elements[element].faults;
    const auto gone = std::remove_if(faults.begin(), faults.end(), [cause](const Fault& f) {
        return f.cause == cause;
    });
    const bool had = gone != faults.end();
    faults.erase(gone, faults.end());
    FailureEffect effect = Replace(element, std::move(faults));
    if (effect.IsEmpty())
    {
        effect.why = m_elements[element].target.absent ? "this fabric has none"
                     : had                             ? "something else keeps it down"
                                                       : "it was repaired before";
    }
    return effect;
}

void
FailureState::Apply(const Element& element, const std::vector<Fault>& faults, bool add)
{
    for (const Fault& f : faults)
    {
        if (f.action == FailureAction::SLOW)
        {
            for (const GpuId g : element.target.gpus)
            {
                Change(m_factors, g, f.value, add);
            }
        }
        else if (f.action != FailureAction::DOWN)
        {
            auto& values = f.action == FailureAction::RATE ? m_rates : m_errors;
            for (const EdgeId e : element.target.edges)
            {
                Change(values, e, f.value, add);
            }
        }
    }
    if (Has(faults, FailureAction::DOWN))
    {
        const uint32_t step = add ? 1 : UINT32_MAX; // -1
        for (const EdgeId e : element.target.edges)
        {
            m_down[e.Get()] += step;
        }
        for (const GpuId g : element.target.gpus)
        {
            m_dead[g.Get()] += step;
        }
    }
}

FailureEffect
FailureState::Replace(std::size_t number, std::vector<Fault> faults)
{
    Element& element = m_elements[number];
    const FailureTarget& target = element.target;

    /// State of a link or GPU before the change.
    struct Before
    {
        bool down;     //!< broken or dead
        uint64_t rate; //!< of a link, bit/s
        double value;  //!< bit errors or factor
    };

    std::vector<Before> links;
    std::vector<Before> gpus;
    for (const EdgeId e : target.edges)
    {
        links.push_back({IsBroken(e), GetRate(e).GetBitRate(), GetBitErrors(e)});
    }
    for (const GpuId g : target.gpus)
    {
        gpus.push_back({IsDead(g), 0, GetFactor(g)});
    }
    FailureEffect effect;
    effect.controller =
        target.kind == FailureKind::CONTROLLER && !target.absent &&
        Has(element.faults, FailureAction::DOWN) != Has(faults, FailureAction::DOWN);
    Apply(element, element.faults, false);
    element.faults = std::move(faults);
    Apply(element, element.faults, true);
    for (std::size_t i = 0; i < links.size(); ++i)
    {
        const EdgeId e = target.edges[i];
        if (IsBroken(e) != links[i].down)
        {
            (links[i].down ? effect.mended : effect.broken).push_back(e);
        }
        if (GetRate(e).GetBitRate() != links[i].rate)
        {
            effect.rated.push_back(e);
        }
        if (GetBitErrors(e) != links[i].value)
        {
            effect.erring.push_back(e);
        }
    }
    for (std::size_t i = 0; i < gpus.size(); ++i)
    {
        const GpuId g = target.gpus[i];
        if (IsDead(g) != gpus[i].down || (!IsDead(g) && GetFactor(g) != gpus[i].value))
        {
            effect.gpus.push_back(g);
        }
    }
    return effect;
}

bool
FailureState::IsDown(std::size_t element) const
{
    return Has(element, FailureAction::DOWN);
}

bool
FailureState::Has(std::size_t element, FailureAction action) const
{
    return Has(m_elements[element].faults, action);
}

bool
FailureState::IsBroken(EdgeId e) const
{
    return m_down[e.Get()] > 0;
}

DataRate
FailureState::GetRate(EdgeId e) const
{
    const DataRate built = m_graph.GetBuiltRate(e);
    const auto it = m_rates.find(e);
    const double least =
        it == m_rates.end() ? std::numeric_limits<double>::infinity() : it->second.front();
    return least < static_cast<double>(built.GetBitRate()) ? DataRate(static_cast<uint64_t>(least))
                                                           : built;
}

double
FailureState::GetBitErrors(EdgeId e) const
{
    const auto it = m_errors.find(e);
    double sum = 0;
    for (std::size_t i = 0; it != m_errors.end() && i < it->second.size(); ++i)
    {
        sum += it->second[i];
    }
    return std::min(sum, 0.01);
}

bool
FailureState::IsDead(GpuId g) const
{
    return m_dead[g.Get()] > 0;
}

double
FailureState::GetFactor(GpuId g) const
{
    const auto it = m_factors.find(g);
    return it == m_factors.end() ? 1 : it->second.back();
}

} // namespace ns3
