/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "greedy-circuit-planner.h"

#include "ns3/ns3-compat.h"

#include <algorithm>
#include <queue>
#include <tuple>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(GreedyCircuitPlanner);

namespace
{

/// 128 bits: demand x circuits may pass 64.
__extension__ using Wide = unsigned __int128;

/// A pair that has circuits and may get more.
struct Candidate
{
    PairDemand pair;   //!< the pair
    uint32_t count{0}; //!< its circuits
    uint32_t held{0};  //!< circuits of both servers when queued; they only rise, so a stale one
                       //!< shows up too early and is queued again
    bool fewest{true}; //!< ties go to few circuits
};

/// Order of a max-heap: true when x comes after y.
struct ServedLater
{
    bool operator()(const Candidate& x, const Candidate& y) const
    {
        const auto left = Wide(x.pair.bytes) * y.count;
        const auto right = Wide(y.pair.bytes) * x.count;
        if (left != right)
        {
            return left < right;
        }
        if (x.fewest && x.held != y.held)
        {
            return x.held > y.held;
        }
        if (x.pair.bytes != y.pair.bytes)
        {
            return x.pair.bytes < y.pair.bytes;
        }
        return std::tie(x.pair.a, x.pair.b) > std::tie(y.pair.a, y.pair.b);
    }
};

/// Pairs that have circuits, most loaded first.
using CandidateQueue = std::priority_queue<Candidate, std::vector<Candidate>, ServedLater>;

/// @param plan plan @param p pair @return circuits of both servers
uint32_t
GetHeld(const CircuitPlan& plan, const PairDemand& p)
{
    return plan.GetDegree(p.a) + plan.GetInDegree(p.b);
}

/**
 * Serve the pairs without a circuit; those that have one go into the queue.
 *
 * @param pairs ranked pairs
 * @param rule SKIP or BREAK
 * @param fewest ties go to few circuits
 * @param budget ports
 * @param plan plan
 * @param queue out: pairs with a circuit
 * @return false when BREAK ended the plan
 */
bool
ServeInfinite(const std::vector<PairDemand>& pairs,
              GreedyCircuitPlanner::Rule rule,
              bool fewest,
              PortBudget& budget,
              CircuitPlan& plan,
              CandidateQueue& queue)
{
    std::vector<PairDemand> waiting;
    waiting.reserve(pairs.size());
    for (const PairDemand& p : pairs)
    {
        if (const uint32_t count = plan.GetCount(p.a, p.b))
        {
            queue.push({p, count, GetHeld(plan, p), fewest});
        }
        else
        {
            waiting.push_back(p);
        }
    }
    // By demand all in one pass, in rank; by fewest circuits one value of `held` per pass.
    for (uint32_t level = 0; !waiting.empty();)
    {
        uint32_t next = UINT32_MAX;
        std::size_t stay = 0;
        for (const PairDemand& p : waiting)
        {
            const uint32_t held = GetHeld(plan, p);
            if (fewest && held > level && budget.MayServe(p.a, p.b))
            {
                next = std::min(next, held);
                waiting[stay++] = p;
            }
            else if (held <= level || !fewest)
            {
                if (budget.Take(p.a, p.b, plan))
                {
                    queue.push({p, 1, held + 2, fewest});
                }
                else if (rule == GreedyCircuitPlanner::BREAK)
                {
                    return false;
                }
            }
        }
        waiting.resize(stay);
        level = next;
    }
    return true;
}

/// The authors' program. @param pairs ranked @param budget ports @param plan plan
void
FillAsArtifact(const std::vector<PairDemand>& pairs, PortBudget& budget, CircuitPlan& plan)
{
    struct Entry
    {
        double value;
        PairDemand pair;
    };

    const auto later = [](const Entry& x, const Entry& y) {
        return x.value != y.value ? x.value < y.value
                                  : std::tie(x.pair.a, x.pair.b) > std::tie(y.pair.a, y.pair.b);
    };
    std::vector<Entry> heap;
    heap.reserve(pairs.size());
    for (const PairDemand& p : pairs)
    {
        heap.push_back({static_cast<double>(p.bytes), p});
    }
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty())
    {
        std::pop_heap(heap.begin(), heap.end(), later);
        Entry& top = heap.back();
        if (!budget.Take(top.pair.a, top.pair.b, plan))
        {
            heap.pop_back();
            continue;
        }
        top.value /= 100.0 * plan.GetCount(top.pair.a, top.pair.b);
        std::push_heap(heap.begin(), heap.end(), later);
    }
}

} // namespace

std::vector<PairDemand>
RankPairs(const DemandMatrix& demand, const DemandMatrix* standing, CircuitKind kind)
{
    const auto servers = static_cast<uint32_t>(demand.Rows());
    const bool simplex = kind == CircuitKind::SIMPLEX;
    std::vector<PairDemand> pairs;
    pairs.reserve(std::size_t(servers) * (servers > 0 ? servers - 1 : 0) / 2);
    for (uint32_t a = 0; a < servers; ++a)
    {
        for (uint32_t b = simplex ? 0 : a + 1; b < servers; ++b)
        {
            uint64_t bytes = demand(a, b) + (simplex ? 0 : demand(b, a));
            if (standing != nullptr)
            {
                bytes += (*standing)(a, b) + (simplex ? 0 : (*standing)(b, a));
            }
            bytes = a == b ? 0 : bytes;
            if (bytes > 0)
            {
                pairs.push_back({bytes, a, b});
            }
        }
    }
    std::sort(pairs.begin(), pairs.end(), [](const PairDemand& x, const PairDemand& y) {
        return x.bytes != y.bytes ? x.bytes > y.bytes : std::tie(x.a, x.b) < std::tie(y.a, y.b);
    });
    return pairs;
}

void
FillGreedily(const std::vector<PairDemand>& pairs,
             GreedyCircuitPlanner::Rule rule,
             GreedyCircuitPlanner::Ties ties,
             PortBudget& budget,
             CircuitPlan& plan)
{
    if (rule == GreedyCircuitPlanner::ARTIFACT)
    {
        FillAsArtifact(pairs, budget, plan);
        return;
    }
    const bool fewest = rule == GreedyCircuitPlanner::SKIP && ties == GreedyCircuitPlanner::FEWEST;
    CandidateQueue queue;
    if (!ServeInfinite(pairs, rule, fewest, budget, plan, queue))
    {
        return;
    }
    while (!queue.empty())
    {
        Candidate c = queue.top();
        queue.pop();
        const uint32_t held = GetHeld(plan, c.pair);
        if (c.fewest && held != c.held)
        {
            c.held = held;
            if (budget.CanServe(c.pair.a, c.pair.b))
            {
                queue.push(c);
            }
        }
        else if (budget.Take(c.pair.a, c.pair.b, plan))
        {
            queue.push({c.pair, c.count + 1, held + 2, c.fewest});
        }
        else if (rule == GreedyCircuitPlanner::BREAK)
        {
            return;
        }
    }
}

TypeId
GreedyCircuitPlanner::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::GreedyCircuitPlanner")
            .SetParent<CircuitPlanner>()
            .SetGroupName("Mixnet")
            .AddConstructor<GreedyCircuitPlanner>()
            .AddAttribute("Rule",
                          "What happens to the most loaded pair when it cannot be served: skip it, "
                          "break off (the paper's listing), or the artifact's D/(100 C).",
                          MixnetEnumValue<Rule>(SKIP),
                          MakeMixnetEnumAccessor<Rule>(&GreedyCircuitPlanner::m_rule),
                          MakeEnumChecker(SKIP, "skip", BREAK, "break", ARTIFACT, "artifact"))
            .AddAttribute("Ties",
                          "Which of equally loaded pairs comes first under the skip rule: the one "
                          "whose servers hold fewest circuits, or the one with larger demand.",
                          MixnetEnumValue<Ties>(FEWEST),
                          MakeMixnetEnumAccessor<Ties>(&GreedyCircuitPlanner::m_ties),
                          MakeEnumChecker(FEWEST, "fewest", DEMAND, "demand"));
    return tid;
}

const char*
GreedyCircuitPlanner::GetDuplexReason() const
{
    return nullptr;
}

CircuitPlan
GreedyCircuitPlanner::DoPlan(const PlanRequest& request)
{
    CircuitPlan plan = request.MakePlan();
    PortBudget budget(request);
    FillGreedily(RankPairs(request.demand, nullptr, request.kind), m_rule, m_ties, budget, plan);
    return plan;
}

} // namespace ns3
