/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/pfc-deadlock-detector.h"

#include <random>

using namespace ns3;

namespace
{

/// n switches in a ring, a host on each (port 0); everything goes clockwise (out by port 1, into
/// port 2 of the next), so that the buffers depend on each other in a circle.
/// @param network to build @param n size @param attributes of the switches
void
Ring(FabricTestNetwork& network,
     uint32_t n,
     const std::vector<std::pair<std::string, std::string>>& attributes)
{
    network.AddHosts(n);
    for (uint32_t i = 0; i < n; ++i)
    {
        PacketSwitch* sw = network.AddSwitch(3, attributes);
        network.Link(network.hosts[i]->port, sw->GetPort(0), "100Gbps", "1us");
        std::vector<RouteRange> ranges{{i, i, 0}};
        if (i > 0)
        {
            ranges.push_back({0, i - 1, 1});
        }
        if (i + 1 < n)
        {
            ranges.push_back({i + 1, n - 1, 1});
        }
        sw->SetRoutes(ranges, {{0}, {1}});
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        network.Link(network.switches[i]->GetPort(1),
                     network.switches[(i + 1) % n]->GetPort(2),
                     "100Gbps",
                     "1us");
    }
    for (const auto& sw : network.switches)
    {
        sw->Configure();
    }
}

const std::vector<std::pair<std::string, std::string>> SMALL{{"BufferSize", "2MB"},
                                                             {"PfcThreshold", "40kB"},
                                                             {"Ecn", "false"}};

/// Remembers deadlocks and when they were told.
struct Log
{
    std::vector<PfcDeadlockDetector::Cycle> cycles; //!< told
    std::vector<Time> when;                         //!< when

    /// @param cycle a deadlock
    void Call(const PfcDeadlockDetector::Cycle& cycle)
    {
        cycles.push_back(cycle);
        when.push_back(Simulator::Now());
    }
};

/// @param network whose switches are watched @param interval of looks @param log told of deadlocks
/// @return the detector
Ptr<PfcDeadlockDetector>
Watch(FabricTestNetwork& network, const std::string& interval, Log& log)
{
    const auto detector = CreateObject<PfcDeadlockDetector>();
    detector->SetAttribute("Interval", StringValue(interval));
    for (const auto& sw : network.switches)
    {
        detector->Watch(sw);
    }
    detector->TraceConnectWithoutContext("Deadlock", MakeCallback(&Log::Call, &log));
    return detector;
}

/**
 * n switches, every host sends to the one n - 1 hops on, at line rate: each ring link is asked for
 * n - 1 times its rate, so queues fill until every switch has paused the one before it. That this
 * is a deadlock is proved by what is left: no event, and frames in the ring. The detector names its
 * n ports, once, soon after the last pause. A cable that is cut frees the ring.
 */
void
RingDeadlocks(FabricTestCase& test, uint32_t n)
{
    FabricTestNetwork network;
    Ring(network, n, SMALL);
    Log log;
    const auto detector = Watch(network, "20us", log);
    for (uint32_t i = 0; i < n; ++i)
    {
        RawNic::Job job;
        job.destination = (i + n - 1) % n;
        job.frames = 1000;
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    FabricTestNetwork::Run();
    test.Expect(network.CountArrivals() < n * 1000U, "it is a deadlock: not all arrive");
    test.Expect(network.context->GetPool().GetInUse() >= n * 9, "and frames are left");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "none was lost");
    test.ExpectEqual(log.cycles.size(), 1U, "told once");
    test.ExpectEqual(detector->GetDeadlocks().size(), 1U, "kept");
    test.ExpectEqual(detector->Check().size(), 1U, "still there");
    test.Expect(log.when.at(0) < MicroSeconds(500), "soon");
    const auto& cycle = log.cycles.at(0);
    test.ExpectEqual(cycle.size(), n, "all ports of the ring");
    std::string text;
    for (uint32_t i = 0; i < cycle.size(); ++i)
    {
        test.Expect(cycle[i] == PausedPort{PeekPointer(network.switches[i]), 1, 3}, "in order");
        text += (i > 0 ? ", switch " : "switch ") + std::to_string(n + i) + " port 1";
    }
    test.ExpectEqual(PfcDeadlockDetector::Describe(cycle), text + " (class 3)", "named");
    // Frames that need the dead cable are dropped, the others go on.
    Simulator::ScheduleNow(&MixnetLink::SetUp, PeekPointer(network.links[n]), false);
    FabricTestNetwork::Run();
    test.ExpectEqual(detector->Check().size(), 0U, "no more");
    test.ExpectEqual(network.CountArrivals() + network.context->GetTotalDrops(),
                     network.CountSent(),
                     "all accounted for");
    test.ExpectEqual(network.CountSent(), n * 1000U, "and all sent");
    detector->Dispose();
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * Random traffic on rings of 3 and 4 switches: the detector finds a deadlock exactly when frames
 * are left at the end, and looking changes no arrival.
 */
void
FoundIffStuck(FabricTestCase& test)
{
    int stuck = 0;
    int rivals = 0; // no deadlock, though all ring ports were paused at some time
    for (uint32_t round = 0; round < 60; ++round)
    {
        std::vector<SimTick> arrivals[2];
        bool left = false;
        for (const bool watch : {true, false})
        {
            std::mt19937 random(round);
            const uint32_t n = 3 + random() % 2;
            FabricTestNetwork network;
            Ring(network, n, SMALL);
            Log log;
            Ptr<PfcDeadlockDetector> detector;
            detector = watch ? Watch(network, "7us", log) : nullptr;
            const bool slow = round % 2 == 1; // receivers that stop for a while
            for (uint32_t i = 0; i < n; ++i)
            {
                MixnetPort* host = network.hosts[i]->port;
                for (const SimTick at : {SimTick{1000000}, SimTick{80000000}})
                {
                    Simulator::Schedule(TimeStep(at), [host, at, slow] {
                        host->SendPfc(slow ? 0x08 : 0, at == 1000000, at);
                    });
                }
                for (int flow = 0; flow < 3; ++flow)
                {
                    RawNic::Job job;
                    const bool near = slow && random() % 8 > 0;
                    job.destination = (i + 1 + (near ? 0 : random() % (n - 1))) % n;
                    job.frames = 20 + random() % 120;
                    job.trafficClass = random() % 4 > 0 ? 3 : 0;
                    Simulator::Schedule(NanoSeconds(random() % 60000),
                                        &RawNic::Send,
                                        network.hosts[i].get(),
                                        job);
                }
            }
            bool all = false;
            for (int look = 1; watch && look < 100; ++look)
            {
                Simulator::Schedule(NanoSeconds(1371 * look), [&] {
                    uint32_t paused = 0;
                    for (const auto& sw : network.switches)
                    {
                        paused += sw->GetPausedNeighbor(2) >> 3 & 1;
                    }
                    all = all || paused == n;
                });
            }
            FabricTestNetwork::Run();
            for (const auto& host : network.hosts)
            {
                for (const auto& arrival : host->arrivals)
                {
                    arrivals[watch].push_back(arrival.time);
                }
            }
            if (watch)
            {
                left = network.context->GetPool().GetInUse() > 0;
                test.ExpectEqual(detector->GetDeadlocks().size(),
                                 left ? 1U : 0U,
                                 "found iff stuck");
                detector->Dispose();
                stuck += left;
                rivals += !left && all;
            }
            test.ExpectEqual(network.Close(), 0, "every frame came back");
        }
        test.Expect(arrivals[0] == arrivals[1], "looking changes nothing");
    }
    test.Expect(stuck >= 5, "deadlocks seen: " + std::to_string(stuck));
    test.Expect(rivals >= 5, "cycles that dissolve seen: " + std::to_string(rivals));
}

/// A deep tree of pauses on a fat tree, looked at every 3 us: no false alarm.
void
IncastIsNoDeadlock(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.FatTree(4, "100Gbps", "500ns", {{"BufferSize", "1MB"}, {"Ecn", "false"}});
    Log log;
    const auto detector = Watch(network, "3us", log);
    for (uint32_t i = 1; i < 16; ++i)
    {
        RawNic::Job job;
        job.frames = 400;
        job.sourcePort = static_cast<uint16_t>(0xc000 + i);
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    uint64_t deep = 0;
    for (int look = 1; look < 200; ++look)
    {
        Simulator::Schedule(MicroSeconds(10 * look), [&] {
            for (std::size_t i = 16; i < 20; ++i)
            {
                for (uint32_t port = 0; port < 4; ++port)
                {
                    deep += network.switches[i]->GetPausedNeighbor(port) != 0;
                }
            }
        });
    }
    FabricTestNetwork::Run();
    test.Expect(deep > 100, "cores pause: the tree is deep");
    test.ExpectEqual(network.hosts[0]->arrivals.size(), 15U * 400, "all arrive");
    test.ExpectEqual(log.cycles.size(), 0U, "no alarm");
    detector->Dispose();
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * @ingroup mixnet-test
 * PFC deadlocks are found, and nothing else is.
 */
class FabricDeadlockTestSuite : public TestSuite
{
  public:
    FabricDeadlockTestSuite()
        : TestSuite("mixnet-fabric-deadlock", TestSuite::Type::UNIT)
    {
        for (const uint32_t n : {3, 4})
        {
            AddTestCase(new FabricTestCase("a ring of " + std::to_string(n) + " deadlocks",
                                           [n](FabricTestCase& test) { RingDeadlocks(test, n); }));
        }
        AddTestCase(new FabricTestCase("found exactly when frames are stuck", FoundIffStuck));
        AddTestCase(new FabricTestCase("an incast is no deadlock", IncastIsNoDeadlock));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricDeadlockTestSuite g_fabricDeadlockTestSuite; //!< the suite

} // namespace
