/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "delegate-plan.h"

#include "ns3/mixnet-error.h"

#include <algorithm>
#include <cmath>

namespace ns3
{

namespace
{

/// Write what each crossing carries. @param total bytes between the servers @param crossings them
void
SetBytes(uint64_t total, std::vector<DelegateCrossing>& crossings)
{
    double share = 0;
    uint64_t before = 0;
    for (std::size_t i = 0; i < crossings.size(); ++i)
    {
        share += crossings[i].share;
        const double exact = std::floor(static_cast<double>(total) * share + 0.5);
        const uint64_t upTo = i + 1 == crossings.size() || exact >= static_cast<double>(total)
                                  ? total
                                  : static_cast<uint64_t>(exact);
        crossings[i].bytes = std::max(upTo, before) - before;
        before += crossings[i].bytes;
    }
}

} // namespace

void
ShareOutToDelegates(std::vector<GpuPairBytes> pairs, std::vector<DelegateCrossing>& crossings)
{
    uint64_t total = 0;
    for (const GpuPairBytes& pair : pairs)
    {
        total += pair.bytes;
    }
    SetBytes(total, crossings);
    std::vector<uint64_t> room;
    for (DelegateCrossing& crossing : crossings)
    {
        room.push_back(crossing.bytes);
        crossing.pieces.clear();
    }
    for (const int ends : {2, 1, 0})
    {
        for (std::size_t i = 0; i < crossings.size(); ++i)
        {
            DelegateCrossing& crossing = crossings[i];
            for (GpuPairBytes& pair : pairs)
            {
                const int atDelegate = (pair.from == crossing.out) + (pair.to == crossing.in);
                const uint64_t bytes = std::min(pair.bytes, room[i]);
                if (atDelegate == ends && bytes > 0)
                {
                    crossing.pieces.push_back({pair.from, pair.to, bytes});
                    pair.bytes -= bytes;
                    room[i] -= bytes;
                    total -= bytes;
                }
            }
        }
    }
    MIXNET_CHECK(total == 0, total << " bytes between two servers without a delegate");
}

} // namespace ns3
