/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_SOLVER_H
#define FLOW_SOLVER_H

#include "flow-component.h"
#include "flow-recall.h"
#include "resource-partition.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ns3
{

/// Handle of a flow in progress.
using FlowHandle = uint32_t;

/// A flow to start.
struct FlowSpec
{
    uint32_t route{0};      //!< what it uses
    double bits{0};         //!< wire bits to move, at least zero
    double weight{1};       //!< share of the level, above zero
    double payloadRatio{1}; //!< payload / wire bytes: its load on scale-up ports
    uint64_t order{0};      //!< rank among flows that end at the same tick
    uint32_t cookie{0};     //!< the caller's
};

/// A flow that has moved its last bit.
struct FlowEnd
{
    FlowHandle flow{0}; //!< handle, free for others from now on
    uint32_t cookie{0}; //!< as in the spec
    uint64_t order{0};  //!< as in the spec
};

/// What the solver has done, for benchmarks and tests.
struct FlowSolverStats
{
    uint64_t solves{0};    //!< max-min problems solved
    uint64_t recalled{0};  //!< components replayed
    uint64_t fallbacks{0}; //!< of these, disturbed and computed after all
    uint64_t joins{0};     //!< times that flows joined components in progress
    uint64_t splits{0};    //!< times that a component fell apart
};

/**
 * @ingroup mixnet
 * Weighted max-min fair fluid flows over shared resources, advanced from end to end of a flow.
 *
 * Pure: never calls Simulator. Time is whole ticks; the caller says what time it is and asks for
 * the tick of the next end of each component.
 *
 * **Choice.** Rates are weighted max-min fair (MaxMinProblem) and change only when a flow starts
 * or ends. Flows that share no resource, directly or through other flows, do not influence each
 * other, so the world is kept in contention components and a change solves its component only.
 * Routes are short lists of resource classes (ResourcePartition). A flow remembers what was left
 * when its rate last changed and is touched at no other time, so nothing accumulates rounding.
 *
 * **Components.** A batch is grouped with what is in progress by union-find over the classes that
 * its routes have as constraints. A group that meets nobody is a new component; otherwise the
 * components it meets become one. One that has been joined may fall apart later; it is grouped
 * anew after every eighth of its flows that has ended. Which flows are grouped never changes a
 * rate by more than rounding.
 *
 * **Recall.** A component that starts idle with flows seen before (equal routes, bits, weights)
 * takes its ends from the recorded course (FlowRecall). When something disturbs it - a flow joins
 * or is stopped, a route's classes are about to change, somebody asks for a rate - the same
 * deterministic computation is run from the start up to the last end, and goes on from there. The
 * results with and without recall are therefore the same to the last bit.
 *
 * **Cost.** A component of F flows, R kept rows and E flow-row pairs: O(R^2 + E + F) per end. An
 * all-to-all of 8 servers has F = 56, R = 16, E = 112, shrinking as flows end.
 *
 * **Alternatives set aside.** One global problem (O(everything) per change); integrating rates in
 * small steps (inexact); approximations by fair share of the worst link (wrong where the worst
 * link's flows are held back elsewhere); a linear-program solver (slower by orders of magnitude).
 *
 * Example: resources A and B of 400 Gb/s, flow x over A, flow y over A and B, flow z over B: one
 * component, 200 Gb/s each. When x ends, y and z are still tied by B: z stays at 200 Gb/s, and y
 * too although A has room.
 *
 * Reference: Bertsekas and Gallager, Data Networks, 2nd edition, 1992, section 6.5.2.
 */
class FlowSolver : private ResourcePartition::Listener
{
  public:
    static constexpr int64_t NEVER = FlowComponent::NEVER; //!< no end in sight

    /// @param ticksPerSecond ticks of the clock in a second
    explicit FlowSolver(double ticksPerSecond);
    FlowSolver(const FlowSolver&) = delete;
    FlowSolver& operator=(const FlowSolver&) = delete;

    /// @param bytes memory for recorded courses; 0 turns recall off
    void SetRecallBudget(std::size_t bytes);

    /// @return resources and routes; add resources before the first route
    ResourcePartition& GetPartition()
    {
        return m_partition;
    }

    /// @return resources and routes
    const ResourcePartition& GetPartition() const
    {
        return m_partition;
    }

    /**
     * Start flows at one instant.
     *
     * @param now tick, not before the last call's
     * @param specs first flow
     * @param count number of flows
     * @param handles out: their handles, valid until they end or are stopped
     */
    void Start(int64_t now, const FlowSpec* specs, std::size_t count, FlowHandle* handles);

    /**
     * Take flows out.
     *
     * @param now tick
     * @param flows first handle
     * @param count number of handles
     * @param bitsLeft out: wire bits that each has not moved
     */
    void Stop(int64_t now, const FlowHandle* flows, std::size_t count, double* bitsLeft);

    /**
     * End the flows of a component that are due.
     *
     * @param now tick
     * @param component component
     * @param ended gets them, in order of their order
     */
    void Advance(int64_t now, uint32_t component, std::vector<FlowEnd>& ended);

    /// @param component id @return tick at which its next flow ends, NEVER when it has none
    int64_t GetNext(uint32_t component) const
    {
        return m_components[component].next;
    }

    /// @return components whose next end may have changed; the caller clears it
    std::vector<uint32_t>& GetChanged()
    {
        return m_changed;
    }

    /// @param flow a flow @return its rate in wire bits/s
    double GetRate(FlowHandle flow);
    /// @param flow a flow @param now tick @return wire bits it has not moved
    double GetBitsLeft(FlowHandle flow, int64_t now);
    /// @param flow a flow @return its component
    uint32_t GetComponent(FlowHandle flow) const;
    uint32_t GetNFlows() const; //!< @return flows in progress

    /// @return what has been done
    const FlowSolverStats& GetStats() const
    {
        return m_stats;
    }

  private:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no component, course, ...

    /// A flow in progress.
    struct Flow
    {
        FlowSpec spec;            //!< as started
        uint32_t component{NONE}; //!< where it is; NONE when the handle is free
        uint32_t local{0};        //!< index there
    };

    /// A component and how it is run.
    struct Component
    {
        FlowComponent flows;                 //!< the flows (when replaying: not built)
        int64_t next{NEVER};                 //!< next end
        int64_t start{0};                    //!< tick of its start
        uint32_t live{0};                    //!< flows in progress
        uint32_t course{NONE};               //!< course being replayed
        uint32_t cursor{0};                  //!< its next step
        bool recording{false};               //!< nothing has disturbed it yet
        bool joined{false};                  //!< may fall apart
        uint32_t untilSplit{0};              //!< ends before it is looked at again
        uint64_t hash{0};                    //!< of keys
        std::vector<FlowRecall::Key> keys;   //!< flows it started with
        std::vector<FlowRecall::Step> steps; //!< ends so far
        std::vector<FlowHandle> handles;     //!< replaying: by index in the batch
        uint32_t stamp{0};                   //!< grouping: met in this pass
        uint32_t cls{0};                     //!< grouping: one of its classes
    };

    // ResourcePartition::Listener
    void BeforeRewrite(uint32_t cls) override;
    void AfterCut(uint32_t cls, uint32_t part) override;
    void AfterUncover(uint32_t cls) override;
    void BeforeForget(uint32_t route) override;

    /// @name Grouping: union-find over classes
    /// @{
    void BeginGrouping(); //!< new pass
    /// @param cls class @return its representative
    uint32_t Find(uint32_t cls);
    /// @param flow tie its classes @param meet tie components in progress, too
    void Tie(FlowHandle flow, bool meet);
    /// Number the groups of m_batch and sort it. @return number of groups
    uint32_t SortByGroup();
    /// @}

    void Fit(); //!< arrays by class follow the partition
    /// @param spec flow @return its handle
    FlowHandle NewFlow(const FlowSpec& spec);
    /// @param flow ended; its handle is free
    void FreeFlow(FlowHandle flow);
    uint32_t NewComponent(); //!< @return empty component
    /// @param component without flows; its id is free
    void FreeComponent(uint32_t component);
    /// @param flow a flow @param component where it is from now on @param local index there
    void Place(FlowHandle flow, uint32_t component, uint32_t local);
    /// @param component its next end may have changed
    void Changed(uint32_t component);

    /// Flows that meet nobody. @param now tick @param first in m_batch @param count number
    void StartFresh(int64_t now, uint32_t first, uint32_t count);
    /// @param now tick @param first in m_batch @param count number @param met components
    void StartJoining(int64_t now, uint32_t first, uint32_t count, std::vector<uint32_t>& met);
    /// @param c component @return true when its course was found and is replayed
    bool TryRecall(uint32_t c);
    /// @param c component: whatever comes, it is computed from now on
    void Disturb(uint32_t c);
    /// @param c replayed component, computed anew up to where it is
    void Recompute(uint32_t c);
    /// @param now tick @param c component: rates after flows have gone @param gone their number
    void Continue(int64_t now, uint32_t c, uint32_t gone);
    /// @param now tick @param c component @return true when it fell apart
    bool Split(int64_t now, uint32_t c);
    /// @param target gets all flows of @param source another one
    void Absorb(uint32_t target, uint32_t source);
    /// @param now tick @param c component with flows added or compacted: set up and solve
    void Rebuild(int64_t now, uint32_t c);
    /// @param c replayed component @param now tick @param ended gets the flows that are due
    void AdvanceReplay(uint32_t c, int64_t now, std::vector<FlowEnd>& ended);

    double m_ticksPerSecond;                    //!< clock
    ResourcePartition m_partition;              //!< resources and routes
    FlowRecall m_recall;                        //!< recorded courses
    FlowSolverStats m_stats;                    //!< counters
    int64_t m_now{0};                           //!< latest tick told
    uint32_t m_nFlows{0};                       //!< flows in progress
    std::vector<Flow> m_flows;                  //!< by handle
    std::vector<FlowHandle> m_freeFlows;        //!< handles to use again
    std::deque<Component> m_components;         //!< by id
    std::vector<uint32_t> m_freeComponents;     //!< ids to use again
    std::vector<uint32_t> m_changed;            //!< for the caller
    std::vector<uint32_t> m_active;             //!< by class: flows on it
    std::vector<uint32_t> m_owner;              //!< by class: component, when there are flows on it
    std::vector<uint32_t> m_parent;             //!< grouping: by class
    std::vector<uint32_t> m_stamp;              //!< grouping: by class, valid when equal to m_pass
    std::vector<uint32_t> m_group;              //!< grouping: by representative
    uint32_t m_pass{0};                         //!< counts groupings
    std::vector<uint32_t> m_met;                //!< grouping: components met
    std::vector<FlowHandle> m_batch;            //!< flows being grouped
    std::vector<FlowHandle> m_sorted;           //!< scratch
    std::vector<uint32_t> m_groupStart;         //!< by group: first in m_batch
    std::vector<uint32_t> m_due;                //!< scratch
    std::vector<FlowComponent::State> m_states; //!< scratch
    FlowComponent::Scratch m_scratch;           //!< scratch
};

} // namespace ns3

#endif // FLOW_SOLVER_H
