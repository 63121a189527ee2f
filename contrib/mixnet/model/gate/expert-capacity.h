/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXPERT_CAPACITY_H
#define EXPERT_CAPACITY_H

#include "largest-remainder.h"

#include "ns3/mixnet-matrix.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// Whose copies share an expert's capacity.
enum class CapacityScope : uint8_t
{
    RANK, //!< every EP rank has its own (GShard's groups, Megatron-Core)
    GROUP //!< all EP ranks together (Switch Transformer's definition)
};

/// @param s scope @return "rank", "group"
const char* GetName(CapacityScope s);

/**
 * @ingroup mixnet
 * Drops what exceeds an expert's capacity (Fedus et al., JMLR 2022, section 2.2; Lepikhin et al.,
 * ICLR 2021, section 2.2):
 *
 *     capacity = ceil(factor x token copies / experts)
 *
 * with the copies of one EP rank, or of all of them. Over the capacity of all, every rank keeps its
 * part in proportion to what it would have sent (largest remainder, ties to the lower rank).
 * Dropped copies are not sent, not computed, and do not come back.
 *
 * Law: copies of the gate = copies delivered + copies dropped.
 */
class ExpertCapacity
{
  public:
    /// Without limit.
    ExpertCapacity() = default;

    /// @param permille capacity factor in thousandths; 0: without limit @param scope who shares it
    ExpertCapacity(uint32_t permille, CapacityScope scope);

    /**
     * @param tokens copies [EP rank][expert], in and out
     * @param copies copies of an EP rank, dropped ones included
     * @return copies dropped
     */
    uint64_t Apply(Matrix<uint32_t>& tokens, uint64_t copies);

    /// @return one sentence; empty without limit
    std::string Describe() const;

  private:
    /// @param tokens copies @param capacity of an expert for one rank @return copies dropped
    static uint64_t CutRows(Matrix<uint32_t>& tokens, uint64_t capacity);
    /// @param tokens copies @param capacity of an expert for all ranks @return copies dropped
    uint64_t CutColumns(Matrix<uint32_t>& tokens, uint64_t capacity);

    uint32_t m_permille{0};                     //!< factor in thousandths; 0: without limit
    CapacityScope m_scope{CapacityScope::RANK}; //!< who shares it
    LargestRemainder m_share;                   //!< scratch
    std::vector<uint64_t> m_column;             //!< scratch
    std::vector<uint32_t> m_kept;               //!< scratch
};

} // namespace ns3

#endif // EXPERT_CAPACITY_H
