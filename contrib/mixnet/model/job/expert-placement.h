/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXPERT_PLACEMENT_H
#define EXPERT_PLACEMENT_H

#include "even-split.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// The slots that hold an expert.
struct SlotRange
{
    const uint32_t* first; //!< slots, ascending
    uint32_t count;        //!< how many, at least 1

    /**
     * What a source's copies of the expert send to one replica: all replicas the same, what is left
     * goes to some that differ from source to source.
     *
     * @param copies copies of the source @param source EP rank @param i replica, below count
     * @return copies for it
     */
    uint64_t GetShare(uint64_t copies, uint32_t source, uint32_t i) const
    {
        return count == 1 ? copies
                          : copies / count + ((i + source) % count < copies % count ? 1 : 0);
    }
};

/**
 * @ingroup mixnet
 * Where the experts are. An EP rank has slots, the same number in every MoE layer; a slot holds an
 * expert, or a replica of one (DeepSeek-V3, section 3.4: redundant experts). Slots are numbered
 * rank by rank.
 *
 * Law: every expert has a slot in every layer, every slot an expert.
 */
class ExpertPlacement
{
  public:
    /// One expert on one rank.
    ExpertPlacement();

    /// Contiguous groups, the first ones larger where experts do not divide; implicit, since it is
    /// the placement that an EvenSplit describes. @param split experts over EP ranks
    ExpertPlacement(const EvenSplit& split);

    /// @param rankOfExpert by expert: its EP rank, the same in all layers @param ranks EP ranks
    ExpertPlacement(const std::vector<uint32_t>& rankOfExpert, uint32_t ranks);

    /**
     * @param expertsOfRank by MoE layer, by EP rank: the experts it holds; as many per rank in all
     * layers
     * @param experts number of experts
     */
    ExpertPlacement(const std::vector<std::vector<std::vector<uint32_t>>>& expertsOfRank,
                    uint32_t experts);

    /// @param experts experts @param ranks EP ranks @return expert e on rank e mod ranks
    static ExpertPlacement RoundRobin(uint32_t experts, uint32_t ranks);

    /// @return number of EP ranks
    uint32_t GetNRanks() const
    {
        return static_cast<uint32_t>(m_firstSlot.size()) - 1;
    }

    /// @return number of experts, replicas not counted
    uint32_t GetNExperts() const
    {
        return m_experts;
    }

    /// @return number of slots
    uint32_t GetNSlots() const
    {
        return m_firstSlot.back();
    }

    /// @param rank EP rank @return its first slot
    uint32_t GetFirstSlot(uint32_t rank) const
    {
        return m_firstSlot[rank];
    }

    /// @param rank EP rank @return number of its slots
    uint32_t GetNSlots(uint32_t rank) const
    {
        return m_firstSlot[rank + 1] - m_firstSlot[rank];
    }

    /// @return true when every expert is once there, and every EP rank has as many
    bool IsEven() const;

    /// @param slot slot @return its EP rank
    uint32_t GetRank(uint32_t slot) const
    {
        return m_rankOfSlot[slot];
    }

    /// @param layer MoE layer @param expert expert @return its slots
    SlotRange GetSlots(uint32_t layer, uint32_t expert) const
    {
        const Layer& l = m_layers[m_layers.size() == 1 ? 0 : layer];
        return {&l.slots[l.first[expert]], l.first[expert + 1] - l.first[expert]};
    }

  private:
    /// Slots of one MoE layer.
    struct Layer
    {
        std::vector<uint32_t> first; //!< by expert, and the end: index into slots
        std::vector<uint32_t> slots; //!< by expert, ascending
    };

    /// @param expertOfSlot by slot @return the layer
    Layer MakeLayer(const std::vector<uint32_t>& expertOfSlot) const;
    /// @param counts by rank: its slots
    void SetSlots(const std::vector<uint32_t>& counts);

    uint32_t m_experts{1};              //!< experts
    std::vector<uint32_t> m_firstSlot;  //!< by rank, and the end
    std::vector<uint32_t> m_rankOfSlot; //!< by slot
    std::vector<Layer> m_layers;        //!< by MoE layer; one when all are alike
};

} // namespace ns3

#endif // EXPERT_PLACEMENT_H
