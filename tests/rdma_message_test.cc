/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Oracles: packet sizes counted one by one; sequence numbers by modular arithmetic; a heap against
// std::stable_sort.

#include "ns3/message-layout.h"
#include "ns3/rdma-core.h"
#include "ns3/rdma-psn.h"
#include "ns3/send-queue.h"
#include "ns3/time-heap.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

TEST(RdmaPsn, WireNumberIsReadNearItsReference)
{
    const uint64_t start = PsnStart(PSN_SPACE - 3);
    for (uint64_t psn = start; psn < start + 10; ++psn) // crosses 2^24
    {
        EXPECT_EQ(PsnFromWire(PsnToWire(psn), start), psn);
        EXPECT_EQ(PsnFromWire(PsnToWire(start), psn), start);
        EXPECT_LT(PsnToWire(psn), PSN_SPACE);
    }
    EXPECT_EQ(PsnToWire(start + 3), 0u);
    EXPECT_EQ(PsnFromWire(PsnToWire(start + PSN_WINDOW_CAP), start), start + PSN_WINDOW_CAP);
    EXPECT_EQ(PsnFromWire(PsnToWire(start - PSN_WINDOW_CAP), start), start - PSN_WINDOW_CAP);
}

TEST(MessageLayout, PacketsAddUpToTheMessage)
{
    for (const uint32_t payload : {256u, 1000u, 4096u, 9000u})
    {
        const MessageLayout layout(payload);
        for (const uint64_t bytes : {uint64_t(0),
                                     uint64_t(1),
                                     uint64_t(payload) - 1,
                                     uint64_t(payload) + 0,
                                     uint64_t(payload) + 1,
                                     3 * uint64_t(payload) + 7})
        {
            const uint64_t n = layout.GetNPackets(bytes);
            uint64_t sum = 0;
            for (uint64_t i = 0; i < n; ++i)
            {
                const PacketSlice s = layout.GetSlice(bytes, i);
                sum += s.payload;
                EXPECT_EQ(s.firstOfSegment, i == 0);
                EXPECT_EQ(s.lastOfMessage, i + 1 == n);
                EXPECT_EQ(s.lastOfSegment, i + 1 == n);
                EXPECT_TRUE(s.payload == payload || i + 1 == n);
            }
            EXPECT_EQ(sum, bytes);
            EXPECT_EQ(n, std::max<uint64_t>(1, (bytes + payload - 1) / payload));
        }
    }
}

// IBTA limits a message to 2 GiB: 5 GiB + 1 travel as 2 GiB, 2 GiB and 1 GiB + 1, completed once.
TEST(MessageLayout, LongMessagesAreSegmentedAtTwoGibibytes)
{
    const uint64_t gib = uint64_t(1) << 30;
    const uint64_t bytes = 5 * gib + 1;
    const MessageLayout layout(9000);
    uint64_t sum = 0;
    uint64_t firsts = 0;
    uint64_t lasts = 0;
    uint64_t ends = 0;
    uint64_t segment = 0;
    const uint64_t n = layout.GetNPackets(bytes);
    for (uint64_t i = 0; i < n; ++i)
    {
        const PacketSlice s = layout.GetSlice(bytes, i);
        segment = s.firstOfSegment ? s.payload : segment + s.payload;
        sum += s.payload;
        firsts += s.firstOfSegment;
        lasts += s.lastOfSegment;
        ends += s.lastOfMessage;
        ASSERT_LE(segment, MessageLayout::MAX_SEGMENT);
        ASSERT_EQ(s.lastOfMessage, i + 1 == n);
    }
    EXPECT_EQ(sum, bytes);
    EXPECT_EQ(firsts, 3u);
    EXPECT_EQ(lasts, 3u);
    EXPECT_EQ(ends, 1u);
    const uint64_t full = (2 * gib + 8999) / 9000;
    EXPECT_EQ(n, 2 * full + (gib + 1 + 8999) / 9000);
    EXPECT_EQ(layout.GetNPackets(4 * gib), 2 * full);
    EXPECT_TRUE(layout.GetSlice(4 * gib, 2 * full - 1).lastOfMessage);
    EXPECT_FALSE(layout.GetSlice(4 * gib, full - 1).lastOfMessage);
    EXPECT_TRUE(layout.GetSlice(4 * gib, full - 1).lastOfSegment);
}

TEST(SendQueue, FindsMessagesForwardsAndBackwards)
{
    const MessageLayout layout(100);
    SendQueue queue;
    std::vector<SendRequest> all;
    uint64_t end = PsnStart(0);
    for (uint64_t i = 0; i < 200; ++i)
    {
        const uint64_t first = end;
        end = queue.Push(1000 + i, 50 * i, layout, end);
        all.push_back({1000 + i, 50 * i, first, end});
    }
    std::mt19937 random(1);
    for (std::size_t popped = 0; popped < all.size(); ++popped)
    {
        for (int k = 0; k < 5; ++k)
        {
            const std::size_t i =
                std::uniform_int_distribution<std::size_t>(popped, all.size() - 1)(random);
            EXPECT_EQ(queue.Find(all[i].first).id, all[i].id);
            EXPECT_EQ(queue.Find(all[i].end - 1).id, all[i].id);
            EXPECT_EQ(queue.At(i).id, all[i].id);
        }
        EXPECT_EQ(queue.GetAll().size(), all.size() - popped);
        EXPECT_EQ(queue.Front().id, all[popped].id);
        EXPECT_EQ(queue.GetNPopped(), popped);
        queue.Pop();
    }
    EXPECT_TRUE(queue.IsEmpty());
    end = queue.Push(7, 0, layout, end);
    EXPECT_EQ(queue.Find(end - 1).id, 7u);
    EXPECT_EQ(queue.At(200).id, 7u);
}

TEST(TimeHeap, LeavesByTimeThenArrival)
{
    std::mt19937 random(2);
    TimeHeap heap;
    std::vector<std::pair<int64_t, uint32_t>> expected;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        const int64_t time = std::uniform_int_distribution<int64_t>(0, 300)(random);
        heap.Push(time, i);
        expected.emplace_back(time, i);
    }
    std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
        return a.first < b.first;
    });
    for (const auto& [time, slot] : expected)
    {
        ASSERT_FALSE(heap.IsEmpty());
        ASSERT_EQ(heap.GetTime(), time);
        ASSERT_EQ(heap.Pop(), slot);
    }
    EXPECT_TRUE(heap.IsEmpty());
}

// A frame's four path bits name the nearest path to the newest one seen; zero is the first path.
TEST(RdmaPath, BitsNameTheNearestPath)
{
    EXPECT_EQ(EncodePath(0), 0);
    for (uint32_t newest = 0; newest < 100; ++newest)
    {
        const uint32_t lowest = newest > 7 ? newest - 6 : 1;
        for (uint32_t path = lowest; path <= newest + 7; ++path)
        {
            const uint8_t bits = EncodePath(path);
            EXPECT_NE(bits, 0);
            EXPECT_EQ(bits & 0x0f, 0);
            EXPECT_EQ(DecodePath(bits | 7, newest), path) << "newest " << newest;
        }
    }
}
