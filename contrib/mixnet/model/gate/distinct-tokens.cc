/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "distinct-tokens.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

namespace
{

constexpr uint32_t NONE = UINT32_MAX; //!< no rank, or several

/// Rounds numbers so that they add up to their rounded sum.
class RunningRound
{
  public:
    /// @param value the next number, not below 0 @return it, rounded
    uint64_t Round(double value)
    {
        m_sum += value;
        const auto upTo = static_cast<uint64_t>(m_sum + 0.5);
        const uint64_t rounded = upTo - m_given;
        m_given = upTo;
        return rounded;
    }

  private:
    double m_sum{0};     //!< so far
    uint64_t m_given{0}; //!< so far
};

} // namespace

DistinctTokens::DistinctTokens(const TokenShape& shape)
    : m_shape(shape)
{
    const TopKShape choice =
        MakeTopKShape(shape.experts, shape.groups, shape.topK, shape.groupLimit);
    m_choice.Configure(choice);
    for (uint32_t g = 0; g + 1 < choice.groups.size(); ++g)
    {
        m_groupOfExpert.resize(choice.groups[g + 1], g);
    }
    m_inclusion.resize(shape.experts);
    m_kept.assign(shape.experts, 1);
    m_position.resize(shape.experts);
    m_order.resize(shape.experts);
    m_chosen.resize(shape.experts);
}

void
DistinctTokens::SetPlacement(const ExpertPlacement& placement,
                             uint32_t layer,
                             const std::vector<uint32_t>& serverOfRank,
                             uint32_t servers)
{
    const uint32_t ranks = placement.GetNRanks();
    MIXNET_CHECK(placement.GetNExperts() == m_shape.experts && serverOfRank.size() == ranks,
                 "a placement of " << placement.GetNExperts() << " experts on " << ranks
                                   << " ranks");
    m_known = false;
    m_serverOfRank = serverOfRank;
    m_slots.resize(placement.GetNSlots());
    m_firstSlot.resize(ranks + 1);
    for (uint32_t rank = 0; rank < ranks; ++rank)
    {
        m_firstSlot[rank] = placement.GetFirstSlot(rank);
    }
    m_firstSlot[ranks] = placement.GetNSlots();
    m_replicas.resize(m_shape.experts);
    m_rankOfExpert.assign(m_shape.experts, NONE);
    for (uint32_t e = 0; e < m_shape.experts; ++e)
    {
        const SlotRange slots = placement.GetSlots(layer, e);
        m_replicas[e] = slots.count;
        bool one = true;
        for (uint32_t i = 0; i < slots.count; ++i)
        {
            m_slots[slots.first[i]] = {e, i};
            one = one && placement.GetRank(slots.first[i]) == placement.GetRank(slots.first[0]);
        }
        m_rankOfExpert[e] = one ? placement.GetRank(slots.first[0]) : NONE;
    }
    m_identity.resize(ranks);
    std::iota(m_identity.begin(), m_identity.end(), 0);
    m_ranks = m_identity;
    std::stable_sort(m_ranks.begin(), m_ranks.end(), [&](uint32_t a, uint32_t b) {
        return serverOfRank[a] < serverOfRank[b];
    });
    m_firstRank.assign(servers + 1, 0);
    for (const uint32_t server : serverOfRank)
    {
        ++m_firstRank[server + 1];
    }
    std::partial_sum(m_firstRank.begin(), m_firstRank.end(), m_firstRank.begin());
    SortExperts();
    m_rankParts.assign(ranks, Part());
    FindParts(m_identity, m_rankParts);
    m_serverParts.assign(servers, Part());
    FindParts(m_serverOfRank, m_serverParts);
    m_copiesOfSlot.resize(m_slots.size());
    m_copies.resize(ranks);
    m_byRank.assign(ranks, 0);
    m_byServer.assign(servers, 0);
}

void
DistinctTokens::SortExperts()
{
    std::iota(m_order.begin(), m_order.end(), 0);
    const auto server = [this](uint32_t e) {
        return m_rankOfExpert[e] == NONE ? NONE : m_serverOfRank[m_rankOfExpert[e]];
    };
    std::sort(m_order.begin(), m_order.end(), [&](uint32_t a, uint32_t b) {
        const uint32_t left[] = {m_groupOfExpert[a], server(a), m_rankOfExpert[a], a};
        const uint32_t right[] = {m_groupOfExpert[b], server(b), m_rankOfExpert[b], b};
        return std::lexicographical_compare(left, left + 4, right, right + 4);
    });
    for (uint32_t position = 0; position < m_order.size(); ++position)
    {
        m_position[m_order[position]] = position;
    }
}

void
DistinctTokens::FindParts(const std::vector<uint32_t>& place, std::vector<Part>& parts) const
{
    for (uint32_t position = 0; position < m_order.size(); ++position)
    {
        const uint32_t e = m_order[position];
        if (m_rankOfExpert[e] == NONE)
        {
            continue;
        }
        Part& part = parts[place[m_rankOfExpert[e]]];
        const bool first = part.last == 0;
        part.group = first ? m_groupOfExpert[e] : part.group;
        part.first = first ? position : part.first;
        part.inOrder = first || (part.inOrder && part.group == m_groupOfExpert[e]);
        part.last = position + 1;
    }
    for (uint32_t rank = 0; rank < place.size(); ++rank)
    {
        for (uint32_t slot = m_firstSlot[rank]; slot < m_firstSlot[rank + 1]; ++slot)
        {
            Part& part = parts[place[rank]];
            part.inOrder = part.inOrder && m_rankOfExpert[m_slots[slot].expert] != NONE;
        }
    }
}

void
DistinctTokens::CountCopies(const uint32_t* delivered, uint32_t source)
{
    for (uint32_t rank = 0; rank < m_copies.size(); ++rank)
    {
        m_copies[rank] = 0;
        for (uint32_t slot = m_firstSlot[rank]; slot < m_firstSlot[rank + 1]; ++slot)
        {
            const uint32_t e = m_slots[slot].expert;
            const SlotRange replicas{nullptr, m_replicas[e]};
            m_copiesOfSlot[slot] = replicas.GetShare(delivered[e], source, m_slots[slot].replica);
            m_copies[rank] += m_copiesOfSlot[slot];
        }
    }
}

double
DistinctTokens::Expect(const Part& part, const uint32_t* ranks, uint32_t n)
{
    if (part.inOrder && !m_dropped)
    {
        const double missed = m_choice.GetMissed(part.group, part.first, part.last);
        return static_cast<double>(m_shape.tokens) * (1 - std::min(missed, 1.0));
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        for (uint32_t slot = m_firstSlot[ranks[i]]; slot < m_firstSlot[ranks[i] + 1]; ++slot)
        {
            const uint32_t e = m_slots[slot].expert;
            double& kept = m_kept[m_position[e]];
            const double gone =
                m_chosen[e] == 0 ? 0 : static_cast<double>(m_copiesOfSlot[slot]) / m_chosen[e];
            kept = std::max(kept - gone, 0.0);
        }
    }
    const double missed = m_choice.GetMissed(m_kept);
    for (uint32_t i = 0; i < n; ++i)
    {
        for (uint32_t slot = m_firstSlot[ranks[i]]; slot < m_firstSlot[ranks[i] + 1]; ++slot)
        {
            m_kept[m_position[m_slots[slot].expert]] = 1;
        }
    }
    return static_cast<double>(m_shape.tokens) * (1 - std::min(missed, 1.0));
}

void
DistinctTokens::CountRanks()
{
    RunningRound round;
    for (uint32_t rank = 0; rank < m_copies.size(); ++rank)
    {
        const uint64_t copies = m_copies[rank];
        const uint64_t most = std::min(copies, m_shape.tokens);
        const uint64_t held = m_firstSlot[rank + 1] - m_firstSlot[rank];
        const uint64_t experts = std::max<uint64_t>(std::min<uint64_t>(m_shape.topK, held), 1);
        const uint64_t least = std::min((copies + experts - 1) / experts, most);
        const bool sure = copies == 0 || experts == 1 || !m_possible;
        const double expected =
            sure ? static_cast<double>(most) : Expect(m_rankParts[rank], &m_identity[rank], 1);
        m_byRank[rank] = std::clamp(round.Round(expected), least, most);
    }
}

void
DistinctTokens::CountServers()
{
    RunningRound round;
    for (uint32_t server = 0; server < m_byServer.size(); ++server)
    {
        const uint32_t* ranks = &m_ranks[m_firstRank[server]];
        const uint32_t n = m_firstRank[server + 1] - m_firstRank[server];
        uint64_t copies = 0;
        uint64_t sum = 0;
        uint64_t least = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            copies += m_copies[ranks[i]];
            sum += m_byRank[ranks[i]];
            least = std::max(least, m_byRank[ranks[i]]);
        }
        const uint64_t most = std::min(sum, m_shape.tokens);
        least = std::max(least, std::min((copies + m_shape.topK - 1) / m_shape.topK, most));
        const bool sure = least == most || !m_possible;
        const double expected =
            sure ? static_cast<double>(most) : Expect(m_serverParts[server], ranks, n);
        m_byServer[server] = std::clamp(round.Round(expected), least, most);
    }
}

void
DistinctTokens::Count(const uint32_t* chosen, const uint32_t* delivered, uint32_t source)
{
    const uint32_t experts = m_shape.experts;
    m_dropped = !std::equal(chosen, chosen + experts, delivered);
    if (!m_known || !std::equal(chosen, chosen + experts, m_chosen.begin()))
    {
        std::copy(chosen, chosen + experts, m_chosen.begin());
        for (uint32_t position = 0; position < experts; ++position)
        {
            m_inclusion[position] = static_cast<double>(chosen[m_order[position]]) /
                                    static_cast<double>(std::max<uint64_t>(m_shape.tokens, 1));
        }
        m_possible = m_choice.Fit(m_inclusion);
        m_known = true;
    }
    CountCopies(delivered, source);
    CountRanks();
    CountServers();
}

} // namespace ns3
