/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FLOW_COMPONENT_H
#define FLOW_COMPONENT_H

#include "flow-recall.h"
#include "max-min-problem.h"
#include "resource-partition.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Flows that compete, directly or through others: their rates, what is left of them, and when the
 * next one ends.
 *
 * A flow's remaining work is anchored at the instant of its last change of rate and touched at no
 * other time. Work is bits x ticks per second, so that work / rate is ticks. A flow ends at the
 * first tick at which it is done; a thousandth of a tick is taken for rounding, so that a whole
 * number of ticks stays one.
 */
class FlowComponent
{
  public:
    static constexpr uint32_t NONE = UINT32_MAX; //!< no flow
    static constexpr int64_t NEVER = INT64_MAX;  //!< no end in sight

    /// What a flow is and how far it has come.
    struct State
    {
        uint32_t tag{NONE}; //!< who it is to the owner
        uint32_t route{0};  //!< what it uses
        uint32_t index{0};  //!< place in the batch that the component started with
        double weight{1};   //!< share of the level
        double ratio{1};    //!< payload / wire
        double work{0};     //!< left at the anchor
        double rate{0};     //!< bits/s since the anchor
        int64_t anchor{0};  //!< tick
    };

    /// Scratch that components share: local rows by class.
    struct Scratch
    {
        std::vector<uint32_t> row;   //!< by class: row
        std::vector<uint32_t> stamp; //!< by class: valid when equal to now
        uint32_t now{0};             //!< counts the builds
    };

    void Clear(); //!< no flows; keeps the memory

    /// @param state a flow; Build before the next Resolve
    void Add(const State& state);
    /// Set the problem up. @param partition the routes @param scratch scratch
    void Build(const ResourcePartition& partition, Scratch& scratch);
    /// Find rates and ends. @param now tick
    void Resolve(int64_t now);
    /// @param now tick @param due gets the flows that are done, by index here; they are gone
    void TakeDue(int64_t now, std::vector<uint32_t>& due);
    /// @param flow index here; it is gone
    void Remove(uint32_t flow);
    /// @return true when half of the flows are gone, so that Compact pays
    bool IsSparse() const;
    /// Forget flows that are gone; indices change; Build before the next Resolve.
    void Compact();

    /// @return tick of the next end
    int64_t GetNext() const
    {
        return m_next;
    }

    /// @return number of flows, gone ones included
    uint32_t GetSize() const
    {
        return static_cast<uint32_t>(m_states.size());
    }

    /// @return number of flows
    uint32_t GetLive() const
    {
        return m_live;
    }

    /// @param flow index here @return true when it is there
    bool IsLive(uint32_t flow) const
    {
        return m_finish[flow] != GONE;
    }

    /// @param flow index here @return it
    const State& Get(uint32_t flow) const
    {
        return m_states[flow];
    }

    /// @param flow index here @param tag who it is
    void SetTag(uint32_t flow, uint32_t tag)
    {
        m_states[flow].tag = tag;
    }

    /// @param flow index here @param now tick @return work left
    double GetWork(uint32_t flow, int64_t now) const;

  private:
    static constexpr int64_t GONE = -1; //!< end of a flow that is no longer there

    std::vector<State> m_states;   //!< flows
    std::vector<int64_t> m_finish; //!< by flow: tick of its end
    MaxMinProblem m_problem;       //!< rates
    uint32_t m_live{0};            //!< flows not gone
    int64_t m_next{NEVER};         //!< earliest end
};

} // namespace ns3

#endif // FLOW_COMPONENT_H
