/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Circuits lit slot after slot: schedules after Birkhoff and von Neumann, and rotors by the clock.

#include "optical-test-case.h"

#include "ns3/circuit-sequencer.h"
#include "ns3/mixnet-error.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"

#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t BYTES = 1 << 20; //!< of a pair

/// @param servers servers @param bytes between each two @return uniform demand
DemandMatrix
Uniform(uint32_t servers, uint64_t bytes)
{
    DemandMatrix demand(servers, servers, bytes);
    for (uint32_t s = 0; s < servers; ++s)
    {
        demand(s, s) = 0;
    }
    return demand;
}

/// @param servers servers @return 400 Gb/s per circuit and no EPS
RegionRates
Rates(uint32_t servers)
{
    return {std::vector<DataRate>(servers, DataRate("400Gbps")),
            std::vector<DataRate>(servers, DataRate(0))};
}

/**
 * Uniform all-to-all of N servers: N - 1 slots of B bytes each, so with two ports per server
 *
 *     total = (N - 1) B / r + dark time x turns
 *
 * where a turn is missing only if a slot needs the circuits of the one before (the same pairs the
 * other way round).
 */
class ClosedFormCase : public OpticalCase
{
  public:
    ClosedFormCase()
        : OpticalCase("a schedule takes its slots and the dark between them")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t SERVERS = 8;
        Build(SERVERS, 2);
        control->drain = NanoSeconds(300);
        auto switcher = CreateObject<CircuitSwitcher>();
        switcher->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(7)));
        switcher->SetFabric(control, region);
        const PortTable ports(SERVERS, 1, 2);
        const CircuitPlan none(SERVERS);
        const RegionRates rates = Rates(SERVERS);
        const DemandMatrix demand = Uniform(SERVERS, BYTES);
        const CircuitSequence sequence =
            MakeBirkhoffSequence({demand, ports, none, nullptr, &rates}, Time(0));
        NS_TEST_ASSERT_MSG_EQ(sequence.phases.size(), SERVERS - 1, "slots");
        NS_TEST_EXPECT_MSG_EQ((sequence.packet == DemandMatrix(SERVERS, SERVERS, 0)), true, "all");
        uint32_t turns = 0;
        for (std::size_t k = 0; k < sequence.phases.size(); ++k)
        {
            turns += k == 0 || sequence.phases[k].plan != sequence.phases[k - 1].plan ? 1 : 0;
        }
        NS_TEST_ASSERT_MSG_GT(turns, 3, "it turns");
        auto sequencer = CreateObject<CircuitSequencer>();
        sequencer->SetSwitcher(switcher, control);
        sequencer->Play(sequence,
                        1,
                        MakeCallback(&ClosedFormCase::Started, this).Bind(std::string("done")));
        Simulator::Run();
        const Time slot = PicoSeconds(BYTES * 20);
        NS_TEST_EXPECT_MSG_EQ(started["done"],
                              slot * (SERVERS - 1) + (MicroSeconds(7) + NanoSeconds(300)) * turns,
                              "closed form");
        NS_TEST_EXPECT_MSG_EQ(switcher->GetNReconfigurations(), turns, "turns");
        sequencer->Dispose();
        switcher->Dispose();
    }
};

/// Slots shorter than asked for are left out, and their bytes are counted for the EPS: what phases
/// carry and what is left add up to the demand.
class ShortSlotsCase : public TestCase
{
  public:
    ShortSlotsCase()
        : TestCase("slots that are too short are left to the packet fabric")
    {
    }

  private:
    void DoRun() override
    {
        // A ring 0 -> 1 -> 2 -> 0 of 8 MB, and 4 MB back from 1 to 0: slots of 8 and 4 MB, 160 and
        // 80 us.
        DemandMatrix demand(3, 3, 0);
        demand(0, 1) = demand(1, 2) = demand(2, 0) = 8000000;
        demand(1, 0) = 4000000;
        const PortTable ports(3, 1, 2);
        const CircuitPlan none(3);
        const RegionRates rates = Rates(3);
        const PlanRequest request{demand, ports, none, nullptr, &rates};
        const CircuitSequence all = MakeBirkhoffSequence(request, MicroSeconds(80));
        NS_TEST_ASSERT_MSG_EQ(all.phases.size(), 2, "both");
        NS_TEST_EXPECT_MSG_EQ(all.phases[0].duration, MicroSeconds(160), "long");
        NS_TEST_EXPECT_MSG_EQ(all.phases[1].duration, MicroSeconds(80), "short");
        NS_TEST_EXPECT_MSG_EQ(all.phases[0].plan.GetTotal(), 3, "a ring");
        NS_TEST_EXPECT_MSG_EQ(all.phases[1].plan.GetTotal(), 1, "a pair");
        const CircuitSequence some = MakeBirkhoffSequence(request, MicroSeconds(81));
        NS_TEST_ASSERT_MSG_EQ(some.phases.size(), 1, "the long one");
        DemandMatrix left(3, 3, 0);
        left(1, 0) = 4000000;
        NS_TEST_EXPECT_MSG_EQ((some.packet == left), true, "for the EPS");
        bool refused = false;
        try
        {
            const PortTable one(3, 1, 1);
            MakeBirkhoffSequence({demand, one, none, nullptr, &rates}, Time(0));
        }
        catch (const InputError&)
        {
            refused = true;
        }
        NS_TEST_EXPECT_MSG_EQ(refused, true, "one port cannot send and receive");
    }
};

/// Servers with one fiber each and no switch, a rotor that turns by the clock, and an all-to-all
/// sent at once: every message waits for its pair's light and arrives once.
class RotorCase : public TestCase, public TransferSink
{
  public:
    explicit RotorCase(Fidelity fidelity)
        : TestCase(fidelity == Fidelity::PACKET ? "a rotor carries an all-to-all, packets"
                                                : "a rotor carries an all-to-all, flows"),
          m_fidelity(fidelity)
    {
    }

    void OnCompletion(const Completion& c) override
    {
        m_delivered += c.status == TransferStatus::DELIVERED ? 1 : 0;
        m_last = c.finished;
    }

  private:
    void DoRun() override
    {
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::CircuitPairTopology");
        helper.SetFidelity(m_fidelity);
        auto fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(4, 1)));
        fabric->AssignStreams(1);
        auto switcher = CreateObject<CircuitSwitcher>();
        switcher->SetAttribute("SwitchingDelay", TimeValue(MicroSeconds(10)));
        switcher->SetFabric(fabric->GetControl(), RegionId(0));
        const PortTable ports(4, 1, 1);
        const CircuitPlan none(4);
        // The closed form of an idle path is 21.4 us per message: 30 us of light are enough.
        const CircuitSequence cycle =
            MakeRotorSequence({Uniform(4, BYTES), ports, none}, MicroSeconds(30));
        NS_TEST_ASSERT_MSG_EQ(cycle.phases.size(), 3, "all pairs in three phases");
        std::vector<Transfer> batch;
        for (uint32_t i = 0; i < 16; ++i)
        {
            Transfer t;
            t.source = fabric->GetGraph()->GetGpu(ServerId(i / 4), 0);
            t.destination = fabric->GetGraph()->GetGpu(ServerId(i % 4), 0);
            t.bytes = ByteCount(BYTES);
            t.trafficClass = TrafficClass::EP;
            if (i / 4 != i % 4)
            {
                batch.push_back(t);
            }
        }
        fabric->GetTransport()->Send(batch, *this);
        auto sequencer = CreateObject<CircuitSequencer>();
        sequencer->SetSwitcher(switcher, fabric->GetControl());
        sequencer->Play(cycle, 2, CircuitSequencer::DoneCallback());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_delivered, 12, "each once");
        const TransferTotals totals = fabric->GetTransport()->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.delivered.Get(), 12 * BYTES, "bytes");
        NS_TEST_EXPECT_MSG_EQ(totals.unfinished.Get(), 0, "none left");
        // Two turns at least lie before the last pair's light; a drain takes less than 30 us.
        NS_TEST_EXPECT_MSG_GT(m_last, MicroSeconds(2 * (30 + 10)), "in the last phase");
        NS_TEST_EXPECT_MSG_LT(m_last, MicroSeconds(3 * (30 + 10 + 30)), "of the first cycle");
        sequencer->Dispose();
        switcher->Dispose();
        fabric.reset();
        Simulator::Destroy();
    }

    Fidelity m_fidelity;     //!< which world
    uint32_t m_delivered{0}; //!< messages
    Time m_last;             //!< end of the last one
};

/// The suite.
class OpticalSequenceTestSuite : public TestSuite
{
  public:
    OpticalSequenceTestSuite()
        : TestSuite("mixnet-optical-sequence", TestSuite::Type::UNIT)
    {
        AddTestCase(new ClosedFormCase);
        AddTestCase(new ShortSlotsCase);
        AddTestCase(new RotorCase(Fidelity::FLOW));
        AddTestCase(new RotorCase(Fidelity::PACKET));
    }

  private:
    void DoSetup() override
    {
        EnsurePicosecondClock();
    }
};

OpticalSequenceTestSuite g_opticalSequenceTestSuite; //!< registers the suite

} // namespace
