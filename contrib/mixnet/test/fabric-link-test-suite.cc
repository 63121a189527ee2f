/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/error-model.h"
#include "ns3/mixnet-error.h"

#include <random>

using namespace ns3;

namespace
{

/**
 * 100 Gb/s, from 10 us on 25 Gb/s, from 30 us on 400 Gb/s. A frame that has begun finishes at the
 * rate at which it began, those under way keep their times; the next one takes the new rate. The
 * other direction, idle at the change, as well.
 */
void
RateChangeInFlight(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.AddHosts(2);
    MixnetLink* link =
        network.Link(network.hosts[0]->port, network.hosts[1]->port, "100Gbps", "5us");
    RawNic::Job job;
    job.destination = 1;
    job.frames = 100;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);

    struct Log
    {
        std::vector<uint64_t> gbps;

        void Call(DataRate before, DataRate now)
        {
            gbps.push_back(now.GetBitRate() / 1000000000);
        }
    } log;

    link->TraceConnectWithoutContext("Rate", MakeCallback(&Log::Call, &log));
    Simulator::Schedule(MicroSeconds(10), &MixnetLink::SetRate, link, DataRate("25Gbps"));
    Simulator::Schedule(MicroSeconds(10), &MixnetLink::SetRate, link, DataRate("25Gbps"));
    Simulator::Schedule(MicroSeconds(30), [link] {
        link->SetAttribute("DataRate", StringValue("400Gbps")); // an attribute as any other
    });
    RawNic::Job back;
    back.destination = 0;
    Simulator::Schedule(MicroSeconds(20), &RawNic::Send, network.hosts[1].get(), back);
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    test.ExpectEqual(arrivals.size(), 100U, "all arrive");
    SimTick start = 0;
    std::array<int, 3> used{};
    for (std::size_t i = 0; i < arrivals.size(); ++i)
    {
        const std::size_t phase = start <= 10000000 ? 0 : start <= 30000000 ? 1 : 2;
        ++used[phase];
        start += Serialize(WIRE, std::array<uint64_t, 3>{100, 25, 400}[phase]);
        test.ExpectEqual(arrivals[i].time, start + 5000000, "frame " + std::to_string(i));
    }
    test.Expect(used[0] == 30 && used[1] == 15 && used[2] == 55, "every rate was used");
    test.ExpectEqual(network.hosts[0]->arrivals.at(0).time,
                     20000000 + Serialize(WIRE, 25) + 5000000,
                     "the other direction too");
    test.Expect(log.gbps == std::vector<uint64_t>{25, 400}, "each change is told once");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// A rate that is no whole number of ticks per byte is exact over a train (remainders carried),
/// also when it is a change that brings it.
void
RateChangeToAnOddRate(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.AddHosts(2);
    MixnetLink* link =
        network.Link(network.hosts[0]->port, network.hosts[1]->port, "1000Gbps", "1us");
    link->SetRate(DataRate("300Gbps"));
    RawNic::Job job;
    job.destination = 1;
    job.frames = 3000;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    FabricTestNetwork::Run();
    // 3,000 frames x 4,178 B x 8 / 300 Gb/s = 334.24 us, to the tick.
    test.ExpectEqual(network.hosts[1]->arrivals.back().time, 334240000 + 1000000, "exact");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// Two hosts send at 100 Gb/s into a link that falls to 25 Gb/s: its queue grows, it is marked by
/// the thresholds of the new rate, nothing is lost, and the link stays busy.
void
RateChangeUnderLoad(FabricTestCase& test)
{
    FabricTestNetwork network;
    PacketSwitch* sw = network.Star(3, "100Gbps", "1us", {{"BufferSize", "4MiB"}});
    sw->AssignStreams(1);
    RawNic::Job job;
    job.destination = 2;
    job.frames = 600;
    job.ecn = FrameEcn::ECT0;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    MixnetLink* last = PeekPointer(network.links[2]);
    Simulator::Schedule(MicroSeconds(10), &MixnetLink::SetRate, last, DataRate("25Gbps"));
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[2]->arrivals;
    test.ExpectEqual(arrivals.size(), 600U, "all arrive");
    test.ExpectEqual(network.context->GetTotalDrops(), 0U, "nothing is lost");
    test.ExpectEqual(arrivals[599].time - arrivals[598].time, Serialize(WIRE, 25), "new rate");
    // The queue stays below 400 kB = Kmin at 100 Gb/s (dynamic threshold, one sender), but passes
    // Kmax / 2 at 25 Gb/s.
    uint64_t marks = 0;
    for (const auto& arrival : arrivals)
    {
        marks += arrival.frame.ecn == FrameEcn::CE;
    }
    test.Expect(marks > 5, "marked by the thresholds of the new rate");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// What cannot be: a rate of zero, another delay of a link in use.
void
RefusedChanges(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.AddHosts(2);
    MixnetLink* link =
        network.Link(network.hosts[0]->port, network.hosts[1]->port, "100Gbps", "5us");
    const auto message = [](const std::function<void()>& act) {
        try
        {
            act();
        }
        catch (const InputError& e)
        {
            return std::string(e.what());
        }
        return std::string();
    };
    test.ExpectEqual(message([link] { link->SetRate(DataRate(0)); }),
                     "ns3::MixnetLink::DataRate: 0bps; accepted: a rate above zero",
                     "no rate");
    test.ExpectEqual(message([link] { link->SetDelay(MicroSeconds(6)); }),
                     "ns3::MixnetLink::Delay: a link in use cannot change its delay; accepted: a "
                     "new link, or a change of rate or state",
                     "another delay");
    test.ExpectEqual(message([link] { link->SetDelay(MicroSeconds(5)); }), "", "the same delay");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// Links of a fat tree that go down, come up, change their rates and lose frames at random, some
/// changes twice: received + dropped = sent, buffers end empty, no pause is left.
void
RandomLinkChanges(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.FatTree(4, "100Gbps", "1us", {{"BufferSize", "2MB"}});
    std::mt19937 random(5);
    for (uint32_t i = 0; i < 16; ++i)
    {
        for (int flow = 0; flow < 4; ++flow)
        {
            RawNic::Job job;
            job.destination = (i + 1 + random() % 15) % 16;
            job.frames = 300;
            job.sourcePort = static_cast<uint16_t>(random());
            job.trafficClass = flow == 3 ? 0 : 3;
            Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
        }
    }
    const auto errors = CreateObject<RateErrorModel>();
    errors->SetAttribute("ErrorRate", StringValue("0.01"));
    errors->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
    errors->AssignStreams(3);
    network.hosts[1]->port->GetLink()->SetErrorModel(network.hosts[1]->port, errors);
    for (int change = 0; change < 300; ++change)
    {
        MixnetLink* link = PeekPointer(network.links[random() % network.links.size()]);
        const Time at = NanoSeconds(random() % 400000);
        if (random() % 3 == 0)
        {
            const DataRate rate(25000000000ULL * (1 + random() % 8));
            Simulator::Schedule(at, &MixnetLink::SetRate, link, rate);
        }
        else
        {
            Simulator::Schedule(at, &MixnetLink::SetUp, link, random() % 3 > 0);
        }
    }
    for (const auto& link : network.links)
    {
        Simulator::Schedule(MicroSeconds(500), &MixnetLink::SetUp, PeekPointer(link), true);
    }
    FabricTestNetwork::Run();
    const uint64_t drops = network.context->GetTotalDrops();
    test.Expect(network.context->GetDrops(DropReason::LINK_DOWN) > 100, "links were down");
    test.Expect(network.CountPauses() > 100, "pauses seen");
    test.ExpectEqual(network.CountSent(), 16U * 4 * 300, "all sent");
    test.ExpectEqual(network.CountArrivals() + drops, network.CountSent(), "all accounted for");
    for (const auto& sw : network.switches)
    {
        test.ExpectEqual(sw->GetBuffer().GetUsed(), 0U, "buffer empty");
        for (uint32_t i = 0; i < sw->GetNPorts(); ++i)
        {
            test.ExpectEqual(sw->GetPausedNeighbor(i), 0, "no pause left");
        }
    }
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * @ingroup mixnet-test
 * Links that change while frames are in flight.
 */
class FabricLinkTestSuite : public TestSuite
{
  public:
    FabricLinkTestSuite()
        : TestSuite("mixnet-fabric-link", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("rate change in flight, exact", RateChangeInFlight));
        AddTestCase(new FabricTestCase("rate change to an odd rate", RateChangeToAnOddRate));
        AddTestCase(new FabricTestCase("rate change under load", RateChangeUnderLoad));
        AddTestCase(new FabricTestCase("changes that are refused", RefusedChanges));
        AddTestCase(new FabricTestCase("random changes conserve frames", RandomLinkChanges));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricLinkTestSuite g_fabricLinkTestSuite; //!< the suite

} // namespace
