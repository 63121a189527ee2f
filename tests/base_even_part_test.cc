/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/even-part.h"

#include <gtest/gtest.h>

using namespace ns3;

// Parts lie end to end, fill the whole, and the longer ones come first; beyond 32 bits, too.
TEST(EvenPart, FillsTheWhole)
{
    for (const uint64_t total : {0ULL, 1ULL, 7ULL, 8ULL, 1000003ULL, (1ULL << 40) + 5})
    {
        for (const uint64_t parts : {1ULL, 2ULL, 7ULL, 64ULL})
        {
            uint64_t sum = 0;
            for (uint64_t i = 0; i < parts; ++i)
            {
                const uint64_t length = GetEvenPart(total, parts, i);
                EXPECT_EQ(GetEvenPartStart(total, parts, i), sum);
                EXPECT_LE(length, GetEvenPart(total, parts, 0));
                EXPECT_GE(length + 1, GetEvenPart(total, parts, 0));
                EXPECT_EQ(GetEvenPart(ByteCount(total), parts, i), ByteCount(length));
                sum += length;
            }
            EXPECT_EQ(sum, total);
        }
    }
    EXPECT_EQ(GetEvenPart(10, 4, 1), 3U);
    EXPECT_EQ(GetEvenPart(10, 4, 2), 2U);
}
