/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-test-network.h"

#include "ns3/object-factory.h"

#include <random>

using namespace ns3;

namespace
{

/// How one run of the random scenario is executed; nothing of it may change a result.
struct Manner
{
    std::string name;                            //!< for messages
    std::string lookahead{"1s"};                 //!< of all switches
    std::string scheduler{"ns3::HeapScheduler"}; //!< of the events
    bool observed{false};                        //!< a sink on every switch port
    bool sampled{false};                         //!< buffers are read in between
};

/// What came out of a run.
struct Outcome
{
    uint64_t hash{14695981039346656037ULL}; //!< FNV-1a over all arrivals
    uint64_t arrivals{0};                   //!< frames
    uint64_t drops{0};                      //!< frames
    uint64_t pauses{0};                     //!< PFC pauses
    uint64_t marks{0};                      //!< of arrived frames
    uint64_t events{0};                     //!< ns-3 events
    uint64_t laws{0};                       //!< how often the laws were checked
    uint64_t traced{0};                     //!< calls of the sinks
    bool lawful{true};                      //!< the laws held
    bool exact{true};                       //!< sinks were called at the time of what they heard
};

/// Hears what is queued at the switches.
class Sink
{
  public:
    /// @param outcome to write to
    explicit Sink(Outcome* outcome)
        : m_outcome(outcome)
    {
    }

    /// @param frame queued
    void Enqueue(const Frame& frame)
    {
        ++m_outcome->traced;
        m_outcome->exact = m_outcome->exact && frame.time == Simulator::Now().GetTimeStep();
    }

    /// @param frame leaves
    void Dequeue(const Frame& frame)
    {
        // Arrival = start + serialization + 1 us.
        const SimTick start = frame.time - 1000000 - Serialize(frame.wireBytes, 100);
        m_outcome->exact = m_outcome->exact && start == Simulator::Now().GetTimeStep();
    }

  private:
    Outcome* m_outcome; //!< to write to
};

/// @param network with switches @param outcome laws: bytes in the buffer = bytes in the queues
void
CheckLaws(FabricTestNetwork& network, Outcome& outcome)
{
    for (const auto& sw : network.switches)
    {
        const uint64_t used = sw->GetBuffer().GetUsed();
        outcome.lawful = outcome.lawful && used == FabricTestNetwork::CountQueued(*sw);
        outcome.laws += used > 0;
    }
}

/// Random messages of three classes, bursts to one host, links that fail, a small buffer.
/// @param manner how to run it @param seed of the scenario @return what came out
Outcome
RunRandom(const Manner& manner, uint32_t seed)
{
    ObjectFactory scheduler;
    scheduler.SetTypeId(manner.scheduler);
    Simulator::SetScheduler(scheduler);
    FabricTestNetwork network;
    network.FatTree(4,
                    "100Gbps",
                    "1us",
                    {{"BufferSize", "900kB"},
                     {"Lookahead", manner.lookahead},
                     {"EcnKmin", "5kB"},
                     {"EcnKmax", "20kB"}});
    int64_t stream = 100;
    for (const auto& sw : network.switches)
    {
        stream += sw->AssignStreams(stream);
    }
    std::mt19937 random(seed);
    const auto draw = [&random](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    for (int i = 0; i < 600; ++i)
    {
        RawNic::Job job;
        job.destination = draw(3) == 0 ? 5 : draw(16);
        job.frames = 1 + draw(60);
        job.payload = static_cast<uint16_t>(draw(4) == 0 ? 1 + draw(9000) : 4096);
        job.trafficClass = std::array<uint8_t, 4>{{3, 3, 0, 6}}[draw(4)];
        job.ecn = FrameEcn::ECT0;
        job.sourcePort = static_cast<uint16_t>(0xc000 + i);
        job.gap = draw(5) == 0 ? draw(2000000) : 0;
        Simulator::Schedule(PicoSeconds(draw(500000000)),
                            &RawNic::Send,
                            network.hosts[draw(16)].get(),
                            job);
    }
    for (int i = 0; i < 12; ++i)
    {
        MixnetLink* link = PeekPointer(network.links[draw(48)]);
        const Time at = PicoSeconds(100000000 + draw(300000000));
        Simulator::Schedule(at, &MixnetLink::SetUp, link, false);
        Simulator::Schedule(at + PicoSeconds(1 + draw(50000000)), &MixnetLink::SetUp, link, true);
    }
    Outcome outcome;
    Sink sink(&outcome);
    for (const auto& sw : network.switches)
    {
        for (uint32_t i = 0; manner.observed && i < sw->GetNPorts(); ++i)
        {
            MixnetPort* port = sw->GetPort(i);
            port->TraceConnectWithoutContext("Enqueue", MakeCallback(&Sink::Enqueue, &sink));
            port->TraceConnectWithoutContext("Dequeue", MakeCallback(&Sink::Dequeue, &sink));
        }
    }
    for (int i = 0; manner.sampled && i < 2000; ++i)
    {
        Simulator::Schedule(PicoSeconds(300000 * i + draw(300000)),
                            [&] { CheckLaws(network, outcome); });
    }
    FabricTestNetwork::Run();
    outcome.events = Simulator::GetEventCount();
    outcome.pauses = network.CountPauses();
    outcome.drops = network.context->GetTotalDrops();
    CheckLaws(network, outcome);
    for (const auto& host : network.hosts)
    {
        for (const auto& a : host->arrivals)
        {
            outcome.marks += a.frame.ecn == FrameEcn::CE;
            for (const uint64_t value : {static_cast<uint64_t>(a.time),
                                         uint64_t{a.frame.source},
                                         uint64_t{a.frame.psn},
                                         static_cast<uint64_t>(a.frame.ecn)})
            {
                outcome.hash = (outcome.hash ^ value) * 1099511628211ULL;
            }
        }
        outcome.exact = outcome.exact && !host->late;
    }
    outcome.arrivals = network.CountArrivals();
    outcome.lawful = outcome.lawful && network.Close() == 0;
    return outcome;
}

/**
 * The order in which an element takes things is by time and port, never by events: late looks,
 * observers, readers and another scheduler leave every arrival (time, frame, mark) as it is.
 */
void
MannersDoNotMatter(FabricTestCase& test)
{
    for (const uint32_t seed : {1, 2})
    {
        const Outcome reference = RunRandom({"exact", "0s"}, seed);
        test.Expect(reference.lawful, "laws");
        test.Expect(reference.arrivals > 10000 && reference.drops > 100 && reference.pauses > 100 &&
                        reference.marks > 100,
                    "the scenario has drops, pauses and marks");
        std::vector<Manner> manners(6);
        manners[0] = {"late", "1s"};
        manners[1] = {"100 ns late", "100ns"};
        manners[2] = {"observed", "1s"};
        manners[2].observed = true;
        manners[3] = {"sampled", "1s"};
        manners[3].sampled = true;
        manners[4] = {"map scheduler", "1s", "ns3::MapScheduler"};
        manners[5] = {"list scheduler", "1s", "ns3::ListScheduler"};
        for (const auto& manner : manners)
        {
            const Outcome outcome = RunRandom(manner, seed);
            const std::string what = manner.name + ", seed " + std::to_string(seed);
            test.ExpectEqual(outcome.hash, reference.hash, what + ": same arrivals");
            test.ExpectEqual(outcome.drops, reference.drops, what + ": same drops");
            test.ExpectEqual(outcome.pauses, reference.pauses, what + ": same pauses");
            test.Expect(outcome.lawful, what + ": laws");
            test.Expect(outcome.exact, what + ": NICs and sinks are called at exact times");
            test.Expect(!manner.observed || outcome.traced > 10000, what + ": sinks are called");
            test.Expect(!manner.sampled || outcome.laws > 1000, what + ": buffers are in use");
            if (manner.name == "late")
            {
                test.Expect(outcome.events * 2 < reference.events, "late looks spare events");
            }
        }
        test.Expect(RunRandom({"other"}, seed + 100).hash != reference.hash, "the hash sees");
    }
}

/**
 * @ingroup mixnet-test
 * Results do not depend on how events are scheduled.
 */
class FabricOrderTestSuite : public TestSuite
{
  public:
    FabricOrderTestSuite()
        : TestSuite("mixnet-fabric-order", TestSuite::Type::UNIT)
    {
        AddTestCase(new FabricTestCase("late looks, observers, readers and schedulers",
                                       MannersDoNotMatter));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

FabricOrderTestSuite g_fabricOrderTestSuite; //!< the suite

} // namespace
