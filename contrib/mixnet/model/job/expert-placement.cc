/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "expert-placement.h"

#include "ns3/mixnet-error.h"

namespace ns3
{

ExpertPlacement::ExpertPlacement()
    : ExpertPlacement(EvenSplit(1, 1))
{
}

ExpertPlacement::ExpertPlacement(const EvenSplit& split)
    : m_experts(split.GetTotal())
{
    std::vector<uint32_t> counts;
    for (uint32_t rank = 0; rank < split.GetParts(); ++rank)
    {
        counts.push_back(split.GetCount(rank));
    }
    SetSlots(counts);
    std::vector<uint32_t> expertOfSlot;
    for (uint32_t e = 0; e < m_experts; ++e)
    {
        expertOfSlot.push_back(e);
    }
    m_layers.push_back(MakeLayer(expertOfSlot));
}

ExpertPlacement::ExpertPlacement(const std::vector<uint32_t>& rankOfExpert, uint32_t ranks)
    : m_experts(static_cast<uint32_t>(rankOfExpert.size()))
{
    std::vector<std::vector<uint32_t>> experts(ranks);
    for (uint32_t e = 0; e < m_experts; ++e)
    {
        experts.at(rankOfExpert[e]).push_back(e);
    }
    *this = ExpertPlacement({experts}, m_experts);
}

ExpertPlacement::ExpertPlacement(
    const std::vector<std::vector<std::vector<uint32_t>>>& expertsOfRank,
    uint32_t experts)
    : m_experts(experts)
{
    MIXNET_CHECK(!expertsOfRank.empty(), "a placement without layers");
    std::vector<uint32_t> counts;
    for (const auto& held : expertsOfRank.front())
    {
        counts.push_back(static_cast<uint32_t>(held.size()));
    }
    SetSlots(counts);
    for (const auto& layer : expertsOfRank)
    {
        std::vector<uint32_t> expertOfSlot;
        for (uint32_t rank = 0; rank < layer.size(); ++rank)
        {
            MIXNET_CHECK(layer[rank].size() == GetNSlots(rank),
                         "EP rank " << rank << " has " << layer[rank].size() << " slots, not "
                                    << GetNSlots(rank));
            expertOfSlot.insert(expertOfSlot.end(), layer[rank].begin(), layer[rank].end());
        }
        m_layers.push_back(MakeLayer(expertOfSlot));
    }
}

ExpertPlacement
ExpertPlacement::RoundRobin(uint32_t experts, uint32_t ranks)
{
    std::vector<uint32_t> rankOfExpert(experts);
    for (uint32_t e = 0; e < experts; ++e)
    {
        rankOfExpert[e] = e % ranks;
    }
    return ExpertPlacement(rankOfExpert, ranks);
}

void
ExpertPlacement::SetSlots(const std::vector<uint32_t>& counts)
{
    m_firstSlot.assign(1, 0);
    for (uint32_t rank = 0; rank < counts.size(); ++rank)
    {
        m_firstSlot.push_back(m_firstSlot.back() + counts[rank]);
        m_rankOfSlot.insert(m_rankOfSlot.end(), counts[rank], rank);
    }
}

ExpertPlacement::Layer
ExpertPlacement::MakeLayer(const std::vector<uint32_t>& expertOfSlot) const
{
    Layer layer;
    layer.first.assign(m_experts + 1, 0);
    for (const uint32_t e : expertOfSlot)
    {
        MIXNET_CHECK(e < m_experts, "expert " << e << " of " << m_experts);
        ++layer.first[e + 1];
    }
    for (uint32_t e = 0; e < m_experts; ++e)
    {
        MIXNET_CHECK(layer.first[e + 1] > 0, "expert " << e << " is nowhere");
        layer.first[e + 1] += layer.first[e];
    }
    std::vector<uint32_t> next = layer.first;
    layer.slots.resize(expertOfSlot.size());
    for (uint32_t slot = 0; slot < expertOfSlot.size(); ++slot)
    {
        layer.slots[next[expertOfSlot[slot]]++] = slot;
    }
    return layer;
}

bool
ExpertPlacement::IsEven() const
{
    bool even = GetNSlots() == m_experts;
    for (uint32_t rank = 1; rank < GetNRanks(); ++rank)
    {
        even = even && GetNSlots(rank) == GetNSlots(0);
    }
    return even;
}

} // namespace ns3
