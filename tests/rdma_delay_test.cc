/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Oracles: the pseudocode of Swift (Algorithm 1 and section 3.5), TIMELY (Algorithm 1, and its
// patch) and DCTCP (RFC 8257) written down a second time, in extended precision and SI units, fed
// with the same scripted feedback.

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/swift-congestion-control.h"
#include "ns3/timely-congestion-control.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

using namespace ns3;

namespace
{

using Real = long double;
using Kind = CongestionFeedback::Kind;

constexpr uint32_t WIRE = 4096 + 78; //!< a full frame

/// @return ticks of a second, whatever the clock
Real
Second()
{
    return static_cast<Real>(Seconds(1).GetTimeStep());
}

/// @param gbps line rate @param rtt base round trip @param hops of the path @return the path
CongestionPath
MakePath(uint64_t gbps, Time rtt, uint32_t hops = 5)
{
    CongestionPath path(DataRate(gbps * 1000000000));
    path.baseRtt = rtt.GetTimeStep();
    path.frameBytes = WIRE;
    path.hops = hops;
    return path;
}

/// @param kind of feedback @param rtt round trip, ticks @param packets newly acknowledged
/// @return the feedback
CongestionFeedback
Make(Kind kind, SimTick rtt, uint32_t packets)
{
    CongestionFeedback feedback;
    feedback.kind = kind;
    feedback.roundTrip = rtt;
    feedback.packets = packets;
    return feedback;
}

/// Swift as in the paper, default parameters; seconds, packets.
struct SwiftReference
{
    Real line;
    Real base;
    Real fixed;
    Real cwnd;
    Real most;
    Real rtt;
    Real lastDecrease = -1e9L;
    int retransmits = 0;
    int cases[5] = {0, 0, 0, 0, 0}; // window increase, rate increase, decrease, held, loss

    SwiftReference(uint64_t gbps, Real rtt0, uint32_t hops)
        : line(gbps * 1e9L / 8),
          base(rtt0),
          fixed(rtt0 + hops * 1e-6L),
          most(2 * line * fixed / WIRE),
          rtt(rtt0)
    {
        cwnd = line * base / WIRE;
    }

    Real Target() const
    {
        const Real range = 5 * base;
        const Real alpha = range / (1 / std::sqrt(0.1L) - 1 / std::sqrt(100.0L));
        const Real beta = -alpha / std::sqrt(100.0L);
        return fixed + std::max(0.0L, std::min(alpha / std::sqrt(cwnd) + beta, range));
    }

    void Step(Kind kind, Real delay, uint32_t acked, Real now)
    {
        rtt = delay > 0 ? delay : rtt;
        const bool may = now - lastDecrease >= rtt;
        const Real before = cwnd;
        if (kind == Kind::ACK && acked > 0)
        {
            retransmits = 0;
            const Real target = Target();
            if (delay < target)
            {
                ++cases[cwnd >= 1 ? 0 : 1];
                cwnd = cwnd >= 1 ? cwnd + acked / cwnd : cwnd + acked;
            }
            else if (may)
            {
                ++cases[2];
                cwnd *= std::max(1 - 0.8L * (delay - target) / delay, 0.5L);
            }
            else
            {
                ++cases[3];
            }
        }
        else if (kind == Kind::NACK)
        {
            retransmits = 0;
            cwnd *= may ? 0.5L : 1;
            ++cases[4];
        }
        else if (kind == Kind::TIMEOUT)
        {
            ++cases[4];
            cwnd = ++retransmits >= 5 ? 0.001L : cwnd * (may ? 0.5L : 1);
        }
        lastDecrease = cwnd < before || retransmits >= 5 ? now : lastDecrease;
        cwnd = std::max(0.001L, std::min(cwnd, most));
    }
};

/// TIMELY as in the paper; seconds, bits per second.
struct TimelyReference
{
    Real line;
    Real minRtt;
    bool patched;
    Real shift;
    Real rate;
    Real before = 0;
    Real diff = 0;
    int count = 0;
    int cases[5] = {0, 0, 0, 0, 0}; // low, high, rising, falling, hyperactive

    TimelyReference(uint64_t gbps, Real rtt, bool patch)
        : line(gbps * 1e9L),
          minRtt(rtt),
          patched(patch),
          shift(std::max(0.0L, rtt - 20e-6L)),
          rate(line)
    {
    }

    void Completion(Real rtt)
    {
        const Real delta = line / 1000;
        const Real low = 50e-6L + shift;
        const Real high = 500e-6L + shift;
        diff = before > 0 ? 0.125L * diff + 0.875L * (rtt - before) : 0;
        before = rtt;
        const Real gradient = diff / minRtt;
        count = gradient <= 0 ? count + 1 : 0;
        if (rtt < low)
        {
            ++cases[0];
            rate += delta;
        }
        else if (rtt > high)
        {
            ++cases[1];
            rate *= 1 - 0.8L * (1 - high / rtt);
        }
        else if (patched)
        {
            ++cases[gradient <= -0.25L ? 3 : gradient >= 0.25L ? 2 : 4];
            const Real w = gradient <= -0.25L ? 0 : gradient >= 0.25L ? 1 : 2 * gradient + 0.5L;
            rate = delta * (1 - w) + rate * (1 - 0.008L * w * (rtt - low) / low);
        }
        else if (gradient <= 0)
        {
            ++cases[count >= 5 ? 4 : 3];
            rate += (count >= 5 ? 5 : 1) * delta;
        }
        else
        {
            ++cases[2];
            rate *= 1 - 0.8L * gradient;
        }
        rate = std::max(line / 1000, std::min(rate, line));
    }
};

} // namespace

class SwiftRecurrence : public testing::TestWithParam<uint64_t>
{
};

TEST_P(SwiftRecurrence, FollowedStepByStep)
{
    const uint64_t gbps = GetParam();
    int cases[5] = {0, 0, 0, 0, 0};
    for (uint32_t seed = 1; seed <= 6; ++seed)
    {
        std::mt19937 random(seed);
        const auto uniform = [&random](double a, double b) {
            return std::uniform_real_distribution<double>(a, b)(random);
        };
        const Time base = seed == 6 ? MilliSeconds(100) : MicroSeconds(6 * seed);
        auto cc = CreateObject<SwiftCongestionControl>();
        cc->Open(1, MakePath(gbps, base, seed), SimTick(0));
        SwiftReference reference(gbps, base.GetSeconds(), seed);
        SimTick now = 0;
        for (int step = 0; step < 6000; ++step)
        {
            now += static_cast<SimTick>(uniform(0.01, 0.2) * double(base.GetTimeStep()));
            const bool heavy = step % 500 > 300;
            const auto rtt =
                static_cast<SimTick>(double(base.GetTimeStep()) * uniform(1, heavy ? 12 : 1.2));
            const double dice = uniform(0, 1);
            const bool storm = step % 1000 > 990; // timeouts in a row
            const Kind kind = storm || dice < 0.001 ? Kind::TIMEOUT
                              : dice < 0.003        ? Kind::NACK
                                                    : Kind::ACK;
            const SimTick delay = kind == Kind::TIMEOUT ? 0 : rtt;
            const uint32_t acked = std::uniform_int_distribution<uint32_t>(0, 4)(random);
            cc->OnFeedback(1, Make(kind, delay, acked), now);
            reference.Step(kind, delay / Second(), acked, now / Second());
            ASSERT_NEAR(cc->GetCwnd(1), double(reference.cwnd), double(reference.cwnd) * 1e-9);
            const Real target = reference.Target() * Second();
            ASSERT_NEAR(cc->GetTarget(1), double(target), double(target) * 1e-9);
            if (reference.cwnd < 0.999999L)
            {
                const Real gap = reference.rtt / reference.cwnd * Second();
                ASSERT_NEAR(static_cast<double>(cc->OnSent(1, WIRE, now)),
                            double(gap),
                            1 + double(gap) * 1e-9);
                ASSERT_LE(cc->GetWindow(1), WIRE);
            }
            else if (reference.cwnd > 1.000001L)
            {
                ASSERT_EQ(cc->OnSent(1, WIRE, now), 0);
                ASSERT_NEAR(static_cast<double>(cc->GetWindow(1)),
                            double(reference.cwnd * WIRE),
                            1 + double(reference.cwnd) * 1e-5);
            }
        }
        for (int k = 0; k < 5; ++k)
        {
            cases[k] += reference.cases[k];
        }
    }
    for (int k = 0; k < 5; ++k)
    {
        EXPECT_GT(cases[k], 20) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Rates, SwiftRecurrence, testing::Values(10, 25, 100, 400, 800, 1600));

// At most one decrease per round trip, whatever arrives; and it does decrease once each.
TEST(Swift, OneDecreasePerRoundTrip)
{
    auto cc = CreateObject<SwiftCongestionControl>();
    cc->Open(0, MakePath(100, MicroSeconds(10)), SimTick(0));
    const SimTick rtt = MicroSeconds(100).GetTimeStep();
    int decreases = 0;
    for (int i = 0; i < 1000; ++i) // an acknowledgement per microsecond, always far too late
    {
        const double before = cc->GetCwnd(0);
        cc->OnFeedback(0, Make(Kind::ACK, rtt, 1), MicroSeconds(i).GetTimeStep());
        decreases += cc->GetCwnd(0) < before;
    }
    EXPECT_EQ(decreases, 10);
}

class TimelyRecurrence : public testing::TestWithParam<std::tuple<uint64_t, bool>>
{
};

TEST_P(TimelyRecurrence, FollowedStepByStep)
{
    const auto [gbps, patched] = GetParam();
    int cases[5] = {0, 0, 0, 0, 0};
    for (uint32_t seed = 1; seed <= 6; ++seed)
    {
        std::mt19937 random(seed);
        const auto uniform = [&random](double a, double b) {
            return std::uniform_real_distribution<double>(a, b)(random);
        };
        const Time base = seed == 6 ? MilliSeconds(100) : MicroSeconds(6 * seed);
        auto cc = CreateObject<TimelyCongestionControl>();
        cc->SetAttribute("Patched", BooleanValue(patched));
        cc->Open(1, MakePath(gbps, base), SimTick(0));
        TimelyReference reference(gbps, base.GetSeconds(), patched);
        EXPECT_NEAR(cc->GetLowThreshold(1), double((50e-6L + reference.shift) * Second()), 1);
        uint64_t bytes = 0;
        double queue = 0; // seconds
        for (int step = 0; step < 6000; ++step)
        {
            const double drift = step % 600 < 250 ? 3e-6 : step % 600 < 400 ? -1e-6 : -3e-6;
            queue = std::clamp(queue + uniform(-2e-6, 2e-6) + drift, 0.0, 600e-6);
            const SimTick rtt = base.GetTimeStep() + static_cast<SimTick>(queue * double(Second()));
            const uint32_t acked = std::uniform_int_distribution<uint32_t>(1, 4)(random);
            cc->OnFeedback(1, Make(Kind::ACK, rtt, acked), SimTick(step));
            bytes += acked * WIRE;
            if (bytes >= 16384)
            {
                bytes %= 16384;
                reference.Completion(rtt / Second());
            }
            ASSERT_NEAR(static_cast<double>(cc->GetRate(1, SimTick(step)).GetBitRate()),
                        double(reference.rate),
                        1 + double(reference.rate) * 1e-9);
            if (reference.rate < reference.line)
            {
                const Real gap = WIRE * 8 * Second() / reference.rate;
                ASSERT_NEAR(static_cast<double>(cc->OnSent(1, WIRE, SimTick(step))),
                            double(gap),
                            1 + double(gap) * 1e-9);
            }
        }
        for (int k = 0; k < 5; ++k)
        {
            cases[k] += reference.cases[k];
        }
    }
    for (int k = 0; k < 5; ++k)
    {
        EXPECT_GT(cases[k], 20) << k;
    }
}

INSTANTIATE_TEST_SUITE_P(Rates,
                         TimelyRecurrence,
                         testing::Combine(testing::Values(10, 25, 100, 400, 800, 1600),
                                          testing::Bool()));
