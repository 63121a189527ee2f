/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLUID_ENGINE_H
#define FLUID_ENGINE_H

#include "flow-solver.h"

#include "ns3/data-rate.h"
#include "ns3/standing-timer.h"

#include <cstddef>
#include <deque>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * A FlowSolver on the Simulator's clock: flows start now, and their ends are events.
 *
 * Each contention component has one pending event; it belongs to the component and is armed again
 * for its next end (design, decisions 2 and 3). Used by FlowTransport, and wherever a few shared
 * rates are all that matters, such as the scale-up domain of the packet world:
 *
 *     FluidEngine engine(client);
 *     const uint32_t out = engine.AddResource(rate, ResourceKind::SCALE_UP), in = ...;
 *     std::vector<ResourceUse> uses{{out, 1}, {in, 1}};
 *     spec.route = engine.GetSolver().GetPartition().AddRoute(uses);
 *     engine.Start(&spec, 1, &handle); // client.OnDrained() when the last bit has left
 */
class FluidEngine : private StandingTimer::Owner
{
  public:
    /// Who hears of ends.
    class Client
    {
      public:
        virtual ~Client() = default;
        /**
         * Flows have moved their last bit; always from an event of its own.
         *
         * @param ends the flows, all of this instant and component, in order of their order
         * @param count their number
         */
        virtual void OnDrained(const FlowEnd* ends, std::size_t count) = 0;
    };

    /// @param client hears of ends; outlives this
    explicit FluidEngine(Client& client);
    ~FluidEngine() override;

    /// @param rate capacity, above zero @param kind what it is @return the resource, from 0
    uint32_t AddResource(DataRate rate, ResourceKind kind);

    /// @return the solver: routes, rates, counters; start and stop flows only here
    FlowSolver& GetSolver()
    {
        return m_solver;
    }

    /// @return the solver
    const FlowSolver& GetSolver() const
    {
        return m_solver;
    }

    /// @param specs first flow @param count number @param handles out: their handles
    void Start(const FlowSpec* specs, std::size_t count, FlowHandle* handles);
    /// @param flows first handle @param count number @param bitsLeft out: wire bits not moved
    void Stop(const FlowHandle* flows, std::size_t count, double* bitsLeft);
    /// Arm the events of components that have changed; after adding routes while flows run.
    void Rearm();

  private:
    void OnTimer(uint32_t component) override;

    Client& m_client;                   //!< hears of ends
    FlowSolver m_solver;                //!< the flows
    std::deque<StandingTimer> m_timers; //!< by component
    std::vector<FlowEnd> m_ended;       //!< scratch
};

} // namespace ns3

#endif // FLUID_ENGINE_H
