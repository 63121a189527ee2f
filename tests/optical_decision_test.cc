/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// What decisions led to: by hand, alone and in both worlds.

#include "result_columns.h"

#include "ns3/circuit-recorder.h"
#include "ns3/decision-log.h"
#include "ns3/mixnet-fabric-helper.h"
#include "ns3/ns3-compat.h"
#include "ns3/optical-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace ns3;

namespace
{

constexpr auto DISPATCH = AllToAllPhase::FORWARD_DISPATCH;
constexpr auto COMBINE = AllToAllPhase::FORWARD_COMBINE;

/// @param id about @param event event @param predicted with the circuits that were there
/// @param asked reconfiguration; 0: kept @return a decision
CircuitDecision
Decide(const AllToAllId& id, AllToAllEvent event, Time predicted, uint64_t asked)
{
    CircuitDecision d;
    d.id = id;
    d.event = event;
    d.action = ReconfigurationAction::BEFORE;
    d.predictedCurrent = predicted;
    d.predictedReverse = predicted;
    d.kept = asked == 0;
    d.reconfiguration = asked;
    return d;
}

// Predicted 10 ms with the old circuits. The dispatch waits from 0 to 5 ms and takes 3, the combine
// takes 4: 2 x 10 - 7 = 13 ms gained, for 5 ms of dark.
TEST(DecisionLog, ADecisionServesTheAllToAllsOfItsPass)
{
    DecisionLog log;
    log.SetRegion(RegionId(7));
    const AllToAllId dispatch{0, 2, 1, DISPATCH, 3};
    const AllToAllId combine{0, 2, 1, COMBINE, 3};
    CircuitDecision d = Decide(dispatch, AllToAllEvent::REQUESTED, MilliSeconds(10), 4);
    log.Add(d);
    EXPECT_EQ(d.number, 1U);
    log.Request(dispatch, MilliSeconds(0));
    const auto lit = log.Light(4, MilliSeconds(5));
    ASSERT_EQ(lit.size(), 1U);
    EXPECT_EQ(lit[0].dark, MilliSeconds(5));
    EXPECT_EQ(lit[0].served, 0U);
    log.Begin(dispatch, MilliSeconds(5));
    const auto first = log.Finish(dispatch, MilliSeconds(8));
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0].region, RegionId(7));
    EXPECT_EQ(first[0].decision, 1U);
    EXPECT_EQ(first[0].served, 1U);
    EXPECT_EQ(first[0].actual, MilliSeconds(3));
    EXPECT_EQ(first[0].gain, MilliSeconds(7));
    EXPECT_EQ(first[0].waited, MilliSeconds(5));

    // the combine's own decision keeps: it serves the combine only
    CircuitDecision own = Decide(combine, AllToAllEvent::REQUESTED, MilliSeconds(2), 0);
    log.Add(own);
    log.Request(combine, MilliSeconds(20));
    const auto second = log.Finish(combine, MilliSeconds(24));
    ASSERT_EQ(second.size(), 2U);
    EXPECT_EQ(second[0].served, 2U);
    EXPECT_EQ(second[0].actual, MilliSeconds(7));
    EXPECT_EQ(second[0].gain, MilliSeconds(13));
    EXPECT_EQ(second[0].dark, MilliSeconds(5));
    EXPECT_FALSE(second[0].replaced);
    EXPECT_EQ(second[1].decision, own.number);
    EXPECT_EQ(second[1].served, 1U);
    EXPECT_EQ(second[1].gain, MilliSeconds(-2)) << "overheads are not predicted";
    EXPECT_EQ(log.GetNOpen(), 0U);
}

// With recomputation a backward pass has four all-to-alls of 3 ms; those that carry the transpose
// were predicted to take 25 ms, the others 10.
TEST(DecisionLog, ARecomputedPassHasFourAllToAlls)
{
    DecisionLog log;
    AllToAllId id{0, 0, 0, AllToAllPhase::RECOMPUTED_DISPATCH, 0};
    CircuitDecision d = Decide(id, AllToAllEvent::REQUESTED, MilliSeconds(10), 0);
    d.predictedReverse = MilliSeconds(25);
    log.Add(d);
    const Time gains[] = {MilliSeconds(7), MilliSeconds(29), MilliSeconds(36), MilliSeconds(58)};
    const AllToAllPhase phases[] = {AllToAllPhase::RECOMPUTED_DISPATCH,
                                    AllToAllPhase::RECOMPUTED_COMBINE,
                                    AllToAllPhase::BACKWARD_COMBINE,
                                    AllToAllPhase::BACKWARD_DISPATCH};
    for (uint32_t i = 0; i < 4; ++i)
    {
        EXPECT_EQ(log.GetNOpen(), 1U);
        id.phase = phases[i];
        log.Request(id, MilliSeconds(10 * i));
        const auto outcome = log.Finish(id, MilliSeconds(10 * i + 3));
        ASSERT_EQ(outcome.size(), 1U);
        EXPECT_EQ(outcome[0].served, i + 1);
        EXPECT_EQ(outcome[0].gain, gains[i]);
    }
    EXPECT_EQ(log.GetNOpen(), 0U);

    // Decided at the end of the recomputed combine: the two that follow.
    id.phase = AllToAllPhase::RECOMPUTED_COMBINE;
    CircuitDecision late = Decide(id, AllToAllEvent::FINISHED, MilliSeconds(10), 0);
    log.Add(late);
    for (uint32_t i = 1; i < 4; ++i)
    {
        id.phase = phases[i];
        log.Request(id, MilliSeconds(10 * i));
        EXPECT_EQ(log.Finish(id, MilliSeconds(10 * i + 3)).size(), i == 1 ? 0U : 1U);
    }
    EXPECT_EQ(log.GetNOpen(), 0U);
}

// One-way circuits: 10 ms predicted for the dispatch, 25 for the combine, 3 and 4 taken.
TEST(DecisionLog, TheOtherDirectionHasItsOwnPrediction)
{
    DecisionLog log;
    const AllToAllId dispatch{0, 0, 0, DISPATCH, 0};
    const AllToAllId combine{0, 0, 0, COMBINE, 0};
    CircuitDecision d = Decide(dispatch, AllToAllEvent::REQUESTED, MilliSeconds(10), 0);
    d.predictedReverse = MilliSeconds(25);
    log.Add(d);
    log.Request(dispatch, MilliSeconds(0));
    EXPECT_EQ(log.Finish(dispatch, MilliSeconds(3)).at(0).gain, MilliSeconds(7));
    log.Request(combine, MilliSeconds(5));
    EXPECT_EQ(log.Finish(combine, MilliSeconds(9)).at(0).gain, MilliSeconds(7 + 21));
}

// A decision at the end of a dispatch serves the combine; all-to-alls of others do not count, and
// who changes the circuits in between replaces it.
TEST(DecisionLog, OthersDoNotCountButMayReplace)
{
    DecisionLog log;
    const AllToAllId dispatch{0, 0, 0, DISPATCH, 0};
    const AllToAllId combine{0, 0, 0, COMBINE, 0};
    const AllToAllId other{0, 0, 0, DISPATCH, 1};
    CircuitDecision d = Decide(dispatch, AllToAllEvent::FINISHED, Time::Max(), 1);
    log.Add(d);
    log.Request(other, MilliSeconds(1));
    EXPECT_TRUE(log.Finish(other, MilliSeconds(2)).empty());
    CircuitDecision next = Decide(other, AllToAllEvent::REQUESTED, MilliSeconds(1), 2);
    log.Add(next);
    // 1 was replaced before it was lit: its dark time stays 0
    const auto lit = log.Light(2, MilliSeconds(9));
    ASSERT_EQ(lit.size(), 1U);
    EXPECT_EQ(lit[0].decision, next.number);
    log.Request(combine, MilliSeconds(10));
    const auto over = log.Finish(combine, MilliSeconds(11));
    ASSERT_EQ(over.size(), 1U);
    EXPECT_EQ(over[0].decision, d.number);
    EXPECT_EQ(over[0].served, 1U);
    EXPECT_TRUE(over[0].replaced);
    EXPECT_EQ(over[0].dark, Time());
    EXPECT_EQ(over[0].gain, Time::Max()) << "its bytes had no way before";
    EXPECT_TRUE(log.Finish(combine, MilliSeconds(12)).empty()) << "not requested";
    EXPECT_EQ(log.GetNOpen(), 1U) << "the pass of the other group is not over";
}

/// One all-to-all after the other over four servers with a NIC on the EPS and one on an OCS.
class DecidedRun : public TransferSink
{
  public:
    static constexpr uint64_t BYTES = 4 << 20; //!< of a message: 1,024 packets

    explicit DecidedRun(Fidelity fidelity)
        : m_recorder(5)
    {
        EnsurePicosecondClock();
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(1));
        helper.SetFidelity(fidelity);
        m_fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(4, 2)));
        m_fabric->AssignStreams(1);
        OpticalHelper optics;
        optics.SetControllerAttribute("SwitchingDelay", TimeValue(MicroSeconds(30)));
        m_controller = optics.Install(m_fabric->GetControl(), RegionId(0));
        m_recorder.Listen(m_controller);
    }

    ~DecidedRun() override
    {
        m_controller->Dispose();
        m_fabric.reset();
        Simulator::Destroy();
    }

    /// Server 0 sends to 1 and 2, then they answer. @return tables
    std::vector<ResultTable> Run()
    {
        Ask({0, 3, 1, DISPATCH}, false);
        Simulator::Run();
        Ask({0, 3, 1, COMBINE}, true);
        Simulator::Run();
        std::vector<ResultTable> tables;
        m_recorder.AddTables(tables);
        return tables;
    }

    void OnCompletion(const Completion& c) override
    {
        ++m_ended;
        if (m_ended % 2 == 0)
        {
            m_controller->Finish(m_id);
        }
    }

  private:
    void Ask(const AllToAllId& id, bool back)
    {
        m_id = id;
        m_back = back;
        DemandMatrix demand(4, 4, 0);
        (back ? demand(1, 0) : demand(0, 1)) = BYTES;
        (back ? demand(2, 0) : demand(0, 2)) = BYTES;
        m_controller->Request(id, demand, MakeCallback(&DecidedRun::Start, this));
    }

    void Start()
    {
        for (const uint32_t other : {1, 2})
        {
            Transfer t;
            t.source = m_fabric->GetGraph()->GetGpu(ServerId(m_back ? other : 0), 0);
            t.destination = m_fabric->GetGraph()->GetGpu(ServerId(m_back ? 0 : other), 0);
            t.bytes = ByteCount(BYTES);
            t.trafficClass = TrafficClass::EP;
            m_fabric->GetTransport()->Send({t}, *this);
        }
    }

    CircuitRecorder m_recorder;             //!< under test
    std::unique_ptr<MixnetFabric> m_fabric; //!< the world
    Ptr<RegionalController> m_controller;   //!< under test
    AllToAllId m_id;                        //!< in progress
    bool m_back{false};                     //!< the answers
    uint32_t m_ended{0};                    //!< messages
};

// 400 Gb/s: 20 ps a byte. Without circuits both messages share the EPS NIC of server 0: 2 x 4 MiB
// take 167.77216 us. With the one circuit each has a NIC: 83.88608 us. In fact a message is 1,024
// packets of 4,178 wire bytes and 16 more in the first; the one over the EPS crosses two links of 1
// us and one switch, which takes its first packet (4,194 B) once more:
//     (1024 x 4178 + 16 + 4194) x 20 ps + 2 us = 87.649640 us.
// The paper's policy lights the circuit for the dispatch (30 us of switching, nothing to drain) and
// keeps it for the combine.
TEST(DecisionLog, BothWorldsGiveTheGainOfTheHandCalculation)
{
    constexpr double predicted = 167.77216e-6;
    constexpr double actual = 87.649640e-6;
    constexpr double tick = 1e-12;
    for (const Fidelity fidelity : {Fidelity::PACKET, Fidelity::FLOW})
    {
        DecidedRun run(fidelity);
        const auto tables = run.Run();
        const ResultColumns d(tables, "/decisions");
        ASSERT_EQ(d.GetNRows(), 2U);
        EXPECT_EQ(d.Number("run", 0), 5);
        EXPECT_EQ(d.Number("number", 0), 1);
        EXPECT_EQ(d.Number("layer", 0), 3);
        EXPECT_EQ(d.Number("micro_batch", 0), 1);
        EXPECT_EQ(d.Text("why", 0), "the first all-to-all of a pass waits for its exact plan");
        EXPECT_NEAR(d.Number("predicted_current", 0), predicted, tick);
        EXPECT_NEAR(d.Number("predicted_proposed", 0), predicted / 2, tick);
        EXPECT_NEAR(d.Number("expected_dark", 0), 30e-6, tick);
        EXPECT_EQ(d.Number("kept", 0), 0);
        EXPECT_EQ(d.Number("served", 0), 2);
        EXPECT_NEAR(d.Number("actual", 0), 2 * actual, 2 * tick) << GetName(fidelity);
        EXPECT_NEAR(d.Number("actual_gain", 0), 2 * (predicted - actual), 2 * tick);
        EXPECT_NEAR(d.Number("waited", 0), 30e-6, tick);
        EXPECT_NEAR(d.Number("dark", 0), 30e-6, tick);
        EXPECT_EQ(d.Number("replaced", 0), 0);

        EXPECT_EQ(d.Number("kept", 1), 1);
        EXPECT_EQ(d.Number("reconfiguration", 1), 0);
        EXPECT_EQ(d.Number("served", 1), 1);
        EXPECT_NEAR(d.Number("predicted_current", 1), predicted / 2, tick);
        EXPECT_NEAR(d.Number("actual_gain", 1), predicted / 2 - actual, tick);
        EXPECT_EQ(d.Number("waited", 1), 0);
        EXPECT_EQ(d.Number("dark", 1), 0);
        for (const char* column : {"actual", "actual_gain", "waited", "dark", "expected_dark"})
        {
            EXPECT_EQ(d.Unit(column), "s") << column;
        }

        const ResultColumns c(tables, "/circuits");
        ASSERT_EQ(c.GetNRows(), 1U);
        EXPECT_EQ(c.Number("reconfiguration", 0), d.Number("reconfiguration", 0)) << "they join";
        EXPECT_NEAR(c.Number("lit", 0) - c.Number("held", 0), 30e-6, tick);
    }
}

} // namespace
