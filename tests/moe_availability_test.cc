/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/availability-walk.h"
#include "ns3/double.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ns3;

namespace
{

/// Iterations of fixed times, one per number of elements away.
class FixedTimes : public IterationTimes
{
  public:
    double GetTime(const DegradedState& state) override
    {
        ++m_asked;
        uint32_t away = 0;
        for (const uint32_t count : state)
        {
            away += count;
        }
        return m_healthy + away * m_slower;
    }

    double m_healthy{10}; //!< seconds
    double m_slower{0};   //!< seconds more for every element that is away
    uint32_t m_asked{0};  //!< how often
};

/// @return draws
Ptr<ExponentialRandomVariable>
MakeStream(int64_t stream)
{
    Ptr<ExponentialRandomVariable> x = CreateObject<ExponentialRandomVariable>();
    x->SetAttribute("Mean", DoubleValue(1));
    x->SetStream(stream);
    return x;
}

/// @return an element that takes its rank along
FailingKind
MakeKind(const char* name, uint32_t elements, double mtbf, double mttr)
{
    FailingKind kind;
    kind.name = name;
    kind.elements = elements;
    kind.mtbf = mtbf;
    kind.mttr = mttr;
    kind.stopsRanks = true;
    return kind;
}

/// The laws that hold whatever happens.
void
CheckLaws(const AvailabilityResult& r)
{
    EXPECT_NEAR(r.up + r.saving + r.restoring + r.waiting, r.horizon, 1e-6 * r.horizon);
    double byState = 0;
    for (const auto& [state, seconds] : r.timeByState)
    {
        byState += seconds;
    }
    EXPECT_NEAR(byState, r.up, 1e-6 * r.horizon);
    EXPECT_LE(r.lost, r.up);
    EXPECT_GE(r.usefulIterations, 0);
}

constexpr double HOUR = 3600;
constexpr double DAY = 24 * HOUR;

} // namespace

// Nothing fails: all of the horizon but the checkpoints is useful. 100 iterations of 10 s and 20 s
// for a checkpoint: 1000 / 1020.
TEST(Availability, CheckpointsAloneCostTheirShare)
{
    FixedTimes times;
    AvailabilityWalk walk({}, {100, 20}, times, MakeStream(1));
    const AvailabilityResult r = walk.Run(100 * DAY);
    CheckLaws(r);
    EXPECT_NEAR(r.GetAvailability(), 1000.0 / 1020, 1e-4);
    EXPECT_NEAR(r.GetGoodput(), 1000.0 / 1020, 1e-4);
    EXPECT_EQ(r.checkpoints, uint64_t(100 * DAY / 1020));
    EXPECT_EQ(r.lost, 0);
}

// An alternating renewal process: up for MTBF, down for MTTR in the mean, so up for
// MTBF / (MTBF + MTTR) of the time (Barlow and Proschan, 1965, chapter 3). With n cycles the share
// has a standard deviation of about sqrt(2 / n) (1 - A) A: 3 of them are allowed.
TEST(Availability, OneElementWithoutSparesIsUpForMtbfOverMtbfPlusMttr)
{
    FixedTimes times;
    const double mtbf = 20 * HOUR;
    const double mttr = 5 * HOUR;
    AvailabilityWalk walk({MakeKind("gpu", 1, mtbf, mttr)}, {}, times, MakeStream(2));
    const AvailabilityResult r = walk.Run(5000 * DAY);
    CheckLaws(r);
    const double cycles = 5000 * DAY / (mtbf + mttr);
    ASSERT_GT(cycles, 4000);
    EXPECT_NEAR(r.GetAvailability(), 0.8, 3 * std::sqrt(2 / cycles) * 0.8 * 0.2);
    EXPECT_NEAR(double(r.failures[0]), cycles, 4 * std::sqrt(cycles));
    EXPECT_GT(r.waiting, 0);
    EXPECT_EQ(r.restoring, 0);
}

// Failures fall anywhere in a checkpoint interval: half of it is lost in the mean, when failures
// are rare against the interval (error interval / MTBF / 6 of it). n losses, each uniform over the
// interval: standard deviation interval / sqrt(12 n).
TEST(Availability, HalfACheckpointIntervalIsLostPerFailure)
{
    FixedTimes times;
    FailingKind kind = MakeKind("server", 10, 1000 * HOUR, HOUR);
    kind.spares = 10;
    kind.downtime = 600;
    kind.losesWork = true;
    const double interval = 100 * 10;
    AvailabilityWalk walk({kind}, {100, 0}, times, MakeStream(3));
    const AvailabilityResult r = walk.Run(10000 * DAY);
    CheckLaws(r);
    ASSERT_GT(r.losses, 2000U);
    const double mean = r.lost / r.losses;
    EXPECT_NEAR(mean, interval / 2, 3 * interval / std::sqrt(12.0 * r.losses) + 2);
    EXPECT_NEAR(r.restoring, 600.0 * r.failures[0], 600.0 * r.failures[0] * 0.01);
    EXPECT_EQ(r.waiting, 0);
    // What is lost is up time, but no iteration of it counts.
    EXPECT_NEAR(r.usefulIterations * 10, r.up - r.lost, 1e-3 * r.up);
}

// With the state at hand only the iteration under way is lost: half of one in the mean.
TEST(Availability, HalfAnIterationIsLostWhenTheStateIsAtHand)
{
    FixedTimes times;
    FailingKind kind = MakeKind("gpu", 10, 100 * HOUR, HOUR);
    kind.spares = 10;
    AvailabilityWalk walk({kind}, {100, 0}, times, MakeStream(4));
    const AvailabilityResult r = walk.Run(2000 * DAY);
    CheckLaws(r);
    ASSERT_GT(r.losses, 2000U);
    EXPECT_NEAR(r.lost / r.losses, 5, 3 * 10 / std::sqrt(12.0 * r.losses));
}

// n independent elements that only slow the job down: k of them are away with the binomial
// distribution of availability MTBF / (MTBF + MTTR) each.
TEST(Availability, DegradedStatesHaveTheBinomialShares)
{
    FixedTimes times;
    times.m_slower = 1;
    FailingKind nic = MakeKind("nic", 2, 30 * HOUR, 10 * HOUR);
    nic.stopsRanks = false;
    AvailabilityWalk walk({nic}, {}, times, MakeStream(5));
    const AvailabilityResult r = walk.Run(5000 * DAY);
    CheckLaws(r);
    EXPECT_NEAR(r.timeByState.at({0}) / r.horizon, 0.5625, 0.02);
    EXPECT_NEAR(r.timeByState.at({1}) / r.horizon, 0.375, 0.02);
    EXPECT_NEAR(r.timeByState.at({2}) / r.horizon, 0.0625, 0.01);
    EXPECT_NEAR(r.GetAvailability(), 1, 1e-9);
    EXPECT_NEAR(r.GetGoodput(), (0.5625 / 10 + 0.375 / 11 + 0.0625 / 12) * 10, 0.005);
    EXPECT_EQ(times.m_asked, 3U);
}

// One spare: the job waits only when two are away at once. A birth-death chain of two elements in
// service (one when two are away) gives the shares of 0, 1, 2 away: rates 2/F up, 2/F up; 1/R, 2/R
// down. p1 = 2 R/F p0, p2 = p1 (2/F) / (2/R) = p1 R/F.
TEST(Availability, TheJobWaitsOnlyWhenSparesRunOut)
{
    FixedTimes times;
    const double f = 40 * HOUR;
    const double repair = 10 * HOUR;
    FailingKind kind = MakeKind("gpu", 2, f, repair);
    kind.spares = 1;
    AvailabilityWalk walk({kind}, {}, times, MakeStream(6));
    const AvailabilityResult r = walk.Run(5000 * DAY);
    CheckLaws(r);
    // With two away one element serves still and may fail: a third state, p3 = p2 (1/F) / (3/R).
    const double p1 = 2 * repair / f;
    const double p2 = p1 * repair / f;
    const double p3 = p2 * (1 / f) / (3 / repair);
    const double sum = 1 + p1 + p2 + p3;
    EXPECT_NEAR(r.waiting / r.horizon, (p2 + p3) / sum, 0.01);
    EXPECT_NEAR(r.timeByState.at({1}) / r.horizon, p1 / sum, 0.015);
}

TEST(Availability, SameSeedSameWalk)
{
    std::vector<double> up;
    for (const int64_t stream : {7, 7, 8})
    {
        FixedTimes times;
        FailingKind kind = MakeKind("gpu", 5, 10 * HOUR, HOUR);
        kind.spares = 1;
        kind.downtime = 60;
        AvailabilityWalk walk({kind}, {10, 5}, times, MakeStream(stream));
        up.push_back(walk.Run(30 * DAY).up);
    }
    EXPECT_EQ(up[0], up[1]);
    EXPECT_NE(up[0], up[2]);
}

// Two regions of 4 GPUs with a spare each: each is a birth-death chain of its own (machine repair
// with 4 in service as long as its spare suffices). Without any server to fall back on the job runs
// while both have at most one away; as one pool of two spares it would run more often.
TEST(Availability, SparesOfARegionDoNotHelpAnother)
{
    FixedTimes times;
    const double f = 100 * HOUR;
    const double repair = 10 * HOUR;
    const auto run = [&](uint32_t pools, uint32_t spares) {
        FailingKind kind = MakeKind("gpu", 8, f, repair);
        kind.pools = pools;
        kind.spares = spares;
        AvailabilityWalk walk({kind}, {}, times, MakeStream(11));
        const AvailabilityResult r = walk.Run(20000 * DAY);
        CheckLaws(r);
        return r.waiting / r.horizon;
    };
    // n in service while away <= spares, then one less for each; k away are repaired at k / repair.
    const auto getShares = [&](uint32_t n, uint32_t spares) {
        std::vector<double> p{1};
        double sum = 1;
        for (uint32_t k = 1; k <= n + spares; ++k)
        {
            const uint32_t away = k - 1;
            const double serving = n - (away > spares ? away - spares : 0);
            p.push_back(p.back() * serving * repair / (f * k));
            sum += p.back();
        }
        double up = 0;
        for (uint32_t k = 0; k <= spares; ++k)
        {
            up += p[k] / sum;
        }
        return up;
    };
    const double regions = getShares(4, 1);
    const double one = getShares(8, 2);
    ASSERT_GT(one - regions * regions, 0.04);
    EXPECT_NEAR(run(2, 1), 1 - regions * regions, 0.005);
    EXPECT_NEAR(run(1, 2), 1 - one, 0.005);
}

// GPUs without a spare of their region take a server of the global pool, which serves both: with
// GPUs that stay in service (rate 8 / F whatever is away) the number away in each region is Poisson
// with mean 4 R / F, and the job waits when the two shortages together exceed the pool.
TEST(Availability, GpusFallBackOnServersOfAllRegions)
{
    FixedTimes times;
    FailingKind gpu = MakeKind("gpu", 8, 80 * HOUR, 10 * HOUR);
    gpu.pools = 2;
    gpu.spares = 1;
    gpu.fallsBack = true;
    FailingKind server = MakeKind("server", 2, 0, 0);
    server.spares = 1;
    AvailabilityWalk walk({gpu, server}, {}, times, MakeStream(12));
    const AvailabilityResult r = walk.Run(20000 * DAY);
    CheckLaws(r);
    const double mean = 4 * 10.0 / 80;
    double up = 0;
    double pi = std::exp(-mean);
    for (int i = 0; i < 3; ++i)
    {
        double pj = std::exp(-mean);
        for (int j = 0; j < 3; ++j)
        {
            up += std::max(0, i - 1) + std::max(0, j - 1) <= 1 ? pi * pj : 0;
            pj *= mean / (j + 1);
        }
        pi *= mean / (i + 1);
    }
    EXPECT_NEAR(1 - r.waiting / r.horizon, up, 0.003);
    EXPECT_GT(1 - up, 0.02);
}

// A job of two replicas that shrinks: two elements, each away for R / (F + R) of the time. It makes
// whole batches when none is away, half when one is, and waits when both are.
TEST(Availability, AShrunkenJobMakesPartOfTheBatch)
{
    FixedTimes times;
    AvailabilityWalk walk({MakeKind("gpu", 2, 30 * HOUR, 10 * HOUR)}, {}, times, MakeStream(13));
    walk.SetReplicas(2);
    const AvailabilityResult r = walk.Run(20000 * DAY);
    CheckLaws(r);
    EXPECT_NEAR(r.waiting / r.horizon, 0.0625, 0.004);
    EXPECT_NEAR(r.shrunk / r.horizon, 0.375, 0.01);
    EXPECT_NEAR(r.GetGoodput(), 0.5625 + 0.375 / 2, 0.01);
}

// Young (CACM 17(9), 1974): the best interval between checkpoints of C seconds is sqrt(2 C M) for a
// loss every M seconds; 60 s and 10 h: 2,078 s. The curve is flat there: overhead C / t + t / (2 M)
// is 5.8 % at the best, 8.7 % at a third and three times of it (factor (3 + 1/3) / 2).
TEST(Availability, CheckpointsEveryYoungIntervalAreBest)
{
    FixedTimes times;
    const double c = 60;
    const double m = 10 * HOUR;
    const double best = std::sqrt(2 * c * m);
    const auto getLoss = [&](double factor) {
        FailingKind kind = MakeKind("server", 10, 10 * m, 60);
        kind.spares = 10;
        kind.losesWork = true;
        AvailabilityWalk walk({kind},
                              {static_cast<uint32_t>(best * factor / times.m_healthy), c},
                              times,
                              MakeStream(14));
        const AvailabilityResult r = walk.Run(20000 * DAY);
        CheckLaws(r);
        return 1 - r.GetGoodput();
    };
    const double least = getLoss(1);
    EXPECT_NEAR(least, c / best + best / (2 * m), 0.004);
    EXPECT_NEAR(getLoss(3) / least, (3 + 1.0 / 3) / 2, 0.1);
    EXPECT_NEAR(getLoss(1.0 / 3) / least, (3 + 1.0 / 3) / 2, 0.1);
    EXPECT_GT(getLoss(1.6), least);
    EXPECT_GT(getLoss(0.6), least);
}
