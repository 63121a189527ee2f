/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PACKET_RELIEF_H
#define PACKET_RELIEF_H

#include "finish-bound.h"
#include "greedy-circuit-planner.h"
#include "port-budget.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Looks for a plan that is over before a bound: takes pairs off the EPS, onto the circuits that
 * they then need, until the EPS carries the rest in time (a covering problem: every server has two
 * sides, sent and received, and each must lose what is too much).
 *
 * The next pair is the one with the largest relief per port: the bytes it takes off overloaded
 * sides, each as a share of that side's overload, over circuits x (1 / ports free at one end + 1 /
 * ports free at the other); pairs that the EPS cannot carry at all come first. When ports run out,
 * sides that are still overloaded weigh twice as much and it begins anew, up to ROUNDS times.
 *
 * Scores only fall within a round, so a heap whose top is scored again before it is taken has the
 * largest. O(P log P) and a few pairs scored again per circuit. A miss proves nothing, but for
 * MayBeat().
 */
class PacketRelief
{
  public:
    /// @param request request with rates @param pairs from RankPairs(); both must stay
    PacketRelief(const PlanRequest& request, const std::vector<PairDemand>& pairs);

    /// @param bound to beat @return a plan that beats it, if one was found
    std::optional<CircuitPlan> Beat(const PlanLoad& bound);

    /**
     * @param bound to beat
     * @return false when no plan at all beats it: at some side even the heaviest pairs, one port
     * each, leave the EPS too much
     */
    bool MayBeat(const PlanLoad& bound);

  private:
    static constexpr uint32_t ROUNDS = 6; //!< attempts per bound

    /// Bytes of a server in one direction: at 2 x server sent, after it received.
    struct Side
    {
        uint64_t most{0};  //!< that the EPS carries before the bound
        uint64_t all{0};   //!< with every other server
        uint64_t left{0};  //!< over the EPS now
        double perByte{0}; //!< worth of a byte taken off
    };

    /// A pair in the heap.
    struct Candidate
    {
        double score;  //!< when it was put there
        uint32_t pair; //!< index
    };

    /// Order of a max-heap: true when x comes after y.
    static bool IsLater(const Candidate& x, const Candidate& y)
    {
        return x.score != y.score ? x.score < y.score : x.pair > y.pair;
    }

    /// @param p a pair @param visit called with each of its four sides and the bytes there
    template <class Visit>
    void ForEachSide(const PairDemand& p, const Visit& visit)
    {
        const uint64_t forth = m_request.demand(p.a, p.b);
        const uint64_t back = m_request.demand(p.b, p.a);
        visit(m_sides[2 * p.a], forth);
        visit(m_sides[2 * p.b + 1], forth);
        visit(m_sides[2 * p.b], back);
        visit(m_sides[2 * p.a + 1], back);
    }

    /// @param bound what the sides and pairs are measured by
    void Set(const PlanLoad& bound);
    /// @return as MayBeat(), for the bound that is set
    bool MayBeEnough() const;
    /// @param pair index @param budget ports left @return relief per port; 0: of no use
    double Score(uint32_t pair, const PortBudget& budget);
    /// @return the next pair by score, if any is of use
    std::optional<uint32_t> TakeBest(const PortBudget& budget);
    /// One round. @return a plan that beats the bound
    std::optional<CircuitPlan> Relieve();

    const PlanRequest& m_request;                  //!< what is asked
    const std::vector<PairDemand>& m_pairs;        //!< with demand
    const PortBudget m_full;                       //!< all ports
    std::vector<Side> m_sides;                     //!< two per server
    std::vector<std::vector<uint32_t>> m_heaviest; //!< by side: its pairs, largest first
    std::vector<uint32_t> m_needed;                //!< by pair: circuits to beat the bound
    std::vector<Candidate> m_heap;                 //!< of a round
};

} // namespace ns3

#endif // PACKET_RELIEF_H
