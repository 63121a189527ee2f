/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Oracle: DCQCN's reaction point written down a second time, as an eager machine that steps through
// every timer event in order of time; the model works the same events out lazily. Both flavors: the
// paper's and that of ConnectX NICs (the defaults).

#include "ns3/boolean.h"
#include "ns3/dcqcn-congestion-control.h"
#include "ns3/double.h"
#include "ns3/ecn-marker.h"
#include "ns3/no-congestion-control.h"
#include "ns3/packet-switch.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <tuple>

using namespace ns3;

namespace
{

/// @param rate line rate @return with the parameters of the paper, R_AI scaled from 40G
Ptr<DcqcnCongestionControl>
MakePaper(uint64_t rate)
{
    auto cc = CreateObject<DcqcnCongestionControl>();
    cc->SetAttribute("AlphaInterval", TimeValue(MicroSeconds(55)));
    cc->SetAttribute("ClampTargetRate", BooleanValue(true));
    cc->SetAttribute("AdditiveIncrease", DataRateValue(DataRate(rate / 1000)));
    cc->SetAttribute("HyperIncrease", DataRateValue(DataRate(rate / 100)));
    cc->SetAttribute("ByteCounter", UintegerValue(10000000));
    return cc;
}

/// Eager reference; time in ticks.
struct Reference
{
    Reference(const DcqcnLimits& limits, bool paper)
        : line(limits.line),
          rAi(limits.additive),
          rHai(limits.hyper),
          minimum(limits.floor),
          byteCounter(limits.byteCounter),
          timer(MicroSeconds(55).GetTimeStep()),
          alphaTimer(MicroSeconds(paper ? 55 : 1).GetTimeStep()),
          clamp(paper)
    {
    }

    double line;
    double rAi;
    double rHai;
    double minimum;
    double g = 1.0 / 256;
    double byteCounter;
    int64_t timer;
    int64_t alphaTimer;
    int fast = 5;
    bool clamp;

    double rc = line;
    double rt = line;
    double alpha = 1;
    double bytes = 0;
    int t = 0;
    int bc = 0;
    bool running = false;
    int64_t nextTimer = 0;
    int64_t nextAlpha = 0;
    int64_t lastCnp = 0;
    int increases[3] = {0, 0, 0};
    int kept = 0; // decreases that left the target

    void Event(int& counter)
    {
        if (std::max(t, bc) < fast)
        {
            ++increases[0];
        }
        else if (std::min(t, bc) > fast)
        {
            rt = std::min(line, rt + rHai);
            ++increases[2];
        }
        else
        {
            rt = std::min(line, rt + rAi);
            ++increases[1];
        }
        ++counter;
        rc = (rt + rc) / 2;
        if (rc >= line * (1 - 1e-6))
        {
            rc = rt = line;
        }
    }

    void AdvanceTo(int64_t now)
    {
        while (running && std::min(nextTimer, nextAlpha) <= now)
        {
            if (nextAlpha <= nextTimer)
            {
                alpha = (1 - g) * alpha;
                nextAlpha += alphaTimer;
            }
            else
            {
                Event(t);
                nextTimer += timer;
            }
        }
    }

    void Cnp(int64_t now)
    {
        AdvanceTo(now);
        if (running && now < lastCnp + MicroSeconds(4).GetTimeStep())
        {
            return;
        }
        lastCnp = now;
        kept += running && !clamp && t == 0;
        rt = clamp || !running || t > 0 ? rc : rt;
        rc = std::max(minimum, rc * (1 - alpha / 2));
        alpha = (1 - g) * alpha + g;
        t = bc = 0;
        bytes = 0;
        running = true;
        nextTimer = now + timer;
        nextAlpha = now + alphaTimer;
    }

    void Sent(int64_t now, double wire)
    {
        AdvanceTo(now);
        if (rc == line)
        {
            return; // unlimited: counters do not matter until the next CNP
        }
        bytes += wire;
        if (bytes >= byteCounter)
        {
            bytes -= byteCounter;
            Event(bc);
        }
    }
};

CongestionFeedback
MakeCnp()
{
    CongestionFeedback feedback;
    feedback.kind = CongestionFeedback::Kind::CNP;
    return feedback;
}

} // namespace

// The paper's Eqn. 1 by hand: alpha 1 halves the rate; alpha stays (1 - g) + g = 1; after one timer
// without a CNP alpha is 255/256 and R_C half way back.
TEST(Dcqcn, FirstStepsByHand)
{
    auto cc = MakePaper(100000000000);
    cc->Open(3, DataRate("100Gbps"), SimTick(0));
    EXPECT_EQ(cc->GetRate(3, SimTick(0)), DataRate("100Gbps"));
    EXPECT_EQ(cc->OnSent(3, 5000, MicroSeconds(1).GetTimeStep()), 0);
    cc->OnFeedback(3, MakeCnp(), MicroSeconds(10).GetTimeStep());
    EXPECT_EQ(cc->GetRate(3, MicroSeconds(10).GetTimeStep()), DataRate("50Gbps"));
    EXPECT_DOUBLE_EQ(cc->GetAlpha(3, MicroSeconds(10).GetTimeStep()), 1.0);
    EXPECT_EQ(cc->OnSent(3, 6250, MicroSeconds(10).GetTimeStep()), MicroSeconds(1).GetTimeStep());
    cc->OnFeedback(3, MakeCnp(), MicroSeconds(13).GetTimeStep()); // within 4 us: ignored
    EXPECT_EQ(cc->GetRate(3, MicroSeconds(64).GetTimeStep()), DataRate("50Gbps"));
    EXPECT_EQ(cc->GetRate(3, MicroSeconds(65).GetTimeStep()), DataRate("75Gbps"));
    EXPECT_DOUBLE_EQ(cc->GetAlpha(3, MicroSeconds(65).GetTimeStep()), 255.0 / 256);
    cc->OnFeedback(3, MakeCnp(), MicroSeconds(66).GetTimeStep());
    EXPECT_NEAR(static_cast<double>(cc->GetRate(3, MicroSeconds(66).GetTimeStep()).GetBitRate()),
                75e9 * (1 - 255.0 / 512),
                1);
    EXPECT_DOUBLE_EQ(cc->GetTarget(3, MicroSeconds(66).GetTimeStep()), 75e9);
}

// ConnectX by hand: a train of CNPs 5 us apart leaves the target at the line rate, alpha decays by
// (255/256)^5 between them; one timer later the rate is half way back; the next CNP takes it as
// target.
TEST(Dcqcn, TrainOfCnpsKeepsTheTarget)
{
    auto cc = CreateObject<DcqcnCongestionControl>();
    cc->Open(0, DataRate("100Gbps"), SimTick(0));
    double alpha = 1;
    double rate = 100e9;
    for (int i = 0; i < 10; ++i)
    {
        alpha *= i == 0 ? 1 : std::pow(255.0 / 256, 5);
        rate *= 1 - alpha / 2;
        alpha = alpha * 255 / 256 + 1.0 / 256;
        const int64_t now = MicroSeconds(5 * i).GetTimeStep();
        cc->OnFeedback(0, MakeCnp(), now);
        EXPECT_NEAR(cc->GetAlpha(0, now), alpha, 1e-12);
        EXPECT_NEAR(static_cast<double>(cc->GetRate(0, now).GetBitRate()), rate, 2);
        EXPECT_DOUBLE_EQ(cc->GetTarget(0, now), 100e9);
    }
    const int64_t later = MicroSeconds(45 + 55).GetTimeStep();
    rate = (100e9 + rate) / 2;
    EXPECT_NEAR(static_cast<double>(cc->GetRate(0, later).GetBitRate()), rate, 2);
    cc->OnFeedback(0, MakeCnp(), later);
    EXPECT_NEAR(cc->GetTarget(0, later), rate, 2);
}

class DcqcnRecurrence : public testing::TestWithParam<std::tuple<bool, uint64_t>>
{
};

TEST_P(DcqcnRecurrence, FollowedStepByStep)
{
    const auto [paper, gbps] = GetParam();
    const DataRate line(gbps * 1000000000);
    int cases[4] = {0, 0, 0, 0};
    for (uint32_t seed = 1; seed <= 8; ++seed)
    {
        std::mt19937 random(seed);
        const auto cc =
            paper ? MakePaper(line.GetBitRate()) : CreateObject<DcqcnCongestionControl>();
        cc->SetAttribute("ByteCounter", UintegerValue(10000000)); // reached at every rate
        Reference reference(cc->GetLimits(line), paper);
        cc->Open(0, line, SimTick(0));
        int64_t now = 0;
        for (int i = 0; i < 20000; ++i)
        {
            // most seeds send densely, some leave long idle gaps
            const int64_t gap = seed % 4 == 0 && i % 1000 == 0 ? MilliSeconds(7).GetTimeStep()
                                                               : NanoSeconds(900).GetTimeStep();
            now += std::uniform_int_distribution<int64_t>(1, gap)(random);
            const bool cnp =
                std::uniform_int_distribution<int>(0, 4000)(random) == 0 || (i > 3000 && i < 3100);
            if (cnp)
            {
                cc->OnFeedback(0, MakeCnp(), now);
                reference.Cnp(now);
            }
            else
            {
                const uint32_t wire = std::uniform_int_distribution<uint32_t>(94, 60000)(random);
                const double before = (reference.AdvanceTo(now), reference.rc);
                const int64_t ticks = cc->OnSent(0, wire, now);
                reference.Sent(now, wire);
                const double exact = wire * 8.0 * Seconds(1).GetTimeStep() / before;
                if (reference.rc < reference.line)
                {
                    ASSERT_NEAR(static_cast<double>(ticks), exact, 1.0 + exact * 1e-9);
                }
            }
            ASSERT_NEAR(static_cast<double>(cc->GetRate(0, now).GetBitRate()),
                        reference.rc,
                        1 + reference.rc * 1e-9);
            ASSERT_NEAR(cc->GetTarget(0, now), reference.rt, reference.rt * 1e-9);
            if (i % 50 == 0)
            {
                ASSERT_NEAR(cc->GetAlpha(0, now), reference.alpha, 1e-12);
            }
        }
        for (int k = 0; k < 3; ++k)
        {
            cases[k] += reference.increases[k];
        }
        cases[3] += reference.kept;
    }
    EXPECT_GT(cases[0], 20); // all three kinds of increase were exercised
    EXPECT_GT(cases[1], 20);
    EXPECT_GT(cases[2], 20);
    EXPECT_EQ(cases[3] > 20, !paper); // and decreases that keep the target
}

INSTANTIATE_TEST_SUITE_P(Rates,
                         DcqcnRecurrence,
                         testing::Combine(testing::Bool(),
                                          testing::Values(10, 25, 100, 400, 1600)));

TEST(Dcqcn, IdleYearsCostNothingAndEndAtLineRate)
{
    auto cc = CreateObject<DcqcnCongestionControl>();
    cc->Open(0, DataRate("400Gbps"), SimTick(0));
    for (int i = 1; i <= 200; ++i)
    {
        cc->OnFeedback(0, MakeCnp(), MicroSeconds(4 * i).GetTimeStep());
    }
    EXPECT_EQ(cc->GetRate(0, MicroSeconds(800).GetTimeStep()),
              DataRate("400Mbps")); // floor: line / 1000
    EXPECT_EQ(cc->GetRate(0, Seconds(3600 * 24 * 30).GetTimeStep()), DataRate("400Gbps"));
    EXPECT_LT(cc->GetAlpha(0, Seconds(3600 * 24 * 30).GetTimeStep()), 1e-12);
}

// Field report 23: the production values of ECN (100 kB, 400 kB, 0.2 at 25 Gb/s) at every rate, and
// that all of them are attributes of the switch.
TEST(Dcqcn, ProductionThresholdsAtEveryRate)
{
    const auto initial = [](const char* name) {
        TypeId::AttributeInformation info;
        EXPECT_TRUE(PacketSwitch::GetTypeId().LookupAttributeByName(name, &info)) << name;
        return info.initialValue->SerializeToString(info.checker);
    };
    EXPECT_EQ(QueueSize(initial("EcnKmin")).GetValue(), 100000u);
    EXPECT_EQ(QueueSize(initial("EcnKmax")).GetValue(), 400000u);
    EXPECT_EQ(initial("EcnPmax"), "0.2");
    EXPECT_EQ(initial("EcnScale"), "true");
    for (const uint64_t gbps : {25, 100, 200, 400, 800})
    {
        const DataRate rate(gbps * 1000000000);
        EXPECT_EQ(EcnMarker::Scale(100000, rate), gbps * 4000);  // 400G: 1.6 MB
        EXPECT_EQ(EcnMarker::Scale(400000, rate), gbps * 16000); // 400G: 6.4 MB
    }
}

// Field report 23: what the defaults are at each rate.
TEST(Dcqcn, DefaultsScaleWithTheLineRate)
{
    auto cc = CreateObject<DcqcnCongestionControl>();
    for (const uint64_t gbps : {10, 25, 40, 100, 200, 400, 800, 1600})
    {
        const DcqcnLimits limits = cc->GetLimits(DataRate(gbps * 1000000000));
        EXPECT_DOUBLE_EQ(limits.line, gbps * 1e9);
        EXPECT_DOUBLE_EQ(limits.additive, gbps * 1e6);
        EXPECT_DOUBLE_EQ(limits.hyper, gbps * 1e7);
        EXPECT_DOUBLE_EQ(limits.floor, gbps * 1e6);
        EXPECT_NEAR(limits.byteCounter, gbps * 250000.0, 1);
    }
    cc->SetAttribute("AdditiveIncrease", DataRateValue(DataRate("40Mbps")));
    cc->SetAttribute("HyperIncrease", DataRateValue(DataRate("200Mbps")));
    cc->SetAttribute("MinimumRate", DataRateValue(DataRate("10Mbps")));
    cc->SetAttribute("ByteCounter", UintegerValue(10000000));
    const DcqcnLimits limits = cc->GetLimits(DataRate("400Gbps"));
    EXPECT_DOUBLE_EQ(limits.additive, 40e6);
    EXPECT_DOUBLE_EQ(limits.hyper, 200e6);
    EXPECT_DOUBLE_EQ(limits.floor, 10e6);
    EXPECT_EQ(limits.byteCounter, 10000000u);
}

TEST(NoCongestionControl, KeepsTheFixedRate)
{
    auto cc = CreateObject<NoCongestionControl>();
    cc->Open(0, DataRate("100Gbps"), SimTick(0));
    EXPECT_EQ(cc->OnSent(0, 5000, SimTick(0)), 0);
    cc->SetAttribute("Rate", DataRateValue(DataRate("10Gbps")));
    cc->Open(1, DataRate("100Gbps"), SimTick(0));
    EXPECT_EQ(cc->OnSent(1, 5000, SimTick(0)), MicroSeconds(4).GetTimeStep());
    cc->OnFeedback(1, MakeCnp(), SimTick(0));
    EXPECT_EQ(cc->GetRate(1, SimTick(0)), DataRate("10Gbps"));
    cc->Open(2, DataRate("5Gbps"), SimTick(0));
    EXPECT_EQ(cc->GetRate(2, SimTick(0)), DataRate("5Gbps"));
}
