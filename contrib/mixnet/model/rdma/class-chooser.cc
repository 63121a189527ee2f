/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "class-chooser.h"

#include <algorithm>

namespace ns3
{

uint8_t
ClassChooser::Choose(uint8_t ready, uint8_t open)
{
    for (uint8_t c = 0; c < N_PRIORITIES; ++c)
    {
        if ((open & ~ready) >> c & 1)
        {
            m_deficit[c] = std::min<int64_t>(m_deficit[c], 0);
        }
    }
    const uint8_t strict = ready & m_strict;
    if (strict != 0)
    {
        return static_cast<uint8_t>(31 - __builtin_clz(strict));
    }
    while (!(ready >> m_turn & 1) || m_deficit[m_turn] <= 0)
    {
        do
        {
            m_turn = (m_turn + 1) % N_PRIORITIES;
        } while (!(ready >> m_turn & 1));
        m_deficit[m_turn] += m_quantum[m_turn];
    }
    return m_turn;
}

} // namespace ns3
