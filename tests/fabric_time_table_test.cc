/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/time-table.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace ns3;

/// The oracle is a search of a plain array after each change; few different times make many ties.
TEST(TimeTable, FindsTheEarliestOfAnyNumber)
{
    std::mt19937 random(5);
    for (const uint32_t n : {1U, 2U, 7U, 8U, 9U, 16U, 17U, 24U, 63U, 64U, 65U, 128U})
    {
        TimeTable table;
        std::vector<SimTick> plain;
        for (uint32_t i = 0; i < n; ++i)
        {
            table.Add();
            plain.push_back(NEVER);
        }
        EXPECT_EQ(table.GetEarliest(), NEVER);
        for (uint32_t step = 0; step < 5000; ++step)
        {
            const uint32_t index = random() % n;
            const SimTick time = random() % 5 == 0 ? NEVER : static_cast<SimTick>(random() % 50);
            table.Set(index, time);
            plain[index] = time;
            const auto first = std::min_element(plain.begin(), plain.end());
            ASSERT_EQ(table.GetEarliest(), *first) << n << " indices, step " << step;
            if (*first != NEVER)
            {
                ASSERT_EQ(table.FindEarliest(), first - plain.begin());
            }
            ASSERT_EQ(table.Get(index), time);
        }
    }
}

TEST(TimeTable, IsNeverWhenEmpty)
{
    EXPECT_EQ(TimeTable().GetEarliest(), NEVER);
}

/// Times set while the table was small are known when it has grown.
TEST(TimeTable, GrowsWithTimesInIt)
{
    TimeTable table;
    for (uint32_t i = 0; i < 100; ++i)
    {
        table.Add();
        table.Set(i, 1000 - static_cast<SimTick>(i));
        ASSERT_EQ(table.GetEarliest(), 1000 - static_cast<SimTick>(i));
        ASSERT_EQ(table.FindEarliest(), i);
    }
}
