/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "largest-remainder.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ns3
{

bool
LargestRemainder::Share(const std::vector<uint64_t>& weights,
                        uint64_t total,
                        std::vector<uint32_t>& shares)
{
    const std::size_t n = weights.size();
    const uint64_t sum = std::accumulate(weights.begin(), weights.end(), uint64_t(0));
    shares.assign(n, 0);
    if (sum == 0)
    {
        return false;
    }
    MIXNET_CHECK(total <= std::numeric_limits<uint32_t>::max() &&
                     sum <= std::numeric_limits<uint64_t>::max() / std::max<uint64_t>(total, 1),
                 "weights of " << sum << " and a total of " << total << " overflow");
    m_remainder.resize(n);
    m_order.resize(n);
    uint64_t left = total;
    for (std::size_t i = 0; i < n; ++i)
    {
        const uint64_t exact = weights[i] * total;
        shares[i] = static_cast<uint32_t>(exact / sum);
        m_remainder[i] = exact % sum;
        m_order[i] = static_cast<uint32_t>(i);
        left -= shares[i];
    }
    const auto larger = [this](uint32_t a, uint32_t b) {
        return m_remainder[a] != m_remainder[b] ? m_remainder[a] > m_remainder[b] : a < b;
    };
    // Which they are counts, not their order.
    std::nth_element(m_order.begin(),
                     m_order.begin() + static_cast<std::ptrdiff_t>(left),
                     m_order.end(),
                     larger);
    for (uint64_t i = 0; i < left; ++i)
    {
        ++shares[m_order[i]];
    }
    return true;
}

} // namespace ns3
