/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "packet-relief.h"

#include <algorithm>

namespace ns3
{

PacketRelief::PacketRelief(const PlanRequest& request, const std::vector<PairDemand>& pairs)
    : m_request(request),
      m_pairs(pairs),
      m_full(request),
      m_sides(2 * request.demand.Rows()),
      m_heaviest(m_sides.size())
{
    const auto servers = static_cast<uint32_t>(request.demand.Rows());
    for (uint32_t k = 0; k < pairs.size(); ++k)
    {
        ForEachSide(pairs[k], [&](Side& side, uint64_t bytes) {
            side.all += bytes;
            m_heaviest[&side - m_sides.data()].push_back(k);
        });
    }
    for (uint32_t s = 0; s < servers; ++s)
    {
        for (const bool sent : {true, false})
        {
            const auto bytes = [&](uint32_t k) {
                const uint32_t peer = pairs[k].a == s ? pairs[k].b : pairs[k].a;
                return sent ? request.demand(s, peer) : request.demand(peer, s);
            };
            auto& list = m_heaviest[2 * s + (sent ? 0 : 1)];
            std::sort(list.begin(), list.end(), [&bytes](uint32_t x, uint32_t y) {
                return bytes(x) != bytes(y) ? bytes(x) > bytes(y) : x < y;
            });
        }
    }
}

void
PacketRelief::Set(const PlanLoad& bound)
{
    const FinishBound beat(m_request, bound);
    m_needed.clear();
    for (const PairDemand& p : m_pairs)
    {
        m_needed.push_back(beat.CountCircuits(p.a, p.b));
    }
    for (std::size_t k = 0; k < m_sides.size(); ++k)
    {
        Side& side = m_sides[k];
        side.most = beat.GetPacketBytes(static_cast<uint32_t>(k / 2));
        side.perByte = side.all > side.most ? 1.0 / static_cast<double>(side.all - side.most) : 0;
    }
}

bool
PacketRelief::MayBeEnough() const
{
    for (std::size_t k = 0; k < m_sides.size(); ++k)
    {
        const auto server = static_cast<uint32_t>(k / 2);
        const uint32_t ports = m_full.GetFree(server);
        uint32_t free = ports;
        uint64_t left = m_sides[k].all;
        for (const uint32_t pair : m_heaviest[k])
        {
            if (left <= m_sides[k].most || free == 0)
            {
                break;
            }
            if (m_needed[pair] > 0 && m_needed[pair] <= ports)
            {
                const PairDemand& p = m_pairs[pair];
                const uint32_t peer = p.a == server ? p.b : p.a;
                left -=
                    k % 2 == 0 ? m_request.demand(server, peer) : m_request.demand(peer, server);
                --free;
            }
        }
        if (left > m_sides[k].most)
        {
            return false;
        }
    }
    return true;
}

bool
PacketRelief::MayBeat(const PlanLoad& bound)
{
    Set(bound);
    return MayBeEnough();
}

double
PacketRelief::Score(uint32_t pair, const PortBudget& budget)
{
    constexpr double FIRST = 1e9; // more than any relief: at most one per side
    const PairDemand& p = m_pairs[pair];
    if (m_needed[pair] == 0 || budget.CountServable(p.a, p.b) < m_needed[pair])
    {
        return 0;
    }
    double relief = 0;
    bool must = false;
    ForEachSide(p, [&](const Side& side, uint64_t bytes) {
        if (side.left > side.most)
        {
            const uint64_t useful = std::min(bytes, side.left - side.most);
            relief += static_cast<double>(useful) * side.perByte;
        }
        must |= bytes > side.most;
    });
    const double scarcity = 1.0 / budget.GetFree(p.a) + 1.0 / budget.GetFree(p.b);
    return relief / (m_needed[pair] * scarcity) + (must ? FIRST : 0);
}

std::optional<uint32_t>
PacketRelief::TakeBest(const PortBudget& budget)
{
    while (!m_heap.empty())
    {
        std::pop_heap(m_heap.begin(), m_heap.end(), IsLater);
        const Candidate old = m_heap.back();
        m_heap.pop_back();
        const Candidate now{Score(old.pair, budget), old.pair};
        if (now.score > 0 && (m_heap.empty() || !IsLater(now, m_heap.front())))
        {
            return now.pair;
        }
        if (now.score > 0)
        {
            m_heap.push_back(now);
            std::push_heap(m_heap.begin(), m_heap.end(), IsLater);
        }
    }
    return std::nullopt;
}

std::optional<CircuitPlan>
PacketRelief::Relieve()
{
    PortBudget budget = m_full;
    CircuitPlan plan(static_cast<uint32_t>(m_request.demand.Rows()));
    std::size_t over = 0;
    for (Side& side : m_sides)
    {
        side.left = side.all;
        over += side.left > side.most ? 1 : 0;
    }
    m_heap.clear();
    for (uint32_t k = 0; k < m_pairs.size(); ++k)
    {
        if (const double score = Score(k, budget); score > 0)
        {
            m_heap.push_back({score, k});
        }
    }
    std::make_heap(m_heap.begin(), m_heap.end(), IsLater);
    while (over > 0)
    {
        const std::optional<uint32_t> pair = TakeBest(budget);
        if (!pair)
        {
            return std::nullopt;
        }
        const PairDemand& p = m_pairs[*pair];
        for (uint32_t c = 0; c < m_needed[*pair]; ++c)
        {
            budget.Take(p.a, p.b, plan);
        }
        ForEachSide(p, [&over](Side& side, uint64_t bytes) {
            over -= side.left > side.most && side.left - bytes <= side.most ? 1 : 0;
            side.left -= bytes;
        });
    }
    return plan;
}

std::optional<CircuitPlan>
PacketRelief::Beat(const PlanLoad& bound)
{
    if (!MayBeat(bound))
    {
        return std::nullopt;
    }
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        if (std::optional<CircuitPlan> plan = Relieve())
        {
            return plan;
        }
        for (Side& side : m_sides)
        {
            side.perByte *= side.left > side.most ? 2 : 1;
        }
    }
    return std::nullopt;
}

} // namespace ns3
