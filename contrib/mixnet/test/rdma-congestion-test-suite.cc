/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Between queue pairs and congestion control: base round trips, windows, telemetry, feedback.

#include "rdma-congestion-test-case.h"

#include "ns3/hpcc-congestion-control.h"
#include "ns3/mixnet-error.h"
#include "ns3/ns3-compat.h"

#include <algorithm>

using namespace ns3;

namespace
{

constexpr const char* RECORDER = "ns3::TestCongestionRecorder";

/// A path and what travels on it.
struct PathCase
{
    uint32_t switches; //!< on the chain
    uint64_t gbps;     //!< rate of all links
    Time delay;        //!< of each link
    uint32_t payload;  //!< of a packet
};

/**
 * Closed form: on n + 1 equal links of rate C and delay d, a full packet of P bytes takes (n + 1)
 * (8 (P + 82) / C + d) there, its ACK of 86 bytes (n + 1) (8 x 86 / C + d) back. What the path says
 * and what is measured on it must both be that, to the picosecond.
 */
void
BaseRttIsExact(CongestionTestCase& test, const PathCase& c)
{
    test.MakeChain(1,
                   1,
                   c.switches,
                   CongestionTestCase::Cable(std::to_string(c.gbps) + "Gbps", c.delay));
    test.SetNic("CongestionControl", RECORDER);
    test.SetNic("PayloadSize", std::to_string(c.payload));
    test.World().SetSwitchAttribute("Pfc", BooleanValue(false)); // headroom of 25 ms is gigabytes
    test.SetNic("Window", std::to_string(c.payload));            // one packet at a time
    test.Build();
    test.Recorder(0)->SetAttribute("Room", UintegerValue(0));
    RdmaLog log;
    const auto qps = test.Connect(0, 1, &log);
    test.Nic(0).PostSend(qps.first, 1, ByteCount(3 * uint64_t{c.payload}));
    test.Run();
    const uint64_t bits = 8 * (uint64_t{c.payload} + 82 + 86) * 1000;
    const SimTick expected =
        (c.switches + 1) * (static_cast<SimTick>(bits / c.gbps) + 2 * c.delay.GetTimeStep());
    const auto recorder = test.Recorder(0);
    test.ExpectEqual(recorder->paths.size(), 2U, "opened when created and when first used");
    test.ExpectEqual(recorder->paths[0].baseRtt, SimTick(0), "not known yet");
    test.ExpectEqual(recorder->paths[1].baseRtt, expected, "base round trip of the path");
    test.ExpectEqual(recorder->paths[1].hops, c.switches, "hops");
    test.ExpectEqual(recorder->paths[1].frameBytes, c.payload + 82, "a full packet");
    test.ExpectEqual(recorder->feedbacks.size(), 3U, "acknowledgements");
    test.ExpectEqual(recorder->feedbacks[1].roundTrip, expected, "measured round trip");
    test.ExpectEqual(recorder->feedbacks[1].packets, 1U, "packets acknowledged");
    test.Expect(!recorder->feedbacks[1].telemetry, "nothing is collected unasked");
    test.ExpectEqual(test.Nic(0).GetCounters().timeouts, 0U, "timeouts");
}

/// @param test a case @param c path @param bytes message @param control congestion control
/// @param automatic window @param variable window @return when the message was delivered
Time
MeasureFct(CongestionTestCase& test,
           const PathCase& c,
           uint64_t bytes,
           const std::string& control,
           bool automatic,
           bool variable = false)
{
    test.MakeChain(1,
                   1,
                   c.switches,
                   CongestionTestCase::Cable(std::to_string(c.gbps) + "Gbps", c.delay));
    test.SetNic("CongestionControl", "ns3::" + control + "CongestionControl");
    test.SetNic("PayloadSize", std::to_string(c.payload));
    test.World().SetSwitchAttribute("Pfc", BooleanValue(false)); // headroom of 25 ms is gigabytes
    test.SetNic("AutoWindow", automatic ? "true" : "false");
    test.SetNic("VariableWindow", variable ? "true" : "false");
    test.Build();
    RdmaLog log;
    const auto qps = test.Connect(0, 1, &log);
    test.Nic(0).PostSend(qps.first, 1, ByteCount(bytes));
    test.Run();
    test.ExpectEqual(log.received.size(), 1U, "delivered");
    test.ExpectEqual(test.Nic(0).GetCounters().dataResent, 0U, "sent again");
    const Time at = log.received.empty() ? Time(0) : log.received[0].at;
    test.DoTeardown();
    return at;
}

/// A window of base round trip x line rate never slows an idle path.
void
AutoWindowCostsNothing(CongestionTestCase& test, const PathCase& c, uint64_t bytes)
{
    const Time without = MeasureFct(test, c, bytes, "No", false);
    test.ExpectEqual(MeasureFct(test, c, bytes, "No", true), without, "with AutoWindow");
    test.ExpectEqual(MeasureFct(test, c, bytes, "No", true, true), without, "with both");
}

/// Whatever is sent within the first round trip leaves at line rate under every strategy.
void
FirstRoundTripIsIdeal(CongestionTestCase& test, const PathCase& c, uint64_t bytes)
{
    const Time without = MeasureFct(test, c, bytes, "No", false);
    for (const char* control : {"Dcqcn", "Swift", "Timely", "Dctcp"})
    {
        test.ExpectEqual(MeasureFct(test, c, bytes, control, false), without, control);
    }
    // HPCC: every frame is 42 bytes longer on every link; the pipeline's closed form adds that to
    // each packet once and to the largest once per further link
    const uint64_t packets = (bytes + c.payload - 1) / c.payload;
    const auto more = static_cast<int64_t>((packets + c.switches) * 42 * 8000 / c.gbps);
    test.ExpectEqual(MeasureFct(test, c, bytes, "Hpcc", false),
                     without + PicoSeconds(more),
                     "Hpcc");
}

/**
 * Telemetry on an idle chain, 100G, 1 us: hop i forwards packet k alone at time (start of k) +
 * (i + 1) (s + d), s its serialization; bytes sent before are k packets' (and no ACK, which go the
 * other way), nothing waits.
 */
void
TelemetryIsExact(CongestionTestCase& test, uint32_t switches)
{
    test.MakeChain(1, 1, switches, CongestionTestCase::Cable("100Gbps", MicroSeconds(1)));
    test.SetNic("CongestionControl", RECORDER);
    test.SetNic("Window", "4096");
    test.Build();
    RdmaLog log;
    const auto qps = test.Connect(0, 1, &log);
    test.Nic(0).PostSend(qps.first, 1, ByteCount(5 * 4096));
    test.Run();
    const auto recorder = test.Recorder(0);
    test.ExpectEqual(recorder->telemetry.size(), 5U, "acknowledgements");
    uint64_t before = 0;
    for (std::size_t k = 0; k < recorder->telemetry.size(); ++k)
    {
        const FrameTelemetry& t = recorder->telemetry[k];
        const auto [start, wire] = recorder->sent[k];
        test.ExpectEqual(wire, 4096U + 82 + (k == 0 ? 16 : 0) + 2 + 8 * 15, "bytes on the wire");
        test.ExpectEqual(t.hops, switches, "hops");
        test.ExpectEqual(t.room, 15U, "room");
        for (uint32_t i = 0; i < std::min(t.hops, t.room); ++i)
        {
            const SimTick at = start + (i + 1) * (SimTick{wire} * 80 + 1000000);
            test.ExpectEqual(t.hop[i].time, at, "time");
            test.ExpectEqual(t.hop[i].sentBytes, before, "bytes sent before");
            test.ExpectEqual(t.hop[i].queueBytes, 0U, "queue");
            test.ExpectEqual(t.hop[i].kilobits, 100000000U, "rate");
            test.Expect(i == 0 || t.hop[i].port != t.hop[i - 1].port, "another port");
        }
        before += wire;
    }
}

/// Two senders at line rate: queues seen by telemetry add up to the bytes that wait.
void
TelemetrySeesTheQueue(CongestionTestCase& test)
{
    test.MakeChain(2, 1, 1, CongestionTestCase::Cable("100Gbps", MicroSeconds(1)));
    test.SetNic("CongestionControl", RECORDER);
    test.Build();
    RdmaLog log;
    constexpr uint64_t packets = 200;
    for (const uint32_t s : {0U, 1U})
    {
        test.Nic(s).PostSend(test.Connect(s, 2, &log).first, 1, ByteCount(packets * 4096));
    }
    test.Run();
    // both start at once and are served in turn: when packet k of one is forwarded, 2 k have left
    // and 4 k have come, so 2 k wait
    const auto recorder = test.Recorder(0);
    const uint32_t frame = 4096 + 82 + 122 - 20;
    for (std::size_t k = 10; k < 100; k += 10)
    {
        const double queue = recorder->telemetry[k].hop[0].queueBytes;
        test.ExpectWithin(queue / frame,
                          2.0 * double(k) - 1,
                          2.0 * double(k) + 2,
                          "packets that wait");
    }
}

/// Field report: a path of more hops than a header has room for must not go wrong silently.
void
TooManyHopsAreRefused(CongestionTestCase& test)
{
    test.MakeChain(1, 1, 6, CongestionTestCase::Cable("100Gbps", MicroSeconds(1)));
    test.SetNic("CongestionControl", "ns3::HpccCongestionControl");
    test.Build();
    RdmaLog log;
    const auto qp = test.Connect(0, 1, &log).first;
    std::string message;
    try
    {
        test.Nic(0).PostSend(qp, 1, ByteCount(4096)); // the path is known from here on
    }
    catch (const InputError& e)
    {
        message = e.what();
    }
    test.Expect(message.find("MaxHops") != std::string::npos &&
                    message.find("6 hops") != std::string::npos,
                "refused by name and number: " + message);
}

/// A window below AckInterval asks for acknowledgements instead of waiting for a timeout.
void
NarrowWindowsDoNotStall(CongestionTestCase& test)
{
    test.MakeChain(1, 1, 1, CongestionTestCase::Cable("100Gbps", MicroSeconds(1)));
    test.SetNic("Window", "8192");
    test.Build();
    for (const uint32_t s : {0U, 1U})
    {
        test.Nic(s).GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(16));
    }
    RdmaLog log;
    test.Nic(0).PostSend(test.Connect(0, 1, &log).first, 1, ByteCount(100 * 4096));
    test.Run();
    test.ExpectEqual(log.received.size(), 1U, "delivered");
    test.ExpectEqual(test.Nic(0).GetCounters().timeouts, 0U, "timeouts");
    test.ExpectEqual(test.Nic(1).GetCounters().acksSent, 50U, "one per window of two");
}

/**
 * A window that shrinks below AckInterval while packets wait for a common acknowledgement. A packet
 * per microsecond, a round trip of 4.7 us, an acknowledgement of 16: the first one finds 4 or 5
 * packets under way that the receiver will not answer. The sender may send one more, which asks.
 */
void
ShrinkingWindowsDoNotStall(CongestionTestCase& test)
{
    test.MakeChain(1, 1, 1, CongestionTestCase::Cable("100Gbps", MicroSeconds(1)));
    test.SetNic("CongestionControl", RECORDER);
    test.Build();
    for (const uint32_t s : {0U, 1U})
    {
        test.Nic(s).GetLossRecovery()->SetAttribute("AckInterval", UintegerValue(16));
    }
    const auto recorder = test.Recorder(0);
    recorder->gap = MicroSeconds(1).GetTimeStep();
    recorder->window = 2 * 4096; // two packets
    RdmaLog log;
    test.Nic(0).PostSend(test.Connect(0, 1, &log).first, 1, ByteCount(100 * 4096));
    test.Run();
    test.ExpectEqual(recorder->feedbacks[0].packets, 16U, "first acknowledgement");
    const uint64_t waiting = recorder->feedbacks[0].next - recorder->feedbacks[0].acked;
    test.Expect(waiting > 2 && waiting < 16, "more under way than the window");
    test.ExpectEqual(recorder->feedbacks[1].packets, waiting + 1, "with the one more");
    test.ExpectEqual(log.received.size(), 1U, "delivered");
    test.ExpectEqual(test.Nic(0).GetCounters().timeouts, 0U, "timeouts");
}

/// VariableWindow: at a quarter of the line rate a quarter of the window may be under way.
void
VariableWindowFollowsTheRate(CongestionTestCase& test)
{
    test.MakeChain(1, 1, 1, CongestionTestCase::Cable("100Gbps", MicroSeconds(100)));
    test.SetNic("CongestionControl", "ns3::NoCongestionControl");
    test.SetNic("AutoWindow", "true");
    test.SetNic("VariableWindow", "true");
    test.Build();
    test.Nic(0).GetCongestionControl()->SetAttribute("Rate", StringValue("25Gbps"));
    RdmaLog log;
    test.Nic(0).PostSend(test.Connect(0, 1, &log).first, 1, ByteCount(4096 * 4000));
    uint64_t most = 0;
    for (int i = 1; i < 200; ++i)
    {
        Simulator::Schedule(MicroSeconds(10 * i), [&test, &most] {
            const uint64_t sent = test.Nic(0).GetCounters().dataSent;
            most = std::max(most, sent - test.Nic(0).GetCounters().acksReceived);
        });
    }
    test.Run();
    // 400 us and two frames' serializations x 100G / 8 / 4178 B = 1,198 packets and their pipeline
    test.ExpectWithin(double(most), 1200.0 / 4 - 3, 1200.0 / 4 + 3, "packets under way");
}

/// The port's rate changes in the middle: from 100G to 400G and a window for it, or back; the rest
/// of the message goes at the new rate.
void
RateChangeIsFollowed(CongestionTestCase& test, const std::string& control)
{
    test.MakeChain(1, 1, 1, CongestionTestCase::Cable("100Gbps", MicroSeconds(1)));
    test.SetNic("CongestionControl", "ns3::" + control + "CongestionControl");
    test.SetNic("AutoWindow", "true");
    test.Build();
    RdmaLog log;
    const auto qp = test.Connect(0, 1, &log).first;
    test.Nic(0).PostSend(qp, 1, ByteCount(uint64_t{4096} * 10000));
    Simulator::Schedule(MicroSeconds(200), [&test, qp] {
        for (uint32_t e = 0; e < test.Graph().GetNEdges(); ++e)
        {
            test.World().GetLink(EdgeId(e)).SetRate(DataRate("400Gbps"));
        }
        const DataRate rate = test.Nic(0).GetRate(qp);
        test.Expect(rate == DataRate("400Gbps"), "rate " + std::to_string(rate.GetBitRate()));
    });
    test.Run();
    // 41.78 MB: 200 us at 100G, the rest at 400G
    const double rest = (10000.0 * 4178 * 8 - 100e9 * 200e-6) / 400e9;
    test.ExpectEqual(log.received.size(), 1U, "delivered");
    test.ExpectWithin(log.received[0].at.GetSeconds(), 200e-6 + rest, 215e-6 + rest, "FCT");
}

} // namespace

/**
 * @ingroup mixnet-test
 * What congestion control is told, and what it may limit.
 */
class RdmaCongestionTestSuite : public TestSuite
{
  public:
    RdmaCongestionTestSuite()
        : TestSuite("mixnet-rdma-congestion", TestSuite::Type::UNIT)
    {
        const auto add = [this](const std::string& name, CongestionTestCase::Body body) {
            AddTestCase(new CongestionTestCase(name, std::move(body)));
        };
        for (const PathCase& c : {PathCase{0, 100, MicroSeconds(1), 4096},
                                  PathCase{1, 10, NanoSeconds(500), 256},
                                  PathCase{3, 400, MicroSeconds(10), 1024},
                                  PathCase{5, 100, MicroSeconds(1), 4096},
                                  PathCase{2, 1600, MilliSeconds(25), 9000},
                                  PathCase{5, 25, NanoSeconds(1), 9000}})
        {
            add("base round trip over " + std::to_string(c.switches) + " switches at " +
                    std::to_string(c.gbps) + "G",
                [c](CongestionTestCase& test) { BaseRttIsExact(test, c); });
        }
        add("AutoWindow costs nothing at 100G", [](CongestionTestCase& test) {
            AutoWindowCostsNothing(test, {3, 100, MicroSeconds(1), 4096}, 3000001);
        });
        add("AutoWindow costs nothing with 1 GB under way", [](CongestionTestCase& test) {
            AutoWindowCostsNothing(test, {0, 200, MilliSeconds(25), 9000}, 1300000000);
        });
        add("the first round trip is ideal at 25 ms", [](CongestionTestCase& test) {
            FirstRoundTripIsIdeal(test, {1, 100, MilliSeconds(25), 4096}, 40960000);
        });
        add("the first round trip is ideal at 1 us", [](CongestionTestCase& test) {
            FirstRoundTripIsIdeal(test, {3, 400, MicroSeconds(1), 1024}, 102400);
        });
        add("telemetry of 3 hops", [](CongestionTestCase& test) { TelemetryIsExact(test, 3); });
        add("telemetry of 15 hops", [](CongestionTestCase& test) { TelemetryIsExact(test, 15); });
        add("telemetry without hops", [](CongestionTestCase& test) { TelemetryIsExact(test, 0); });
        add("telemetry sees the queue", TelemetrySeesTheQueue);
        add("too many hops are refused", TooManyHopsAreRefused);
        add("narrow windows do not stall", NarrowWindowsDoNotStall);
        for (const char* control : {"No", "Dcqcn", "Dctcp", "Swift", "Timely"})
        {
            add(std::string("a new rate is followed by ") + control,
                [control](CongestionTestCase& test) { RateChangeIsFollowed(test, control); });
        }
        add("shrinking windows do not stall", ShrinkingWindowsDoNotStall);
        add("the variable window follows the rate", VariableWindowFollowsTheRate);
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

static RdmaCongestionTestSuite g_rdmaCongestionTestSuite; //!< registers itself
