/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DRAIN_POLICY_H
#define DRAIN_POLICY_H

#include "circuit-map.h"

#include "ns3/fabric-graph.h"
#include "ns3/object.h"

#include <vector>

namespace ns3
{

/// One part of a change of circuits: these fibers go dark together.
struct SwitchingStep
{
    std::vector<Circuit> added;   //!< to match
    std::vector<Circuit> removed; //!< to unmatch
    std::vector<EdgeId> fibers;   //!< of both, ascending
    bool drain{true};             //!< hold back new traffic and wait for the rest to arrive
};

/**
 * @ingroup mixnet
 * Strategy: how to get from the circuits there are to those that are wanted. The steps are taken
 * one after the other; how long a drain may last is the switcher's DrainTimeout.
 */
class DrainPolicy : public Object
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    /**
     * @param change a change that is not empty
     * @param graph the present matching
     * @return steps that together are the change; those that take a port away from a circuit
     * remove it in the same step
     */
    virtual std::vector<SwitchingStep> Split(const PlanChange& change,
                                             const FabricGraph& graph) const = 0;

    /// @return false when what goes dark is lost, not drained
    virtual bool Drains() const
    {
        return true;
    }
};

/// Hold back new traffic, let what is under way arrive, then switch (the default; MixNet's
/// simulator does it so).
class FullDrainPolicy : public DrainPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    std::vector<SwitchingStep> Split(const PlanChange& change,
                                     const FabricGraph& graph) const override;
};

/// Switch at once: light under way is lost, and the endpoints recover it.
class ImmediateDrainPolicy : public DrainPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();

    bool Drains() const override
    {
        return false;
    }

    std::vector<SwitchingStep> Split(const PlanChange& change,
                                     const FabricGraph& graph) const override;
};

/**
 * Make before break: first the circuits whose ports at both ends are unmatched, while the old ones
 * carry on; then drain and switch the rest. Without free ports it is FullDrainPolicy.
 */
class MakeBeforeBreakDrainPolicy : public DrainPolicy
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId();
    std::vector<SwitchingStep> Split(const PlanChange& change,
                                     const FabricGraph& graph) const override;
};

} // namespace ns3

#endif // DRAIN_POLICY_H
