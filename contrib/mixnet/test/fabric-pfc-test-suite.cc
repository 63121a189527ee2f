/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/mixnet-error.h"

using namespace ns3;

namespace
{

constexpr SimTick S = WIRE * 80LL;             //!< a data frame at 100 Gb/s, in ps
constexpr SimTick PFC = MIN_WIRE_BYTES * 80LL; //!< a PFC frame at 100 Gb/s, in ps
constexpr SimTick D = 1000000;                 //!< delay of the cables: 1 us

/// Two hosts and a cable of 100 Gb/s and 1 us. @param network to build
void
Pair(FabricTestNetwork& network)
{
    network.AddHosts(2);
    network.Link(network.hosts[0]->port, network.hosts[1]->port, "100Gbps", "1us");
}

/// Host 1 tells host 0. @param network a pair @param at when @param pause or resume @param quanta
void
Tell(FabricTestNetwork& network, SimTick at, bool pause, uint16_t quanta)
{
    MixnetPort* port = network.hosts[1]->port;
    Simulator::Schedule(TimeStep(at),
                        [port, at, pause, quanta] { port->SendPfc(0x08, pause, at, quanta); });
}

/**
 * A pause of 1,000 quanta lasts 1,000 x 512 bit times = 5.12 us at 100 Gb/s from its arrival; sent
 * again before that, it begins anew; a resume ends it at once. Host 0 has frames all the time, so
 * the first frame after each pause starts exactly at its end.
 */
void
QuantaRunOut(FabricTestCase& test)
{
    FabricTestNetwork network;
    Pair(network);
    RawNic::Job job;
    job.destination = 1;
    job.frames = 200;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    constexpr SimTick quanta = 1000 * 5120;
    Tell(network, 10000000, true, 1000); // alone
    Tell(network, 30000000, true, 1000); // refreshed after 4 us
    Tell(network, 34000000, true, 1000);
    Tell(network, 50000000, true, 1000); // ended after 2 us
    Tell(network, 52000000, false, 0);
    FabricTestNetwork::Run();
    const std::vector<SimTick> ends{10000000 + PFC + D + quanta,
                                    34000000 + PFC + D + quanta,
                                    52000000 + PFC + D};
    std::size_t gaps = 0;
    const auto& arrivals = network.hosts[1]->arrivals;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
    {
        if (arrivals[i].time - arrivals[i - 1].time != S)
        {
            test.ExpectEqual(arrivals[i].time, ends.at(gaps) + S + D, "starts when it is over");
            ++gaps;
        }
    }
    test.ExpectEqual(gaps, 3U, "three pauses");
    test.ExpectEqual(arrivals.size(), 200U, "all arrive");
    test.ExpectEqual(network.hosts[0]->port->GetCounters().pausesReceived, 4U, "four frames");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * With a response time of 3 us the pause that arrives at 11.00672 us holds from 14.00672 us on: the
 * frame that starts at 41 x 334.24 ns = 13.704 us is the last. The resume takes 3 us too.
 */
void
ResponseTime(FabricTestCase& test)
{
    FabricTestNetwork network;
    Pair(network);
    network.hosts[0]->port->SetAttribute("PfcResponse", StringValue("3us"));
    RawNic::Job job;
    job.destination = 1;
    job.frames = 60;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    Tell(network, 10000000, true, 0);
    Tell(network, 20000000, false, 0);
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    test.ExpectEqual(arrivals.size(), 60U, "all arrive");
    const SimTick from = 10000000 + PFC + D + 3000000;
    const auto last = static_cast<std::size_t>(from / S);
    test.ExpectEqual(last, 41U, "the scenario is as described");
    test.ExpectEqual(arrivals[last].time, 42 * S + D, "the last one before");
    test.ExpectEqual(arrivals[last + 1].time,
                     20000000 + PFC + D + 3000000 + S + D,
                     "the first one after");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// N:1 incast. @param test test @param release what ends pauses @param response of the hosts
/// @param headroom in percent of what is needed @return frames dropped
uint64_t
Incast(FabricTestCase& test, const std::string& release, const std::string& response, int headroom)
{
    FabricTestNetwork network;
    network.AddHosts(5);
    // The last host gets all, and pauses nobody.
    std::vector<RouteRange> ranges;
    std::vector<PortGroup> groups;
    const uint64_t needed =
        SharedBuffer::ComputeHeadroom(DataRate("100Gbps"), D, WIRE, Time(response).GetTimeStep());
    PacketSwitch* sw = network.AddSwitch(
        5,
        {{"BufferSize", "2MiB"},
         {"MaxFrame", std::to_string(WIRE) + "B"},
         {"PfcHeadroom", headroom == 100 ? "0B" : std::to_string(needed * headroom / 100) + "B"},
         {"PfcThreshold", "50kB"},
         {"PfcRelease", release},
         {"PfcQuanta", "1000"},
         {"Ecn", "false"}});
    for (uint32_t i = 0; i < 5; ++i)
    {
        network.hosts[i]->port->SetAttribute("PfcResponse", StringValue(response));
        network.Link(network.hosts[i]->port, sw->GetPort(i), "100Gbps", "1us");
        ranges.push_back({i, i, i});
        groups.push_back({static_cast<uint16_t>(i)});
    }
    sw->SetRoutes(ranges, groups);
    sw->Configure();
    RawNic::Job job;
    job.destination = 4;
    job.frames = 500;
    for (uint32_t i = 0; i < 4; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    const uint64_t drops = network.context->GetDrops(DropReason::HEADROOM);
    test.ExpectEqual(network.CountArrivals() + drops, 2000U, release + ": received + dropped");
    test.ExpectEqual(network.context->GetTotalDrops(), drops, release + ": no other drops");
    test.Expect(network.CountPauses() > 20, release + ": pauses seen");
    uint64_t byPort = 0;
    for (uint32_t i = 0; i < 5; ++i)
    {
        const PortCounters counters = sw->GetPort(i)->GetCounters();
        test.ExpectEqual(counters.dropsBy[static_cast<int>(DropReason::HEADROOM)],
                         counters.drops,
                         "counted by port and reason");
        byPort += counters.drops;
    }
    test.ExpectEqual(byPort, drops, "counted at some port");
    test.ExpectEqual(network.context->GetNotes().size(), headroom < 100 ? 1U : 0U, "warned");
    if (headroom < 100)
    {
        test.ExpectEqual(network.context->GetNotes()[0],
                         "switch 5: PfcHeadroom of " + std::to_string(needed * headroom / 100) +
                             "B may lose frames: 5 of 5 ports need up to " +
                             std::to_string(needed) + "B",
                         "says what is needed");
    }
    if (headroom == 100 && release != "Quanta")
    {
        test.ExpectEqual(network.hosts[4]->arrivals.back().time,
                         2 * (S + D) + 1999 * S,
                         release + ": the last link never idles");
    }
    test.ExpectEqual(sw->GetBuffer().GetUsed(), 0U, release + ": buffer empty at the end");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
    return drops;
}

/// Whatever ends pauses, nothing is lost; a static threshold does as a dynamic one.
void
LosslessWithEachRelease(FabricTestCase& test)
{
    for (const char* release : {"Xon", "Quanta", "Both"})
    {
        test.ExpectEqual(Incast(test, release, "0us", 100), 0U, std::string(release) + ": drops");
    }
}

/// Headroom covers the response time of the neighbors: with all of it nothing is lost, with less
/// the user is warned, and frames are lost and counted by port and reason.
void
HeadroomForTheResponse(FabricTestCase& test)
{
    test.ExpectEqual(Incast(test, "Xon", "2us", 100), 0U, "enough");
    test.Expect(Incast(test, "Xon", "2us", 60) > 0, "too little");
}

/// Quanta that would run out while a refresh waits behind a frame are refused.
void
TooFewQuanta(FabricTestCase& test)
{
    // 9,216 + 20 + 84 B = 145.6 quanta; of 291 the half is 145.5.
    for (const char* quanta : {"291", "292"})
    {
        FabricTestNetwork network;
        std::string message;
        try
        {
            network.Star(2, "100Gbps", "1us", {{"PfcRelease", "Both"}, {"PfcQuanta", quanta}});
        }
        catch (const InputError& e)
        {
            message = e.what();
        }
        test.ExpectEqual(message,
                         std::string(quanta) == "292"
                             ? ""
                             : "ns3::PacketSwitch::PfcQuanta: 291 run out before a refresh passes "
                               "a frame of MaxFrame; accepted: at least 292",
                         "message");
        network.Close();
    }
}

/**
 * A slow receiver stops its sender through a chain of k switches. All rates are equal (s per frame,
 * p per PFC frame, d per cable), thresholds are static, T bytes, no bytes are reserved; the
 * receiver pauses for good before anything comes. Frame i is at switch j at a(j, i) = (i + j) s + j
 * d. The last switch stores n = ceil(T / frame) frames and decides to pause at a(k, n - 1); the
 * pause is at switch k - 1 p + d later, at t. From then on that one stores: the first frame is the
 * first i with a(k - 1, i) > t, and it pauses when it has n of them, and so on back to the host.
 */
void
PausePropagation(FabricTestCase& test)
{
    constexpr uint32_t k = 4;
    constexpr uint64_t threshold = 60000;
    constexpr SimTick n = (threshold + WIRE - ETHERNET_GAP_BYTES - 1) / (WIRE - ETHERNET_GAP_BYTES);
    FabricTestNetwork network;
    network.AddHosts(2);
    MixnetPort* left = network.hosts[0]->port;
    for (uint32_t j = 0; j <= k; ++j)
    {
        PacketSwitch* sw =
            j == k ? nullptr
                   : network.AddSwitch(
                         2,
                         {{"Reserved", "0B"}, {"PfcThreshold", "60kB"}, {"Ecn", "false"}});
        network.Link(left, sw ? sw->GetPort(0) : network.hosts[1]->port, "100Gbps", "1us");
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
    Tell(network, 0, true, 0);
    RawNic::Job job;
    job.destination = 1;
    job.frames = 1000;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    const auto arrival = [](SimTick j, SimTick i) { return (i + j) * S + j * D; };
    SimTick told = arrival(k, n - 1) + PFC + D;
    for (SimTick j = k - 1; j >= 1; --j)
    {
        SimTick i = 0;
        while (arrival(j, i) <= told)
        {
            ++i;
        }
        told = arrival(j, i + n - 1) + PFC + D;
    }
    MixnetPort* host = network.hosts[0]->port;
    Simulator::Schedule(TimeStep(told - 1), [&] {
        host->GetCounters();
        test.ExpectEqual(host->GetPausedClasses(), 0, "not yet");
    });
    Simulator::Schedule(TimeStep(told), [&] {
        test.ExpectEqual(host->GetCounters().pausesReceived, 1U, "the storm is here");
        test.ExpectEqual(host->GetPausedClasses(), 0x08, "paused");
    });
    Simulator::Schedule(MilliSeconds(1), [&] {
        test.ExpectEqual(network.CountArrivals(), 0U, "nothing passes");
        test.ExpectEqual(host->GetCounters().txFrames,
                         static_cast<uint64_t>(told / S) + 1,
                         "the host has stopped");
    });
    Tell(network, 2000000000, false, 0);
    FabricTestNetwork::Run();
    test.ExpectEqual(network.CountArrivals(), 1000U, "then all arrive");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing is lost");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * @ingroup mixnet-test
 * PFC: quanta, resume frames, response times, headroom, propagation.
 */
class FabricPfcTestSuite : public TestSuite
{
  public:
    FabricPfcTestSuite()
        : TestSuite("mixnet-fabric-pfc", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("a pause runs out with its quanta, exact", QuantaRunOut));
        AddTestCase(new FabricTestCase("response time, exact", ResponseTime));
        AddTestCase(new FabricTestCase("lossless with each release", LosslessWithEachRelease));
        AddTestCase(new FabricTestCase("headroom for the response", HeadroomForTheResponse));
        AddTestCase(new FabricTestCase("too few quanta are refused", TooFewQuanta));
        AddTestCase(new FabricTestCase("pause propagation, exact", PausePropagation));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricPfcTestSuite g_fabricPfcTestSuite; //!< the suite

} // namespace
