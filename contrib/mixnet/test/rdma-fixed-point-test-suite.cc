/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Fixed points: N queue pairs on one bottleneck under every congestion control, held against what
// the papers say of the steady state.

#include "rdma-bottleneck.h"

#include "ns3/dctcp-congestion-control.h"
#include "ns3/hpcc-congestion-control.h"
#include "ns3/ns3-compat.h"
#include "ns3/swift-congestion-control.h"
#include "ns3/timely-congestion-control.h"

#include <cmath>

using namespace ns3;

namespace
{

/// @param test the case @param s measured @param what case; nothing lost, nothing paused
void
ExpectLossless(CongestionTestCase& test, const Steady& s, const std::string& what)
{
    test.ExpectEqual(s.drops, 0U, what + ": drops");
    test.ExpectEqual(s.resent, 0U, what + ": sent again");
}

/**
 * HPCC holds the load of the bottleneck at eta = 0.95 with an almost empty queue (paper, sections
 * 3.2 and 3.3), whatever N: goodput 0.95 x payload share. RTT 13 us and packets of 1 KiB, as in the
 * paper's simulations: with few packets per round trip, one packet more is more than 5 % of it.
 */
void
HpccFixedPoint(CongestionTestCase& test, uint32_t senders)
{
    Bottleneck b{senders, "Hpcc", 100, MilliSeconds(12), MilliSeconds(4)};
    b.delay = MicroSeconds(3);
    b.nic = {{"PayloadSize", "1024"}};
    BottleneckRun run(test, b);
    const Steady s = run.Measure();
    const double frame = 1024 + ROCE_BASE_BYTES + 42;
    const double ideal = 0.95 * 1024 / frame;
    test.ExpectWithin(s.total, 0.99 * ideal, 1.01 * ideal, "goodput");
    test.ExpectWithin(s.queue, 0, 2 * frame, "mean queue");
    test.ExpectWithin(s.peak, 0, 12 * frame, "largest queue");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.95, 1, "fairness");
    test.ExpectWithin(run.Control<HpccCongestionControl>(0).GetUtilization(run.Slot(0)),
                      0.9,
                      1,
                      "U of a sender");
    test.ExpectEqual(s.pauses, 0U, "pauses");
    ExpectLossless(test, s, "HPCC");
}

/// Swift: the round trip settles at the target or, while all senders add their packet per round
/// trip before they notice, N ai packets above it; the link is full.
void
SwiftFixedPoint(CongestionTestCase& test, uint32_t senders)
{
    BottleneckRun run(test, {senders, "Swift", 100, MilliSeconds(2), MilliSeconds(3)});
    const Steady s = run.Measure();
    const double packet = (4096 + ROCE_BASE_BYTES) * 80e-12; // seconds
    const double base = 2 * (packet + (ROCE_BASE_BYTES + AETH_BYTES) * 80e-12 + 2e-6);
    const double rtt = base + s.queue * 80e-12;
    double target = 0;
    for (uint32_t i = 0; i < senders; ++i)
    {
        target += run.Control<SwiftCongestionControl>(i).GetTarget(run.Slot(i)) * 1e-12 / senders;
    }
    test.ExpectWithin(rtt, 0.97 * target, target + senders * packet, "round trip");
    test.ExpectWithin(s.total, 0.975, 0.985, "goodput");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.98, 1, "fairness");
    test.ExpectEqual(s.pauses, 0U, "pauses");
    ExpectLossless(test, s, "Swift");
}

/// Patched TIMELY at 10G ("ECN or Delay", section 4.3): every gradient 0, so w = 1/2 and delta =
/// beta R (rtt - T_low) / T_low for all; R = C / N gives rtt = T_low (1 + N delta / (beta C)).
void
PatchedTimelyFixedPoint(CongestionTestCase& test, uint32_t senders)
{
    Bottleneck b{senders, "Timely", 10, MilliSeconds(150), MilliSeconds(50)};
    b.strategy = {{"Patched", "true"}};
    BottleneckRun run(test, b);
    const Steady s = run.Measure();
    const double base =
        2 * ((4096 + ROCE_BASE_BYTES + ROCE_BASE_BYTES + AETH_BYTES) * 800e-12 + 2e-6);
    const double rtt = base + s.queue * 800e-12;
    const double expected = 50e-6 * (1 + senders * 0.001 / 0.008);
    test.ExpectWithin(rtt, 0.98 * expected, 1.02 * expected, "round trip");
    test.ExpectWithin(s.total, 0.975, 0.985, "goodput");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.999, 1, "fairness");
    ExpectLossless(test, s, "TIMELY");
}

/// TIMELY as published has no fixed point: rates stay within bounds, and the link is mostly used.
void
TimelyIsBounded(CongestionTestCase& test, uint32_t senders)
{
    BottleneckRun run(test, {senders, "Timely", 10, MilliSeconds(100), MilliSeconds(100)});
    const Steady s = run.Measure();
    test.ExpectWithin(s.total, 0.6, 0.985, "goodput");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.5, 1, "fairness");
    const double highest = 1.25e9 * 500e-6; // bytes that make a round trip of T_high
    test.ExpectWithin(s.peak, 0, highest, "queue");
    ExpectLossless(test, s, "TIMELY");
}

/**
 * DCTCP (SIGCOMM 2010, section 3.3): the queue stays at K, at most a packet of each sender above
 * it; the marked share is sqrt(2 / W*), W* = (C RTT + K) / N packets, if all saw-teeth are in step;
 * senders that are not are marked less often, in the measurements of that paper down to half.
 */
void
DctcpFixedPoint(CongestionTestCase& test, uint32_t senders)
{
    Bottleneck b{senders, "Dctcp", 100, MilliSeconds(2), MilliSeconds(3)};
    b.fabricSwitch = {{"EcnKmin", "75kB"}, {"EcnKmax", "75kB"}}; // at 25G
    BottleneckRun run(test, b);
    const Steady s = run.Measure();
    const double frame = 4096 + ROCE_BASE_BYTES;
    const double k = 300000;
    test.ExpectWithin(s.queue, 0.95 * k, k + senders * frame, "mean queue");
    test.ExpectWithin(s.peak, k, k + (senders + 2) * frame, "largest queue");
    const double bdp = 12.5e9 * 2 * ((frame + ROCE_BASE_BYTES + AETH_BYTES) * 80e-12 + 2e-6);
    const double share = std::sqrt(2 / ((bdp + k) / frame / senders));
    test.ExpectWithin(s.marked, 0.5 * share, 1.1 * share, "marked share");
    test.ExpectWithin(s.total, 0.975, 0.985, "goodput");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.97, 1, "fairness");
    ExpectLossless(test, s, "DCTCP");
}

/// Where the fluid model of DCQCN stands still.
struct DcqcnModel
{
    double capacity; //!< C, packets per second
    double senders;  //!< N
    double counter;  //!< B, packets
    double additive; //!< R_AI, packets per second

    /**
     * The model of the DCQCN paper (section 5.1) and of "ECN or Delay" (section 3.1): with R = C /
     * N and marking probability p, alpha = 1 - (1 - p)^(tau' R); dR_T/dt = 0 gives R_T - R_C, and
     * dR_C/dt is decrease minus increase.
     *
     * @param p marking probability @return -dR_C/dt, which rises with p
     */
    double Excess(double p) const
    {
        constexpr double fast = 5;
        constexpr double timer = 55e-6;
        constexpr double cnp = 50e-6;
        const double rate = capacity / senders;
        const double none = 1 - p;
        const double cut = 1 - std::pow(none, cnp * rate);
        const double alpha = 1 - std::pow(none, timer * rate);
        const double byBytes = p / (std::pow(none, -counter) - 1);
        const double byTime = p / (std::pow(none, -timer * rate) - 1);
        const double gap = cnp * additive * rate *
                           (std::pow(none, fast * counter) * byBytes +
                            std::pow(none, fast * timer * rate) * byTime) /
                           cut;
        return rate * alpha / (2 * cnp) * cut - gap / 2 * rate * (byBytes + byTime);
    }

    /// @return marking probability of the fixed point, by bisection
    double Solve() const
    {
        double low = 1e-9;
        double high = 0.5;
        for (int i = 0; i < 100; ++i)
        {
            const double middle = std::sqrt(low * high);
            (Excess(middle) < 0 ? low : high) = middle;
        }
        return low;
    }
};

/// DCQCN with the paper's parameters at 40G: the mean queue is where RED marks with the fixed
/// point's probability, within a quarter of it; rates are equal.
void
DcqcnPaperFixedPoint(CongestionTestCase& test, uint32_t senders)
{
    Bottleneck b{senders, "Dcqcn", 40, MilliSeconds(150), MilliSeconds(150)};
    b.strategy = {{"AlphaInterval", "55us"},
                  {"DecreaseInterval", "0us"},
                  {"ClampTargetRate", "true"}};
    b.nic = {{"CnpInterval", "50us"}};
    b.fabricSwitch = {{"EcnScale", "false"},
                      {"EcnKmin", "5kB"},
                      {"EcnKmax", "200kB"},
                      {"EcnPmax", "0.01"}};
    BottleneckRun run(test, b);
    const Steady s = run.Measure();
    const double bits = 8 * (4096 + ROCE_BASE_BYTES);
    const DcqcnModel model{40e9 / bits, double(senders), 10e6 * 8 / bits, 40e6 / bits};
    const double queue = 5000 + 195000 * model.Solve() / 0.01;
    test.ExpectWithin(s.queue, 0.75 * queue, 1.25 * queue, "mean queue");
    test.ExpectWithin(s.total, 0.97, 0.985, "goodput");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.99, 1, "fairness");
    ExpectLossless(test, s, "DCQCN");
}

/// DCQCN with the defaults: full link, equal rates, a queue between Kmin and Kmax.
void
DcqcnDefaults(CongestionTestCase& test, uint32_t senders)
{
    BottleneckRun run(test, {senders, "Dcqcn", 100, MilliSeconds(20), MilliSeconds(10)});
    const Steady s = run.Measure();
    test.ExpectWithin(s.total, 0.97, 0.985, "goodput");
    test.ExpectWithin(CongestionTestCase::JainIndex(s.goodput), 0.97, 1, "fairness");
    test.ExpectWithin(s.queue, 300000, 1600000, "mean queue"); // Kmin is 400 kB
    ExpectLossless(test, s, "DCQCN");
}

/// 16:1 into a buffer of 4 MB beside the headroom: PFC keeps every strategy from losing anything.
void
LosslessUnderPfc(CongestionTestCase& test)
{
    for (const char* control : {"No", "Dcqcn", "Hpcc", "Swift", "Timely", "Dctcp"})
    {
        Bottleneck b{16, control, 100, MicroSeconds(100), MilliSeconds(1)};
        b.fabricSwitch = {{"BufferSize", "4MiB"}};
        b.stagger = Time(0);
        BottleneckRun run(test, b);
        const Steady s = run.Measure();
        ExpectLossless(test, s, control);
        test.Expect(s.pauses > 0 || std::string(control) != "No", "PFC had to act");
        test.ExpectWithin(s.total, 0.1, 1, std::string(control) + ": goodput");
        test.DoTeardown();
    }
}

} // namespace

/**
 * @ingroup mixnet-test
 * Steady states of congestion control.
 */
class RdmaFixedPointTestSuite : public TestSuite
{
  public:
    RdmaFixedPointTestSuite()
        : TestSuite("mixnet-rdma-fixed-point", TestSuite::Type::UNIT)
    {
        const auto add = [this](const std::string& name,
                                void (*body)(CongestionTestCase&, uint32_t),
                                const std::vector<uint32_t>& senders) {
            for (const uint32_t n : senders)
            {
                AddTestCase(
                    new CongestionTestCase(name + ", " + std::to_string(n) + " senders",
                                           [body, n](CongestionTestCase& test) { body(test, n); }));
            }
        };
        add("HPCC", HpccFixedPoint, {1, 2, 4, 8, 16});
        add("Swift", SwiftFixedPoint, {2, 4, 8, 16});
        add("patched TIMELY", PatchedTimelyFixedPoint, {2, 4, 8});
        add("TIMELY", TimelyIsBounded, {2, 8});
        add("DCTCP", DctcpFixedPoint, {2, 4, 8});
        add("DCQCN of the paper", DcqcnPaperFixedPoint, {2, 3, 4});
        add("DCQCN", DcqcnDefaults, {2, 4, 8});
        AddTestCase(new CongestionTestCase("lossless under PFC", LosslessUnderPfc));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaFixedPointTestSuite g_rdmaFixedPointTestSuite; //!< the suite
