/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include <algorithm>

using namespace ns3;

namespace
{

/**
 * n senders, one receiver, PFC on a small buffer. Lossless means that the last link never idles
 * once it has begun: the last byte is there at the time of the first frame plus all the others'
 * serialization, exactly. Pauses come before anything is dropped (field report 19), by a dynamic
 * threshold and by a static one. Shares are fair: when half of all frames have arrived, the senders
 * are apart by no more than 10 % of a share and what a cable takes in a round trip. (With
 * small queues it is more: how many frames follow a pause depends on the phase, for long.)
 */
void
Incast(FabricTestCase& test, uint32_t n, uint64_t gbps, SimTick delay, bool isStatic)
{
    FabricTestNetwork network;
    // Room for the headroom of every port and to share: by the dynamic threshold each of n queues
    // gets alpha / (1 + n alpha) = 1 / (n + 8) of it. 100 frames each, so that a frame more or less
    // per pause does not tell; and together what the line takes during two round trips, so that
    // they outlast the time from a resume to its first frame.
    const auto flight = static_cast<uint64_t>(2 * delay / Serialize(WIRE, gbps)) * WIRE;
    const uint64_t headroom =
        SharedBuffer::ComputeHeadroom(DataRate(gbps * 1000000000), delay, 9216, 0);
    const uint64_t share = 100 * WIRE + 2 * flight / n;
    const uint64_t shared = share * (n + 8);
    const uint64_t buffer = (n + 1) * (headroom + N_PRIORITIES * 9216ULL) + shared;
    PacketSwitch* sw =
        network.Star(n + 1,
                     std::to_string(gbps) + "Gbps",
                     std::to_string(delay) + "ps",
                     {{"BufferSize", std::to_string(buffer) + "B"},
                      {"PfcThreshold", isStatic ? std::to_string(share) + "B" : "0B"},
                      {"Ecn", "false"}});
    RawNic::Job job;
    job.destination = n;
    const auto trip = static_cast<uint32_t>(flight / WIRE);
    job.frames = 4 * static_cast<uint32_t>(share / WIRE + trip);
    for (uint32_t i = 0; i < n; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    const std::string name = std::to_string(n) + ":1 ";
    const auto& arrivals = network.hosts[n]->arrivals;
    test.ExpectEqual(arrivals.size(), n * job.frames, name + "all arrive");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, name + "nothing dropped");
    test.Expect(network.CountPauses() > 0, name + "pauses seen");
    const SimTick first = 2 * (Serialize(WIRE, gbps) + delay);
    const SimTick last = first + static_cast<SimTick>(n * job.frames - 1) * Serialize(WIRE, gbps);
    test.ExpectEqual(arrivals.back().time, last, name + "the last link never idles");
    std::vector<uint32_t> had(n, 0);
    for (std::size_t i = 0; i < arrivals.size() / 2; ++i)
    {
        ++had[arrivals[i].frame.source];
    }
    const auto [least, most] = std::minmax_element(had.begin(), had.end());
    test.Expect(*most - *least <= job.frames / 20 + trip,
                name + "fair: " + std::to_string(*least) + " to " + std::to_string(*most) + " of " +
                    std::to_string(job.frames / 2) + ", " + std::to_string(trip) + " per trip");
    test.ExpectEqual(sw->GetBuffer().GetUsed(), 0U, name + "buffer empty at the end");
    test.ExpectEqual(network.Close(), 0, name + "no frame lost");
}

/// Field report 19, the other way round: with too little headroom there are drops, but never before
/// the first pause.
void
PausesBeforeDrops(FabricTestCase& test, uint32_t n, bool isStatic)
{
    FabricTestNetwork network;
    const uint64_t buffer = (n + 1) * (8000 + N_PRIORITIES * 9216ULL) + (1 << 20);
    network.Star(n + 1,
                 "100Gbps",
                 "1us",
                 {{"BufferSize", std::to_string(buffer) + "B"},
                  {"PfcHeadroom", "8000B"},
                  {"PfcThreshold", isStatic ? "30kB" : "0B"},
                  {"Ecn", "false"}});

    struct Log
    {
        Time pause{Time::Max()};
        Time drop{Time::Max()};

        void Pause(uint8_t, bool)
        {
            pause = std::min(pause, Simulator::Now());
        }

        void Drop(const Frame&, DropReason)
        {
            drop = std::min(drop, Simulator::Now());
        }
    } log;

    for (uint32_t i = 0; i <= n; ++i)
    {
        MixnetPort* port = network.switches[0]->GetPort(i);
        port->TraceConnectWithoutContext("PfcSent", MakeCallback(&Log::Pause, &log));
        port->TraceConnectWithoutContext("Drop", MakeCallback(&Log::Drop, &log));
    }
    RawNic::Job job;
    job.destination = n;
    job.frames = 200;
    for (uint32_t i = 0; i < n; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    test.Expect(log.drop < Time::Max(), "drops seen");
    test.Expect(log.pause < log.drop, "after the first pause");
    test.ExpectEqual(network.CountArrivals() + network.context->GetDrops(DropReason::HEADROOM),
                     n * 200U,
                     "all accounted for");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// With half of the needed headroom frames are lost, with all of it none: it is neither idle nor
/// too small.
void
HeadroomIsNeeded(FabricTestCase& test)
{
    for (const bool enough : {true, false})
    {
        FabricTestNetwork network;
        const uint64_t needed =
            SharedBuffer::ComputeHeadroom(DataRate("100Gbps"), 5000000, WIRE, 0);
        network.Star(5,
                     "100Gbps",
                     "5us",
                     {{"BufferSize", "2MiB"},
                      {"MaxFrame", std::to_string(WIRE) + "B"},
                      {"PfcHeadroom", std::to_string(enough ? needed : needed / 2) + "B"}});
        RawNic::Job job;
        job.destination = 4;
        job.frames = 1000;
        for (uint32_t i = 0; i < 4; ++i)
        {
            Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
        }
        FabricTestNetwork::Run();
        const uint64_t drops = network.context->GetDrops(DropReason::HEADROOM);
        test.ExpectEqual(drops > 0, !enough, "drops only with too little headroom");
        test.ExpectEqual(network.CountArrivals() + drops, 4000U, "received + dropped = sent");
        test.ExpectEqual(network.context->GetTotalDrops(), drops, "no other drops");
        test.ExpectEqual(network.Close(), 0, "no frame lost");
    }
}

/// Without PFC the same incast drops at the dynamic threshold, and counts it.
void
PfcOff(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.Star(5, "100Gbps", "1us", {{"BufferSize", "2MiB"}, {"Pfc", "false"}});
    RawNic::Job job;
    job.destination = 4;
    job.frames = 1000;
    for (uint32_t i = 0; i < 4; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    const uint64_t drops = network.context->GetDrops(DropReason::BUFFER);
    test.Expect(drops > 1000, "three quarters of the surplus cannot be stored");
    test.ExpectEqual(network.CountArrivals() + drops, 4000U, "received + dropped = sent");
    test.ExpectEqual(network.CountPauses(), 0U, "no pauses");
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/**
 * Field report 17: 9 leaves x 16 servers at 10G, four cores at 40G, a 1,000-flow incast of eight
 * frames each, 8 MB of buffer, PFC on: nothing is dropped.
 */
void
ThousandFlowIncast(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.AddHosts(144);
    const std::vector<std::pair<std::string, std::string>> attributes{{"BufferSize", "8MB"}};
    std::vector<PacketSwitch*> cores;
    for (int i = 0; i < 4; ++i)
    {
        cores.push_back(network.AddSwitch(9, attributes));
    }
    for (uint32_t leaf = 0; leaf < 9; ++leaf)
    {
        PacketSwitch* sw = network.AddSwitch(20, attributes);
        std::vector<RouteRange> ranges;
        std::vector<PortGroup> groups;
        for (uint32_t i = 0; i < 16; ++i)
        {
            network.Link(network.hosts[leaf * 16 + i]->port, sw->GetPort(i), "10Gbps", "1us");
            ranges.push_back({leaf * 16 + i, leaf * 16 + i, i});
            groups.push_back({static_cast<uint16_t>(i)});
        }
        for (uint32_t i = 0; i < 4; ++i)
        {
            network.Link(sw->GetPort(16 + i), cores[i]->GetPort(leaf), "40Gbps", "1us");
        }
        groups.push_back({16, 17, 18, 19});
        if (leaf > 0)
        {
            ranges.push_back({0, leaf * 16 - 1, 16});
        }
        if (leaf < 8)
        {
            ranges.push_back({leaf * 16 + 16, 143, 16});
        }
        sw->SetRoutes(ranges, groups);
    }
    for (PacketSwitch* core : cores)
    {
        std::vector<RouteRange> ranges;
        std::vector<PortGroup> groups;
        for (uint32_t leaf = 0; leaf < 9; ++leaf)
        {
            ranges.push_back({leaf * 16, leaf * 16 + 15, leaf});
            groups.push_back({static_cast<uint16_t>(leaf)});
        }
        core->SetRoutes(ranges, groups);
    }
    for (const auto& sw : network.switches)
    {
        sw->Configure();
    }
    for (uint32_t flow = 0; flow < 1001; ++flow)
    {
        RawNic::Job job;
        job.frames = 8;
        job.sourcePort = static_cast<uint16_t>(0xc000 + flow);
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[1 + flow % 143].get(), job);
    }
    FabricTestNetwork::Run();
    test.ExpectEqual(network.hosts[0]->arrivals.size(), 8008U, "all arrive");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing dropped");
    test.Expect(network.CountPauses() > 0, "pauses seen");
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/**
 * Field report 21: the departing frame that frees the buffer un-pauses the very neighbor it goes
 * to. Host 0 sends to itself through the switch, so that ingress and egress are one port; host 1
 * sends to it too.
 */
void
ResumeTheNeighborOneSendsTo(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.Star(2, "100Gbps", "1us", {{"BufferSize", "500kB"}, {"AlphaLossless", "0.01"}});
    RawNic::Job job;
    job.destination = 0;
    job.frames = 1000;
    for (auto& host : network.hosts)
    {
        Simulator::ScheduleNow(&RawNic::Send, host.get(), job);
    }
    FabricTestNetwork::Run();
    test.ExpectEqual(network.CountArrivals(), 2000U, "all arrive");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing dropped");
    test.Expect(network.switches[0]->GetPort(0)->GetCounters().pausesSent > 10, "pauses seen");
    const auto& arrivals = network.hosts[0]->arrivals;
    for (std::size_t i = 1; i < arrivals.size(); ++i)
    {
        const SimTick spacing = arrivals[i].time - arrivals[i - 1].time;
        test.Expect(spacing >= Serialize(WIRE, 100), "one transmission at a time");
    }
    test.ExpectEqual(network.Close(), 0, "no frame lost");
}

/**
 * @ingroup mixnet-test
 * PFC and the shared buffer: nothing is lost.
 */
class FabricLosslessTestSuite : public TestSuite
{
  public:
    FabricLosslessTestSuite()
        : TestSuite("mixnet-fabric-lossless", TestSuite::Type::UNIT)
    {
        for (const uint32_t n : {2, 3, 8, 32, 128})
        {
            for (const uint64_t gbps : {100, 400, 800})
            {
                for (const SimTick delay : {500000, 10000000})
                {
                    const bool isStatic = n == 8 || n == 128;
                    AddTestCase(new FabricTestCase(
                        "incast " + std::to_string(n) + ":1 at " + std::to_string(gbps) + "G, " +
                            std::to_string(delay / 1000) + " ns",
                        [=](FabricTestCase& test) { Incast(test, n, gbps, delay, isStatic); }));
                }
            }
        }
        for (const uint32_t n : {8, 64, 128})
        {
            for (const bool isStatic : {false, true})
            {
                AddTestCase(new FabricTestCase(
                    "pauses come before drops, " + std::to_string(n) + ":1",
                    [=](FabricTestCase& test) { PausesBeforeDrops(test, n, isStatic); }));
            }
        }
        AddTestCase(new FabricTestCase("headroom is as large as needed", HeadroomIsNeeded));
        AddTestCase(new FabricTestCase("without PFC drops are counted", PfcOff));
        AddTestCase(new FabricTestCase("incast of 1,000 flows over two tiers", ThousandFlowIncast));
        AddTestCase(new FabricTestCase("resume the neighbor that one sends to",
                                       ResumeTheNeighborOneSendsTo));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricLosslessTestSuite g_fabricLosslessTestSuite; //!< the suite

} // namespace
