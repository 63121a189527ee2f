/*
 * Copyright (c) 2026 The ns3-mixnet authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Controllers among failures and over several regions, in both worlds.

#include "result_columns.h"
#include "scenario_run_fixture.h"

#include "ns3/mixnet-fabric-helper.h"
#include "ns3/optical-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t BYTES = 4 << 20; //!< of a message

/// Four servers with a NIC on the EPS and one on an OCS; 0-1 and 2-3 want circuits.
class FailingRegion : public ::testing::TestWithParam<Fidelity>, public TransferSink
{
  protected:
    void SetUp() override
    {
        EnsurePicosecondClock();
        MixnetFabricHelper helper;
        helper.SetTopology("ns3::HybridTopology");
        helper.SetTopologyAttribute("OcsNics", UintegerValue(1));
        helper.SetFidelity(GetParam());
        m_fabric = std::make_unique<MixnetFabric>(helper.Install(ClusterSpec(4, 2)));
        m_fabric->AssignStreams(1);
        m_graph = m_fabric->GetGraph();
        OpticalHelper optics;
        optics.SetControllerAttribute("SwitchingDelay", TimeValue(MicroSeconds(30)));
        m_controller = optics.Install(m_fabric->GetControl(), RegionId(0));
    }

    void TearDown() override
    {
        m_controller->Dispose();
        m_fabric.reset();
        Simulator::Destroy();
    }

    void OnCompletion(const Completion& c) override
    {
        EXPECT_EQ(c.status, TransferStatus::DELIVERED);
        EXPECT_TRUE(m_ends.emplace(c.tag, c).second) << "ends once";
    }

    void Send(uint64_t tag, uint32_t from, uint32_t to)
    {
        Transfer t;
        t.source = m_graph->GetGpu(ServerId(from), 0);
        t.destination = m_graph->GetGpu(ServerId(to), 0);
        t.bytes = ByteCount(BYTES);
        t.trafficClass = TrafficClass::EP;
        t.tag = tag;
        m_fabric->GetTransport()->Send({t}, *this);
    }

    /// Plan for 0-1 and 2-3, then let a message cross each. @param layer of the demand
    void Exchange(uint32_t layer)
    {
        DemandMatrix demand(4, 4, 0);
        demand(0, 1) = BYTES;
        demand(2, 3) = BYTES;
        m_controller->Request({0, layer, 0, AllToAllPhase::FORWARD_DISPATCH},
                              demand,
                              Callback<void>([this, layer] {
                                  Send(10 * layer, 0, 1);
                                  Send(10 * layer + 1, 2, 3);
                              }));
        Simulator::Run();
    }

    /// @param edges of server 0 @param up repaired
    void Set(const std::vector<EdgeId>& edges, bool up)
    {
        m_fabric->GetControl()->SetEdges(edges, EdgeCause::FAILURE, up);
    }

    /// @param tag of a message @return its bytes over circuits
    uint64_t Light(uint64_t tag) const
    {
        return m_ends.at(tag).bytesByPath[static_cast<std::size_t>(PathClass::CIRCUIT)].Get();
    }

    /// @param kind edges to list @return those of server 0
    std::vector<EdgeId> Edges(EdgeKind kind) const
    {
        std::vector<EdgeId> edges;
        for (const uint32_t nic : m_graph->GetNics(ServerId(0), kind))
        {
            edges.push_back(m_graph->GetEdge(m_graph->GetVertex(ServerId(0)), nic));
        }
        return edges;
    }

    std::unique_ptr<MixnetFabric> m_fabric; //!< the world
    Ptr<FabricGraph> m_graph;               //!< its graph
    Ptr<RegionalController> m_controller;   //!< under test
    std::map<uint64_t, Completion> m_ends;  //!< by tag
};

// A port fails in the middle of a message: the rest of it goes over the EPS, the next plan leaves
// the port out, the pair has the EPS; repaired, the port is planned with again. The other pair has
// its circuit all the time.
TEST_P(FailingRegion, AFailedPortIsLeftOutUntilItIsRepaired)
{
    const auto fibers = Edges(EdgeKind::FIBER);
    Simulator::Schedule(MicroSeconds(60), [&] { Set(fibers, false); });
    Exchange(0); // lit at 30 us
    ASSERT_EQ(m_ends.size(), 2U);
    EXPECT_GT(Light(0), BYTES / 4) << "30 of 86 us in the light";
    EXPECT_LT(Light(0), BYTES / 2);
    EXPECT_EQ(Light(1), BYTES);
    Exchange(1);
    EXPECT_EQ(m_controller->GetPlan().GetDegree(0), 0U) << "left out";
    EXPECT_EQ(m_controller->GetPlan().GetCount(2, 3), 1U);
    EXPECT_EQ(Light(10), 0U);
    EXPECT_EQ(Light(11), BYTES);
    Set(fibers, true);
    Exchange(2);
    EXPECT_EQ(m_controller->GetPlan().GetCount(0, 1), 1U) << "used again";
    EXPECT_EQ(Light(20), BYTES);
    EXPECT_EQ(Light(21), BYTES);
    EXPECT_EQ(m_ends.size(), 6U);
}

// The same with all of a server: its messages wait for the repair, the next plan does without it.
TEST_P(FailingRegion, AFailedServerIsLeftOutUntilItIsRepaired)
{
    auto all = Edges(EdgeKind::FIBER);
    const auto packet = Edges(EdgeKind::PACKET);
    all.insert(all.end(), packet.begin(), packet.end());
    Exchange(0);
    Set(all, false);
    const Time repair = Simulator::Now() + MilliSeconds(1);
    Simulator::Schedule(MilliSeconds(1), [&] { Set(all, true); });
    Exchange(1);
    EXPECT_EQ(m_controller->GetPlan().GetDegree(0), 0U) << "left out";
    EXPECT_EQ(Light(11), BYTES) << "the others go on";
    EXPECT_LT(m_ends[11].finished, repair);
    ASSERT_EQ(m_ends.count(10), 1U);
    EXPECT_GT(m_ends[10].finished, repair) << "after the repair";
    Exchange(2);
    EXPECT_EQ(m_controller->GetPlan().GetCount(0, 1), 1U) << "used again";
    EXPECT_EQ(Light(20), BYTES);
}

// The switchover: the rest of a message whose circuit fails is on its way over the EPS at once. In
// the packet world what was under way is lost; the gap is seen when the first packet over the EPS
// arrives (3 us with its serializations), and the NACK comes back (3 us): go-back-N resends all
// that was sent meanwhile, at most 9 us of light and EPS. 20 us above the time of the rest is thus
// ample.
TEST_P(FailingRegion, TheRestOfAMessageIsSwitchedOverInMicroseconds)
{
    const auto fibers = Edges(EdgeKind::FIBER);
    const Time failure = MicroSeconds(60);
    Simulator::Schedule(failure, [&] { Set(fibers, false); });
    Exchange(0);
    ASSERT_EQ(m_ends.size(), 2U);
    const Completion& c = m_ends[0];
    const uint64_t eps = c.bytesByPath[static_cast<std::size_t>(PathClass::PACKET)].Get();
    EXPECT_EQ(Light(0) + eps, BYTES) << "each byte once";
    const Time rest = PicoSeconds(static_cast<int64_t>(eps) * 20 * 4178 / 4096);
    EXPECT_GE(c.finished, failure + rest);
    EXPECT_LT(c.finished, failure + rest + MicroSeconds(20));
}

INSTANTIATE_TEST_SUITE_P(Worlds,
                         FailingRegion,
                         ::testing::Values(Fidelity::PACKET, Fidelity::FLOW),
                         [](const auto& world) { return std::string(GetName(world.param)); });

// An EP group of eight servers over two regions of four: with alpha 6 each pair of a region has two
// circuits, so a server reaches 3 of its 7 peers in the light and 4 over the EPS. An all-to-all is
// 8 ranks x 128 copies (64 tokens, top-2) x 8,192 B, of which 7/8 leave their server: 7,340,032 B;
// one layer and micro-batch have four of them.
TEST_F(ScenarioRun, AGroupOverTwoRegionsCrossesBetweenThemOverTheEps)
{
    constexpr double total = 4 * 7340032;
    for (const char* fidelity : {"flow", "packet"})
    {
        const auto tables = RunSecond({{"fidelity", fidelity},
                                       {"optical.serversPerRegion", "4"},
                                       {"model.layers", "1"},
                                       {"iterations", "1"},
                                       {"batch.microBatches", "1"},
                                       {"batch.sequenceLength", "64"}});
        const ResultColumns flows(tables, "/flow_stats");
        double ep = 0;
        for (std::size_t i = 0; i < flows.GetNRows(); ++i)
        {
            ep += flows.Text("class", i) == "ep" ? flows.Number("bytes", i) : 0;
        }
        EXPECT_EQ(ep, total) << fidelity;
        EXPECT_EQ(ResultColumns(tables, "/iterations").Number("bytes_circuit", 0), total * 3 / 7)
            << fidelity;
        const ResultColumns decisions(tables, "/decisions");
        std::map<double, uint32_t> regions;
        for (std::size_t i = 0; i < decisions.GetNRows(); ++i)
        {
            ++regions[decisions.Number("region", i)];
            EXPECT_EQ(decisions.Number("circuits", i), 12) << "six pairs, two circuits each";
        }
        ASSERT_EQ(regions.size(), 2U) << "both controllers are asked";
        EXPECT_EQ(regions[0], regions[1]);
    }
}

} // namespace
