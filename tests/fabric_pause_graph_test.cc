/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/pause-graph.h"

#include <gtest/gtest.h>
#include <random>

using namespace ns3;

namespace
{

/// A queue resumes when fewer bytes than its limit are left.
class Limits : public PauseGraph::Rules
{
  public:
    uint64_t GetShared(uint32_t, uint64_t left) const override
    {
        return left;
    }

    bool Resumes(uint32_t queue, uint64_t left, uint64_t) const override
    {
        return left < limit[queue];
    }

    std::vector<uint64_t> limit; //!< by queue
};

using Cycles = std::vector<std::vector<uint32_t>>;

/// Ring of n switches: queue i, of switch i, blocks egress i - 1 and waits at egress i.
/// @param graph filled @param first egress of the ring @param n size @param limits filled
void
AddRing(PauseGraph& graph, Limits& limits, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i)
    {
        const uint32_t q = graph.AddQueue(first + i, true, first + (i + n - 1) % n);
        graph.AddBytes(q, first + i, 1000);
        limits.limit.push_back(500);
    }
}

TEST(PauseGraph, ARingIsADeadlockAndEachIsNamedOnce)
{
    PauseGraph graph;
    Limits limits;
    AddRing(graph, limits, 0, 3);
    AddRing(graph, limits, 3, 4);
    // A tree that hangs on the first ring is stuck too, but part of no cycle.
    const uint32_t leaf = graph.AddQueue(7, true, PauseGraph::NONE);
    const uint32_t middle = graph.AddQueue(0, true, 9);
    graph.AddBytes(leaf, 9, 1000);
    graph.AddBytes(middle, 0, 1000);
    limits.limit.insert(limits.limit.end(), 2, 500);
    EXPECT_EQ(graph.FindDeadlocks(limits), (Cycles{{0, 1, 2}, {3, 4, 5, 6}}));
}

TEST(PauseGraph, ATreeOfPausesIsNone)
{
    PauseGraph graph;
    Limits limits;
    for (uint32_t i = 0; i < 50; ++i) // queue i waits at egress i, which queue i + 1 blocks
    {
        const uint32_t q = graph.AddQueue(i, true, i == 0 ? PauseGraph::NONE : i - 1);
        graph.AddBytes(q, i, 1000);
        limits.limit.push_back(1);
    }
    EXPECT_EQ(graph.FindDeadlocks(limits), Cycles());
    EXPECT_EQ(PauseGraph().FindDeadlocks(limits), Cycles());
}

TEST(PauseGraph, ACycleThatDrainsByAnotherPortIsNone)
{
    // One queue of the ring has 600 of its 1,600 bytes at a port that nobody blocks. It resumes
    // when fewer bytes than its limit are left: at 1,001 it lets its neighbor go, at 1,000 never.
    for (const uint64_t limit : {1000, 1001})
    {
        PauseGraph graph;
        Limits limits;
        AddRing(graph, limits, 0, 3);
        graph.AddBytes(1, 17, 600);
        limits.limit[1] = limit;
        EXPECT_EQ(graph.FindDeadlocks(limits), limit == 1000 ? Cycles({{0, 1, 2}}) : Cycles());
    }
}

TEST(PauseGraph, ALoopbackCableWaitsForItself)
{
    PauseGraph graph;
    Limits limits;
    AddRing(graph, limits, 0, 1);
    EXPECT_EQ(graph.FindDeadlocks(limits), Cycles({{0}}));
}

TEST(PauseGraph, AgainstDrainingStepByStep)
{
    // Independent: let every egress that no paused queue blocks send all it has, end the pauses of
    // queues that lost something and are below their limits, and repeat. What stays paused is
    // stuck.
    std::mt19937 random(12);
    int deadlocks = 0;
    int none = 0;
    for (int round = 0; round < 3000; ++round)
    {
        const uint32_t n = 2 + random() % 9;
        PauseGraph graph;
        Limits limits;
        std::vector<std::vector<uint64_t>> bytes(n, std::vector<uint64_t>(n + 2, 0));
        std::vector<uint32_t> blocks(n);
        std::vector<bool> paused(n);
        for (uint32_t q = 0; q < n; ++q) // queue q may block egress q
        {
            paused[q] = random() % 5 > 0;
            blocks[q] = random() % 6 > 0 ? q : PauseGraph::NONE;
            graph.AddQueue(q, paused[q], blocks[q]);
            limits.limit.push_back(1 + random() % 1500);
            for (uint32_t k = 0; k < 1 + random() % 2; ++k)
            {
                const uint32_t egress = random() % (n + 2);
                const uint64_t size = 1 + random() % 1000;
                bytes[q][egress] += size;
                graph.AddBytes(q, egress, size);
            }
        }
        for (bool changed = true; changed;)
        {
            changed = false;
            std::vector<bool> blocked(n + 2, false);
            for (uint32_t q = 0; q < n; ++q)
            {
                if (paused[q] && blocks[q] != PauseGraph::NONE)
                {
                    blocked[blocks[q]] = true;
                }
            }
            for (uint32_t q = 0; q < n; ++q)
            {
                uint64_t left = 0;
                bool lost = false;
                for (uint32_t e = 0; e < n + 2; ++e)
                {
                    lost = lost || (!blocked[e] && bytes[q][e] > 0);
                    bytes[q][e] = blocked[e] ? bytes[q][e] : 0;
                    left += bytes[q][e];
                }
                changed = changed || lost;
                paused[q] = paused[q] && !(lost && left < limits.limit[q]);
            }
        }
        const auto cycles = graph.FindDeadlocks(limits);
        bool stuck = false;
        for (uint32_t q = 0; q < n; ++q)
        {
            stuck = stuck || paused[q];
        }
        // A queue that stays paused by its limit alone, with nothing left behind others, is none.
        bool waiting = false;
        for (uint32_t q = 0; q < n; ++q)
        {
            for (uint32_t e = 0; e < n + 2; ++e)
            {
                waiting = waiting || (paused[q] && bytes[q][e] > 0);
            }
        }
        ASSERT_EQ(stuck, waiting);
        ASSERT_EQ(!cycles.empty(), stuck) << "round " << round;
        for (const auto& cycle : cycles)
        {
            for (std::size_t i = 0; i < cycle.size(); ++i)
            {
                const uint32_t q = cycle[i]; // blocks the egress of its own number
                EXPECT_TRUE(paused[q]);
                EXPECT_GT(bytes[q][cycle[(i + 1) % cycle.size()]], 0U);
            }
        }
        deadlocks += stuck;
        none += !stuck;
    }
    EXPECT_GT(deadlocks, 300);
    EXPECT_GT(none, 300);
}

} // namespace
