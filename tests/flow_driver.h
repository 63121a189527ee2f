/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_DRIVER_H
#define FLOW_DRIVER_H

#include "ns3/flow-solver.h"
#include "ns3/mixnet-error.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace ns3
{

constexpr double TICKS = 1e12;          //!< picoseconds
constexpr std::size_t MEMORY = 1 << 20; //!< for recall

/// Drives a solver and keeps what ended when.
class Driver
{
  public:
    /// @param budget for recall
    explicit Driver(std::size_t budget = 0)
        : solver(TICKS)
    {
        solver.SetRecallBudget(budget);
    }

    /// @param resource @param share ... @return route
    uint32_t Route(std::vector<ResourceUse> uses)
    {
        return solver.GetPartition().AddRoute(uses);
    }

    /// @param specs flows that start now; their order is given here
    void Start(std::vector<FlowSpec> specs)
    {
        std::vector<FlowHandle> handles(specs.size());
        for (auto& spec : specs)
        {
            spec.order = orders++;
        }
        solver.Start(now, specs.data(), specs.size(), handles.data());
        for (std::size_t i = 0; i < specs.size(); ++i)
        {
            live[specs[i].order] = handles[i];
        }
    }

    /// @param order of a flow @return bits left
    double Stop(uint64_t order)
    {
        double left;
        const FlowHandle handle = live.at(order);
        solver.Stop(now, &handle, 1, &left);
        live.erase(order);
        return left;
    }

    /// @return tick of the next end
    int64_t Next()
    {
        for (const uint32_t c : solver.GetChanged())
        {
            components.insert(c);
        }
        solver.GetChanged().clear();
        int64_t next = FlowSolver::NEVER;
        for (const uint32_t c : components)
        {
            next = std::min(next, solver.GetNext(c));
        }
        return next;
    }

    /// Advance to a tick, ends at it included. @param limit tick
    void RunTo(int64_t limit)
    {
        for (int64_t next = Next(); next <= limit; next = Next())
        {
            ASSERT_GE(next, now) << "time runs backwards";
            now = next;
            const std::set<uint32_t> all = components;
            for (const uint32_t c : all)
            {
                if (solver.GetNext(c) == now)
                {
                    std::vector<FlowEnd> some;
                    solver.Advance(now, c, some);
                    ASSERT_FALSE(some.empty());
                    for (const auto& e : some)
                    {
                        ends.emplace_back(e.order, now);
                        ASSERT_EQ(live.at(e.order), e.flow);
                        live.erase(e.order);
                    }
                }
            }
        }
        now = limit;
    }

    /// Run until nothing is in progress.
    void RunToEnd()
    {
        while (!live.empty())
        {
            const int64_t next = Next();
            ASSERT_NE(next, FlowSolver::NEVER) << "flows without an end";
            RunTo(next);
        }
    }

    FlowSolver solver;                              //!< under test
    int64_t now{0};                                 //!< tick
    uint64_t orders{0};                             //!< next order
    std::map<uint64_t, FlowHandle> live;            //!< in progress, by order
    std::vector<std::pair<uint64_t, int64_t>> ends; //!< order and tick
    std::set<uint32_t> components;                  //!< ever seen
};

/// @param route route @param bits size @param weight weight @return spec
inline FlowSpec
Spec(uint32_t route, double bits, double weight = 1)
{
    FlowSpec spec;
    spec.route = route;
    spec.bits = bits;
    spec.weight = weight;
    return spec;
}

} // namespace ns3

#endif // FLOW_DRIVER_H
