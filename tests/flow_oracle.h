/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_ORACLE_H
#define FLOW_ORACLE_H

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

namespace flow_oracle
{

/// Use of a resource, as in the solver but independent of it.
struct Use
{
    uint32_t resource; //!< resource
    double share;      //!< share
};

/// A flow on the full, unmerged set of resources.
struct Flow
{
    std::vector<Use> uses; //!< what it crosses
    double weight{1};      //!< share of the level
    long double work{0};   //!< bits x ticks per second
    long double rate{0};   //!< bits/s
    bool done{false};      //!< ended
    int64_t end{0};        //!< tick of its end
};

/**
 * Progressive filling written down naively: raise the common level until a resource is full, over
 * all resources and all flows, in long double, without any of the solver's reductions.
 */
inline void
Fill(const std::vector<double>& capacity, std::vector<Flow*>& flows)
{
    std::vector<Flow*> rising = flows;
    std::vector<long double> left(capacity.begin(), capacity.end());
    long double level = 0;
    while (!rising.empty())
    {
        std::vector<long double> pull(capacity.size(), 0);
        for (const Flow* f : rising)
        {
            for (const Use& u : f->uses)
            {
                pull[u.resource] += static_cast<long double>(f->weight) * u.share;
            }
        }
        long double step = std::numeric_limits<long double>::infinity();
        for (std::size_t r = 0; r < capacity.size(); ++r)
        {
            if (pull[r] > 0)
            {
                step = std::min(step, std::max(left[r], 0.0L) / pull[r]);
            }
        }
        level += step;
        std::vector<bool> full(capacity.size(), false);
        for (std::size_t r = 0; r < capacity.size(); ++r)
        {
            left[r] -= pull[r] * step;
            full[r] = pull[r] > 0 && left[r] <= 1e-13L * capacity[r];
        }
        std::vector<Flow*> still;
        for (Flow* f : rising)
        {
            f->rate = level * f->weight;
            const bool stops = std::any_of(f->uses.begin(), f->uses.end(), [&](const Use& u) {
                return full[u.resource];
            });
            if (!stops)
            {
                still.push_back(f);
            }
        }
        rising = still;
    }
}

/// The worst relative violation of the max-min conditions by given rates (0: fulfilled):
/// no resource is overloaded, and each flow has a full resource where nobody's level is higher.
inline double
Violation(const std::vector<double>& capacity, const std::vector<Flow*>& flows)
{
    std::vector<double> load(capacity.size(), 0);
    std::vector<double> top(capacity.size(), 0);
    for (const Flow* f : flows)
    {
        for (const Use& u : f->uses)
        {
            load[u.resource] += u.share * static_cast<double>(f->rate);
            top[u.resource] = std::max(top[u.resource], static_cast<double>(f->rate) / f->weight);
        }
    }
    double worst = 0;
    for (std::size_t r = 0; r < capacity.size(); ++r)
    {
        worst = std::max(worst, load[r] / capacity[r] - 1);
    }
    for (const Flow* f : flows)
    {
        double best = std::numeric_limits<double>::infinity();
        for (const Use& u : f->uses)
        {
            const double slack = std::max(0.0, 1 - load[u.resource] / capacity[u.resource]);
            const double behind = 1 - static_cast<double>(f->rate) / f->weight / top[u.resource];
            best = std::min(best, std::max(slack, behind));
        }
        worst = std::max(worst, best);
    }
    return worst;
}

/// A world that is advanced naively: rates anew over everything at every start, end and stop.
class World
{
  public:
    /// @param capacity by resource
    explicit World(std::vector<double> capacity)
        : m_capacity(std::move(capacity))
    {
    }

    /// @param flow starts now @return its number
    std::size_t Start(Flow flow)
    {
        m_flows.push_back(std::move(flow));
        m_stale = true;
        return m_flows.size() - 1;
    }

    /// @param id flow that leaves now @return work left
    long double Stop(std::size_t id)
    {
        m_flows[id].done = true;
        m_stale = true;
        return m_flows[id].work;
    }

    /// Advance to the next end, or to a tick if that is earlier. @return true when flows ended
    bool AdvanceTo(long double limit)
    {
        Refresh();
        long double next = limit;
        for (const Flow* f : Live())
        {
            next = std::min(next, m_now + f->work / f->rate);
        }
        bool ended = false;
        for (Flow* f : Live())
        {
            f->work -= f->rate * (next - m_now);
            if (f->work <= f->rate * 1e-4L)
            {
                f->done = true;
                f->end = static_cast<int64_t>(next);
                ended = true;
                m_stale = true;
            }
        }
        m_now = next;
        return ended;
    }

    /// @return flows in progress with current rates
    std::vector<Flow*> Live()
    {
        std::vector<Flow*> live;
        for (Flow& f : m_flows)
        {
            if (!f.done)
            {
                live.push_back(&f);
            }
        }
        return live;
    }

    /// Bring rates up to date.
    void Refresh()
    {
        if (m_stale)
        {
            auto live = Live();
            Fill(m_capacity, live);
            m_stale = false;
        }
    }

    /// @param id number @return the flow
    const Flow& Get(std::size_t id) const
    {
        return m_flows[id];
    }

    /// @return ticks
    long double Now() const
    {
        return m_now;
    }

  private:
    std::vector<double> m_capacity; //!< by resource
    std::vector<Flow> m_flows;      //!< all ever started
    long double m_now{0};           //!< ticks
    bool m_stale{true};             //!< rates have to be found
};

} // namespace flow_oracle

#endif // FLOW_ORACLE_H
