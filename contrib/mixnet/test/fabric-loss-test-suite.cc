/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/error-model.h"
#include "ns3/frame-codec.h"
#include "ns3/packet.h"

#include <set>

using namespace ns3;

namespace
{

/// Corrupts chosen frames, by their order on the link.
class ScriptedErrors : public ErrorModel
{
  public:
    /// @return the TypeId
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::test::FabricScriptedErrors").SetParent<ErrorModel>();
        return tid;
    }

    std::set<uint32_t> lost;   //!< which frames
    uint32_t seen{0};          //!< frames so far
    std::vector<SimTick> when; //!< Simulator::Now() at each
    bool decoded{true};        //!< each was a true RoCE frame

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        std::vector<uint8_t> bytes(packet->GetSize());
        packet->CopyData(bytes.data(), packet->GetSize());
        decoded = decoded && FrameCodec::Decode(bytes);
        when.push_back(Simulator::Now().GetTimeStep());
        return lost.count(seen++) > 0;
    }

    void DoReset() override
    {
        seen = 0;
    }
};

/// Two hosts, one link of 100 Gb/s and 1 us. @param network to build @return the link
MixnetLink*
Pair(FabricTestNetwork& network)
{
    network.AddHosts(2);
    return network.Link(network.hosts[0]->port, network.hosts[1]->port, "100Gbps", "1us");
}

/// The scripted frames are lost, the others arrive as if nothing had happened.
void
ErrorsOnALink(FabricTestCase& test)
{
    FabricTestNetwork network;
    MixnetLink* link = Pair(network);
    const auto errors = CreateObject<ScriptedErrors>();
    errors->lost = {0, 3, 9};
    link->SetErrorModel(network.hosts[0]->port, errors);
    RawNic::Job job;
    job.destination = 1;
    job.frames = 10;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    job.destination = 0;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[1].get(), job);
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    test.ExpectEqual(arrivals.size(), 7U, "three lost");
    std::size_t next = 0;
    for (uint32_t i = 0; i < 10; ++i)
    {
        const SimTick time = (i + 1) * Serialize(WIRE, 100) + 1000000;
        test.ExpectEqual(errors->when.at(i), time, "asked at its arrival");
        if (errors->lost.count(i) == 0)
        {
            test.ExpectEqual(arrivals[next].frame.psn, i, "the right ones are lost");
            test.ExpectEqual(arrivals[next++].time, time, "the others in time");
        }
    }
    test.Expect(errors->decoded, "the model sees true frames");
    test.ExpectEqual(network.hosts[0]->arrivals.size(), 10U, "the other direction is clean");
    test.ExpectEqual(network.context->GetDrops(DropReason::CORRUPT), 3U, "counted");
    test.ExpectEqual(link->GetLost(network.hosts[0]->port), 3U, "counted by the link");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// PFC frames pass where every other frame is lost.
void
PfcIsNeverCorrupted(FabricTestCase& test)
{
    FabricTestNetwork network;
    MixnetLink* link = Pair(network);
    const auto errors = CreateObject<RateErrorModel>();
    errors->SetAttribute("ErrorRate", StringValue("1"));
    errors->SetAttribute("ErrorUnit", StringValue("ERROR_UNIT_PACKET"));
    link->SetErrorModel(network.hosts[0]->port, errors);
    Simulator::ScheduleNow(&MixnetPort::SendPfc, network.hosts[0]->port, 0x08, true, 0, 0);
    RawNic::Job job;
    job.destination = 1;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    FabricTestNetwork::Run();
    test.ExpectEqual(network.hosts[1]->port->GetPausedClasses(), 0x08, "paused");
    test.ExpectEqual(network.CountArrivals(), 0U, "data is lost");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * Down at 10 us, up at 20 us. Frames start every 334.24 ns and are there 1 us after their end: at
 * 10 us those that ended before 9 us have arrived (26); 29 ended and one is being sent.
 */
void
LinkDownInFlight(FabricTestCase& test)
{
    FabricTestNetwork network;
    MixnetLink* link = Pair(network);
    const SimTick s = Serialize(WIRE, 100);
    RawNic::Job job;
    job.destination = 1;
    job.frames = 100;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    std::vector<bool> states;

    struct Log
    {
        std::vector<bool>* states;

        void Call(bool up)
        {
            states->push_back(up);
        }
    } log{&states};

    link->TraceConnectWithoutContext("State", MakeCallback(&Log::Call, &log));
    for (const bool up : {false, true})
    {
        const Time at = up ? MicroSeconds(20) : MicroSeconds(10);
        Simulator::Schedule(at, &MixnetLink::SetUp, link, up);
        Simulator::Schedule(at, &MixnetLink::SetUp, link, up); // idempotent
    }
    Simulator::Schedule(MicroSeconds(15), [&] {
        test.Expect(!network.hosts[0]->port->IsLinkUp(), "down");
        test.ExpectEqual(link->CountInFlight(network.hosts[0]->port), 0U, "nothing under way");
    });
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    const auto before = static_cast<uint32_t>((10000000 - 1000000) / s);
    const auto begun = static_cast<uint32_t>(10000000 / s + 1);
    test.ExpectEqual(before, 26U, "the scenario is as described");
    test.ExpectEqual(begun, 30U, "the scenario is as described");
    test.ExpectEqual(arrivals.size(), 100 - (begun - before), "those in flight are lost");
    test.ExpectEqual(arrivals[before - 1].frame.psn, before - 1, "the last one before");
    test.ExpectEqual(arrivals[before].frame.psn, begun, "the first one after");
    test.ExpectEqual(arrivals[before].time, 20000000 + s + 1000000, "at once when up");
    test.ExpectEqual(link->GetLost(network.hosts[0]->port), begun - before, "counted");
    test.ExpectEqual(network.context->GetDrops(DropReason::LINK_DOWN), begun - before, "counted");
    test.ExpectEqual(states.size(), 2U, "each change is told once");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// A switch with a dead link drops what is queued for it and what comes for it, frees the buffer,
/// and forgets the pauses of that cable; the other ports go on.
void
DeadEgress(FabricTestCase& test)
{
    FabricTestNetwork network;
    PacketSwitch* sw = network.Star(4, "100Gbps", "1us", {{"BufferSize", "1MB"}, {"Ecn", "false"}});
    RawNic::Job job;
    job.destination = 3;
    job.frames = 1000;
    for (uint32_t i = 0; i < 3; ++i)
    {
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    Simulator::Schedule(MicroSeconds(100), [&] {
        test.Expect(sw->GetBuffer().GetUsed() > 100000, "much is queued");
        test.Expect(sw->GetPausedNeighbor(0) != 0, "a neighbor is paused");
    });
    MixnetLink* dead = PeekPointer(network.links[3]);
    Simulator::Schedule(MicroSeconds(200), &MixnetLink::SetUp, dead, false);
    Simulator::Schedule(MicroSeconds(201), [&] {
        test.Expect(sw->GetBuffer().GetUsed() < 10000, "the buffer is free");
    });
    RawNic::Job other;
    other.destination = 1;
    other.frames = 10;
    Simulator::Schedule(MicroSeconds(900), &RawNic::Send, network.hosts[0].get(), other);
    FabricTestNetwork::Run();
    const uint64_t drops = network.context->GetDrops(DropReason::LINK_DOWN);
    test.Expect(drops > 1000, "dropped: queued and later ones");
    test.ExpectEqual(network.CountArrivals() + drops, network.CountSent(), "all accounted for");
    test.ExpectEqual(network.context->GetTotalDrops(), drops, "for no other reason");
    test.ExpectEqual(network.CountSent(), 3010U, "paused neighbors went on");
    test.ExpectEqual(network.hosts[1]->arrivals.size(), 10U, "other ports work");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// A paused neighbor whose cable is cut and mended sends again: pauses do not outlive the link.
void
PauseIsForgottenWithTheLink(FabricTestCase& test)
{
    FabricTestNetwork network;
    MixnetLink* link = Pair(network);
    RawNic::Job job;
    job.destination = 1;
    job.frames = 10;
    Simulator::ScheduleNow(&MixnetPort::SendPfc, network.hosts[1]->port, 0x08, true, 0, 0);
    Simulator::Schedule(MicroSeconds(5), &RawNic::Send, network.hosts[0].get(), job);
    Simulator::Schedule(MicroSeconds(10), &MixnetLink::SetUp, link, false);
    Simulator::Schedule(MicroSeconds(20), &MixnetLink::SetUp, link, true);
    FabricTestNetwork::Run();
    test.ExpectEqual(network.CountArrivals(), 10U, "all arrive");
    test.ExpectEqual(network.hosts[1]->arrivals[0].time,
                     20000000 + Serialize(WIRE, 100) + 1000000,
                     "when the link is up again");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// No route, wrong NIC: dropped and counted by reason.
void
Strays(FabricTestCase& test)
{
    FabricTestNetwork network;
    PacketSwitch* sw = network.Star(2, "100Gbps", "1us", {});
    sw->SetRoutes({{0, 1, 0}}, {{1}}); // everything to host 1
    RawNic::Job job;
    job.destination = 7; // no such route
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    job.destination = 0; // routed to host 1, which does not want it
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    FabricTestNetwork::Run();
    test.ExpectEqual(network.CountArrivals(), 0U, "nobody gets them");
    test.ExpectEqual(network.context->GetDrops(DropReason::NO_ROUTE), 1U, "no route");
    test.ExpectEqual(network.context->GetDrops(DropReason::UNWANTED), 1U, "wrong NIC");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// A run that is stopped with frames everywhere gives them all back.
void
DisposedInFlight(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.FatTree(4, "100Gbps", "1us", {{"BufferSize", "2MB"}});
    for (uint32_t i = 1; i < 16; ++i)
    {
        RawNic::Job job;
        job.frames = 1000;
        Simulator::ScheduleNow(&RawNic::Send, network.hosts[i].get(), job);
    }
    Simulator::Stop(MicroSeconds(150));
    FabricTestNetwork::Run();
    test.Expect(network.context->GetPool().GetInUse() > 300, "frames everywhere");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/// A mirror: what arrives at one of its ports goes on by the other, as light does.
class Mirror : public FrameReceiver
{
  public:
    void ReceiveFrame(Frame* frame, MixnetPort& in, SimTick now) override
    {
        (&in == a ? b : a)->Inject(frame, now);
    }

    MixnetPort* a{nullptr}; //!< one port
    MixnetPort* b{nullptr}; //!< the other
};

/// Cut-through: over two fibers and a mirror there is one serialization, and PFC passes too.
void
CutThrough(FabricTestCase& test)
{
    FabricTestNetwork network;
    network.AddHosts(2);
    const auto node = CreateObject<Node>();
    network.nodes.push_back(node);
    Mirror mirror;
    for (MixnetPort** port : {&mirror.a, &mirror.b})
    {
        const auto device = CreateObject<MixnetPort>();
        device->SetFabric(network.context);
        node->AddDevice(device);
        device->SetReceiver(&mirror, PortRole::OPTICAL);
        *port = PeekPointer(device);
    }
    network.Link(network.hosts[0]->port, mirror.a, "100Gbps", "1us");
    network.Link(mirror.b, network.hosts[1]->port, "100Gbps", "3us");
    RawNic::Job job;
    job.destination = 1;
    job.frames = 5;
    Simulator::ScheduleNow(&RawNic::Send, network.hosts[0].get(), job);
    Simulator::Schedule(MicroSeconds(50),
                        [&] { network.hosts[1]->port->SendPfc(0x08, true, 50000000); });
    FabricTestNetwork::Run();
    const auto& arrivals = network.hosts[1]->arrivals;
    test.ExpectEqual(arrivals.size(), 5U, "all arrive");
    for (std::size_t i = 0; i < arrivals.size(); ++i)
    {
        test.ExpectEqual(arrivals[i].time,
                         static_cast<SimTick>(i + 1) * Serialize(WIRE, 100) + 4000000,
                         "one serialization, two delays");
    }
    test.ExpectEqual(network.hosts[0]->port->GetPausedClasses(), 0x08, "PFC passes the mirror");
    test.ExpectEqual(network.Close(), 0, "every frame came back");
}

/**
 * @ingroup mixnet-test
 * Links that lose frames, die and come back; frames that go nowhere.
 */
class FabricLossTestSuite : public TestSuite
{
  public:
    FabricLossTestSuite()
        : TestSuite("mixnet-fabric-loss", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("scripted errors on a link", ErrorsOnALink));
        AddTestCase(new FabricTestCase("PFC is never corrupted", PfcIsNeverCorrupted));
        AddTestCase(new FabricTestCase("link down with frames in flight", LinkDownInFlight));
        AddTestCase(new FabricTestCase("dead egress of a congested switch", DeadEgress));
        AddTestCase(
            new FabricTestCase("a pause is forgotten with the link", PauseIsForgottenWithTheLink));
        AddTestCase(new FabricTestCase("no route, wrong NIC", Strays));
        AddTestCase(new FabricTestCase("disposed with frames in flight", DisposedInFlight));
        AddTestCase(new FabricTestCase("cut-through of an optical port", CutThrough));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricLossTestSuite g_fabricLossTestSuite; //!< the suite

} // namespace
