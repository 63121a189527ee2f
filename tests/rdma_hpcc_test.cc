/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Oracle: Algorithm 1 of the HPCC paper written down a second time, in extended precision, in SI
// units and line by line, fed with the same scripted telemetry.

#include "ns3/double.h"
#include "ns3/hpcc-congestion-control.h"
#include "ns3/mixnet-error.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace ns3;

namespace
{

using Real = long double;

/// The paper's pseudocode; bytes and seconds.
struct Reference
{
    /// A link of an acknowledgement.
    struct Link
    {
        Real ts;
        Real txBytes;
        Real qlen;
        Real rate;
    };

    Real T;
    Real initial;
    Real ai;
    Real floor;
    Real eta = 0.95L;
    uint32_t maxStage = 5;

    Real W = 0;
    Real Wc = 0;
    Real U = 1;
    uint32_t incStage = 0;
    uint64_t lastUpdateSeq = 0;
    std::vector<Link> L;
    int cases[3] = {0, 0, 0}; // multiply for load, multiply for stage, add

    Reference(Real line, Real rtt)
        : T(rtt),
          initial(line / 8 * rtt),
          ai(initial * (1 - 0.95L) / 100),
          floor(initial / 1000),
          W(initial),
          Wc(initial)
    {
    }

    void MeasureInflight(const std::vector<Link>& ack)
    {
        Real u = 0;
        Real tau = 0;
        for (std::size_t i = 0; i < ack.size(); ++i)
        {
            const Real txRate = (ack[i].txBytes - L[i].txBytes) / (ack[i].ts - L[i].ts);
            const Real bytes = ack[i].rate / 8;
            const Real uPrime = std::min(ack[i].qlen, L[i].qlen) / (bytes * T) + txRate / bytes;
            if (uPrime > u)
            {
                u = uPrime;
                tau = ack[i].ts - L[i].ts;
            }
        }
        tau = std::min(tau, T);
        U = (1 - tau / T) * U + tau / T * u;
    }

    void ComputeWind(bool updateWc)
    {
        if (U >= eta || incStage >= maxStage)
        {
            cases[U >= eta ? 0 : 1]++;
            W = Wc / (U / eta) + ai;
            if (updateWc)
            {
                incStage = 0;
            }
        }
        else
        {
            cases[2]++;
            W = Wc + ai;
            if (updateWc)
            {
                ++incStage;
            }
        }
        W = std::max(std::min(W, initial), floor);
        if (updateWc)
        {
            Wc = W;
        }
    }

    void NewAck(const std::vector<Link>& ack, uint64_t seq, uint64_t sndNxt)
    {
        if (L.empty())
        {
            lastUpdateSeq = sndNxt;
        }
        else
        {
            MeasureInflight(ack);
            ComputeWind(seq > lastUpdateSeq);
            lastUpdateSeq = seq > lastUpdateSeq ? sndNxt : lastUpdateSeq;
        }
        L = ack;
    }
};

constexpr uint32_t WIRE = 4096 + 78 + 42; //!< a full frame

/// @param rate of the port @param rtt base round trip @return its path
CongestionPath
MakePath(DataRate rate, Time rtt)
{
    CongestionPath path(rate);
    path.baseRtt = rtt.GetTimeStep();
    path.frameBytes = WIRE;
    path.hops = 5;
    return path;
}

/// @param telemetry of the acknowledged packet @param acked first packet not acknowledged
/// @param next sent next @return the feedback
CongestionFeedback
MakeAck(const FrameTelemetry& telemetry, uint64_t acked, uint64_t next)
{
    CongestionFeedback feedback;
    feedback.packets = 1;
    feedback.acked = acked;
    feedback.next = next;
    feedback.roundTrip = 1;
    feedback.telemetry = &telemetry;
    return feedback;
}

} // namespace

class HpccRecurrence : public testing::TestWithParam<uint64_t>
{
};

// 5 hops, links up to four times the NIC's rate, random loads and queues, phases of light and heavy
// load, a base round trip from 5 us to 100 ms (1 GB and more under way).
TEST_P(HpccRecurrence, FollowedStepByStep)
{
    const uint64_t gbps = GetParam();
    const auto second = static_cast<Real>(Seconds(1).GetTimeStep()); // whatever the clock
    int cases[3] = {0, 0, 0};
    for (uint32_t seed = 1; seed <= 6; ++seed)
    {
        std::mt19937 random(seed);
        const auto uniform = [&random](double a, double b) {
            return std::uniform_real_distribution<double>(a, b)(random);
        };
        const Time rtt = seed == 6 ? MilliSeconds(100) : MicroSeconds(5 * seed);
        auto cc = CreateObject<HpccCongestionControl>();
        cc->Open(seed, MakePath(DataRate(gbps * 1000000000), rtt), SimTick(0));
        Reference reference(gbps * 1e9L, rtt.GetSeconds());
        EXPECT_NEAR(cc->GetAdditive(seed), double(reference.ai), double(reference.ai) * 1e-12);
        FrameTelemetry telemetry;
        telemetry.hops = 5;
        telemetry.room = 5;
        std::vector<Reference::Link> links(5);
        uint64_t acked = 100;
        for (int step = 0; step < 3000; ++step)
        {
            const bool heavy = step % 400 < 150;
            const double gap = rtt.GetSeconds() * (step % 50 == 0 ? 1.5 : uniform(0.01, 0.1));
            for (uint32_t i = 0; i < 5; ++i)
            {
                TelemetryHop& hop = telemetry.hop[i];
                hop.port = &links[i];
                // slightly different rates: a tie of two hops may go either way by rounding
                const uint64_t rate = (1 + 3 * (i % 2)) * gbps * 1000000 / (gbps > 1000 ? 4 : 1);
                hop.kilobits = static_cast<uint32_t>(rate - 101 * i);
                const auto ticks = static_cast<SimTick>(gap * second) + 10 * i;
                hop.time += ticks;
                const double bytes =
                    hop.kilobits * 125 / double(second) * static_cast<double>(ticks);
                hop.sentBytes +=
                    static_cast<uint64_t>(bytes * uniform(heavy ? 0.9 : 0.2, heavy ? 1.0 : 0.9));
                hop.queueBytes = heavy ? static_cast<uint32_t>(uniform(0, 3e6)) : 0;
                links[i] = {hop.time / second,
                            static_cast<Real>(hop.sentBytes),
                            static_cast<Real>(hop.queueBytes),
                            hop.kilobits * 1000.0L};
            }
            acked += std::uniform_int_distribution<uint64_t>(0, 3)(random);
            const uint64_t next = acked + 20;
            cc->OnFeedback(seed, MakeAck(telemetry, acked, next), SimTick(0));
            reference.NewAck(links, acked, next);
            ASSERT_NEAR(cc->GetUtilization(seed), double(reference.U), double(reference.U) * 1e-9);
            ASSERT_NEAR(static_cast<double>(cc->GetWindow(seed)),
                        double(reference.W),
                        1 + double(reference.W) * 1e-9);
            const Real rate = reference.W / reference.T * 8;
            ASSERT_NEAR(static_cast<double>(cc->GetRate(seed, SimTick(0)).GetBitRate()),
                        double(rate),
                        1 + double(rate) * 1e-9);
            const SimTick ticks = cc->OnSent(seed, WIRE, SimTick(0));
            if (reference.W < reference.initial * 0.999999L)
            {
                const Real exact = WIRE * reference.T / reference.W * second;
                ASSERT_NEAR(static_cast<double>(ticks), double(exact), 1 + double(exact) * 1e-9);
            }
            else if (reference.W == reference.initial)
            {
                ASSERT_EQ(ticks, 0);
            }
        }
        for (int k = 0; k < 3; ++k)
        {
            cases[k] += reference.cases[k];
        }
    }
    EXPECT_GT(cases[0], 500); // every branch was taken
    EXPECT_GT(cases[1], 100);
    EXPECT_GT(cases[2], 500);
}

INSTANTIATE_TEST_SUITE_P(Rates, HpccRecurrence, testing::Values(10, 25, 100, 400, 800, 1600));

// By hand, 100G, T = 10 us: W_init = 125,000 B, W_AI = 62.5 B. One hop, records T apart, the link
// sent 125,000 B and 62,500 B wait: u = 1.5, tau = T, U = 1.5, W = 125,000 / (1.5 / 0.95) + 62.5.
TEST(Hpcc, FirstStepsByHand)
{
    auto cc = CreateObject<HpccCongestionControl>();
    EXPECT_EQ(cc->GetTelemetryRoom(), 5u);
    EXPECT_TRUE(cc->WantsAcks() && cc->HasWindow() && cc->WantsPath() && !cc->WantsCnps());
    cc->Open(0, MakePath(DataRate("100Gbps"), MicroSeconds(10)), SimTick(0));
    EXPECT_EQ(cc->GetWindow(0), 125000u);
    EXPECT_NEAR(cc->GetAdditive(0), 62.5, 1e-9);
    EXPECT_EQ(cc->OnSent(0, WIRE, SimTick(0)), 0);
    FrameTelemetry telemetry;
    telemetry.hops = 1;
    telemetry.room = 5;
    telemetry.hop[0] = {SimTick(0), 0, &telemetry, 62500, 100000000};
    cc->OnFeedback(0, MakeAck(telemetry, 1, 30), SimTick(0));
    EXPECT_EQ(cc->GetWindow(0), 125000u); // the first one only fills L
    telemetry.hop[0] = {MicroSeconds(10).GetTimeStep(), 125000, &telemetry, 80000, 100000000};
    cc->OnFeedback(0, MakeAck(telemetry, 31, 60), SimTick(0));
    EXPECT_DOUBLE_EQ(cc->GetUtilization(0), 1.5);
    EXPECT_EQ(cc->GetWindow(0), static_cast<uint64_t>(std::ceil(125000 / (1.5 / 0.95) + 62.5)));
    // another path: L is replaced, nothing else changes
    const uint64_t window = cc->GetWindow(0);
    telemetry.hop[0] = {MicroSeconds(11).GetTimeStep(), 7, &cc, 0, 100000000};
    cc->OnFeedback(0, MakeAck(telemetry, 61, 90), SimTick(0));
    EXPECT_EQ(cc->GetWindow(0), window);
    EXPECT_DOUBLE_EQ(cc->GetUtilization(0), 1.5);
}

// A path that is longer than the header has room for is an error, not a wrong rate.
TEST(Hpcc, MoreHopsThanRoomAreAnError)
{
    auto cc = CreateObject<HpccCongestionControl>();
    cc->SetAttribute("MaxHops", UintegerValue(7));
    EXPECT_EQ(FrameTelemetry::WireBytes(cc->GetTelemetryRoom()), 58);
    EXPECT_EQ(FrameTelemetry::WireBytes(5), 42);
    cc->Open(0, MakePath(DataRate("100Gbps"), MicroSeconds(10)), SimTick(0));
    EXPECT_THROW(cc->SetAttribute("MaxHops", UintegerValue(8)), InputError);
    FrameTelemetry telemetry;
    telemetry.room = 7;
    telemetry.hops = 7;
    EXPECT_NO_THROW(cc->OnFeedback(0, MakeAck(telemetry, 1, 2), SimTick(0)));
    telemetry.hops = 8;
    EXPECT_THROW(cc->OnFeedback(0, MakeAck(telemetry, 1, 2), SimTick(0)), InputError);
}

// Without a known path, T is the shortest round trip seen, and the window follows it.
TEST(Hpcc, LearnsTheBaseRoundTrip)
{
    auto cc = CreateObject<HpccCongestionControl>();
    cc->Open(0, MakePath(DataRate("100Gbps"), Time(0)), SimTick(0));
    EXPECT_EQ(cc->GetWindow(0), CongestionControl::NO_WINDOW);
    EXPECT_EQ(cc->OnSent(0, WIRE, SimTick(0)), 0);
    EXPECT_EQ(cc->GetRate(0, SimTick(0)), DataRate("100Gbps"));
    FrameTelemetry telemetry;
    telemetry.hops = 1;
    telemetry.room = 5;
    CongestionFeedback ack = MakeAck(telemetry, 1, 10);
    ack.roundTrip = MicroSeconds(20).GetTimeStep();
    cc->OnFeedback(0, ack, SimTick(0));
    EXPECT_EQ(cc->GetWindow(0), 250000u);
    ack.roundTrip = MicroSeconds(10).GetTimeStep();
    cc->OnFeedback(0, ack, SimTick(0));
    EXPECT_EQ(cc->GetWindow(0), 125000u);
}
