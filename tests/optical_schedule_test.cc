/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "optical_region.h"

#include "ns3/birkhoff-schedule.h"
#include "ns3/tournament.h"

#include <numeric>
#include <set>

using namespace ns3;

// Laws: every slot is a permutation; the slots sum to the scaled demand, entry by entry; that is
// nowhere less than the demand, and its lines all sum to the demand's largest line.
TEST(BirkhoffSchedule, SumsToItsScaledDemand)
{
    std::mt19937_64 rng(1);
    uint64_t slots = 0;
    for (int round = 0; round < 2000; ++round)
    {
        const uint32_t n = 1 + rng() % 12;
        DemandMatrix demand = RandomDemand(n, round % 3 ? 1.0 : 0.3, 1 + round % 4, rng);
        for (uint64_t& bytes : demand.Data())
        {
            bytes >>= round % 7 == 0 ? 27 : 0; // few and small: ties
        }
        const BirkhoffSchedule schedule = DecomposeDemand(demand);
        uint64_t line = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            uint64_t sent = 0;
            uint64_t received = 0;
            for (uint32_t j = 0; j < n; ++j)
            {
                sent += i == j ? 0 : demand(i, j);
                received += i == j ? 0 : demand(j, i);
            }
            line = std::max({line, sent, received});
        }
        DemandMatrix left = schedule.scaled;
        uint64_t entries = 0;
        for (uint32_t i = 0; i < n; ++i)
        {
            uint64_t sent = 0;
            uint64_t received = 0;
            for (uint32_t j = 0; j < n; ++j)
            {
                ASSERT_GE(left(i, j), i == j ? 0 : demand(i, j));
                sent += left(i, j);
                received += left(j, i);
                entries += left(i, j) > 0;
            }
            ASSERT_EQ(sent, line);
            ASSERT_EQ(received, line);
        }
        uint64_t total = 0;
        uint64_t previous = UINT64_MAX;
        for (const CircuitSlot& slot : schedule.slots)
        {
            ASSERT_GT(slot.bytes, 0U);
            ASSERT_LE(slot.bytes, previous);
            previous = slot.bytes;
            total += slot.bytes;
            ASSERT_EQ(std::set<uint32_t>(slot.to.begin(), slot.to.end()).size(), n);
            for (uint32_t i = 0; i < n; ++i)
            {
                ASSERT_GE(left(i, slot.to[i]), slot.bytes);
                left(i, slot.to[i]) -= slot.bytes;
            }
        }
        ASSERT_EQ(left, DemandMatrix(n, n, 0));
        ASSERT_EQ(total, line); // the time of the most loaded server: nothing is faster
        ASSERT_LE(schedule.slots.size(), line == 0 ? 0 : entries - n + 1);
        slots += schedule.slots.size();
    }
    EXPECT_GT(slots, 10000U);
}

TEST(BirkhoffSchedule, HandSolved)
{
    // A ring 0 -> 1 -> 2 -> 0 with 8, and 4 back from 1 to 0: servers 0 and 1 need 12.
    DemandMatrix demand(3, 3, 0);
    demand(0, 1) = demand(1, 2) = demand(2, 0) = 8;
    demand(1, 0) = 4;
    const BirkhoffSchedule schedule = DecomposeDemand(demand);
    ASSERT_EQ(schedule.slots.size(), 2U);
    EXPECT_EQ(schedule.slots[0].bytes, 8U);
    EXPECT_EQ(schedule.slots[0].to, (std::vector<uint32_t>{1, 2, 0}));
    EXPECT_EQ(schedule.slots[1].bytes, 4U);
    EXPECT_EQ(schedule.slots[1].to[1], 0U);
    EXPECT_TRUE(DecomposeDemand(DemandMatrix(3, 3, 0)).slots.empty());
    EXPECT_TRUE(DecomposeDemand(DemandMatrix()).slots.empty());
}

TEST(Tournament, AllMeetOnce)
{
    for (uint32_t seats = 0; seats < 20; ++seats)
    {
        std::set<std::pair<uint32_t, uint32_t>> met;
        for (uint32_t round = 0; round < CountRounds(seats); ++round)
        {
            std::set<uint32_t> busy;
            for (const Meeting& m : GetRound(seats, round))
            {
                EXPECT_TRUE(busy.insert(m.x).second && busy.insert(m.y).second);
                EXPECT_TRUE(met.insert(std::minmax(m.x, m.y)).second);
            }
            EXPECT_EQ(busy.size(), seats - seats % 2);
        }
        EXPECT_EQ(met.size(), seats < 2 ? 0 : seats * (seats - 1) / 2);
    }
}

// After N - 1 plans of alpha matchings each, every pair had alpha circuits, whatever the demand.
TEST(RotorPlanner, ServesAllPairsAlike)
{
    std::mt19937_64 rng(2);
    for (const uint32_t n : {2U, 8U, 9U, 16U})
    {
        for (const uint32_t alpha : {1U, 3U, 6U})
        {
            const auto rotor = MakePlanner("ns3::RotorCircuitPlanner");
            Matrix<uint32_t> sum(n, n, 0);
            const CircuitPlan none(n);
            CircuitPlan previous(n);
            for (uint32_t turn = 0; turn < CountRounds(n); ++turn)
            {
                const DemandMatrix demand = RandomDemand(n, 0.5, 2, rng);
                const CircuitPlan plan = rotor->Plan({demand, Ports(n, 1, alpha), none});
                EXPECT_TRUE(n <= alpha + 1 || plan != previous);
                previous = plan;
                for (uint32_t i = 0; i < n * n; ++i)
                {
                    sum.Data()[i] += plan.GetCount(i / n, i % n);
                }
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                for (uint32_t j = 0; j < n; ++j)
                {
                    EXPECT_EQ(sum(i, j), i == j ? 0 : alpha) << n << " " << alpha;
                }
            }
        }
    }
}

TEST(BirkhoffPlanner, SharesPortsByTime)
{
    // 0-1 has three times the demand of 2-3 and of 0-2, 1-3: slots 0-1,2-3 and so on.
    DemandMatrix demand(4, 4, 0);
    demand(0, 1) = demand(2, 3) = 300;
    demand(0, 2) = demand(1, 3) = 100;
    const CircuitPlan none(4);
    const CircuitPlan plan =
        MakePlanner("ns3::BirkhoffCircuitPlanner")->Plan({demand, Ports(4, 1, 4), none});
    EXPECT_EQ(plan.GetCount(0, 1), 3U);
    EXPECT_EQ(plan.GetCount(2, 3), 3U);
    EXPECT_EQ(plan.GetCount(0, 2), 1U);
    EXPECT_EQ(plan.GetCount(1, 3), 1U);
    EXPECT_EQ(plan.GetTotal(), 8U);
}
