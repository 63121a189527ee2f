/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LARGEST_REMAINDER_H
#define LARGEST_REMAINDER_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup mixnet
 * Shares a total out in proportion to weights, in whole units (Hamilton's method): everybody gets
 * the floor of the exact share, the units left go to the largest remainders, equal ones in order.
 *
 * Law: the shares add up to the total, and each is within one unit of the exact one.
 */
class LargestRemainder
{
  public:
    /**
     * @param weights the weights; their sum times total must fit in 64 bits
     * @param total what to share out
     * @param shares out: as many as weights; all zero when the weights are
     * @return false when all weights are zero
     */
    bool Share(const std::vector<uint64_t>& weights, uint64_t total, std::vector<uint32_t>& shares);

  private:
    std::vector<uint64_t> m_remainder; //!< scratch, by weight
    std::vector<uint32_t> m_order;     //!< scratch: weights by remainder
};

} // namespace ns3

#endif // LARGEST_REMAINDER_H
