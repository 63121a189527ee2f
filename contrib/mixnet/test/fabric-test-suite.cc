/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include <algorithm>
#include <cmath>

using namespace ns3;

namespace
{

/// Two hosts with `switches` switches between them; link i has rate rates[i].
/// @param network to build @param rates by link, in Gb/s @param delays by link
void
Chain(FabricTestNetwork& network,
      const std::vector<uint64_t>& rates,
      const std::vector<std::string>& delays)
{
    network.AddHosts(2);
    MixnetPort* left = network.hosts[0]->port;
    for (std::size_t i = 0; i < rates.size(); ++i)
    {
        const std::string rate = std::to_string(rates[i]) + "Gbps";
        const bool last = i + 1 == rates.size();
        PacketSwitch* sw = last ? nullptr : network.AddSwitch(2);
        network.Link(left, last ? network.hosts[1]->port : sw->GetPort(0), rate, delays[i]);
        if (sw)
        {
            sw->SetRoutes({{0, 0, 0}, {1, 1, 1}}, {{0}, {1}});
            left = sw->GetPort(1);
        }
    }
    for (const auto& sw : network.switches)
    {
        sw->Configure();
    }
}

/// One frame over 1 to 6 links: sum of serialization and delay, to the picosecond.
void
IdlePath(FabricTestCase& test)
{
    const std::vector<uint64_t> rates{100, 400, 800, 200, 1600, 10};
    const std::vector<std::string> delays{"1us", "500ns", "10us", "1ps", "0ps", "25ms"};
    const std::vector<SimTick> delay{1000000, 500000, 10000000, 1, 0, 25000000000LL};
    for (std::size_t links = 1; links <= rates.size(); ++links)
    {
        for (const uint16_t payload : {1, 64, 1000, 4096, 9000})
        {
            FabricTestNetwork network;
            Chain(network,
                  {rates.begin(), rates.begin() + links},
                  {delays.begin(), delays.begin() + links});
            RawNic::Job job;
            job.destination = 1;
            job.payload = payload;
            Simulator::Schedule(NanoSeconds(7), &RawNic::Send, network.hosts[0].get(), job);
            FabricTestNetwork::Run();
            SimTick expected = 7000;
            for (std::size_t i = 0; i < links; ++i)
            {
                expected += Serialize(payload + ROCE_BASE_BYTES, rates[i]) + delay[i];
            }
            test.ExpectEqual(network.CountArrivals(), 1, "one arrival");
            test.ExpectEqual(network.hosts[1]->arrivals.at(0).time, expected, "exact time");
            test.ExpectEqual(network.Close(), 0, "no frame lost");
        }
    }
}

/// A train of n frames: the slowest link spaces them; store-and-forward elsewhere.
void
Train(FabricTestCase& test)
{
    // Links of 400, 100 and 400 Gb/s, 1 us each. Frame i (from 0) leaves the slow link
    // at s400 + 1 us + (i + 1) s100 and is there 1 us + s400 + 1 us later.
    FabricTestNetwork network;
    Chain(network, {400, 100, 400}, {"1us", "1us", "1us"});
    RawNic::Job job;
    job.destination = 1;
    job.frames = 50;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    test.ExpectEqual(arrivals.size(), 50U, "all arrive");
    for (std::size_t i = 0; i < arrivals.size(); ++i)
    {
        const SimTick expected =
            2 * Serialize(WIRE, 400) + 3000000 + static_cast<SimTick>(i + 1) * Serialize(WIRE, 100);
        test.ExpectEqual(arrivals[i].time, expected, "frame " + std::to_string(i));
        test.ExpectEqual(arrivals[i].frame.psn, i, "in order");
    }
    const PortCounters tx = network.hosts[0]->port->GetCounters();
    const PortCounters rx = network.hosts[1]->port->GetCounters();
    test.ExpectEqual(tx.txFrames, 50U, "frames counted");
    test.ExpectEqual(tx.txBytes, 50ULL * WIRE, "wire bytes counted");
    test.ExpectEqual(rx.rxBytes, tx.txBytes, "received what was sent");
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/// A source that is paced: its frames start when it says, and an idle line costs no time.
void
PacedSource(FabricTestCase& test)
{
    FabricTestNetwork network;
    Chain(network, {100, 100}, {"1us", "1us"});
    RawNic::Job job;
    job.destination = 1;
    job.frames = 20;
    job.gap = 5000000; // 5 us, far above the 334 ns of a frame
    Simulator::Schedule(MicroSeconds(3), &RawNic::Send, network.hosts[0].get(), job);
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    test.ExpectEqual(arrivals.size(), 20U, "all arrive");
    for (std::size_t i = 0; i < arrivals.size(); ++i)
    {
        const SimTick expected =
            3000000 + static_cast<SimTick>(i) * 5000000 + 2 * (Serialize(WIRE, 100) + 1000000);
        test.ExpectEqual(arrivals[i].time, expected, "frame " + std::to_string(i));
    }
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/**
 * A pause holds its class from the frame after the one being sent, until the resume; others go on.
 */
void
PauseAndResume(FabricTestCase& test)
{
    FabricTestNetwork network;
    Chain(network, {100}, {"1us"});
    RawNic& a = *network.hosts[0];
    RawNic& b = *network.hosts[1];
    RawNic::Job job;
    job.destination = 1;
    job.frames = 100;
    Simulator::ScheduleNow(&RawNic::Send, &a, job);
    // The pause is queued at 10 us, sent at once (84 B = 6.72 ns) and there 1 us later: at
    // 11.00672 us. Frames start every 334.24 ns: the one started at 32 x 334.24 ns = 10.69568 us
    // is the last; the next would start at 11.02992 us. The resume, sent at 20 us, is there at
    // 21.00672 us: then frame 33 starts.
    Simulator::Schedule(MicroSeconds(10), [&b] { b.port->SendPfc(0x08, true, 10000000); });
    Simulator::Schedule(MicroSeconds(15), [&] {
        job.trafficClass = 0;
        job.frames = 1;
        a.Send(job);
    });
    Simulator::Schedule(MicroSeconds(18), [&] {
        test.ExpectEqual(a.port->GetPausedClasses(), 0x08, "class 3 paused");
    });
    Simulator::Schedule(MicroSeconds(20), [&b] { b.port->SendPfc(0x08, false, 20000000); });
    FabricTestNetwork::Run();
    const SimTick s = Serialize(WIRE, 100);
    test.ExpectEqual(b.arrivals.size(), 101U, "all arrive");
    test.ExpectEqual(b.arrivals[32].time, 33 * s + 1000000, "last frame before the pause");
    test.ExpectEqual(b.arrivals[33].frame.trafficClass, 0, "another class passes");
    test.ExpectEqual(b.arrivals[33].time, 15000000 + s + 1000000, "at once");
    test.ExpectEqual(b.arrivals[34].time, 21006720 + s + 1000000, "first frame after the resume");
    test.ExpectEqual(b.arrivals[100].time, 21006720 + 67 * s + 1000000, "then back to back");
    test.ExpectEqual(a.port->GetCounters().pausesReceived, 1U, "one pause");
    test.ExpectEqual(b.port->GetCounters().pausesSent, 1U, "one pause");
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/// A control frame passes all data that waits, but not the frame being sent.
void
ControlGoesFirst(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.Star(3, "100Gbps", "1us", {});
    RawNic::Job data;
    data.destination = 2;
    data.frames = 100;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), data);
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[1].get(), data);
    RawNic::Job control;
    control.destination = 2;
    control.payload = 16;
    control.trafficClass = 6;
    // Alone on its NIC's line from 60 us on (host 1 has sent all by then), behind ~100 frames.
    Simulator::Schedule(MicroSeconds(40), &RawNic::Send, network.hosts[1].get(), control);
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[2]->arrivals;
    const auto it = std::find_if(arrivals.begin(), arrivals.end(), [](const auto& a) {
        return a.frame.trafficClass == 6;
    });
    test.Expect(it != arrivals.end(), "the control frame arrives");
    // Into the switch at 40 us + 98 B (7.84 ns) + 1 us; then at most one data frame, itself, 1 us.
    const SimTick soonest = 40000000 + 2 * (Serialize(98, 100) + 1000000);
    test.Expect(it->time >= soonest, "not too early");
    test.Expect(it->time <= soonest + Serialize(WIRE, 100), "waits for one frame at most");
    test.Expect(arrivals.end() - it > 50, "passes what waits");
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/**
 * Marks against RED. The queue that each frame leaves behind is read off the port as the frame
 * leaves; the number of marks must be within four standard deviations of the sum of probabilities.
 */
void
EcnFraction(FabricTestCase& test, const std::string& point)
{
    FabricTestNetwork network;
    PacketSwitch* sw =
        network.Star(3, "100Gbps", "1us", {{"EcnPoint", point}, {"AlphaLossless", "1"}});
    sw->AssignStreams(5);
    MixnetPort* port = sw->GetPort(2);
    // 100G: Kmin 400 kB, Kmax 1.6 MB, Pmax 0.2.
    double expected = 0;
    double variance = 0;
    uint64_t above = 0;
    uint64_t marksBelow = 0;
    const auto judge = [&](const Frame& frame, uint64_t queue) {
        const double p = queue < 400000     ? 0
                         : queue >= 1600000 ? 1
                                            : 0.2 * (queue - 400000.0) / 1200000.0;
        expected += p;
        variance += p * (1 - p);
        above += p == 1;
        marksBelow += p == 0 && frame.ecn == FrameEcn::CE;
    };
    const bool dequeue = point == "Dequeue";
    std::function<void(const Frame&)> look = [&](const Frame& frame) {
        judge(frame, port->GetQueues().GetBytes(3));
    };

    struct Sink
    {
        std::function<void(const Frame&)>* look;

        void Call(const Frame& frame)
        {
            (*look)(frame);
        }
    } sink{&look};

    port->TraceConnectWithoutContext(dequeue ? "Dequeue" : "Enqueue",
                                     MakeCallback(&Sink::Call, &sink));
    RawNic::Job job;
    job.destination = 2;
    job.frames = 1000;
    job.ecn = FrameEcn::ECT0;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[1].get(), job);
    RawNic::Job plain = job;
    plain.ecn = FrameEcn::NOT_ECT;
    plain.trafficClass = 0;
    plain.frames = 10;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), plain);
    FabricTestNetwork::Run();
    uint64_t marks = 0;
    for (const auto& arrival : network.hosts[2]->arrivals)
    {
        marks += arrival.frame.ecn == FrameEcn::CE;
        test.Expect(arrival.frame.trafficClass == 3 || arrival.frame.ecn == FrameEcn::NOT_ECT,
                    "frames without ECT are not marked");
    }
    test.ExpectEqual(network.CountArrivals(), 2010U, "all arrive");
    test.Expect(above > 50 && variance > 10, "the queue crosses the whole curve");
    test.ExpectEqual(marksBelow, 0U, "no mark below Kmin");
    test.Expect(std::abs(static_cast<double>(marks) - expected) < 4 * std::sqrt(variance),
                "marks " + std::to_string(marks) + ", RED " + std::to_string(expected));
    test.ExpectEqual(port->GetCounters().marks, marks, "counted");
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/**
 * @ingroup mixnet-test
 * Ports, links and switches: times, PFC, ECN, classes.
 */
class FabricTestSuite : public TestSuite
{
  public:
    FabricTestSuite()
        : TestSuite("mixnet-fabric", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("idle path of 1 to 6 links, exact", IdlePath));
        AddTestCase(new FabricTestCase("train of frames over unequal links, exact", Train));
        AddTestCase(new FabricTestCase("paced source, exact", PacedSource));
        AddTestCase(new FabricTestCase("pause and resume, exact", PauseAndResume));
        AddTestCase(new FabricTestCase("control class goes first", ControlGoesFirst));
        AddTestCase(new FabricTestCase("ECN marks at dequeue follow RED",
                                       [](FabricTestCase& test) { EcnFraction(test, "Dequeue"); }));
        AddTestCase(new FabricTestCase("ECN marks at enqueue follow RED",
                                       [](FabricTestCase& test) { EcnFraction(test, "Enqueue"); }));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricTestSuite g_fabricTestSuite; //!< the suite

} // namespace
