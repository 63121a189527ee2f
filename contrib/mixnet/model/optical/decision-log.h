/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECISION_LOG_H
#define DECISION_LOG_H

#include "reconfiguration-policy.h"

#include "ns3/demand.h"
#include "ns3/mixnet-ids.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// One decision, for the log.
struct CircuitDecision
{
    uint64_t number{0};           //!< of the region, from 1
    Time time;                    //!< when
    RegionId region;              //!< where
    AllToAllId id;                //!< the all-to-all it is about
    AllToAllEvent event;          //!< what happened to it
    ReconfigurationAction action; //!< what the policy answered
    const char* why{""};          //!< its reason
    Time predictedCurrent;        //!< finish time with the plan that was there
    Time predictedReverse;        //!< the same of the transposed demand: of the other all-to-all of
                                  //!< the pass; differs with simplex circuits only
    Time predictedProposed;       //!< finish time with the proposed plan; equal to the
                                  //!< former when no plan was computed
    Time expectedDark;            //!< what the policy expected the proposed plan to cost: control,
                                  //!< switching and activation; 0 without a proposed plan
    uint64_t reconfiguration{0};  //!< CircuitReconfiguration::number it asked for; 0: none
    uint32_t changed{0};          //!< circuits the proposed plan adds; 0 when kept
    bool kept{true};              //!< true: no circuit is touched
    uint32_t circuits{0};         //!< circuits of the plan in force after the decision
    uint32_t idlePorts{0};        //!< healthy ports that this plan leaves unused; simplex:
                                  //!< transmitters, and as many receivers
    uint64_t plan{0};             //!< CircuitPlan::GetHash() of this plan

    /// @name Matrices, valid during the trace only
    /// @{
    const DemandMatrix* demand{nullptr};   //!< bytes of the all-to-all
    const DemandMatrix* basis{nullptr};    //!< what the proposed plan was made for, maybe `demand`;
                                           //!< null: no plan was made
    PlanBasis basisKind{PlanBasis::EXACT}; //!< what `basis` is
    /// @}
};

/**
 * @ingroup mixnet
 * What a decision led to. Told at the end of each all-to-all that it served and when its circuits
 * are lit: the last one counts.
 *
 * A decision serves the all-to-alls of its own pass (iteration, group, layer, micro-batch,
 * direction) that are not over when it is made: both, or the second; with recomputation, four in
 * a backward pass. They have the same bytes up to the direction, hence the same prediction unless
 * circuits are simplex. Later passes that run on
 * the same circuits have decisions of their own.
 *
 * The gain compares what was predicted with what happened: it is predictedCurrent (for the
 * other one of its pass predictedReverse) of what it served, minus actual. It is NOT the difference
 * of two runs, because nobody has seen the same all-to-all with the old circuits. The prediction is
 * a lower bound (PredictFinishTime()) and the actual time has everything in it (headers, latency,
 * congestion, parts inside servers and to other regions), so the gain of a good plan is rather
 * understated. Waiting for light is not in it but in `waited`.
 */
struct CircuitOutcome
{
    RegionId region;      //!< where
    uint64_t decision{0}; //!< CircuitDecision::number
    uint32_t served{0};   //!< all-to-alls that it served and that are over, 0 to 4
    Time actual;          //!< what they took, first to last byte, summed
    Time gain;            //!< predicted before - actual; Time::Max() when bytes had no way
    Time waited;          //!< what they waited for light before
    Time dark;            //!< CircuitReconfiguration::GetDarkTime() of what it asked for
    bool replaced{false}; //!< circuits were changed by a later decision before its pass was over:
                          //!< the actual time says little about its plan
};

/**
 * @ingroup mixnet
 * Follows decisions of a region to their outcome. Pure; knows no simulator.
 */
class DecisionLog
{
  public:
    /// @param region whose decisions
    void SetRegion(RegionId region);

    /// @param decision made; its number is filled in
    void Add(CircuitDecision& decision);
    /// @param id an all-to-all that asks for its circuits @param now when
    void Request(const AllToAllId& id, Time now);
    /// @param id a requested all-to-all whose first byte leaves now; the last call counts
    /// @param now when
    void Begin(const AllToAllId& id, Time now);
    /// @param id an all-to-all whose last byte has arrived @param now when
    /// @return outcomes of the decisions that served it, valid until the next call
    const std::vector<CircuitOutcome>& Finish(const AllToAllId& id, Time now);
    /// @param reconfiguration number of what is lit @param dark its dark time
    /// @return outcomes of the decisions that asked for it, valid until the next call
    const std::vector<CircuitOutcome>& Light(uint64_t reconfiguration, Time dark);

    /// All-to-alls in progress will not finish: decisions that they follow have no outcome.
    void Forget();

    /// @return decisions whose outcome is not final
    std::size_t GetNOpen() const;

  private:
    /// A decision whose outcome is not final.
    struct Entry
    {
        AllToAllId id;               //!< first all-to-all it serves
        Time predicted[2];           //!< before it, of dispatches and of what is transposed
        uint64_t reconfiguration{0}; //!< not yet lit; 0: none, or lit
        bool over{false};            //!< its pass is over
        CircuitOutcome outcome;      //!< so far
    };

    /// An all-to-all in progress.
    struct Exchange
    {
        AllToAllId id;  //!< which
        Time requested; //!< when it asked
        Time begun;     //!< first byte
    };

    /// Forget what is final.
    void Prune();

    RegionId m_region;                      //!< whose
    uint64_t m_number{0};                   //!< of the last decision
    std::vector<Entry> m_entries;           //!< in order of time
    std::vector<Exchange> m_exchanges;      //!< in order of request
    std::vector<CircuitOutcome> m_outcomes; //!< answers
};

} // namespace ns3

#endif // DECISION_LOG_H
