/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/ecn-marker.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"
#include "ns3/shared-buffer.h"

#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace ns3;

namespace
{

/// @return a switch with room for the shared pool to be `shared` bytes
BufferConfig
MakeConfig(uint32_t ports, uint64_t shared, uint64_t reserved, uint64_t headroom)
{
    BufferConfig config;
    config.lossless = 0x08;
    config.reserved = reserved;
    config.headroom.assign(ports, headroom);
    config.total = shared + ports * (N_PRIORITIES * reserved + headroom);
    config.alphaLossless = 0.5;
    config.alphaLossy = 0.5;
    config.xonOffset = 1000;
    return config;
}

using Verdict = SharedBuffer::Verdict;

TEST(SharedBuffer, DynamicThresholdOfOneQueueByHand)
{
    // Shared 90,000 B, alpha 1/2, nothing reserved: one queue x is at its threshold when
    // x = (90,000 - x) / 2, that is x = 30,000.
    SharedBuffer buffer(MakeConfig(2, 90000, 0, 10000), "test");
    for (int i = 0; i < 29; ++i)
    {
        ASSERT_TRUE(buffer.FitsEasily(0, 3, 1000, 0)) << i;
        ASSERT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT);
        EXPECT_FALSE(buffer.ShouldPause(0, 3)) << i;
    }
    EXPECT_FALSE(buffer.FitsEasily(0, 3, 1000, 0));
    EXPECT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT); // 30,000: still shared, but pause
    EXPECT_TRUE(buffer.ShouldPause(0, 3));
    EXPECT_EQ(buffer.GetHeadroomUsed(0, 3), 0U);
    // Another port is under its own threshold of (90,000 - 30,000) / 2.
    EXPECT_TRUE(buffer.FitsEasily(1, 3, 1000, 0));
}

TEST(SharedBuffer, HeadroomHoldsWhatComesAfterThePauseAndNoMore)
{
    SharedBuffer buffer(MakeConfig(2, 90000, 0, 10000), "test");
    for (int i = 0; i < 30; ++i)
    {
        ASSERT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT);
    }
    for (int i = 1; i <= 10; ++i)
    {
        ASSERT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT);
        EXPECT_EQ(buffer.GetHeadroomUsed(0, 3), 1000U * i);
    }
    EXPECT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::DROP_HEADROOM);
    EXPECT_EQ(buffer.GetUsed(), 40000U);
    EXPECT_EQ(buffer.GetSharedUsed(), 30000U);
}

TEST(SharedBuffer, ResumesBelowTheThresholdWithHysteresis)
{
    SharedBuffer buffer(MakeConfig(1, 90000, 0, 10000), "test");
    for (int i = 0; i < 32; ++i)
    {
        ASSERT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT);
    }
    EXPECT_FALSE(buffer.ShouldResume(0, 3)); // 2,000 in headroom
    buffer.Release(0, 3, 1000);
    buffer.Release(0, 3, 1000);
    EXPECT_EQ(buffer.GetHeadroomUsed(0, 3), 0U); // headroom is given back first
    EXPECT_FALSE(buffer.ShouldResume(0, 3));     // 30,000 + 1,000 > 30,000
    buffer.Release(0, 3, 1000);
    EXPECT_TRUE(buffer.ShouldResume(0, 3)); // 29,000 + 1,000 <= 30,500
}

TEST(SharedBuffer, AnEmptySharedPartResumesWhateverTheThreshold)
{
    // The other port holds nearly all: threshold of port 0 is below the hysteresis.
    auto config = MakeConfig(2, 2000, 0, 10000);
    config.alphaLossless = 1;
    SharedBuffer buffer(config, "test");
    ASSERT_EQ(buffer.Admit(1, 3, 1000, 0), Verdict::ADMIT);
    ASSERT_EQ(buffer.Admit(0, 3, 600, 0), Verdict::ADMIT);
    EXPECT_TRUE(buffer.ShouldPause(0, 3));
    buffer.Release(0, 3, 600);
    EXPECT_TRUE(buffer.ShouldResume(0, 3));
}

TEST(SharedBuffer, ReservedBytesServeWhenTheSharedPoolIsFull)
{
    SharedBuffer buffer(MakeConfig(2, 4000, 1000, 0), "test");
    // Lossy class 0 from port 1, to an egress queue of its own: up to half of what is free.
    ASSERT_EQ(buffer.Admit(1, 0, 1000, 0), Verdict::ADMIT);          // reserved
    ASSERT_EQ(buffer.Admit(1, 0, 1000, 0), Verdict::ADMIT);          // 1,000 <= 2,000
    EXPECT_EQ(buffer.Admit(1, 0, 1000, 1000), Verdict::DROP_SHARED); // 2,000 > 1,500
    EXPECT_EQ(buffer.Admit(0, 0, 1000, 1000000), Verdict::ADMIT);    // reserved of port 0
    EXPECT_EQ(buffer.GetSharedUsed(), 1000U);
}

TEST(SharedBuffer, TooSmallForTheHeadroomIsAnInputError)
{
    // Field report 17: a buffer below the sum of headroom must not start.
    auto config = MakeConfig(4, 100000, 1000, 50000);
    config.total = 4 * 50000 + 4 * 8 * 1000; // no byte shared
    try
    {
        SharedBuffer buffer(config, "switch 7");
        FAIL() << "accepted";
    }
    catch (const InputError& e)
    {
        EXPECT_EQ(std::string(e.what()),
                  "switch 7: buffer: 232000B is too small for 200000B of PFC headroom and 32000B "
                  "reserved for 4 ports; accepted: at least 233000B");
    }
}

TEST(SharedBuffer, HeadroomByHand)
{
    EnsurePicosecondClock();
    // 2 x 1 us x 400 Gb/s = 100,000 B; 3 x 9,216 + 84.
    EXPECT_EQ(SharedBuffer::ComputeHeadroom(DataRate("400Gbps"), 1000000, 9216, 0), 127732U);
    // 25 ms of cable at 1.6 Tb/s: 2 x 0.025 x 2 x 10^11 = 10^10 B, beyond 32 bits.
    EXPECT_EQ(SharedBuffer::ComputeHeadroom(DataRate("1600Gbps"), 25000000000LL, 0, 0),
              10000000084ULL);
    EXPECT_EQ(SharedBuffer::ComputeHeadroom(DataRate("100Gbps"), 0, 0, 600000), 7584U);
}

TEST(SharedBuffer, StaticThresholdsIgnoreWhatIsFree)
{
    auto config = MakeConfig(2, 90000, 0, 10000);
    config.staticLossless = 20000;
    config.staticLossy = 5000;
    SharedBuffer buffer(config, "test");
    for (int i = 1; i <= 20; ++i)
    {
        EXPECT_EQ(buffer.FitsEasily(0, 3, 1000, 0), i < 20); // below the threshold
        ASSERT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT);
        EXPECT_EQ(buffer.ShouldPause(0, 3), i == 20);
    }
    EXPECT_EQ(buffer.GetHeadroomUsed(0, 3), 0U);
    ASSERT_EQ(buffer.Admit(0, 3, 1000, 0), Verdict::ADMIT);
    EXPECT_EQ(buffer.GetHeadroomUsed(0, 3), 1000U);
    EXPECT_EQ(buffer.Admit(1, 0, 1000, 4000), Verdict::ADMIT);
    EXPECT_EQ(buffer.Admit(1, 0, 1000, 4001), Verdict::DROP_SHARED);
    buffer.Release(0, 3, 1000);
    buffer.Release(0, 3, 1000);
    EXPECT_TRUE(buffer.ShouldResume(0, 3)); // 19,000 + 1,000 <= 20,000
}

TEST(SharedBuffer, RemainderOfAPausedQueue)
{
    SharedBuffer buffer(MakeConfig(1, 90000, 2000, 10000), "test");
    for (int i = 0; i < 40; ++i)
    {
        buffer.Admit(0, 3, 1000, 0);
    }
    const uint64_t head = buffer.GetHeadroomUsed(0, 3);
    ASSERT_GT(head, 4000U);
    const auto all = buffer.GetRemainder(0, 3, 40000);
    EXPECT_EQ(all.headroom, head);
    EXPECT_EQ(all.shared, 40000 - head - 2000);
    EXPECT_EQ(buffer.GetRemainder(0, 3, 39000).headroom, head - 1000); // given back first
    const auto rest = buffer.GetRemainder(0, 3, 1500);
    EXPECT_EQ(rest.headroom, 0U);
    EXPECT_EQ(rest.shared, 0U); // reserved bytes
    EXPECT_TRUE(buffer.WouldResume(rest, 0));
    EXPECT_FALSE(buffer.WouldResume(all, all.shared));
}

TEST(SharedBuffer, HeadroomDoesNotDependOnTheClock)
{
    // Field report 27: the same cable and response by clocks of ns, ps and fs.
    for (const uint64_t gbps : {10, 25, 100, 400, 800, 1600})
    {
        const DataRate rate(gbps * 1000000000);
        for (const SimTick ns : {0, 10, 500, 10000, 25000000})
        {
            const SimTick scale[] = {1, 1000, 1000000};
            for (const SimTick s : scale)
            {
                EXPECT_EQ(
                    SharedBuffer::ComputeHeadroom(rate, ns * s, 9216, 615 * s, 1000000000 * s),
                    // ceil((2 delay + response) x rate / 8) + 3 frames + PFC frame
                    ((2 * ns + 615) * gbps + 7) / 8 + 3 * 9216 + 84)
                    << gbps << " " << ns << " " << s;
            }
        }
    }
}

TEST(SharedBuffer, LawsHoldUnderRandomTraffic)
{
    // Independent bookkeeping: a list of what is stored. Guard: every branch is taken.
    std::mt19937 random(7);
    constexpr uint32_t PORTS = 4;
    auto config = MakeConfig(PORTS, 60000, 2000, 9000);
    SharedBuffer buffer(config, "test");

    struct Stored
    {
        uint32_t port;
        uint8_t priority;
        uint32_t bytes;
    };

    std::deque<Stored> stored;
    std::map<uint8_t, uint64_t> egress;
    std::map<Verdict, int> verdicts;
    int easy = 0;
    int paused = 0;
    int resumed = 0;
    for (int step = 0; step < 200000; ++step)
    {
        const bool filling = (step / 500) % 2 == 0;
        if (random() % 100 < (filling ? 70 : 30) || stored.empty())
        {
            const Stored s{static_cast<uint32_t>(random() % PORTS),
                           static_cast<uint8_t>(random() % 2 ? 3 : 0),
                           static_cast<uint32_t>(64 + random() % 4096)};
            const bool fits = buffer.FitsEasily(s.port, s.priority, s.bytes, egress[s.priority]);
            const auto verdict = buffer.Admit(s.port, s.priority, s.bytes, egress[s.priority]);
            ++verdicts[verdict];
            easy += fits;
            const bool pause =
                buffer.IsLossless(s.priority) && buffer.ShouldPause(s.port, s.priority);
            ASSERT_EQ(fits, verdict == Verdict::ADMIT && !pause) << "step " << step;
            paused += pause;
            if (verdict == Verdict::ADMIT)
            {
                stored.push_back(s);
                egress[s.priority] += s.bytes;
            }
        }
        else
        {
            const std::size_t i = random() % std::min<std::size_t>(stored.size(), 8);
            const Stored s = stored[i];
            stored.erase(stored.begin() + i);
            egress[s.priority] -= s.bytes;
            buffer.Release(s.port, s.priority, s.bytes);
            resumed += buffer.IsLossless(s.priority) && buffer.ShouldResume(s.port, s.priority);
        }
        uint64_t total = 0;
        uint64_t shared = 0;
        for (uint32_t port = 0; port < PORTS; ++port)
        {
            for (uint8_t c = 0; c < N_PRIORITIES; ++c)
            {
                const uint64_t used = buffer.GetUsed(port, c);
                const uint64_t head = buffer.GetHeadroomUsed(port, c);
                ASSERT_LE(head, c == 3 ? 9000U : 0U);
                total += used;
                shared += used - head > 2000 ? used - head - 2000 : 0;
            }
        }
        uint64_t sum = 0;
        for (const auto& s : stored)
        {
            sum += s.bytes;
        }
        ASSERT_EQ(total, sum) << "step " << step;
        ASSERT_EQ(buffer.GetUsed(), sum);
        ASSERT_EQ(buffer.GetSharedUsed(), shared);
        ASSERT_LE(shared, buffer.GetSharedSize());
    }
    EXPECT_GT(easy, 1000);
    EXPECT_GT(paused, 1000);
    EXPECT_GT(resumed, 1000);
    EXPECT_GT(verdicts[Verdict::DROP_SHARED], 100);
    EXPECT_GT(verdicts[Verdict::DROP_HEADROOM], 100);
}

TEST(EcnMarker, RedByHand)
{
    const EcnMarker marker(100000, 400000, 0.2);
    EXPECT_EQ(marker.Judge(99999), EcnMarker::Verdict::NEVER);
    EXPECT_EQ(marker.Judge(100000), EcnMarker::Verdict::CHANCE);
    EXPECT_EQ(marker.Judge(399999), EcnMarker::Verdict::CHANCE);
    EXPECT_EQ(marker.Judge(400000), EcnMarker::Verdict::ALWAYS);
    EXPECT_DOUBLE_EQ(marker.GetProbability(100000), 0);
    EXPECT_DOUBLE_EQ(marker.GetProbability(250000), 0.1);
    EXPECT_EQ(EcnMarker(5, 5, 0.2).Judge(5), EcnMarker::Verdict::ALWAYS); // a step, as in DCTCP
}

TEST(EcnMarker, DefaultsScaleWithTheRate)
{
    // Field report 23: 100 kB and 400 kB per 25 Gb/s.
    EXPECT_EQ(EcnMarker::Scale(100000, DataRate("25Gbps")), 100000U);
    EXPECT_EQ(EcnMarker::Scale(100000, DataRate("200Gbps")), 800000U);
    EXPECT_EQ(EcnMarker::Scale(400000, DataRate("800Gbps")), 12800000U);
    EXPECT_EQ(EcnMarker::Scale(100000, DataRate("100Gbps")), 400000U);
    EXPECT_EQ(EcnMarker::Scale(100000, DataRate("400Gbps")), 1600000U);
    EXPECT_EQ(EcnMarker::Scale(400000, DataRate("400Gbps")), 6400000U);
    EXPECT_EQ(EcnMarker::Scale(400000, DataRate("1600Gbps")), 25600000U);
}

} // namespace
