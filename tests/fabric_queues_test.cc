/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/egress-queues.h"
#include "ns3/forwarding-table.h"
#include "ns3/frame-pool.h"
#include "ns3/mixnet-error.h"

#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

/// Frames for one test.
class Queues : public ::testing::Test
{
  protected:
    /// @param priority class @param wireBytes size @param psn label @return queued frame
    Frame* Push(uint8_t priority, uint16_t wireBytes, uint32_t psn = 0)
    {
        Frame* frame = m_pool.Allocate();
        frame->trafficClass = priority;
        frame->wireBytes = wireBytes;
        frame->psn = psn;
        m_queues.Push(frame);
        return frame;
    }

    /// @param open classes @return class of the next frame, freed; N_PRIORITIES when none
    int Pop(uint8_t open = UINT8_MAX)
    {
        Frame* frame = m_queues.Pop(open);
        const int priority = frame ? frame->trafficClass : N_PRIORITIES;
        if (frame)
        {
            m_pool.Free(frame);
        }
        return priority;
    }

    FramePool m_pool;      //!< frames
    EgressQueues m_queues; //!< under test
};

TEST_F(Queues, StrictClassesGoFirstAndTheHigherWins)
{
    m_queues.SetStrict(0xc0);
    Push(0, 1000);
    Push(3, 1000);
    Push(6, 84);
    Push(7, 84);
    EXPECT_EQ(Pop(), 7);
    EXPECT_EQ(Pop(), 6);
    EXPECT_NE(Pop(), N_PRIORITIES);
    EXPECT_NE(Pop(), N_PRIORITIES);
    EXPECT_EQ(Pop(), N_PRIORITIES);
    EXPECT_EQ(m_queues.GetTotalBytes(), 0U);
}

TEST_F(Queues, ClosedClassesWaitAndLetOthersPass)
{
    Push(3, 1000);
    Push(0, 1000);
    EXPECT_EQ(Pop(static_cast<uint8_t>(~0x08)), 0);
    EXPECT_EQ(Pop(static_cast<uint8_t>(~0x08)), N_PRIORITIES);
    EXPECT_EQ(Pop(), 3);
}

TEST_F(Queues, OneClassIsFirstInFirstOut)
{
    for (uint32_t i = 0; i < 5; ++i)
    {
        Push(3, 100, i);
    }
    for (uint32_t i = 0; i < 5; ++i)
    {
        Frame* frame = m_queues.Pop(UINT8_MAX);
        EXPECT_EQ(frame->psn, i);
        m_pool.Free(frame);
    }
}

TEST_F(Queues, DeficitRoundRobinSharesBytesByQuantum)
{
    // Three classes that never run dry, quanta 1 : 2 : 4, frame sizes unlike each other. DRR's
    // bound: in any prefix a class is within one quantum and one frame of its share.
    m_queues.SetQuantum(0, 9000);
    m_queues.SetQuantum(1, 18000);
    m_queues.SetQuantum(3, 36000);
    std::mt19937 random(11);
    std::map<int, uint64_t> bytes;
    const auto refill = [&](uint8_t priority) {
        while (m_queues.GetBytes(priority) < 40000)
        {
            Push(priority, static_cast<uint16_t>(84 + random() % 9000));
        }
    };
    uint64_t total = 0;
    for (int i = 0; i < 20000; ++i)
    {
        refill(0);
        refill(1);
        refill(3);
        Frame* frame = m_queues.Pop(UINT8_MAX);
        bytes[frame->trafficClass] += frame->wireBytes;
        total += frame->wireBytes;
        m_pool.Free(frame);
        for (const auto& [priority, share] :
             {std::pair<int, double>{0, 1. / 7}, {1, 2. / 7}, {3, 4. / 7}})
        {
            ASSERT_NEAR(static_cast<double>(bytes[priority]), share * total, 36000 + 2 * 9084)
                << "after frame " << i;
        }
    }
    while (Pop() != N_PRIORITIES)
    {
    }
    EXPECT_EQ(m_pool.GetInUse(), 0U);
}

TEST(FramePool, CountsAndReuses)
{
    FramePool pool;
    std::vector<Frame*> frames;
    for (int i = 0; i < 3000; ++i)
    {
        frames.push_back(pool.Allocate());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(frames.back()) % 64, 0U);
    }
    EXPECT_EQ(pool.GetInUse(), 3000U);
    const auto capacity = pool.GetCapacity();
    EXPECT_EQ(capacity, 3069U); // three slabs of 64 KiB: 1,023 frames each
    for (Frame* frame : frames)
    {
        frame->psn = 1;
        pool.Free(frame);
    }
    for (int i = 0; i < 3069; ++i)
    {
        EXPECT_EQ(pool.Allocate()->psn, 0U); // reused frames are as new
    }
    EXPECT_EQ(pool.GetCapacity(), capacity);
    EXPECT_EQ(pool.GetAllocated(), pool.GetFreed() + pool.GetInUse());
}

TEST(ForwardingTable, RangesAndGaps)
{
    ForwardingTable table;
    EXPECT_EQ(table.Choose(5, 0), ForwardingTable::NO_PORT);
    table.SetRoutes({{20, 29, 1}, {0, 9, 0}, {30, 39, 1}, {UINT32_MAX, UINT32_MAX, 0}},
                    {{4}, {1, 2, 3}});
    EXPECT_EQ(table.GetSize(), 5U); // 0-9, gap, 20-39 merged, gap, the last address
    for (uint32_t a = 0; a < 50; ++a)
    {
        const PortGroup expected = a < 10              ? PortGroup{4}
                                   : a < 20 || a >= 40 ? PortGroup{}
                                                       : PortGroup{1, 2, 3};
        EXPECT_EQ(table.Lookup(a), expected) << a;
    }
    EXPECT_EQ(table.Lookup(UINT32_MAX), PortGroup{4});
    EXPECT_EQ(table.Choose(15, 0), ForwardingTable::NO_PORT);
    EXPECT_EQ(table.Choose(25, 0), 1);
    EXPECT_EQ(table.Choose(25, UINT32_MAX), 3);
    EXPECT_EQ(table.Choose(25, UINT32_MAX / 2), 2);
}

TEST(ForwardingTable, AgainstALinearScan)
{
    std::mt19937 random(3);
    for (int round = 0; round < 200; ++round)
    {
        std::vector<RouteRange> ranges;
        uint32_t next = random() % 5;
        const uint32_t n = 1 + random() % 40;
        for (uint32_t i = 0; i < n; ++i)
        {
            const uint32_t last = next + random() % 6;
            ranges.push_back({next, last, static_cast<uint32_t>(random() % 4)});
            next = last + 1 + random() % 3;
        }
        std::shuffle(ranges.begin(), ranges.end(), random);
        const std::vector<PortGroup> groups{{0}, {1, 2}, {}, {3, 4, 5}};
        ForwardingTable table;
        table.SetRoutes(ranges, groups);
        for (uint32_t a = 0; a < next + 5; ++a)
        {
            PortGroup expected;
            for (const auto& range : ranges)
            {
                if (range.first <= a && a <= range.last)
                {
                    expected = groups[range.group];
                }
            }
            ASSERT_EQ(table.Lookup(a), expected);
        }
    }
}

TEST(ForwardingTable, BadRoutesAreInputErrors)
{
    ForwardingTable table;
    EXPECT_THROW(table.SetRoutes({{0, 9, 0}, {9, 12, 0}}, {{1}}), InputError);
    EXPECT_THROW(table.SetRoutes({{5, 4, 0}}, {{1}}), InputError);
    EXPECT_THROW(table.SetRoutes({{0, 9, 1}}, {{1}}), InputError);
}

TEST(FlowHash, SpreadsFlowsEvenlyAndDifferentlyAtEachTier)
{
    // Field report 39. 1,000 flows over 4 ports at each of two tiers: each port of tier 1 gets
    // 250 +- 15 %; of the flows of one port of tier 1, tier 2 again uses all ports evenly.
    ForwardingTable table;
    table.SetRoutes({{0, 1023, 0}}, {{0, 1, 2, 3}});
    std::map<int, int> first;
    std::map<std::pair<int, int>, int> both;
    for (uint32_t flow = 0; flow < 16000; ++flow)
    {
        Frame frame;
        frame.source = flow % 1024;
        frame.destination = (flow * 7 + 13) % 1024;
        frame.sourcePort = static_cast<uint16_t>(0xc000 + flow / 1024);
        const int a = table.Choose(frame.destination, FlowHash(frame, 100));
        const int b = table.Choose(frame.destination, FlowHash(frame, 101));
        first[a] += flow < 1000;
        ++both[{a, b}];
    }
    for (const auto& [port, flows] : first)
    {
        EXPECT_NEAR(flows, 250, 38) << port;
    }
    EXPECT_EQ(both.size(), 16U);
    for (const auto& [ports, flows] : both)
    {
        EXPECT_NEAR(flows, 1000, 130) << ports.first << " " << ports.second; // 4 sigma
    }
}

} // namespace
